#!/usr/bin/env bash
# From a fresh clone to a trained model: installs packages, builds, imports a real graph (Cora, bundled),
# trains a two-layer GraphSAGE through the loader, and prints accuracy and speed. The last line is JSON.
#
#   scripts/quickstart.sh                         # Cora, a few minutes, most of them building
#   scripts/quickstart.sh --graph products-like   # and the speed on 2.4 million nodes, 124 million edges
#   scripts/quickstart.sh --seeds 5               # number of trainings (default 5)
set -euo pipefail
cd "$(dirname "$0")/.."

graph=cora
seeds=5
while [ $# -gt 0 ]; do
  case "$1" in
    --graph)
      graph=${2:?--graph needs a name}
      shift 2
      ;;
    --seeds)
      seeds=${2:?--seeds needs a number}
      shift 2
      ;;
    -h | --help)
      sed -n '2,8s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *)
      echo "quickstart.sh: unknown argument $1" >&2
      exit 2
      ;;
  esac
done
case "$graph" in
  cora | products-like) ;;
  *)
    echo "quickstart.sh: unknown graph $graph, expected cora or products-like" >&2
    exit 2
    ;;
esac

step() { printf '\n== %s\n' "$*"; }

step "packages"
scripts/packages.sh build python

build=build/quickstart
prefix=$PWD/$build/installed
step "building libgls and the gls command"
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DGLS_BUILD_TESTS=OFF >/dev/null
cmake --build $build
cmake --install $build --prefix "$prefix" >/dev/null

step "the Python package, on the library just built"
venv=$build/venv
[ -x $venv/bin/python ] || python3 -m venv $venv
CMAKE_PREFIX_PATH=$prefix $venv/bin/pip install -q --disable-pip-version-check \
  --config-settings=cmake.source-dir=bindings/python .

gls=$prefix/bin/gls

if [ "$graph" = products-like ]; then
  data=$build/data/products-like
  if [ ! -f $data/manifest.json ]; then
    step "generating a power-law graph"
    $gls generate --preset products-like -o $data
  fi
  $gls inspect $data
  step "sampling and gathering"
  $gls bench $data
  $gls bench $data --json >$build/bench.json
fi

step "importing Cora"
data=$build/data/cora
GLS_TOOL=$gls examples/data/cora/import.sh $data --overwrite
$gls inspect $data

step "training GraphSAGE"
$venv/bin/python examples/graphsage_numpy/train.py --data $data --seeds "$seeds" | tee $build/train.txt
if [ "$graph" = products-like ]; then
  # The speed of the large run in place of Cora's, which fits the caches.
  python3 - $build/train.txt $build/bench.json <<'PYTHON'
import json, sys

with open(sys.argv[1]) as train, open(sys.argv[2]) as bench:
    result, large = json.loads(train.readlines()[-1]), json.load(bench)
result["edges_per_s"] = large["rates"]["edges_per_second"]
print(json.dumps({"graph": "products-like", **result}))
PYTHON
fi
