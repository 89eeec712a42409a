"""What a batch of a graph with many edge types costs.

    python bench/load/edge_types.py [--types 10,100,1000] [--edges N] [--seconds S]

Needs PyTorch and PyG. Milliseconds for a batch, by the number of edge types:

native    the loader of gls, with the number of edges and the columns of each type taken
pyg       gls.pyg's objects of the same batches
peer      PyG's NeighborLoader, where it has pyg-lib or torch-sparse; else it is left out

growth    milliseconds of `pyg` with the most types over those with the fewest, over the ratio of the numbers
          of types: about 1 or less where the cost is linear
"""

import argparse
import json
import time
from typing import Any, Dict

import numpy as np
import torch
from torch_geometric.data import HeteroData

import gls.pyg

NODES = 1000
BATCH_SIZE = 64


def make_data(types: int, edges: int) -> HeteroData:
    """Each edge type has a column of its own; a tenth as many node types."""
    rng = np.random.default_rng(types)
    data = HeteroData()
    node_types = [f"n{i}" for i in range(max(2, types // 10))]
    for name in node_types:
        data[name].x = torch.from_numpy(rng.random((NODES, 4), np.float32))
    for i in range(types):
        # Those into the type of the seeds are as many as any others.
        source, target = node_types[(i // 7) % len(node_types)], node_types[i % len(node_types)]
        store = data[source, f"r{i}", target]
        store.edge_index = torch.from_numpy(rng.integers(0, NODES, (2, edges)))
        store.w = torch.from_numpy(rng.random(edges, np.float32))
    return data


def milliseconds(loader: Any, touch: Any, seconds: float) -> float:
    """For a batch, with one made before the clock starts."""
    count, end, begin = 0, 0.0, 0.0
    while True:
        for batch in loader:
            touch(batch)
            now = time.perf_counter()
            if end == 0:
                begin, end = now, now + seconds
                continue
            count += 1
            if now >= end:
                return 1000 * (now - begin) / count


def touch_native(batch: Any) -> None:
    for edges in batch.edges.values():
        assert edges.num_edges >= 0 and len(edges.columns) == 1


def touch_object(batch: Any) -> None:
    assert batch[batch.edge_types[0]].edge_index.shape[0] == 2


def measure(types: int, edges: int, seconds: float) -> Dict[str, float]:
    data = make_data(types, edges)
    arguments: Dict[str, Any] = {
        "num_neighbors": [5, 5],
        "input_nodes": ("n0", torch.arange(NODES)),
        "batch_size": BATCH_SIZE,
        "shuffle": True,
    }
    loader = gls.pyg.NeighborLoader(data, num_workers=2, seed=1, **arguments)
    out = {
        "native": milliseconds(loader.native, touch_native, seconds),
        "pyg": milliseconds(loader, touch_object, seconds),
    }
    from torch_geometric.loader import NeighborLoader

    peer = NeighborLoader(data, **arguments)
    try:
        out["peer"] = milliseconds(peer, touch_object, seconds)
    except ImportError:  # PyG has neither of its libraries
        pass
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--types", default="10,100,1000")
    parser.add_argument("--edges", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=2)
    given = parser.parse_args()
    numbers = sorted(int(part) for part in given.types.split(","))
    found = {types: measure(types, given.edges, given.seconds) for types in numbers}
    for types, times in found.items():
        print(types, " ".join(f"{name} {value:.2f} ms" for name, value in times.items()))
    few, many = numbers[0], numbers[-1]
    growth = found[many]["pyg"] / found[few]["pyg"] / (many / few)
    ratios = {
        f"{name}_ms_{types}": round(value, 3)
        for types, times in found.items()
        for name, value in times.items()
    }
    print(json.dumps({"bench": "types", "ratios": {**ratios, "growth": round(growth, 3)}}))


if __name__ == "__main__":
    main()
