# How our own code is compiled.

# Results of floating-point decisions are part of the sampling contract, so nothing may be fused.
add_compile_options(-ffp-contract=off)

# What is released does not know where it was built.
add_compile_options($<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)

if(GLS_SANITIZE)
  add_compile_options(-fsanitize=${GLS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GLS_SANITIZE})
  # Every test is a program with the whole library in it, and long names of what the sanitizers add.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # whose own linker takes a fifth of the time
    include(CheckLinkerFlag)
    check_linker_flag(CXX -fuse-ld=lld GLS_LLD)
    if(GLS_LLD)
      add_link_options(-fuse-ld=lld)
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND GLS_SANITIZE MATCHES "undefined")
    # These need a runtime for C++, which the programs in C among the tests are not linked with.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr,function>)
  endif()
endif()

# Warnings are errors in our code; generated and system headers are left out.
option(GLS_WERROR "Warnings are errors; off for compilers that nobody has tried" ON)
add_library(gls_warnings INTERFACE)
target_compile_options(gls_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${GLS_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # The other compiler's -Wconversion leaves these out in C++.
  target_compile_options(gls_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-sign-conversion>)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 sees overlaps in std::string that cannot be (its bug 105651).
  target_compile_options(gls_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  if(GLS_SANITIZE)
    # It also warns of impossible paths once sanitizer checks are inserted.
    target_compile_options(gls_warnings INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow)
  endif()
endif()
