#!/usr/bin/env bash
# Runs scripts and stages of scripts/test.sh, each alone, in a fresh Debian of this machine's release that has apt and
# nothing more, as a person does who has just cloned the repository: each must install what it needs.
#
#   tests/packages/fresh_root.sh [STAGE...]     by default: scripts/docs.sh scripts/java.sh scripts/rust.sh python
#
# A stage may have arguments: "scripts/java.sh classes".
#
# It takes root, a network that reaches the package registries, some 10 GB in TMPDIR for each stage, and an
# hour or so: it is run by hand. What is committed is tested. A stage that takes longer than GLS_FRESH_LIMIT
# seconds (7200) has failed. The logs are in build/fresh-root.
#
#   GLS_FRESH_CARRY   files and folders of this machine, "/etc/pip.conf:/usr/local/share/ca-certificates", that
#                     package managers need here; they are copied to the same places
#   GLS_FRESH_ENV     names of variables that they need: "PIP_CERT SSL_CERT_FILE". With PYTEST_ADDOPTS, set to
#                     "--collect-only", Python's tests are found and not run
#   GLS_FRESH_CCACHE  a folder of ccache, which is then installed beforehand and saves most of the time
set -euo pipefail
cd "$(dirname "$0")/../.."

stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(scripts/docs.sh scripts/java.sh scripts/rust.sh python)
if [ "$(id -u)" -ne 0 ]; then
  echo "fresh_root.sh: run it as root, as it mounts and changes roots" >&2
  exit 2
fi
# What is mounted below is gone with this process.
if [ "${GLS_FRESH_INSIDE:-}" != "$$" ]; then
  exec env GLS_FRESH_INSIDE=$$ unshare --mount "$0" "$@"
fi

scripts/packages.sh deb
limit=${GLS_FRESH_LIMIT:-7200}
logs=$PWD/build/fresh-root
mkdir -p "$logs"
scratch=$(mktemp -d)
mounted=()
clean() {
  local at
  for at in "${mounted[@]}"; do
    umount -l "$at" || true
  done
  mounted=()
  rm -rf --one-file-system "${scratch:?}"/root
}
trap 'clean; rm -rf --one-file-system "$scratch"' EXIT

# This machine's own sources, without those of other vendors.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/{debian,ubuntu}.sources; do
  [ ! -s "$file" ] || sources+=("$file")
done
include=ca-certificates${GLS_FRESH_CCACHE:+,ccache}
mmdebstrap --mode=root --variant=apt --quiet --include="$include" \
  "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$scratch/base.tar" "${sources[@]}"

# make_root: a root with a clone of what is committed in /src.
make_root() {
  local root=$scratch/root from
  mkdir "$root"
  tar -C "$root" -xf "$scratch/base.tar"
  git clone -q --depth 1 "file://$PWD" "$root/src"
  IFS=: read -r -a carried <<<"${GLS_FRESH_CARRY:-}"
  for from in /etc/resolv.conf "${carried[@]}"; do
    mkdir -p "$root$(dirname "$from")"
    cp -rL "$from" "$root$(dirname "$from")/"
  done
  for from in /proc /sys /dev; do
    mount --rbind "$from" "$root$from"
    mount --make-rslave "$root$from"
    mounted+=("$root$from")
  done
  if [ -n "${GLS_FRESH_CCACHE:-}" ]; then
    mkdir -p "$root/ccache"
    mount --bind "$GLS_FRESH_CCACHE" "$root/ccache"
    mounted+=("$root/ccache")
  fi
}

# inside COMMAND...: runs it in the root, with little of this environment.
inside() {
  local kept=() name
  for name in ${GLS_FRESH_ENV:-}; do
    kept+=("$name=${!name}")
  done
  if [ -n "${GLS_FRESH_CCACHE:-}" ]; then
    kept+=(CCACHE_DIR=/ccache CCACHE_BASEDIR=/src CCACHE_NOHASHDIR=1)
    kept+=("CCACHE_SLOPPINESS=pch_defines,time_macros,locale" CC=cc CXX=c++)
    kept+=(CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  timeout "$limit" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${kept[@]}" chroot "$scratch/root" "$@"
}

failed=()
for stage in "${stages[@]}"; do
  started=$SECONDS
  make_root
  log=$logs/$(basename "${stage%% *}" .sh).log
  words="scripts/test.sh $stage"
  [ -x "${stage%% *}" ] && words=$stage
  if inside sh -c "cd /src && update-ca-certificates >/dev/null 2>&1 && exec $words" >"$log" 2>&1; then
    echo "fresh_root: $stage passed in $((SECONDS - started)) s"
  else
    echo "fresh_root: $stage failed in $((SECONDS - started)) s; the end of $log:" >&2
    tail -n 30 "$log" >&2
    failed+=("$stage")
  fi
  clean
done
[ ${#failed[@]} -eq 0 ]
