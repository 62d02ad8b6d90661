#!/usr/bin/env bash
# Runs clang-tidy: tidy.sh BUILD BASE JOBS. Checks the sources that changed since the commit BASE, and those that
# include a header that changed, directly. Checks all sources when BASE is empty.
#
# The version is that of PyPI, in an environment below BUILD: it skips system headers, which takes a third of the time of
# Debian's, and its findings do not change with the machine.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 base=$2 jobs=$3
version=23.1.4
tidy=$build/clang-tidy-$version/bin/clang-tidy

if [ ! -x "$tidy" ]; then
  python3 -m venv --clear "$build/clang-tidy-$version"
  "$build/clang-tidy-$version/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 30 "clang-tidy==$version" ||
    { echo "tidy.sh: clang-tidy $version cannot be installed from PyPI" >&2; exit 1; }
fi

all=$(sed -n 's|^ *"file": "\(.*\)".*|\1|p' "$build/compile_commands.json" | grep -v "^$PWD/build/" | sort -u)
if [ -n "$base" ]; then
  changed=$(git diff --name-only "$base" -- '*.cc' '*.h' '*.hpp' '*.c')
  headers=$(grep -E '\.(h|hpp)$' <<<"$changed" | sed 's|^include/||' || true)
  includers=$([ -z "$headers" ] || git grep -lF "$(sed 's|.*|#include "&"|' <<<"$headers")" -- '*.cc' || true)
  chosen=$(printf '%s\n%s\n' "$changed" "$includers" | sed "s|^|$PWD/|" | sort -u)
  all=$(comm -12 <(echo "$all") <(echo "$chosen"))
fi
echo "clang-tidy: $(grep -c . <<<"$all" || true) files"
[ -z "$all" ] || xargs -P "$jobs" -n 1 "$tidy" --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option \
  --extra-arg=-Wno-deprecated-declarations <<<"$all" 2>/dev/null
