"""Seeds that occur twice in a batch, as PyG's samplers have them: each is a node of its own."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import torch

from gls._batch.batch import Batch
from gls.errors import Unsupported
from gls.pyg.graph.output import places_of
from gls.pyg.graph.source import Source


def has_repeats(source: Source, batch: Batch) -> bool:
    """Whether a seed occurs twice in a batch whose seeds share a node then."""
    return any(
        len(batch.nodes[kind.name].seed) != batch.nodes[kind.name].num_sampled_nodes[0]
        for kind in source.nodes
    )


def with_repeats(source: Source, batch: Batch, output: Any, subgraph: str) -> Any:
    """The output with a node, and copies of its edges, for each seed that occurs again.

    GLS folds seeds that are equal, so loaders of PyG, which take the first rows for the seeds, need
    them unfolded.
    """
    for kind in source.nodes:
        arrays = batch.nodes[kind.name]
        seed = arrays.seed.torch()
        if seed.numel() == 0 or seed.numel() == arrays.num_sampled_nodes[0]:
            continue
        if subgraph != "sampled":
            raise Unsupported(
                f"seeds: {seed.numel() - arrays.num_sampled_nodes[0]} occur twice in a batch, which "
                f"subgraph_type {subgraph!r} does not take; give each once, or disjoint=True"
            )
        _unfold(source, kind.key, seed, arrays.num_sampled_nodes[0], output)
    return output


def _unfold(source: Source, node_type: Any, seed: torch.Tensor, distinct: int, output: Any) -> None:
    hetero = source.hetero
    position = torch.arange(seed.numel(), device=seed.device)
    first = torch.full((distinct,), seed.numel(), device=seed.device)
    first.scatter_reduce_(0, seed, position, "amin")
    again = (first[seed] != position).nonzero().view(-1)  # positions of seeds that occurred before

    def moved(local: torch.Tensor) -> torch.Tensor:
        is_seed = local < distinct
        return torch.where(is_seed, first[local.clamp(max=distinct - 1)], local + again.numel())

    node = output.node[node_type] if hetero else output.node
    node = torch.cat([node[seed], node[distinct:]])
    for kind in source.edges:
        ends = kind.key if hetero else (node_type, None, node_type)
        row, col, edge, counts = _edges(output, kind.key, hetero)
        copies, ids = _copies(col, seed, again, counts[0] if counts and ends[2] == node_type else 0)
        if ends[2] == node_type:
            col = moved(col)
        row = moved(row) if ends[0] == node_type else row
        if copies.numel() > 0:
            at = counts[0]
            row = torch.cat([row[:at], row[ids], row[at:]])
            col = torch.cat([col[:at], copies, col[at:]])
            edge = torch.cat([edge[:at], edge[ids], edge[at:]])
            counts = [at + copies.numel(), *counts[1:]]
        _set_edges(output, kind.key, hetero, (row, col, edge, counts))
    counts = output.num_sampled_nodes[node_type] if hetero else output.num_sampled_nodes
    counts = [seed.numel(), *counts[1:]]
    if hetero:
        output.node[node_type], output.num_sampled_nodes[node_type] = node, counts
    else:
        output.node, output.num_sampled_nodes = node, counts


def _copies(
    col: torch.Tensor, seed: torch.Tensor, again: torch.Tensor, count: int
) -> Tuple[torch.Tensor, torch.Tensor]:
    """Targets of the edges to add, and which of the first `count` edges they are copies of."""
    if count == 0:
        return col.new_empty(0), col.new_empty(0)
    sorted_col, order = torch.sort(col[:count], stable=True)
    begin = torch.searchsorted(sorted_col, seed[again])
    lengths = torch.searchsorted(sorted_col, seed[again], right=True) - begin
    position = torch.arange(again.numel(), device=seed.device)
    which = torch.repeat_interleave(position, lengths)
    ahead = (lengths.cumsum(0) - lengths)[which]  # copies for the seeds before
    return (
        again[which],
        order[begin[which] + torch.arange(which.numel(), device=seed.device) - ahead],
    )


_NAMES = ("row", "col", "edge", "num_sampled_edges")


def _edges(output: Any, key: Any, hetero: bool) -> Any:
    values: List[Any] = [getattr(output, name) for name in _NAMES]
    return [value[key] for value in values] if hetero else values


def _set_edges(output: Any, key: Any, hetero: bool, values: Any) -> None:
    for name, value in zip(_NAMES, values):
        if hetero:
            own: Dict[Any, Any] = getattr(output, name)
            own[key] = value
        else:
            setattr(output, name, value)


def unfold(source: Source, batch: Batch, out: Any, subgraph: str) -> Any:
    """A batch of a :class:`gls.Dataset` as an object of PyG, with a node for each seed given."""
    places = with_repeats(source, batch, places_of(source, batch), subgraph)
    hetero = source.hetero

    def own(name: str, key: Any) -> Any:
        value = getattr(places, name)
        return value[key] if hetero else value

    for kind in source.nodes:
        store = source.store(out, kind.name)
        for name in ["n_id", *(getattr(each, "name", each) for each in kind.attributes)]:
            store[name] = store[name][own("node", kind.key)]
        if "num_nodes" in store:
            store["num_nodes"] = len(store["n_id"])
        store["num_sampled_nodes"] = own("num_sampled_nodes", kind.key)
    for kind in source.edges:
        store = source.store(out, kind.name)
        for name in ["e_id", *(getattr(each, "name", each) for each in kind.attributes)]:
            store[name] = store[name][own("edge", kind.key)]
        store["edge_index"] = torch.stack([own("row", kind.key), own("col", kind.key)])
        store["num_sampled_edges"] = own("num_sampled_edges", kind.key)
    return out
