"""Importance neighbours and personalised PageRank: against the reference, against networkx, and their
loaders."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import contract
from reference import importance, importance_batches, neighbors
import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_properties import cases

import gls

TO = "node__to__node"
ROUND_TRIP = ("user__buys__item", "item__bought_by__user")  # from items to users and back


def check_against_the_reference(case: Any) -> None:
    graph, options, request = case
    batch = contract.sample(contract.build(graph), options, request)
    assert contract.to_reference(batch, options) == importance_batches.sample(
        graph, options, request
    )


@st.composite
def seeded(draw: Any) -> Tuple[neighbors.Graph, neighbors.Options, neighbors.Request, Any]:
    """A graph and what both kinds share; the rest of the options is to be added."""
    graph, made, request = draw(cases(several=True))
    options = neighbors.Options([], seed=made.seed, direction=made.direction, exclude=made.exclude)
    request.times = []
    return graph, options, request, np.random.default_rng(draw(st.integers(0, 2**32 - 1)))


@st.composite
def visited(draw: Any) -> Tuple[neighbors.Graph, Any, Any]:
    graph, options, request, rng = draw(seeded())
    direction = options.direction
    types = {t.name: t for t in graph.edge_types}
    round_trips = [[t.name] for t in graph.edge_types if t.source_type == t.target_type] + [
        [a.name, b.name]
        for a in graph.edge_types
        for b in graph.edge_types
        if a.far_type(direction) == b.near_type(direction)
        and b.far_type(direction) == a.near_type(direction)
    ]
    if not round_trips:
        name, count = next(iter(graph.node_types.items()))
        loop = neighbors.EdgeType(
            f"{name}__loops__{name}", [0] if count else [], [0] if count else []
        )
        graph.edge_types.append(loop)
        types[loop.name], round_trips = loop, [[loop.name]]
    path = draw(st.sampled_from(round_trips))
    weighted = any("weight" in types[name].columns for name in path)
    options.weight = "weight" if weighted and draw(st.booleans()) else None
    options.importance = importance.Importance(
        neighbors=draw(st.sampled_from([1, 2, 5, 100])),
        walks=draw(st.integers(1, 6)),
        traversals=draw(st.integers(1, 4)),
        stop=draw(st.sampled_from([0, 0.3, 1])),
        hops=draw(st.integers(1, 3)),
        path=path,
    )
    first = types[path[0]].near_type(direction)
    count = graph.node_types[first]
    ids = rng.integers(0, count, draw(st.integers(0, 9))).tolist() if count else []
    request.seeds = [(first, ids)]
    return graph, options, request


@st.composite
def channelled(draw: Any, names: List[str]) -> List[importance.Channel]:
    """Channels of these edge types."""
    subsets = st.lists(st.sampled_from(names), min_size=1, unique=True)
    given_types = draw(st.lists(subsets, min_size=1, max_size=5, unique_by=tuple))
    weights = [draw(st.sampled_from([1, 1, 2, 7])) for _ in given_types]
    return [importance.Channel(t, w / sum(weights)) for t, w in zip(given_types, weights)]


@st.composite
def pushed(draw: Any, by_channels: bool = False) -> Tuple[neighbors.Graph, Any, Any]:
    graph, options, request, rng = draw(seeded())
    names = [t.name for t in graph.edge_types]
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    channels = draw(channelled(chosen or names)) if by_channels and names else None
    options.ppr = importance.PPR(
        neighbors=draw(st.sampled_from([1, 2, 5, 100])),
        alpha=draw(st.sampled_from([0.1, 0.5, 0.85, 1])),
        epsilon=draw(st.sampled_from([1e-5, 1e-2, 0.1, 1])),
        top_up=draw(st.booleans()),
        max_edges=draw(st.sampled_from([1, 7, 10000])),
        row_limit=draw(st.sampled_from([0, 0, 1, 3])),
        edge_types=chosen or None,
        channels=channels,
    )
    first = draw(st.sampled_from(list(graph.node_types)))
    count = graph.node_types[first]
    ids = rng.integers(0, count, draw(st.integers(0, 5))).tolist() if count else []
    request.seeds = [(first, ids)]
    return graph, options, request


@settings(max_examples=200)
@given(visited())
def test_importance(case: Any) -> None:
    check_against_the_reference(case)


@settings(max_examples=200)
@given(pushed())
def test_ppr(case: Any) -> None:
    check_against_the_reference(case)


@settings(max_examples=200)
@given(pushed(by_channels=True))
def test_channels(case: Any) -> None:
    check_against_the_reference(case)


@settings(max_examples=50)
@given(pushed(by_channels=True))
def test_columns_of_a_channel_are_those_of_its_edge_types(case: Any) -> None:
    graph, options, request = case
    channels = options.ppr.channels or []
    dataset = contract.build(graph)
    merged = rows_of(contract.sample(dataset, options, request))
    options.ppr.channels = None
    alone = []
    for channel in channels:
        options.ppr.edge_types = channel.edge_types
        alone.append(rows_of(contract.sample(dataset, options, request)))
    for key, row in merged.items():
        own = [rows.get(key) for rows in alone]
        assert row[2:] == [x for r in own for x in ((*r, 1.0) if r is not None else (0, 0, 0))]
        if own:
            assert row[:2] == [max(r[c] for r in own if r is not None) for c in (0, 1)]
    for key in set().union(*alone):
        of_seed = [k for k in merged if k[:2] == key[:2]]
        assert key in merged or len(of_seed) == options.ppr.neighbors


def rows_of(batch: gls.Batch) -> Dict[Tuple[str, int, int], List[float]]:
    """Scores by type, local id of the seed, and id of the neighbour."""
    out = {}
    for name, arrays in batch.nodes.items():
        nodes = arrays.node.numpy()
        rows = zip(
            arrays.near_seed.tolist(), arrays.near_node.tolist(), arrays.near_score.numpy().tolist()
        )
        for seed, node, row in rows:
            out[(str(name), seed, int(nodes[node]))] = row
    return out


# ---- networkx ----------------------------------------------------------------------------------


def dataset_of(count: int, source: Any, target: Any) -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", count)
    builder.add_edges("node__to__node", np.array(source), np.array(target))
    return builder.build(layouts=("csc", "csr"))


def exact(graph: Any, seed: int, alpha: float) -> np.ndarray:
    """Personalised PageRank as networkx defines it. From dead ends it goes on at the seed."""
    at_seed = {seed: 1.0}
    matrix = networkx.google_matrix(
        graph, 1 - alpha, at_seed, nodelist=range(len(graph)), dangling=at_seed
    )
    count = len(graph)
    equations = np.vstack([np.asarray(matrix).T - np.eye(count), np.ones(count)])
    solution, *_ = np.linalg.lstsq(equations, np.append(np.zeros(count), 1.0), rcond=None)
    return solution


def scores(batch: gls.Batch, count: int) -> Dict[int, np.ndarray]:
    nodes = batch.node.numpy()
    out = {int(nodes[local]): np.zeros(count) for local in batch.seed.tolist()}
    rows = zip(batch.near_seed.tolist(), batch.near_node.tolist(), batch.near_score.numpy())
    for seed, node, (score, _) in rows:
        out[int(nodes[seed])][nodes[node]] = score
    return out


@pytest.mark.parametrize("direction", ["in", "out"])
@pytest.mark.parametrize("top_up", [False, True])
def test_the_graph_of_five(direction: str, top_up: bool) -> None:
    ends = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4)]
    edges = np.array(ends + [(t, s) for s, t in ends]).T
    dataset = dataset_of(5, *edges)
    sampler = gls.Sampler(dataset, ppr=gls.PPR(epsilon=1e-6, top_up=top_up), direction=direction)
    got = scores(sampler.sample([0, 3]), 5)
    assert np.abs(got[0] - [0.5625, 0.1875, 0.1875, 0.03125, 0.03125]).max() < 2e-6
    assert np.abs(got[3] - [0.0625, 0.3028846, 0.0721154, 0.5504808, 0.0120192]).max() < 2e-6
    graph = networkx.Graph(ends)
    for seed in (0, 3):
        assert np.abs(got[seed] - exact(graph, seed, 0.5)).max() < 2e-6


@pytest.mark.parametrize("direction", ["in", "out"])
@pytest.mark.parametrize("alpha", [0.15, 0.5])
@pytest.mark.parametrize("number", range(4))
def test_random_graphs(direction: str, alpha: float, number: int) -> None:
    graph = networkx.gnp_random_graph(60, 0.03 + 0.02 * number, seed=number, directed=True)
    source, target = np.array(list(graph.edges)).T
    ppr = gls.PPR(neighbors=60, alpha=alpha, epsilon=1e-8)
    sampler = gls.Sampler(dataset_of(60, source, target), ppr=ppr, direction=direction)
    walked = graph if direction == "out" else graph.reverse()
    for seed, got in scores(sampler.sample([0, 7, 59]), 60).items():
        # What is lost at dead ends here goes back to the seed there: the same, but for the scale.
        assert got.sum() <= 1 + 1e-6
        assert np.abs(got / got.sum() - exact(walked, seed, alpha)).max() < 2e-6


# ---- the package -------------------------------------------------------------------------------


def test_importance_loader(dataset: gls.Dataset) -> None:
    wanted = gls.Importance(3, hops=2, stop=0.5)
    loader = gls.ImportanceLoader(
        dataset, wanted, batch_size=32, shuffle=True, seed=3, columns=["x"]
    )
    x = dataset.node_column("x").numpy()
    seen: List[int] = []
    for batch in loader:
        assert np.array_equal(batch.x.numpy(), x[batch.node.numpy()])
        assert batch.num_hops == 2 and len(batch.num_sampled_nodes) == 3
        assert sum(batch.num_sampled_nodes) == batch.num_nodes and batch.num_edges == 0
        counts = np.bincount(batch.near_seed.numpy(), minlength=batch.num_nodes)
        assert counts.max() <= 3 and not counts[sum(batch.num_sampled_nodes[:2]) :].any()
        share, visits = batch.near_score.numpy().T
        assert (visits >= 1).all() and (visits <= 20).all() and (share <= 1).all()
        seen += batch.input_id.tolist()
    assert sorted(seen) == list(range(dataset.num_nodes()))


@pytest.mark.parametrize("kind", ["importance", "ppr"])
def test_a_loader_resumes_in_the_middle(dataset: gls.Dataset, kind: str) -> None:
    def made() -> Any:
        if kind == "ppr":
            return gls.PPRLoader(dataset, gls.PPR(row_limit=2), batch_size=16, shuffle=True)
        return gls.ImportanceLoader(dataset, gls.Importance(4), batch_size=16, shuffle=True)

    whole = [batch.near_score.numpy() for batch in made()]
    first = made()
    iterator = iter(first)
    for _ in range(4):
        next(iterator)
    second = made()
    second.load_state_dict(first.state_dict())
    rest = [batch.near_score.numpy() for batch in second]
    assert len(rest) == len(whole) - 4
    assert all(np.array_equal(a, b) for a, b in zip(rest, whole[4:]))


def test_several_types(shop: gls.Dataset) -> None:
    forth, back = ROUND_TRIP
    importance = gls.Importance(4, path=[forth, back])
    assert gls.Importance(*importance) == importance
    (batch,) = gls.ImportanceLoader(shop, importance, [0, 1, 2, 1], seed=9, columns=[])
    start = batch.input_type
    assert start is not None
    again = gls.Sampler(shop, importance=importance, seed=9).sample((start, [0, 1, 2, 1]))
    assert np.array_equal(batch.near_score.numpy(), again.near_score.numpy())
    other = next(t for t in batch.nodes if t != start)
    with pytest.raises(AttributeError, match="near_seed"):
        _ = batch.nodes[other].near_seed

    (batch,) = gls.PPRLoader(shop, gls.PPR(neighbors=3), (start, [0, 1, 2, 1]), columns=[])
    for arrays in batch.nodes.values():
        assert arrays.near_score.shape == (len(arrays.near_seed), 2)
        assert len(arrays.near_seed) == len(arrays.near_node) <= 9
    assert len(batch.nodes[other].near_seed) > 0
    with pytest.raises(AttributeError, match="no walks"):
        _ = batch.walk


def test_channels_of_a_loader(shop: gls.Dataset) -> None:
    forth, back = (tuple(name.split("__")) for name in ROUND_TRIP)
    for channels in (
        {(forth, back): 0.6, back: 0.4},
        {ROUND_TRIP: 0.6, "item__bought_by__user": 0.4},
        {(forth, ROUND_TRIP[1]): 0.6, (back,): 0.4},
    ):
        wanted = gls.PPR(neighbors=5, channels=channels)
        assert gls.PPR(*wanted) == wanted
        (batch,) = gls.PPRLoader(shop, wanted, ("item", [0, 1, 2, 1]), columns=[])
        again = gls.Sampler(shop, ppr=wanted).sample(("item", [0, 1, 2, 1]))
        for name, arrays in batch.nodes.items():
            score = arrays.near_score.numpy()
            assert score.shape == (len(arrays.near_seed), 8)
            assert np.array_equal(score, again.nodes[name].near_score.numpy())
            assert np.array_equal(score[:, 0], score[:, [2, 5]].max(1))
            assert np.isin(score[:, [4, 7]], [0, 1]).all()


def test_three_strings_as_a_channel() -> None:
    builder = gls.DatasetBuilder()
    names = ("a__to__b", "b__to__c", "c__to__a")
    for name in names:
        builder.add_edges(name, np.array([0]), np.array([0]))
    dataset = builder.build(layouts=("csr",))

    def found(key: Any) -> int:
        ppr = gls.PPR(channels={key: 1})
        batch = gls.Sampler(dataset, ppr=ppr, direction="out").sample(("a", [0]))
        return sum(len(arrays.near_node) for arrays in batch.nodes.values())

    assert found(("a", "to", "b")) == found("a__to__b") == 2
    assert found(names) == 3


def test_batches_of_neighbourhoods_have_none(dataset: gls.Dataset) -> None:
    batch = gls.Sampler(dataset, [2]).sample([0, 1])
    for name in ("near_seed", "near_node", "near_score"):
        assert not hasattr(batch, name)


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        ({"importance": gls.Importance(0)}, gls.InvalidArgument, "neighbors"),
        ({"importance": gls.Importance(3, walks=0)}, gls.InvalidArgument, "walks"),
        ({"importance": gls.Importance(3, traversals=0)}, gls.InvalidArgument, "traversals"),
        ({"importance": gls.Importance(3, hops=0)}, gls.InvalidArgument, "hops"),
        ({"importance": gls.Importance(3, hops=256)}, gls.InvalidArgument, "hops"),
        ({"importance": gls.Importance(3, stop=2)}, gls.InvalidArgument, "stop"),
        ({"importance": gls.Importance(3, path=["a__b__c"])}, gls.NotFound, "a__b__c"),
        ({"importance": gls.Importance(3), "ppr": gls.PPR()}, gls.InvalidArgument, "kind"),
        ({"importance": gls.Importance(3), "walk": gls.Walk(3)}, gls.InvalidArgument, "kind"),
        (
            {"importance": gls.Importance(3), "with_edge_ids": True},
            gls.InvalidArgument,
            "with_edge_ids",
        ),
        ({"ppr": gls.PPR(0)}, gls.InvalidArgument, "neighbors"),
        ({"ppr": gls.PPR(alpha=0)}, gls.InvalidArgument, "alpha"),
        ({"ppr": gls.PPR(alpha=2)}, gls.InvalidArgument, "alpha"),
        ({"ppr": gls.PPR(epsilon=0)}, gls.InvalidArgument, "epsilon"),
        ({"ppr": gls.PPR(max_edges=0)}, gls.InvalidArgument, "max_edges"),
        ({"ppr": gls.PPR(edge_types=["a__b__c"])}, gls.NotFound, "a__b__c"),
        ({"ppr": gls.PPR(channels={"a__b__c": 1})}, gls.NotFound, "a__b__c"),
        ({"ppr": gls.PPR(channels={("a", "b", "c"): 1})}, gls.NotFound, "a__b__c"),
        ({"ppr": gls.PPR(channels={(): 1})}, gls.InvalidArgument, "no edge types"),
        ({"ppr": gls.PPR(channels={TO: 0.5})}, gls.InvalidArgument, "add up to 0.5"),
        ({"ppr": gls.PPR(channels={TO: -1})}, gls.InvalidArgument, "share is -1"),
        ({"ppr": gls.PPR(channels={(TO, TO): 1})}, gls.InvalidArgument, "named twice"),
        ({"ppr": gls.PPR(), "num_neighbors": [2]}, gls.InvalidArgument, "num_neighbors"),
        ({"ppr": gls.PPR(), "weight_attr": "w"}, gls.InvalidArgument, "weight"),
        ({"ppr": gls.PPR(), "disjoint": True}, gls.InvalidArgument, "disjoint"),
    ],
)
def test_samplers_that_cannot_be(
    dataset: gls.Dataset, arguments: Dict[str, Any], kind: Any, message: str
) -> None:
    with pytest.raises(kind, match=message):
        gls.Sampler(dataset, **arguments)


def test_loaders_that_cannot_be(shop: gls.Dataset) -> None:
    with pytest.raises(gls.InvalidArgument, match="path"):
        gls.ImportanceLoader(shop, gls.Importance(3))
    forth, back = ROUND_TRIP
    ends = forth.split("__")
    with pytest.raises(gls.InvalidArgument, match="begin at"):
        gls.ImportanceLoader(shop, gls.Importance(3, path=[forth, back]), (ends[0], [0]))
