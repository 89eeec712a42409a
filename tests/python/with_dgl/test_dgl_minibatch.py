"""Mini-batches of GraphBolt, for nodes: their blocks, features and labels."""

from __future__ import annotations

from typing import Any, Dict

import dgl
import dgl.graphbolt as gb
import numpy as np
import pytest
import torch
from dgl_graphs import CITES, WRITES, edges_of_block, edges_of_layer, plain, typed

import gls
import gls.dgl

IDS = (dgl.NID, dgl.EID)


def plain_loader(**options: Any) -> gls.NeighborLoader:
    seeds = np.array([3, 9, 9, 41, 7, 60, 22])
    options = {"batch_size": 4, "with_edge_ids": True, "seed": 5, **options}
    return gls.NeighborLoader(plain(), [3, 2], seeds, **options)


def typed_loader(**options: Any) -> gls.NeighborLoader:
    options = {"batch_size": 6, "with_edge_ids": True, "seed": 5, **options}
    return gls.NeighborLoader(typed(), [3, 2], ("paper", np.arange(20)), **options)


def same_blocks(got: Any, expected: Any) -> None:
    """Structure, ids of edges, and ids of the nodes that the first layer reads."""
    assert len(got) == len(expected)
    for one, other in zip(got, expected):
        assert set(one.canonical_etypes) == set(other.canonical_etypes)
        for kind in one.canonical_etypes:
            for a, b in zip(one.edges(etype=kind), other.edges(etype=kind)):
                assert torch.equal(a.long(), b.long())
            edges, wanted = one.edges[kind].data, other.edges[kind].data
            assert torch.equal(edges[dgl.EID], wanted[dgl.EID])
        for name in one.srctypes:
            assert one.num_src_nodes(name) == other.num_src_nodes(name)
            assert one.num_dst_nodes(name) == other.num_dst_nodes(name)
    for name in got[0].srctypes:
        ids, wanted = (blocks[0].srcnodes[name].data[dgl.NID] for blocks in (got, expected))
        assert torch.equal(ids, wanted)


@pytest.mark.parametrize("make", [plain_loader, typed_loader])
@pytest.mark.parametrize("options", [{}, {"pad": True}, {"int32": True}])
def test_blocks_are_those_of_to_blocks(make: Any, options: Dict[str, Any]) -> None:
    for batch in make(**options):
        inputs, outputs, blocks = gls.dgl.to_blocks(batch)
        made = gls.dgl.to_minibatch(batch)
        assert isinstance(made, gb.MiniBatch) and made.num_layers() == 2
        same_blocks(made.blocks, blocks)
        for name in blocks[0].srctypes:
            ids = made.input_nodes if make is plain_loader else made.input_nodes[name]
            assert torch.equal(ids, blocks[0].srcnodes[name].data[dgl.NID])
        if make is plain_loader:
            assert torch.equal(made.seeds, outputs) and torch.equal(made.seed_nodes, outputs)
        else:
            assert set(made.seeds) == {"paper"}
            assert torch.equal(made.seeds["paper"], outputs["paper"])


def test_subgraphs_hold_the_edges_of_the_batch() -> None:
    """Of GraphBolt's arrays themselves, not of what it makes of them."""
    for batch in typed_loader():
        for layer, part in enumerate(gls.dgl.to_minibatch(batch).sampled_subgraphs):
            assert isinstance(part, gb.SampledSubgraphImpl)
            for name, csc in part.sampled_csc.items():
                source, _, target = kind = tuple(name.split(":"))
                found = []
                for column, own in enumerate(part.original_column_node_ids[target].tolist()):
                    for place in range(int(csc.indptr[column]), int(csc.indptr[column + 1])):
                        row = part.original_row_node_ids[source][csc.indices[place]]
                        found.append((int(row), own, int(part.original_edge_ids[name][place])))
                assert sorted(found) == edges_of_layer(batch, kind, layer)


def test_features_and_labels() -> None:
    for batch in plain_loader(pad=True):
        made = gls.dgl.to_minibatch(batch)
        count, hops = sum(batch.num_sampled_nodes), batch.num_sampled_edges
        assert list(made.node_features) == ["x"]
        assert torch.equal(made.node_features["x"], batch.x.torch()[:count])
        assert made.node_features["x"].data_ptr() == batch.x.data_ptr()
        assert torch.equal(made.labels, batch.y.torch()[: batch.batch_size])
        for features, edges in zip(made.edge_features, (sum(hops), hops[0])):
            assert torch.equal(features["w"], batch.w.torch()[:edges])
    for batch in typed_loader():
        made = gls.dgl.to_minibatch(batch)
        assert set(made.node_features) == {("author", "x"), ("paper", "x")}
        rows = batch.nodes["author"].x.torch()
        assert torch.equal(made.node_features["author", "x"], rows)
        assert torch.equal(made.labels["paper"], batch.nodes["paper"].y.torch())
        assert [list(one) for one in made.edge_features] == [[("paper:cites:paper", "w")]] * 2
        arrays = batch.edges[CITES]
        rows = arrays.w.torch()[: arrays.num_sampled_edges[0]]
        assert torch.equal(made.edge_features[1]["paper:cites:paper", "w"], rows)


def test_without_columns_and_edge_ids() -> None:
    batch = next(iter(plain_loader(columns=[], with_edge_ids=False)))
    made = gls.dgl.to_minibatch(batch)
    assert made.labels is None and made.node_features == {} and made.edge_features == [{}, {}]
    assert all(part.original_edge_ids is None for part in made.sampled_subgraphs)
    assert made.blocks[0].num_edges() == batch.num_edges


def test_a_label_of_all_nodes_is_a_feature() -> None:
    columns = ["x", gls.ColumnRequest("y", rows="all")]
    made = gls.dgl.to_minibatch(next(iter(plain_loader(columns=columns))))
    assert made.labels is None and set(made.node_features) == {"x", "y"}


def test_seeds_of_some_types() -> None:
    seeds = {"paper": np.arange(6), "author": np.arange(4)}
    for batch in gls.NeighborLoader(typed(), [2], seeds, batch_size=5, with_edge_ids=True):
        made = gls.dgl.to_minibatch(batch)
        _, outputs, blocks = gls.dgl.to_blocks(batch)
        assert set(made.seeds) == set(outputs)
        given = {name: batch.nodes[name].batch_size for name in ("paper", "author")}
        assert {name: len(ids) for name, ids in outputs.items()} == {
            name: count for name, count in given.items() if count > 0
        }
        same_blocks(made.blocks, blocks)
        assert (made.labels is None) == ("paper" not in outputs)
        kind = WRITES
        assert edges_of_block(blocks[0], kind, IDS) == edges_of_layer(batch, kind, 0)


def test_graphbolt_moves_it() -> None:
    """As copy_to of its pipelines does; a type changes in place of a device."""
    batch = next(iter(plain_loader()))
    made = gls.dgl.to_minibatch(batch).to(torch.device("cpu"))
    same_blocks(made.blocks, gls.dgl.to_blocks(batch)[2])
    assert torch.equal(made.labels, batch.y.torch())


def test_what_has_no_place_is_refused() -> None:
    seeds_only = gls.ColumnRequest("x", rows="seeds")
    loader = plain_loader(columns=["y", seeds_only])
    with pytest.raises(gls.InvalidArgument, match=r"one column of a type.*node.y, node.x"):
        gls.dgl.to_minibatch(next(iter(loader)))
    builder = gls.DatasetBuilder()
    builder.add_edges(("a:b", "to", "a:b"), [0, 1], [1, 0])
    builder.add_edges(("a:b", "from", "a:b"), [0, 1], [1, 0])
    batch = next(iter(gls.NeighborLoader(builder.build(), [1], batch_size=2)))
    with pytest.raises(gls.Unsupported, match="':' between types, and the name 'a:b'"):
        gls.dgl.to_minibatch(batch)
    assert gls.dgl.to_blocks(batch)[2][0].num_edges(("a:b", "to", "a:b")) == 2
