"""The vector files, results known from elsewhere, and properties that every batch has."""

from __future__ import annotations

import json
import struct
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Any, Iterator

import pytest

import generate
from reference import order, philox
from graphs import build_graph
from properties import check_batch
from reference.neighbors import Graph, Request, sample
from replay import options_from, replay, request_from

Json = dict[str, Any]

TO = "node__to__node"


@lru_cache(maxsize=None)
def load(name: str) -> tuple[list[Json], dict[str, Graph]]:
    content = json.loads((generate.FOLDER / name).read_text(encoding="utf-8"))
    return content["cases"], {g["name"]: build_graph(g) for g in content["graphs"]}


def case_named(name: str) -> Json:
    return next(case for case in load("sample_basic.json")[0] if case["name"] == name)


# ---- the files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(generate.FILES))
def test_vectors_are_what_the_reference_gives(name: str) -> None:
    cases, graphs = load(name)
    for case in cases:
        given = {k: v for k, v in case.items() if k not in ("expected", "error")}
        assert {**given, **replay(given, graphs)} == case, case["name"]


@pytest.mark.parametrize("name", list(generate.FILES))
def test_vectors_are_well_formed(name: str) -> None:
    cases, _ = load(name)
    for case in cases:
        assert case["name"] and case["about"] and case["kind"]
        assert ("expected" in case) != ("error" in case)


def test_weights_are_float32() -> None:
    for name in generate.FILES:
        for graph in load(name)[1].values():
            for edge_type in graph.edge_types:
                for weight in edge_type.columns.get("weight", []):
                    narrow = struct.unpack("<f", struct.pack("<f", weight))[0]
                    assert narrow == weight or weight != weight


def test_no_number_loses_precision_in_a_float64() -> None:
    def numbers(value: Any) -> Iterator[int]:
        if isinstance(value, dict):
            for inner in value.values():
                yield from numbers(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from numbers(inner)
        elif isinstance(value, int):
            yield value

    for name in generate.FILES:
        text = (generate.FOLDER / name).read_text(encoding="utf-8")
        assert all(abs(number) < 2**53 for number in numbers(json.loads(text)))


# ---- results known from elsewhere --------------------------------------------------------------


def test_philox_known_answers() -> None:
    ones = 0xFFFFFFFF
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)
    assert philox.philox((0,) * 4, (0,) * 2) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    assert philox.philox((ones,) * 4, (ones,) * 2) == (
        0x408F276D,
        0x41C83B0E,
        0xA20BC7C6,
        0x6D5451FD,
    )
    assert philox.philox(*pi) == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


def test_csr_example_toward_seeds() -> None:
    expected = case_named("csr, toward seeds")["expected"]
    assert expected["nodes"]["node"]["node"] == [0, 1, 2, 3, 4, 5]
    assert expected["edges"][TO] == {
        "row": [0, 1, 1, 3, 2, 4, 5],
        "col": [0, 0, 1, 1, 2, 2, 3],
        "edge": [0, 1, 2, 3, 4, 5, 6],
        "num_sampled_edges": [7],
    }


def test_coo_example_as_csc_and_csr() -> None:
    csc = case_named("coo to csc")["expected"]["edges"][TO]
    assert csc["edge"] == [0, 1, 2, 4, 3, 5, 6, 7]
    assert csc["row"] == [0, 0, 1, 2, 1, 2, 2, 3]
    assert [csc["col"].count(v) for v in range(6)] == [1, 2, 1, 2, 1, 1]
    csr = case_named("coo to csr")["expected"]["edges"][TO]
    assert csr["edge"] == list(range(8))
    assert csr["col"] == [0, 1, 1, 3, 2, 3, 4, 5]


def test_csc_example() -> None:
    everything = case_named("csc, all")["expected"]
    nodes, edges = everything["nodes"]["node"]["node"], everything["edges"][TO]
    assert nodes[:3] == [4, 1, 3]
    assert [nodes[row] for row in edges["row"]] == [0, 3, 4, 2, 3, 1, 2]
    assert edges["col"] == [0, 0, 0, 1, 1, 2, 2]
    assert edges["edge"] == [9, 10, 11, 3, 4, 7, 8]

    def of_each(name: str) -> list[list[int]]:
        edges = case_named(name)["expected"]["edges"][TO]
        pairs = list(zip(edges["edge"], edges["col"]))
        return [[edge for edge, col in pairs if col == seed] for seed in range(3)]

    rows = [{3, 4}, {7, 8}, {9, 10, 11}]
    two = of_each("csc, two each")
    assert [len(edges) for edges in two] == [2, 2, 2]
    four = of_each("csc, four each")
    assert [len(edges) for edges in four] == [4, 4, 4]
    assert all(set(edges) <= row for edges, row in zip(two + four, rows + rows))
    weighted = of_each("csc, weights")  # of edges 3 and 7 the weight is 0
    assert weighted[:2] == [[4], [8]] and len(weighted[2]) == 2
    assert of_each("csc, weights, replaced")[:2] == [[4, 4], [8, 8]]


def test_typed_csc_example() -> None:
    expected = case_named("typed csc")["expected"]
    for edge_type, source_type, sources in (
        ("n1__e1__n2", "n1", [0, 1]),
        ("n2__e2__n1", "n2", [0, 2]),
    ):
        nodes = expected["nodes"][source_type]["node"]
        edges = expected["edges"][edge_type]
        assert [nodes[row] for row in edges["row"]] == sources
        assert edges["col"] == [0, 0]


def test_ring() -> None:
    expected = case_named("ring out")["expected"]
    nodes, edges = expected["nodes"]["node"], expected["edges"][TO]
    assert nodes["num_sampled_nodes"][0] == 5 and edges["num_sampled_edges"][0] == 10
    for row, col, edge in zip(edges["row"], edges["col"], edges["edge"]):
        v, i = divmod(edge, 2)
        assert nodes["node"][row] == v and nodes["node"][col] == (v + i + 1) % 40


def test_typed_ring() -> None:
    out = case_named("typed ring out")["expected"]
    assert out["nodes"]["user"]["num_sampled_nodes"] == [5, 0, 0]
    assert [n > 0 for n in out["nodes"]["item"]["num_sampled_nodes"]] == [False, True, True]
    assert out["edges"]["user__u2i__item"]["num_sampled_edges"] == [10, 0]
    assert [n > 0 for n in out["edges"]["item__i2i__item"]["num_sampled_edges"]] == [False, True]
    into = case_named("typed ring in")["expected"]
    assert all(edges["num_sampled_edges"] == [0, 0] for edges in into["edges"].values())
    apart = case_named("one edge type per hop")["expected"]["edges"]
    assert [n > 0 for n in apart["user__u2i__item"]["num_sampled_edges"]] == [True, False]
    assert [n > 0 for n in apart["item__i2i__item"]["num_sampled_edges"]] == [False, True]


def test_weights_of_one_to_nine() -> None:
    graph = load("sample_basic.json")[1]["csr example"]
    options = options_from(case_named("csr, toward seeds")["options"])
    options.fanouts[0].per_hop = [1]
    options.weight = "weight"
    counts: Counter[int] = Counter()
    for batch in range(1000):
        edges = sample(graph, options, Request([("node", [0, 1, 2, 3, 4])], batch=batch)).edges
        counts.update(edges[TO].edge or [])
    assert all(counts[edge] < 200 for edge in (0, 2, 4))
    assert all(counts[edge] > 800 for edge in (1, 3, 5))
    assert counts[6] == 1000


# ---- orders and plans --------------------------------------------------------------------------


def test_order_is_a_bijection() -> None:
    for n in list(range(1, 140)) + [255, 256, 257, 1000, 1025, 4097]:
        permutation = order.shuffled(n, seed=n, epoch=3)
        assert sorted(permutation(i) for i in range(n)) == list(range(n))


@pytest.mark.parametrize("even", [order.NONE, order.DROP, order.REPEAT])
def test_trainers_share_an_epoch(even: str) -> None:
    for real in range(12):
        for world in range(1, 6):
            for done in range(0, 14):
                shares = [
                    order.trainer_batches(real, even, world, rank, done) for rank in range(world)
                ]
                lengths = {len(share) for share in shares}
                assert max(lengths) - min(lengths) <= (1 if even == order.NONE else 0)
                together = [batch for share in shares for batch in share]
                rest = set(range(done, real))
                if even == order.NONE:
                    assert sorted(together) == sorted(rest)
                elif even == order.DROP:
                    assert len(set(together)) == len(together) > len(rest) - world
                    assert set(together) <= rest
                else:
                    assert rest <= set(together) <= set(range(real))
                    assert len(together) < len(rest) + world


# ---- properties of every batch -----------------------------------------------------------------


# These have properties of their own: tests/python/sampling/test_walks.py, test_importance.py, test_anchors.py,
# test_hgt.py.
OTHERS = (
    "sample_walks.json",
    "sample_importance.json",
    "sample_ppr.json",
    "sample_channels.json",
    "sample_anchors.json",
    "sample_hgt.json",
)
OF_ROWS = [name for name in generate.FILES if name.startswith("sample_") and name not in OTHERS]


@pytest.mark.parametrize("name", OF_ROWS)
def test_properties(name: str) -> None:
    """Of those of random cases, see tests/python/sampling/test_properties.py."""
    cases, graphs = load(name)
    for case in cases:
        if "error" not in case and not case.get("short", False):
            options, request = options_from(case["options"]), request_from(case["request"])
            graph = graphs[case["graph"]]
            check_batch(
                graph, options, request, sample(graph, replace(options, edge_ids=True), request)
            )


# ---- padded batches, quantised columns -----------------------------------------------------------


def test_codes_by_hand() -> None:
    case: Json = {"bits": 2, "width": 5, "low": 0, "high": 3, "rows": [1, 0]}
    case["packed"] = [[0b00011011, 0b10111111], [0b11100100, 0b01000000]]
    decoded = replay({"kind": "codes", **case}, {})["expected"]
    assert decoded["codebook"] == [0, 1, 2, 3]
    assert decoded["values"] == [[3, 2, 1, 0, 1], [0, 1, 2, 3, 2]]


MASKS = {
    **dict.fromkeys(("node", "tree"), "node_mask"),
    **dict.fromkeys(("row", "col", "edge"), "edge_mask"),
    **dict.fromkeys(("seed", "seed_time"), "seed_mask"),
    **dict.fromkeys(("link_source", "link_target", "link_label"), "link_mask"),
    **dict.fromkeys(("walk", "walk_edge"), "walk_mask"),
    **dict.fromkeys(("near_seed", "near_node", "near_score"), "near_mask"),
    **dict.fromkeys(("anchor_positive", "anchor_negative"), "anchor_mask"),
}


def test_padded_batches_have_one_shape_and_masks_leave_the_others() -> None:
    """Batches of a loader that has room for all are those of one that has room for none, by masks."""
    cases, graphs = load("pad.json")
    compared = 0
    for case in cases:
        expected = case.get("expected", {"batches": []})
        fits = [b["arrays"] for b in expected["batches"] if b["padding"] == "fits"]
        shapes = {
            json.dumps([(a["array"], a["type"], a["shape"]) for a in arrays]) for arrays in fits
        }
        assert len(shapes) <= 1, case["name"]
        first_type = case.get("expected", {"sizes": {}})["sizes"]
        if len(fits) != len(case["show"]) or not fits:
            continue
        tight = {**case, "pad": {**case["pad"], "sizes": [[name, 1] for name in first_type]}}
        whole = replay({k: v for k, v in tight.items() if k != "expected"}, graphs)["expected"]
        for padded, plain in zip(fits, whole["batches"]):
            assert plain["padding"] == "overflow", case["name"]
            found = {(a["array"], a["type"], a.get("name")): a for a in padded}
            for array in plain["arrays"]:
                mine = found[array["array"], array["type"], array.get("name")]
                mask_type = array["type"]
                if array["array"].startswith("anchor"):
                    mask_type = case["loader"]["type"]
                mask = found.get((MASKS.get(array["array"], ""), mask_type, None))
                if mask is None:
                    continue
                width = 1 if len(mine["shape"]) == 1 else mine["shape"][1]
                kept = [x for i, x in enumerate(mine["values"]) if mask["values"][i // width]]
                assert kept == array["values"], (case["name"], array["array"])
                compared += 1
    assert compared > 500
