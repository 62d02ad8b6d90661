#!/usr/bin/env bash
# The pictures of the operator pages are what the picture programs draw from the results of the library.
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
  cmp "$work/picture.svg" "$work/stdout.svg" || fail "$1: the pictures in a file and on the standard output differ"
  diff -u "$source_dir/$picture" "$work/picture.svg" ||
    fail "$picture is outdated. If the new picture is right, run build/release/bin/$1 $picture"
  if grep -nE '[[:space:]]+$' "$source_dir/$picture"; then
    fail "the lines above of $picture end with whitespace"
  fi

  # A file that cannot be written is an error.
  for target in "$work/no/folder.svg" /dev/full; do
    status=0
    complaint=$("$tool" "$target" 2>&1) || status=$?
    [ $status = 1 ] && [[ $complaint == "$1: "*"$target"* ]] || fail "$1 $target exited with $status and printed: $complaint"
  done
}

check border_align_picture ops/border_align_forward/picture.svg
check poly_nms_picture ops/poly_nms/picture.svg
check psroipool_picture ops/psroipool_forward/picture.svg
