#!/usr/bin/env bash
# The pictures of the contract pages show what the library answers today.
set -euo pipefail
source_dir=$1
build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "picture_test: $*" >&2; exit 1; }

# check TOOL PICTURE
check() {
  local tool=$build_dir/bin/$1 picture=$2 target status complaint
  "$tool" "$work/picture.svg" || fail "$1 failed"
  "$tool" >"$work/stdout.svg" || fail "$1 failed without a file"
  cmp "$work/picture.svg" "$work/stdout.svg" || fail "$1: a file and the standard output get different pictures"
  diff -u "$source_dir/$picture" "$work/picture.svg" ||
    fail "$picture is not what the library says. If the new picture is right: build/release/bin/$1 $picture"
  if grep -nE '[[:space:]]+$' "$source_dir/$picture"; then
    fail "the lines above of $picture end with whitespace"
  fi

  # What cannot be written is said.
  for target in "$work/no/folder.svg" /dev/full; do
    status=0
    complaint=$("$tool" "$target" 2>&1) || status=$?
    [ $status = 1 ] && [[ $complaint == "$1: "*"$target"* ]] || fail "$1 $target exited with $status and said: $complaint"
  done
}

check border_align_picture ops/border_align_forward/picture.svg
check poly_nms_picture ops/poly_nms/picture.svg
check psroipool_picture ops/psroipool_forward/picture.svg
