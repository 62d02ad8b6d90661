#!/usr/bin/env bash
# The detops command as a user runs it: info, list, help texts and wrong usage.
set -euo pipefail
detops=$2/bin/detops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "command_test: $*" >&2; exit 1; }

unset DETOPS_NUM_THREADS DETOPS_SIMD_TARGET DETOPS_LOG_LEVEL MLUOP_GEN_CASE
info=$("$detops" info)
for line in version cpu cores threads 'simd target' 'simd targets' bandwidth peak; do
  grep -qE "^$line +[^ ]" <<<"$info" || fail "info has no line '$line': $info"
done
grep -qE '^bandwidth +[0-9.]+ [GM]B/s with 1 thread$' <<<"$info" || fail "info has no bandwidth of one thread: $info"
[ "$("$detops" --version)" = "$(sed -n 's/^version *//p' <<<"$info")" ] || fail "--version differs from info"

# The environment is honored, and a wrong value gives one line on stderr.
[ "$(DETOPS_NUM_THREADS=5 "$detops" info | sed -n 's/^threads *//p')" = 5 ] || fail "DETOPS_NUM_THREADS is ignored"
# The default is the cores of the affinity mask.
core=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')
for line in cores threads; do
  [ "$(taskset -c "$core" "$detops" info | sed -n "s/^$line *//p")" = 1 ] || fail "the affinity mask does not limit the $line"
done
last=$(sed -n 's/^simd targets  *\(.*, \)\{0,1\}//p' <<<"$info")
[ -n "$last" ] || fail "info lists no instruction sets: $info"
[ "$(DETOPS_SIMD_TARGET=$last "$detops" info | sed -n 's/^simd target  *//p')" = "$last" ] || fail "DETOPS_SIMD_TARGET is ignored"
# Instruction sets have the names that people use, not Highway's.
! grep -qE 'AVX3|EMU128|SCALAR' <<<"$info" || fail "info has a name that nobody uses: $info"
if grep -q 'AVX-512' <<<"$info"; then
  DETOPS_SIMD_TARGET=avx-512 "$detops" info | grep -q '^simd target  *AVX-512' || fail "DETOPS_SIMD_TARGET=avx-512 is ignored"
fi
check_complaint() { # VARIABLE VALUE
  local complaint
  complaint=$(env "$1=$2" "$detops" info 2>&1 >/dev/null)
  [[ $complaint == "detops error: $1"*"'$2'"* ]] || fail "$1=$2 gave: $complaint"
  [ "$(wc -l <<<"$complaint")" = 1 ] || fail "$1=$2 gave more than one line: $complaint"
}
check_complaint DETOPS_NUM_THREADS many
check_complaint DETOPS_SIMD_TARGET MMX
# A variable that is empty counts as unset.
threads_and_targets() { grep -E '^(threads|simd)' <<<"$1"; }
empty=$(DETOPS_NUM_THREADS='' DETOPS_SIMD_TARGET='' DETOPS_LOG_LEVEL='' MLUOP_GEN_CASE='' "$detops" info 2>"$work/err")
[ ! -s "$work/err" ] || fail "empty variables are reported: $(cat "$work/err")"
[ "$(threads_and_targets "$empty")" = "$(threads_and_targets "$info")" ] || fail "empty variables change $info to $empty"

# Operators with their shapes, types, parameters and limits.
ops=$("$detops" list | awk '{ print $1 }')
[ "$(wc -l <<<"$ops")" -ge 6 ] || fail "list has too few operators: $ops"
for op in $ops; do
  details=$("$detops" list "$op")
  for word in inputs outputs 'C function' '\[' float; do
    grep -q "$word" <<<"$details" || fail "list $op does not mention '$word': $details"
  done
done
grep -q mluOpPolyNms <<<"$("$detops" list poly_nms)" || fail "list poly_nms does not name its C function"
# On a terminal, text wraps at its width. Columns are at least two spaces apart, so "name[" never occurs.
for width in 80 120; do
  script -qec "stty cols $width; '$detops' list --details" /dev/null </dev/null | tr -d '\r' >"$work/details"
  [ -s "$work/details" ] || fail "list --details prints nothing on a terminal"
  [ "$(wc -L <"$work/details")" -le "$width" ] || fail "list --details is wider than $width columns: $(cat "$work/details")"
  ! grep -qE '^ +(inputs|outputs)? *[a-z0-9_]+ ?\[' "$work/details" || fail "columns collide: $(cat "$work/details")"
done

# Help with examples for each subcommand, and for each operator's options.
for command in list info run gen apply bench report completion; do
  "$detops" --help | grep -q "^  $command " || fail "--help does not mention $command"
  help=$("$detops" "$command" --help)
  grep -q 'Examples:' <<<"$help" || fail "$command --help has no examples"
  grep -q "  detops $command\|source <(detops $command" <<<"$help" || fail "the examples of $command do not use it"
done
"$detops" apply poly_nms --help | grep -q -- '--iou-threshold' || fail "apply poly_nms --help does not mention --iou-threshold"

# Wrong usage: one line on stderr, and status 2.
for wrong in '' 'nonsense' 'info nonsense' '--nonsense' 'list nonsense' 'gen' 'gen --suite' 'apply' 'apply nonsense' 'run' \
             'run --threads 0 x' 'bench nonsense' 'report' 'completion tcsh'; do
  status=0
  # shellcheck disable=SC2086
  output=$("$detops" $wrong 2>&1) || status=$?
  [ $status = 2 ] || fail "'detops $wrong' exited with $status"
  [[ $output == "detops: "* && $(wc -l <<<"$output") = 1 ]] || fail "'detops $wrong' did not print one line: $output"
done
status=0
"$detops" info >/dev/full 2>/dev/null || status=$?
[ $status = 2 ] || fail "a full disk went unnoticed"
