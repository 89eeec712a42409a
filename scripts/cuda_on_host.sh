#!/usr/bin/env bash
# Prints the folder of the plugin for GPUs that runs on a processor (docs/decisions/0055-cuda-on-host.md), for tests
# of Python, Java and Rust, which find it by GLS_CUDA_ON_HOST. It is built in build/release if it is not there.
# Where GLS_CUDA_ON_HOST names a folder already, that is printed.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${GLS_CUDA_ON_HOST:-}
if [ -z "$folder" ]; then
  folder=$PWD/build/release/tests/cuda_on_host
  {
    if [ ! -e build/release/build.ninja ]; then
      scripts/packages.sh build test
      cmake --preset release
    fi
    cmake --build --preset release --target gls_cuda_plugin_on_host
  } >&2
fi
if [ ! -e "$folder/libgls_cuda.so" ]; then
  echo "cuda_on_host.sh: there is no libgls_cuda.so in $folder" >&2
  exit 1
fi
echo "$folder"
