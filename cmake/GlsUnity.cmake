# gls_unity(OUT NAME ROOT ALONE SOURCE...): what to compile in place of these files: files that include several
# of them, as most of the work is in the headers that they share. No two of them have one name for different
# things, then. Those whose path from ROOT on matches the regular expression ALONE stay as they are. What is made
# lies at one place in every build folder and names files from ROOT on, so that a compiler cache knows what another
# build has compiled.
option(GLS_UNITY "Compile several files at once: a whole build takes less than half of the time" ON)
function(gls_unity out name root alone)
  set(most 12)
  set(compiled "")
  set(at 0)
  foreach(source ${ARGN})
    file(RELATIVE_PATH path ${root} ${source})
    if(NOT GLS_UNITY OR path MATCHES "${alone}")
      list(APPEND compiled ${source})
      continue()
    endif()
    math(EXPR batch "${at} / ${most}")
    math(EXPR at "${at} + 1")
    string(APPEND text_${batch} "#include \"${path}\"\n")
  endforeach()
  set(batch 0)
  while(DEFINED text_${batch})
    set(file ${CMAKE_BINARY_DIR}/gls-generated/unity/${name}-${batch}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_${batch}}" @ONLY)
    list(APPEND compiled ${file})
    math(EXPR batch "${batch} + 1")
  endwhile()
  set(${out} ${compiled} PARENT_SCOPE)
endfunction()
