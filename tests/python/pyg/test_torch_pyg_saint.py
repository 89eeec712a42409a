"""gls.pyg's samplers of subgraphs against what PyG's give."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.loader.cluster import Partition
from torch_geometric.utils import subgraph

import gls
from gls.pyg import (
    ClusterLoader,
    GraphSAINTEdgeSampler,
    GraphSAINTNodeSampler,
    GraphSAINTRandomWalkSampler,
)

NODES, EDGES = 80, 500


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(4)
    return Data(
        x=torch.randn(NODES, 5),
        y=torch.randint(0, 3, (NODES,)),
        edge_index=torch.randint(0, NODES, (2, EDGES)),
        edge_attr=torch.randn(EDGES, 2),
        train_mask=torch.rand(NODES) < 0.5,
    )


def check_subgraph(data: Data, batch: Data) -> None:
    """All edges between its nodes, and the rows of both."""
    assert batch.num_nodes == batch.n_id.numel() == batch.n_id.unique().numel()
    for name in ("x", "y", "train_mask"):
        assert torch.equal(batch[name], data[name][batch.n_id])
    assert torch.equal(batch.edge_attr, data.edge_attr[batch.e_id])
    assert torch.equal(batch.n_id[batch.edge_index], data.edge_index[:, batch.e_id])
    _, _, mask = subgraph(batch.n_id, data.edge_index, return_edge_mask=True, num_nodes=NODES)
    assert torch.equal(batch.e_id.sort().values, mask.nonzero().view(-1))


SAMPLERS = [
    lambda data, **more: GraphSAINTNodeSampler(data, 12, 6, **more),
    lambda data, **more: GraphSAINTEdgeSampler(data, batch_size=7, num_steps=6, **more),
    lambda data, **more: GraphSAINTRandomWalkSampler(data, 5, 3, 6, **more),
]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_saint(data: Data, sampler: Any) -> None:
    loader = sampler(data, seed=3, shuffle=True, num_workers=2)
    assert len(loader) == 6
    batches = list(loader)
    for batch in batches:
        check_subgraph(data, batch)
        assert "node_norm" not in batch and "batch_size" not in batch
    again = sampler(data, seed=3)
    assert all(torch.equal(a.n_id, b.n_id) for a, b in zip(again, batches))
    with pytest.raises(gls.Unsupported, match="not callable"):
        loader([1, 2])
    with pytest.raises(gls.Unsupported, match="collate_fn"):
        sampler(data, collate_fn=list)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_norms(data: Data, sampler: Any) -> None:
    loader = sampler(data, sample_coverage=20, seed=3, log=False)
    norms = loader.native.saint_norms(coverage=20)
    for batch in loader:
        check_subgraph(data, batch)
        assert torch.equal(batch.node_norm, norms.node.torch()[batch.n_id])
        assert torch.equal(batch.edge_norm, norms.edge.torch()[batch.e_id])
    data_with_norms = data.clone()
    data_with_norms.node_norm = torch.ones(NODES)
    with pytest.raises(gls.InvalidArgument, match="node_norm"):
        sampler(data_with_norms)


class Clustered:
    """As PyG's ClusterData, whose METIS is an extension, leaves its data."""

    def __init__(self, data: Data, cluster: torch.Tensor, parts: int) -> None:
        nodes = cluster.argsort(stable=True)
        place = torch.empty_like(nodes)
        place[nodes] = torch.arange(NODES)
        ends = place[data.edge_index]
        edges = (ends[0] * NODES + ends[1]).argsort(stable=True)
        ends = ends[:, edges]
        pointers = torch.zeros(NODES + 1, dtype=torch.long)
        pointers[1:] = torch.bincount(ends[0], minlength=NODES).cumsum(0)
        sizes = torch.zeros(parts + 1, dtype=torch.long)
        sizes[1:] = torch.bincount(cluster, minlength=parts).cumsum(0)
        self.partition = Partition(pointers, ends[1], sizes, nodes, edges, "csr")
        self.data = Data(
            x=data.x[nodes],
            y=data.y[nodes],
            train_mask=data.train_mask[nodes],
            edge_attr=data.edge_attr[edges],
        )


def test_clusters(data: Data) -> None:
    cluster = torch.randint(0, 10, (NODES,))
    loader = ClusterLoader(data, cluster, batch_size=3, shuffle=True, seed=1)
    assert len(loader) == 4
    seen = []
    for batch in loader:
        check_subgraph(data, batch)
        own = cluster[batch.n_id].unique()
        assert own.numel() <= 3 and torch.isin(cluster, own).sum() == batch.num_nodes
        seen.append(batch.n_id)
    assert torch.equal(torch.cat(seen).sort().values, torch.arange(NODES))
    made = Clustered(data, cluster, 10)
    for batch, expected in zip(
        ClusterLoader(made, batch_size=5), ClusterLoader(data, cluster, batch_size=5)
    ):
        assert torch.equal(batch.x, expected.x) and torch.equal(batch.y, expected.y)
        assert batch.edge_attr.shape == expected.edge_attr.shape
        assert torch.equal(
            batch.edge_attr.sum(0).round(decimals=3), expected.edge_attr.sum(0).round(decimals=3)
        )
    with pytest.raises(gls.InvalidArgument, match="cluster"):
        ClusterLoader(data)
    with pytest.raises(gls.InvalidArgument, match="cluster"):
        ClusterLoader(made, cluster)
