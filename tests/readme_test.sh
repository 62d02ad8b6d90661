#!/usr/bin/env bash
# The C and C++ examples and the commands of README.md run.
set -euo pipefail
source_dir=$1
build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes each ```c and ```cpp block to a file.
awk -v work="$work" '
  /^```(c|cpp)$/ { n++; file = work "/" n "." ($0 == "```c" ? "c" : "cc"); next }
  /^```/ { file = "" }
  file { print > file }' "$source_dir/README.md"

shopt -s nullglob
examples=("$work"/*.c "$work"/*.cc)
[ ${#examples[@]} -ge 2 ] || { echo "readme_test: README.md has no example in C or none in C++" >&2; exit 1; }
for example in "${examples[@]}"; do
  compiler=(cc -std=c99)
  [[ $example == *.cc ]] && compiler=(c++ -std=c++17)
  "${compiler[@]}" -Wall -Wextra -Werror "$example" -o "$example.bin" -I"$source_dir/include" -L"$build_dir" -ldetops
  LD_LIBRARY_PATH=$build_dir "$example.bin" || { echo "readme_test: $(basename "$example") of README.md failed" >&2; exit 1; }
done

# Runs all ```sh blocks as one script.
awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source_dir/README.md" >"$work/commands.sh"
[ -s "$work/commands.sh" ] || { echo "readme_test: README.md has no commands" >&2; exit 1; }
(cd "$work" && PATH=$build_dir/bin:$PATH bash -e commands.sh) >"$work/log" 2>&1 ||
  { cat "$work/log"; echo "readme_test: the commands of README.md failed" >&2; exit 1; }

# Every make target in README.md exists.
grep -oE '^ *make [a-z]+' "$source_dir/README.md" | awk '{ print $2 }' | sort -u | while read -r target; do
  grep -q "^$target:" "$source_dir/Makefile" || { echo "readme_test: there is no 'make $target'" >&2; exit 1; }
done
