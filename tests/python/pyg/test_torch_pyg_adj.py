"""Edges that are given as adjacency matrices, as PyG's ToSparseTensor makes them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import GCNConv, SAGEConv
from torch_geometric.transforms import ToSparseTensor

import gls
from gls.pyg import LinkNeighborLoader, NeighborLoader

LAYOUTS = [torch.sparse_csr, torch.sparse_csc, torch.sparse_coo]
WRITES, WRITTEN = ("author", "writes", "paper"), ("paper", "rev_writes", "author")


def with_adjacency(data: Any, layout: Any) -> Any:
    made = layout if layout != torch.sparse_csc else torch.sparse_csr
    out = ToSparseTensor(attr="edge_weight", layout=made)(copy.copy(data))
    if layout == torch.sparse_csc:
        for store in out.edge_stores:
            store.adj_t = store.adj_t.to_sparse_csc()
    return out


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(3)
    edge_index = torch.unique(torch.randint(0, 50, (2, 300)), dim=1)
    edge_index = edge_index[:, torch.randperm(edge_index.shape[1])]
    made = Data(x=torch.randn(50, 4), edge_index=edge_index)
    made.edge_weight, made.edge_attr = torch.rand(made.num_edges), torch.randn(made.num_edges, 2)
    return made


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_batches_have_the_matrix_of_their_edges(data: Data, layout: Any) -> None:
    graph = with_adjacency(data, layout)
    whole = graph.adj_t.to_dense()
    loader = NeighborLoader(graph, [3, 2], torch.arange(20), batch_size=8, seed=1)
    for batch in [*loader, loader([1, 2])]:
        assert "edge_index" not in batch and batch.adj_t.layout == layout
        matrix = batch.adj_t.to_dense()
        assert matrix.shape == (batch.num_nodes, batch.num_nodes)
        at = matrix.nonzero(as_tuple=True)
        assert len(at[0]) == batch.e_id.numel() == sum(batch.num_sampled_edges)
        assert torch.equal(matrix[at], whole[batch.n_id[at[0]], batch.n_id[at[1]]])
        assert torch.equal(batch.edge_attr, graph.edge_attr[batch.e_id])
        assert torch.equal(batch.x, data.x[batch.n_id])
        ids = graph.adj_t.to_sparse_coo().coalesce()
        assert torch.equal(ids.values()[batch.e_id].sort().values, matrix[at].sort().values)


def test_the_edges_are_those_of_edge_index(data: Data) -> None:
    """In both the edges of a row are by their sources, so that whole neighbourhoods are alike."""
    graph = with_adjacency(data, torch.sparse_csr)
    source, target = data.edge_index
    order = torch.argsort(target * 50 + source)
    plain = Data(
        x=data.x, edge_index=data.edge_index[:, order], edge_weight=data.edge_weight[order]
    )
    options: Any = {"batch_size": 8, "seed": 1}
    conv, other = SAGEConv(4, 3), GCNConv(4, 3, normalize=False)
    for got, wanted in zip(
        NeighborLoader(graph, [3, 2], **options), NeighborLoader(plain, [3, 2], **options)
    ):
        assert torch.equal(got.n_id, wanted.n_id) and torch.equal(got.e_id, wanted.e_id)
        unit = copy.copy(got.adj_t)
        unit.values().fill_(1)
        torch.testing.assert_close(
            conv(
                got.x,
                torch.sparse_csr_tensor(
                    unit.crow_indices(), unit.col_indices(), torch.ones(unit._nnz()), unit.shape
                ),
            ),
            conv(wanted.x, wanted.edge_index),
        )
        break
    got, wanted = (next(iter(NeighborLoader(of, [3, 2], **options))) for of in (graph, plain))
    torch.testing.assert_close(
        other(got.x, got.adj_t), other(wanted.x, wanted.edge_index, wanted.edge_weight)
    )


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_types_and_links(layout: Any) -> None:
    torch.manual_seed(4)
    graph = HeteroData()
    graph["author"].x, graph["paper"].x = torch.randn(20, 2), torch.randn(40, 3)
    ends = torch.unique(
        torch.stack([torch.randint(0, 20, (150,)), torch.randint(0, 40, (150,))]), dim=1
    )
    graph[WRITES].edge_index, graph[WRITTEN].edge_index = ends, ends.flip(0)
    given = with_adjacency(graph, layout)
    for batch in NeighborLoader(given, [-1, -1], "paper", batch_size=10):
        for edge_type in (WRITES, WRITTEN):
            source, _, target = edge_type
            matrix = batch[edge_type].adj_t.to_dense()
            assert matrix.shape == (batch[target].num_nodes, batch[source].num_nodes)
            rows = batch[target].n_id[matrix.nonzero(as_tuple=True)[0]]
            columns = batch[source].n_id[matrix.nonzero(as_tuple=True)[1]]
            assert bool((given[edge_type].adj_t.to_dense()[rows, columns] == 1).all())
    links = LinkNeighborLoader(given, [2], WRITES, batch_size=9, neg_sampling="binary")
    seen = 0
    for batch in links:
        source, target = batch[WRITES].edge_label_index[:, batch[WRITES].edge_label == 1]
        dense = given[WRITES].adj_t.to_dense()
        assert bool((dense[batch["paper"].n_id[target], batch["author"].n_id[source]] == 1).all())
        seen += len(source)
    assert seen == ends.shape[1]


def test_matrices_that_cannot_be_taken(data: Data) -> None:
    both = with_adjacency(data, torch.sparse_csr)
    both.edge_index = data.edge_index
    with pytest.raises(gls.Unsupported, match="edge_index and adj_t, expected one of the two"):
        NeighborLoader(both, [2])
    dense = Data(x=data.x, adj_t=torch.ones(50, 50))
    with pytest.raises(gls.Unsupported, match="adj_t of .* is a Tensor"):
        NeighborLoader(dense, [2])
    with pytest.raises(gls.Unsupported, match="neither edge_index nor adj_t"):
        NeighborLoader(Data(x=data.x), [2])
    with pytest.raises(gls.Unsupported, match="given with adj_t"):
        NeighborLoader(with_adjacency(data, torch.sparse_csr), [2], transform_sampler_output=print)
    with pytest.raises(gls.Unsupported, match="pad: "):
        NeighborLoader(with_adjacency(data, torch.sparse_csr), [2], pad=True)
