#!/usr/bin/env bash
# ctest runs tests and the fuzz target of every operator. Every fuzz target has a corpus of limited size.
set -euo pipefail
source_dir=$1
build_dir=$2

ops=$("$build_dir/bin/detops" list | awk '{ print $1 }')
[ -n "$ops" ] || { echo "the command lists no operator" >&2; exit 1; }
for op in $ops; do
  tests=$(ctest --test-dir "$build_dir" -N -L "^$op\$")
  count=$(sed -n 's/^Total Tests: //p' <<<"$tests")
  [ "$count" -ge 2 ] || { echo "ctest has $count tests of $op" >&2; exit 1; }
  grep -q "${op}_fuzz.smoke" <<<"$tests" || { echo "ctest does not run ${op}_fuzz" >&2; exit 1; }
done

most_bytes=65536
for fuzzer in $(ctest --test-dir "$build_dir" -N | sed -n 's/.* \(.*_fuzz\)\.smoke$/\1/p'); do
  corpus=$source_dir/testing/corpus/$fuzzer
  [ -n "$(ls "$corpus" 2>/dev/null)" ] || { echo "$fuzzer has no inputs in $corpus" >&2; exit 1; }
  bytes=$(cat "$corpus"/* | wc -c)
  [ "$bytes" -le $most_bytes ] || { echo "$corpus has $bytes bytes; it must have at most $most_bytes" >&2; exit 1; }
done
