#!/usr/bin/env bash
# Which folders may include which (docs/architecture.md), and what only one file may do (CONTRIBUTING.md). Tests may include anything.
set -euo pipefail
cd "$1"

fail() { echo "layers_test: $*" >&2; exit 1; }

# sources FOLDER...: prints the sources of these folders, without tests.
sources() {
  local files
  files=$(find "$@" -name '*.cc' -o -name '*.h' | grep -vE '_test\.(cc|h)$|/test_[a-z_]*\.h$')
  [ -n "$files" ] || fail "no sources in $*"
  echo "$files"
}
# must_not_include FROM TO...: no source of FROM includes a header of TO.
must_not_include() {
  local from=$1 found
  shift
  # shellcheck disable=SC2046
  found=$(grep -nE "^#include \"($(IFS='|'; echo "$*"))/" $(sources $from) || true)
  [ -z "$found" ] || fail "$from must not include $*: $found"
}
must_not_include core runtime suppression ops cli python testing bench
must_not_include runtime suppression ops cli python testing bench
must_not_include suppression ops
must_not_include "cli measure" testing bench

# only FILE PATTERN: no other source of the library matches.
only() {
  local found
  # shellcheck disable=SC2046
  found=$(grep -lE "$2" $(sources core runtime simd suppression ops measure cli python) | grep -vxF "$1" || true)
  grep -qE "$2" "$1" || fail "$1 does not match $2"
  [ -z "$found" ] || fail "only $1 may match '$2': $found"
}
only core/log.cc 'include <spdlog/'
only core/worker_pool.cc 'pthread_create'

# Highway compiles kernels for each instruction set; a flag for all files would end that.
if grep -nE -- '-m(arch|tune|avx|sse)' CMakeLists.txt CMakePresets.json cmake/* */CMakeLists.txt; then
  fail "the lines above set an instruction set for whole files"
fi
