#!/usr/bin/env bash
# Runs every libFuzzer target for a while, from the seeds in fuzz/corpus.
#
#   scripts/fuzz.sh BUILD SECONDS [TARGET...]
#
# BUILD is a build tree of the preset `asan` or `fuzz`. What is found on the way stays in BUILD/fuzz/corpus; an
# input that breaks a target, in BUILD/fuzz/crashes, and ends the run with a failure.
set -euo pipefail

if [ $# -lt 2 ]; then
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)/fuzz
seconds=$2
shift 2
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for source in "$root"/fuzz/fuzz_*.cc; do
    target=$(basename "$source" .cc)
    targets+=("${target#fuzz_}")
  done
fi

run_one() { # TARGET
  local corpus=$build/corpus/$1 crashes=$build/crashes/$1
  mkdir -p "$corpus" "$crashes"
  local log=$build/$1.log
  if "$build/fuzz_$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3072 -max_len=65536 \
    -artifact_prefix="$crashes/" -print_final_stats=1 "$corpus" "$root/fuzz/corpus/$1" \
    >"$log" 2>&1; then
    printf '%-20s %s runs, coverage %s\n' "$1" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
      "$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f2)"
  else
    printf '%-20s FAILED; the end of %s:\n' "$1" "$log"
    tail -n 40 "$log"
    return 1
  fi
}
export -f run_one
export root build seconds
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'run_one {}'
