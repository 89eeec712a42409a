"""Graphs for the tests with DGL, and what their batches must hold."""

from __future__ import annotations

from typing import Any, Dict, List, Set, Tuple

import numpy as np
import torch

import gls

Edges = List[Tuple[int, int, int]]

WRITES = ("author", "writes", "paper")
WRITTEN = ("paper", "written", "author")
CITES = ("paper", "cites", "paper")
SIZES = {"author": 30, "paper": 60}
PLAIN = "node__to__node"


def plain(**options: Any) -> gls.Dataset:
    random = np.random.default_rng(1)
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 80)
    builder.add_edges(PLAIN, random.integers(0, 80, (2, 500)))
    builder.add_node_column("node", "x", random.standard_normal((80, 6)).astype(np.float32))
    builder.add_node_column("node", "y", random.integers(0, 3, 80), role="label")
    builder.add_edge_column(PLAIN, "w", random.random(500).astype(np.float32))
    return builder.build(**options)


def typed(**options: Any) -> gls.Dataset:
    random = np.random.default_rng(2)
    builder = gls.DatasetBuilder()
    for name, count in SIZES.items():
        builder.add_node_type(name, count)
        rows = random.standard_normal((count, 5)).astype(np.float32)
        builder.add_node_column(name, "x", rows)
    builder.add_node_column("paper", "y", random.integers(0, 3, 60), role="label")
    for kind in (WRITES, WRITTEN, CITES):
        ends = [random.integers(0, SIZES[end], 200) for end in (kind[0], kind[2])]
        builder.add_edges(kind, np.stack(ends))
    builder.add_edge_column(CITES, "w", random.random(200).astype(np.float32))
    return builder.build(**options)


def edges_of_layer(batch: gls.Batch, kind: Any, layer: int) -> Edges:
    """By definition: (source, target, edge) of the edges to nodes of the seeds and the first hops."""
    arrays = batch.edges[kind]
    source, _, target = kind if isinstance(kind, tuple) else kind.split("__")
    hops = batch.nodes[target].num_sampled_nodes
    outputs = sum(hops[: batch.num_hops - layer])
    sources, targets = batch.nodes[source].node.numpy(), batch.nodes[target].node.numpy()
    return sorted(
        (int(sources[row]), int(targets[col]), int(edge))
        for row, col, edge in zip(arrays.row, arrays.col, arrays.edge)
        if col < outputs
    )


def edges_of_block(block: Any, kind: Any, ids: Any) -> Edges:
    """(source, target, edge) by dataset ids, as a block of DGL has them. `ids`: its name for edge ids."""
    source, _, target = kind
    row, col = block.edges(etype=kind, order="eid")
    return sorted(
        zip(
            block.srcnodes[source].data[ids[0]][row].tolist(),
            block.dstnodes[target].data[ids[0]][col].tolist(),
            block.edges[kind].data[ids[1]].tolist(),
        )
    )


def mean(source: torch.Tensor, row: Any, col: Any, outputs: int) -> torch.Tensor:
    """The mean of the messages to each output, edge by edge; 0 without messages."""
    total, count = torch.zeros(outputs, source.shape[1]), torch.zeros(outputs, 1)
    for one, other in zip(row.tolist(), col.tolist()):
        total[other] += source[one]
        count[other] += 1
    return total / count.clamp(min=1)


def sage(conv: Any, source: torch.Tensor, own: torch.Tensor, row: Any, col: Any) -> torch.Tensor:
    """What SAGEConv of DGL with the aggregator "mean" computes."""
    found = mean(source, row, col, len(own)) @ conv.fc_neigh.weight.T
    return own @ conv.fc_self.weight.T + conv.fc_self.bias + found


def all_ids(batches: List[gls.Batch]) -> Dict[str, Set[int]]:
    return {
        name: {int(i) for batch in batches for i in batch.nodes[name].node}
        for name in batches[0].nodes
    }
