#!/usr/bin/env bash
# The whole suite as files, text and binary: written, read back, passed, and reproducible.
set -euo pipefail
detops=$2/bin/detops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "command_suite_test: $*" >&2; exit 1; }

"$detops" gen --suite -o text >out || fail "the suite cannot be written"
count=$(sed -n 's/^\([0-9]*\) cases in text$/\1/p' out)
[ "$(find text -name '*.prototxt' | wc -l)" = "$count" ] || fail "there are not $count case files"
for op in $("$detops" list | awk '{ print $1 }'); do
  [ "$(find "text/$op" -name '*.prototxt' | wc -l)" -ge 50 ] || fail "$op has fewer than 50 cases"
done
"$detops" run text --json results.json >log || { grep -A1 ^FAIL log; fail "not all cases pass"; }
grep -q "^$count of $count cases passed$" log || fail "not all cases were run"
negative=$(grep -c '"expected_status": "MLUOP_STATUS_[BN]' results.json)
[ "$negative" -ge 100 ] || fail "only $negative cases are negative"
grep -q '^expected_status: 3$' text/bbox_overlaps/negative_mode.prototxt || fail "a negative case does not state its status"

"$detops" gen --suite -o again >out
diff -r text again >/dev/null || fail "the suite is not reproducible"
"$detops" gen bbox_overlaps --suite --binary -o binary >out
"$detops" run binary >log || { grep -A1 ^FAIL log; fail "not all binary cases pass"; }
