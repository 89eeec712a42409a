"""The vector files, results known from elsewhere, and properties that every batch has."""

from __future__ import annotations

import json
import struct
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Any, Iterator, Optional

import pytest

import generate
import order
import philox
from graphs import build_graph
from reference import Batch, EdgeSet, EdgeType, Graph, Options, Request, excluded_edges
from reference import fanouts_by_type, sample
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


def slices(counts: list[int]) -> list[range]:
    ends = [sum(counts[: i + 1]) for i in range(len(counts))]
    return [range(end - count, end) for end, count in zip(ends, counts)]


def takes(row_length: int, fanout: int, mode: str) -> int:
    """How many picks an unweighted row gives."""
    if fanout == -1 or (mode == "always" and row_length == 0):
        return row_length
    return fanout if mode == "always" else min(row_length, fanout)


def check_batch(graph: Graph, options: Options, request: Request) -> None:
    """Looks at the arrays alone, with edge ids, and walks them as a reader would."""
    options = replace(options, edge_ids=True)
    batch = sample(graph, options, request)
    asked = request
    if request.links is not None and options.exclude_links:
        links = EdgeSet(request.links.edge_type, request.links.ids, request.links.pairs)
        asked = replace(request, exclude=[*request.exclude, links])
    excluded = excluded_edges(graph, options, asked)
    fanouts = fanouts_by_type(graph, options)
    num_hops = len(options.fanouts[0].per_hop) if options.fanouts else 0
    times = [time for own in request.times for time in own or []]
    for name, count in graph.node_types.items():
        arrays = batch.nodes[name]
        assert sum(arrays.num_sampled_nodes) == len(arrays.node)
        assert len(arrays.num_sampled_nodes) == num_hops + 1
        trees: list[Any] = arrays.batch if arrays.batch is not None else [None] * len(arrays.node)
        assert len(set(zip(trees, arrays.node))) == len(arrays.node) == len(trees)
        assert all(0 <= node < count for node in arrays.node)
    if request.links is None:
        check_seeds(request, batch)
    else:
        times = check_links(graph, options, request, batch)
    if options.subgraph == "induced":
        check_induced(graph, options, batch, excluded, times)
        return
    if options.subgraph == "bidirectional":
        check_both_ways(graph, options, request, batch)
        return
    known = {name: a.num_sampled_nodes[0] for name, a in batch.nodes.items()}
    for hop in range(num_hops):
        for edge_type in graph.edge_types:
            check_step(
                options,
                batch,
                edge_type,
                hop,
                fanouts[edge_type.name][hop],
                excluded[edge_type.name],
                known,
                graph,
                times,
            )
        for name, arrays in batch.nodes.items():
            assert known[name] == sum(arrays.num_sampled_nodes[: hop + 2])


def in_time(graph: Graph, options: Options, edge_type: EdgeType, edge: int, seed_time: int) -> bool:
    far_type = edge_type.far_type(options.direction)
    found = []
    if options.edge_time in edge_type.columns:
        found.append(edge_type.columns["time"][edge])
    if options.node_time in graph.node_columns.get(far_type, {}):
        far = edge_type.neighbour(options.direction, edge)
        found.append(graph.node_columns[far_type]["time"][far])
    first = seed_time - options.time_window if options.time_window else float("-inf")
    last = seed_time - 1 if options.time_strict else seed_time
    return all(first <= time <= last for time in found)


def check_links(graph: Graph, options: Options, request: Request, batch: Batch) -> list[int]:
    """Also returns the times of the trees."""
    assert request.links is not None and batch.links is not None
    (edge_type,) = (t for t in graph.edge_types if t.name == request.links.edge_type)
    edges = list(zip(edge_type.source, edge_type.target))
    if request.links.ids is not None:
        wanted = [edges[e] for e in request.links.ids]
    else:
        assert request.links.pairs is not None
        wanted = list(zip(*request.links.pairs))
    sources, targets = batch.nodes[edge_type.source_type], batch.nodes[edge_type.target_type]
    arrays, negatives = batch.links[1], options.negatives
    assert batch.links[0] == edge_type.name and len(arrays.source) == len(arrays.target)
    got = [(sources.node[s], targets.node[t]) for s, t in zip(arrays.source, arrays.target)]
    assert got[: len(wanted)] == wanted
    drawn = got[len(wanted) :]
    if negatives.mode == "binary":
        most = -int(-len(wanted) * negatives.amount // 1)
        assert len(drawn) == most or (negatives.allow_short and len(drawn) < most)
        labels = request.links.labels or [1.0] * len(wanted)
        assert arrays.label == labels + [0] * len(drawn)
    else:
        assert not drawn and arrays.label == request.links.labels
    assert (arrays.negative is not None) == (negatives.mode == "triplet")
    for (source, _), row in zip(wanted, arrays.negative or []):
        assert len(row) == negatives.amount
        assert negatives.allow_short or min(row) >= 0
        drawn += [(source, targets.node[local]) for local in row if local >= 0]
    if negatives.strict:
        assert not set(drawn) & set(edges)
    for end, column in ((0, negatives.source_weight), (1, negatives.target_weight)):
        name = edge_type.target_type if end else edge_type.source_type
        for pair in drawn if column is not None else ():
            assert graph.node_columns[name]["weight"][pair[end]] > 0
    if negatives.degree_power:
        assert {target for _, target in drawn} <= set(edge_type.target)
    times: list[int] = []
    for name in dict.fromkeys((edge_type.source_type, edge_type.target_type)):
        seeds = batch.nodes[name]
        times += seeds.seed_time or []
        if seeds.batch is not None:
            assert [seeds.batch[local] for local in seeds.seed] == sorted(
                seeds.batch[local] for local in seeds.seed
            )
    if request.links.times is not None:
        assert sources.batch is not None and targets.batch is not None
        for i, time in enumerate(request.links.times):
            assert times[sources.batch[arrays.source[i]]] == time
            assert times[targets.batch[arrays.target[i]]] == time
            for local in arrays.negative[i] if arrays.negative is not None else ():
                assert times[targets.batch[local]] == time
        for i in range(len(wanted), len(arrays.source)):
            expected = request.links.times[(i - len(wanted)) % len(wanted)]
            assert times[sources.batch[arrays.source[i]]] == expected
            assert times[targets.batch[arrays.target[i]]] == expected
    return times


def check_induced(
    graph: Graph,
    options: Options,
    batch: Batch,
    excluded: dict[str, set[int]],
    times: list[int],
) -> None:
    """Every edge of the graph is there exactly for the trees that have both its ends."""
    locals_of: dict[str, dict[tuple[Any, int], int]] = {}
    for name, arrays in batch.nodes.items():
        trees: list[Any] = arrays.batch if arrays.batch is not None else [None] * len(arrays.node)
        locals_of[name] = {key: i for i, key in enumerate(zip(trees, arrays.node))}
    all_trees = {tree for keys in locals_of.values() for tree, _ in keys}
    for edge_type in graph.edge_types:
        expected = set()
        for edge, (source, target) in enumerate(zip(edge_type.source, edge_type.target)):
            for tree in all_trees if edge not in excluded[edge_type.name] else ():
                row = locals_of[edge_type.source_type].get((tree, source))
                col = locals_of[edge_type.target_type].get((tree, target))
                timely = not times or in_time(graph, options, edge_type, edge, times[tree])
                if row is not None and col is not None and timely:
                    toward = options.toward_seeds and options.direction == "out"
                    expected.add((col, row, edge) if toward else (row, col, edge))
        found = batch.edges[edge_type.name]
        assert found.edge is not None
        got = list(zip(found.row, found.col, found.edge))
        assert len(set(got)) == len(got) == found.num_sampled_edges[0]
        assert set(got) == expected


def check_both_ways(graph: Graph, options: Options, request: Request, batch: Batch) -> None:
    """Beside the batch of the picks alone: the same nodes, and every pick in both directions."""
    picked = sample(graph, replace(options, subgraph="sampled"), request)
    assert batch.nodes == picked.nodes
    by_name = {t.name: t for t in graph.edge_types}
    for name, arrays in batch.edges.items():
        pairs = list(zip(arrays.row, arrays.col))
        assert len(set(pairs)) == len(pairs) == arrays.num_sampled_edges[0]
        assert arrays.num_sampled_edges == [len(pairs)]
        near_first = options.direction == "out" and not options.toward_seeds
        order = [(row, col) if near_first else (col, row) for row, col in pairs]
        assert order == sorted(order)
        one_type = by_name[name].source_type == by_name[name].target_type
        mirrors = [pair for pair in options.reverse_types if name in pair]
        mirror = name if one_type else None
        if mirrors:
            mirror = mirrors[0][1] if mirrors[0][0] == name else mirrors[0][0]
        own = set(zip(picked.edges[name].row, picked.edges[name].col))
        other = picked.edges[mirror] if mirror is not None else None
        back = set(zip(other.col, other.row)) if other is not None else set()
        assert set(pairs) == own | back
        assert arrays.edge is not None and picked.edges[name].edge is not None
        ids = {pair: set() for pair in pairs}  # type: dict[tuple[int, int], set[int]]
        for row, col, edge in zip(
            picked.edges[name].row, picked.edges[name].col, picked.edges[name].edge or []
        ):
            ids[row, col].add(edge)
        if other is not None:
            for row, col, edge in zip(other.row, other.col, other.edge or []):
                if (col, row) not in own:
                    ids[col, row].add(edge)
        assert all(edge in ids[pair] for pair, edge in zip(pairs, arrays.edge))


def check_seeds(request: Request, batch: Batch) -> None:
    tree = 0
    for name, seeds in request.seeds:
        arrays = batch.nodes[name]
        assert [arrays.node[local] for local in arrays.seed] == seeds
        first_met = list(range(len(seeds)))
        if arrays.batch is not None:
            assert [arrays.batch[local] for local in arrays.seed] == [
                tree + i for i in range(len(seeds))
            ]
            assert arrays.seed == first_met
        else:
            assert arrays.node[: len(set(seeds))] == list(dict.fromkeys(seeds))
        tree += len(seeds)


def check_step(
    options: Options,
    batch: Batch,
    edge_type: EdgeType,
    hop: int,
    fanout: int,
    excluded: set[int],
    known: dict[str, int],
    graph: Graph,
    times: list[int],
) -> None:
    """The edges of one type and hop; `known` counts the nodes numbered so far."""
    near_type = edge_type.near_type(options.direction)
    far_type = edge_type.far_type(options.direction)
    near_nodes, far_nodes = batch.nodes[near_type], batch.nodes[far_type]
    arrays = batch.edges[edge_type.name]
    assert arrays.edge is not None
    assert len(arrays.row) == len(arrays.col) == len(arrays.edge) == sum(arrays.num_sampled_edges)
    frontier = slices(near_nodes.num_sampled_nodes)[hop]
    picked: dict[int, list[int]] = {local: [] for local in frontier}
    last: Optional[int] = None
    for place in slices(arrays.num_sampled_edges)[hop]:
        near, far, edge = arrays.col[place], arrays.row[place], arrays.edge[place]
        if options.direction == "out" and not options.toward_seeds:
            near, far = far, near
        assert last is None or last <= near
        last = near
        ends = near_nodes.node[near], far_nodes.node[far]
        if options.direction == "in":
            assert ends == (edge_type.target[edge], edge_type.source[edge])
        else:
            assert ends == (edge_type.source[edge], edge_type.target[edge])
        if near_nodes.batch is not None and far_nodes.batch is not None:
            assert near_nodes.batch[near] == far_nodes.batch[far]
        assert far <= known[far_type]
        known[far_type] += far == known[far_type]
        picked[near].append(edge)
    for near, edges in picked.items():
        row = [
            edge
            for edge in edge_type.row(options.direction, near_nodes.node[near])
            if edge not in excluded
        ]
        if near_nodes.batch is not None and options.temporal:
            seed_time = times[near_nodes.batch[near]]
            row = [e for e in row if in_time(graph, options, edge_type, e, seed_time)]
        if options.weight in edge_type.columns and fanout:
            row = [edge for edge in row if edge_type.columns["weight"][edge] > 0]
        assert set(edges) <= set(row)
        assert len(edges) == takes(len(row), fanout, options.replace)
        if options.replace == "never":
            assert len(set(edges)) == len(edges)
        if fanout == -1 or (options.replace != "always" and len(row) <= fanout):
            assert edges == row


# These have properties of their own: tests/python/test_walks.py, test_near.py, test_anchors.py,
# test_budgets.py.
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
    cases, graphs = load(name)
    for case in cases:
        if "error" not in case and not case.get("short", False):
            options, request = options_from(case["options"]), request_from(case["request"])
            check_batch(graphs[case["graph"]], options, request)


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
