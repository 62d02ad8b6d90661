# detops_add_ops(NAME...): wires the operators in the folders of these names below the calling CMakeLists.txt. The files of a
# folder say what they are; docs/adding_an_operator.md tells what goes into each.

function(detops_add_ops)
  set(files README.md op.h api.cc run.cc kernel.cc reference.cc cases.h cases.cc command.cc bind.cc
            bench.cc fuzz.cc)
  foreach(op IN LISTS ARGN)
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${op})
    if(NOT op MATCHES "^[a-z][a-z0-9_]*$")
      message(FATAL_ERROR "detops_add_ops: '${op}' cannot name an operator: use lower-case letters, digits and _")
    endif()
    if(NOT IS_DIRECTORY ${folder})
      message(FATAL_ERROR "detops_add_ops: there is no folder ${folder} for the operator ${op}")
    endif()
    get_property(known TARGET detops_objects PROPERTY DETOPS_OPS)
    if(op IN_LIST known)
      message(FATAL_ERROR "detops_add_ops: the operator ${op} is there already")
    endif()
    set(missing "")
    foreach(file IN LISTS files)
      if(NOT EXISTS ${folder}/${file})
        list(APPEND missing ${file})
      endif()
    endforeach()
    if(missing)
      list(JOIN missing ", " missing)
      message(FATAL_ERROR "detops_add_ops: the operator ${op} lacks ${missing} in ${folder} "
                          "(docs/adding_an_operator.md says what belongs there)")
    endif()
    detops_wire_op(${op} ${folder})
  endforeach()
endfunction()

function(detops_wire_op op folder)
  # Sources include each other as "ops/<op>/op.h", wherever the folder lies.
  cmake_path(GET folder PARENT_PATH ops)
  cmake_path(GET ops PARENT_PATH root)

  # Beside the four that every operator has, an operator may have library files of its own.
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/(cases|harness|command|suite|demo|bind|bench|fuzz|test|[a-z0-9_]+_test)\\.cc$")
  target_sources(detops_objects PRIVATE ${sources})
  target_include_directories(detops_objects PRIVATE ${root})
  if(DETOPS_SANITIZE MATCHES fuzzer)
    # With every check in line Clang takes ten minutes a kernel. Here accesses are checked by calls; null, misaligned and wrapping
    # pointers are left to the tests under GCC's sanitizers.
    set_source_files_properties(${folder}/kernel.cc TARGET_DIRECTORY detops_objects PROPERTIES COMPILE_OPTIONS
      "-fno-sanitize=alignment,null,object-size,pointer-overflow;-fno-sanitize-address-use-after-scope;-mllvm;-asan-instrumentation-with-call-threshold=0")
  elseif(DETOPS_SANITIZE MATCHES address)
    # Following the scopes of thousands of inlined vector temporaries takes GCC minutes a kernel.
    set_source_files_properties(${folder}/kernel.cc TARGET_DIRECTORY detops_objects PROPERTIES
      COMPILE_OPTIONS -fno-sanitize-address-use-after-scope)
  endif()
  set_property(TARGET detops_objects APPEND PROPERTY DETOPS_OPS ${op})

  # The command's part, and where it has one the demonstration's.
  if(TARGET detops_command)
    add_library(${op}_cases STATIC ${folder}/cases.cc)
    target_link_libraries(${op}_cases PRIVATE detops_flags PUBLIC detops_suppression_cases)
    target_include_directories(${op}_cases PUBLIC ${root})
    file(GLOB command CONFIGURE_DEPENDS ${folder}/command.cc ${folder}/suite.cc ${folder}/demo.cc)
    target_sources(detops_command PRIVATE ${command})
    target_link_libraries(detops_command PUBLIC ${op}_cases)
  endif()
  if(TARGET _detops)
    target_sources(_detops PRIVATE ${folder}/bind.cc)
    target_include_directories(_detops PRIVATE ${root})
  endif()
  if(DETOPS_DEVELOPER)
    # Runs cases on guarded memory, where an operator has such a harness.
    set(cases ${op}_cases)
    if(EXISTS ${folder}/harness.cc)
      add_library(${op}_harness STATIC ${folder}/harness.cc)
      target_link_libraries(${op}_harness PRIVATE detops_flags PUBLIC ${op}_cases detops_testing)
      set(cases ${op}_harness)
    endif()
    file(GLOB tests CONFIGURE_DEPENDS ${folder}/test.cc ${folder}/*_test.cc)
    detops_add_test(${op}_test ${op} ${tests})
    detops_add_bench(${op}_bench ${folder}/bench.cc)
    detops_add_fuzz(${op}_fuzz ${op} ${folder}/fuzz.cc)
    foreach(program IN ITEMS test bench fuzz)
      if(TARGET ${op}_${program})
        target_link_libraries(${op}_${program} PRIVATE ${cases})
      endif()
    endforeach()
  endif()
endfunction()
