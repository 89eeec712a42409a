# What `cmake --install` puts where: library, headers, command, pkg-config and CMake package files. The
# components are the packages of a distribution: runtime, development, tools, and each plugin.
include(CMakePackageConfigHelpers)

if(GLS_STATIC)
  # What the archive does not contain, apart from the folder of the distribution's own.
  install(FILES ${URING_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR}/gls COMPONENT development)
endif()
install(TARGETS gls EXPORT glsTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
                NAMELINK_COMPONENT development
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
if(TARGET gls_tcp)
  # In a folder below the library's, where it is looked for: nobody links it.
  install(TARGETS gls_tcp LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gls COMPONENT tcp)
endif()
foreach(part ucx ofi cuda)
  if(TARGET gls_${part})
    install(TARGETS gls_${part} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gls COMPONENT ${part})
  endif()
endforeach()
if(TARGET gls_formats)
  get_target_property(made gls_formats MADE)
  install(FILES ${made} DESTINATION ${CMAKE_INSTALL_LIBDIR}/gls COMPONENT formats)
endif()
if(GLS_BUILD_TOOLS)
  install(TARGETS gls_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gls)
install(EXPORT glsTargets NAMESPACE gls:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/glsConfig.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/glsConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor release may break the ABI.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/glsConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/glsConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/glsConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

# Relative to the file itself, so that `cmake --install --prefix` and moved trees work.
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
  set(pc_prefix "\${pcfiledir}/${to_prefix}")
endif()
foreach(which libdir includedir)
  string(TOUPPER ${which} variable)
  set(pc_${which} ${CMAKE_INSTALL_${variable}})
  if(NOT IS_ABSOLUTE ${pc_${which}})
    set(pc_${which} "\${prefix}/${pc_${which}}")
  endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/gls.pc.in ${CMAKE_CURRENT_BINARY_DIR}/gls.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gls.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
