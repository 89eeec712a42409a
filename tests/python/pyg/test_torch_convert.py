"""gls.from_pyg: Data and HeteroData as datasets."""

from __future__ import annotations

from typing import Any, List, Tuple

import pytest
import torch
from torch_geometric.data import Data, HeteroData

import gls

NODES, EDGES = 6, 9


def graph() -> Data:
    generator = torch.Generator().manual_seed(1)
    return Data(
        x=torch.randn(NODES, 3, generator=generator),
        y=torch.arange(NODES),
        edge_index=torch.randint(0, NODES, (2, EDGES), generator=generator),
        edge_attr=torch.randn(EDGES, 2, generator=generator),
        edge_weight=torch.rand(EDGES, generator=generator),
        train_mask=torch.arange(NODES) < 2,
        val_mask=torch.arange(NODES) == 3,
        test_mask=torch.arange(NODES) > 3,
    )


def edges_of(dataset: gls.Dataset, type: Any = None) -> List[Tuple[int, int]]:
    source, target = dataset.find_edges(range(dataset.num_edges(type)), type)
    return list(zip(source.tolist(), target.tolist()))


def roles(columns: Any) -> Any:
    return {column.name: column.role for column in columns.values()}


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.int64], ids=str)
def test_data(dtype: torch.dtype) -> None:
    data = graph()
    data.edge_index = data.edge_index.to(dtype)
    dataset = gls.from_pyg(data)
    dataset.verify()
    assert edges_of(dataset) == [(u, v) for u, v in data.edge_index.t().tolist()]
    assert dataset.edge_types == [("node", "to", "node")] and dataset.num_nodes() == NODES
    assert roles(dataset.node_columns()) == {"x": "feature", "y": "label"}
    assert roles(dataset.edge_columns()) == {"edge_attr": "feature", "edge_weight": "weight"}
    assert {name: dataset.id_set(name).tolist() for name in dataset.id_sets()} == {
        "train": [0, 1],
        "valid": [3],
        "test": [4, 5],
    }


def test_tensors_are_used_in_place() -> None:
    data = graph()
    dataset = gls.from_pyg(data)
    assert dataset.node_column("x").data_ptr() == data.x.data_ptr()
    assert dataset.edge_column("edge_weight").data_ptr() == data.edge_weight.data_ptr()


def test_hetero_data() -> None:
    data = HeteroData()
    data["paper"].x = torch.randn(4, 2, requires_grad=True)
    data["paper"].time = torch.arange(4)
    data["author"].num_nodes = 3
    data["author", "writes", "paper"].edge_index = torch.tensor([[0, 2, 2], [3, 1, 1]])
    data["author", "writes", "paper"].weight = torch.tensor([1.0, -1.0, 2.0])
    dataset = gls.from_pyg(data, layouts=("csc", "csr"))
    assert dataset.metadata() == data.metadata()
    assert dataset.num_nodes("author") == 3
    assert edges_of(dataset, ("author", "writes", "paper")) == [(0, 3), (2, 1), (2, 1)]
    assert roles(dataset.node_columns("paper")) == {"x": "feature", "time": "time"}
    assert roles(dataset.edge_columns("author__writes__paper")) == {"weight": "feature"}
    assert dataset.layouts("author__writes__paper") == ["csc", "csr"]


@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_csc, torch.sparse_coo], ids=str)
@pytest.mark.parametrize("ones", [False, True])
def test_adjacency(layout: torch.layout, ones: bool) -> None:
    dense = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0], [0.0, 0.0, 5.0]])  # rows are targets
    dense = (dense > 0).float() if ones else dense
    sparse = dense.to_sparse(layout=layout)
    dataset = gls.from_pyg(Data(x=torch.zeros(3, 1), adj_t=sparse))
    targets, sources = dense.nonzero().t().tolist()
    assert edges_of(dataset) == list(zip(sources, targets))
    if ones:
        assert dataset.edge_columns() == {}
    else:
        assert dataset.edge_column("edge_weight").tolist() == [2.0, 3.0, 4.0, 5.0]
        assert roles(dataset.edge_columns()) == {"edge_weight": "weight"}


def test_empty_data() -> None:
    dataset = gls.from_pyg(Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=3))
    assert (dataset.num_nodes(), dataset.num_edges()) == (3, 0)


def test_what_cannot_be_columns_is_left_out() -> None:
    data = graph()
    data.names = ["a"] * NODES
    data.waves = torch.zeros(NODES, dtype=torch.complex64)
    data.odd__name_ = torch.zeros(NODES)
    data.several = torch.zeros(7)
    data.train_mask = torch.ones(NODES, 2, dtype=torch.bool)
    dataset = gls.from_pyg(data)
    assert set(dataset.node_columns()) == {"x", "y", "odd_name", "train_mask"}
    assert set(dataset.id_sets()) == {"valid", "test"}


def test_errors() -> None:
    with pytest.raises(TypeError, match="Data or HeteroData of PyG, not dict"):
        gls.from_pyg({})
    with pytest.raises(gls.Unsupported, match="neither edge_index nor adj_t"):
        gls.from_pyg(Data(x=torch.zeros(3, 1)))
    with pytest.raises(gls.InvalidArgument, match=r"shape \[3, 2\], expected \[2, n\]"):
        gls.from_pyg(Data(x=torch.zeros(3, 1), edge_index=torch.zeros(3, 2).long()))
    data = HeteroData()
    data["a", "odd__name", "a"].edge_index = torch.zeros(2, 1, dtype=torch.long)
    with pytest.raises(gls.InvalidArgument, match="a name 'odd__name'"):
        gls.from_pyg(data)
