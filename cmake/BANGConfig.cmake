# Lets projects that were written for MLU-OPS say find_package(BANG) and link mluops, cnrt and cndrv: host code builds unchanged
# against detops. There is no compiler for device code (.mlu files).
#
# Defines the targets mluops, cnrt and cndrv, unless the project has its own, and the variables BANG_INCLUDE_DIRS, BANG_LIBRARIES
# and BANG_LIBRARY. BANG_CNCC_EXECUTABLE is not found.

find_package(detops CONFIG REQUIRED QUIET PATHS "${CMAKE_CURRENT_LIST_DIR}/../detops" NO_DEFAULT_PATH)

foreach(name IN ITEMS mluops cnrt cndrv)
  if(NOT TARGET ${name})
    add_library(${name} INTERFACE IMPORTED)
    set_target_properties(${name} PROPERTIES INTERFACE_LINK_LIBRARIES detops::detops)
  endif()
endforeach()

set(BANG_FOUND TRUE)
get_target_property(BANG_INCLUDE_DIRS detops::detops INTERFACE_INCLUDE_DIRECTORIES)
set(BANG_LIBRARIES detops::detops)
set(BANG_LIBRARY detops::detops)
set(BANG_CNCC_EXECUTABLE BANG_CNCC_EXECUTABLE-NOTFOUND)

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
