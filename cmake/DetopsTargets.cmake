# Compiler flags of all our targets, and functions that add programs, tests, benchmarks and fuzz targets.

add_library(detops_flags INTERFACE)
target_compile_options(detops_flags INTERFACE
  # The compiler must not fuse multiply and add: decisions are the same on every instruction set.
  -ffp-contract=off
  $<$<COMPILE_LANGUAGE:CXX>:-std=c++20>
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual>
  # GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${DETOPS_WARNINGS_AS_ERRORS}>:-Werror>)
if(DETOPS_SANITIZE)
  # C callers can pass any integer as an enumerator; our checks reject invalid ones.
  target_compile_options(detops_flags INTERFACE
    -fsanitize=${DETOPS_SANITIZE} -fno-sanitize=enum -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(detops_flags INTERFACE -fsanitize=${DETOPS_SANITIZE})
endif()
if(DETOPS_COVERAGE)
  target_compile_options(detops_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(detops_flags INTERFACE --coverage)
endif()
if(DETOPS_SANITIZE OR DETOPS_COVERAGE OR CMAKE_BUILD_TYPE STREQUAL Debug)
  # Tests that take seconds in an optimized build would take minutes: they use fewer inputs here.
  target_compile_definitions(detops_flags INTERFACE DETOPS_SLOW_BUILD)
endif()
if(DETOPS_COVERAGE OR (DETOPS_SANITIZE AND NOT DETOPS_SANITIZE MATCHES fuzzer))
  # The best instruction sets and plain C++ are enough for sanitizers and take half the time. Fuzz targets compare all of them.
  target_compile_definitions(detops_flags INTERFACE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4)")
endif()

# detops_add_program(NAME SOURCES...): adds a program in the build's bin folder.
function(detops_add_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE detops_flags detops_internal)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# detops_add_test(NAME LABEL SOURCES...): adds a GoogleTest program. Each of its tests is a test of ctest.
function(detops_add_test name label)
  detops_add_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE detops_measure detops_testing detops_test_main hwy::hwy_test GTest::gmock GTest::gtest)
  if(DETOPS_SANITIZE OR DETOPS_COVERAGE)
    target_compile_options(${name} PRIVATE -O0)  # compiling tests takes longer than running them
  endif()
  include(GoogleTest)  # in the function: it sets variables that test discovery reads in the caller's scope
  # PRE_TEST: sanitizer options are set by the test preset, not during the build.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${label})
endfunction()

# detops_add_bench(NAME SOURCES...): adds a Google Benchmark program, except in instrumented builds.
function(detops_add_bench name)
  if(DETOPS_SANITIZE OR DETOPS_COVERAGE)
    return()
  endif()
  detops_add_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE detops_measure benchmark::benchmark benchmark::benchmark_main)
endfunction()

# detops_add_fuzz(NAME LABEL SOURCES...): adds a libFuzzer target or, without libFuzzer, a program that replays inputs. ctest runs
# it briefly on testing/corpus/NAME. The target detops_fuzz_targets builds all of them.
function(detops_add_fuzz name label)
  detops_add_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE detops_testing)
  if(NOT TARGET detops_fuzz_targets)
    add_custom_target(detops_fuzz_targets)
  endif()
  add_dependencies(detops_fuzz_targets ${name})
  file(GLOB corpus CONFIGURE_DEPENDS LIST_DIRECTORIES true ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../testing/corpus/${name})
  if(DETOPS_SANITIZE MATCHES fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}.found)  # libFuzzer writes to the first folder
    add_test(NAME ${name}.smoke COMMAND ${name} -runs=2000 ${CMAKE_CURRENT_BINARY_DIR}/${name}.found ${corpus})
  else()
    target_link_libraries(${name} PRIVATE detops_fuzz_replay)
    add_test(NAME ${name}.smoke COMMAND ${name} -generated ${corpus})
  endif()
  set_tests_properties(${name}.smoke PROPERTIES LABELS ${label} ENVIRONMENT DETOPS_LOG_LEVEL=off)
endfunction()
