"""What others publish as right for small graphs, as far as docs/contract.md has one answer, too.

GraphBolt's "no deduplication" of seeds and neighbours has none: here a node is numbered once in its batch or tree.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest

import generate
from cases.examples import BAD, GOOD, HUBS

Json = dict[str, Any]

TO = "node__to__node"


@lru_cache(maxsize=None)
def cases(name: str) -> dict[str, Json]:
    content = json.loads((generate.FOLDER / name).read_text(encoding="utf-8"))
    return {case["name"]: case for case in content["cases"]}


def expected(name: str, file: str = "sample_basic.json") -> Json:
    return cases(file)[name]["expected"]


def test_a_mask_is_a_weight() -> None:
    assert expected("a mask, all")["edges"][TO]["edge"] == [0, 3, 5]
    two = expected("a mask, two")["edges"][TO]["edge"]
    assert len(set(two)) == 2 and set(two) < {0, 3, 5}


def test_weights_by_layer() -> None:
    edges = expected("csc, weights, by layer")["edges"][TO]
    assert [edges["col"].count(seed) for seed in range(3)] == [1, 1, 2]
    assert edges["edge"][:2] == [4, 8] and set(edges["edge"][2:]) < {9, 10, 11}


@pytest.mark.parametrize("fanouts, taken", [((0, 0), (0, 0)), ((2, 1), (2, 1)), ((4, 4), (2, 2))])
def test_a_fanout_for_each_type(fanouts: tuple[int, int], taken: tuple[int, int]) -> None:
    edges = expected(f"typed csc, {fanouts[0]} and {fanouts[1]}")["edges"]
    assert tuple(len(edges[name]["row"]) for name in ("n1__e1__n2", "n2__e2__n1")) == taken


def test_unique_and_compact() -> None:
    nodes = expected("unique and compact")["nodes"]["node"]
    assert nodes["node"] == [0, 5, 2, 7, 12, 9, 6, 3, 4, 1]
    assert nodes["seed"] == [0, 1, 2, 3, 4, 3, 5, 1, 6, 2, 7, 8, 9, 0, 5]


def test_compact() -> None:
    found = expected("compact")
    assert found["nodes"]["node"]["node"] == [1, 3, 5, 2, 6, 4]
    assert found["edges"][TO]["row"] == [3, 1, 0, 5, 2, 3, 2, 0, 5, 5, 4]
    assert found["edges"][TO]["col"] == [0, 0, 1, 1, 2, 2, 3, 4, 4, 4, 4]


def test_dropped_edges() -> None:
    one = expected("drop one edge")["edges"][TO]
    assert (one["row"], one["col"], one["edge"]) == ([0, 3], [1, 2], [5, 9])
    both = expected("drop parallel edges")["edges"][TO]
    assert (both["row"], both["col"]) == ([0, 2, 2], [1, 4, 4])
    # Published are the ids 5, 10, 10, of one edge sampled twice; parallel edges have ids of their own.
    assert both["edge"] == [0, 3, 4]


def test_columns_go_with_their_edges() -> None:
    """Weight 0 is that of edge 0, which is the third one stored."""
    found = expected("columns of edges")
    nodes, edges = found["nodes"]["node"]["node"], found["edges"][TO]
    assert edges["edge"] == [7, 8, 9, 1, 2, 3, 4, 5, 6]
    assert [nodes[row] for row in edges["row"]] == [3, 4, 4, 0, 1, 1, 2, 2, 3]


def test_weights_reach_no_bad_node() -> None:
    for name, most in (("hubs", HUBS * 15), ("hubs, replaced", HUBS * 15)):
        found = expected(name)
        assert max(found["nodes"]["node"]["node"]) < HUBS + GOOD < HUBS + GOOD + BAD
        assert found["edges"][TO]["num_sampled_edges"][0] == most


def test_nearly_no_edges() -> None:
    found = expected("nearly no edges")
    assert found["nodes"]["node"]["num_sampled_nodes"] == [18, 0, 0]
    edges = found["edges"][TO]
    assert (edges["row"], edges["col"], edges["num_sampled_edges"]) == ([10], [15], [1, 0])


def test_two_links() -> None:
    real = {(0, 0), (0, 1), (1, 1), (1, 3), (2, 2), (2, 4), (3, 5)}
    for mode in ("binary", "triplet"):
        found = expected(f"two links, {mode}", "sample_links.json")
        nodes, links = found["nodes"]["node"]["node"], found["links"][TO]
        ends = [(nodes[s], nodes[t]) for s, t in zip(links["source"], links["target"])]
        assert ends[:2] == [(0, 1), (3, 5)]
        drawn = ends[2:]
        if mode == "binary":
            assert links["label"] == [1, 1, 0, 0]
        else:
            rows = zip(ends, links["negative"])
            drawn = [(source, nodes[t]) for (source, _), row in rows for t in row]
        assert len(drawn) == 2 and not set(drawn) & real


def test_two_targets_for_each_of_nine_links() -> None:
    found = expected("nine links, two targets each", "sample_links.json")
    negative = found["links"]["user__u2i__item"]["negative"]
    assert [len(row) for row in negative] == [2] * 9
    assert all(
        0 <= local < len(found["nodes"]["item"]["node"]) for row in negative for local in row
    )


def test_forward_push_by_hand() -> None:
    """With alpha 1/2: alpha at the seed, (1 - alpha) alpha after one edge; 1, 1/2 and 1/3 by hops."""

    def scores(name: str) -> dict[int, list[float]]:
        near = expected(name, "sample_ppr.json")["near"]["node"]
        return dict(zip(near["near_node"], near["near_score"]))

    chain = scores("one edge, then one")
    assert {node: score for node, (score, _) in chain.items()} == {0: 0.5, 1: 0.25, 2: 0.125}
    assert [chain[node][1] for node in range(3)] == pytest.approx([1, 1 / 2, 1 / 3])
    assert scores("two leaves, not pushed") == {0: [0.5, 1], 1: [0.125, 0.5], 2: [0.125, 0.5]}
    assert list(scores("at most one")) == [0]
