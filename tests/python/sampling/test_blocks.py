"""Blocks: against the batch as a whole, and what a model computes through them."""

from __future__ import annotations

import pickle
from typing import Any, Dict, Tuple

import contract
import numpy as np
import pytest
from reference import neighbors
from hypothesis import given, settings
from hypothesis import strategies as st
from test_properties import cases, timed

import gls

Ends = Dict[str, Tuple[str, str]]
States = Dict[str, "np.ndarray[Any, Any]"]


def ends_of(graph: neighbors.Graph, direction: str) -> Ends:
    """Node types that messages go from and to, by edge type."""
    types = {t.name: (t.source_type, t.target_type) for t in graph.edge_types}
    return types if direction == "in" else {name: ends[::-1] for name, ends in types.items()}


def check(batch: gls.Batch, ends: Ends, dst_is_col: bool) -> None:
    """Each block, from the COO arrays and the counts alone."""
    hops = batch.num_hops
    blocks = batch.blocks()
    assert [block.layer for block in blocks] == list(range(hops))
    for layer, block in enumerate(blocks):
        for name, nodes in batch.nodes.items():
            ids = nodes.node.numpy()
            got = block.nodes[name]
            assert got.num_src == sum(nodes.num_sampled_nodes[: hops - layer + 1])
            assert got.num_dst == sum(nodes.num_sampled_nodes[: hops - layer])
            assert np.array_equal(got.input_nodes.numpy(), ids[: got.num_src])
            assert np.array_equal(got.output_nodes.numpy(), ids[: got.num_dst])
            if layer > 0:
                assert got.num_src == blocks[layer - 1].nodes[name].num_dst
        for name, edges in batch.edges.items():
            count = sum(edges.num_sampled_edges[: hops - layer])
            row, col = edges.row.numpy()[:count], edges.col.numpy()[:count]
            of = block.edges[name]
            src, dst = (array.numpy() for array in of.coo())
            assert of.num_edges == count
            assert np.array_equal(src, row if dst_is_col else col)
            assert np.array_equal(dst, col if dst_is_col else row)
            indptr, indices = (array.numpy() for array in of.csc())
            assert indptr.dtype == indices.dtype == src.dtype
            num_dst = block.nodes[ends[name][1]].num_dst
            assert np.array_equal(indptr, [(dst < v).sum() for v in range(num_dst + 1)])
            assert np.array_equal(indices, src)
            try:
                ids = edges.edge.numpy()
            except AttributeError:
                with pytest.raises(AttributeError, match="with_edge_ids"):
                    of.edge
            else:
                assert np.array_equal(of.edge.numpy(), ids[:count])


def add_means(states: States, out: States, ends: Ends, edges: Dict[str, Any]) -> States:
    """One layer: to each node of `out`, the mean of its neighbours by each edge type."""
    new = {name: state.copy() for name, state in out.items()}
    for name, (src, dst) in edges.items():
        src_type, dst_type = ends[name]
        sums = np.zeros_like(new[dst_type])
        np.add.at(sums, dst, states[src_type][src])
        counts = np.bincount(dst, minlength=len(sums))
        new[dst_type] += sums / np.maximum(counts, 1)[:, None]
    return new


def same_through_blocks(batch: gls.Batch, ends: Ends, dst_is_col: bool) -> None:
    first = {
        name: np.sin(nodes.node.numpy()[:, None] * [1.0, 2.0] + len(name))
        for name, nodes in batch.nodes.items()
    }
    whole = first
    all_edges = {
        name: (edges.row.numpy(), edges.col.numpy())[:: 1 if dst_is_col else -1]
        for name, edges in batch.edges.items()
    }
    for _ in range(batch.num_hops):
        whole = add_means(whole, whole, ends, all_edges)
    states = first
    for block in batch.blocks():
        out = {name: state[: block.nodes[name].num_dst] for name, state in states.items()}
        edges = {
            name: tuple(array.numpy() for array in of.coo()) for name, of in block.edges.items()
        }
        states = add_means(states, out, ends, edges)
    for name, nodes in batch.nodes.items():
        assert len(states[name]) == nodes.batch_size
        assert np.allclose(states[name], whole[name][: nodes.batch_size])


def compare(case: Any) -> None:
    graph, options, request = case
    batch = contract.sample(contract.build(graph), options, request)
    if options.subgraph != "sampled":
        if batch.num_hops:
            with pytest.raises(gls.Unsupported, match="every layer of a model uses all"):
                batch.blocks()
        return
    ends = ends_of(graph, options.direction)
    dst_is_col = options.direction == "in" or options.toward_seeds
    check(batch, ends, dst_is_col)
    same_through_blocks(batch, ends, dst_is_col)


@settings(max_examples=150)
@given(cases(several=False))
def test_one_type(case: Any) -> None:
    compare(case)


@settings(max_examples=150)
@given(cases(several=True))
def test_several_types(case: Any) -> None:
    compare(case)


@settings(max_examples=100)
@given(timed(several=True))
def test_times_and_subgraphs(case: Any) -> None:
    compare(case)


@pytest.fixture(scope="module")
def dataset() -> gls.Dataset:
    rng = np.random.default_rng(4)
    return gls.Dataset.from_arrays(rng.integers(0, 200, (2, 1500)), num_nodes=200)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_int32_and_padding(dataset: gls.Dataset, seed: int, narrow: bool) -> None:
    loader = gls.NeighborLoader(
        dataset, [3, 2], batch_size=37, seed=seed, int32=narrow, pad=gls.Pad(sigma=6, batches=2)
    )
    ends = {"node__to__node": ("node", "node")}
    for batch in loader:
        check(batch, ends, True)
        assert batch.blocks()[0].src.numpy().itemsize == (4 if narrow else 8)


def test_attributes_of_the_only_type(dataset: gls.Dataset) -> None:
    batch = gls.Sampler(dataset, [3, 2], with_edge_ids=True).sample([5, 9, 5])
    first, last = batch.blocks()
    assert last.output_nodes.numpy().tolist() == [5, 9]
    assert last.num_dst == 2 and last.num_src == first.num_dst == len(first.output_nodes)
    assert first.num_src == batch.num_nodes and first.num_edges == batch.num_edges
    assert first.input_nodes.numpy().ctypes.data == batch.node.numpy().ctypes.data
    assert first.edge.numpy().tolist() == batch.edge.numpy().tolist()
    assert np.array_equal(np.diff(last.indptr.numpy()), np.bincount(last.dst.numpy(), minlength=2))
    assert last.csc()[1] is last.src and last.coo()[1] is last.dst
    assert repr(last).startswith("gls.Block(layer=1, num_src=")
    with pytest.raises(TypeError):
        pickle.dumps(last)
    del batch, first
    assert last.indptr.numpy()[-1] == last.num_edges


def test_what_has_no_blocks(dataset: gls.Dataset) -> None:
    for options in (
        {"walk": gls.Walk(length=3)},
        {"importance": gls.Importance(2)},
        {"ppr": gls.PPR()},
    ):
        with pytest.raises(gls.Unsupported, match="no blocks"):
            gls.Sampler(dataset, **options).sample([5]).blocks()  # type: ignore[arg-type]


def test_types_must_be_named() -> None:
    builder = gls.DatasetBuilder()
    builder.add_edges("a__to__b", [0, 1], [0, 1])
    (block,) = gls.Sampler(builder.build(), [2]).sample({"b": [0]}).blocks()
    for name in ("input_nodes", "output_nodes"):
        with pytest.raises(AttributeError, match="block.nodes"):
            getattr(block, name)
    assert block.edges["a", "to", "b"].src.numpy().tolist() == [0]
    with pytest.raises(gls.NotFound):
        block.nodes["c"]
