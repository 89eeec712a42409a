#!/usr/bin/env bash
# What the archive of the sources gives, unpacked in another place and without git, is what was built here:
# the archive itself and every package, byte for byte. And no binary names the place where it was built.
#
#   reproducible.sh SCRATCH DIST
set -euo pipefail
scratch=$1 dist=$2
root=$(cd "$(dirname "$0")/../.." && pwd)

# Looked for, too, as equal bytes could come from a compiler cache.
for file in "$dist"/*; do
  inside=$scratch/inside/${file##*/}
  mkdir -p "$inside"
  case "$file" in
    *.whl | *.jar) python3 -m zipfile -e "$file" "$inside" ;;
    *.deb) dpkg-deb -x "$file" "$inside" ;;
  esac
done
# A short path, as /gls, is found in names that have nothing to do with it.
if [[ $root == /*/* ]] && grep -rlF -e "$root/" "$scratch/inside"; then
  echo "reproducible.sh: these files name $root" >&2
  exit 1
fi

tar -xzf "$dist"/gls-*.tar.gz -C "$scratch"
cd "$scratch"/gls-*/
scripts/package.sh
if ! diff "$dist/SHA256SUMS" build/dist/SHA256SUMS; then
  echo "reproducible.sh: built in another place, these packages have other bytes" >&2
  exit 1
fi
