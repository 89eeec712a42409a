#!/bin/sh
# Installs into a temporary prefix, then builds and runs programs that find the library with
# pkg-config and with CMake.
#   install_test.sh CMAKE BUILD_FOLDER C_COMPILER CXX_COMPILER [FLAGS]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1
build=$2
cc=$3
cxx=$4
flags=${5:-}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log"

pc=$(find "$prefix" -name gls.pc)
[ -n "$pc" ] || { echo "no gls.pc was installed" >&2; exit 1; }
export PKG_CONFIG_PATH="${pc%/*}"
for option in --cflags --libs --modversion; do
  echo "pkg-config $option: $(pkg-config $option gls)"
done
libdir=$(pkg-config --variable=libdir gls)

# shellcheck disable=SC2046,SC2086 # words are meant to be split
"$cc" -std=c11 $flags "$here/install/program.c" -o "$work/by_pkg_config" \
  $(pkg-config --cflags --libs gls)
LD_LIBRARY_PATH=$libdir "$work/by_pkg_config"

"$cmake" -S "$here/install" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DEXPECTED="$(pkg-config --modversion gls)" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$flags" \
  -DCMAKE_CXX_FLAGS="$flags" >"$work/configure.log"
"$cmake" --build "$work/build" >"$work/build.log"
"$work/build/c_program"
"$work/build/cpp_program"

# Plugins that were built are where they are looked for.
for plugin in "$build"/src/libgls_*.so "$build"/plugins/*/libgls_*.so; do
  [ ! -e "$plugin" ] || [ -e "$libdir/gls/${plugin##*/}" ] || { echo "not installed: $plugin" >&2; exit 1; }
done

# The headers and nothing of the inside; the files do not know where they were built.
unexpected=$(find "$prefix" -name '*.h*' ! -path '*/include/gls.h' ! -path '*/include/gls.hpp' ! -path '*/include/gls/*.h')
[ -z "$unexpected" ] || { echo "installed: $unexpected" >&2; exit 1; }
if grep -rlF "$build" "$prefix" --include='*.pc' --include='*.cmake' --include='*.h*' >&2; then
  echo "these files name the build folder" >&2
  exit 1
fi
