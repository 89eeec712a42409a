"""Edges whose times do not ascend within rows: the loader of GLS, gls.pyg, and PyG on pyg-lib, in turn.

    GLS_BENCH_PYG_LIB=... build/bench/peers/a/bin/python bench/sample/unsorted_times.py [--rounds 7] [--seconds 2]

The contestants are those of bench/peers/typed_loaders.py, on another graph: each node has --degree incoming edges with
uniformly drawn times, stored by target. PyG sorts them by target and time when it makes the loader, which the line
"made in" shows. GLS puts a row in order when it visits the row for the second time. So round 0 makes --warm-batches
and is not counted; its time is printed, and belongs beside "made in". gls.pyg shares the loader of gls, which is warm by
then. Ratios are medians over rounds, of edges a second.
"""

import argparse
import json
import os
import statistics
import sys
import time

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("--nodes", type=int, default=20_000)
parser.add_argument("--degree", type=int, default=1000)
parser.add_argument("--features", type=int, default=32)
parser.add_argument("--fanouts", default="15,10")
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument(
    "--inputs", type=int, default=400_000, help="seeds of an epoch, drawn with repeats"
)
parser.add_argument("--strategies", default="uniform,last")
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--seconds", type=float, default=2)
parser.add_argument("--warm-batches", type=int, default=600, help="round 0")
parser.add_argument("--quiet", type=float, default=0.15, help="cores others may use")
parser.add_argument("--wait", type=float, default=5, help="seconds for quiet, before each")
parser.add_argument("--output")
options = parser.parse_args()
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers"))

import numpy as np
import torch
from torch_geometric.data import Data

import typed_loaders
from contestant import Options
from machine import describe, wait_until_quiet
from typed_graphs import TypedGraph
from worker import measure

LATEST = 1_000_000
rng = np.random.default_rng(6)
edges = options.nodes * options.degree
times = rng.integers(0, LATEST, (options.nodes, options.degree))
assert (
    not (np.diff(times[: min(1000, options.nodes)], axis=1) >= 0).all(axis=1).any()
), "a row ascends"
data = Data(
    x=torch.from_numpy(rng.random((options.nodes, options.features), np.float32)),
    edge_index=torch.from_numpy(
        np.stack(
            [
                rng.integers(0, options.nodes, edges),
                np.repeat(np.arange(options.nodes), options.degree),
            ]
        )
    ),
    time=torch.from_numpy(times.reshape(-1)),
)
ids = torch.from_numpy(rng.integers(0, options.nodes, options.inputs))
input_time = torch.from_numpy(rng.integers(LATEST // 2, LATEST, options.inputs))


def graph(name):
    return TypedGraph(
        data,
        {
            "input_nodes": ids,
            "input_time": input_time,
            "time_attr": "time",
            "temporal_strategy": name,
            "disjoint": True,
        },
    )


typed_loaders.typed_graph = graph
typed_loaders.BATCH_SIZE = options.batch_size
typed_loaders.FANOUTS = [int(part) for part in options.fanouts.split(",")]

result = {"machine": describe(), "options": vars(options), "strategies": {}}
for strategy in options.strategies.split(","):
    common = Options(typed_loaders.FANOUTS, options.batch_size, 1)
    contestants = [
        typed_loaders.GlsTypedLoader(common, strategy, True),
        typed_loaders.GlsTypedLoader(common, strategy, False),
        typed_loaders.PygTypedLoader(common, strategy, "pyg-lib"),
    ]
    rates = {contestant.name: [] for contestant in contestants}
    for contestant in contestants:
        versions = contestant.versions()
        begin = time.perf_counter()
        contestant.setup(None)
        print(
            f"{contestant.name}: made in {time.perf_counter() - begin:.2f} s; {versions}",
            flush=True,
        )
    for number in range(options.rounds + 1):
        for contestant in contestants:
            wait_until_quiet(options.quiet, options.wait)
            begin = time.perf_counter()
            if number == 0:
                out = measure(contestant, 0, 0, options.warm_batches)
                print(
                    f"{contestant.name}: first {out['batches']} batches in {time.perf_counter() - begin:.2f} s"
                )
            else:
                out = measure(contestant, 0, options.seconds, 8)
            rate = out["edges"] / out["seconds"]
            other = max(0.0, out["busy"] - out["cpu"]) / out["seconds"]
            print(
                f"round {number} {contestant.name}: {rate / 1e6:.3f} M edges/s, "
                f"{out['batches'] / out['seconds']:.1f} batches/s, {out['edges'] / out['batches']:.0f} edges and "
                f"{out['nodes'] / out['batches']:.0f} nodes a batch, {out['cpu'] / out['seconds']:.2f} cores, "
                f"others {other:.2f}" + (" (not counted)" if number == 0 else ""),
                flush=True,
            )
            if number > 0:
                rates[contestant.name].append(rate)
    native, own, peer = rates.values()
    median = lambda a, b: float(f"{statistics.median(x / y for x, y in zip(a, b)):.4g}")
    result["strategies"][strategy] = rates
    result.setdefault("ratios", {}).update(
        {
            f"unsorted_{strategy}_vs_pyg": median(own, peer),
            f"unsorted_{strategy}_native_vs_pyg": median(native, peer),
            f"unsorted_{strategy}_vs_native": median(own, native),
        }
    )
if options.output:
    with open(options.output, "w", encoding="utf-8") as out:
        json.dump(result, out, indent=1)
print(json.dumps({"bench": "unsorted", "ratios": result["ratios"]}))
