#!/usr/bin/env bash
# The picture of the contract page shows what the library answers today.
set -euo pipefail
source_dir=$1
build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "picture_test: $*" >&2; exit 1; }

tool=$build_dir/bin/poly_nms_picture
picture=ops/poly_nms/picture.svg
"$tool" "$work/picture.svg" || fail "poly_nms_picture failed"
"$tool" >"$work/stdout.svg" || fail "poly_nms_picture failed without a file"
cmp "$work/picture.svg" "$work/stdout.svg" || fail "a file and the standard output get different pictures"
diff -u "$source_dir/$picture" "$work/picture.svg" ||
  fail "$picture is not what the library says. If the new picture is right: build/release/bin/poly_nms_picture $picture"
if grep -nE '[[:space:]]+$' "$source_dir/$picture"; then
  fail "the lines above of $picture end with whitespace"
fi

# What cannot be written is said.
for target in "$work/no/folder.svg" /dev/full; do
  status=0
  complaint=$("$tool" "$target" 2>&1) || status=$?
  [ $status = 1 ] && [[ $complaint == *"$target"* ]] || fail "writing to $target exited with $status and said: $complaint"
done
