#!/usr/bin/env bash
# Runs clang-tidy: tidy.sh BUILD BASE JOBS. Checks the sources that changed since the commit BASE, and those that
# include a header that changed, directly. Checks all sources when BASE is empty.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 base=$2 jobs=$3

all=$(sed -n 's|^ *"file": "\(.*\)".*|\1|p' "$build/compile_commands.json" | grep -v "^$PWD/build/" | sort -u)
if [ -n "$base" ]; then
  changed=$(git diff --name-only "$base" -- '*.cc' '*.h' '*.hpp' '*.c')
  headers=$(grep -E '\.(h|hpp)$' <<<"$changed" | sed 's|^include/||' || true)
  includers=$([ -z "$headers" ] || git grep -lF "$(sed 's|.*|#include "&"|' <<<"$headers")" -- '*.cc' || true)
  chosen=$(printf '%s\n%s\n' "$changed" "$includers" | sed "s|^|$PWD/|" | sort -u)
  all=$(comm -12 <(echo "$all") <(echo "$chosen"))
fi
echo "clang-tidy: $(grep -c . <<<"$all" || true) files"
[ -z "$all" ] || xargs -P "$jobs" -n 1 clang-tidy-14 --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option <<<"$all" 2>/dev/null
