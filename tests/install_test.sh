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
if [ "$(basename "$libdir")" != lib64 ]; then
  [ "$prefix/$(readlink "$prefix/lib64")" = "$libdir" ] || fail "lib64 is not a relative link to $libdir"
  # A folder lib64 that exists stays as it is, and so does a link.
  mkdir -p "$work/other/lib64" "$work/linked"
  ln -s elsewhere "$work/linked/lib64"
  for other in "$work/other" "$work/linked"; do
    cmake --install "$build_dir" --prefix "$other" >/dev/null
  done
  [ ! -L "$work/other/lib64" ] && [ -z "$(ls -A "$work/other/lib64")" ] || fail "the folder lib64 was changed"
  [ "$(readlink "$work/linked/lib64")" = elsewhere ] || fail "the link lib64 was changed"
fi
version=$("$prefix/bin/detops" --version)
[ -f "$libdir/libdetops.so.$version" ] || fail "there is no libdetops.so.$version"

# The installed tree can be moved: it must not contain the path of the build or of the prefix.
mv "$prefix" "$work/moved"
libdir=$work/moved${libdir#"$prefix"}
prefix=$work/moved
if grep -rlF -e "$work/prefix" -e "$build_dir" -e "$source_dir" "$prefix/include" "$libdir/cmake" "$libdir/pkgconfig" "$prefix/cmake"; then
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

# 3. A link line with the folder and the names of the MLU-OPS libraries. The program must then need libdetops only.
for op in bbox_overlaps border_align_forward generate_proposals_v2 poly_nms psroipool_forward; do
  c++ -std=c++17 -Wall -Wextra -Werror "$work/project/$op.cc" -o "$work/by_mluops_names" -I"$prefix/include" -L"$prefix/lib64" -lmluops -lcnrt -lcndrv
  LD_LIBRARY_PATH=$prefix/lib64 "$work/by_mluops_names" || fail "$op.cc built with the MLU-OPS names failed"
  if readelf -d "$work/by_mluops_names" | grep -E 'NEEDED.*(mluops|cnrt|cndrv)'; then
    fail "$op.cc built with the MLU-OPS names needs the MLU-OPS libraries"
  fi
done

# 4. A project for MLU-OPS: find_package(BANG), then the names of the MLU-OPS libraries.
mkdir "$work/bang"
cp "$work/project/bbox_overlaps.c" "$work/bang"
cat >"$work/bang/cxx11.cc" <<'EOF'
#include "mlu_op.h"

#if __cplusplus != 201103L
#error "find_package(BANG) changed the standard"
#endif

int main() {
  mluOpHandle_t handle = nullptr;
  cnrtQueue_t queue = nullptr;
  CNRT_CHECK(cnrtQueueCreate(&queue));
  const bool ok = mluOpCreate(&handle) == MLUOP_STATUS_SUCCESS && mluOpSetQueue(handle, queue) == MLUOP_STATUS_SUCCESS &&
                  mluOpDestroy(handle) == MLUOP_STATUS_SUCCESS;
  CNRT_CHECK(cnrtQueueDestroy(queue));
  return ok ? 0 : 1;
}
EOF
cat >"$work/bang/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.18)
project(for_mluops LANGUAGES C CXX)
if(DEFINED ENV{NEUWARE_HOME})
  include_directories("$ENV{NEUWARE_HOME}/include")
  link_directories("$ENV{NEUWARE_HOME}/lib64")
  list(APPEND CMAKE_MODULE_PATH "$ENV{NEUWARE_HOME}/cmake/modules")
endif()
find_package(BANG)
if(NOT BANG_FOUND)
  message(FATAL_ERROR "BANG was not found")
endif()
if(NOT BANG_CNCC_EXECUTABLE OR NOT EXISTS "${BANG_INCLUDE_DIRS}/mlu_op.h")
  message(FATAL_ERROR "cncc is ${BANG_CNCC_EXECUTABLE}, the headers are in ${BANG_INCLUDE_DIRS}")
endif()
execute_process(COMMAND "${BANG_CNCC_EXECUTABLE}" kernels.mlu RESULT_VARIABLE result ERROR_VARIABLE reason)
if(result EQUAL 0 OR NOT reason MATCHES "cannot compile device code")
  message(FATAL_ERROR "cncc returned ${result}: ${reason}")
endif()
if(DEVICE_CODE)
  cmake_language(CALL ${DEVICE_CODE} kernels kernels.mlu)
endif()
bang_include_directories(include)
set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -Werror -std=c++11")
add_executable(c_program bbox_overlaps.c)
add_executable(cc_program cxx11.cc)
foreach(program IN ITEMS c_program cc_program)
  target_link_libraries(${program} mluops cnrt cndrv)
  add_custom_command(TARGET ${program} POST_BUILD COMMAND ${program})
endforeach()
EOF
# bang_project OPTIONS...: configures and builds the project, which runs its programs.
bang_project() {
  rm -rf "$work/bang_build"
  cmake -S "$work/bang" -B "$work/bang_build" "$@" >"$work/log" 2>&1 && cmake --build "$work/bang_build" >>"$work/log" 2>&1
}
bang_project -DCMAKE_PREFIX_PATH="$prefix" || { cat "$work/log"; fail "find_package(BANG) by CMAKE_PREFIX_PATH failed"; }
bang_project -DCMAKE_MODULE_PATH="$prefix/cmake/modules" || { cat "$work/log"; fail "find_package(BANG) by CMAKE_MODULE_PATH failed"; }
NEUWARE_HOME=$prefix bang_project || { cat "$work/log"; fail "find_package(BANG) by NEUWARE_HOME failed"; }
for function in bang_add_library bang_add_executable; do
  ! bang_project -DCMAKE_PREFIX_PATH="$prefix" -DDEVICE_CODE=$function || fail "$function did not end the configuration"
  tr -s '\n ' ' ' <"$work/log" | grep -q "$function(kernels): detops runs on CPUs and cannot compile device code" ||
    { cat "$work/log"; fail "$function does not print the reason"; }
done
