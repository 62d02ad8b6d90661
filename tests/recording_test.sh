#!/usr/bin/env bash
# An application records its calls (recording_app.c), and `detops run` replays the files.
set -euo pipefail
detops=$2/bin/detops
app=$2/bin/recording_app
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset MLUOP_GEN_CASE MLUOP_GEN_CASE_DIR

fail() { echo "recording_test: $*" >&2; exit 1; }

operators="bbox_overlaps border_align_forward generate_proposals_v2 poly_nms psroipool_forward"
replays() { # DIRECTORY: it holds the six calls, and all of them pass.
  [ "$(ls "$1" | xargs)" = "$operators" ] || { ls "$1"; fail "$1 does not have one folder per operator"; }
  [ "$(find "$1" -name '*.prototxt' | wc -l)" = 6 ] || { find "$1"; fail "$1 does not have six case files"; }
  [ -z "$(find "$1" -name '.*.tmp')" ] || fail "$1 has temporary files"
  [ -z "$(find "$1" -type f ! -perm 0600)" ] || fail "$1 has files that others may read"
  [ -z "$(find "$1" -type d ! -perm 0700)" ] || fail "$1 has folders that others may read"
  MLUOP_GEN_CASE=2 "$detops" run "$1" >out 2>err || { cat out err; fail "the calls in $1 do not replay"; }
  grep -q '^6 of 6 cases passed$' out || { cat out; fail "not all calls in $1 were replayed"; }
}

# ---- The C functions ----------------------------------------------------------------------------------------------
"$app" 0 off >log 2>&1 || fail "the application fails"
[ ! -e off ] || fail "calls are recorded although recording is off"
"$app" 1 shapes >log 2>&1 || fail "the application fails in mode 1"
replays shapes
! grep -rqE 'value_h|path' shapes || fail "mode 1 records data"
"$app" 2 data/of/calls >log 2>&1 || fail "the application fails in mode 2"
[ ! -s log ] || { cat log; fail "recording prints something"; }
replays data/of/calls
grep -rq '"7fc12345"' data || fail "the payload of a NaN is lost"
grep -rq 'path: "bbox_overlaps_.*_data0_input"' data || fail "the large input is not in a file of its own"
"$app" 2 queued queue || fail "the application fails on a queue"
replays queued
for folder in data/of/calls queued; do
  cat "$folder"/*/*.prototxt | sed 's/bbox_overlaps_[0-9].*_data/data/' >"${folder%%/*}.txt"
done
cmp data.txt queued.txt || fail "a queue changes what is recorded"
"$app" 3 printed >log 2>&1 || fail "the application fails in mode 3"
[ ! -e printed ] && [ "$(grep -c '^detops info: mluOp.*: op_name: ' log)" = 6 ] || { cat log; fail "mode 3 does not print the calls"; }
sed -n 's/^detops info: mluOpPolyNms: //p' log >printed.prototxt
"$detops" run printed.prototxt >out 2>err || { cat out err; fail "a printed call does not replay"; }

# ---- Off by default ----------------------------------------------------------------------------------------------
mkdir default
(cd default && "$app") >log 2>&1 || fail "the application fails without settings"
[ -z "$(ls -A default)" ] && [ ! -s log ] || { ls default; cat log; fail "calls are recorded although nobody asked for it"; }

# ---- The environment ----------------------------------------------------------------------------------------------
MLUOP_GEN_CASE=2 "$app" || fail "the application fails with MLUOP_GEN_CASE"
replays gen_case
MLUOP_GEN_CASE=1 MLUOP_GEN_CASE_DIR=elsewhere "$app" || fail "the application fails with MLUOP_GEN_CASE_DIR"
replays elsewhere/gen_case
(mkdir dump && cd dump && MLUOP_GEN_CASE=2 MLUOP_GEN_CASE_DUMP_DATA=0 "$app") || fail "the application fails with MLUOP_GEN_CASE_DUMP_DATA"
replays dump/gen_case
grep -rq '"7fc12345"' dump || fail "MLUOP_GEN_CASE_DUMP_DATA has an effect"
MLUOP_GEN_CASE=4 "$app" 2>log || fail "the application fails with a wrong mode"
[ "$(cat log)" = "detops error: MLUOP_GEN_CASE is '4'; it must be an integer from 0 to 3 (ignored)" ] || { cat log; fail "a wrong mode is not reported once"; }
# A variable that is empty counts as unset.
MLUOP_GEN_CASE='' DETOPS_LOG_LEVEL='' DETOPS_SIMD_TARGET='' DETOPS_NUM_THREADS='' "$app" 2>log || fail "the application fails with empty variables"
[ ! -s log ] || { cat log; fail "empty variables are reported"; }
(mkdir empty && cd empty && MLUOP_GEN_CASE=1 MLUOP_GEN_CASE_DIR='' "$app") || fail "the application fails with an empty MLUOP_GEN_CASE_DIR"
replays empty/gen_case

# ---- Nothing can be written ---------------------------------------------------------------------------------------
touch file
"$app" 2 file/cases 2>log || fail "the application fails because it cannot record"
[ "$(wc -l <log)" = 1 ] && grep -q 'mluOpBboxOverlaps: the call is not recorded: file/cases cannot be written: Not a directory' log ||
  { cat log; fail "a folder that cannot be written is not reported once"; }
# 8 blocks of 1024 bytes: the large call does not fit, the others do.
(ulimit -f 8 && "$app" 2 limited 2>log) || fail "the application fails because a file is too large"
[ "$(wc -l <log)" = 1 ] && grep -q '_data0_input cannot be written: File too large' log || { cat log; fail "the file that is too large is not reported"; }
[ "$(find limited -type f | wc -l)" = 5 ] || { find limited; fail "parts of a call stay"; }
