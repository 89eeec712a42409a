#!/bin/sh
# What libgls.so asks the system for: the C and C++ runtimes and zlib, nothing else.
#   check_needed.sh LIBRARY [READELF]
set -eu
library=$1
readelf=${2:-readelf}

needed=$("$readelf" -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
[ -n "$needed" ] || { echo "$library needs nothing, not even libc?" >&2; exit 1; }
status=0
for name in $needed; do
  case $name in
    libc.so.* | libm.so.* | libstdc++.so.* | libgcc_s.so.* | libz.so.* | ld-linux-*.so.*) ;;
    libasan.so.* | libubsan.so.* | libtsan.so.*) ;; # builds with sanitizers
    *)
      echo "$library needs $name" >&2
      status=1
      ;;
  esac
done
soname=$("$readelf" -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
case $soname in
  libgls.so.[0-9]*) ;;
  *)
    echo "the soname is \"$soname\"" >&2
    status=1
    ;;
esac
if "$readelf" -d "$library" | grep -E '\((RPATH|RUNPATH|TEXTREL)\)' >&2; then
  status=1
fi
exit $status
