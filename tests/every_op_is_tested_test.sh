#!/usr/bin/env bash
# ctest knows tests of every operator, and its fuzz target.
set -euo pipefail
build_dir=$2

ops=$("$build_dir/bin/detops" list | awk '{ print $1 }')
[ -n "$ops" ] || { echo "the command lists no operator" >&2; exit 1; }
for op in $ops; do
  tests=$(ctest --test-dir "$build_dir" -N -L "^$op\$")
  count=$(sed -n 's/^Total Tests: //p' <<<"$tests")
  [ "$count" -ge 2 ] || { echo "ctest has $count tests of $op" >&2; exit 1; }
  grep -q "${op}_fuzz.smoke" <<<"$tests" || { echo "ctest does not run ${op}_fuzz" >&2; exit 1; }
done
