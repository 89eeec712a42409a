#!/usr/bin/env bash
# The version of the project: include/gls/version.h has it, and CMake and Python read it there. Other files
# must hold it as text.
#
#   scripts/version.sh               prints it
#   scripts/version.sh --check       exit status 1 when one of those files has another one
#   scripts/version.sh --set X.Y.Z   writes it everywhere, and begins a section in CHANGELOG.md; needs
#                                    what scripts/rust_bindings.sh needs
#   scripts/version.sh --epoch       when it was released, for SOURCE_DATE_EPOCH: midnight of the date in
#                                    CHANGELOG.md; before the release, the time of the last commit
set -euo pipefail
cd "$(dirname "$0")/.."

header=include/gls/version.h
number='[0-9]+\.[0-9]+\.[0-9]+'
# FILE|BEFORE|AFTER, as extended regular expressions: the first such line of the file has the version.
places=(
  'CHANGELOG.md|^## | - '
  'bindings/java/pom.xml|^  <version>|</version>$'
  'bindings/java/README.md|^  <version>|</version>$'
  'bindings/java/README.md|^.*implementation\("org\.gls:gls:|"\)'
  'bindings/rust/gls-sys/Cargo.toml|^version = "|"$'
  'bindings/rust/gls/Cargo.toml|^version = "|"$'
  'plugins/formats/Cargo.toml|^version = "|"$'
  'bindings/rust/gls/Cargo.toml|^gls-sys = \{ path = "\.\./gls-sys", version = "|" \}$'
)

version() {
  sed -nE 's/^#define GLS_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' $header | paste -sd .
}

check() {
  local wanted place file before after found status=0
  wanted=$(version)
  for place in "${places[@]}"; do
    IFS='|' read -r file before after <<<"$place"
    found=$(sed -nE "s@$before($number)$after.*@\1@p" "$file" | head -n 1)
    if [ "$found" != "$wanted" ]; then
      echo "version.sh: $file has version ${found:-nowhere}, $header has $wanted" >&2
      status=1
    fi
  done
  return $status
}

set_version() {
  local new=$1 name value place file before after
  if ! [[ $new =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
    echo "version.sh: $new is no version, expected three numbers as in 1.2.3" >&2
    exit 2
  fi
  for name in MAJOR=1 MINOR=2 PATCH=3; do
    value=$(cut -d . -f "${name#*=}" <<<"$new")
    sed -i -E "s/^(#define GLS_VERSION_${name%=*}) [0-9]+$/\1 $value/" $header
  done
  # What was released keeps its section.
  if ! grep -m 1 '^## ' CHANGELOG.md | grep -q 'unreleased$'; then
    sed -i "0,/^## /s//## $new - unreleased\n\n## /" CHANGELOG.md
  fi
  for place in "${places[@]}"; do
    IFS='|' read -r file before after <<<"$place"
    sed -i -E "0,\@$before$number$after@s@($before)$number($after)@\1$new\2@" "$file"
  done
  # The declarations in Rust are made from the header.
  scripts/rust_bindings.sh
  check
}

epoch() {
  local date
  date=$(sed -nE "s/^## $number - ([0-9]{4}-[0-9]{2}-[0-9]{2})$/\1/p;/^## /q" CHANGELOG.md)
  if [ -n "$date" ]; then
    date -u -d "$date" +%s
  elif [ -e .git ]; then
    git log -1 --format=%ct
  else # an unpacked archive: its files bear that time
    stat -c %Y CHANGELOG.md
  fi
}

case "${1:-}" in
  '') version ;;
  --check) check ;;
  --set) set_version "${2:?version.sh: --set needs a version}" ;;
  --epoch) epoch ;;
  *)
    sed -n '5,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
