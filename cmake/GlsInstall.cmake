# What `cmake --install` puts where: library, headers, command, pkg-config and CMake package files.
include(CMakePackageConfigHelpers)

install(TARGETS gls EXPORT glsTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(GLS_BUILD_TOOLS)
  install(TARGETS gls_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gls)
install(EXPORT glsTargets NAMESPACE gls:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/glsConfig.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/glsConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor release may break the ABI.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/glsConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/glsConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/glsConfigVersion.cmake
        DESTINATION ${package_dir})

configure_file(${CMAKE_CURRENT_LIST_DIR}/gls.pc.in ${CMAKE_CURRENT_BINARY_DIR}/gls.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gls.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
