"""Batches as blocks of DGL."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Tuple

import dgl
import torch

from gls._batch.array_numbers import EDGE, LINK_LABEL, LINK_NEGATIVE
from gls._batch.batch import Batch
from gls._batch.blocks import Block
from gls.dgl.content import BatchContent, EdgeKind, Links, drawn_pairs, given_links
from gls.errors import Unsupported


class Layer(NamedTuple):
    """What one block of a batch holds, by type of GLS."""

    src: Dict[str, torch.Tensor]
    """Dataset ids of input nodes."""
    dst: Dict[str, torch.Tensor]
    """Dataset ids of output nodes."""
    csc: Dict[str, Tuple[torch.Tensor, torch.Tensor]]
    """`indptr` and `indices`."""
    edge: Dict[str, torch.Tensor]
    """Dataset ids of edges; empty without edge ids."""


def layers_of(content: BatchContent) -> List[Layer]:
    """The layers of a batch, the first one first.

    Raises:
        Unsupported: The batch has no blocks, or messages go against edges between two node types.
    """
    return [_layer(content, block) for block in content.batch.blocks()]


def _layer(content: BatchContent, block: Block) -> Layer:
    src = {t.name: block.nodes[t.name].input_nodes.torch() for t in content.node_types}
    dst = {t.name: block.nodes[t.name].output_nodes.torch() for t in content.node_types}
    csc, edge = {}, {}
    for kind in content.edge_types:
        arrays = block.edges[kind.name]
        _check_direction(content, kind, arrays, len(dst[kind.ends[1]]))
        indptr, indices = (array.torch() for array in arrays.csc())
        csc[kind.name] = indptr.to(indices.dtype), indices
        if content.has(EDGE, kind.name):
            edge[kind.name] = arrays.edge.torch()
    return Layer(src, dst, csc, edge)


def _check_direction(content: BatchContent, kind: EdgeKind, arrays: Any, targets: int) -> None:
    """Refuses messages from targets to sources, where these have two types."""
    source, target = kind.ends
    if source == target:
        return
    against = len(arrays.indptr) != targets + 1
    if not against and arrays.num_edges > 0:
        own = content.batch.edges[kind.name]
        against = arrays.src.data_ptr() == own.col.data_ptr()
    if against:
        raise Unsupported(
            f"batch: with direction='out', messages go from {target!r} to {source!r}, and DGL has "
            f"{kind.name!r} from {source!r} to {target!r}: sample the reverse edge type with "
            "direction='in'"
        )


def to_blocks(batch: Batch) -> Tuple[Any, Any, List[Any]]:
    """A batch as DGL's ``DataLoader`` yields it for nodes: ``(input_nodes, output_nodes, blocks)``.

    There is a ``DGLBlock`` for each hop, the first layer first; :class:`gls.Block` says which edges
    it holds. With ``direction="out"``, edges of a block point from the target of an edge to its
    source.

    `input_nodes` are the dataset ids of the nodes whose features the first layer reads [N].
    `output_nodes` are those that the last layer computes [S]: the distinct seeds, or the ends of
    links, in the order of the batch. Both are tensors with one node type, else dictionaries by node
    type. `output_nodes` then has only types with nodes.

    The blocks hold, by name:

    - ``dgl.NID`` in ``srcdata`` and ``dstdata`` of all blocks: dataset ids.
    - ``dgl.EID`` in ``edata`` of all blocks: dataset ids, with ``with_edge_ids``.
    - Node columns in ``srcdata`` of the first block, if they have rows for all nodes.
    - All node columns in ``dstdata`` of the last block, such as labels of the seeds.
    - Edge columns in ``edata`` of all blocks.

    All have the dtypes of the batch, and ids those of its ids. A block is in CSC; `indptr` is
    counted for it, and all else are views. DGL makes other sparse formats when a model needs them.

    Raises:
        Unsupported: The batch has no blocks, see :meth:`gls.Batch.blocks`. Or it was sampled with
            ``direction="out"`` by an edge type between two node types.
    """
    content = BatchContent(batch)
    layers = layers_of(content)
    blocks = [_block(content, layer) for layer in layers]
    for kind in content.node_types:
        arrays = batch.nodes[kind.name]
        first, last = blocks[0].srcnodes[kind.key].data, blocks[-1].dstnodes[kind.key].data
        inputs, outputs = len(layers[0].src[kind.name]), len(layers[-1].dst[kind.name])
        for name in kind.of_all:
            rows = arrays[name].torch()
            first[name], last[name] = rows[:inputs], rows[:outputs]
        for name in kind.of_seeds:
            last[name] = arrays[name].torch()[:outputs]
    for edges in content.edge_types:
        for name in edges.columns:
            rows = batch.edges[edges.name][name].torch()
            for layer, block in zip(layers, blocks):
                block.edges[edges.key].data[name] = rows[: len(layer.csc[edges.name][1])]
    return _by_type(content, layers[0].src), _by_type(content, layers[-1].dst, True), blocks


def _block(content: BatchContent, layer: Layer) -> Any:
    graph = {}
    for kind in content.edge_types:
        indptr, indices = layer.csc[kind.name]
        # DGL numbers the edges by their positions where their ids are left out.
        graph[kind.key] = ("csc", (indptr, indices, indices.new_empty(0)))
    block = dgl.create_block(
        graph,
        num_src_nodes={kind.key: len(layer.src[kind.name]) for kind in content.node_types},
        num_dst_nodes={kind.key: len(layer.dst[kind.name]) for kind in content.node_types},
    )
    for node_type in content.node_types:
        block.srcnodes[node_type.key].data[dgl.NID] = layer.src[node_type.name]
        block.dstnodes[node_type.key].data[dgl.NID] = layer.dst[node_type.name]
    for kind in content.edge_types:
        if kind.name in layer.edge:
            block.edges[kind.key].data[dgl.EID] = layer.edge[kind.name]
    return block


def _by_type(content: BatchContent, nodes: Dict[str, torch.Tensor], some: bool = False) -> Any:
    """One tensor with one node type, else a dictionary; `some`: of types with nodes."""
    if len(content.node_types) == 1:
        return nodes[content.node_types[0].name]
    keys = {kind.name: kind.key for kind in content.node_types}
    return {keys[name]: ids for name, ids in nodes.items() if len(ids) > 0 or not some}


def to_link_blocks(batch: Batch) -> Tuple[Any, Any, Any, List[Any]]:
    """A batch of links as DGL's ``DataLoader`` yields it for edges: ``(input_nodes, pair_graph,
    negative_graph, blocks)``. Without negative pairs, `negative_graph` has no edges; DGL leaves it
    out.

    The nodes of both graphs are the output nodes of the last block, with ``dgl.NID``. Their edges are
    the links, and the negative pairs, in the order of the batch. The pairs of triplets go link by
    link, without missing ones. Edges of links have ``edata["input_id"]``, the position in the
    loader's list of links, and ``edata["label"]`` if there are labels. The ends are copied, and all
    else is as in :func:`to_blocks`.

    Raises:
        Unsupported: The seeds are not links, or as of :func:`to_blocks`. Or the batch is not a
            loader's and has labels, so that links and negative pairs cannot be told apart.
    """
    content = BatchContent(batch)
    if not content.links:
        raise Unsupported("batch: its seeds are not links; to_blocks() converts it")
    input_nodes, _, blocks = to_blocks(batch)
    positive: Dict[str, Links] = {}
    negative: Dict[str, Links] = {}
    data: Dict[str, Dict[str, torch.Tensor]] = {}
    for kind in content.links:
        arrays = batch.edges[kind.name]
        pairs, mask = given_links(arrays)
        links = len(pairs.source)
        labelled = content.has(LINK_LABEL, kind.name)
        own = data.setdefault(kind.name, {})
        if hasattr(arrays, "input_id"):
            place = arrays.input_id.torch()
            links = int(mask[: len(place)].sum())
            own["input_id"] = place[mask[: len(place)]]
        elif labelled:
            raise Unsupported("batch: only of a loader's it is known which pairs are negative")
        if labelled:
            own["label"] = arrays.link_label.torch()[mask][:links]
        positive[kind.name] = Links(pairs.source[:links], pairs.target[:links])
        if content.has(LINK_NEGATIVE, kind.name):
            negative[kind.name], _ = drawn_pairs(arrays)
        else:
            negative[kind.name] = Links(pairs.source[links:], pairs.target[links:])
    pair_graph = _pair_graph(content, blocks[-1], positive)
    for kind in content.links:
        for name, rows in data[kind.name].items():
            pair_graph.edges[kind.key].data[name] = rows
    return input_nodes, pair_graph, _pair_graph(content, blocks[-1], negative), blocks


def _pair_graph(content: BatchContent, last: Any, pairs: Dict[str, Links]) -> Any:
    none = next(iter(pairs.values())).source[:0]
    graph = dgl.heterograph(
        {kind.key: tuple(pairs.get(kind.name, (none, none))) for kind in content.edge_types},
        num_nodes_dict={t.key: last.num_dst_nodes(t.key) for t in content.node_types},
    )
    for node_type in content.node_types:
        ids = last.dstnodes[node_type.key].data[dgl.NID]
        graph.nodes[node_type.key].data[dgl.NID] = ids
    return graph
