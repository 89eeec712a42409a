"""Graphs with types or times, made here, that loaders are measured on besides the one that is given.

hetero           3 node types, 6 edge types, 20 million edges
hetero_temporal  the same, with a time for each node
temporal         one type, 20 million edges, each with a time; times are drawn uniformly
temporal_last    the same, the last in time are taken
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Tuple

import numpy as np

EDGES = 20_000_000
FEATURES = 32
FANOUTS = [15, 10]
BATCH_SIZE = 1024
INPUTS = 200_000
_NODES = {"user": 1_000_000, "item": 500_000, "tag": 50_000}
_EDGE_TYPES = {
    ("user", "buys", "item"): 0.3,
    ("item", "rev_buys", "user"): 0.3,
    ("user", "follows", "user"): 0.15,
    ("item", "has", "tag"): 0.1,
    ("tag", "rev_has", "item"): 0.1,
    ("user", "likes", "tag"): 0.05,
}
_LATEST = 1_000_000  # time


class TypedGraph(NamedTuple):
    """What a loader of PyG, or of gls.pyg, is made with."""

    data: Any
    arguments: Dict[str, Any]


_MADE: Dict[Tuple[bool, bool], Any] = {}


def typed_graph(name: str) -> TypedGraph:
    """One of those above, with `input_nodes` and arguments of times."""
    import torch

    hetero = name.startswith("hetero")
    times = name != "hetero"
    data = _data(hetero, times)
    rng = np.random.default_rng(7)
    nodes = _NODES["user"] if hetero else 2 * _NODES["user"]
    ids = torch.from_numpy(rng.permutation(nodes)[:INPUTS])
    arguments: Dict[str, Any] = {"input_nodes": ("user", ids) if hetero else ids}
    if times:
        arguments["time_attr"] = "time"
        arguments["temporal_strategy"] = "last" if name.endswith("last") else "uniform"
        arguments["disjoint"] = True
    if times and not hetero:  # times of edges: those of the seeds are given
        arguments["input_time"] = torch.from_numpy(rng.integers(_LATEST // 2, _LATEST, INPUTS))
    return TypedGraph(data, arguments)


def _data(hetero: bool, times: bool) -> Any:
    """One object for all contestants of a process."""
    key = hetero, times
    if key not in _MADE:
        _MADE[key] = _hetero(times) if hetero else _homogeneous()
    return _MADE[key]


def _ends(rng: np.random.Generator, sources: int, targets: int, edges: int) -> Any:
    """Random edges, more of them at nodes of small number, sorted by target."""
    import torch

    target = np.sort((targets * rng.random(edges) ** 2).astype(np.int64))
    source = (sources * rng.random(edges) ** 2).astype(np.int64)
    return torch.from_numpy(np.stack([source, target]))


def _hetero(times: bool) -> Any:
    import torch
    from torch_geometric.data import HeteroData

    rng = np.random.default_rng(5)
    data = HeteroData()
    for name, nodes in _NODES.items():
        data[name].x = torch.from_numpy(rng.random((nodes, FEATURES), np.float32))
        if times:
            data[name].time = torch.from_numpy(rng.integers(0, _LATEST, nodes))
    for key, share in _EDGE_TYPES.items():
        ends = _ends(rng, _NODES[key[0]], _NODES[key[2]], int(share * EDGES))
        data[key].edge_index = ends
    return data


def _homogeneous() -> Any:
    import torch
    from torch_geometric.data import Data

    rng = np.random.default_rng(6)
    nodes = 2 * _NODES["user"]
    return Data(
        x=torch.from_numpy(rng.random((nodes, FEATURES), np.float32)),
        edge_index=_ends(rng, nodes, nodes, EDGES),
        time=torch.from_numpy(rng.integers(0, _LATEST, EDGES)),
    )
