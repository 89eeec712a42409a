#!/bin/sh
# Compiles the public headers on their own with every compiler and language they promise to serve.
#   check_headers.sh INCLUDE_FOLDER COMPILER...
# shellcheck disable=SC2086 # words of $warnings are meant to be split
set -eu
here=$(cd "$(dirname "$0")" && pwd)
include=$1
shift

warnings="-Wall -Wextra -Wpedantic -Wshadow -Werror"
done=0
compile() {
  if ! "$@" -I"$include" -I"$here/headers" -O1 -c -o /dev/null; then
    echo "failed: $*" >&2
    exit 1
  fi
  done=$((done + 1))
}

for compiler in "$@"; do
  for before in none -DBEFORE='"dlpack_0.h"' -DBEFORE='"dlpack_1.h"' -DAFTER='"dlpack_1.h"'; do
    [ "$before" = none ] && before=-DALONE
    for standard in c99 c11 c17; do
      compile "$compiler" -x c -std=$standard $warnings -Wstrict-prototypes \
        -Wmissing-prototypes "$before" "$here/headers/use.c"
    done
    for standard in c++17 c++20; do
      compile "$compiler" -x c++ -std=$standard $warnings "$before" "$here/headers/use.c"
    done
  done
  # Each header by itself.
  for header in "$include"/gls/*.h; do
    name=${header##*/}
    compile "$compiler" -x c -std=c99 $warnings "-DHEADER=<gls/$name>" "$here/headers/alone.c"
    compile "$compiler" -x c++ -std=c++17 $warnings "-DHEADER=<gls/$name>" "$here/headers/alone.c"
  done
  # Documentation comments that do not fit what they describe; only clang looks.
  if "$compiler" --version | grep -q clang; then
    compile "$compiler" -x c -std=c11 -Wdocumentation -Wdocumentation-pedantic -Werror \
      "$include/gls.h"
    compile "$compiler" -x c++ -std=c++17 -Wdocumentation -Werror "$include/gls.hpp"
  fi
done
echo "$done compilations"
