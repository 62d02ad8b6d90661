#!/usr/bin/env bash
# The detops command as a user runs it: what it says about itself, and how it answers wrong usage.
set -euo pipefail
detops=$2/bin/detops

fail() { echo "command_test: $*" >&2; exit 1; }

info=$("$detops" info)
for line in version cpu cores threads 'simd target' 'simd targets' bandwidth peak; do
  grep -qE "^$line +[^ ]" <<<"$info" || fail "info has no line '$line': $info"
done
grep -qE '^bandwidth +[0-9.]+ [GM]B/s with 1 thread$' <<<"$info" || fail "info has no bandwidth of one thread: $info"
[ "$("$detops" --version)" = "$(sed -n 's/^version *//p' <<<"$info")" ] || fail "--version differs from info"

# The environment is seen, and a wrong value is one line on stderr that says so.
[ "$(DETOPS_NUM_THREADS=5 "$detops" info | sed -n 's/^threads *//p')" = 5 ] || fail "DETOPS_NUM_THREADS is not seen"
last=$(sed -n 's/^simd targets .* \([A-Z0-9_]*\)$/\1/p' <<<"$info")
[ "$(DETOPS_SIMD_TARGET=$last "$detops" info | sed -n 's/^simd target  *//p')" = "$last" ] || fail "DETOPS_SIMD_TARGET is not seen"
check_complaint() { # VARIABLE VALUE
  local complaint
  complaint=$(env "$1=$2" "$detops" info 2>&1 >/dev/null)
  [[ $complaint == "detops error: $1"*"'$2'"* ]] || fail "$1=$2 gave: $complaint"
  [ "$(wc -l <<<"$complaint")" = 1 ] || fail "$1=$2 gave more than one line: $complaint"
}
check_complaint DETOPS_NUM_THREADS many
check_complaint DETOPS_SIMD_TARGET MMX

# Operators with their shapes, types, parameters and limits.
ops=$("$detops" list | awk '{ print $1 }')
[ "$(wc -l <<<"$ops")" -ge 6 ] || fail "list has too few operators: $ops"
for op in $ops; do
  details=$("$detops" list "$op")
  for word in inputs outputs 'C function' '\[' float; do
    grep -q "$word" <<<"$details" || fail "list $op does not tell '$word': $details"
  done
done
grep -q mluOpPolyNms <<<"$("$detops" list poly_nms)" || fail "list poly_nms does not name its C function"

# Help with examples for each subcommand, and for each operator's options.
for command in list info run gen apply bench report completion; do
  "$detops" --help | grep -q "^  $command " || fail "--help does not mention $command"
  help=$("$detops" "$command" --help)
  grep -q 'Examples:' <<<"$help" || fail "$command --help has no examples"
  grep -q "  detops $command\|source <(detops $command" <<<"$help" || fail "the examples of $command do not use it"
done
"$detops" apply poly_nms --help | grep -q -- '--iou-threshold' || fail "apply poly_nms --help does not tell --iou-threshold"

# Wrong usage: one line is said, and the status is 2.
for wrong in '' 'nonsense' 'info nonsense' '--nonsense' 'list nonsense' 'gen' 'gen --suite' 'apply' 'apply nonsense' 'run' \
             'run --threads 0 x' 'bench nonsense' 'report' 'completion tcsh'; do
  status=0
  # shellcheck disable=SC2086
  output=$("$detops" $wrong 2>&1) || status=$?
  [ $status = 2 ] || fail "'detops $wrong' exited with $status"
  [[ $output == "detops: "* && $(wc -l <<<"$output") = 1 ]] || fail "'detops $wrong' did not say one line: $output"
done
status=0
"$detops" info >/dev/full 2>/dev/null || status=$?
[ $status = 2 ] || fail "a full disk went unnoticed"
