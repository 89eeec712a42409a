#!/usr/bin/env bash
# Builds the documentation site in build/docs/html; fails on any warning or broken link.
#
#   scripts/docs.sh
#
# What earlier stages of scripts/test.sh have made is used as long as its sources have not changed: the
# Python package (build/wheel), the javadoc (build/java) and the rustdoc (bindings/rust/target).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/packages.sh docs
env=build/venv-docs
out=build/docs/html

# stale FILE FOLDER...: whether FILE is missing, or older than something in the folders.
stale() {
  local file=$1
  shift
  [ ! -e "$file" ] || [ -n "$(find "$@" -name '*cache*' -prune -o -type f -newer "$file" -print -quit)" ]
}

[ -x "$env/bin/python" ] || python3 -m venv "$env"
"$env/bin/pip" install -q --disable-pip-version-check -r docs/requirements.txt

wheel=$(compgen -G 'build/wheel/gls-*.whl' || true)
if stale "${wheel:-none}" bindings/python bindings/swig include src; then
  scripts/packages.sh build python
  rm -rf build/wheel
  "$env/bin/pip" wheel -q --disable-pip-version-check --no-deps -w build/wheel \
    --config-settings=build-dir="$PWD/build/python" ./bindings/python
  wheel=$(echo build/wheel/gls-*.whl)
fi
"$env/bin/pip" install -q --disable-pip-version-check --force-reinstall --no-deps "$wheel"

javadoc=$(compgen -G 'build/java/target/gls-*-javadoc.jar' || true)
if stale "${javadoc:-none}" bindings/java/src bindings/java/pom.xml; then
  scripts/java.sh jars
  javadoc=$(echo build/java/target/gls-*-javadoc.jar)
fi
rustdoc=bindings/rust/target/doc
if stale "$rustdoc/gls/index.html" bindings/rust/gls/src bindings/rust/gls-sys/src; then
  scripts/rust.sh doc
fi

rm -rf "$out"
"$env/bin/sphinx-build" -q -E -W --keep-going -j auto -b html -d build/docs/doctrees docs "$out"
mkdir "$out/java"
"$env/bin/python" -m zipfile -e "$javadoc" "$out/java"
cp -r "$rustdoc" "$out/rust"
"$env/bin/python" scripts/checks/check_links.py "$out"
