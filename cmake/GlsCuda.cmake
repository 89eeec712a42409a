# The compiler of what runs on GPUs, where there is one: GLS_HAS_CUDA, and the target gls_cuda_options with which our own
# CUDA code is compiled. CUDACXX names an nvcc; scripts/cuda.sh finds or installs one.
set(GLS_CUDA AUTO CACHE STRING "Build what runs on GPUs, which needs nvcc: AUTO (if there is one), ON or OFF")
set_property(CACHE GLS_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT GLS_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "GLS_CUDA is ${GLS_CUDA}, expected AUTO, ON or OFF")
endif()

set(GLS_HAS_CUDA OFF)
if(GLS_CUDA STREQUAL "OFF")
  return()
endif()
if(DEFINED ENV{CUDACXX} AND NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER $ENV{CUDACXX} CACHE FILEPATH "nvcc")
endif()
find_program(CMAKE_CUDA_COMPILER nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin PATHS /usr/local/cuda/bin)
if(NOT CMAKE_CUDA_COMPILER)
  if(GLS_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GLS_CUDA is ON, but there is no nvcc; scripts/cuda.sh installs one: "
                        "CUDACXX=$(scripts/cuda.sh) cmake ...")
  endif()
  message(STATUS "The part cuda is not built: nvcc was not found")
  return()
endif()

# Machine code of what most have, and one that drivers translate for all that is newer.
set(CMAKE_CUDA_ARCHITECTURES 80-real 90 CACHE STRING "GPUs to compile for")
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8) # which has cudaStreamGetDevice()
  message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} is of CUDA ${CMAKE_CUDA_COMPILER_VERSION}, expected 12.8 or later; or GLS_CUDA=OFF")
endif()
set(GLS_HAS_CUDA ON)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_EXTENSIONS OFF)
# What CMake 3.25 does not know that this compiler has.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)

add_library(gls_cuda_options INTERFACE)
target_compile_options(
  gls_cuda_options INTERFACE
  # What is rounded on a processor is rounded here; see GlsCompile.cmake.
  $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>
  # Functions of src that are constexpr are compiled for both.
  $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${GLS_WERROR}>>:-Werror=all-warnings>
  $<$<COMPILE_LANGUAGE:CUDA>:-Wall>
  $<$<COMPILE_LANGUAGE:CUDA>:-Wextra>
  $<$<COMPILE_LANGUAGE:CUDA>:-Wconversion>
  $<$<COMPILE_LANGUAGE:CUDA>:-Wshadow>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${GLS_WERROR}>>:-Xcompiler=-Werror>)
# Its own headers are not ours to mend.
target_include_directories(gls_cuda_options SYSTEM INTERFACE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_include_directories(gls_cuda_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include
                                                      ${PROJECT_SOURCE_DIR}/src)
