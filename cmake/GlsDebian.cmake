# Debian packages by CPack: libgls0, its plugins, libgls-dev and gls-tools. scripts/package.sh builds them; by hand:
#
#   cmake -S . -B build/deb -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_SKIP_INSTALL_RPATH=ON -DGLS_BUILD_TESTS=OFF
#   cmake --build build/deb && (cd build/deb && SOURCE_DATE_EPOCH=$(date +%s) cpack -G DEB)
set(CPACK_PACKAGE_NAME gls)
set(CPACK_PACKAGE_VENDOR "The GLS authors")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL runtime tcp metis development tools)
foreach(part ucx ofi cuda formats)
  if(TARGET gls_${part})
    list(APPEND CPACK_COMPONENTS_ALL ${part})
  endif()
endforeach()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
                                                GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The GLS authors <gls@localhost>")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The interface of a release before 1.0 is that of its minor version alone.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY =)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)

# Each package has a summary of its own, the first line of its description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(about "Samples mini-batches from graphs of billions of edges and gathers their
features, in the background, for training graph neural networks.
.")

set(library libgls${PROJECT_VERSION_MAJOR})
set(same_version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "${library}-tcp (= ${same_version})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "${library}-formats (= ${same_version}), ${library}-metis (= ${same_version}), ${library}-ucx (= ${same_version}), ${library}-ofi (= ${same_version})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "graph loading and sampling (library)
${about}
This package has the shared library.")

set(CPACK_DEBIAN_TCP_PACKAGE_NAME ${library}-tcp)
set(CPACK_DEBIAN_TCP_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_TCP_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TCP_PACKAGE_DEPENDS "${library} (= ${same_version})")
set(CPACK_COMPONENT_TCP_DESCRIPTION "graph loading and sampling (network)
${about}
This package is needed to serve graphs, and to open graphs that are served.")

set(CPACK_DEBIAN_METIS_PACKAGE_NAME ${library}-metis)
set(CPACK_DEBIAN_METIS_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_METIS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_METIS_PACKAGE_DEPENDS "${library} (= ${same_version})")
set(CPACK_COMPONENT_METIS_DESCRIPTION "graph loading and sampling (METIS)
${about}
This package is needed to cut graphs by METIS.")

set(CPACK_DEBIAN_FORMATS_PACKAGE_NAME ${library}-formats)
set(CPACK_DEBIAN_FORMATS_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_FORMATS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FORMATS_PACKAGE_DEPENDS "${library} (= ${same_version})")
set(CPACK_COMPONENT_FORMATS_DESCRIPTION "graph loading and sampling (formats)
${about}
This package is needed to import recipes, Parquet, and the datasets of other
systems.")

# UCX is loaded by name when it is asked for, where dpkg-shlibdeps does not see it.
set(CPACK_DEBIAN_UCX_PACKAGE_NAME ${library}-ucx)
set(CPACK_DEBIAN_UCX_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_UCX_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_UCX_PACKAGE_DEPENDS "${library}-tcp (= ${same_version}), libucx0 (>= 1.13)")
set(CPACK_COMPONENT_UCX_DESCRIPTION "graph loading and sampling (UCX)
${about}
This package is needed to move what is served over fabrics with RDMA.")

# So is libfabric.
set(CPACK_DEBIAN_OFI_PACKAGE_NAME ${library}-ofi)
set(CPACK_DEBIAN_OFI_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_OFI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_OFI_PACKAGE_DEPENDS "${library}-tcp (= ${same_version}), libfabric1 (>= 1.17)")
set(CPACK_COMPONENT_OFI_DESCRIPTION "graph loading and sampling (libfabric)
${about}
This package is needed to move what is served over fabrics that libfabric
has providers for.")

# The driver is loaded by name, too, and is no package of Debian's main section.
set(CPACK_DEBIAN_CUDA_PACKAGE_NAME ${library}-cuda)
set(CPACK_DEBIAN_CUDA_PACKAGE_SECTION contrib/libs)
set(CPACK_DEBIAN_CUDA_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "${library} (= ${same_version})")
set(CPACK_COMPONENT_CUDA_DESCRIPTION "graph loading and sampling (CUDA)
${about}
This package is needed to sample and to gather on GPUs of NVIDIA, and needs
their driver.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libgls-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library} (= ${same_version})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "graph loading and sampling (development files)
${about}
This package has the headers for C and C++, and files for pkg-config and
CMake.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME gls-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${library} (= ${same_version})")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "graph loading and sampling (command)
${about}
This package has the command gls, which imports, inspects, verifies, samples
and measures graphs.")

# Licence, changelogs and overrides, where Debian wants them.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/documents.cmake)
set(CPACK_GLS_SOURCE_DIR ${PROJECT_SOURCE_DIR})
include(CPack)
