#!/usr/bin/env bash
# Builds the plugin libgls_formats.so, which reads recipes, tables and the datasets of other systems, in
# build/formats.
#
#   scripts/formats.sh          builds it and prints its folder, for GLS_PLUGIN_PATH
#   scripts/formats.sh check    format, clippy, and the plugin's own tests
#   scripts/formats.sh schema   writes the JSON Schema of recipes, docs/reference/recipe.schema.json
#
# Needs cargo 1.85 or newer and the crates of plugins/formats/Cargo.toml. Missing packages are installed.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo >/dev/null || scripts/packages.sh rust
export CARGO_TARGET_DIR=$PWD/build/formats/cargo
cd plugins/formats
case ${1:-build} in
build)
  cargo build -q --release >&2
  install -m 644 ../../build/formats/cargo/release/libgls_formats.so ../../build/formats/libgls_formats.so
  (cd ../../build/formats && pwd)
  ;;
check)
  cargo fmt --check
  cargo clippy -q --all-targets -- -D warnings
  cargo test -q # not as released: optimising the tests takes longer than running them
  ;;
schema)
  GLS_WRITE_SCHEMA=1 cargo test -q the_published_schema >&2
  ;;
*)
  sed -n '2,/^set /s/^# \{0,1\}//p' "../../scripts/$(basename "$0")"
  exit 2
  ;;
esac
