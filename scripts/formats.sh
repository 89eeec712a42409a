#!/usr/bin/env bash
# Builds the plugin libgls_formats.so, which reads recipes, tables and the datasets of other systems, in
# build/formats.
#
#   scripts/formats.sh          builds it and prints its folder, for GLS_PLUGIN_PATH
#   scripts/formats.sh check    format, clippy, and the plugin's own tests
#   scripts/formats.sh fuzz [SECONDS [TARGET...]]
#                               runs every target of plugins/formats/fuzz with libFuzzer, 10 seconds each
#   scripts/formats.sh schema   writes the JSON Schema of recipes, docs/reference/recipe.schema.json
#
# What fuzzing finds on its way stays in build/formats/fuzz/corpus; an input that breaks a target, in
# build/formats/fuzz/crashes, and ends the run with a failure. Fuzzing needs a compiler of C++, too.
#
# Needs cargo 1.85 or newer and the crates of plugins/formats/Cargo.toml. Missing packages are installed.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo >/dev/null || scripts/packages.sh rust
export CARGO_TARGET_DIR=$PWD/build/formats/cargo
cd plugins/formats

# Coverage for libFuzzer with a stable compiler. Panics, hangs and memory count; safe Rust needs no sanitizer.
coverage=-Cpasses=sancov-module
for what in level=4 inline-8bit-counters pc-table trace-compares; do
  coverage+=" -Cllvm-args=-sanitizer-coverage-$what"
done
coverage+=" -Cdebug-assertions --cfg fuzzing"

fuzz_one() { # TARGET
  local found=$fuzz/corpus/$1 seeds=$fuzz/seeds/$1 crashes=$fuzz/crashes/$1 log=$fuzz/$1.log
  mkdir -p "$found" "$seeds" "$crashes"
  # Larger allocations and files are faults, or errors.
  if (
    trap '' XFSZ
    ulimit -v $((6 << 20)) -f $((128 << 10))
    GLS_FUZZ_TARGET=$1 GLS_FUZZ_SEEDS=$seeds TMPDIR=$scratch "$fuzz_program" -max_total_time="$seconds" \
      -timeout=10 -rss_limit_mb=2048 -max_len=65536 -artifact_prefix="$crashes/" -print_final_stats=1 \
      "$found" corpus/"$1" "$seeds" >"$log" 2>&1
  ); then
    printf '%-14s %s runs, coverage %s to %s\n' "$1" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
      "$(sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p' "$log")" \
      "$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f2)"
  else
    printf '%-14s FAILED; the end of %s:\n' "$1" "$log"
    tail -n 40 "$log"
    return 1
  fi
}

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
  cd fuzz
  cargo fmt --check
  cargo clippy -q --all-targets -- -D warnings
  cargo test -q
  ;;
fuzz)
  seconds=${2:-10}
  fuzz=${CARGO_TARGET_DIR%cargo}fuzz
  export CARGO_TARGET_DIR=$fuzz/cargo
  host=$(rustc -vV | sed -n 's/^host: //p')
  cd fuzz
  # With --target, what runs during the build has no coverage.
  RUSTFLAGS=$coverage cargo build -q --release --target "$host" --features libfuzzer
  fuzz_program=$CARGO_TARGET_DIR/$host/release/fuzz_formats
  targets=("${@:3}")
  [ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls corpus)
  scratch=$(mktemp -d --tmpdir=/dev/shm gls-fuzz.XXXXXX)
  trap 'rm -rf "$scratch"' EXIT
  export -f fuzz_one
  export fuzz fuzz_program scratch seconds
  printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz_one {}'
  ;;
schema)
  GLS_WRITE_SCHEMA=1 cargo test -q the_published_schema >&2
  ;;
*)
  sed -n '2,/^set /s/^# \{0,1\}//p' "../../scripts/$(basename "$0")"
  exit 2
  ;;
esac
