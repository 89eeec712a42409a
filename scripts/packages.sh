#!/usr/bin/env bash
# Installs Debian or Ubuntu packages that are missing. With root or sudo; otherwise it says what to
# install and fails. A tool that is there already, and new enough, is used: a JDK that was unpacked, say.
#
#   scripts/packages.sh GROUP...      groups: build, python, java, jdk, rust, bindgen, abi, git, deb, test, cluster, redis, lint,
#                                     docs, browser
set -euo pipefail

packages=()
for group in "$@"; do
  case "$group" in
    build)
      packages+=(g++ cmake ninja-build pkg-config flatbuffers-compiler libflatbuffers-dev
        libfmt-dev liburing-dev nlohmann-json3-dev libxxhash-dev zlib1g-dev libcli11-dev libmetis-dev
        libasio-dev libssl-dev libucx-dev libfabric-dev)
      ;;
    python) packages+=(python3 python3-dev python3-venv swig) ;;
    java) packages+=(default-jdk-headless maven swig python3) ;;
    test)
      packages+=(ccache libgtest-dev libcmocka-dev libjansson-dev clang lld abigail-tools binutils
        iproute2 openssl openmpi-bin e2fsprogs mount)
      ;;
    redis) packages+=(redis-server) ;;
    cluster) packages+=(munge slurm-client slurmctld slurmd) ;;
    # Debian 12 has Rust 1.63, which is enough for the crates and too old for their tests, and a newer
    # one for browsers. It has no clippy.
    rust)
      if apt-cache show cargo-web >/dev/null 2>&1; then
        packages+=(cargo-web rustc-web rustfmt-web)
      else
        packages+=(cargo rustc rust-clippy rustfmt)
      fi
      ;;
    bindgen) packages+=(bindgen clang) ;;
    abi) packages+=(abigail-tools binutils) ;;
    git) packages+=(git) ;;
    docs) packages+=(graphviz python3 python3-venv) ;;
    browser) packages+=(chromium fonts-dejavu-core) ;;
    jdk) packages+=(default-jdk-headless) ;;
    deb) packages+=(dpkg-dev file gzip lintian mmdebstrap) ;;
    lint) packages+=(black clang-format git python3-venv shellcheck codespell) ;;
    *)
      echo "packages.sh: unknown group $group" >&2
      exit 2
      ;;
  esac
done

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo)
fi

# at_least VERSION COMMAND...: whether the first version that the command prints is so new.
at_least() {
  local wanted=$1 found
  shift
  found=$("$@" 2>&1 | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1) || return 1
  [ -n "$found" ] && [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1)" = "$wanted" ]
}

# Whether a tool of a package is there from elsewhere. Libraries, and tools that must fit one, are not asked for.
provided() {
  case "$1" in
    default-jdk-headless)
      local home=${JAVA_HOME:-}
      [ -n "$home" ] || home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
      [ -e "$home/include/jni.h" ] && at_least 17.0 "$home/bin/javac" -version
      ;;
    maven) command -v mvn ;;
    swig) at_least 4.1 swig -version ;;
    cmake) at_least 3.25 cmake --version ;;
    ninja-build) command -v ninja ;;
    pkg-config | ccache | clang-format | git | shellcheck | codespell | black | openssl | gzip | file) command -v "$1" ;;
    graphviz) command -v dot ;;
    redis-server) command -v redis-server ;;
    chromium) command -v chromium || command -v google-chrome ;;
    cargo | cargo-web) command -v cargo ;;
    rustc | rustc-web) command -v rustc ;;
    rustfmt | rustfmt-web) command -v rustfmt ;;
    rust-clippy) command -v cargo-clippy ;;
    *) return 1 ;;
  esac >/dev/null 2>&1
}

# Installs those of its arguments that are missing.
ensure() {
  local missing=() package
  for package in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ] && ! provided "$package"; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return
  fi
  if [ ${#as_root[@]} -gt 0 ] && ! command -v sudo >/dev/null; then
    echo "packages.sh: neither root nor sudo; install by hand: ${missing[*]}" >&2
    exit 1
  fi
  echo "installing: ${missing[*]}" >&2
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get install -y -q --no-install-recommends "${missing[@]}")
  # Package lists may be old or absent on a fresh machine.
  "${install[@]}" >/dev/null 2>&1 || {
    "${as_root[@]}" apt-get update -q >/dev/null
    "${install[@]}" >/dev/null
  }
}

ensure "${packages[@]}"
if [[ " $* " == *" test "* ]]; then
  # libFuzzer and the sanitizers of clang, whose package carries the version in its name.
  version=$(clang --version | sed -n 's/.*clang version \([0-9]*\).*/\1/p')
  ensure "libclang-rt-$version-dev"
fi
