#!/usr/bin/env bash
# Measures, each figure a ratio within one run; the last line is JSON.
#
#   scripts/bench.sh sampler [--graph GRAPH]   the sampler against the machine's memory, and its forms
#   scripts/bench.sh methods [--graph GRAPH]   ways of sampling against the uniform one, two threads against one
#   scripts/bench.sh partition [--graph GRAPH] owners of nodes by every method, against a plain pass
#   scripts/bench.sh walks   [--graph GRAPH]   random walks against the machine's memory
#   scripts/bench.sh gather                    feature rows against memcpy and torch
#   scripts/bench.sh loader  [--graph GRAPH]   whole batches in Python, against PyG's and GraphBolt's
#   scripts/bench.sh stores                    columns that callbacks answer, against arrays; a slow store against itself
#   scripts/bench.sh open                      opening 10 GB, for which TMPDIR needs room
#   scripts/bench.sh disk                      batches of 10 GB within less memory, against the disk, a cache of rows and
#                                              PyG; needs root, and 30 GB in build/bench/data the first time
#   scripts/bench.sh peers   [--graph GRAPH]   the sampler from Python against its peers'
#   scripts/bench.sh ways    [--graph GRAPH]   every other way of sampling against the peers that have it
#   scripts/bench.sh ingest                    importing 100 million edges within 4 GiB
#   scripts/bench.sh formats                   importing 50 million edges of Parquet, against pyarrow alone
#   scripts/bench.sh large                     relabelling on 100 million nodes
#   scripts/bench.sh overhead                  what Python adds to a batch
#   scripts/bench.sh types                     batches of graphs with up to 1000 edge types, gls.pyg against PyG
#   scripts/bench.sh feeds                     batches of another process against those of this one
#   scripts/bench.sh net                       calls over TCP, plain and under TLS, against plain sockets
#   scripts/bench.sh cluster                   rows and batches of a graph that is served, against plain sockets, loops over UCX and libfabric, here,
#                                              and torch RPC
#   scripts/bench.sh scaling                   requests and bytes of a batch of a graph in parts, counted and predicted
#   scripts/bench.sh bindings                  what Python, Java and Rust add to a batch
#   scripts/bench.sh gpu                       what a GPU does against what its memory gives, and against all cores; trains with the
#                                              PyTorch of GLS_BENCH_PYTHON (python3). scripts/gpu-check.sh also tests, within minutes
#
# GRAPH is products-like (the default) or arxiv-like; what follows `--` goes to the program that
# measures. `gather`, `loader`, `peers` and `ways` print the results after each round. Ctrl-C and SIGTERM stop
# them, and they print the results so far. Once all is installed and built, the contestants share 5 minutes;
# `gather` also runs a program in C++ before. To change that:
#
#   scripts/bench.sh loader -- --rounds 3      so many rounds at most; default 7
#   scripts/bench.sh loader -- --minutes 20    time for all contestants and rounds; default 5
#   scripts/bench.sh loader -- --only 'gls*'   some contestants; `-- --help` lists all options
#
# They install the peers into environments of their own, in the folder GLS_BENCH_PEERS (build/bench/peers by
# default), which takes 12 GB and a while the first time. `loader` measures graphs with types and with times,
# too. pyg-lib is not in the registry: name a build of it in GLS_BENCH_PYG_LIB to have it measured.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,41s/^# \{0,1\}//p' "$0"; }

name=${1:-}
case "$name" in
  sampler | methods | partition | walks | gather | loader | open | stores | disk | peers | ways | ingest | formats | large | overhead | types | feeds | net | cluster | scaling | bindings | gpu) shift ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
graph=products-like
if [ "${1:-}" = --graph ]; then
  graph=${2:?--graph needs a name}
  shift 2
fi
if [ "${1:-}" = -- ]; then
  shift
fi
case "$graph" in
  products-like | arxiv-like) ;;
  *)
    echo "bench.sh: unknown graph $graph, expected products-like or arxiv-like" >&2
    exit 2
    ;;
esac

build=build/bench
scripts/packages.sh build >&2
cuda=AUTO
if [ "$name" = gpu ]; then
  CUDACXX=$(scripts/cuda.sh)
  export CUDACXX
  cuda=ON
fi
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DGLS_BUILD_TESTS=OFF -DGLS_BUILD_BENCH=ON \
  -DGLS_METIS=ON -DGLS_CUDA=$cuda >&2
cmake --build $build >&2

dataset() {
  folder=$build/data/$graph
  if [ ! -f "$folder/manifest.json" ]; then
    $build/tools/gls generate --preset "$graph" -o "$folder" >&2
  fi
}

python_venv() {
  scripts/packages.sh python >&2
  [ -x $build/venv/bin/python ] || python3 -m venv $build/venv
  $build/venv/bin/pip install -q --disable-pip-version-check \
    --config-settings=build-dir="$PWD/$build/python" numpy . >&2
}

# Installs the peers, and gls beside them.
peers_venv() {
  peers=${GLS_BENCH_PEERS:-$build/peers}
  scripts/packages.sh python >&2
  if [ ! -f "$peers/ready" ]; then
    scripts/peers_venv.sh "$peers" >&2
    touch "$peers/ready"
  fi
  if [ -s "$peers/missing" ]; then
    sed 's/^/not installed: /' "$peers/missing"
  fi
  "$peers/a/bin/pip" install -q --disable-pip-version-check --no-deps \
    --config-settings=build-dir="$PWD/$build/python-peers" . >&2
}

# stoppable COMMAND...: runs it, and passes SIGTERM on to it. It gets SIGINT as this shell does.
stoppable() {
  local child status signaled=1
  "$@" &
  child=$!
  trap 'signaled=1; kill -TERM "$child" || true' TERM
  trap 'signaled=1' INT
  while [ -n "$signaled" ]; do # a signal ends `wait`, and not the command
    signaled=
    status=0
    wait "$child" || status=$?
  done
  trap - TERM INT
  return $status
}

# run_peers LEVEL ARGUMENTS...: all contestants of a level, on the graph's arrays.
run_peers() {
  local level=$1
  shift
  peers_venv
  dataset
  local arrays=$build/data/$graph-arrays
  if [ ! -f "$arrays/y.npy" ]; then
    "$peers/a/bin/python" bench/peers/export.py "$folder" "$arrays" >&2
  fi
  export GLS_BENCH_GATHER=$PWD/$build/bench/libbench_gather_plain.so
  stoppable "$peers/a/bin/python" bench/peers/run.py --graph "$arrays" --level "$level" --name "$name" \
    --output "$build/$name-$graph.json" \
    --python "$peers/a/bin/python" --python "$peers/b/bin/python" "$@"
}

case "$name" in
  sampler)
    dataset
    $build/bench/bench_sampler "$folder" "$@"
    ;;
  methods)
    dataset
    $build/bench/bench_methods "$folder" "$@"
    ;;
  walks)
    dataset
    $build/bench/bench_walks "$folder" "$@"
    ;;
  partition)
    dataset
    GLS_PLUGIN_PATH=$PWD/$build/src $build/bench/bench_partition "$folder" "$@"
    ;;
  open) $build/bench/bench_open "$@" ;;
  stores) $build/bench/bench_stores "$@" ;;
  formats)
    python_venv
    $build/venv/bin/pip install -q --disable-pip-version-check "$(grep ^pyarrow== tests/python/requirements.txt)" >&2
    peers_venv
    GLS_PLUGIN_PATH=$(scripts/formats.sh) $build/venv/bin/python bench/formats/run.py \
      --tool $build/tools/gls --data $build/data/formats --dgl-python "$peers/a/bin/python" "$@"
    ;;
  disk)
    python_venv
    peers_python=()
    case " $* " in
      *" --only "*pyg* | *" --only="*pyg*) peers_python=(wanted) ;;
      *" --only"* | *" --help "*) ;;
      *) peers_python=(wanted) ;;
    esac
    if [ ${#peers_python[@]} != 0 ]; then
      peers_venv
      peers_python=(--peers-python "$peers/a/bin/python")
    fi
    stoppable $build/venv/bin/python bench/disk/run.py --gls $build/tools/gls --programs $build/bench \
      --data $build/data --output $build/disk.json "${peers_python[@]}" "$@"
    ;;
  ingest)
    mkdir -p $build/data/ingest
    $build/bench/bench_ingest $build/data/ingest "$@"
    ;;
  large) $build/bench/bench_huge_graph "$@" ;;
  net) $build/bench/bench_net "$@" ;;
  cluster)
    python_venv
    $build/venv/bin/pip install -q --disable-pip-version-check torch==2.5.1 >&2
    $build/bench/bench_cluster "$@" | tee $build/cluster.txt
    $build/venv/bin/python bench/cluster/torch_rpc.py | tee $build/torch_rpc.txt
    # Both in one line.
    tail -qn 1 $build/cluster.txt $build/torch_rpc.txt | $build/venv/bin/python -c '
import json, sys
ours, rpc = [json.loads(line) for line in sys.stdin]
# What the whole is judged by, first: the worse of short and long questions.
worst = lambda of, name: min([v for k, v in of.items() if k in (name + "_1000", name + "_100000")], default=None)
flat = {name: worst(ours["ratios"], name) for name in ("fetch_shm_vs_raw", "fetch_tcp_vs_raw")}
flat["loader_vs_local"] = ours["ratios"].get("loader_vs_local")
flat["start_s"] = ours["ratios"].get("start_s")
print(json.dumps({**flat, **rpc, **ours}))'
    ;;
  scaling) $build/bench/bench_scaling "$@" ;;
  overhead)
    python_venv
    $build/venv/bin/python bench/load/overhead.py "$@"
    ;;
  types)
    peers_venv
    "$peers/a/bin/python" bench/load/edge_types.py "$@"
    ;;
  feeds)
    python_venv
    $build/venv/bin/python bench/load/feeds.py "$@"
    ;;
  bindings)
    python_venv
    command -v cargo >/dev/null || scripts/packages.sh rust >&2
    scripts/java.sh natives >&2
    {
      $build/venv/bin/python bench/load/overhead.py
      scripts/java.sh bench
      GLS_LIB_DIR=$PWD/$build/src LD_LIBRARY_PATH=$PWD/$build/src cargo run -q --release \
        --manifest-path bindings/rust/Cargo.toml -p gls --example overhead
    } | tee $build/bindings.txt
    python3 - $build/bindings.txt <<'PYTHON'
import json, sys

ratios = {}
with open(sys.argv[1]) as lines:
    for line in lines:
        at = line.find("{")  # Maven begins its lines with colours
        if at >= 0:
            found = json.loads(line[at:])
            ratios.update(found.get("ratios", found))
names = ("python_us", "python_arrays_us", "java_us", "java_arrays_us", "rust_us")
print(json.dumps({"bench": "bindings", **{name: ratios[name] for name in names}}))
PYTHON
    ;;
  gather)
    $build/bench/bench_gather | tee $build/gather.txt
    run_peers gather "$@"
    # One last line of both.
    python3 - $build/gather.txt "$build/gather-$graph.json" <<'PYTHON'
import json, sys

with open(sys.argv[1]) as lines, open(sys.argv[2]) as peers:
    ratios = {**json.loads(lines.readlines()[-1])["ratios"], **json.load(peers)["brief"]}
print(json.dumps({"bench": "gather", "ratios": ratios}))
PYTHON
    ;;
  gpu)
    export GLS_PLUGIN_PATH=$PWD/$build/src
    failed=0
    parts=()
    for part in products billion gather zero_copy loader train; do
      measure=("$build/bench/bench_gpu" "$part" "$@")
      if [ $part = train ]; then
        measure=("${GLS_BENCH_PYTHON:-python3}" bench/gpu/train.py "$build/bench/libbench_gpu_feed.so")
      fi
      "${measure[@]}" 2>&1 | tee "$build/gpu-$part.txt" || failed=1
      parts+=("$part=$build/gpu-$part.txt")
    done
    python3 bench/gpu/report.py "${parts[@]}"
    exit $failed
    ;;
  loader) run_peers loader "$@" ;;
  peers) run_peers sampler "$@" ;;
  ways) run_peers methods "$@" ;;
esac
