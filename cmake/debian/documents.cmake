# Run by CPack on the files to be packed: adds the documents of each package, and gives every file the time
# of the release, which SOURCE_DATE_EPOCH has.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  message(FATAL_ERROR "SOURCE_DATE_EPOCH is not set: scripts/package.sh does it")
endif()

# write_compressed FILE TEXT: as FILE.gz, without a time in it.
function(write_compressed file text)
  file(WRITE ${file} "${text}")
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(here ${CMAKE_CURRENT_LIST_DIR})
# "%a" and "%b" are those of the C locale, as Debian wants them.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(documents ${usr}/share/doc/${package})

  file(MAKE_DIRECTORY ${documents})
  configure_file(${here}/copyright ${documents}/copyright COPYONLY)
  file(READ ${CPACK_GLS_SOURCE_DIR}/CHANGELOG.md changes)
  write_compressed(${documents}/changelog "${changes}")
  write_compressed(
    ${documents}/changelog.Debian
    "gls (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; see changelog.gz.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
  file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
  configure_file(${here}/${component}.overrides ${usr}/share/lintian/overrides/${package} COPYONLY)

  execute_process(COMMAND chmod -R u=rwX,go=rX ${usr} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY}/${component}
                          -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
