"""A loader whose batches take a good part of a second each."""

from __future__ import annotations

import numpy as np

import gls


def slow_loader(seeds: int = 100) -> gls.NeighborLoader:
    # One node with many weighted edges, met again by each seed: every meeting sums all weights.
    edges = 1_000_000
    context = gls.Context(1)  # so that nobody else waits for it
    context.set("sample.weight_tables", 0)
    builder = gls.DatasetBuilder(context=context)
    builder.add_node_type("node", 2)
    builder.add_topology(
        "node__to__node",
        "csc",
        np.array([0, edges, edges], np.int64),
        np.zeros(edges, np.int32),
    )
    builder.add_edge_column("node__to__node", "w", np.ones(edges, np.float32), role="weight")
    return gls.NeighborLoader(
        builder.build(),
        [1],
        np.zeros(seeds * 20, np.int64),
        batch_size=seeds,
        disjoint=True,
        weight_attr="w",
        num_workers=1,
        prefetch=1,
    )
