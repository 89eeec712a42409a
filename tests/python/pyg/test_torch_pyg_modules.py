"""Models, data modules and table attributes of PyG with loaders of gls.pyg."""

from __future__ import annotations

from typing import Any, Optional

import pytest
import torch
from torch.utils.data import RandomSampler
from torch_geometric.data import Data, HeteroData
from torch_geometric.data.lightning import datamodule
from torch_geometric.loader import LinkLoader, NodeLoader
from torch_geometric.nn import GraphSAGE
from torch_geometric.typing import TensorFrame

import gls
from gls.pyg import LightningLinkData, LightningNodeData, LinkNeighborLoader, NeighborLoader
from gls.pyg import NeighborSampler


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(1)
    made = Data(x=torch.randn(60, 4), edge_index=torch.randint(0, 60, (2, 400)))
    made.y = torch.randint(0, 3, (60,))
    made.train_mask, made.val_mask = torch.arange(60) < 30, torch.arange(60) >= 50
    return made


def test_layer_wise_inference_of_pyg(data: Data) -> None:
    model = GraphSAGE(4, 8, num_layers=2, out_channels=3).eval()
    loader = NeighborLoader(data.clone(), [-1], input_nodes=None, batch_size=16)
    with torch.no_grad():
        torch.testing.assert_close(model.inference(loader), model(data.x, data.edge_index))


# ---- data modules: they need Lightning for a Trainer alone ------------------------------------------


@pytest.fixture(autouse=True)
def without_a_trainer(monkeypatch: Any) -> None:
    monkeypatch.setattr(datamodule, "_pl_is_available", True)


def test_nodes_of_a_data_module(data: Data) -> None:
    made = LightningNodeData(
        data, num_neighbors=[3, 2], batch_size=8, seed=4, eval_loader_kwargs={"num_neighbors": [-1]}
    )
    train = made.train_dataloader()
    assert isinstance(train, NeighborLoader) and made.loader == "neighbor"
    # What a Trainer looks at, and what it makes the loader anew with.
    assert train.multiprocessing_context is None and getattr(train, "__dataset") == range(30)
    assert type(train.sampler) is RandomSampler and train.batch_sampler.batch_size == 8
    again = NeighborLoader(data, [2], data.train_mask, batch_sampler=train.batch_sampler)
    assert sorted(torch.cat([batch.input_id for batch in again]).tolist()) == list(range(30))
    seeds = torch.cat([batch.input_id for batch in train])
    assert seeds.tolist() != list(range(30)) and sorted(seeds.tolist()) == list(range(30))
    validation = made.val_dataloader()
    assert torch.cat([batch.input_id for batch in validation]).tolist() == list(range(50, 60))
    assert len(validation.node_sampler.num_neighbors) == 1
    assert made.test_dataloader is None
    order = LightningNodeData(data, num_neighbors=[2], sampler=[4, 2], batch_size=2)
    assert [batch.input_id.tolist() for batch in order.train_dataloader()] == [[4, 2]]
    assert [len(batch.input_id) for batch in order.val_dataloader()] == [2] * 5


def test_data_modules_of_pyg_are_still_there(data: Data) -> None:
    own = LightningNodeData(
        data, node_sampler=NeighborSampler(data, [-1]), batch_size=8, pin_memory=False
    )
    loader = own.train_dataloader()
    assert type(loader) is NodeLoader and sum(len(batch.input_id) for batch in loader) == 30
    full = LightningNodeData(data, loader="full", pin_memory=False)
    assert [batch.num_nodes for batch in full.train_dataloader()] == [60]
    links = LightningLinkData(
        data, data.edge_index[:, :40], link_sampler=NeighborSampler(data, [-1]), batch_size=8
    )
    assert type(links.train_dataloader()) is LinkLoader


def test_links_of_a_data_module(data: Data) -> None:
    made = LightningLinkData(
        data,
        input_train_edges=data.edge_index[:, :40],
        input_val_edges=data.edge_index[:, 40:60],
        loader="link_neighbor",
        num_neighbors=[3],
        neg_sampling="binary",
        batch_size=10,
    )
    train = made.train_dataloader()
    assert isinstance(train, LinkNeighborLoader)
    labels = torch.cat([batch.edge_label for batch in train])
    assert len(labels) == 80 and int(labels.sum()) == 40
    assert sum(len(batch.input_id) for batch in made.val_dataloader()) == 20


# ---- attributes that are tables ---------------------------------------------------------------------


class Frame(TensorFrame):
    """What loaders need of a TensorFrame: a length, rows by their ids, and a device."""

    def __init__(self, rows: torch.Tensor) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def num_rows(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: torch.Tensor) -> "Frame":
        return Frame(self.rows[index])

    @property
    def device(self) -> torch.device:
        return self.rows.device

    def to(self, device: Optional[torch.device]) -> "Frame":
        return Frame(self.rows.to(device))


def test_attributes_may_be_table_frames() -> None:
    graph = HeteroData()
    graph["user"].tf, graph["item"].tf = Frame(torch.arange(20)), Frame(torch.arange(30))
    buys = ("user", "buys", "item")
    graph[buys].edge_index = torch.stack([torch.randint(0, 20, (90,)), torch.randint(0, 30, (90,))])
    graph[buys].tf = Frame(torch.arange(90))
    loader = NeighborLoader(graph, [3, 2], "item", batch_size=7)
    links = LinkNeighborLoader(graph, [3], buys, batch_size=40)
    for batch in [*loader, loader([2, 5]), *links]:
        for key in ("user", "item"):
            assert torch.equal(batch[key].tf.rows, batch[key].n_id)
        assert torch.equal(batch[buys].tf.rows, batch[buys].e_id)
    with pytest.raises(gls.Unsupported, match="pad: .*TensorFrame"):
        next(iter(NeighborLoader(graph, [2], "item", pad=True)))
