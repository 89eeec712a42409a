#!/usr/bin/env bash
# Builds every package twice, in two places, compares them, installs each where nothing else is, and uses
# it there. What other stages built saves time.
#
#   tests/packages/run.sh [TEST...]     reproducible wheel sdist deb jar crate, by default all
set -euo pipefail
cd "$(dirname "$0")/../.."

all=(reproducible wheel sdist deb jar crate)
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=("${all[@]}")
dist=$PWD/build/dist
rm -rf "$dist"
scripts/packages.sh build python test deb java
scripts/package.sh

for name in "${tests[@]}"; do
  started=$SECONDS
  scratch=$(mktemp -d)
  # shellcheck disable=SC2064 # of this one
  trap "rm -rf '$scratch'" EXIT
  case "$name" in
    wheel) tests/packages/python.sh "$scratch" "$dist"/gls-*.whl ;;
    sdist) tests/packages/python.sh "$scratch" "$dist"/gls-*.tar.gz ;;
    *) "tests/packages/$name.sh" "$scratch" "$dist" ;;
  esac
  rm -rf "$scratch"
  echo "packages: $name passed in $((SECONDS - started)) s"
done
