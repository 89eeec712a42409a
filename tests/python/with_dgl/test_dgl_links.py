"""Links, and batches as one graph."""

from __future__ import annotations

from typing import Any, List, Tuple

import dgl
import numpy as np
import pytest
import torch
from dgl_graphs import CITES, PLAIN, WRITES, edges_of_block, edges_of_layer, plain, typed

import gls
import gls.dgl

IDS = (dgl.NID, dgl.EID)
TRIPLETS = gls.NegativeSampling("triplet", 2)
Pairs = List[Tuple[int, int]]


def link_loader(dataset: gls.Dataset, links: Any = None, **options: Any) -> gls.LinkNeighborLoader:
    options = {"batch_size": 9, "with_edge_ids": True, "columns": ["x"], "seed": 4, **options}
    return gls.LinkNeighborLoader(dataset, [3, 2], links, **options)


def pairs_of(batch: gls.Batch, kind: Any) -> Tuple[Pairs, Pairs]:
    """Links and negative pairs by dataset ids, read one by one."""
    arrays = batch.edges[kind]
    source, _, target = kind if isinstance(kind, tuple) else kind.split("__")
    sources, targets = batch.nodes[source].node.numpy(), batch.nodes[target].node.numpy()
    every = [
        (int(sources[a]), int(targets[b])) for a, b in zip(arrays.link_source, arrays.link_target)
    ]
    links = len(arrays.input_id)
    negative = every[links:]
    if hasattr(arrays, "link_negative"):
        for (own, _), row in zip(every, arrays.link_negative):
            negative += [(own, int(targets[one])) for one in row if one >= 0]
    return every[:links], negative


def pairs_in(graph: Any, kind: Any) -> Pairs:
    source, _, target = kind
    row, col = graph.edges(etype=kind, order="eid")
    ids = (graph.nodes[source].data[dgl.NID][row], graph.nodes[target].data[dgl.NID][col])
    return list(zip(*(one.tolist() for one in ids)))


CASES = [(plain, None, PLAIN, ("_N", "_E", "_N")), (typed, WRITES, WRITES, WRITES)]


@pytest.mark.parametrize("make, links, kind, key", CASES)
@pytest.mark.parametrize("negatives", [None, "binary", TRIPLETS])
def test_pairs_of_blocks(make: Any, links: Any, kind: Any, key: Any, negatives: Any) -> None:
    whole = link_loader(make(), links, neg_sampling=negatives)
    padded = link_loader(make(), links, neg_sampling=negatives, pad=True)
    count = 0
    for batch, other in zip(whole, padded):
        positive, negative = pairs_of(batch, kind)
        for one in (batch, other):
            _, pair_graph, negative_graph, blocks = gls.dgl.to_link_blocks(one)
            assert pairs_in(pair_graph, key) == positive
            data = pair_graph.edges[key].data
            assert data["input_id"].tolist() == batch.edges[kind].input_id.tolist()
            assert ("label" in data) == (negatives == "binary")
            assert pairs_in(negative_graph, key) == negative
            count += len(negative)
            for name in pair_graph.ntypes:
                ids = blocks[-1].dstnodes[name].data[dgl.NID]
                assert torch.equal(pair_graph.nodes[name].data[dgl.NID], ids)
            for layer, block in enumerate(blocks):
                assert edges_of_block(block, key, IDS) == edges_of_layer(batch, kind, layer)
    assert (count > 0) == (negatives is not None)


@pytest.mark.parametrize("make, links, kind, key", CASES)
@pytest.mark.parametrize("negatives", [None, "binary", TRIPLETS])
def test_pairs_of_minibatches(make: Any, links: Any, kind: Any, key: Any, negatives: Any) -> None:
    whole = link_loader(make(), links, neg_sampling=negatives)
    padded = link_loader(make(), links, neg_sampling=negatives, pad=True)
    name = ":".join(key)
    for batch, other in zip(whole, padded):
        positive, negative = pairs_of(batch, kind)
        for one in (batch, other):
            made = gls.dgl.to_minibatch(one)
            seeds, compacted, labels, indexes = (
                value if make is plain or value is None else value[name]
                for value in (made.seeds, made.compacted_seeds, made.labels, made.indexes)
            )
            assert [tuple(pair) for pair in seeds.tolist()] == positive + negative
            last = made.sampled_subgraphs[-1].original_column_node_ids
            source, target = (last, last) if make is plain else (last[kind[0]], last[kind[2]])
            assert torch.equal(source[compacted[:, 0]], seeds[:, 0])
            assert torch.equal(target[compacted[:, 1]], seeds[:, 1])
            assert made.seed_nodes is None and made.node_pairs is None
            if negatives is None:
                assert labels is None and indexes is None
                continue
            assert labels.tolist() == [1.0] * len(positive) + [0.0] * len(negative)
            assert (indexes is None) == (negatives == "binary")
            if indexes is not None:
                assert indexes[: len(positive)].tolist() == list(range(len(positive)))
                own = seeds[indexes[len(positive) :], 0]
                assert torch.equal(own, seeds[len(positive) :, 0])


def test_given_labels() -> None:
    given = np.arange(500, dtype=np.float32)
    for options in ({}, {"pad": True}):
        loader = gls.LinkNeighborLoader(
            plain(), [2], None, given, batch_size=9, columns=[], **options
        )
        for batch in loader:
            _, pair_graph, negative_graph, _ = gls.dgl.to_link_blocks(batch)
            assert negative_graph.num_edges() == 0
            label = pair_graph.edata["label"]
            assert torch.equal(label, pair_graph.edata["input_id"].float())
            assert torch.equal(gls.dgl.to_minibatch(batch).labels, label)


def test_a_loader_of_links_yields_both_graphs() -> None:
    native = link_loader(typed(), CITES, neg_sampling="binary")
    for inputs, pair_graph, negative_graph, blocks in gls.dgl.DataLoader(native):
        assert pair_graph.num_edges(CITES) > 0 and pair_graph.num_edges(WRITES) == 0
        assert negative_graph.num_edges(CITES) == pair_graph.num_edges(CITES)
        assert torch.equal(inputs["paper"], blocks[0].srcnodes["paper"].data[dgl.NID])


def test_links_without_a_place_are_refused() -> None:
    batch = next(iter(gls.LinkNeighborLoader(plain(), [2], batch_size=9, neg_sampling="binary")))
    with pytest.raises(gls.InvalidArgument, match="labels of links, and columns .*: node.y"):
        gls.dgl.to_minibatch(batch)
    assert gls.dgl.to_link_blocks(batch)[3][0].dstdata["y"].shape[0] == batch.y.shape[0]
    with pytest.raises(gls.Unsupported, match="its seeds are not links"):
        gls.dgl.to_link_blocks(next(iter(gls.NeighborLoader(plain(), [2], batch_size=9))))


def test_batches_of_a_sampler() -> None:
    """They do not tell links from negative pairs, where both have labels."""
    batch = gls.Sampler(plain(), [2]).sample_links(np.arange(5))
    _, pair_graph, negative_graph, _ = gls.dgl.to_link_blocks(batch)
    assert pairs_in(pair_graph, ("_N", "_E", "_N")) and "input_id" not in pair_graph.edata
    assert (pair_graph.num_edges(), negative_graph.num_edges()) == (5, 0)
    batch = gls.Sampler(plain(), [2], neg_sampling="binary").sample_links(np.arange(5))
    with pytest.raises(gls.Unsupported, match="which pairs are negative"):
        gls.dgl.to_link_blocks(batch)
    assert gls.dgl.to_minibatch(batch).labels.tolist() == [1.0] * 5 + [0.0] * 5


# ---- one graph --------------------------------------------------------------------------------------


def check_graph(graph: Any, batch: gls.Batch, kinds: Any) -> None:
    for kind, key in kinds:
        arrays = batch.edges[kind]
        row, col = graph.edges(etype=key, order="eid")
        assert torch.equal(row, arrays.row.torch()) and torch.equal(col, arrays.col.torch())
        data = graph.edges[key].data
        assert torch.equal(data[dgl.EID], arrays.edge.torch())
        for name in arrays.columns:
            assert torch.equal(data[name], arrays[name].torch())
    for name in graph.ntypes:
        nodes = batch.nodes["node" if name == "_N" else name]
        assert torch.equal(graph.nodes[name].data[dgl.NID], nodes.node.torch())
        assert torch.equal(graph.nodes[name].data["x"], nodes.x.torch())


def subgraph_loaders(**options: Any) -> List[Any]:
    options = {"batch_size": 8, "with_edge_ids": True, "seed": 2, "columns": ["x", "w"], **options}
    ids = np.arange(20)
    papers = {**options, "subgraph": "induced"}
    return [
        (gls.NeighborLoader(plain(), [3, 2], ids, **options), plain),
        (gls.NeighborLoader(plain(), [3, 2], ids, subgraph="induced", **options), plain),
        (gls.NeighborLoader(plain(), [3, 2], ids, subgraph="bidirectional", **options), plain),
        (gls.LinkNeighborLoader(plain(), [2], neg_sampling="binary", **options), plain),
        (gls.WalkLoader(plain(), gls.Walk(length=3), ids, subgraph="induced", **options), plain),
        (gls.NeighborLoader(typed(), [3, 2], ("paper", ids), **papers), typed),
    ]


@pytest.mark.parametrize("number", range(6))
def test_one_graph_is_the_batch(number: int) -> None:
    (whole, make), (padded, _) = subgraph_loaders()[number], subgraph_loaders(pad=True)[number]
    kinds = [(PLAIN, ("_N", "_E", "_N"))] if make is plain else [(t, t) for t in (WRITES, CITES)]
    for batch, other in zip(whole, padded):
        assert batch.num_edges > 0
        graph = gls.dgl.to_subgraph(batch)
        check_graph(graph, batch, kinds)
        check_graph(gls.dgl.to_subgraph(other), batch, kinds)
        assert not graph.is_block and graph.is_homogeneous == (make is plain)


def test_one_graph_is_a_view() -> None:
    batch = next(iter(subgraph_loaders()[1][0]))
    graph = gls.dgl.to_subgraph(batch)
    assert graph.ndata["x"].data_ptr() == batch.x.data_ptr()
    assert [end.data_ptr() for end in graph.edges()] == [batch.row.data_ptr(), batch.col.data_ptr()]


def test_induced_edges_are_all_of_the_dataset() -> None:
    graph = next(iter(gls.dgl.DataLoader(subgraph_loaders()[1][0], "subgraph")))
    ids = graph.ndata[dgl.NID]
    random = np.random.default_rng(1)
    ends = random.integers(0, 80, (2, 500))  # those of plain()
    inside = np.isin(ends, ids.numpy()).all(0)
    assert sorted(graph.edata[dgl.EID].tolist()) == np.flatnonzero(inside).tolist()


def test_what_is_no_graph_is_refused() -> None:
    ids = np.arange(8)
    options: Any = {"batch_size": 8, "columns": ["x"]}
    for loader, said in (
        (gls.WalkLoader(plain(), gls.Walk(length=2), ids, **options), "steps of walks"),
        (gls.ImportanceLoader(plain(), gls.Importance(4), ids, **options), "Importance and PPR"),
        (gls.PPRLoader(plain(), gls.PPR(), ids, **options), "Importance and PPR"),
    ):
        with pytest.raises(gls.Unsupported, match=said):
            gls.dgl.to_subgraph(next(iter(loader)))
    loader = gls.NeighborLoader(plain(), [2], ids, batch_size=8)
    with pytest.raises(gls.InvalidArgument, match=r"have no place in a graph: node.y; gather"):
        gls.dgl.to_subgraph(next(iter(loader)))
    columns = ["x", gls.ColumnRequest("y", rows="all")]
    loader = gls.NeighborLoader(plain(), [2], ids, batch_size=8, columns=columns)
    assert gls.dgl.to_subgraph(next(iter(loader))).ndata["y"].dtype == torch.int64
