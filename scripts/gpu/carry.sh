#!/usr/bin/env bash
# Gathers what scripts/gpu-check.sh needs on a machine without packages and network, in FOLDER (build/gpu-carry): 32 MB.
#
#   scripts/gpu/carry.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."
carry=${1:-build/gpu-carry}

# A package of CMake's, of headers alone.
config() { # NAME TARGET...
  local name=$1 target
  shift
  mkdir -p "$carry/lib/cmake/$name"
  for target in "$@"; do
    echo "if(NOT TARGET $target)
  add_library($target INTERFACE IMPORTED)
  set_target_properties($target PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \${CMAKE_CURRENT_LIST_DIR}/../../../include)
endif()"
  done >"$carry/lib/cmake/$name/${name}Config.cmake"
}

gather() {
  local from file library
  scripts/packages.sh build python test
  rm -rf "$carry"
  mkdir -p "$carry"/{include,lib,bin,flatc}
  carry=$(cd "$carry" && pwd)
  for from in fmt nlohmann flatbuffers CLI liburing liburing.h xxhash.h zlib.h cmocka.h asio asio.hpp openssl; do
    cp -rL "/usr/include/$from" "$carry/include/"
  done
  for file in xxh3.h cmocka_pbc.h cmocka_version.h; do
    [ ! -e "/usr/include/$file" ] || cp "/usr/include/$file" "$carry/include/"
  done
  # Those that the compiler finds.
  found() { echo "#include <$1>" | cc -M -x c - | grep -o "/[^ ]*/$2" | head -n 1; } # HEADER WHAT-IT-INCLUDES
  cp -L "$(found zlib.h zconf.h)" "$carry/include/"
  cp -L "$(dirname "$(found openssl/ssl.h openssl/configuration.h)")"/*.h "$carry/include/openssl/"
  for library in z cmocka ssl crypto; do
    file=$(realpath "$(cc -print-file-name="lib$library.so")")
    file=${file%.so.*}.so.$(objdump -p "$file" | sed -n 's/^ *SONAME .*\.so\.//p') # as programs ask for it
    cp -L "$file" "$carry/lib/$(basename "$file")"
    ln -s "$(basename "$file")" "$carry/lib/lib$library.so"
  done
  cp -L "$(cc -print-file-name=liburing.a)" "$carry/lib/"
  # With its own loader and libraries: it runs wherever the processor is the same.
  cp -L "$(command -v flatc)" "$carry/flatc/flatc"
  ldd "$(command -v flatc)" | awk '{ for (i = 1; i <= NF; ++i) if ($i ~ /^\//) print $i }' |
    while read -r file; do cp -L "$file" "$carry/flatc/"; done
  # shellcheck disable=SC2016 # for the script that is written
  printf '#!/bin/sh\nat=$(cd "$(dirname "$0")/../flatc" && pwd)\nexec "$at"/ld-linux* --library-path "$at" "$at/flatc" "$@"\n' \
    >"$carry/bin/flatc"
  chmod +x "$carry/bin/flatc"
  # Of GoogleTest the sources, as C++ libraries belong to a compiler.
  mkdir "$carry/googletest"
  cp -rL /usr/src/googletest/googletest/{include,src} "$carry/googletest/"
  config fmt fmt::fmt-header-only
  echo 'set_target_properties(fmt::fmt-header-only PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)' \
    >>"$carry/lib/cmake/fmt/fmtConfig.cmake"
  config nlohmann_json nlohmann_json::nlohmann_json
  config CLI11 CLI11::CLI11
  mkdir -p "$carry/lib/cmake/GTest"
  cat >"$carry/lib/cmake/GTest/GTestConfig.cmake" <<'CMAKE'
if(NOT TARGET GTest::gtest)
  find_package(Threads REQUIRED)
  set(gtest ${CMAKE_CURRENT_LIST_DIR}/../../../googletest)
  foreach(part gtest gtest_main)
    set(source ${part})
    if(part STREQUAL "gtest")
      set(source gtest-all)
    endif()
    add_library(carried_${part} STATIC ${gtest}/src/${source}.cc)
    target_include_directories(carried_${part} SYSTEM PUBLIC ${gtest}/include)
    target_include_directories(carried_${part} SYSTEM PRIVATE ${gtest})
    target_link_libraries(carried_${part} PUBLIC Threads::Threads)
    add_library(GTest::${part} ALIAS carried_${part})
  endforeach()
  target_link_libraries(carried_gtest_main PUBLIC carried_gtest)
endif()
CMAKE
  gather_ucx
  scripts/swig_python.sh "$carry/swig"
  touch "$carry/complete"
  echo "$carry: $(du -sh "$carry" | cut -f 1)"
}

# A UCX that knows GPUs, for tests whose rows come over it: Debian's does not. From the wheel, without what is for
# debuggers and measuring; that for CUDA 12 needs the driver alone, of any later version, too.
gather_ucx() {
  local unpacked=$carry/unpacked library
  mkdir -p "$unpacked" "$carry/ucx/lib/ucx" "$carry/libucx_cu12.libs"
  python3 -m venv "$unpacked/venv"
  "$unpacked/venv/bin/pip" download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$unpacked" \
    -r scripts/requirements/gpu-check.txt
  python3 -m zipfile -e "$unpacked"/*.whl "$unpacked"
  cp -r "$unpacked"/libucx/include/* "$carry/include/"
  for library in ucp uct ucs ucs_signal ucm; do
    cp -L "$unpacked/libucx/lib/lib$library.so.0" "$carry/ucx/lib/"
  done
  for library in uct_cuda ucm_cuda uct_cma; do
    cp -L "$unpacked/libucx/lib/ucx/lib$library.so.0" "$carry/ucx/lib/ucx/"
  done
  cp -L "$unpacked"/libucx_cu12.libs/libcudart* "$carry/libucx_cu12.libs/" # where the wheel has it
  find "$carry/ucx" "$carry/libucx_cu12.libs" -name '*.so*' -exec strip --strip-unneeded {} +
  rm -rf "$unpacked"
}

gather
