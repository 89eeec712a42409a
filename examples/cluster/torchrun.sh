#!/usr/bin/env bash
# Servers and trainers on this machine, which is how a training that is to run on many is tried out.
#
#   examples/cluster/torchrun.sh PARTS [TRAINERS] [options of train.py]
#
# PARTS is a folder of parts (prepare.py). Needs `gls`, `torchrun` and `openssl` in PATH.
set -euo pipefail

parts=${1:?usage: torchrun.sh PARTS [TRAINERS] [options of train.py]}
trainers=${2:-2}
shift $(($# < 2 ? $# : 2))
here=$(dirname "$(realpath "$0")")

work=$(mktemp -d)
servers=()
finish() {
  [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true # SIGTERM: they drain
  wait
  rm -rf "$work"
}
trap finish EXIT

# Who has the key may connect. On several machines it is a file that each of them has.
if [ -z "${GLS_NET_KEY_FILE:-}" ]; then
  (umask 077 && openssl rand -hex 32 >"$work/key")
  export GLS_NET_KEY_FILE=$work/key
fi

# A server for each part, on a port that is free; the second one on know the first.
known=()
for folder in "$parts"/part-*; do
  k=${folder##*-}
  gls serve "$parts" --part "$k" "${known[@]}" --json --quiet >"$work/server-$k" &
  servers+=($!)
  for _ in $(seq 300); do
    [ ! -s "$work/server-$k" ] || break
    kill -0 "${servers[-1]}" # else it has said why
    sleep 0.1
  done
  address=$(sed -n 's/.*"address": *"\([^"]*\)".*/\1/p' "$work/server-$k")
  known+=(--server "$address")
done

torchrun --standalone --nproc-per-node "$trainers" "$here/train.py" "gls://$address" "$@"
