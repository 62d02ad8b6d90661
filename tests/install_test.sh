#!/usr/bin/env bash
# Installs to a temporary prefix, then builds and runs C and C++ programs against it with CMake, pkg-config and plain link lines.
set -euo pipefail
source_dir=$1
build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() { echo "install_test: $*" >&2; exit 1; }

cmake --install "$build_dir" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name libdetops.so)")
for file in include/mlu_op.h include/cnrt.h include/cn_api.h include/detops/detops.hpp bin/detops share/man/man1/detops.1 \
            share/bash-completion/completions/detops share/fish/vendor_completions.d/detops.fish share/zsh/site-functions/_detops; do
  [ -e "$prefix/$file" ] || fail "$file is not installed"
done
for name in mluops cnrt cndrv; do
  [ "$(readlink "$libdir/lib$name.so")" = libdetops.so ] || fail "lib$name.so is not a link to libdetops.so"
done
version=$("$prefix/bin/detops" --version)
[ -f "$libdir/libdetops.so.$version" ] || fail "there is no libdetops.so.$version"

# The installed tree can be moved: it must not contain the path of the build or of the prefix.
mv "$prefix" "$work/moved"
libdir=$work/moved${libdir#"$prefix"}
prefix=$work/moved
if grep -rlF -e "$work/prefix" -e "$build_dir" -e "$source_dir" "$prefix/include" "$libdir/cmake" "$libdir/pkgconfig"; then
  fail "the files above contain a path of the build"
fi

# 1. find_package, with every example.
mkdir "$work/project"
cp "$source_dir"/examples/c/*.c "$source_dir"/examples/cpp/*.cc "$work/project"
cat >"$work/project/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.24)
project(consumer LANGUAGES C CXX)
find_package(detops CONFIG REQUIRED)
file(GLOB sources *.c *.cc)
foreach(source IN LISTS sources)
  cmake_path(GET source FILENAME name)
  string(MAKE_C_IDENTIFIER ${name} program)
  add_executable(${program} ${source})
  target_link_libraries(${program} PRIVATE detops::detops)
  add_custom_command(TARGET ${program} POST_BUILD COMMAND ${program})
endforeach()
EOF
cmake -S "$work/project" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
  cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; fail "the examples do not build and run"; }
for op in bbox_overlaps border_align_forward generate_proposals_v2 poly_nms psroipool_forward; do
  [ -x "$work/build/${op}_c" ] && [ -x "$work/build/${op}_cc" ] || fail "examples of $op are missing"
done

# 2. pkg-config
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion detops)" = "$version" ] || fail "pkg-config reports another version"
for example in "$work"/project/*.c; do
  # shellcheck disable=SC2046
  cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$example" -o "$work/by_pkg_config" $(pkg-config --cflags --libs detops)
  LD_LIBRARY_PATH=$libdir "$work/by_pkg_config" || fail "$(basename "$example") built with pkg-config failed"
done

# 3. A link line with the names of the MLU-OPS libraries. The program must then need libdetops only.
for op in bbox_overlaps border_align_forward generate_proposals_v2 poly_nms psroipool_forward; do
  c++ -std=c++17 -Wall -Wextra -Werror "$work/project/$op.cc" -o "$work/by_mluops_names" -I"$prefix/include" -L"$libdir" -lmluops -lcnrt -lcndrv
  LD_LIBRARY_PATH=$libdir "$work/by_mluops_names" || fail "$op.cc built with the MLU-OPS names failed"
  if readelf -d "$work/by_mluops_names" | grep -E 'NEEDED.*(mluops|cnrt|cndrv)'; then
    fail "$op.cc built with the MLU-OPS names needs the MLU-OPS libraries"
  fi
done
