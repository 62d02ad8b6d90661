#!/usr/bin/env bash
# The detops command as a user runs it.
set -euo pipefail
detops=$2/bin/detops

fail() { echo "command_test: $*" >&2; exit 1; }

info=$("$detops" info)
for line in version cpu cores threads 'simd target' 'simd targets'; do
  grep -qE "^$line +[^ ]" <<<"$info" || fail "info has no line '$line': $info"
done
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

"$detops" list >/dev/null || fail "list failed"
"$detops" --help | grep info >/dev/null || fail "--help does not mention info"
for wrong in '' 'nonsense' 'info nonsense' '--nonsense'; do
  status=0
  # shellcheck disable=SC2086
  output=$("$detops" $wrong 2>&1) || status=$?
  [ $status = 2 ] || fail "'detops $wrong' exited with $status"
  [ -n "$output" ] || fail "'detops $wrong' said nothing"
done
status=0
"$detops" info >/dev/full 2>/dev/null || status=$?
[ $status = 2 ] || fail "a full disk went unnoticed"
