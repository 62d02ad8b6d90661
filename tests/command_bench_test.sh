#!/usr/bin/env bash
# `detops bench`: its output, its JSON file, and the comparison with an earlier run.
set -euo pipefail
detops=$2/bin/detops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "command_bench_test: $*" >&2; exit 1; }

"$detops" bench nms --seconds 0 --json now.json >out || { cat out; fail "bench failed"; }
threads=$("$detops" info | sed -n 's/^threads *//p')
for count in 1 "$threads"; do
  awk -v n="$count" '$1 == "nms" && $3 == n { found = 1 } END { exit !found }' out || { cat out; fail "no row with $count threads"; }
done
grep -qE '^nms .* [0-9.]+ (us|ms) .*x .* % .* %$' out || { cat out; fail "a row lacks its figures"; }
for key in seconds lower_quartile upper_quartile reference_seconds io_efficiency compute_efficiency threads; do
  grep -q "\"$key\": [0-9]" now.json || fail "the JSON has no $key"
done

# Compare with a run that was a thousand times faster, and one that was a thousand times slower.
perl -pe 's/("(seconds|lower_quartile|upper_quartile)": )([0-9.e+-]+)/$1 . $3 * 1e-3/e' now.json >faster.json
perl -pe 's/("(seconds|lower_quartile|upper_quartile)": )([0-9.e+-]+)/$1 . $3 * 1e3/e' now.json >slower.json
status=0
"$detops" bench nms --seconds 0 --baseline faster.json >out || status=$?
[ $status = 1 ] && grep -q '^slower: nms ' out || { cat out; fail "a slowdown is not reported"; }
"$detops" bench nms --seconds 0 --baseline slower.json >out || { cat out; fail "a speed-up is an error"; }
grep -q 'nothing is slower' out || fail "the comparison is not reported"

refuses() { # PATTERN ARGUMENTS...
  local pattern=$1 status=0
  shift
  "$detops" bench "$@" >out 2>err || status=$?
  [ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "$pattern" err || { cat err; fail "'bench $*' exited with $status"; }
}
mkdir folder
echo '{"benchmarks": [{"op": 3}]}' >broken.json
refuses 'broken.json: ' nms --baseline broken.json
refuses '^detops: folder: ' nms --baseline folder
sed 's/"name": "/"name": "old_/' now.json >foreign.json
refuses 'none of these benchmarks' nms --seconds 0 --baseline foreign.json
refuses 'nowhere.json: ' nms --baseline nowhere.json
refuses '/nonexistent/x.json' nms --seconds 0 --json /nonexistent/x.json
