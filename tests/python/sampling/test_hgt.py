"""Nodes drawn from budgets: against the reference, and their loader."""

from __future__ import annotations

from typing import Any, Tuple

from reference import hgt, neighbors
import contract
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_properties import cases

import gls


@st.composite
def drawn(draw: Any) -> Tuple[neighbors.Graph, neighbors.Options, neighbors.Request]:
    """A graph, how many nodes to draw, and seeds."""
    graph, made, request = draw(cases(several=True))
    hops = draw(st.integers(1, 3))
    numbers = st.lists(st.sampled_from([-1, 0, 1, 2, 5, 40]), min_size=hops, max_size=hops)
    samples = [{"node_type": name, "per_hop": draw(numbers)} for name in graph.node_types]
    if draw(st.booleans()):
        samples[0] = {"node_type": None, "per_hop": samples[0]["per_hop"]}
    options = neighbors.Options(
        [],
        seed=made.seed,
        direction=made.direction,
        exclude=made.exclude,
        edge_ids=draw(st.booleans()),
        subgraph=draw(st.sampled_from(["sampled", "induced"])),
        hgt=neighbors.Hgt(samples, draw(st.sampled_from([1, 2, 5, 50]))),
    )
    request.times = []
    return graph, options, request


@settings(max_examples=300)
@given(drawn())
def test_against_the_reference(case: Any) -> None:
    graph, options, request = case
    batch = contract.sample(contract.build(graph), options, request)
    assert contract.to_reference(batch, options) == hgt.sample(graph, options, request)


def shop(seed: int = 0) -> gls.Dataset:
    rng = np.random.default_rng(seed)
    builder = gls.DatasetBuilder()
    builder.add_node_type("user", 300)
    builder.add_node_type("item", 200)
    users, items = rng.integers(0, 300, 3000), rng.integers(0, 200, 3000)
    builder.add_edges("user__buys__item", users, items)
    builder.add_edges("item__bought_by__user", items, users)
    builder.add_node_column("user", "x", np.arange(300, dtype=np.float32))
    return builder.build()


def test_loader() -> None:
    dataset = shop()
    hgt = gls.HGT({"user": [20, 10], "item": [30, 5]})
    loader = gls.HGTLoader(
        dataset, hgt, ("user", np.arange(100)), batch_size=32, seed=3, with_edge_ids=True
    )
    sampler = gls.Sampler(dataset, hgt=hgt, seed=3, with_edge_ids=True)
    batches = list(loader)
    assert len(batches) == len(loader) == 4
    for number, batch in enumerate(batches):
        ids = batch.nodes["user"].node.numpy()
        assert batch.nodes["user"].num_sampled_nodes == [min(32, 100 - 32 * number), 0, 10]
        assert batch.nodes["item"].num_sampled_nodes == [0, 30, 5]
        assert batch.nodes["user"]["x"].tolist() == ids.tolist()
        own = sampler.sample(("user", ids[: batch.batch_size]), batch=number)
        for name, edges in batch.edges.items():
            assert edges.row.tolist() == own.edges[name].row.tolist()
            assert edges.num_sampled_edges == [edges.row.shape[0]]


def test_padded() -> None:
    loader = gls.HGTLoader(shop(), gls.HGT([20, 10]), "user", batch_size=60, pad=True, columns=[])
    shapes = {tuple(b.nodes[t].node.shape[0] for t in ("user", "item")) for b in loader}
    assert len(shapes) == 1


@pytest.mark.parametrize(
    "wanted, error",
    [
        (gls.HGT({"user": [1]}), gls.InvalidArgument),
        (gls.HGT({"user": [1], "person": [1]}), gls.NotFound),
        (gls.HGT([]), gls.InvalidArgument),
        (gls.HGT([-2]), gls.InvalidArgument),
        (gls.HGT([1], 0), gls.InvalidArgument),
        (gls.HGT("3"), gls.InvalidArgument),
    ],
)
def test_errors(wanted: gls.HGT, error: Any) -> None:
    with pytest.raises(error):
        gls.Sampler(shop(), hgt=wanted)


def test_other_options() -> None:
    for more in ({"disjoint": True}, {"replace": True}, {"weight_attr": "w"}, {"node_time": "t"}):
        with pytest.raises(gls.InvalidArgument):
            gls.Sampler(shop(), hgt=gls.HGT([1]), **more)  # type: ignore[arg-type]
