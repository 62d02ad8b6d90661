#!/usr/bin/env bash
# valgrind.sh BUILD_FOLDER: runs a short suite under Valgrind's memcheck to find reads of uninitialized memory, which the sanitizers
# do not detect: the tests of core and runtime, and the corpus of each fuzz target, which runs every operator on every instruction set
# that Valgrind supports.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
failed=0

# Fair scheduling: otherwise a thread that spins while it waits for another can block it for minutes.
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
