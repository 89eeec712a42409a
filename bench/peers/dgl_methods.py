"""Ways of sampling of DGL and of its GraphBolt."""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, List

import numpy as np

import methods
from contestant import Contestant, Options
from graph import Graph
from graphbolt_adapter import load_graphbolt, sampling_graph
from methods import Method, Step

_GRAPHS: Dict[str, Any] = {}


def _graph(graph: Graph, dtype: Any) -> Any:
    """Its out-edges are the rows of the graph."""
    import dgl
    import torch

    name = np.dtype(dtype).name
    if name not in _GRAPHS:
        rows = (
            torch.from_numpy(graph.indptr(dtype)),
            torch.from_numpy(graph.indices(dtype)),
            torch.from_numpy(np.empty(0, dtype)),
        )
        made = dgl.graph(("csr", rows), num_nodes=graph.num_nodes, idtype=getattr(torch, name))
        _GRAPHS[name] = made.formats("csr")
    return _GRAPHS[name]


def _ids(seeds: np.ndarray, dtype: Any) -> Any:
    import torch

    return torch.from_numpy(seeds.astype(dtype, copy=False))


def _walk(graph: Graph, options: Options, dtype: Any) -> Step:
    import dgl
    import torch

    g = _graph(graph, dtype)

    def step(seeds: np.ndarray) -> Any:
        starts = _ids(seeds, dtype).repeat_interleave(methods.WALKS)
        walks, _ = dgl.sampling.random_walk(g, starts, length=methods.STEPS)
        return len(starts) * methods.STEPS, walks.numel()

    return step


def _node2vec(graph: Graph, options: Options, dtype: Any) -> Step:
    import dgl
    import torch

    g = _graph(graph, dtype)
    p, q = methods.NODE2VEC

    def step(seeds: np.ndarray) -> Any:
        starts = _ids(seeds, dtype).repeat_interleave(methods.WALKS)
        walks = dgl.sampling.node2vec_random_walk(g, starts, p, q, methods.STEPS)
        return len(starts) * methods.STEPS, walks.numel()

    return step


def _importance(graph: Graph, options: Options, dtype: Any) -> Step:
    import dgl
    import torch

    walks, traversals, neighbors = methods.IMPORTANCE
    sampler = dgl.sampling.RandomWalkNeighborSampler(
        _graph(graph, dtype), traversals, 0.0, walks, neighbors, metapath=[("_N", "_E", "_N")]
    )

    def step(seeds: np.ndarray) -> Any:
        out = sampler(_ids(seeds, dtype))
        return len(seeds), out.num_edges()

    return step


def _induced(graph: Graph, options: Options, dtype: Any) -> Step:
    import dgl
    import torch

    g = _graph(graph, dtype)

    def step(seeds: np.ndarray) -> Any:
        out = dgl.node_subgraph(g, _ids(seeds, dtype))
        return out.num_edges(), len(seeds)

    return step


def _saint(graph: Graph, options: Options, dtype: Any) -> Step:
    import dgl
    import torch

    g = _graph(graph, dtype)

    def step(seeds: np.ndarray) -> Any:
        walks, _ = dgl.sampling.random_walk(g, _ids(seeds, dtype), length=methods.SAINT[1])
        nodes = walks.view(-1).unique()
        out = dgl.node_subgraph(g, nodes[nodes >= 0])
        return out.num_edges(), nodes.numel()

    return step


def _graphbolt(graph: Graph, options: Options, dtype: Any, way: str) -> Step:
    import torch

    sampling = sampling_graph(graph, dtype)
    name = None
    if way == "weighted":
        name = "weight"
        sampling.edge_attributes = {name: torch.from_numpy(methods.weights(graph))}
    sample = sampling._c_csc_graph.sample_neighbors
    empty = _ids(np.empty(0), dtype)

    def step(seeds: np.ndarray) -> Any:
        nodes = _ids(seeds, dtype)
        edges = 0
        for fanout in options.fanouts:
            hop = sample(nodes, [fanout], False, way == "labor", False, name)
            nodes, sources, _ = torch.ops.graphbolt.unique_and_compact(hop.indices, empty, nodes)
            edges += sources.numel()
        return edges, nodes.numel()

    return step


def _weighted(graph: Graph, options: Options, dtype: Any) -> Step:
    return _graphbolt(graph, options, dtype, "weighted")


def _labor(graph: Graph, options: Options, dtype: Any) -> Step:
    return _graphbolt(graph, options, dtype, "labor")


def _times(graph: Graph, options: Options, dtype: Any) -> Step:
    import torch

    sampling = sampling_graph(graph, dtype)
    sampling.edge_attributes = {"time": torch.from_numpy(methods.times(graph))}
    sample = sampling._c_csc_graph.temporal_sample_neighbors

    def step(seeds: np.ndarray) -> Any:
        nodes = _ids(seeds, dtype)
        times = torch.full((len(seeds),), methods.MOST_TIME // 2)
        edges = 0
        for fanout in options.fanouts:
            hop = sample(nodes, times, [fanout], False, False, False, None, None, "time")
            # Nodes are not shared, so numbering them is to put them after those before.
            nodes = torch.cat([nodes, hop.indices])
            times = torch.cat([times, torch.repeat_interleave(times, hop.indptr.diff())])
            edges += hop.indices.numel()
        return edges, nodes.numel()

    return step


def dgl_methods(options: Options) -> List[Contestant]:
    versions = load_graphbolt
    again = "every hop samples again for all nodes met so far"
    ways = [
        ("weighted", "graphbolt", _weighted, f"without replacement; {again}"),
        ("times", "graphbolt", _times, f"uniform among edges up to the seed's time; {again}"),
        ("labor", "graphbolt", _labor, again),
        ("walk", "dgl", _walk, "dataset ids, not renumbered"),
        ("node2vec", "dgl", _node2vec, "dataset ids, not renumbered"),
        ("importance", "dgl", _importance, "dataset ids, not renumbered"),
        ("induced", "dgl", _induced, "edge ids always"),
        ("saint", "dgl", _saint, "edge ids always"),
    ]
    return [
        Method(
            options,
            way,
            f"{who}-{np.dtype(dtype).name}",
            partial(make, dtype=dtype),
            versions,
            said,
        )
        for way, who, make, said in ways
        for dtype in (np.int64, np.int32)
    ]
