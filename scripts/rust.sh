#!/usr/bin/env bash
# Checks the Rust binding: formatting, clippy, declarations, tests, documentation, examples.
#
#   scripts/rust.sh [STAGE...]     all stages by default:
#
#   fmt        rustfmt
#   drift      the checked-in declarations are those of gls.h
#   clippy     warnings are errors
#   test       unit tests, tests, conformance vectors, with the features ndarray, async and arrow
#   doc        documentation and the examples in it
#   features   candle is compiled
#   examples   GraphSAGE on Cora, the overhead, the tutorial, a digest, a server
#
# One more runs only when it is named, as it needs a nightly toolchain with Miri, and no library:
#
#   miri       the parts that call no C: views, types, names, DLPack, the waker of a stream
#
# GLS_LIB_DIR names the folder of libgls.so; without it, build/release is built. Tests also build the plugin for
# GPUs that runs on a processor there, unless GLS_CUDA_ON_HOST names its folder.
set -euo pipefail
cd "$(dirname "$0")/.."

all=(fmt drift clippy test doc features examples)
stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=("${all[@]}")
for stage in "${stages[@]}"; do
  if [[ " ${all[*]} miri " != *" $stage "* ]]; then
    echo "rust.sh: unknown stage $stage, expected one of: ${all[*]} miri" >&2
    exit 2
  fi
done

# A toolchain that is there already is used; Debian's is old.
command -v cargo >/dev/null || scripts/packages.sh rust
if [ "${stages[*]}" != miri ]; then # which needs none of this
  scripts/packages.sh bindgen
  if [ -z "${GLS_LIB_DIR:-}" ]; then
    scripts/packages.sh build
    # The library alone needs nothing that only tests do. Where there is a release build, it is that one's.
    tree=build/release
    if [ ! -e $tree/build.ninja ] && [[ " ${stages[*]} " != *" test "* ]]; then
      tree=build/library
      cmake --preset release -B $tree -DGLS_BUILD_TESTS=OFF -DGLS_BUILD_BENCH=OFF -DGLS_BUILD_TOOLS=OFF >/dev/null
    elif [ ! -e $tree/build.ninja ]; then
      scripts/packages.sh test
      cmake --preset release >/dev/null
    fi
    cmake --build $tree --target src/all # the library, and its parts beside it
    GLS_LIB_DIR=$PWD/$tree/src
  fi
  export GLS_LIB_DIR
  export LD_LIBRARY_PATH=$GLS_LIB_DIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
root=$PWD
cd bindings/rust

# Optional features that compile in seconds. One set for all, as each set compiles everything anew.
light=gls/ndarray,gls/async,gls/arrow

stage_fmt() { cargo fmt --all --check; }

stage_drift() { "$root/scripts/rust_bindings.sh" --check; }

# Debian's newer Rust comes without clippy, and no other fits it.
stage_clippy() {
  if [ "$(dpkg-query -W -f '${db:Status-Status}' cargo-web 2>/dev/null)" = installed ] && ! command -v cargo-clippy >/dev/null; then
    echo "rust: clippy: not run: Debian has none for its package cargo-web" >&2
    return
  fi
  cargo clippy -q --workspace --all-targets --features "$light" -- -D warnings
  cargo clippy -q -p gls --no-default-features -- -D warnings
}

stage_test() {
  local -x GLS_PLUGIN_PATH CUDA_ON_HOST_DEVICES=4
  GLS_PLUGIN_PATH=$("$root/scripts/cuda_on_host.sh")
  cargo test -q --workspace --lib --bins --tests --features "$light"
}

stage_doc() {
  cargo test -q --workspace --doc --features "$light"
  RUSTDOCFLAGS="-D warnings" cargo doc -q --workspace --no-deps --features "$light"
}

stage_features() {
  if command -v cargo-clippy >/dev/null; then
    cargo clippy -q -p gls --features candle -- -D warnings
  else
    cargo check -q -p gls --features candle
  fi
}

# Miri runs no C, so the library is not even looked for, as where only documentation is made.
stage_miri() { DOCS_RS=1 cargo +nightly miri test -p gls --lib --features ndarray,async; }

stage_examples() {
  cargo run -q --release -p gls --example graphsage
  cargo run -q --release -p gls --example overhead
  cargo run -q --release -p gls --example tutorial -- "$root/examples/tutorial/ratings.csv" \
    target/ratings
  cargo build -q --release -p gls --example digest --example serve --example talk
  # Without cargo, and without anything in the environment.
  local digest=(env -i target/release/examples/digest "cora:$root/examples/data/cora"
    --id-set train --batch-size 32 --shuffle --seed 7 --epochs 2) whole first rest
  # A run in two parts gives the batches of a whole one.
  whole=$("${digest[@]}" | head -n -1)
  first=$("${digest[@]}" --stop-after 3)
  rest=$(tail -n 1 <<<"$first" | "${digest[@]}" --resume - | head -n -1)
  if [ "$whole" != "$(head -n -2 <<<"$first")"$'\n'"$rest" ]; then
    echo "rust.sh: a resumed run gives other batches than a whole one" >&2
    return 1
  fi
}

for stage in "${stages[@]}"; do
  echo "rust: $stage"
  "stage_$stage"
done
