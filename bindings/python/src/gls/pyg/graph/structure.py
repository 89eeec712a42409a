"""The edges of PyG's objects, and which of their attributes belong to nodes and to edges."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, NamedTuple, Tuple

import torch
from torch_geometric.data import HeteroData

from gls._core.check import join_edge_type
from gls._data.builder import DatasetBuilder
from gls.errors import Unsupported, invalid
from gls.pyg.graph.adj import Adjacency, read_adjacency
from gls.pyg.graph.attributes import RowRule
from gls.pyg.graph.ids import widened
from gls.pyg.graph.words import NODE

HOMOGENEOUS_EDGES = (NODE, "to", NODE)


class Typed(NamedTuple):
    """What PyG's object holds of a node or edge type."""

    key: Any
    store: Any
    rule: RowRule


class Structure(NamedTuple):
    """The types and edges of PyG's object."""

    nodes: List[Typed]
    edges: List[Typed]
    counts: Dict[str, int]
    """Nodes of each type that has attributes."""
    edge_index: Dict[Any, torch.Tensor]
    adjacency: Dict[Any, Adjacency]
    """Of the edge types that are given so."""


def add_structure(
    builder: DatasetBuilder, data: Any, of_edges: FrozenSet[str] = frozenset()
) -> Structure:
    """Adds the types and edges of `data` to a builder.

    Args:
        of_edges: Attributes that the caller named as attributes of edges.
    """
    hetero = isinstance(data, HeteroData)
    node_stores = [(s._key, s) for s in data.node_stores] if hetero else [(NODE, data._store)]
    edge_stores = (
        [(s._key, s) for s in data.edge_stores] if hetero else [(HOMOGENEOUS_EDGES, data._store)]
    )
    graph: Dict[Any, torch.Tensor] = {}
    adjacency: Dict[Any, Adjacency] = {}
    of = {key: f" of {key}" if hetero else "" for key, _ in edge_stores}  # for errors
    counts = {key: int(store.num_nodes or 0) for key, store in node_stores}
    for key, count in counts.items():
        builder.add_node_type(key, count)
    for key, store in edge_stores:
        if "adj_t" in store and "edge_index" not in store:
            adjacency[key] = read_adjacency(store["adj_t"], key)
            graph[key] = adjacency[key].edge_index
            builder.add_edges(join_edge_type(key, "data"), graph[key])
            continue
        if "edge_index" not in store or "adj_t" in store:
            has = "edge_index and adj_t" if "adj_t" in store else "neither edge_index nor adj_t"
            raise Unsupported(f"data: there is {has}{of[key]}, expected one of the two")
        graph[key] = store.edge_index
        edges_of_type = plain(store.edge_index, f"edge_index{of[key]}")
        if edges_of_type.dim() != 2 or edges_of_type.shape[0] != 2:
            shape = list(edges_of_type.shape)
            raise invalid("data", f"edge_index{of[key]} has shape {shape}, expected [2, n]")
        builder.add_edges(join_edge_type(key, "data"), widened(edges_of_type))
    node_rules, edge_rules = _rules(hetero, counts, graph, of_edges)
    return Structure(
        [Typed(key, store, node_rules[key]) for key, store in node_stores],
        [Typed(key, store, edge_rules[key]) for key, store in edge_stores],
        counts,
        graph,
        adjacency,
    )


def _rules(
    hetero: bool,
    counts: Dict[str, int],
    graph: Dict[Any, torch.Tensor],
    of_edges: FrozenSet[str],
) -> Tuple[Dict[Any, RowRule], Dict[Any, RowRule]]:
    """Rules of node types and of edge types."""
    edges_of = {key: int(edge_index.shape[-1]) for key, edge_index in graph.items()}
    if not hetero:
        both = RowRule(counts[NODE], edges_of[HOMOGENEOUS_EDGES], of_edges)
        return {NODE: both}, {HOMOGENEOUS_EDGES: both}
    return (
        {key: RowRule(counts[key], None, of_edges) for key in counts},
        {key: RowRule(None, edges_of[key], of_edges) for key in edges_of},
    )


def plain(value: Any, what: str) -> torch.Tensor:
    tensor: torch.Tensor = value.as_tensor() if hasattr(value, "as_tensor") else value
    if tensor.device.type != "cpu":
        raise Unsupported(f"data: {what} is on {tensor.device}; GLS gathers from CPU memory")
    return tensor
