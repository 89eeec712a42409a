"""Batches as one graph of DGL."""

from __future__ import annotations

from typing import Any

import dgl

from gls._batch.array_numbers import EDGE, WALK
from gls._batch.batch import Batch
from gls.dgl.content import BatchContent
from gls.errors import Unsupported, invalid


def to_subgraph(batch: Batch) -> Any:
    """A batch as one ``DGLGraph`` of all its nodes and edges, in their order in the batch.

    It is for models that read one graph: of induced and bidirectional subgraphs, of links, and of
    walks with ``subgraph="induced"``. Edges go from source to target. The distinct seeds are the
    first nodes of their type.

    - ``ndata[dgl.NID]`` and, with ``with_edge_ids``, ``edata[dgl.EID]`` are dataset ids.
    - Columns are in ``ndata`` and ``edata`` by their names.

    All are views, also the ends of edges, with the dtypes of the batch.

    Raises:
        InvalidArgument: A column has rows for the seeds alone. DGL needs a row for each node, as
            ``gls.ColumnRequest(name, rows="all")`` gives.
        Unsupported: The batch has no edges, as its sampler is :class:`gls.Importance`,
            :class:`gls.PPR` or takes walks without ``subgraph="induced"``.
    """
    content = BatchContent(batch)
    _check_edges(content)
    alone = content.all_seed_columns()
    if alone:
        raise invalid(
            "batch",
            f"columns with rows for the seeds alone have no place in a graph: {', '.join(alone)}; "
            "gather them by gls.ColumnRequest(name, rows='all'), or leave them out of columns",
        )
    # Counts have no padding, which comes last.
    nodes = {t.name: sum(batch.nodes[t.name].num_sampled_nodes) for t in content.node_types}
    edges = {t.name: sum(batch.edges[t.name].num_sampled_edges) for t in content.edge_types}
    ends = {}
    for kind in content.edge_types:
        own, count = batch.edges[kind.name], edges[kind.name]
        ends[kind.key] = own.row.torch()[:count], own.col.torch()[:count]
    graph = dgl.heterograph(
        ends, num_nodes_dict={kind.key: nodes[kind.name] for kind in content.node_types}
    )
    for node_type in content.node_types:
        data, arrays = graph.nodes[node_type.key].data, batch.nodes[node_type.name]
        data[dgl.NID] = arrays.node.torch()[: nodes[node_type.name]]
        for name in node_type.of_all:
            data[name] = arrays[name].torch()[: nodes[node_type.name]]
    for kind in content.edge_types:
        data, own = graph.edges[kind.key].data, batch.edges[kind.name]
        if content.has(EDGE, kind.name):
            data[dgl.EID] = own.edge.torch()[: edges[kind.name]]
        for name in kind.columns:
            data[name] = own[name].torch()[: edges[kind.name]]
    return graph


def _check_edges(content: BatchContent) -> None:
    """Refuses batches whose edges are in other arrays, which a graph would not show."""
    batch = content.batch
    if content.near:
        raise Unsupported(
            "batch: neighbours of Importance and PPR are no edges; see near_seed and near_node"
        )
    if not content.walks or any(sum(e.num_sampled_edges) for e in batch.edges.values()):
        return
    walked = [batch.nodes[t.name].walk for t in content.node_types if content.has(WALK, t.name)]
    if any(bool((walk.torch()[:, 1:] >= 0).any()) for walk in walked):
        raise Unsupported(
            "batch: steps of walks are no edges: sample with subgraph='induced', or see walk and "
            "walk_edge"
        )
