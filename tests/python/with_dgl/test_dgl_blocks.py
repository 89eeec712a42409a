"""Blocks of DGL hold what batches hold, and models of DGL compute the same with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List

import dgl
import numpy as np
import pytest
import torch
from dgl.dataloading import DataLoader, MultiLayerFullNeighborSampler
from dgl.nn import HeteroGraphConv, SAGEConv
from dgl_graphs import (
    CITES,
    PLAIN,
    WRITES,
    WRITTEN,
    edges_of_block,
    edges_of_layer,
    plain,
    sage,
    typed,
)

import gls
import gls.dgl

IDS = (dgl.NID, dgl.EID)
N, E = "_N", ("_N", "_E", "_N")


def plain_loader(**options: Any) -> gls.NeighborLoader:
    seeds = np.array([3, 9, 9, 41, 7, 60, 22])
    options = {"batch_size": 4, "with_edge_ids": True, "seed": 5, **options}
    return gls.NeighborLoader(plain(), [3, 2], seeds, **options)


def typed_loader(**options: Any) -> gls.NeighborLoader:
    options = {"batch_size": 6, "with_edge_ids": True, "seed": 5, **options}
    return gls.NeighborLoader(typed(), [3, 2], ("paper", np.arange(20)), **options)


@pytest.mark.parametrize("options", [{}, {"disjoint": True}, {"pad": True}, {"int32": True}])
def test_blocks_hold_the_edges_of_the_batch(options: Dict[str, Any]) -> None:
    for batch in plain_loader(**options):
        inputs, outputs, blocks = gls.dgl.to_blocks(batch)
        count = sum(batch.num_sampled_nodes)
        assert inputs.tolist() == batch.node.tolist()[:count]
        assert outputs.tolist() == batch.node.tolist()[: batch.batch_size]
        assert len(blocks) == 2 and blocks[0].canonical_etypes == [E]
        for layer, block in enumerate(blocks):
            expected = edges_of_layer(batch, PLAIN, layer)
            assert edges_of_block(block, E, IDS) == expected and expected
            weights = batch.w.torch()
            assert torch.equal(block.edata["w"], weights[: block.num_edges()])
        assert torch.equal(blocks[0].srcdata[dgl.NID], inputs)
        assert torch.equal(blocks[0].dstdata[dgl.NID], blocks[1].srcdata[dgl.NID])
        assert torch.equal(blocks[1].dstdata[dgl.NID], outputs)
        assert blocks[0].idtype == (torch.int32 if "int32" in options else torch.int64)


def test_columns_are_rows_of_the_dataset() -> None:
    dataset = plain()
    x, y = (dataset.node_column(name).copy().torch() for name in ("x", "y"))
    w = dataset.edge_column("w").copy().torch()
    for batch in plain_loader():
        inputs, outputs, blocks = gls.dgl.to_blocks(batch)
        assert torch.equal(blocks[0].srcdata["x"], x[inputs])
        assert torch.equal(blocks[-1].dstdata["y"], y[outputs])
        assert torch.equal(blocks[-1].dstdata["x"], x[outputs])
        assert "y" not in blocks[0].srcdata and "x" not in blocks[0].dstdata
        for block in blocks:
            assert torch.equal(block.edata["w"], w[block.edata[dgl.EID]])


def test_arrays_are_those_of_the_batch() -> None:
    batch = next(iter(plain_loader()))
    inputs, _, blocks = gls.dgl.to_blocks(batch)
    assert inputs.data_ptr() == batch.node.data_ptr()
    assert blocks[0].srcdata["x"].data_ptr() == batch.x.data_ptr()
    assert blocks[1].dstdata["y"].data_ptr() == batch.y.data_ptr()
    for block in blocks:
        assert block.adj_tensors("csc")[1].data_ptr() == batch.row.data_ptr()
        assert block.edata[dgl.EID].data_ptr() == batch.edge.data_ptr()
        assert block.formats()["created"] == ["csc"]
    kept = blocks[0].srcdata["x"].clone()
    del batch, inputs
    assert torch.equal(blocks[0].srcdata["x"], kept)


def test_without_edge_ids_there_are_none() -> None:
    batch = next(iter(plain_loader(with_edge_ids=False, columns=["x"])))
    _, _, blocks = gls.dgl.to_blocks(batch)
    assert all(dgl.EID not in block.edata for block in blocks)
    assert list(blocks[1].dstdata) == [dgl.NID, "x"]


@pytest.mark.parametrize("options", [{}, {"pad": True}])
def test_typed_blocks_hold_the_edges_of_the_batch(options: Dict[str, Any]) -> None:
    for batch in typed_loader(**options):
        inputs, outputs, blocks = gls.dgl.to_blocks(batch)
        assert set(inputs) == {"author", "paper"} and set(outputs) == {"paper"}
        assert torch.equal(outputs["paper"], blocks[1].dstnodes["paper"].data[dgl.NID])
        for name in ("author", "paper"):
            count = sum(batch.nodes[name].num_sampled_nodes)
            assert inputs[name].tolist() == batch.nodes[name].node.tolist()[:count]
            rows = batch.nodes[name].x.torch()[:count]
            assert torch.equal(blocks[0].srcnodes[name].data["x"], rows)
        for layer, block in enumerate(blocks):
            assert set(block.canonical_etypes) == {WRITES, WRITTEN, CITES}
            for kind in block.canonical_etypes:
                assert edges_of_block(block, kind, IDS) == edges_of_layer(batch, kind, layer)
        labels = batch.nodes["paper"].y.torch()[: len(outputs["paper"])]
        assert torch.equal(blocks[1].dstnodes["paper"].data["y"], labels)
        assert blocks[1].num_edges(WRITES) > 0 and blocks[1].num_edges(WRITTEN) == 0


def test_types_with_names_keep_them() -> None:
    builder = gls.DatasetBuilder()
    builder.add_edges(("user", "follows", "user"), [0, 1, 2], [1, 2, 0])
    batch = next(iter(gls.NeighborLoader(builder.build(), [1], batch_size=3)))
    inputs, _, (block,) = gls.dgl.to_blocks(batch)
    assert block.canonical_etypes == [("user", "follows", "user")]
    assert torch.equal(block.srcdata[dgl.NID], inputs)


def test_names_are_those_of_from_dgl() -> None:
    graph = dgl.graph(([0, 1, 2], [1, 2, 0]))
    batch = next(iter(gls.NeighborLoader(gls.from_dgl(graph), [1], batch_size=3)))
    _, _, (block,) = gls.dgl.to_blocks(batch)
    assert block.canonical_etypes == graph.canonical_etypes
    assert gls.dgl.to_subgraph(batch).canonical_etypes == graph.canonical_etypes


def test_sage_computes_what_the_batch_says() -> None:
    torch.manual_seed(0)
    first, second = SAGEConv(6, 4, "mean"), SAGEConv(4, 3, "mean")
    for batch in plain_loader():
        _, _, blocks = gls.dgl.to_blocks(batch)
        got = second(blocks[1], torch.relu(first(blocks[0], blocks[0].srcdata["x"])))
        row, col, hops = batch.row.numpy(), batch.col.numpy(), batch.num_sampled_nodes
        x, inner = batch.x.torch(), hops[0] + hops[1]
        h = torch.relu(sage(first, x, x[:inner], row[col < inner], col[col < inner]))
        near = col < hops[0]
        expected = sage(second, h, h[: hops[0]], row[near], col[near])
        torch.testing.assert_close(got, expected, rtol=1e-6, atol=1e-6)


def test_typed_model_computes_what_the_batch_says() -> None:
    torch.manual_seed(0)
    sizes = ((5, 4), (4, 3))
    layers = [
        HeteroGraphConv(
            {name: SAGEConv(*size, "mean") for name in ("writes", "written", "cites")}, "sum"
        )
        for size in sizes
    ]
    for batch in typed_loader():
        _, _, blocks = gls.dgl.to_blocks(batch)
        got = {name: blocks[0].srcnodes[name].data["x"] for name in ("author", "paper")}
        h = {name: batch.nodes[name].x.torch() for name in ("author", "paper")}
        for layer, block in enumerate(blocks):
            got = layers[layer](block, got)
            outputs = {
                name: sum(batch.nodes[name].num_sampled_nodes[: 2 - layer])
                for name in ("author", "paper")
            }
            sums: Dict[str, torch.Tensor] = {}
            for source, relation, target in (WRITES, WRITTEN, CITES):
                arrays = batch.edges[source, relation, target]
                row, col = arrays.row.numpy(), arrays.col.numpy()
                near = col < outputs[target]
                own = h[target][: outputs[target]]
                found = sage(layers[layer].mods[relation], h[source], own, row[near], col[near])
                sums[target] = sums[target] + found if target in sums else found
            h = sums
        torch.testing.assert_close(got["paper"], h["paper"], rtol=1e-5, atol=1e-6)


class Sage(torch.nn.Module):
    """The model of DGL's examples: it reads blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([SAGEConv(6, 8, "mean"), SAGEConv(8, 3, "mean")])

    def forward(self, blocks: List[Any], h: torch.Tensor) -> torch.Tensor:
        for layer, block in zip(self.layers, blocks):
            h = layer(block, h)
        return h


def train(loader: Any) -> List[float]:
    """A training loop of DGL, unchanged."""
    torch.manual_seed(3)
    model = Sage()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(3):
        for input_nodes, output_nodes, blocks in loader:
            h = model(blocks, blocks[0].srcdata["x"])
            loss = torch.nn.functional.cross_entropy(h, blocks[-1].dstdata["y"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss))
    return losses


def test_a_loop_of_dgl_trains_as_with_its_own_loader() -> None:
    """With whole neighbourhoods nothing is drawn, so that losses are the same."""
    random = np.random.default_rng(7)
    graph = dgl.graph(tuple(torch.from_numpy(random.integers(0, 90, (2, 400)))), num_nodes=90)
    graph.ndata["x"] = torch.from_numpy(random.standard_normal((90, 6)).astype(np.float32))
    graph.ndata["y"] = torch.from_numpy(random.integers(0, 3, 90))
    ids = torch.arange(50)
    sampler = MultiLayerFullNeighborSampler(2, prefetch_node_feats=["x"], prefetch_labels=["y"])
    theirs = DataLoader(graph, ids, sampler, batch_size=16)
    native = gls.NeighborLoader(gls.from_dgl(graph), [-1, -1], ids, batch_size=16)
    ours = gls.dgl.DataLoader(native)
    assert len(ours) == len(theirs) == 4
    torch.testing.assert_close(train(ours), train(theirs), rtol=1e-5, atol=1e-6)
    for (_, outputs, blocks), (_, expected, wanted) in zip(ours, theirs):
        assert torch.equal(outputs, expected)
        for block, other in zip(blocks, wanted):
            assert block.num_edges() == other.num_edges()
            assert block.num_src_nodes() == other.num_src_nodes()


@pytest.mark.filterwarnings("ignore:this tensor is read-only")
def test_batches_of_a_feed(tmp_path: Path) -> None:
    path = tmp_path / "feed.sock"
    with gls.Feed(plain_loader(), path), gls.attach(path) as attached:
        loaders = gls.dgl.DataLoader(attached), gls.dgl.DataLoader(plain_loader())
        for (_, outputs, blocks), (_, expected, wanted) in zip(*loaders):
            assert torch.equal(outputs, expected)
            assert torch.equal(blocks[0].srcdata["x"], wanted[0].srcdata["x"])
            for block, other in zip(blocks, wanted):
                assert edges_of_block(block, E, IDS) == edges_of_block(other, E, IDS)


def test_messages_against_edges() -> None:
    def batch_of(dataset: gls.Dataset, seeds: Any) -> gls.Batch:
        loader = gls.NeighborLoader(
            dataset, [3, 2], seeds, batch_size=9, direction="out", with_edge_ids=True
        )
        return next(iter(loader))

    batch = batch_of(plain(layouts="csr"), np.arange(9))
    _, _, blocks = gls.dgl.to_blocks(batch)
    row, col = blocks[0].edges(order="eid")
    assert torch.equal(row, batch.col.torch()) and torch.equal(col, batch.row.torch())
    with pytest.raises(gls.Unsupported, match="direction='out'"):
        gls.dgl.to_blocks(batch_of(typed(layouts="csr"), ("paper", np.arange(9))))


def test_batches_without_blocks_are_refused() -> None:
    for loader in (
        plain_loader(subgraph="induced"),
        gls.WalkLoader(plain(), gls.Walk(length=2), batch_size=4),
    ):
        for convert in (gls.dgl.to_blocks, gls.dgl.to_minibatch):
            with pytest.raises(gls.Unsupported, match="the batch has no blocks"):
                convert(next(iter(loader)))


def test_loader_checks_its_arguments() -> None:
    with pytest.raises(TypeError, match="loader must be a loader of gls, not list"):
        gls.dgl.DataLoader([])
    with pytest.raises(gls.InvalidArgument, match="form: 'graph' is not one of 'blocks'"):
        gls.dgl.DataLoader(plain_loader(), "graph")
    with pytest.raises(TypeError, match="batch must be a gls.Batch, not tuple"):
        gls.dgl.to_blocks(())
    made = gls.dgl.DataLoader(plain_loader(), "minibatch")
    assert len(made) == 2 and made.loader.batch_size == 4
    assert [type(one).__name__ for one in made] == ["MiniBatch"] * 2
