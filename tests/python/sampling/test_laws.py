"""That negatives, and picks among edges in time, follow the laws they stand for.

Chi-square tests at a significance of 1e-6 of what the package draws; seeds are fixed, so a test passes for ever
or shows a fault. Laws of the other picks are those of tests/conformance/test_reference_statistics.py and
tests/unit/*_statistics_test.cc.
"""

from __future__ import annotations

from typing import Any, List

import numpy as np
import pytest
from test_reference_statistics import assert_plausible, check_inclusion, multinomial

import gls

SOURCES, TARGETS, LINKS = 8, 9, 9000
# Out of the sources 0 .. 7 and into the targets 0 .. 8: some have no edge, and no two targets as many.
ENDS = [(s, t) for t in range(TARGETS) for s in range(min(t, 7))] + [(1, 1), (1, 8), (2, 8)]
SOURCE, TARGET = (np.array(end) for end in zip(*ENDS))
SOURCE_WEIGHT = np.array([1, 0, 2, 0.5, 3, 1, 1, 4], np.float32)
TARGET_WEIGHT = np.array([0, 5, 1, 1, 2, 0.25, 7, 1, 3], np.float32)


@pytest.fixture(scope="module")
def pairs() -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_node_type("u", SOURCES)
    builder.add_node_type("i", TARGETS)
    builder.add_edges("u__to__i", SOURCE, TARGET)
    builder.add_node_column("u", "w", SOURCE_WEIGHT, role="weight")
    builder.add_node_column("i", "w", TARGET_WEIGHT, role="weight")
    return builder.build(layouts=("csc", "csr"))


def counts_of_pairs(dataset: gls.Dataset, **negatives: Any) -> np.ndarray:
    """How often each pair was drawn for links that all begin at node 4: one for each, in one batch."""
    sampler = gls.Sampler(
        dataset, [0], neg_sampling=gls.NegativeSampling(**negatives), seed=20260101
    )
    batch = sampler.sample_links(("u__to__i", np.tile([[4], [0]], LINKS)))
    links = batch.edges["u__to__i"]
    source, target = batch.nodes["u"].node.numpy(), batch.nodes["i"].node.numpy()
    if negatives["mode"] == "binary":
        rows, columns = links.link_source.numpy()[LINKS:], links.link_target.numpy()[LINKS:]
    else:
        columns = links.link_negative.numpy().ravel()
        rows = np.repeat(links.link_source.numpy(), len(columns) // LINKS)
    counts = np.zeros((SOURCES, TARGETS), np.int64)
    np.add.at(counts, (source[rows], target[columns]), 1)
    assert counts.sum() == LINKS * negatives.get("amount", 1)
    return counts


def check(counts: np.ndarray, law: np.ndarray) -> None:
    """The counts of all pairs, of which those with chance 0 never come."""
    assert not counts[law == 0].any()
    chances = (law / law.sum())[law > 0]
    assert_plausible(multinomial(counts[law > 0].tolist(), chances.tolist()), len(chances) - 1)


def linked() -> np.ndarray:
    """Which pairs are edges."""
    out = np.zeros((SOURCES, TARGETS), bool)
    out[SOURCE, TARGET] = True
    return out


LAWS = {
    "uniform": ({}, np.ones(SOURCES), np.ones(TARGETS)),
    "weights": ({"source_weight": "w", "target_weight": "w"}, SOURCE_WEIGHT, TARGET_WEIGHT),
    **{
        f"degree {power}": (
            {"degree_power": power},
            np.bincount(SOURCE, minlength=SOURCES) ** power * (np.bincount(SOURCE, minlength=SOURCES) > 0),
            np.bincount(TARGET, minlength=TARGETS) ** power * (np.bincount(TARGET, minlength=TARGETS) > 0),
        )
        for power in (0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2)
    },
}  # fmt: skip


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", list(LAWS))
def test_binary_negatives(pairs: gls.Dataset, name: str, strict: bool) -> None:
    """Both ends by their own laws, and independent; strict, the same among pairs that are no edges."""
    options, source, target = LAWS[name]
    counts = counts_of_pairs(pairs, mode="binary", strict=strict, tries=2000, **options)
    law = np.outer(source, target).astype(float)
    if strict:
        law[linked()] = 0
    check(counts, law)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", list(LAWS))
def test_triplets(pairs: gls.Dataset, name: str, strict: bool) -> None:
    """Targets by their law, each link's own source; several of one link are independent."""
    options, _, target = LAWS[name]
    options = {key: value for key, value in options.items() if key != "source_weight"}
    counts = counts_of_pairs(pairs, mode="triplet", amount=2, strict=strict, tries=500, **options)
    law = np.zeros((SOURCES, TARGETS))
    law[4] = target
    if strict:
        law[linked()] = 0
    check(counts, law)


# ---- in time -----------------------------------------------------------------------------------

TIMES = np.array([5, 1, 9, 3, 3, 7, 0, 2, 8, 4, 6, 3, 9, 1])


def picks_in_time(times: np.ndarray, fanout: int, **options: Any) -> List[List[int]]:
    """Edges picked of the row of node 0 by 8000 seeds of time 6."""
    ends = np.stack([np.arange(1, len(times) + 1), np.zeros(len(times), np.int64)])
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", len(times) + 1)
    builder.add_edges("node__to__node", ends)
    builder.add_edge_column("node__to__node", "time", times, role="time")
    weights = 1.0 + np.arange(len(times)) % 3
    builder.add_edge_column("node__to__node", "w", weights, role="weight")
    sampler = gls.Sampler(
        builder.build(), [fanout], edge_time="time", with_edge_ids=True, seed=77, **options
    )
    batch = sampler.sample(np.zeros(8000, np.int64), times=np.full(8000, 6))
    edge, col = batch.edge.numpy(), batch.col.numpy()
    counts = np.bincount(col, minlength=8000)[:8000]
    assert (np.diff(col) >= 0).all() and (counts == counts[0]).all()
    return edge.reshape(8000, -1).tolist()


@pytest.mark.parametrize("order", ["as they come", "ascending"])
@pytest.mark.parametrize(
    "options", [{}, {"time_strict": True}, {"time_window": 3}], ids=["all", "strict", "window"]
)
@pytest.mark.parametrize("fanout", [1, 3])
def test_picks_in_time(order: str, options: Any, fanout: int) -> None:
    """Uniform among those in time, pairs of picks, too."""
    times = np.sort(TIMES) if order == "ascending" else TIMES
    last = 5 if options.get("time_strict") else 6
    first = 6 - options["time_window"] if "time_window" in options else -100
    timely = np.flatnonzero((times >= first) & (times <= last)).tolist()
    picked = picks_in_time(times, fanout, **options)
    assert {edge for picks in picked for edge in picks} <= set(timely)
    places = {edge: i for i, edge in enumerate(timely)}
    check_inclusion([[places[e] for e in picks] for picks in picked], len(timely), fanout)


@pytest.mark.parametrize("weight", [None, "w"])
def test_picks_in_time_with_replacement(weight: Any) -> None:
    """Uniform, or by weight, among those in time; two draws after one another are independent."""
    timely = np.flatnonzero(TIMES <= 6)
    picked = picks_in_time(TIMES, 2, replace="always", weight_attr=weight)
    chances = 1.0 + timely % 3 if weight else np.ones(len(timely))
    places = {int(edge): i for i, edge in enumerate(timely)}
    counts = np.zeros((len(timely), len(timely)), np.int64)
    for one, other in picked:
        counts[places[one], places[other]] += 1
    law = np.outer(chances, chances)
    assert_plausible(
        multinomial(counts.ravel().tolist(), (law / law.sum()).ravel().tolist()), counts.size - 1
    )
