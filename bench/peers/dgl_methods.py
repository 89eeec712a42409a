"""Ways of sampling of DGL and of its GraphBolt."""

from __future__ import annotations

from typing import Any, List

import numpy as np

import methods
from contestant import Contestant, Options
from graph import Graph
from graphbolt_adapter import load_graphbolt, sampling_graph
from methods import Method, Step

_GRAPHS: List[Any] = []


def _graph(graph: Graph) -> Any:
    """Its out-edges are the rows of the graph."""
    import dgl
    import torch

    if not _GRAPHS:
        rows = (
            torch.from_numpy(graph.indptr(np.int64)),
            torch.from_numpy(graph.indices(np.int64)),
            torch.empty(0, dtype=torch.int64),
        )
        made = dgl.graph(("csr", rows), num_nodes=graph.num_nodes)
        _GRAPHS.append(made.formats("csr"))
    return _GRAPHS[0]


def _walk(graph: Graph, options: Options) -> Step:
    import dgl
    import torch

    g = _graph(graph)

    def step(seeds: np.ndarray) -> Any:
        starts = torch.from_numpy(seeds).repeat_interleave(methods.WALKS)
        walks, _ = dgl.sampling.random_walk(g, starts, length=methods.STEPS)
        return len(starts) * methods.STEPS, walks.numel()

    return step


def _node2vec(graph: Graph, options: Options) -> Step:
    import dgl
    import torch

    g = _graph(graph)
    p, q = methods.NODE2VEC

    def step(seeds: np.ndarray) -> Any:
        starts = torch.from_numpy(seeds).repeat_interleave(methods.WALKS)
        walks = dgl.sampling.node2vec_random_walk(g, starts, p, q, methods.STEPS)
        return len(starts) * methods.STEPS, walks.numel()

    return step


def _importance(graph: Graph, options: Options) -> Step:
    import dgl
    import torch

    walks, traversals, neighbors = methods.IMPORTANCE
    sampler = dgl.sampling.RandomWalkNeighborSampler(
        _graph(graph), traversals, 0.0, walks, neighbors, metapath=[("_N", "_E", "_N")]
    )

    def step(seeds: np.ndarray) -> Any:
        out = sampler(torch.from_numpy(seeds))
        return len(seeds), out.num_edges()

    return step


def _induced(graph: Graph, options: Options) -> Step:
    import dgl
    import torch

    g = _graph(graph)

    def step(seeds: np.ndarray) -> Any:
        out = dgl.node_subgraph(g, torch.from_numpy(seeds))
        return out.num_edges(), len(seeds)

    return step


def _saint(graph: Graph, options: Options) -> Step:
    import dgl
    import torch

    g = _graph(graph)

    def step(seeds: np.ndarray) -> Any:
        walks, _ = dgl.sampling.random_walk(g, torch.from_numpy(seeds), length=methods.SAINT[1])
        nodes = walks.view(-1).unique()
        out = dgl.node_subgraph(g, nodes[nodes >= 0])
        return out.num_edges(), nodes.numel()

    return step


def _graphbolt(graph: Graph, options: Options, way: str) -> Step:
    import torch

    sampling = sampling_graph(graph, np.int64)
    name = None
    if way == "weighted":
        name = "weight"
        sampling.edge_attributes = {name: torch.from_numpy(methods.weights(graph))}
    sample = sampling._c_csc_graph.sample_neighbors
    empty = torch.empty(0, dtype=torch.int64)

    def step(seeds: np.ndarray) -> Any:
        nodes = torch.from_numpy(seeds)
        edges = 0
        for fanout in options.fanouts:
            hop = sample(nodes, [fanout], False, way == "labor", False, name)
            nodes, sources, _ = torch.ops.graphbolt.unique_and_compact(hop.indices, empty, nodes)
            edges += sources.numel()
        return edges, nodes.numel()

    return step


def _weighted(graph: Graph, options: Options) -> Step:
    return _graphbolt(graph, options, "weighted")


def _labor(graph: Graph, options: Options) -> Step:
    return _graphbolt(graph, options, "labor")


def _times(graph: Graph, options: Options) -> Step:
    import torch

    sampling = sampling_graph(graph, np.int64)
    sampling.edge_attributes = {"time": torch.from_numpy(methods.times(graph))}
    sample = sampling._c_csc_graph.temporal_sample_neighbors

    def step(seeds: np.ndarray) -> Any:
        nodes = torch.from_numpy(seeds)
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
    return [Method(options, way, who, make, versions, said) for way, who, make, said in ways]
