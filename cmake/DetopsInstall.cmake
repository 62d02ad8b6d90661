# Installs the library, headers, command, CMake package and pkg-config file.

include(CMakePackageConfigHelpers)

install(TARGETS detops EXPORT detops-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(DETOPS_COMMAND)
  install(TARGETS detops_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(texts ${CMAKE_CURRENT_BINARY_DIR}/cli)
  install(FILES ${texts}/detops.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${texts}/detops.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME detops)
  install(FILES ${texts}/detops.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${texts}/detops.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _detops)
endif()
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Links with the names of the MLU-OPS libraries, for programs that link with -lmluops, -lcnrt or -lcndrv. Only the linker uses them:
# the program records the soname of libdetops.
set(links ${CMAKE_CURRENT_BINARY_DIR}/links)
foreach(name IN ITEMS mluops cnrt cndrv)
  file(MAKE_DIRECTORY ${links})
  file(CREATE_LINK libdetops.so ${links}/lib${name}.so SYMBOLIC)
  install(FILES ${links}/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

# The folder in which programs for MLU-OPS look for libraries, unless the prefix has one.
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT CMAKE_INSTALL_LIBDIR STREQUAL lib64)
  install(CODE "
    set(lib64 \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib64\")
    if(NOT EXISTS \"\${lib64}\" AND NOT IS_SYMLINK \"\${lib64}\")
      message(STATUS \"Installing: \${lib64} -> ${CMAKE_INSTALL_LIBDIR}\")
      file(CREATE_LINK \"${CMAKE_INSTALL_LIBDIR}\" \"\${lib64}\" SYMBOLIC)
    endif()")
endif()

# find_package(BANG), through CMAKE_PREFIX_PATH or, as in the folder NEUWARE_HOME of MLU-OPS, through the module in cmake/modules.
set(bang_dir ${CMAKE_INSTALL_LIBDIR}/cmake/BANG)
install(FILES cmake/BANGConfig.cmake DESTINATION ${bang_dir})
install(PROGRAMS cmake/cncc.sh DESTINATION ${bang_dir} RENAME cncc)
set(module_dir cmake/modules)
file(RELATIVE_PATH DETOPS_BANG_DIR /${module_dir} /${bang_dir})
configure_file(cmake/FindBANG.cmake.in FindBANG.cmake @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/FindBANG.cmake DESTINATION ${module_dir})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/detops)
install(EXPORT detops-targets NAMESPACE detops:: FILE detops-config.cmake DESTINATION ${package_dir})
write_basic_package_version_file(detops-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/detops-config-version.cmake DESTINATION ${package_dir})

# A relative prefix, so that the installed tree can be moved.
file(RELATIVE_PATH DETOPS_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/detops.pc.in detops.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/detops.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
