"""gls.pyg's loaders with `pad`: one shape, and the same outputs."""

from __future__ import annotations

from typing import Any, Dict, Set

import pytest
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import HeteroConv, SAGEConv

import gls
from gls.pyg import (
    AnchorLoader,
    ClusterLoader,
    GraphSAINTEdgeSampler,
    GraphSAINTNodeSampler,
    GraphSAINTRandomWalkSampler,
    HGTLoader,
    LinkNeighborLoader,
    NeighborLoader,
)

NODES, EDGES = 150, 900
WRITES, WRITTEN = ("author", "writes", "paper"), ("paper", "rev_writes", "author")
PAD = gls.Pad(sigma=6)


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(1)
    return Data(
        x=torch.randn(NODES, 8),
        y=torch.randint(0, 5, (NODES,)),
        edge_index=torch.randint(0, NODES, (2, EDGES)),
        edge_attr=torch.randn(EDGES, 3),
        train_mask=torch.rand(NODES) < 0.4,
        complex=torch.randn(NODES, dtype=torch.complex64),  # PyTorch's to gather
        when=torch.randint(0, 50, (NODES,)),
    )


@pytest.fixture(scope="module")
def hetero() -> HeteroData:
    torch.manual_seed(2)
    made = HeteroData()
    made["paper"].x, made["author"].x = torch.randn(90, 4), torch.randn(40, 6)
    ends = torch.stack([torch.randint(0, 40, (300,)), torch.randint(0, 90, (300,))])
    made[WRITES].edge_index, made[WRITTEN].edge_index = ends, ends.flip(0)
    return made


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = SAGEConv(8, 16), SAGEConv(16, 5)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.second(self.first(x, edge_index).relu(), edge_index)
        return out


def tensors(batch: Any) -> Dict[str, torch.Tensor]:
    return {
        f"{store._key} {name}": value
        for store in batch.stores
        for name, value in store.items()
        if isinstance(value, torch.Tensor)
    }


def check_shapes(loader: Any) -> None:
    seen: Set[str] = set()
    for batch in loader:
        assert batch.overflow is False
        seen.add(str({name: (value.shape, value.dtype) for name, value in tensors(batch).items()}))
    assert len(seen) == 1 and len(loader) > 1


def test_outputs_are_the_same(data: Data) -> None:
    torch.manual_seed(3)
    model = Model().eval()
    options: Dict[str, Any] = {"batch_size": 32, "shuffle": True, "seed": 5}
    padded = NeighborLoader(data, [5, 4], pad=PAD, **options)
    check_shapes(padded)
    for batch, real in zip(
        NeighborLoader(data, [5, 4], pad=PAD, **options), NeighborLoader(data, [5, 4], **options)
    ):
        out = model(batch.x, batch.edge_index)[batch.seed]
        expected = model(real.x, real.edge_index)[: real.batch_size]
        assert out.shape == (32, 5) and batch.seed_mask.sum() == real.batch_size
        torch.testing.assert_close(out[batch.seed_mask], expected)
        loss = torch.nn.functional.cross_entropy(out, batch.y[batch.seed], reduction="none")
        mean = (loss * batch.seed_mask).sum() / batch.seed_mask.sum()
        torch.testing.assert_close(
            mean, torch.nn.functional.cross_entropy(expected, real.y[: real.batch_size])
        )
        for name in ("x", "y", "train_mask", "complex", "n_id"):
            assert torch.equal(batch[name][batch.node_mask], real[name])
            filler = -1 if name == "n_id" else 0
            assert torch.all(batch[name][~batch.node_mask] == filler)
        assert torch.equal(batch.edge_index[:, batch.edge_mask], real.edge_index)
        assert torch.equal(batch.edge_attr[batch.edge_mask], real.edge_attr)
        assert batch.num_nodes == batch.node_mask.numel()
        assert torch.equal(batch.input_id[batch.seed_mask], real.input_id)
        assert "node_mask" not in real and "overflow" not in real


def test_several_types(hetero: HeteroData) -> None:
    torch.manual_seed(4)
    conv = HeteroConv({WRITES: SAGEConv((6, 4), 7), WRITTEN: SAGEConv((4, 6), 7)})
    options: Dict[str, Any] = {"input_nodes": "paper", "batch_size": 25, "seed": 5}
    check_shapes(NeighborLoader(hetero, [5, 4], pad=PAD, **options))
    for batch, real in zip(
        NeighborLoader(hetero, [5, 4], pad=PAD, **options),
        NeighborLoader(hetero, [5, 4], **options),
    ):
        out = conv(batch.x_dict, batch.edge_index_dict)["paper"][batch["paper"].seed]
        expected = conv(real.x_dict, real.edge_index_dict)["paper"][: real["paper"].batch_size]
        torch.testing.assert_close(out[batch["paper"].seed_mask], expected)
        assert batch["author"].node_mask.sum() == real["author"].num_nodes
        assert batch[WRITES].edge_mask.sum() == real[WRITES].num_edges
    check_shapes(HGTLoader(hetero, [8, 8], "paper", batch_size=25, pad=PAD))


def test_what_does_not_fit(data: Data) -> None:
    loader = NeighborLoader(data, [5, 4], batch_size=32, pad=gls.Pad({"node": 9}), seed=1)
    for batch, real in zip(loader, NeighborLoader(data, [5, 4], batch_size=32, seed=1)):
        assert batch.overflow is True and batch.node_mask.all() and batch.edge_mask.all()
        assert torch.equal(batch.x, real.x)


@pytest.mark.parametrize("disjoint", [False, True])
def test_pairs(data: Data, disjoint: bool) -> None:
    options: Dict[str, Any] = {"batch_size": 64, "seed": 2, "disjoint": disjoint}
    options.update(neg_sampling="binary", input_id=torch.arange(EDGES) + 1000)
    check_shapes(LinkNeighborLoader(data, [3, 2], pad=PAD, **options))
    for batch, real in zip(
        LinkNeighborLoader(data, [3, 2], pad=PAD, **options),
        LinkNeighborLoader(data, [3, 2], **options),
    ):
        count = len(real.input_id)
        mask = batch.link_mask
        assert mask.numel() == 128 and mask[:count].all() and not mask[count:64].any()
        assert torch.equal(batch.edge_label_index[:, mask], real.edge_label_index)
        assert torch.equal(batch.edge_label[mask], real.edge_label)
        assert torch.all(batch.n_id[batch.edge_label_index[:, ~mask]] == -1)
        assert torch.all(batch.edge_label[~mask] == 0)
        assert torch.equal(batch.input_id[:count], real.input_id)
        assert torch.all(batch.input_id[count:] == -1)
        if disjoint:
            assert torch.equal(batch.batch[batch.node_mask], real.batch)
            assert torch.all(batch.batch[~batch.node_mask] == 64)


def test_triplets_and_times(data: Data) -> None:
    options: Dict[str, Any] = {"batch_size": 64, "seed": 2, "time_attr": "when"}
    options.update(
        neg_sampling=gls.NegativeSampling("triplet", 3, strict=True, tries=1, allow_short=True)
    )
    options.update(edge_label_time=torch.arange(EDGES))
    check_shapes(LinkNeighborLoader(data, [3, 2], pad=PAD, **options))
    for batch, real in zip(
        LinkNeighborLoader(data, [3, 2], pad=PAD, **options),
        LinkNeighborLoader(data, [3, 2], **options),
    ):
        mask = batch.link_mask
        assert mask.numel() == 64 and int(mask.sum()) == len(real.input_id)
        for name in ("src_index", "dst_pos_index", "dst_neg_index", "seed_time"):
            assert torch.equal(batch[name][mask], real[name])
        assert torch.equal(batch.dst_neg_mask[mask], real.dst_neg_index >= 0)
        assert not batch.dst_neg_mask[~mask].any() and torch.all(batch.seed_time[~mask] == 0)
        assert torch.equal(batch.batch[batch.node_mask], real.batch)


@pytest.mark.parametrize("mode", ["binary", "triplet"])
def test_links_between_two_types(hetero: HeteroData, mode: str) -> None:
    torch.manual_seed(4)
    conv = HeteroConv({WRITES: SAGEConv((6, 4), 7), WRITTEN: SAGEConv((4, 6), 7)})
    options: Dict[str, Any] = {"edge_label_index": WRITES, "batch_size": 64, "seed": 5}
    options.update(neg_sampling=mode, shuffle=True)
    check_shapes(LinkNeighborLoader(hetero, [5, 4], pad=PAD, **options))
    for batch, real in zip(
        LinkNeighborLoader(hetero, [5, 4], pad=PAD, **options),
        LinkNeighborLoader(hetero, [5, 4], **options),
    ):
        mask = batch[WRITES].link_mask
        scores = []
        for one in (batch, real):
            out = conv(one.x_dict, one.edge_index_dict)
            if mode == "binary":
                source, target = one[WRITES].edge_label_index
            else:
                source, target = one["author"].src_index, one["paper"].dst_neg_index
            scores.append((out["author"][source] * out["paper"][target]).sum(-1))
        torch.testing.assert_close(scores[0][mask], scores[1])
        if mode == "triplet":
            assert torch.equal(batch["paper"].dst_neg_mask, mask)


def test_anchors(data: Data) -> None:
    found = gls.Supervision("node__to__node", max_labels=3, sampled=True)
    options: Dict[str, Any] = {"batch_size": 40, "seed": 2, "padded": True}
    loader = AnchorLoader(data, [3, 2], found, pad=PAD, **options)
    check_shapes(loader)
    for batch, real in zip(
        AnchorLoader(data, [3, 2], found, pad=PAD, **options),
        AnchorLoader(data, [3, 2], found, **options),
    ):
        mask = batch.anchor_mask
        assert mask.numel() == 40 == batch.anchors.numel()
        assert torch.equal(batch.anchors[mask], real.anchors)
        for name, rows in batch.y_positive.items():
            assert rows.shape == (40, 3) and torch.equal(rows[mask], real.y_positive[name])
            assert torch.all(rows[~mask] == -1)
    with pytest.raises(gls.InvalidArgument, match="padded=True"):
        AnchorLoader(data, [3, 2], found, pad=PAD)


@pytest.mark.parametrize("coverage", [0, 2])
def test_subgraphs(data: Data, coverage: int) -> None:
    options: Dict[str, Any] = {"seed": 1, "sample_coverage": coverage}
    makers = [
        lambda **more: GraphSAINTNodeSampler(data, 12, 6, **options, **more),
        lambda **more: GraphSAINTEdgeSampler(data, batch_size=7, num_steps=6, **options, **more),
        lambda **more: GraphSAINTRandomWalkSampler(data, 5, 3, 6, **options, **more),
        lambda **more: ClusterLoader(
            data, torch.arange(NODES) % 7, batch_size=2, seed=1, shuffle=True, **more
        ),
    ]
    for make in makers:
        check_shapes(make(pad=PAD))
        for batch, real in zip(make(pad=PAD), make()):
            for name in ("x", "n_id"):
                assert torch.equal(batch[name][batch.node_mask], real[name])
            assert torch.equal(batch.edge_index[:, batch.edge_mask], real.edge_index)
            if "node_norm" in real:
                assert torch.equal(batch.node_norm[batch.node_mask], real.node_norm)
                assert torch.equal(batch.edge_norm[batch.edge_mask], real.edge_norm)
                assert torch.all(batch.node_norm[~batch.node_mask] == 0)


def test_names_of_the_data_are_kept(data: Data) -> None:
    named = data.clone()
    named.node_mask = torch.ones(NODES, dtype=torch.bool)
    with pytest.raises(gls.InvalidArgument, match="node_mask"):
        NeighborLoader(named, [2], pad=True)
    assert next(iter(NeighborLoader(named, [2]))).node_mask.all()
    batch = NeighborLoader(data, [2], pad=True)([1, 2])
    assert "node_mask" not in batch and batch.batch_size == 2
