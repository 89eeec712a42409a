#!/usr/bin/env bash
# On a machine with a GPU: builds, runs all tests of devices on it, measures, and lets compute-sanitizer look for wild
# accesses and races; then prints one table for docs/benchmarks-gpu.md.
#
#   scripts/gpu-check.sh --carry [FOLDER]
#       beforehand, where the packages are: gathers what is needed in FOLDER (build/gpu-carry), 31 MB
#   scripts/gpu-check.sh [--carried FOLDER] [--minutes N] [--output FOLDER] [--build-only] [--emulated] [-- OPTION...]
#
# What follows `--` are options of CMake.
#
# The second needs nvcc, CMake 3.25, a compiler for C++20 and what was carried: no network and no packages. With PyTorch
# it trains, too; with pyg-lib it compares. All of it takes at most N minutes (8): a step that does not end in its time is
# told as not run. --emulated runs the same steps on the emulated runtime, which needs no GPU, to try this script.
#
# Ends with 0: all that was run passed; 1: something failed; 2: wrong arguments, or something is missing; 3: no GPU was
# found, and nothing was run.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,18s/^# \{0,1\}//p' "$0"; }

carry=
carried=build/gpu-carry
minutes=8
output=build/gpu-check/report
build_only=
emulated=
options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --carry)
      carry=${2:-build/gpu-carry}
      [ $# -lt 2 ] || shift
      ;;
    --carried | --minutes | --output)
      [ $# -ge 2 ] || {
        echo "gpu-check.sh: $1 needs a value" >&2
        exit 2
      }
      declare "${1#--}=$2"
      shift
      ;;
    --)
      shift
      options=("$@")
      break
      ;;
    --build-only) build_only=1 ;;
    --emulated) emulated=1 ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift
done

# ---- what is carried ----

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
  for from in fmt nlohmann flatbuffers CLI xxhash.h zlib.h cmocka.h asio asio.hpp openssl; do
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
    -r scripts/gpu-check.txt
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

if [ -n "$carry" ]; then
  gather
  exit 0
fi

# ---- the machine ----
started=$SECONDS
left() { echo $((minutes * 60 - SECONDS + started)); }

has_gpu() { nvidia-smi -L 2>/dev/null | grep -q '^GPU' || compgen -G '/dev/nvidia[0-9]*' >/dev/null; }
if [ -z "$emulated$build_only" ] && ! has_gpu; then
  echo "gpu-check.sh: no GPU was found (neither nvidia-smi nor /dev/nvidia0 knows one): nothing was run" >&2
  exit 3
fi
nvcc=
for nvcc in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
  [ -z "$nvcc" ] || [ ! -x "$nvcc" ] || break
done
if [ ! -x "$nvcc" ]; then
  echo "gpu-check.sh: there is no nvcc; name it in CUDACXX" >&2
  exit 2
fi
if [ ! -e "$carried/complete" ]; then
  echo "gpu-check.sh: $carried has not all that is carried; see --carry" >&2
  exit 2
fi
carried=$(cd "$carried" && pwd)
rm -rf "$output"
mkdir -p "$output"
output=$(cd "$output" && pwd)
build=build/gpu-check/build
failed=

# step NAME LIMIT COMMAND...: what it says is in $output/NAME.log; without a result, the last line there says why.
step() {
  local name=$1 limit=$2 began=$SECONDS code=0
  shift 2
  local log=$output/$name.log
  [ "$(left)" -ge "$limit" ] || limit=$(left)
  if [ "$limit" -lt 5 ]; then
    echo "no time was left" >"$log"
    echo "$name: not run, no time was left"
    return 4
  fi
  timeout -k 10 "$limit" "$@" >"$log" 2>&1 || code=$?
  echo "$name: $((SECONDS - began)) s$([ $code -eq 0 ] || echo ", ended with $code")"
  if [ $code -eq 124 ] || [ $code -eq 137 ]; then
    echo "it did not end in its $limit s" >>"$log"
    return 4
  elif [ $code -ne 0 ]; then
    failed+=" $name"
    return 1
  fi
}

# ---- build ----
architecture=90
if found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1) && [ -n "$found" ]; then
  architecture=${found/./}
fi
generator=(-G Ninja)
command -v ninja >/dev/null || generator=(-G 'Unix Makefiles')
targets=(gpu_tests bench_gpu bench_gpu_feed)
[ -z "$emulated" ] || targets=(emulated_tests bench_gpu_feed)
export PATH=$carried/bin:$PATH
must_build() { # NAME LIMIT COMMAND...
  if ! step "$@"; then
    tail -n 30 "$output/$1.log" >&2
    echo "gpu-check.sh: it could not be built, see $output/$1.log" >&2
    exit 1
  fi
}
# Servers are asked over TCP, for which OpenSSL must load: a libc that is older than where it was carried from refuses it.
network=OFF
if echo '#include <openssl/evp.h>
#include <openssl/ssl.h>
int main(void) {
  SSL_CTX *made = SSL_CTX_new(TLS_method());
  EVP_PKEY_free(EVP_PKEY_new());
  SSL_CTX_free(made);
  return made == 0;
}' |
  "${CC:-cc}" -I "$carried/include" -x c - -o "$output/openssl" -L "$carried/lib" -Wl,-rpath,"$carried/lib" -lssl -lcrypto &&
  "$output/openssl"; then
  network=ON
fi
rm -f "$output/openssl"
limit=300
[ -z "$build_only" ] || limit=$((minutes * 60))
must_build configure 60 env CUDACXX="$nvcc" cmake -S . -B $build "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$carried" -DFLATC="$carried/bin/flatc" -DCMAKE_BUILD_RPATH="$carried/lib" \
  -DCMAKE_CUDA_ARCHITECTURES="$architecture" -DGLS_CUDA=ON -DGLS_METIS=OFF -DGLS_TCP=$network -DGLS_UCX=$network -DGLS_OFI=OFF \
  -DOPENSSL_ROOT_DIR="$carried" \
  -DGLS_BUILD_TOOLS=OFF -DGLS_INSTALL=OFF -DGLS_BUILD_BENCH=ON -DGLS_TESTS=gpu -DGLS_UNIT_TESTS= -DGLS_WERROR=OFF \
  -DGLS_GPU_REQUIRED="$([ -n "$emulated" ] && echo OFF || echo ON)" "${options[@]}"
must_build build $limit cmake --build $build --parallel "$(nproc)" --target "${targets[@]}"
[ -z "$build_only" ] || exit 0

# ---- tests ----
kind=gpu
[ -z "$emulated" ] || kind=emulated
rows=()
tests_row() {
  local log=$output/tests.log
  local line
  line=$(grep '^GPU: ' "$log" | tail -n 1) || line="GPU: $(tail -n 1 "$log")"
  rows+=(--row "tests=${line#GPU: }; $(grep -E '^[0-9]+% tests passed' "$log" || echo "not all ended")")
}
step tests 120 ctest --test-dir $build -R "^$kind/" -E DeviceLanding --output-on-failure --parallel "$(nproc)" \
  --no-tests=error || true
tests_row
# By themselves, as nobody has seen UCX write to a GPU.
if [ $network = ON ]; then
  result=0
  step served 60 env LD_LIBRARY_PATH="$carried/ucx/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ctest --test-dir $build -R "^$kind/Ways/DeviceLanding" \
    --output-on-failure --no-tests=error || result=$?
  if [ $result -eq 4 ]; then
    rows+=(--row "rows of servers that UCX puts into memory of a GPU=not run: $(tail -n 1 "$output/served.log")")
  else
    rows+=(--row "rows of servers that UCX puts into memory of a GPU=$(grep -E '^[0-9]+% tests passed' "$output/served.log" || tail -n 1 "$output/served.log")")
  fi
else
  rows+=(--row "rows of servers that UCX puts into memory of a GPU=not run: the OpenSSL that was carried does not load here")
fi

# ---- figures ----
figures=()
part() { # NAME LIMIT COMMAND...
  step "$@" || true
  figures+=("$1=$output/$1.log")
}
python=$(command -v python3 || true)
has_torch() { [ -n "$python" ] && "$python" -c "import torch, sys; sys.exit(not (torch.cuda.is_available() or '$emulated'))" 2>/dev/null; }
if [ -n "$emulated" ]; then
  export GLS_PLUGIN_PATH=$PWD/$build/tests/cuda_on_host
  bench=("$build/tests/cuda_on_host/bench_gpu_on_host")
  tiny=(--nodes 2000 --edges 20000 --rounds 1 --seconds 0.01 --features 8 --batch-sizes 32 --reads 4096
    --table-bytes 1048576 --pinned-bytes 1048576 --move-bytes 65536)
  training=(--emulated --steps 3 --warm-up 1 --batch-size 32 --nodes 2000 --edges 20000 --features 8 --classes 5)
else
  export GLS_PLUGIN_PATH=$PWD/$build/src
  bench=("$build/bench/bench_gpu")
  tiny=()
  training=()
fi
for name in products gather zero_copy loader billion; do
  part $name 60 "${bench[@]}" $name "${tiny[@]}"
done
if has_torch; then
  part train 60 "$python" bench/gpu_train.py $build/bench/libbench_gpu_feed.so "${training[@]}"
else
  echo "there is no PyTorch with CUDA" >"$output/train.log"
  figures+=("train=$output/train.log")
fi

# ---- compute-sanitizer ----
sanitizer=$(command -v compute-sanitizer || true)
[ -n "$sanitizer" ] || sanitizer=$(dirname "$nvcc")/compute-sanitizer
sanitize() { # TOOL
  local result=0
  if [ -n "$emulated" ]; then
    rows+=(--row "$1=not run: the emulated runtime is a processor's")
    return
  elif [ ! -x "$sanitizer" ]; then
    rows+=(--row "$1=not run: there is no compute-sanitizer")
    return
  fi
  # Short tests of each file of kernels.
  step "$1" 90 env GLS_TEST_GPU=required bash -ec "
    '$sanitizer' --tool $1 --error-exitcode 9 $build/tests/cuda_sampler_test_on_gpu --gtest_filter='*.Draws*:*Replaces*'
    for kind in links times weights walks subgraphs layers near budgets; do
      '$sanitizer' --tool $1 --error-exitcode 9 $build/tests/device_\${kind}_test --gtest_filter='*.SaysWhatIs*:*.LeavesSomeWeights*:*.InducesSubgraphsOfHubsAndWalks'
    done
    '$sanitizer' --tool $1 --error-exitcode 9 $build/tests/device_padding_test --gtest_filter='*.FillsUpWalks'
    '$sanitizer' --tool $1 --error-exitcode 9 $build/tests/device_cache_test --gtest_filter='*.LearnsWhatIsAskedFor'
    '$sanitizer' --tool $1 --error-exitcode 9 $build/tests/device_batch_test --gtest_filter='*.IsThatOfTheHost:*.HasBlocks'" ||
    result=$?
  case $result in
    0) rows+=(--row "$1=nothing found") ;;
    4) rows+=(--row "$1=not run: $(tail -n 1 "$output/$1.log")") ;;
    *) rows+=(--row "$1=**failed**: $(grep 'ERROR SUMMARY' "$output/$1.log" | tail -n 1 || tail -n 1 "$output/$1.log")") ;;
  esac
}
sanitize memcheck
sanitize racecheck
sanitize synccheck

# ---- the table ----
if [ -n "$python" ]; then
  "$python" bench/gpu_report.py "${rows[@]}" "${figures[@]}" | tee "$output/table.md"
else
  echo "gpu-check.sh: without Python there is no table; the logs are in $output" >&2
fi
if [ -n "$failed" ]; then
  echo "gpu-check.sh: failed:$failed; see $output" >&2
  exit 1
fi
