#!/usr/bin/env bash
# What SWIG writes for the Python package, in FOLDER, to be compiled where there is no SWIG:
#
#   scripts/swig_python.sh FOLDER
#   cmake ... -DGLS_BUILD_PYTHON=ON -DGLS_SWIG_OUTPUT=FOLDER && cmake --build ... --target gls_python_site
#
# The second leaves the package, to be named in PYTHONPATH, in the folder site of the build.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -ne 1 ]; then
  sed -n '4,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
scripts/packages.sh python
mkdir -p "$1"
swig -c++ -python -fastproxy -Werror -Ibindings/swig -outdir "$1" -o "$1/glslow_wrap.cc" bindings/python/swig/glslow.i
