"""Graphs with as many nodes as edges, where lengths do not tell what an attribute is of."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch
from torch_geometric.data import Data

import gls
from gls.pyg import AnchorLoader, LinkNeighborLoader, NeighborLoader

COUNT = 10


def ring(**attributes: Any) -> Data:
    """Each node has edges from the two before it; half of the nodes have none of their own."""
    target = torch.arange(COUNT) // 2 * 2
    source = (target + 1 + torch.arange(COUNT) % 2) % COUNT
    return Data(x=torch.arange(COUNT * 1.0), edge_index=torch.stack([source, target]), **attributes)


def test_weights_are_of_edges() -> None:
    data = ring(w=(torch.arange(COUNT) % 2).float())
    assert data.is_node_attr("w")  # as PyG has it
    loader = NeighborLoader(data, [2], batch_size=4, weight_attr="w")
    edges = [batch.e_id for batch in loader]
    assert torch.cat(edges).numel() == COUNT // 2
    for batch in loader:
        assert (batch.e_id % 2 == 1).all()
        assert torch.equal(batch.w, data.w[batch.e_id])
        assert torch.equal(batch.x, data.x[batch.n_id])
    data.w = torch.arange(COUNT)  # also what is set later
    for batch in loader:
        assert torch.equal(batch.w, batch.e_id)


def test_reverse_columns_are_of_edges() -> None:
    data = ring(back=torch.arange(COUNT) ^ 1)
    options: Any = dict(exclude_mode="reverse_id", reverse_column="back", batch_size=1)
    loader = LinkNeighborLoader(data, [-1], torch.tensor([2, 4]), exclude_links=True, **options)
    for batch, link in zip(loader, (2, 4)):
        assert not {link, link ^ 1} & set(batch.e_id.tolist())
        assert torch.equal(batch.back, data.back[batch.e_id])
    sampled = gls.Supervision(("node", "to", "node"), sampled=True)
    (batch, *_) = AnchorLoader(ring(back=data.back), [-1], sampled, **options)
    assert torch.equal(batch.back, data.back[batch.e_id])


def test_what_weight_attr_names_must_be_of_edges() -> None:
    data = ring(w=torch.ones(COUNT, 2, dtype=torch.complex64), short=torch.ones(3), title="ring")
    for name, held in (
        ("w", r"one of edges, torch.complex64 of shape \[10, 2\]"),
        ("short", "one of neither nodes nor edges"),
        ("title", "one of neither nodes nor edges"),
        ("nothing", "none of the data at all"),
    ):
        with pytest.raises(
            gls.InvalidArgument, match=f"'{name}' is not an attribute .* edge, but {held}"
        ):
            NeighborLoader(data, [2], weight_attr=name)
    more = Data(x=torch.ones(COUNT), edge_index=torch.zeros(2, 3, dtype=torch.long))
    with pytest.raises(gls.InvalidArgument, match="edge, but one of nodes, torch.float32"):
        NeighborLoader(more, [2], weight_attr="x")


def test_times_that_may_be_of_nodes_or_edges_are_told() -> None:
    times = torch.arange(COUNT)
    with pytest.warns(
        UserWarning, match="time_attr: 'time' has as many entries as there are nodes"
    ):
        loader = NeighborLoader(ring(time=times), [2], time_attr="time")
    assert loader._options["node_time"] == "time"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NeighborLoader(ring(node_time=times), [2], time_attr="node_time")
        loader = NeighborLoader(
            ring(edge_time=times), [2], time_attr="edge_time", input_time=times, batch_size=COUNT
        )
        (batch,) = loader
        ends = batch.batch[batch.edge_index[1]]
        assert (batch.edge_time <= batch.seed_time[ends]).all()
        # Where there are more edges than nodes, lengths tell.
        more = Data(edge_index=torch.zeros(2, 3, dtype=torch.long), time=torch.arange(5))
        more.num_nodes = 5
        NeighborLoader(more, [2], time_attr="time")
