#!/usr/bin/env bash
# A case file of a hundred megabytes: `detops run` takes seconds, and at most three times the file's size in memory.
set -euo pipefail
detops=$2/bin/detops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "command_large_case_test: $*" >&2; exit 1; }

boxes=1600000
{
  echo 'op_name: "bbox_overlaps"'
  echo "input { shape { dims: $boxes dims: 4 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT"
  awk -v n=$((boxes * 4)) 'BEGIN { for (i = 0; i < n; ++i) print "value_f: " i % 1009 + 10000.5 }'
  echo '}'
  echo 'input { shape { dims: 1 dims: 4 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT value_f: [1, 1, 900, 900] }'
} >numbers.prototxt
size=$(stat -c %s numbers.prototxt)
[ "$size" -gt 100000000 ] || fail "the case has only $size bytes"
/usr/bin/time -f '%U %S %M' -o usage "$detops" run numbers.prototxt >out 2>err || { cat out err; fail "the case fails"; }
grep -q '^1 of 1 cases passed$' out || { cat out; fail "the case did not run"; }
read -r user system kilobytes <usage
# CPU time, so that other processes do not count.
seconds=$(awk -v u="$user" -v s="$system" 'BEGIN { print u + s }')
echo "$size bytes: $seconds s, $kilobytes KB"
[ "$((kilobytes * 1024))" -le "$((size * 3))" ] || fail "$size bytes took $kilobytes KB of memory"
awk -v s="$seconds" 'BEGIN { exit !(s < 15) }' || fail "$size bytes took $seconds s"
