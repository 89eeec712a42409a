#!/usr/bin/env bash
# Builds the plugin libgls_tables.so, which reads Parquet and Arrow files, in build/tables.
#
#   scripts/tables.sh          builds it and prints its folder, for GLS_PLUGIN_PATH
#   scripts/tables.sh check    format, clippy, and the plugin's own tests
#
# Needs cargo 1.85 or newer and the crates of plugins/tables/Cargo.toml. Missing packages are installed.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo >/dev/null || scripts/packages.sh rust
export CARGO_TARGET_DIR=$PWD/build/tables/cargo
cd plugins/tables
case ${1:-build} in
build)
  cargo build -q --release >&2
  install -m 644 ../../build/tables/cargo/release/libgls_tables.so ../../build/tables/libgls_tables.so
  (cd ../../build/tables && pwd)
  ;;
check)
  cargo fmt --check
  cargo clippy -q --release --all-targets -- -D warnings
  cargo test -q --release
  ;;
*)
  sed -n '2,/^set /s/^# \{0,1\}//p' "../../scripts/$(basename "$0")"
  exit 2
  ;;
esac
