"""Random walks: against the reference, by properties that need no reference, and their loader."""

from __future__ import annotations

from typing import Any, List, Tuple

import contract
import numpy as np
import pytest
from reference import neighbors, walk_batches, walks
from hypothesis import given, settings
from hypothesis import strategies as st
from test_properties import cases

import gls

ROUND_TRIP = ("user__buys__item", "item__bought_by__user")  # from items to users and back


@st.composite
def walked(draw: Any, several: bool) -> Tuple[neighbors.Graph, Any, Any]:
    """A path that chains, found by trying, and every option that fits it."""
    graph, made, request = draw(cases(several=several))
    direction = made.direction
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    types = {t.name: t for t in graph.edge_types}
    path = [draw(st.sampled_from(list(types)))]
    for _ in range(draw(st.integers(0, 3))):
        end = types[path[-1]].far_type(direction)
        on = [name for name, t in types.items() if t.near_type(direction) == end]
        if not on:
            break
        path.append(on[rng.integers(len(on))])
    first, last = types[path[0]].near_type(direction), types[path[-1]].far_type(direction)
    nodes = {first, *(types[name].far_type(direction) for name in path)}
    walk = walks.Walk(path=path, walks=draw(st.integers(1, 3)))
    if first == last:
        walk.length = draw(st.integers(0, 9))
    if draw(st.booleans()):
        walk.stop = draw(st.sampled_from([0.05, 0.3]))
    if len(nodes) == 1 and draw(st.booleans()):
        walk.restart = draw(st.sampled_from([0.1, 0.5]))
    if len({*path}) == 1 and len(nodes) == 1 and draw(st.booleans()):
        walk.p = draw(st.sampled_from([0.25, 1, 4, 1e6]))
        walk.q = draw(st.sampled_from([0.25, 1, 4, 1e6]))
    weighted = any("weight" in types[name].columns for name in path)
    options = neighbors.Options(
        [],
        seed=made.seed,
        direction=direction,
        weight="weight" if weighted and draw(st.booleans()) else None,
        edge_ids=draw(st.booleans()),
        exclude=made.exclude,
        subgraph=draw(st.sampled_from(["sampled", "induced"])),
        walk=walk,
    )
    ids = rng.integers(0, graph.node_types[first], draw(st.integers(0, 9))).tolist()
    request.seeds, request.times = [(first, ids)], []
    return graph, options, request


def check_against_the_reference(case: Any) -> None:
    graph, options, request = case
    batch = contract.sample(contract.build(graph), options, request)
    expected = walk_batches.sample(graph, options, request)
    assert contract.to_reference(batch, options) == expected


@settings(max_examples=300)
@given(walked(several=False))
def test_walks_of_one_type(case: Any) -> None:
    check_against_the_reference(case)


@settings(max_examples=300)
@given(walked(several=True))
def test_walks_of_several_types(case: Any) -> None:
    check_against_the_reference(case)


@settings(max_examples=200)
@given(walked(several=True))
def test_every_step_is_an_edge(case: Any) -> None:
    """Found without the reference's walks: from the lists of edges alone."""
    graph, options, request = case
    options.edge_ids = True
    batch = contract.sample(contract.build(graph), options, request)
    walk = options.walk
    types = {t.name: t for t in graph.edge_types}
    gone = neighbors.excluded_edges(graph, options, request)
    (start, seeds) = request.seeds[0]
    nodes = batch.walks.numpy()
    edges = batch.nodes[start].walk_edge.numpy()
    assert nodes[:, 0].tolist() == [seed for seed in seeds for _ in range(walk.walks)]
    for row, taken in zip(nodes.tolist(), edges.tolist()):
        at = 0
        for step, edge in enumerate(taken):
            here, there = row[step], row[step + 1]
            if there < 0:
                assert edge < 0 and not any(x >= 0 for x in row[step + 1 :] + taken[step:])
                if walk.stop == 0:
                    assert not ways_on(types[walk.path[at % len(walk.path)]], gone, options, here)
                break
            if edge < 0:
                assert walk.restart > 0 and there == row[0]
                at = 0
                continue
            edge_type = types[walk.path[at % len(walk.path)]]
            ends = (edge_type.source[edge], edge_type.target[edge])
            assert ends == ((there, here) if options.direction == "in" else (here, there))
            assert edge not in gone[edge_type.name]
            at += 1


def ways_on(edge_type: neighbors.EdgeType, gone: Any, options: Any, node: int) -> List[int]:
    near = edge_type.target if options.direction == "in" else edge_type.source
    weights = edge_type.columns.get(options.weight or "") or [1] * len(near)
    return [
        edge
        for edge, end in enumerate(near)
        if end == node and edge not in gone[edge_type.name] and weights[edge] > 0
    ]


# ---- the package -------------------------------------------------------------------------------


def test_loader(dataset: gls.Dataset) -> None:
    walk = gls.Walk(length=5, walks=2, restart=0.1)
    loader = gls.WalkLoader(
        dataset, walk, batch_size=32, shuffle=True, seed=3, with_edge_ids=True, columns=["x"]
    )
    x = dataset.node_column("x").numpy()
    seen: List[int] = []
    for batch in loader:
        ids, local = batch.walks.numpy(), batch.walk.numpy()
        assert local.shape == ids.shape == (2 * len(batch.input_id), 6)
        assert batch.walk_edge.shape == (2 * len(batch.input_id), 5)
        assert np.array_equal(ids >= 0, local >= 0)
        met = local >= 0
        assert np.array_equal(batch.x.numpy()[local[met]], x[ids[met]])
        assert ids[::2, 0].tolist() == batch.input_id.tolist()
        assert sum(batch.num_sampled_nodes) == batch.num_nodes
        assert batch.num_edges == 0 and batch.num_hops == 1
        seen += batch.input_id.tolist()
    assert sorted(seen) == list(range(dataset.num_nodes()))


def test_a_loader_resumes_in_the_middle(dataset: gls.Dataset) -> None:
    def made() -> gls.WalkLoader:
        return gls.WalkLoader(dataset, gls.Walk(7, p=0.5, q=2), batch_size=16, shuffle=True)

    whole = [batch.walks.numpy() for batch in made()]
    first = made()
    iterator = iter(first)
    for _ in range(4):
        next(iterator)
    second = made()
    second.load_state_dict(first.state_dict())
    rest = [batch.walks.numpy() for batch in second]
    assert len(rest) == len(whole) - 4
    assert all(np.array_equal(a, b) for a, b in zip(rest, whole[4:]))


def test_sampler_and_loader_walk_alike(shop: gls.Dataset) -> None:
    forth, back = ROUND_TRIP
    walk = gls.Walk(length=4, walks=3, path=[forth, back])
    assert gls.Walk(*walk) == walk
    (batch,) = gls.WalkLoader(shop, walk, [0, 1, 2, 1], seed=9, columns=[])
    start = batch.input_type
    assert start is not None
    again = gls.Sampler(shop, walk=walk, seed=9).sample((start, [0, 1, 2, 1]))
    assert np.array_equal(batch.walks.numpy(), again.walks.numpy())
    assert batch.nodes[start].seed.tolist() == [0, 1, 2, 1]
    other = next(t for t in batch.nodes if t != start and batch.nodes[t].num_nodes)
    with pytest.raises(AttributeError, match="no walks"):
        _ = batch.nodes[other].walk
    with pytest.raises(AttributeError, match="with_edge_ids"):
        _ = batch.walk_edge


def test_batches_of_neighbourhoods_have_no_walks(dataset: gls.Dataset) -> None:
    batch = gls.Sampler(dataset, [2]).sample([0, 1])
    for name in ("walk", "walk_edge", "walks"):
        assert not hasattr(batch, name)


@pytest.mark.parametrize(
    "walk, arguments, kind, message",
    [
        (gls.Walk(), {}, gls.InvalidArgument, "length"),
        (gls.Walk(3, walks=0), {}, gls.InvalidArgument, "walks"),
        (gls.Walk(3, p=0), {}, gls.InvalidArgument, "p"),
        (gls.Walk(3, q=0), {}, gls.InvalidArgument, "q"),
        (gls.Walk(3, q=-1), {}, gls.InvalidArgument, "q is -1"),
        (gls.Walk(3, stop=2), {}, gls.InvalidArgument, "stop is 2"),
        (gls.Walk(3, restart=float("nan")), {}, gls.InvalidArgument, "restart is nan"),
        (gls.Walk(3, path=["a__b__c"]), {}, gls.NotFound, "a__b__c"),
        (gls.Walk(3), {"num_neighbors": [2]}, gls.InvalidArgument, "num_neighbors"),
        (gls.Walk(3), {"disjoint": True}, gls.InvalidArgument, "disjoint"),
        (gls.Walk(3), {"replace": True}, gls.InvalidArgument, "replace"),
        (gls.Walk(3), {"neg_sampling": "binary"}, gls.InvalidArgument, "neg_sampling"),
        (gls.Walk(3), {"node_time": "time"}, gls.InvalidArgument, "node_time"),
    ],
)
def test_samplers_that_cannot_be(
    dataset: gls.Dataset, walk: gls.Walk, arguments: Any, kind: Any, message: str
) -> None:
    with pytest.raises(kind, match=message):
        gls.Sampler(dataset, walk=walk, **arguments)


def test_loaders_that_cannot_be(shop: gls.Dataset) -> None:
    with pytest.raises(gls.InvalidArgument, match="path"):
        gls.WalkLoader(shop, gls.Walk(3))
    forth, back = ROUND_TRIP
    ends = forth.split("__")
    with pytest.raises(gls.InvalidArgument, match="begin at"):
        gls.WalkLoader(shop, gls.Walk(path=[forth, back]), (ends[0], [0]))
