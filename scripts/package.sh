#!/usr/bin/env bash
# Builds the packages people install, into build/dist, with SHA256SUMS.
#
#   scripts/package.sh [KIND...]     all kinds by default:
#
#   tarball   gls-VERSION.tar.gz: the release, and Python's sdist; "sdist" is the same word
#   wheel     of the python3 that is found, or the one that GLS_PYTHON names
#   jar       classes with their libraries, sources, javadoc, and the pom
#   crate     gls-sys, with the sources of the library, and gls; needs cargo 1.90
#   deb       libgls0, libgls-dev, gls-tools
#
# Wheel and Debian packages have the part that reads other systems' datasets, which needs cargo 1.85; not
# with GLS_FORMATS=OFF. With GLS_CUDA=ON wheel, jar and Debian packages have the part for GPUs, too.
#
# The same sources give the same bytes, wherever they lie: see docs/packaging.md.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."

all=(tarball wheel jar crate deb)
kinds=("${@/#sdist/tarball}")
[ ${#kinds[@]} -gt 0 ] || kinds=("${all[@]}")
for kind in "${kinds[@]}"; do
  if [[ " ${all[*]} " != *" $kind "* ]]; then
    echo "package.sh: unknown kind $kind, expected some of: ${all[*]} sdist" >&2
    exit 2
  fi
done

[ ! -e .git ] || scripts/packages.sh git # has the time of the last commit
version=$(scripts/version.sh)
SOURCE_DATE_EPOCH=$(scripts/version.sh --epoch)
export SOURCE_DATE_EPOCH TZ=UTC
umask 022
dist=$PWD/build/dist
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$dist"

if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,locale
fi
export GLS_CUDA=${GLS_CUDA:-OFF} GLS_FORMATS=${GLS_FORMATS:-ON}
if [ "$GLS_CUDA" = ON ]; then
  CUDACXX=${CUDACXX:-$(scripts/cuda.sh)}
  export CUDACXX
fi
# pip would name the same compiler g++, and the cache takes that for another one.
export CC=${CC:-cc} CXX=${CXX:-c++}

# The Python environment with the tools of package.txt.
tools() {
  local python=${GLS_PYTHON:-python3} dir
  scripts/packages.sh python >&2
  dir=build/venv-package-$("$python" -c 'import sys; print(sys.implementation.cache_tag)')
  [ -x "$dir/bin/pip" ] || "$python" -m venv "$dir"
  "$dir/bin/pip" install -q --disable-pip-version-check -r scripts/requirements/package.txt
  echo "$PWD/$dir/bin"
}

needs_cargo() {
  [ "$GLS_FORMATS" != ON ] || command -v cargo >/dev/null || scripts/packages.sh rust
}

package_tarball() {
  local bin
  if [ -e .git ] && [ -n "$(git status --porcelain)" ]; then
    echo "package.sh: the archive has changes that are not committed" >&2
  fi
  bin=$(tools)
  rm -f "$dist"/gls-*.tar.gz
  "$bin/python" -c 'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' \
    "$dist" >/dev/null
}

package_wheel() {
  local bin
  needs_cargo
  scripts/packages.sh build python
  bin=$(tools)
  "$bin/pip" wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
    --check-build-dependencies --config-settings=build-dir="$PWD/build/python" --config-settings=cmake.define.GLS_CUDA="$GLS_CUDA" \
    --config-settings=cmake.define.GLS_FORMATS="$GLS_FORMATS" -w "$scratch/wheel" .
  rm -f "$dist"/gls-*.whl
  # The oldest system whose libraries will do is found in the symbols; no library is added.
  PATH=$bin:$PATH "$bin/auditwheel" repair --plat auto -w "$dist" "$scratch"/wheel/gls-*.whl \
    >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    return 1
  }
}

package_jar() {
  local file
  scripts/java.sh jars
  rm -f "$dist"/gls-*.jar "$dist"/gls-*.pom
  for file in "$version" "$version-sources" "$version-javadoc"; do
    cp "build/java/target/gls-$file.jar" "$dist"
  done
  cp bindings/java/pom.xml "$dist/gls-$version.pom"
}

package_crate() {
  command -v cargo >/dev/null || scripts/packages.sh rust
  # Outside the tree: cargo records the state of a repository that it finds itself in. What a crate is to
  # hold must lie in its folder.
  local stage=$scratch/crates crate
  mkdir -p "$stage"
  cp -r bindings/rust/{Cargo.toml,README.md,gls-sys,gls} "$stage"
  mkdir "$stage/gls-sys/libgls"
  cp -r CMakeLists.txt cmake include plugins src "$stage/gls-sys/libgls"
  for crate in gls-sys gls; do
    cp LICENSE "$stage/$crate"
  done
  # Their building is for the tests: gls-sys would look for a library here.
  (cd "$stage" && cargo package -q --workspace --no-verify)
  rm -f "$dist"/gls*.crate
  cp "$stage"/target/package/*.crate "$dist"
}

package_deb() {
  needs_cargo
  scripts/packages.sh build deb
  # As the preset "release", so that what it compiled is found in a compiler cache.
  cmake -S . -B build/deb -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_SKIP_INSTALL_RPATH=ON -DGLS_BUILD_TESTS=OFF -DGLS_CUDA="$GLS_CUDA" \
    -DGLS_FORMATS="$GLS_FORMATS" >/dev/null
  cmake --build build/deb >/dev/null
  rm -f "$dist"/*.deb
  (cd build/deb && cpack -G DEB -B "$scratch/deb" >/dev/null)
  cp "$scratch"/deb/*.deb "$dist"
}

for kind in "${kinds[@]}"; do
  started=$SECONDS
  "package_$kind"
  echo "package: $kind in $((SECONDS - started)) s"
done
(cd "$dist" && rm -f SHA256SUMS && sha256sum -- * >"$scratch/sums" && mv "$scratch/sums" SHA256SUMS)
