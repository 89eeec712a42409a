"""Batches as PyG's samplers give them: ``SamplerOutput`` and ``HeteroSamplerOutput``."""

from __future__ import annotations

from typing import Any, Dict, Tuple

import torch
from torch_geometric.loader.utils import filter_data, filter_hetero_data
from torch_geometric.sampler import HeteroSamplerOutput, SamplerOutput

from gls._batch.batch import Batch
from gls.pyg.graph.source import Source


def output_of(source: Source, batch: Batch) -> Any:
    """What was sampled, without attributes; its ``metadata`` is for the caller to set."""
    nodes: Dict[Any, Dict[str, Any]] = {}
    for kind in source.nodes:
        arrays = batch.nodes[kind.name]
        nodes[kind.key] = {
            "node": arrays.node.torch(),
            "batch": arrays.batch.torch() if hasattr(arrays, "batch") else None,
            "num_sampled_nodes": arrays.num_sampled_nodes,
        }
    edges: Dict[Any, Dict[str, Any]] = {}
    for kind in source.edges:
        own = batch.edges[kind.name]
        edges[kind.key] = {
            "row": own.row.torch(),
            "col": own.col.torch(),
            "edge": own.edge.torch(),
            "num_sampled_edges": own.num_sampled_edges,
        }
    if not source.hetero:
        return SamplerOutput(**next(iter(nodes.values())), **next(iter(edges.values())))
    names: Tuple[str, ...] = ("node", "batch", "num_sampled_nodes")
    by_name = {name: {key: one[name] for key, one in nodes.items()} for name in names}
    names = ("row", "col", "edge", "num_sampled_edges")
    by_name.update({name: {key: one[name] for key, one in edges.items()} for name in names})
    if any(value is None for value in by_name["batch"].values()):
        del by_name["batch"]
    return HeteroSamplerOutput(**by_name)


def places_of(source: Source, batch: Batch) -> Any:
    """The same with the place of each node and edge in the batch for its id."""
    output = output_of(source, batch)

    def places(ids: torch.Tensor) -> torch.Tensor:
        return torch.arange(ids.numel(), device=ids.device)

    for name in ("node", "edge"):
        ids = getattr(output, name)
        hetero = isinstance(ids, dict)
        setattr(output, name, {k: places(v) for k, v in ids.items()} if hetero else places(ids))
    return output


def collate_output(source: Source, output: Any) -> Any:
    """The object of PyG for what a sampler gave, which a caller may have changed."""
    data = source.template
    if isinstance(output, SamplerOutput):
        out = filter_data(data, output.node, output.row, output.col, output.edge)
        if "n_id" not in out:
            out.n_id = output.node
        if output.edge is not None and "e_id" not in out:
            out.e_id = output.edge
        out.batch = output.batch
        out.num_sampled_nodes = output.num_sampled_nodes
        out.num_sampled_edges = output.num_sampled_edges
        return out
    if not isinstance(output, HeteroSamplerOutput):
        raise TypeError(
            "transform_sampler_output must return a SamplerOutput or HeteroSamplerOutput, not "
            f"{type(output).__name__}"
        )
    edge = output.edge or {}
    out = filter_hetero_data(data, output.node, output.row, output.col, dict(edge))
    for key, node in output.node.items():
        if "n_id" not in out[key]:
            out[key].n_id = node
    for key, ids in edge.items():
        if ids is not None and "e_id" not in out[key]:
            out[key].e_id = ids
    for name in ("batch", "num_sampled_nodes", "num_sampled_edges"):
        out.set_value_dict(name, getattr(output, name))
    return out


def without_hops(out: Any) -> None:
    """Sets the counts of an object of PyG that has no hops: `num_neighbors` is empty."""
    for store in out.stores:
        if store.get("num_sampled_nodes") is not None:
            store["num_sampled_nodes"] = store["num_sampled_nodes"][:1]
        if store.get("num_sampled_edges") is not None:
            store["num_sampled_edges"] = []


def without_hops_of(output: Any) -> None:
    """The same for what a sampler gave."""
    nodes, edges = output.num_sampled_nodes, output.num_sampled_edges
    if isinstance(output, SamplerOutput):
        output.num_sampled_nodes, output.num_sampled_edges = nodes[:1], []
    else:
        output.num_sampled_nodes = {key: counts[:1] for key, counts in nodes.items()}
        output.num_sampled_edges = {key: [] for key in edges}
