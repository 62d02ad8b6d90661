# Lets projects that were written for MLU-OPS say find_package(BANG) and link mluops, cnrt and cndrv: host code builds unchanged
# against detops. There is no compiler for device code (.mlu files).
#
# Defines the targets mluops, cnrt and cndrv, unless the project has its own, and the variables BANG_INCLUDE_DIRS, BANG_LIBRARIES
# and BANG_LIBRARY. Projects refuse to configure without BANG_CNCC_EXECUTABLE, so it exists; it fails with the reason.

find_package(detops CONFIG REQUIRED QUIET PATHS "${CMAKE_CURRENT_LIST_DIR}/../detops" NO_DEFAULT_PATH)

get_target_property(BANG_INCLUDE_DIRS detops::detops INTERFACE_INCLUDE_DIRECTORIES)
# By path, not as detops::detops: that target requires C++17, and these projects are C++11.
foreach(name IN ITEMS mluops cnrt cndrv)
  if(NOT TARGET ${name})
    add_library(${name} INTERFACE IMPORTED)
    set_target_properties(${name} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${BANG_INCLUDE_DIRS}"
      INTERFACE_LINK_LIBRARIES $<TARGET_FILE:detops::detops>)
  endif()
endforeach()

set(BANG_FOUND TRUE)
set(BANG_LIBRARIES mluops cnrt cndrv)
set(BANG_LIBRARY mluops)
set(BANG_CNCC_EXECUTABLE "${CMAKE_CURRENT_LIST_DIR}/cncc")

# Include folders matter only to the compiler of device code.
function(bang_include_directories)
endfunction()

# Every function that would compile device code ends the configuration.
foreach(name IN ITEMS bang_add_library bang_add_executable bang_compile bang_wrap_srcs)
  cmake_language(EVAL CODE "
    function(${name} target)
      message(FATAL_ERROR \"${name}(\${target}): detops runs on CPUs and cannot compile device code (.mlu files). \"
                          \"Build host code with add_library or add_executable.\")
    endfunction()")
endforeach()
