"""Seeds that are drawn or taken by clusters, and GraphSAINT's norms."""

from __future__ import annotations

from collections import Counter
from typing import Any, List

import numpy as np
import pytest
from conftest import Graph
from hypothesis import given
from hypothesis import strategies as st

import gls
from reference.order import KeyedPermutation
from reference.philox import order_key

NODES, EDGES = 60, 400


def counted(loader: Any, epochs: int) -> np.ndarray:
    """How often each seed is drawn."""
    out = np.zeros(loader.num_seeds, np.int64)
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        for batch in loader:
            np.add.at(out, batch.input_id.numpy(), 1)
    return out


def check_law(counts: np.ndarray, weights: np.ndarray) -> None:
    """Chi-square at a significance of about 1e-5, by the normal bound of Wilson and Hilferty."""
    expected = counts.sum() * weights / weights.sum()
    assert (counts[expected == 0] == 0).all()
    used = expected > 0
    assert expected[used].min() > 5
    statistic = ((counts - expected)[used] ** 2 / expected[used]).sum()
    freedom = used.sum() - 1
    spread = 2 / (9 * freedom)
    assert ((statistic / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5 < 4.3


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph(NODES, EDGES, seed=5)


@pytest.fixture(scope="module")
def dataset(graph: Graph) -> gls.Dataset:
    return graph.build()


def drawn_nodes(dataset: gls.Dataset, rule: gls.DrawnSeeds, **more: Any) -> gls.NeighborLoader:
    options = {"batch_size": 100, "subgraph": "induced", "columns": [], "seed": 11, **more}
    return gls.NeighborLoader(dataset, [], seed_rule=rule, **options)


def test_laws_of_nodes(graph: Graph, dataset: gls.Dataset) -> None:
    check_law(counted(drawn_nodes(dataset, gls.DrawnSeeds(50)), 6), np.ones(NODES))
    degrees = np.bincount(graph.edge_index[0], minlength=NODES).astype(float)
    check_law(counted(drawn_nodes(dataset, gls.DrawnSeeds(50, "degree")), 12), degrees)


def test_laws_of_links(graph: Graph, dataset: gls.Dataset) -> None:
    source, target = graph.edge_index
    from_source, to_target = np.bincount(source)[source], np.bincount(target)[target]
    loader = gls.LinkNeighborLoader(
        dataset, [], seed_rule=gls.DrawnSeeds(80, "inverse_degree"), batch_size=100,
        subgraph="induced", columns=[],
    )  # fmt: skip
    check_law(counted(loader, 10), 1 / from_source + 1 / to_target)


def test_draws_by_a_column(graph: Graph) -> None:
    rng = np.random.default_rng(3)
    weight = np.where(rng.random(NODES) < 0.3, 0, rng.random(NODES) + 0.2)
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", NODES)
    builder.add_edges("node__to__node", graph.edge_index)
    builder.add_node_column("node", "w", weight)
    rule = gls.DrawnSeeds(80, weight="w")
    check_law(counted(drawn_nodes(builder.build(), rule), 10), weight)


def test_draws_of_batches_are_independent(dataset: gls.Dataset) -> None:
    """Equal first draws of neighbouring batches are as frequent as chance makes them."""
    loader = drawn_nodes(dataset, gls.DrawnSeeds(4000), batch_size=1)
    first = np.array([batch.input_id.numpy()[0] for batch in loader])
    same = int((first[1:] == first[:-1]).sum())
    expected = 3999 / NODES
    assert abs(same - expected) < 4.5 * expected**0.5


@given(st.data())
def test_clusters(draw: Any) -> None:
    count = draw.draw(st.integers(1, 40))
    clusters = draw.draw(st.lists(st.integers(-2, count - 1), min_size=count, max_size=count))
    ids = draw.draw(st.lists(st.integers(0, count - 1), max_size=60))
    batch_size = draw.draw(st.integers(1, 5))
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", count)
    builder.add_edges("node__to__node", np.zeros((2, 1), np.int64))
    loader = gls.NeighborLoader(
        builder.build(), [], np.array(ids, np.int64), subgraph="induced", shuffle=True,
        batch_size=batch_size, seed_rule=gls.ClusteredSeeds(np.array(clusters, np.int32)),
    )  # fmt: skip
    seen: List[int] = []
    groups = 0
    for batch in loader:
        positions = batch.input_id.tolist()
        runs = [clusters[ids[p]] for p in positions]
        kinds = [c for i, c in enumerate(runs) if i == 0 or runs[i - 1] != c]
        assert len(set(kinds)) == len(kinds) <= batch_size
        for cluster in kinds:
            own = [p for p in positions if clusters[ids[p]] == cluster]
            assert own == [p for p, node in enumerate(ids) if clusters[node] == cluster]
        seen += positions
        groups += batch_size
    assert sorted(seen) == [p for p, node in enumerate(ids) if clusters[node] >= 0]
    assert len(loader) == -(-(max([-1, *clusters]) + 1) // batch_size)


@pytest.mark.parametrize("law", ["uniform", "degree"])
def test_resumed_draws(dataset: gls.Dataset, law: str) -> None:
    def made(workers: int) -> gls.NeighborLoader:
        rule = gls.DrawnSeeds(9, law)
        return drawn_nodes(dataset, rule, batch_size=7, num_workers=workers)

    whole = [batch.node.tolist() for batch in made(1)]
    assert len(whole) == 9
    first = made(4)
    iterator = iter(first)
    for _ in range(3):
        next(iterator)
    second = made(2)
    second.load_state_dict(first.state_dict())
    assert [batch.node.tolist() for batch in second] == whole[3:]
    with pytest.raises(gls.InvalidArgument, match="seed_rule"):
        other = gls.DrawnSeeds(9, "degree" if law == "uniform" else "uniform")
        drawn_nodes(dataset, other, batch_size=7).load_state_dict(first.state_dict())


def test_norms_are_what_was_counted(graph: Graph, dataset: gls.Dataset) -> None:
    loader = drawn_nodes(dataset, gls.DrawnSeeds(10), batch_size=20, with_edge_ids=True)
    norms = loader.saint_norms(batches=25)
    nodes: "Counter[int]" = Counter()
    edges: "Counter[int]" = Counter()
    for k in range(25):
        batch = loader.sample(2**63 + k // 10, k % 10)
        nodes.update(batch.node.tolist())
        edges.update(batch.edge.tolist())
    expected = [25 / (nodes[v] or 0.1) / NODES for v in range(NODES)]
    assert np.array_equal(norms.node.numpy(), np.array(expected, np.float32))
    assert norms.edge is not None
    of_edges = norms.edge.numpy()
    for e, v in enumerate(graph.edge_index[1]):
        if edges[e]:
            assert of_edges[e] == np.float32(nodes[v] / edges[e])
        else:
            assert of_edges[e] == (np.float32(10000) if nodes[v] else np.float32(0.1))
    assert loader.saint_norms(batches=25, of_edges=False).edge is None
    calls: List[int] = []

    def stop(stage: str, done: int, total: int, unit: str) -> None:
        calls.append(done)
        if len(calls) == 2:
            raise KeyError(stage)

    with pytest.raises(KeyError, match="count"):
        loader.saint_norms(coverage=2, progress=stop)
    assert len(calls) == 2


def test_weighted_losses_are_unbiased(graph: Graph, dataset: gls.Dataset) -> None:
    """The mean over batches of the sum of node_norm * loss is the mean loss over all nodes, and that of
    messages weighted by edge_norm is the whole neighbourhood's."""
    loss = np.random.default_rng(8).random(NODES)
    walk = gls.WalkLoader(
        dataset, gls.Walk(3), subgraph="induced", seed_rule=gls.DrawnSeeds(400), batch_size=6,
        with_edge_ids=True, columns=[], seed=2,
    )  # fmt: skip
    norms = walk.saint_norms(batches=20000)
    assert norms.edge is not None
    of_nodes, of_edges = norms.node.numpy(), norms.edge.numpy()
    messages = np.random.default_rng(9).random(EDGES)
    estimates, aggregated, met = [], np.zeros(NODES), np.zeros(NODES)
    for epoch in range(10):
        walk.set_epoch(epoch)
        for batch in walk:
            nodes, edges = batch.node.numpy(), batch.edge.numpy()
            estimates.append((of_nodes[nodes] * loss[nodes]).sum())
            np.add.at(aggregated, nodes[batch.col.numpy()], of_edges[edges] * messages[edges])
            met[nodes] += 1
    values = np.array(estimates)
    # Of the estimated norms the error is below that of the mean: they are of five times the batches.
    assert abs(values.mean() - loss.mean()) < 5 * values.std() / len(values) ** 0.5
    whole = np.bincount(graph.edge_index[1], messages, NODES)
    reached = met > 200
    assert reached.mean() > 0.9
    assert (
        np.abs(aggregated[reached] / met[reached] / np.maximum(whole[reached], 0.1) - 1).mean()
        < 0.1
    )


def test_rules_that_cannot_be(dataset: gls.Dataset) -> None:
    with pytest.raises(gls.InvalidArgument, match="law"):
        drawn_nodes(dataset, gls.DrawnSeeds(law="cubic"))
    with pytest.raises(TypeError, match="seed_rule"):
        drawn_nodes(dataset, "degree")  # type: ignore[arg-type]
    with pytest.raises(gls.InvalidArgument, match="shuffle is"):
        drawn_nodes(dataset, gls.DrawnSeeds(), shuffle=True)


# ---- seeds of several types ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def shop() -> gls.Dataset:
    rng = np.random.default_rng(8)
    builder = gls.DatasetBuilder()
    for name, sources, targets in (
        ("user__likes__item", 40, 60),
        ("item__of__user", 60, 40),
        ("user__knows__user", 40, 40),
    ):
        edges = rng.integers(0, sources, 300), rng.integers(0, targets, 300)
        builder.add_edges(name, *edges)
    for name, count in (("user", 40), ("item", 60)):
        builder.add_node_column(name, "x", np.arange(count, dtype=np.float32))
        builder.add_node_column(name, "y", np.arange(count), role="label")
        builder.add_node_column(name, "since", rng.integers(0, 50, count))
    return builder.build()


def test_seeds_of_several_types(shop: gls.Dataset) -> None:
    users, mask = np.array([5, 3, 39, 3]), np.arange(60) % 7 == 0
    items = np.flatnonzero(mask)
    seeds = {"item": mask, "user": users}
    options = {"batch_size": 4, "shuffle": True, "seed": 3}
    loader = gls.NeighborLoader(shop, [3, 2], seeds, **options)
    assert loader.num_seeds == 4 + len(items) and len(loader) == 4
    for epoch in range(2):
        seen = {"user": [], "item": []}
        orders = []
        for batch in loader:
            assert batch.input_type is None
            with pytest.raises(AttributeError, match="seeds of several types"):
                batch.input_id
            for name, ids in (("user", users), ("item", items)):
                arrays = batch.nodes[name]
                at = arrays.input_id.numpy()
                assert arrays.node.numpy()[arrays.seed.numpy()].tolist() == ids[at].tolist()
                # Features of all nodes, labels of the seeds.
                assert arrays.x.numpy().tolist() == arrays.node.numpy().tolist()
                assert arrays.y.numpy()[arrays.seed.numpy()].tolist() == ids[at].tolist()
                seen[name] += at.tolist()
                orders.append((name, at.tolist()))
        assert sorted(seen["user"]) == list(range(4))
        assert sorted(seen["item"]) == list(range(len(items)))
        # The contract's permutation of all seeds, users first: they come first in the dataset.
        order = KeyedPermutation(loader.num_seeds, order_key(3, epoch))
        first = "user" if shop.node_types[0] == "user" else "item"
        counts = {"user": 4, "item": len(items)}
        for b in range(4):
            wanted = {"user": [], "item": []}
            for i in range(4 * b, min(4 * b + 4, loader.num_seeds)):
                position = order(i)
                other = "item" if first == "user" else "user"
                inside = position < counts[first]
                wanted[first if inside else other].append(
                    position if inside else position - counts[first]
                )
            found = dict(orders[2 * b : 2 * b + 2])
            assert found == wanted
    # The order in which a mapping names types has no effect; any batch by its number.
    other = gls.NeighborLoader(shop, [3, 2], {"user": users, "item": items}, **options)
    for batch in loader:
        again = other.sample(2, batch.number)
        for name in ("user", "item"):
            for array in ("node", "seed", "input_id"):
                same = [getattr(b.nodes[name], array).numpy() for b in (batch, again)]
                assert np.array_equal(*same)


def test_seeds_of_several_types_resume_and_are_shared(shop: gls.Dataset) -> None:
    seeds = {"item": None, "user": np.arange(10)}
    options = {"batch_size": 8, "shuffle": True, "seed": 1}

    def contents(batches):
        return [
            [batch.nodes[name].input_id.numpy().tolist() for name in ("user", "item")]
            for batch in batches
        ]

    loader = gls.NeighborLoader(shop, [2], seeds, **options)
    whole = contents(loader)
    dealt = [
        contents(gls.NeighborLoader(shop, [2], seeds, rank=rank, world_size=2, **options))
        for rank in range(2)
    ]
    assert [dealt[b % 2][b // 2] for b in range(len(whole))] == whole
    first = gls.NeighborLoader(shop, [2], seeds, **options)
    iterator = iter(first)
    next(iterator), next(iterator)
    second = gls.NeighborLoader(shop, [2], seeds, **options)
    second.load_state_dict(first.state_dict())
    assert contents(second) == whole[2:]
    fewer = gls.NeighborLoader(shop, [2], {"item": None}, **options)
    assert fewer.sample(0, 0).input_type == "item"
    with pytest.raises(gls.InvalidArgument, match="state"):
        fewer.load_state_dict(first.state_dict())
    dropped = gls.NeighborLoader(shop, [2], seeds, drop_last=True, **options)
    assert len(dropped) == len(whole) - 1


def test_times_of_seeds_of_several_types(shop: gls.Dataset) -> None:
    seeds = {"item": np.array([1, 2, 3]), "user": np.array([4, 5])}
    since = {name: shop.node_columns(name)["since"] for name in ("user", "item")}
    times = {"item": np.array([10, 20, 30]), ("user"): np.array([40, 50])}
    loader = gls.NeighborLoader(shop, [5], seeds, times=times, node_time="since", batch_size=5)
    (batch,) = loader
    for name in ("user", "item"):
        arrays = batch.nodes[name]
        assert arrays.seed_time.numpy().tolist() == times[name][arrays.input_id.numpy()].tolist()
    own = gls.NeighborLoader(shop, [5], seeds, node_time="since", batch_size=5)
    (batch,) = own
    assert len(batch.nodes["user"].seed_time.numpy()) == 2 and since


def test_links_of_several_types(shop: gls.Dataset) -> None:
    links = {
        ("user", "likes", "item"): np.arange(0, 50),
        "user__knows__user": np.array([[1, 2, 3], [4, 5, 6]]),
    }
    labels = {"user__knows__user": np.array([7, 8, 9]), ("user", "likes", "item"): np.arange(50)}
    loader = gls.LinkNeighborLoader(
        shop, [3], links, labels, neg_sampling="binary", batch_size=10, shuffle=True
    )
    assert loader.num_seeds == 53
    seen = {"user__likes__item": [], "user__knows__user": []}
    for batch in loader:
        in_all = 0
        for name in seen:
            arrays = batch.edges[name]
            at = arrays.input_id.numpy()
            in_all += len(at)
            seen[name] += at.tolist()
            own = labels[name] if name in labels else labels[("user", "likes", "item")]
            assert arrays.link_label.numpy()[: len(at)].tolist() == own[at].tolist()
            assert not arrays.link_label.numpy()[len(at) :].any()
            assert len(arrays.link_source) == 2 * len(at)
            if name == "user__knows__user":
                node = batch.nodes["user"].node.numpy()
                ends = [
                    node[end.numpy()[: len(at)]] for end in (arrays.link_source, arrays.link_target)
                ]
                assert np.array_equal(ends, links[name][:, at])
        assert in_all == (10 if batch.number < 5 else 3)
    assert sorted(seen["user__likes__item"]) == list(range(50))
    assert sorted(seen["user__knows__user"]) == list(range(3))


def test_what_seeds_of_several_types_refuse(shop: gls.Dataset) -> None:
    seeds = {"user": None, "item": None}

    def refused(error, match, **options):
        with pytest.raises(error, match=match):
            gls.NeighborLoader(shop, [2], **{"input_nodes": seeds, **options})

    refused(gls.Unsupported, "pad", pad=True)
    refused(gls.Unsupported, "seed_rule", seed_rule=gls.DrawnSeeds())
    refused(gls.Unsupported, "made_by", made_by="servers")
    refused(gls.InvalidArgument, "times: an array, expected a mapping", times=np.arange(3))
    refused(gls.InvalidArgument, "times: .*one type", input_nodes="user", times={"user": [1]})
    refused(gls.InvalidArgument, "there are no seeds of type 'item'", input_nodes={"user": None},
            times={"item": [1]})  # fmt: skip
    refused(gls.InvalidArgument, "a mapping without a type", input_nodes={})
    refused(gls.NotFound, "none", input_nodes={"user": None, "none": None})
    with pytest.raises(gls.InvalidArgument, match="begin at nodes of one type"):
        gls.PPRLoader(shop, input_nodes=seeds)
