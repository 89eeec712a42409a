#!/usr/bin/env bash
# Installs Debian or Ubuntu packages that are missing. With root or sudo; otherwise it says what to
# install and fails.
#
#   scripts/packages.sh GROUP...      groups: build, python, java, rust, bindgen, deb, test, cluster, lint, docs
set -euo pipefail

packages=()
for group in "$@"; do
  case "$group" in
    build)
      packages+=(g++ cmake ninja-build pkg-config flatbuffers-compiler libflatbuffers-dev
        libfmt-dev nlohmann-json3-dev libxxhash-dev zlib1g-dev libcli11-dev libmetis-dev
        libasio-dev libssl-dev libucx-dev libfabric-dev)
      ;;
    python) packages+=(python3 python3-dev python3-venv swig) ;;
    java) packages+=(default-jdk-headless maven swig) ;;
    test)
      packages+=(ccache libgtest-dev libcmocka-dev libjansson-dev clang lld abigail-tools binutils
        iproute2 openssl openmpi-bin)
      ;;
    cluster) packages+=(munge slurm-client slurmctld slurmd) ;;
    # Debian 12 has Rust 1.63: enough for the crates, too old for their tests and optional features.
    rust) packages+=(cargo rustc rust-clippy rustfmt) ;;
    bindgen) packages+=(bindgen clang) ;;
    docs) packages+=(graphviz python3 python3-venv) ;;
    deb) packages+=(dpkg-dev file gzip lintian mmdebstrap) ;;
    lint) packages+=(black clang-format python3-venv shellcheck codespell) ;;
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

# Installs those of its arguments that are missing.
ensure() {
  local missing=() package
  for package in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
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
