#!/usr/bin/env bash
# On a machine with a GPU: builds, measures, runs all tests of devices on it, and lets compute-sanitizer look for wild
# accesses and races; then prints one table for docs/benchmarks-gpu.md.
#
#   scripts/gpu-check.sh --carry [FOLDER]
#       beforehand, where the packages are: gathers what is needed in FOLDER (build/gpu-carry), 32 MB
#   scripts/gpu-check.sh [--carried FOLDER] [--minutes N] [--output FOLDER] [--only STEP,...] [--skip-tests]
#       [--build FOLDER] [--build-only] [--no-build] [--emulated] [-- OPTION...]
#
# What follows `--` are options of CMake. Steps, in this order: smoke products loader train gather zero_copy tests python
# memcheck racecheck billion synccheck served.
#
# The second needs nvcc, CMake 3.25, a compiler for C++20, Python and what was carried: no network and no packages. With
# PyTorch it trains, too; with pyg-lib it compares. All of it takes at most N minutes (8): a step that does not end in its
# time is told as not run, or to where it came. After each step table.md and report.tgz, with all logs, are written anew
# in the output (build/gpu-check/report). --only runs some steps, and the table has what earlier runs left of the others;
# --skip-tests leaves out tests and sanitizers; --no-build takes what is built as it is. --emulated runs the same steps on
# the emulated runtime, which needs no GPU, to try this script.
#
# Ends with 0: all that was run passed; 1: something failed; 2: wrong arguments, or something is missing; 3: no GPU was
# found, and nothing was run.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,24s/^# \{0,1\}//p' "$0"; }
wrong() {
  echo "gpu-check.sh: $1" >&2
  exit 2
}

steps=(smoke products loader train gather zero_copy tests python memcheck racecheck billion synccheck served)
carried=build/gpu-carry
minutes=8
output=build/gpu-check/report
build=build/gpu-check/build
only=$(IFS=, && echo "${steps[*]}")
some=
build_only=
no_build=
emulated=
options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --carry) exec scripts/gpu/carry.sh "${@:2}" ;;
    --carried | --minutes | --output | --only | --build)
      [ $# -ge 2 ] || wrong "$1 needs a value"
      [ "$1" != --only ] || some=1
      declare "${1#--}=$2"
      shift
      ;;
    --)
      shift
      options=("$@")
      break
      ;;
    --skip-tests) only=smoke,products,loader,train,gather,zero_copy,billion ;;
    --build-only) build_only=1 ;;
    --no-build) no_build=1 ;;
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
for name in ${only//,/ }; do
  [[ " ${steps[*]} " == *" $name "* ]] || wrong "unknown step $name, expected some of: ${steps[*]}"
done
wanted() { [[ ",$only," == *",$1,"* ]]; }

# ---- the machine ----
started=$SECONDS
left() { echo $((minutes * 60 - SECONDS + started)); }

has_gpu() { nvidia-smi -L 2>/dev/null | grep -q '^GPU' || compgen -G '/dev/nvidia[0-9]*' >/dev/null; }
if [ -z "$emulated$build_only" ] && ! has_gpu; then
  echo "gpu-check.sh: no GPU was found (neither nvidia-smi nor /dev/nvidia0 knows one): nothing was run" >&2
  exit 3
fi
python=$(command -v python3) || wrong "there is no python3"
nvcc=
for nvcc in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
  [ -z "$nvcc" ] || [ ! -x "$nvcc" ] || break
done
if [ -z "$no_build" ]; then
  [ -x "$nvcc" ] || wrong "there is no nvcc; name it in CUDACXX"
  [ -e "$carried/complete" ] || wrong "$carried has not all that is carried; see --carry"
fi
[ ! -d "$carried" ] || carried=$(cd "$carried" && pwd)
# The output may be somebody's folder, or one that cannot be removed: of what is there, nothing else is touched.
mkdir -p "$output"
output=$(cd "$output" && pwd)
rm -f "$output"/{table.md,report.tgz}
case $build in
  /*) ;;
  *) build=$PWD/$build ;;
esac
logs=$build/gpu-check
[ -n "$some" ] || rm -rf "$logs"
mkdir -p "$logs"
for name in "${steps[@]}"; do
  ! wanted "$name" || rm -rf "$logs/${name:?}" "$logs/$name.log"
done
kind=gpu
[ -z "$emulated" ] || kind=emulated
failed=

# ---- steps ----

# What there is so far, so that who ends this has it.
report() {
  local name row=() figures=() log
  for name in tests python served memcheck racecheck synccheck; do
    log=$logs/$name.log
    row+=(--row "${titles[$name]}=$(if [ -e "$log" ]; then tail -n 1 "$log"; else echo "not run: it did not come to that"; fi)")
  done
  for name in products billion gather zero_copy loader train; do
    figures+=("$name=$logs/$name.log")
  done
  "$python" bench/gpu/report.py --batch-sizes "${sizes[@]}" "${row[@]}" "${figures[@]}" >"$logs/table.md" || return 0
  cp "$logs/table.md" "$output/table.md"
  tar -czf "$output/report.tgz" -C "$logs" . || true
}
declare -A titles=([tests]="tests" [python]="tests of the Python package" [served]="rows of servers that UCX puts into memory of a GPU"
  [memcheck]=memcheck [racecheck]=racecheck [synccheck]=synccheck)
sizes=(1024 8192)
[ -z "$emulated" ] || sizes=(32)

bound() { # LIMIT: no more than is left; with more minutes, more
  local now limit=$(($1 * (minutes > 8 ? minutes : 8) / 8))
  now=$(left)
  echo $((now < limit ? now : limit))
}

# step NAME LIMIT COMMAND...: what it says is in $logs/NAME.log; without a result, the last line there says why.
step() {
  local name=$1 limit began=$SECONDS code=0
  limit=$(bound "$2")
  shift 2
  local log=$logs/$name.log
  if [ "$limit" -lt 10 ]; then
    echo "no time was left" >"$log"
    echo "$name: not run, no time was left"
    return 4
  fi
  timeout -k 5 "$limit" "$@" >"$log" 2>&1 || code=$?
  [ $code -ne 124 ] && [ $code -ne 137 ] || echo "it did not end in its $limit s" >>"$log"
  echo "$name: $((SECONDS - began)) s$([ $code -eq 0 ] || echo ", ended with $code"); $(left) s are left"
  echo "  $(tail -n 1 "$log" | cut -c 1-1500)"
  report
  case $code in
    0) ;;
    4 | 124 | 137) return 4 ;;
    *)
      failed+=" $name"
      return 1
      ;;
  esac
}

# Test programs, which end by themselves in time to say how far they came.
programs() { # NAME LIMIT ARGUMENT...
  local name=$1 limit=$2
  shift 2
  step "$name" "$limit" env "LD_LIBRARY_PATH=$ucx${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$python" scripts/gpu/programs.py \
    "$build/device_programs.txt" --kind $kind --limit $(($(bound "$limit") - 6)) --logs "$logs/$name" "$@" || true
}
ucx=

# ---- build ----

must_build() { # NAME LIMIT COMMAND...
  if ! step "$@"; then
    tail -n 30 "$logs/$1.log" >&2
    echo "gpu-check.sh: it could not be built, see $logs/$1.log" >&2
    exit 1
  fi
}

configure() {
  local architecture=90 found generator=(-G Ninja) limit=150
  if found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1) && [ -n "$found" ]; then
    architecture=${found/./}
  fi
  command -v ninja >/dev/null || generator=(-G 'Unix Makefiles')
  # Servers are asked over TCP, for which OpenSSL must load: a libc that is older than where it was carried from refuses it.
  local network=OFF
  if echo '#include <openssl/evp.h>
#include <openssl/ssl.h>
int main(void) {
  SSL_CTX *made = SSL_CTX_new(TLS_method());
  EVP_PKEY_free(EVP_PKEY_new());
  SSL_CTX_free(made);
  return made == 0;
}' |
    "${CC:-cc}" -I "$carried/include" -x c - -o "$logs/openssl" -L "$carried/lib" -Wl,-rpath,"$carried/lib" -lssl \
      -lcrypto && "$logs/openssl"; then
    network=ON
  fi
  rm -f "$logs/openssl"
  # Programs are not asked for their cases while they are built: one that does not load here would not be there then.
  local configuring=(env CUDACXX="$nvcc" cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH="$carried" -DFLATC="$carried/bin/flatc" -DCMAKE_BUILD_RPATH="$carried/lib"
    -DCMAKE_CUDA_ARCHITECTURES="$architecture" -DGLS_CUDA=ON -DGLS_METIS=OFF -DGLS_TCP="$network" -DGLS_UCX="$network"
    -DGLS_OFI=OFF -DOPENSSL_ROOT_DIR="$carried" -DGLS_BUILD_TOOLS=OFF -DGLS_INSTALL=OFF -DGLS_BUILD_BENCH=ON
    -DGLS_TESTS=gpu -DGLS_UNIT_LABEL= -DGLS_WERROR=OFF -DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST
    -DGLS_EMULATED="$([ -n "$emulated" ] && echo ON || echo OFF)"
    -DGLS_GPU_REQUIRED="$([ -n "$emulated" ] && echo OFF || echo ON)")
  # The package needs headers of Python, which not all have.
  if [ -z "$emulated" ] && wanted python && step configure $limit "${configuring[@]}" -DGLS_BUILD_PYTHON=ON \
    -DPython_EXECUTABLE="$python" -DGLS_SWIG_OUTPUT="$carried/swig" "${options[@]}"; then
    package=gls_python_site
    return
  fi
  failed=
  must_build configure $limit "${configuring[@]}" -DGLS_BUILD_PYTHON=OFF "${options[@]}"
}

package=
make=(cmake --build "$build" --parallel "$(nproc)" --target)
everything=(-- -k 0) # of what can be built, after an error, too
measuring=(gls_cuda bench_gpu bench_gpu_feed)
if [ -n "$emulated" ]; then
  measuring=(gls_cuda_plugin_on_host bench_gpu_on_host bench_gpu_feed)
fi
if [ -z "$no_build" ]; then
  export PATH=$carried/bin:$PATH
  configure
  [ -e "$build/build.ninja" ] || everything=(-- -k)
fi

has_torch() {
  timeout 120 "$python" -c "import torch, sys; sys.exit(not (torch.cuda.is_available() or '$emulated'))" >/dev/null 2>&1
}
torch=
if wanted train || wanted python; then
  # Reading it from a disk takes a while, which is none of the time of training then.
  (if has_torch; then echo 1; fi) >"$logs/torch" &
  torch=$!
fi
if [ -z "$no_build" ]; then
  limit=280
  [ -z "$build_only" ] || limit=$((minutes * 60))
  step build $limit "${make[@]}" "${measuring[@]}" device_batch_test "${everything[@]}" || true
  must_build built 100 "${make[@]}" "${measuring[@]}" # of which nothing is left to do, if all went well
fi
tests_built=
build_tests() {
  [ -n "$no_build$tests_built" ] || step build_tests 200 "${make[@]}" ${kind}_tests $package "${everything[@]}" || true
  tests_built=1
}
if [ -n "$build_only" ]; then
  build_tests
  [ -z "$failed" ]
  exit
fi

# ---- figures, and tests ----
if [ -n "$emulated" ]; then
  export GLS_PLUGIN_PATH=$build/tests/cuda_on_host
  bench=("$build/tests/cuda_on_host/bench_gpu_on_host")
  few=(--nodes 2000 --edges 20000 --rounds 1 --seconds 0.01 --warm-up 0.001 --features 8 --batches 2 --reads 4096
    --batch-sizes "${sizes[@]}" --table-bytes 1048576 --pinned-bytes 1048576 --move-bytes 65536)
  loading=("${few[@]}")
  sampling=("${few[@]}")
  training=(--emulated --steps 3 --warm-up 1 --held 2 --pause 0 --batch-size 32 --nodes 2000 --edges 20000 --features 8
    --classes 5)
else
  export GLS_PLUGIN_PATH=$build/src
  bench=("$build/bench/bench_gpu")
  few=(--rounds 3)
  loading=(--rounds 3 --seconds 1.5)
  sampling=(--rounds 4)
  training=()
fi
# As long as one process uses the GPU, the driver stays as it is, and none that follows waits for it.
exec {held}> >(exec "${bench[@]}" hold >"$logs/hold.log" 2>&1)
for ((i = 0; i < 100; ++i)); do
  ! grep -qs -e '^held' -e '^benchmark:' "$logs/hold.log" || break
  sleep 0.2
done

part() { # NAME LIMIT OPTION...
  wanted "$1" || return 0
  step "$1" "$2" "${bench[@]}" "$1" "${@:3}" || true
}

if wanted smoke; then
  echo 'device_batch_test *.IsThatOfTheHost:*.HasBlocks' >"$logs/smoke.txt"
  programs smoke 60 --cases "$logs/smoke.txt"
fi
part products 70 "${sampling[@]}"
part loader 110 "${loading[@]}"
[ -z "$torch" ] || wait "$torch" || true
if wanted train; then
  if [ ! -s "$logs/torch" ]; then
    echo "there is no PyTorch with CUDA" >"$logs/train.log"
  elif [ ! -e "$build/bench/libbench_gpu_feed.so" ]; then
    echo "libbench_gpu_feed.so was not built" >"$logs/train.log"
  else
    step train 90 "$python" bench/gpu/train.py "$build/bench/libbench_gpu_feed.so" "${training[@]}" || true
  fi
fi
# These hardly need the processor, which builds the tests meanwhile.
testing=
for name in tests python served memcheck racecheck synccheck; do
  if wanted $name; then testing=1; fi
done
background=
if [ -n "$testing" ] && [ -z "$no_build" ] && { wanted gather || wanted zero_copy; }; then
  timeout -k 5 "$(bound 200)" nice -n 10 "${make[@]}" ${kind}_tests $package "${everything[@]}" >"$logs/build_tests.log" 2>&1 &
  background=$!
fi
part gather 60 "${few[@]}"
part zero_copy 60 "${few[@]}"
if [ -n "$background" ]; then
  wait $background || {
    echo "build_tests: ended with $?"
    failed+=" build_tests"
  }
  echo "the tests are built; $(left) s are left"
  tests_built=1
fi
[ -z "$testing" ] || build_tests
if wanted tests; then
  programs tests 120 --but '^device_remote_test$' --jobs 2
fi
if wanted python; then
  if [ -n "$emulated" ]; then
    echo "not run: these are for a GPU alone" >"$logs/python.log"
  elif [ ! -s "$logs/torch" ] || [ ! -e "$build/site/gls" ]; then
    echo "not run: $([ -s "$logs/torch" ] && echo "the package was not built" || echo "there is no PyTorch with CUDA")" \
      >"$logs/python.log"
  else
    step python 60 env PYTHONPATH="$build/site" GLS_TEST_GPU=required "$python" -m pytest -q -p no:cacheprovider \
      tests/python/with_torch/test_torch_gpu.py || true
  fi
fi

sanitizer=${GLS_COMPUTE_SANITIZER:-$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")}
sanitize() { # TOOL LIMIT
  wanted "$1" || return 0
  if [ -n "$emulated" ] && [ -z "${GLS_COMPUTE_SANITIZER:-}" ]; then
    echo "not run: the emulated runtime is a processor's" >"$logs/$1.log"
  elif [ ! -x "$sanitizer" ]; then
    echo "not run: there is no compute-sanitizer" >"$logs/$1.log"
  else
    programs "$1" "$2" --under "$1" --sanitizer "$sanitizer" --cases scripts/gpu/sanitized.txt --jobs 8
  fi
}
sanitize memcheck 75
sanitize racecheck 75
part billion 90 "${few[@]}"
sanitize synccheck 60
# By themselves, and last, as nobody has seen UCX write to a GPU.
if wanted served; then
  if grep -q "^$kind|device_remote_test|" "$build/device_programs.txt"; then
    [ -n "$emulated" ] || ucx=$carried/ucx/lib
    programs served 60 --programs '^device_remote_test$'
  else
    echo "not run: the OpenSSL that was carried does not load here" >"$logs/served.log"
  fi
fi
exec {held}>&-

# ---- the table ----
report
cat "$output/table.md"
if [ -n "$failed" ]; then
  echo "gpu-check.sh: failed:$failed; see $output/report.tgz" >&2
  exit 1
fi
