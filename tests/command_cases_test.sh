#!/usr/bin/env bash
# `detops gen` and `detops run` on real files.
set -euo pipefail
detops=$2/bin/detops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "command_cases_test: $*" >&2; exit 1; }

# run STATUS ARGUMENTS...: the command must exit with that status. Its output is in out and err.
run() {
  local expected=$1 status=0
  shift
  "$detops" "$@" >out 2>err || status=$?
  [ "$status" = "$expected" ] || { cat out err; fail "'detops $*' exited with $status, not $expected"; }
}
# refuses PATTERN ARGUMENTS...: the command must exit with status 2 and print one line that matches.
refuses() {
  local pattern=$1
  shift
  run 2 "$@"
  [ "$(wc -l <err)" = 1 ] || { cat err; fail "'detops $*' did not print one line"; }
  grep -q -- "$pattern" err || { cat err; fail "'detops $*' does not print '$pattern'"; }
}

# ---- Writing: the same arguments give the same bytes --------------------------------------------------------------
run 0 gen bbox_overlaps -i 20,4 -i 30,4 --mode 1 --seed 7 -o first.prototxt
run 0 gen bbox_overlaps -i 20,4 -i 30,4 --mode 1 --seed 7 -o again.prototxt
cmp first.prototxt again.prototxt || fail "the same arguments gave different bytes"
run 0 gen bbox_overlaps -i 20,4 -i 30,4 --mode 1 --seed 8 -o other.prototxt
! cmp -s first.prototxt other.prototxt || fail "another seed gave the same bytes"
grep -q 'mode: 1' first.prototxt || fail "the parameter is not in the file"
run 0 gen bbox_overlaps -i 20,4 -i 30,4 --dtype half --distribution uniform:0:50 --distribution gaussian:20:5 -o drawn.prototxt
grep -q 'distribution: GAUSSIAN' drawn.prototxt || fail "the distribution is not in the file"
run 0 gen poly_nms -i 50,9 --binary -o scene.pb
run 0 gen poly_nms -i 50,9 -o scene_by_its_ending.pb
cmp scene.pb scene_by_its_ending.pb || fail "the ending does not set the format"
run 0 gen bbox_overlaps -i 3000,4 -i 30,4 -o long.prototxt
[ -s long.input0.raw ] || fail "long lists of values are not in a raw file"

# ---- Running: verdict, measures with thresholds, time, efficiencies -----------------------------------------------
run 0 run first.prototxt drawn.prototxt scene.pb long.prototxt --json results.json
grep -q '^4 of 4 cases passed$' out || { cat out; fail "not all cases passed"; }
grep -qE '^PASS  bbox_overlaps first: float\[20,4\], float\[30,4\], .* [mun]s, IO .* %, compute .* %$' out || { cat out; fail "no verdict"; }
grep -q 'ious against the reference: diff1 0 (<= 1e-6), diff2 0 (<= 1e-6)' out || { cat out; fail "no measures"; }
for key in machine cases passed checks threshold seconds io_efficiency compute_efficiency; do
  grep -q "\"$key\"" results.json || fail "the JSON has no $key"
done
! grep -q $'\r' err || fail "there is a progress line in a log"
script -qec "'$detops' run first.prototxt scene.pb" /dev/null </dev/null >terminal 2>&1 || fail "run failed on a terminal"
grep -q '\[2/2\] scene.pb' terminal || fail "no progress line on a terminal"
for options in '--threads 1' '--threads 3 --queue' '--target SCALAR' '--queue'; do
  # shellcheck disable=SC2086
  run 0 run first.prototxt scene.pb $options
done
# Efficiencies refer to the limits for the same number of threads.
if [ "$(nproc)" -ge 2 ]; then
  DETOPS_NUM_THREADS=1 run 0 run first.prototxt --threads 2 --json two.json
  grep -q '"threads": 2,' two.json || fail "the limits of two threads were not measured"
fi
mkdir folder && cp first.prototxt folder/ && mkdir folder/below && cp scene.pb folder/below/
run 0 run folder
grep -q '^2 of 2 cases passed$' out || fail "not all cases of a folder are found"

# ---- Cases as other programs write them ---------------------------------------------------------------------------
# write_case FILE EXPECTED REST: a case with two boxes.
write_case() {
  cat >"$1" <<CASE
op_name: "bbox_overlaps"
device: GPU
something_new { nested { deeper: 3 } list: [1, 2] }
input { id: "a" shape { dims: 1 dims: 4 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT value_f: 0 value_f: 0 value_f: 10 value_f: 10 }
input { id: "b" shape { dims: 1 dims: 4 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT value_f: [0, 0, 10, 20] future_field: "x" }
output { id: "c" shape { dims: 1 dims: 1 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT value_f: $2 }
bbox_overlaps_param { mode: 0 aligned: false offset: 0 }
$3
CASE
}
write_case right.prototxt 0.5 ''
run 0 run right.prototxt
grep -q 'ious against the expected: diff1 0' out || { cat out; fail "expected values were not compared"; }
write_case wrong.prototxt 0.6 ''
run 1 run wrong.prototxt
grep -q '^FAIL' out || { cat out; fail "a wrong value passed"; }
grep -q 'must be at most 1e-6' out || { cat out; fail "the default limit is not printed"; }
# evaluation_criterion takes precedence over test_param, which takes precedence over the default.
write_case loose.prototxt 0.6 'test_param { error_func: DIFF1 error_threshold: 0.3 }'
run 0 run loose.prototxt
grep -q 'diff1 0.17 (<= 0.3)' out || { cat out; fail "test_param is not used"; }
write_case strict.prototxt 0.6 'evaluation_criterion: DIFF3_2 evaluation_threshold: 0.05 test_param { error_func: DIFF1 error_threshold: 0.3 }'
run 1 run strict.prototxt
grep -q 'diff3_2 0.1 (not <= 0.05)' out || { cat out; fail "evaluation_criterion does not take precedence"; }
# Thresholds of an output take precedence over those of the case, in both directions.
own() { sed "s/id: \"c\"/& thresholds { evaluation_threshold: $1 }/" "$2"; }
write_case of_case.prototxt 0.6 'evaluation_criterion: DIFF3_2 evaluation_threshold: 0.2'
own 0.05 of_case.prototxt >own_strict.prototxt
run 1 run own_strict.prototxt --json own.json
grep -q 'diff3_2 0.1 (not <= 0.05)' out || { cat out; fail "the output's strict threshold is not used"; }
grep -q '"threshold": 0.05' own.json || fail "the JSON does not have the output's threshold"
sed -i 's/threshold: 0.2/threshold: 0.05/' of_case.prototxt
own 0.2 of_case.prototxt >own_loose.prototxt
run 0 run own_loose.prototxt
grep -q 'diff3_2 0.1 (<= 0.2)' out || { cat out; fail "the output's loose threshold is not used"; }
own '[1, 2]' of_case.prototxt >own_count.prototxt
refuses "own_count.prototxt: output 0 'c': has 2 evaluation_threshold of its own; there must be 1" run own_count.prototxt
# An expected status and an unexpected one.
write_case refused.prototxt 0.5 'expected_status: 3'
sed -i 's/mode: 0/mode: 7/' refused.prototxt
run 0 run refused.prototxt
grep -q 'MLUOP_STATUS_BAD_PARAM as expected: .*mode is 7' out || { cat out; fail "the error message is not printed"; }
write_case unexpected.prototxt 0.5 'expected_status: 3'
run 1 run unexpected.prototxt
grep -q 'MLUOP_STATUS_SUCCESS.*; the case expects MLUOP_STATUS_BAD_PARAM' out || { cat out; fail "an unexpected status passed"; }

# ---- Files that cannot be run -------------------------------------------------------------------------------------
refuses 'nowhere.prototxt' run nowhere.prototxt
mkdir empty
refuses '^detops: empty: contains no case files, which end in .prototxt or .pb$' run empty
refuses '^detops: CASE is empty; ' run ''
if [ "$(id -u)" != 0 ]; then  # root may read everything; cli_test covers it
  mkdir -p readable/closed && chmod 0 readable/closed
  refuses '^detops: readable/closed: cannot be read: Permission denied$' run readable
  refuses '^detops: readable/closed: cannot be read: Permission denied$' run readable/closed
  chmod 700 readable/closed
fi
head -c 300 scene.pb >short.pb
refuses '^detops: short.pb: ' run short.pb
printf 'op_name: "\xff\xfe"\n' >bytes.prototxt
refuses '^detops: bytes.prototxt: ' run bytes.prototxt
sed 's/dims: 1 dims: 4/dims: 2 dims: 4/' right.prototxt >mismatch.prototxt
refuses '^detops: mismatch.prototxt: ' run mismatch.prototxt
sed 's/dims: 1 dims: 4/dims: 4000000000000 dims: 4000000000000/' right.prototxt >huge.prototxt
refuses '^detops: huge.prototxt: ' run huge.prototxt
sed 's/value_f: 0 value_f: 0 value_f: 10 value_f: 10//; s/dims: 1 dims: 4/dims: 500000000 dims: 4/; s/value_f: 0.5//; s/dims: 1 dims: 1/dims: 500000000 dims: 1/' \
  right.prototxt >large.prototxt
if [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -lt 11700000 ]; then
  refuses 'MB of memory' run large.prototxt
fi
sed 's/offset: 0/& eps: 1/' right.prototxt >unknown_parameter.prototxt
refuses "unknown_parameter.prototxt: bbox_overlaps_param has the unknown field 'eps'; its fields are mode (1)," run unknown_parameter.prototxt
run 0 gen nms -i 5,4 -i 5 -o ours.prototxt
grep -q '^op_name: "detops_nms"$' ours.prototxt && grep -q '^detops_nms_param {' ours.prototxt || fail "nms has another name in case files"
run 0 run ours.prototxt
grep -q '^PASS  nms ours: ' out || { cat out; fail "the case of nms did not pass"; }
sed 's/detops_nms/nms/' ours.prototxt >theirs.prototxt
refuses "theirs.prototxt: nms is MLU-OPS' own operator nms, .* is called detops_nms in case files" run theirs.prototxt
run 0 list nms
grep -q 'case files  called detops_nms' out || { cat out; fail "the name in case files is not listed"; }
echo 'op_name: "sort"' >unknown.prototxt
refuses "unknown.prototxt: .*sort" run unknown.prototxt
refuses 'results' run right.prototxt --json /nonexistent/results.json
# A file that cannot be run does not stop the others.
run 2 run right.prototxt nowhere/ short.pb || true
run 2 run right.prototxt short.pb
run 2 run right.prototxt short.pb --json unusable.json
grep -A1 '"unusable"' unusable.json | grep -q 'short.pb: ' || fail "the JSON does not list the file that could not be run"
grep -q '^1 of 2 cases passed, 1 could not be run$' out || { cat out; fail "the other case did not run"; }
refuses "--target is 'AVX9'; it must be one of: .*plain C++" run right.prototxt --target AVX9
run 0 run right.prototxt --target 'plain c++'
refuses '/nonexistent' gen bbox_overlaps -i 2,4 -i 3,4 -o /nonexistent/case.prototxt
refuses 'must be dimensions' gen bbox_overlaps -i 2x4 -i 3,4 -o case.prototxt
refuses 'has 2 inputs' gen bbox_overlaps -i 2,4 -o case.prototxt
refuses 'must be natural' gen bbox_overlaps -i 2,4 -i 3,4 --distribution cauchy:0:1 -o case.prototxt
refuses 'must end in .pb' gen bbox_overlaps -i 2,4 -i 3,4 --binary -o case.prototxt
refuses 'must come after bbox_overlaps' gen --binary bbox_overlaps -i 2,4 -i 3,4 -o case.prototxt
refuses '^detops: two?lines: ' run $'two\nlines'
refuses 'must be natural' gen bbox_overlaps -i 2,4 -i 3,4 --distribution uniform:nan:1 -o case.prototxt
refuses 'MB of memory' gen bbox_overlaps -i 2000000000000,4 -i 3,4 -o case.prototxt
[ ! -e case.prototxt ] || fail "a refused case left a file"

# ---- An interrupt ends the command at once, with one line and without incomplete files ----------------------------
for i in 1 2 3 4 5 6 7 8; do cp long.prototxt "folder/long$i.prototxt"; cp long.input0.raw folder/; done
status=0
timeout --preserve-status -s INT 0.4 "$detops" bench --seconds 100 --json interrupted.json >out 2>err || status=$?
[ $status = 130 ] || { cat err; fail "an interrupt gave status $status"; }
[ "$(grep -c . err)" = 1 ] && grep -q interrupted err || { cat err; fail "an interrupt did not print one line"; }
[ -z "$(find . -name '*interrupted*')" ] || fail "an interrupted run left $(find . -name '*interrupted*')"
