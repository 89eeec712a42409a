"""Batches as mini-batches of GraphBolt."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional, Tuple

import torch

from gls._batch.array_numbers import LINK_LABEL, LINK_NEGATIVE
from gls._batch.batch import Batch
from gls._core.packages import need
from gls.dgl.blocks import Layer, layers_of
from gls.dgl.content import BatchContent, EdgeKind, NodeKind, drawn_pairs, given_links
from gls.errors import Unsupported, invalid


def to_minibatch(batch: Batch) -> Any:
    """A batch as ``dgl.graphbolt.MiniBatch``, so that ``minibatch.blocks`` gives its blocks.

    With one node type and one edge type, attributes are tensors. Else they are dictionaries by node
    type, or by edge type as "source:relation:target".

    - `sampled_subgraphs`: a ``SampledSubgraphImpl`` for each layer, the first one first. It has CSC,
      dataset ids of nodes, and those of edges with ``with_edge_ids``.
    - `input_nodes`: dataset ids of the nodes that the first layer reads.
    - `node_features`: node columns by name, or by (type, name), with a row for each input node.
    - `edge_features`: for each layer, edge columns by name, or by (type, name).
    - `seeds`: the distinct seeds in the order of the batch; a model's output has a row for each.
      GraphBolt 2.1 has them as `seed_nodes`, too.
    - `labels`: the column of the seeds; None without one.

    Where links are seeds, as GraphBolt has them after negative sampling:

    - `seeds`: dataset ids of both ends of links, then of negative pairs [P, 2].
    - `compacted_seeds`: the same as rows of the model's output [P, 2].
    - `labels`: those of the batch [P, ...]. With triplets and no labels, float32 1 and 0.
    - `indexes`: with triplets, the number of the link to which each pair belongs [P]. Binary
      negatives belong to no link, so there are none.
    - `node_pairs` and all other attributes that only GraphBolt 2.1 has are None, and so is
      ``node_pairs_with_labels``.

    `indptr`, `seeds` of links and what has negative pairs are copies; all else are views.
    ``minibatch.blocks`` converts `indptr` and `indices` to int32.

    Raises:
        InvalidArgument: Columns with rows for the seeds alone are more than `labels` can hold: several
            of one type, or some beside links.
        Unsupported: As of :func:`to_blocks`; or a name has ":", which GraphBolt uses between types.
    """
    bolt = need("dgl.graphbolt", "gls.dgl.to_minibatch()")
    content = BatchContent(batch)
    layers = layers_of(content)
    _check(content)
    made = bolt.MiniBatch(
        sampled_subgraphs=[_subgraph(bolt, content, layer) for layer in layers],
        input_nodes=_of_nodes(content, layers[0].src),
        node_features=_node_features(content, layers[0]),
        edge_features=_edge_features(content, layers),
    )
    if content.links:
        _set_links(made, content)
        return made
    outputs = layers[-1].dst
    seeds = {name: ids for name, ids in outputs.items() if content.plain or len(ids) > 0}
    made.seeds = _of_nodes(content, seeds)
    if any(field.name == "seed_nodes" for field in dataclasses.fields(made)):
        made.seed_nodes = made.seeds
    labels = {
        kind.name: batch.nodes[kind.name][kind.of_seeds[0]].torch()[: len(seeds[kind.name])]
        for kind in content.node_types
        if kind.of_seeds and kind.name in seeds
    }
    made.labels = _of_nodes(content, labels) if labels else None
    return made


def _check(content: BatchContent) -> None:
    alone = content.all_seed_columns()
    if any(len(t.of_seeds) > 1 for t in content.node_types) or (alone and content.links):
        room = "labels of links" if content.links else "one column of a type"
        raise invalid(
            "batch",
            f"a MiniBatch has room for {room}, and columns with rows for the seeds alone are: "
            f"{', '.join(alone)}; gather them by gls.ColumnRequest(name, rows='all'), or leave them "
            "out of columns",
        )
    names = [part for kind in content.edge_types for part in kind.key]
    wrong = [name for name in names if ":" in name and not content.plain]
    if wrong:
        raise Unsupported(f"batch: GraphBolt has ':' between types, and the name {wrong[0]!r}, too")


def _edge_key(kind: EdgeKind) -> str:
    return ":".join(kind.key)


def _of_nodes(content: BatchContent, values: Dict[str, torch.Tensor]) -> Any:
    return next(iter(values.values())) if content.plain else values


def _of_edges(content: BatchContent, values: Dict[str, Any]) -> Any:
    if content.plain:
        return next(iter(values.values()))
    return {_edge_key(t): values[t.name] for t in content.edge_types if t.name in values}


def _subgraph(bolt: Any, content: BatchContent, layer: Layer) -> Any:
    csc = {name: bolt.CSCFormatBase(*arrays) for name, arrays in layer.csc.items()}
    return bolt.SampledSubgraphImpl(
        sampled_csc=_of_edges(content, csc),
        original_column_node_ids=_of_nodes(content, layer.dst),
        original_row_node_ids=_of_nodes(content, layer.src),
        original_edge_ids=_of_edges(content, layer.edge) if layer.edge else None,
    )


def _node_features(content: BatchContent, layer: Layer) -> Dict[Any, torch.Tensor]:
    def key(kind: NodeKind, name: str) -> Any:
        return name if content.plain else (kind.name, name)

    return {
        key(kind, name): content.batch.nodes[kind.name][name].torch()[: len(layer.src[kind.name])]
        for kind in content.node_types
        for name in kind.of_all
    }


def _edge_features(content: BatchContent, layers: List[Layer]) -> List[Dict[Any, torch.Tensor]]:
    out: List[Dict[Any, torch.Tensor]] = [{} for _ in layers]
    for kind in content.edge_types:
        for name in kind.columns:
            rows = content.batch.edges[kind.name][name].torch()
            key = name if content.plain else (_edge_key(kind), name)
            for layer, features in zip(layers, out):
                features[key] = rows[: len(layer.csc[kind.name][1])]
    return out


def _set_links(made: Any, content: BatchContent) -> None:
    """Sets what belongs to pairs of nodes."""
    seeds, compacted, labels, indexes = {}, {}, {}, {}
    for kind in content.links:
        pairs, label, index = _pairs(content, kind)
        compacted[kind.name] = pairs
        ids = [content.batch.nodes[end].node.torch() for end in kind.ends]
        seeds[kind.name] = torch.stack([ids[0][pairs[:, 0]], ids[1][pairs[:, 1]]], dim=1)
        if label is not None:
            labels[kind.name] = label
        if index is not None:
            indexes[kind.name] = index
    made.seeds, made.compacted_seeds = _of_edges(content, seeds), _of_edges(content, compacted)
    made.labels = _of_edges(content, labels) if labels else None
    made.indexes = _of_edges(content, indexes) if indexes else None


def _pairs(
    content: BatchContent, kind: EdgeKind
) -> Tuple[torch.Tensor, Optional[torch.Tensor], Optional[torch.Tensor]]:
    """Local ids of all pairs [P, 2], their labels, and the numbers of their links."""
    arrays = content.batch.edges[kind.name]
    links, mask = given_links(arrays)
    pairs = torch.stack(links, dim=1)
    label = arrays.link_label.torch()[mask] if content.has(LINK_LABEL, kind.name) else None
    if not content.has(LINK_NEGATIVE, kind.name):
        return pairs, label, None
    drawn, index = drawn_pairs(arrays)
    if label is None:
        label = torch.ones(len(pairs), device=pairs.device)
    label = torch.cat([label, label.new_zeros((len(index), *label.shape[1:]))])
    own = torch.arange(len(pairs), device=pairs.device)
    return torch.cat([pairs, torch.stack(drawn, dim=1)]), label, torch.cat([own, index])
