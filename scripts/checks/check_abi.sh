#!/bin/sh
# Compares the library's ABI with the recorded one, abi/libgls.abi.
#   check_abi.sh LIBRARY            fails when it differs, compatibly or not
#   check_abi.sh --update LIBRARY   records it
# LIBRARY is a libgls.so with debug information, built anywhere. Installs libabigail where it is missing.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
baseline=$root/abi/libgls.abi
update=false
if [ "${1:-}" = --update ]; then
  update=true
  shift
fi
if [ $# -ne 1 ]; then
  sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
library=$1
if ! command -v readelf >/dev/null || ! command -v abidw >/dev/null || ! command -v abidiff >/dev/null; then
  "$root/scripts/packages.sh" abi
fi
if ! readelf -S "$library" | grep -q '\.debug_info'; then
  echo "$library has no debug information: build it as Debug or RelWithDebInfo" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What is declared in the public headers and nothing else, and neither paths nor line numbers nor
# what else the build links: so that only a change of the ABI changes the record.
abidw --headers-dir "$root/include" --drop-private-types --exported-interfaces-only \
  --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --type-id-style hash \
  --out-file "$work/raw.abi" "$library"
sed -e "s#^\\( *<abi-instr .*path='\\)[^']*/src/#\\1src/#" -e "/^ *<abi-instr /s# language='[^']*'##" \
  "$work/raw.abi" >"$work/libgls.abi"

if $update; then
  cp "$work/libgls.abi" "$baseline"
  echo "recorded in abi/libgls.abi"
  exit 0
fi

# Bits of the status: 1 and 2 errors of the tool, 4 a change, 8 an incompatible one.
status=0
abidiff --no-show-locs "$baseline" "$work/libgls.abi" || status=$?
if [ $((status & 3)) -ne 0 ]; then
  echo "abidiff could not compare" >&2
elif [ $((status & 8)) -ne 0 ]; then
  echo "INCOMPATIBLE change of the ABI: programs built with the recorded one would break" >&2
elif [ $((status & 4)) -ne 0 ]; then
  echo "the ABI changed; when that is compatible and meant, record it: scripts/checks/check_abi.sh --update LIBRARY" >&2
fi
exit $status
