#!/usr/bin/env bash
# The shared library exports every function that the headers declare and no symbols of other libraries. It imports no function that
# opens a connection or starts a process.
set -euo pipefail
source_dir=$1
build_dir=$2
library=$build_dir/libdetops.so

exported=$(nm -D --defined-only "$library" | awk '{ print $3 }')
foreign=$(c++filt <<<"$exported" |
  grep -vE '^(mluOp|cnrt|detops)[A-Za-z0-9_]+$|^detops::|^(typeinfo|typeinfo name|vtable) for detops::' || true)
if [ -n "$foreign" ]; then
  echo "exported, but not part of the API:" >&2
  echo "$foreign" >&2
  exit 1
fi

declared=$(grep -ohE '\b(mluOp|cnrt|detops)[A-Z][A-Za-z0-9_]*\(' "$source_dir"/include/*.h | tr -d '(' | sort -u)
[ "$(wc -l <<<"$declared")" -gt 60 ] || { echo "no declarations found in the headers" >&2; exit 1; }
missing=$(comm -23 <(echo "$declared") <(sort -u <<<"$exported"))
if [ -n "$missing" ]; then
  echo "declared, but not exported:" >&2
  echo "$missing" >&2
  exit 1
fi

# The soname has the major and the minor version: before 1.0, every minor version may change the ABI.
version=$(sed -n 's/^project(detops VERSION \([0-9]*\.[0-9]*\)\..*/\1/p' "$source_dir/CMakeLists.txt")
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = "libdetops.so.$version" ] || { echo "the soname is $soname" >&2; exit 1; }

# Thread-local data: at most 16 bytes, which every thread has from its start. The C library ends a process that has no memory
# for more.
bytes=$(($(readelf -lW "$library" | awk '$1 == "TLS" { print $6; found = 1 } END { if (!found) print 0 }')))
[ "$bytes" -le 16 ] || { echo "the library has $bytes bytes of thread-local data; at most 16 are allowed" >&2; exit 1; }
# (Data of the C++ library is its own.)
if readelf -rW "$library" | grep -E 'DTPMOD|TLSDESC' | grep -v '@GLIBCXX'; then
  echo "thread-local data that is allocated with its first use; it must be initial-exec" >&2
  exit 1
fi

# The library itself opens no connection and starts no process.
imported=$(nm -D --undefined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' |
  grep -E '^(socket|socketpair|connect|bind|listen|accept4?|getaddrinfo|fork|vfork|clone3?|exec[lv].*|fexecve|posix_spawnp?|popen|system|dlopen)$' || true)
if [ -n "$imported" ]; then
  echo "imported, but the library must not open connections, start processes or load libraries:" >&2
  echo "$imported" >&2
  exit 1
fi
