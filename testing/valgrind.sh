#!/usr/bin/env bash
# A short suite under Valgrind's memcheck: what the sanitizers cannot see, memory that is read before it is written. The tests of the core
# and of the runtime, and the kept inputs of each fuzz target, which run every operator on every instruction set that Valgrind knows.
# valgrind.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
failed=0

# Threads take fair turns: else one that waits for another may keep it waiting, for minutes.
check() { # PROGRAM ARGUMENT...
  echo "valgrind: $(basename "$1")"
  DETOPS_LOG_LEVEL=off valgrind --quiet --fair-sched=yes --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite "$@" >"$build/valgrind.log" 2>&1 || { tail -60 "$build/valgrind.log"; failed=1; }
}

check "$build/bin/core_test" --gtest_brief=1
check "$build/bin/runtime_test" --gtest_brief=1
for corpus in testing/corpus/*; do
  check "$build/bin/$(basename "$corpus")" "$corpus"
done
exit "$failed"
