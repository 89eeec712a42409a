#!/usr/bin/env bash
# Installs what it needs and runs the tests.
#
#   scripts/test.sh            the short run: every test of C, C++, Python, Java and Rust once, lint, and sanitizers
#                              where they find most
#   scripts/test.sh --all      everything
#   scripts/test.sh STAGE...   these stages, whole
#
#   lint     formatting, words, layers, shell scripts, spelling; whole: clang-tidy
#   unit     release build: C, C++, command line, symbols, installation. Whole: what runs on GPUs is compiled and linked,
#            which needs none, and of C++ the tests that need optimisation, as stage asan runs all the others
#   asan     address and undefined-behaviour sanitizers, leaks, fuzz corpora replayed; the short run has the C++ tests
#            with the label asan
#   python   the Python package, its tests without torch
#   java     the Java package and its tests
#   rust     the Rust crates and their tests
# and with --all:
#   fuzz     libFuzzer, a short run of every target
#   tsan     thread sanitizer; the recorded ABI
#   docs     the documentation site, without a warning; pages in a browser
#   cross    all languages against each other; makes of unit, python, java and rust what is not built
#   cluster  servers and clients on machines that are network namespaces, faults, and jobs of Slurm;
#            needs root
#   torch    the Python tests and examples that need torch and PyG
#   dgl      the Python tests and the example that need DGL; Python 3.12 at most
#   quick    the quickstart
#   formats  the plugin for recipes, tables and the datasets of other systems
#   packages every package, built twice, installed and used
#
# The seconds of each stage are written to build/stages.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

short=(lint unit asan python java rust)
all=(lint unit asan fuzz tsan python java rust formats docs cross cluster torch dgl quick packages)
whole=1
case ${1:-} in
-h | --help)
  sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
--all) stages=("${all[@]}") ;;
"")
  stages=("${short[@]}")
  whole=
  ;;
*) stages=("$@") ;;
esac
for stage in "${stages[@]}"; do
  if [[ " ${all[*]} " != *" $stage "* ]]; then
    echo "test.sh: unknown stage $stage, expected --all or one of: ${all[*]}" >&2
    exit 2
  fi
done

jobs=$(nproc)
export CTEST_PARALLEL_LEVEL=$jobs
# With sanitizers some tests wait for a fifth of their time.
sanitized=(-j $((jobs + 1)))
# Some builds compile one large file per job; two jobs fit in 4 GiB.
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs

# One process of tests for each processor; those of one file go to one process, as they share what they made.
spread=(-n "$jobs" --dist loadfile)

# Where C and C++ tests write. They make many small files and wait until the disk has each; memory is
# quicker, where there is enough.
files=${TMPDIR:-/tmp}
made=
room=$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1) || room=0
if [ -z "${TMPDIR:-}" ] && [ "${room:-0}" -gt $((8 << 20)) ]; then
  files=$(mktemp -d /dev/shm/files-of-tests-XXXXXX)
  chmod 755 "$files" # some tests go on as another user
  made=$files
fi

# Last of all, also when something fails: of the stages that began, what ran on a GPU. ctest says it of C and C++; in
# other languages there is the emulated runtime alone.
begun=()
declare -A trees=([unit]=release [asan]=asan [tsan]=tsan)
say_of_gpus() {
  local stage tree
  for stage in "${begun[@]}"; do
    tree=${trees[$stage]:-}
    if [ "$stage" = torch ]; then
      echo "torch: GPU: pytest said above how many of test_torch_gpu.py ran on one; others are for the emulated runtime"
    elif [[ $stage =~ ^(python|java|rust)$ ]]; then
      echo "$stage: GPU: 0 tests ran on a GPU; those of devices are for the emulated runtime, which is none"
    elif [ -n "$tree" ] && [ -f "build/$tree/gpu-tests.txt" ]; then
      echo "$stage: $(<"build/$tree/gpu-tests.txt")"
    elif [ -n "$tree" ]; then
      echo "$stage: GPU: nothing is known, as the tests did not end"
    fi
  done
}
trap 'end_cluster || true; rm -rf ${made:+"$made"}; say_of_gpus' EXIT

preset() { # NAME OPTION...
  cmake --preset "$@" >/dev/null
  cmake --build --preset "$1"
}

# venv NAME REQUIREMENTS...: makes or completes the Python environment build/venv-NAME.
venv() {
  local dir=build/venv-$1 file
  shift
  [ -x "$dir/bin/python" ] || python3 -m venv "$dir"
  for file in "$@"; do
    "$dir/bin/pip" install -q --disable-pip-version-check -r "$file"
  done
}

# The Python package of this tree in build/venv-NAME. It is built once for all stages.
wheel=
install_package() {
  if [ -z "$wheel" ]; then
    rm -rf build/wheel
    "build/venv-$1/bin/pip" wheel -q --disable-pip-version-check --no-deps -w build/wheel \
      --config-settings=build-dir="$PWD/build/python" ./bindings/python
    wheel=$(echo build/wheel/gls-*.whl)
  fi
  "build/venv-$1/bin/pip" install -q --disable-pip-version-check --force-reinstall --no-deps "$wheel"
}

# What stages use of each other, where the others did not run before.
need() { # TARGET...: of the release build
  [ -e build/release/build.ninja ] || cmake --preset release -DGLS_BUILD_BENCH=OFF >/dev/null
  cmake --build --preset release --target "$@"
}
need_core() {
  venv core tests/python/requirements.txt
  build/venv-core/bin/python -c 'import gls' 2>/dev/null || install_package core
}

stage_lint() {
  if [ -n "$whole" ]; then
    scripts/lint.sh
  else
    scripts/lint.sh --quick
  fi
}

stage_unit() {
  if [ -n "$whole" ]; then
    local -x CUDACXX
    CUDACXX=$(scripts/cuda.sh)
    preset release -DGLS_BUILD_BENCH=OFF -DGLS_UNIT_LABEL=optimised -DGLS_CUDA=ON
  else
    rm -f build/release/src/libgls_cuda.so # of a whole run before
    preset release -DGLS_BUILD_BENCH=OFF -DGLS_UNIT_LABEL= -DGLS_CUDA=OFF
  fi
  TMPDIR=$files ctest --preset release
  venv core tests/python/requirements.txt
  GLS_TOOL=build/release/tools/gls build/venv-core/bin/python -m pytest -q -p no:cacheprovider tests/cli
}

# Memory of threads in libraries that were loaded is not followed: runtimes as old as those of clang 14 and gcc 12
# take its size from a place where newer versions of libc have something else, and sometimes that is a size of 2^49.
followed=intercept_tls_get_addr=0
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:$followed
export UBSAN_OPTIONS=print_stacktrace=1

# label NAME: of the C++ tests to build in the short run; none in the whole one, which has all.
label() { [ -n "$whole" ] || echo "$1"; }

stage_asan() {
  preset asan -DGLS_UNIT_LABEL="$(label asan)"
  # Laws of random numbers, which take many of them, are those of the release build; so are the longest rows and
  # batches on the emulated runtime, which take minutes.
  TMPDIR=$files ctest --preset asan "${sanitized[@]}" \
    -E 'unit/(Uniform/Picks|Walks/SecondOrder|Weighted\.FollowsTheWeights)|emulated/(DeviceHub\.|DeviceDefaults\.|DeviceSampling\..*(Of|From)Hubs|DeviceBatch\.OfLinksGoesByTimes|bench_gpu)'
}

stage_fuzz() {
  preset asan
  scripts/fuzz.sh build/asan 10
  scripts/formats.sh fuzz 10
}

stage_tsan() {
  preset tsan
  # Address space randomisation of new kernels confuses the runtime of older compilers.
  TSAN_OPTIONS="halt_on_error=1 $followed suppressions=$PWD/tests/tsan.supp" \
    TMPDIR=$files setarch "$(uname -m)" -R ctest --preset tsan "${sanitized[@]}" -LE no_tsan
}

stage_python() {
  scripts/packages.sh redis
  venv core tests/python/requirements.txt
  install_package core
  local -x GLS_CUDA_ON_HOST
  GLS_CUDA_ON_HOST=$(scripts/cuda_on_host.sh)
  (cd tests/conformance && python3 generate.py --check)
  build/venv-core/bin/python -m pytest -q tests/conformance examples/graphsage_numpy
  build/venv-core/bin/python -m pytest -q "${spread[@]}" tests/python --ignore-glob='*test_torch_*' \
    --ignore-glob='*test_dgl_*'
}

stage_java() { scripts/java.sh; }

stage_rust() { scripts/rust.sh; }

stage_formats() {
  need gls gls_tool
  venv core tests/python/requirements.txt
  install_package core
  scripts/formats.sh check
  local -x GLS_PLUGIN_PATH
  GLS_PLUGIN_PATH=$(scripts/formats.sh)
  GLS_TOOL=$PWD/build/release/tools/gls PYTHONPATH=tests \
    build/venv-core/bin/python -m pytest -q -p no:cacheprovider tests/formats
}

stage_docs() {
  scripts/packages.sh browser
  venv core tests/python/requirements.txt
  need gls_tool
  GLS_TOOL=$PWD/build/release/tools/gls build/venv-core/bin/python -m pytest -q -p no:cacheprovider \
    tests/pages
  scripts/docs.sh
}

stage_cross() {
  need src/all plugins/all gls_tool capi_tutorial_c capi_tutorial_cpp
  need_core
  if ! compgen -G 'build/java/target/gls-*[0-9].jar' >/dev/null || [ ! -d build/java/target/test-classes ]; then
    scripts/java.sh classes
  fi
  [ -e bindings/rust/target/release/examples/digest ] || scripts/rust.sh examples
  scripts/cross.sh build/venv-core/bin/python
}

# Tests of clusters wait most of their time. So they run beside the stages from docs on, and are waited for in their turn.
cluster=
test_cluster() {
  GLS_TOOL=build/release/tools/gls build/venv-core/bin/python -m pytest -q -p no:cacheprovider \
    tests/cluster
}
begin_cluster() {
  scripts/packages.sh cluster
  need src/all plugins/all gls_tool
  need_core
  test_cluster >build/cluster.log 2>&1 &
  cluster=$!
}
end_cluster() {
  local pid=$cluster code=0
  cluster=
  [ -z "$pid" ] || wait "$pid" || code=$?
  return "$code"
}
stage_cluster() {
  local code=0
  [ -n "$cluster" ] || begin_cluster
  end_cluster || code=$?
  cat build/cluster.log
  return "$code"
}

stage_torch() {
  venv torch tests/python/requirements.txt tests/python/requirements-torch.txt
  install_package torch
  local -x GLS_CUDA_ON_HOST
  GLS_CUDA_ON_HOST=$(scripts/cuda_on_host.sh)
  build/venv-torch/bin/python -m pytest -q "${spread[@]}" tests/python/pyg tests/python/with_torch
}

# Its own environment, as DGL and PyG need other versions of torch.
stage_dgl() {
  venv dgl tests/python/requirements.txt tests/python/requirements-dgl.txt
  install_package dgl
  build/venv-dgl/bin/python -m pytest -q "${spread[@]}" tests/python/with_dgl
}

stage_quick() { scripts/quickstart.sh --seeds 5; }

stage_packages() { tests/packages/run.sh; }

scripts/packages.sh build python test lint

# Several build trees compile the same files.
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
# pip would name the same compiler g++, and the cache takes that for another one.
export CC=${CC:-cc} CXX=${CXX:-c++}
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,locale

mkdir -p build
: >build/stages.txt
for stage in "${stages[@]}"; do
  printf '\n==== %s\n' "$stage"
  begun+=("$stage")
  rm -f "build/${trees[$stage]:-none}/gpu-tests.txt"
  started=$SECONDS
  if [[ $stage == docs && " ${stages[*]} " == *" cluster "* ]]; then
    begin_cluster
  fi
  "stage_$stage"
  printf '==== %s passed in %d s\n' "$stage" $((SECONDS - started))
  printf '%6d s  %s\n' $((SECONDS - started)) "$stage" >>build/stages.txt
done
printf '\nall passed in %d s\n' "$SECONDS"
sort -rn build/stages.txt
