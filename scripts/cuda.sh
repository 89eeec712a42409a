#!/usr/bin/env bash
# Prints the path of nvcc; where the machine has none, installs the pinned one of cuda/requirements.txt, 270 MB, into
# build/venv-cuda. Compiling needs no GPU:
#
#   CUDACXX=$(scripts/cuda.sh) cmake --preset release
set -euo pipefail
cd "$(dirname "$0")/.."

for nvcc in "${CUDACXX:-}" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" "${CUDA_PATH:+$CUDA_PATH/bin/nvcc}" \
  "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
  if [ -n "$nvcc" ] && [ -x "$nvcc" ]; then
    echo "$nvcc"
    exit
  fi
done

dir=build/venv-cuda
if [ ! -x "$dir/bin/python" ]; then
  scripts/packages.sh build python >&2
  python3 -m venv "$dir"
fi
"$dir/bin/pip" install -q --disable-pip-version-check -r cuda/requirements.txt >&2
root=$(cd "$dir"/lib/python3*/site-packages/nvidia/cu13 && pwd)
# Where the compiler's own profile looks for cudart, and the wheels do not put it.
ln -sfn lib "$root/lib64"
echo "$root/bin/nvcc"
