#!/bin/sh
# Imports Cora with the gls command, or with the program that GLS_TOOL names:
#
#   import.sh FOLDER [OPTION...]     options are those of gls import numpy
set -eu
cora=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
gzip -dc "$cora/x.npy.gz" >"$scratch/x.npy"
"${GLS_TOOL:-gls}" import numpy --edges "$cora/edges.npy" \
  --node-column "x=$scratch/x.npy" --node-column "y=label=$cora/y.npy" \
  --id-set "train=$cora/train.npy" --id-set "valid=$cora/valid.npy" --id-set "test=$cora/test.npy" \
  -o "$@"
