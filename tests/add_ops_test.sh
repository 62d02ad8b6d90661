#!/usr/bin/env bash
# detops_add_ops adds an operator from a folder outside the source tree. If a file is missing, the configuration fails and names it.
set -euo pipefail
source_dir=$1
build_dir=$2
# Outside the source tree. The same path every time, so that the compiler cache works.
work=${TMPDIR:-/tmp}/detops_add_ops_test.$(id -u).$(cksum <<<"$build_dir" | cut -d ' ' -f 1)
rm -rf "$work"
mkdir -m 700 "$work"
trap 'rm -rf "$work"' EXIT
cp -r "$source_dir/tests/add_ops" "$work/project"
ops=$work/project/ops

fail() { echo "add_ops_test: $*" >&2; exit 1; }

configure() {
  cmake -G Ninja -S "$work/project" -B "$work/build" -DDETOPS_SOURCE_DIR="$source_dir" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" >"$work/log" 2>&1
}
expect_refusal() { # TEXT: the configuration must fail with this message.
  if configure; then
    fail "the configuration succeeded; expected: $1"
  fi
  tr -s ' \n' '  ' <"$work/log" | grep -F "$1" >/dev/null || { cat "$work/log"; fail "expected the message: $1"; }
}

# Invalid names and missing files.
add() { echo "detops_add_ops($*)" >"$ops/CMakeLists.txt"; }
add Scale-Boxes && expect_refusal "'Scale-Boxes' cannot name an operator"
add no_such_op && expect_refusal "there is no folder $ops/no_such_op for the operator no_such_op"
add scale_boxes scale_boxes && expect_refusal "the operator scale_boxes was added already"
add scale_boxes
for file in README.md op.h api.cc run.cc kernel.cc reference.cc cases.h cases.cc command.cc suite.cc bind.cc bench.cc fuzz.cc; do
  mv "$ops/scale_boxes/$file" "$work/hidden"
  expect_refusal "the operator scale_boxes lacks $file in $ops/scale_boxes"
  mv "$work/hidden" "$ops/scale_boxes/$file"
done
mkdir "$work/tests"
for file in "$ops"/scale_boxes/test.cc "$ops"/scale_boxes/*_test.cc; do
  [ ! -e "$file" ] || mv "$file" "$work/tests"
done
expect_refusal "the operator scale_boxes lacks *_test.cc in $ops/scale_boxes"
mv "$work"/tests/* "$ops/scale_boxes"

# With all files, the operator is in the library and the command, and has tests, a benchmark and a fuzz target.
configure || { cat "$work/log"; fail "does not configure"; }
cmake --build "$work/build" --target detops detops_cli scale_boxes_test scale_boxes_bench scale_boxes_fuzz >"$work/log" 2>&1 ||
  { tail -40 "$work/log"; fail "does not build"; }
nm -D --defined-only "$work/build/detops/libdetops.so" | grep ' mluOpScaleBoxes$' >/dev/null || fail "the library does not export it"
"$work/build/bin/detops" list | grep -E '^scale_boxes +every coordinate times a factor$' >/dev/null || fail "the command does not list it"
# The command describes, writes, runs and times its cases.
detops=$work/build/bin/detops
"$detops" list scale_boxes | grep -F mluOpScaleBoxes >/dev/null || fail "the command does not describe it"
"$detops" gen scale_boxes --suite -o "$work/suite" >"$work/log" 2>&1 || { cat "$work/log"; fail "the command does not write its suite"; }
grep -q '^scale_boxes_param' "$work/suite/scale_boxes/boxes_7.prototxt" || fail "case files lack its parameters"
"$detops" run "$work/suite" >"$work/log" 2>&1 || { cat "$work/log"; fail "its cases do not pass"; }
grep -q '^3 of 3 cases passed' "$work/log" || { cat "$work/log"; fail "not all its cases ran"; }
"$detops" bench scale_boxes --seconds 0 --json "$work/bench.json" >"$work/log" 2>&1 || { cat "$work/log"; fail "the command cannot time it"; }
(cd "$work/build" && ctest -R 'ScaleBoxes|scale_boxes' --no-tests=error --output-on-failure) >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "its tests fail"; }
grep -q 'scale_boxes_fuzz.smoke' "$work/log" || fail "the fuzz target did not run"
for target in $(sed -n '/"simd_targets": \[/,/\]/s/^ *"\([A-Z0-9_]*\)",\{0,1\}$/\1/p' "$work/bench.json"); do
  grep -q "EqualsTheReference/$target " "$work/log" || fail "the tests did not run on $target"
done
"$work/build/bin/scale_boxes_bench" --benchmark_filter=/1000/ >"$work/log" 2>&1 || { cat "$work/log"; fail "the benchmark fails"; }
