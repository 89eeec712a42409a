"""Ways of sampling of pyg-lib, torch-sparse and PyG on top of either."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

import methods
from contestant import Contestant, Options
from graph import Graph, allocate
from methods import Method, Step
from pyg_adapter import load_pyg_lib, load_torch_sparse, select_backend


def _arrays(graph: Graph) -> Any:
    import torch

    return torch.from_numpy(graph.indptr(np.int64)), torch.from_numpy(graph.indices(np.int64))


def _neighbors(graph: Graph, options: Options, way: str) -> Step:
    import torch

    torch.manual_seed(options.seed)
    colptr, row = _arrays(graph)
    weights = torch.from_numpy(methods.weights(graph)) if way == "weighted" else None
    times = torch.from_numpy(methods.times(graph)) if way == "times" else None

    def step(seeds: np.ndarray) -> Any:
        seed_time = None
        if times is not None:
            seed_time = torch.full((len(seeds),), methods.MOST_TIME // 2)
        out_row, _, node, _, _, _ = torch.ops.pyg.neighbor_sample(
            colptr,
            row,
            torch.from_numpy(seeds),
            options.fanouts,
            None,  # node_time
            times,
            seed_time,
            weights,
            True,  # csc
            False,  # replace
            True,  # directed
            times is not None,  # disjoint
            "uniform",
            False,  # edge ids
        )
        return out_row.numel(), len(node)

    return step


def _weighted(graph: Graph, options: Options) -> Step:
    return _neighbors(graph, options, "weighted")


def _times(graph: Graph, options: Options) -> Step:
    return _neighbors(graph, options, "times")


def _induced(graph: Graph, options: Options) -> Step:
    import torch

    rowptr, col = _arrays(graph)

    def step(seeds: np.ndarray) -> Any:
        _, out, _ = torch.ops.pyg.subgraph(rowptr, col, torch.from_numpy(seeds), False)
        return out.numel(), len(seeds)

    return step


def _rows(graph: Graph) -> Any:
    import torch

    return torch.from_numpy(methods.cached(graph, "targets", graph.targets))


def _saint_subgraph(graph: Graph, walks: bool) -> Step:
    import torch
    import torch_sparse  # noqa: F401

    rowptr, col = _arrays(graph)
    row = _rows(graph)

    def step(seeds: np.ndarray) -> Any:
        nodes = torch.from_numpy(seeds)
        if walks:
            nodes = torch.ops.torch_sparse.random_walk(rowptr, col, nodes, methods.SAINT[1])
            nodes = nodes.view(-1).unique()
        _, out, _ = torch.ops.torch_sparse.saint_subgraph(nodes, rowptr, row, col)
        return out.numel(), nodes.numel()

    return step


def _sparse_induced(graph: Graph, options: Options) -> Step:
    return _saint_subgraph(graph, False)


def _sparse_saint(graph: Graph, options: Options) -> Step:
    return _saint_subgraph(graph, True)


def _sparse_walk(graph: Graph, options: Options) -> Step:
    import torch
    import torch_sparse  # noqa: F401

    rowptr, col = _arrays(graph)

    def step(seeds: np.ndarray) -> Any:
        starts = torch.from_numpy(seeds).repeat_interleave(methods.WALKS)
        walks = torch.ops.torch_sparse.random_walk(rowptr, col, starts, methods.STEPS)
        return len(starts) * methods.STEPS, walks.numel()

    return step


def _sparse_shadow(graph: Graph, options: Options) -> Step:
    import torch
    import torch_sparse  # noqa: F401

    rowptr, col = _arrays(graph)
    _, hops, fanout = methods.SHADOW

    def step(seeds: np.ndarray) -> Any:
        out = torch.ops.torch_sparse.ego_k_hop_sample_adj(
            rowptr, col, torch.from_numpy(seeds), hops, fanout, False
        )
        return out[1].numel(), out[2].numel()

    return step


def _sparse_hgt(graph: Graph, options: Options) -> Step:
    import torch
    import torch_sparse  # noqa: F401

    colptr, row = _arrays(graph)
    key = "node__to__node"

    def step(seeds: np.ndarray) -> Any:
        node, out, _, _ = torch.ops.torch_sparse.hgt_sample(
            {key: colptr},
            {key: row},
            {"node": torch.from_numpy(seeds)},
            {"node": methods.HGT},
            len(methods.HGT),
        )
        return out[key].numel(), node["node"].numel()

    return step


def _links(graph: Graph, options: Options) -> Step:
    import torch
    from torch_geometric.data import Data
    from torch_geometric.loader import LinkNeighborLoader

    torch.manual_seed(options.seed)
    select_backend("pyg-lib")
    edge_index = allocate((2, graph.num_edges), np.int64, graph.huge_pages)
    edge_index[0] = graph.indices(np.int32)
    edge_index[1] = graph.targets()
    loader = LinkNeighborLoader(
        Data(edge_index=torch.from_numpy(edge_index), num_nodes=graph.num_nodes),
        methods.LINK_FANOUTS,
        edge_label_index=torch.from_numpy(edge_index[:, methods.links(graph)]),
        neg_sampling="binary",
        batch_size=methods.LINKS,
        shuffle=True,
        is_sorted=True,
    )
    take = methods.endless(lambda: iter(loader))

    def step(_: np.ndarray) -> Any:
        batch = take()
        return batch.edge_index.shape[1], batch.n_id.numel()

    return step


def _pyg_versions() -> Dict[str, str]:
    import torch_geometric

    return {**load_pyg_lib(), "torch-geometric": torch_geometric.__version__}


def pyg_methods(options: Options) -> List[Contestant]:
    lib, sparse = load_pyg_lib, load_torch_sparse
    return [
        Method(
            options,
            "weighted",
            "pyg-lib",
            _weighted,
            lib,
            "without replacement; each node expanded once",
        ),
        Method(
            options,
            "times",
            "pyg-lib",
            _times,
            lib,
            "uniform among edges up to the seed's time; a tree for each seed",
        ),
        Method(options, "induced", "pyg-lib", _induced, lib),
        Method(
            options,
            "links",
            "pyg",
            _links,
            _pyg_versions,
            "LinkNeighborLoader on pyg-lib, no workers; edge ids always",
        ),
        Method(options, "induced", "torch-sparse", _sparse_induced, sparse, "edge ids always"),
        Method(options, "saint", "torch-sparse", _sparse_saint, sparse, "edge ids always"),
        Method(
            options, "walk", "torch-sparse", _sparse_walk, sparse, "dataset ids, not renumbered"
        ),
        Method(
            options,
            "shadow",
            "torch-sparse",
            _sparse_shadow,
            sparse,
            "edge ids always; on all of torch's threads",
        ),
        Method(
            options,
            "hgt",
            "torch-sparse",
            _sparse_hgt,
            sparse,
            "at most 50 neighbours of a node, with replacement; with edge ids",
        ),
    ]
