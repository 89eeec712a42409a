"""Cases of sample_links.json: links as seeds, and negatives for them."""

from __future__ import annotations

from typing import Any, Optional

from cases import graphs
from cases.common import Fanouts, ids, pairs, per_type, sample
from cases.time import ASCENDING, MIXED, with_times

Json = dict[str, Any]

TO = "node__to__node"


def by_ids(edge_type: str, edges: list[int], **more: Any) -> Json:
    return {"edge_type": edge_type, "ids": edges, **more}


def by_pairs(edge_type: str, source: list[int], target: list[int], **more: Any) -> Json:
    return {"edge_type": edge_type, "source": source, "target": target, **more}


def timed_types() -> Json:
    typed = with_times(graphs.typed_ring(), None, None)
    typed["node_types"][1]["time_cycle"] = MIXED
    typed["node_types"][1]["weight_cycle"] = [1, 0, 3]
    return typed


def link_graphs() -> list[Json]:
    mesh = graphs.mesh("mesh", 120, 2000, [1, 2, 0, 4])
    mesh["node_types"][0]["weight_cycle"] = [0, 1, 2.5, 0.125, 7]
    heavy = {**mesh, "name": "no weight", "node_types": [{"name": "node", "count": 120}]}
    heavy["node_types"][0]["weight_cycle"] = [0]
    bad = {**mesh, "name": "bad weight", "node_types": [{"name": "node", "count": 120}]}
    bad["node_types"][0]["weight_cycle"] = [1, 1, -1]
    typed = {**graphs.typed_ring(), "name": "typed"}
    typed["node_types"][1]["weight_cycle"] = [1, 0, 3]
    whole = graphs.homogeneous(
        "complete",
        4,
        source=[s for s in range(4) for _ in range(4)],
        target=[t for _ in range(4) for t in range(4)],
    )
    return [
        mesh,
        heavy,
        bad,
        typed,
        whole,
        {**with_times(mesh, ASCENDING, None), "name": "timed"},
        {**with_times(mesh, None, MIXED), "name": "timed nodes"},
        {**with_times(mesh, None, ASCENDING), "name": "nodes by time"},
        {**timed_types(), "name": "timed typed"},
        graphs.odd(),
        graphs.shop(),
        graphs.csr_example(),
        graphs.bad_reverse(),
    ]


LIKES, LIKED, FOLLOWS = "user__likes__item", "item__rev_likes__user", "user__follows__user"


def reverses(add: Any) -> None:
    """Links that are left out with their reverses, in all that goes with it."""
    by_id = {"exclude_links": True, "exclude_mode": "reverse_id", "reverse_column": "reverse"}
    some, ends = by_ids(TO, [11, 2, 9, 11]), by_pairs(TO, [1, 9, 3], [2, 9, 5])
    for direction in ("in", "out"):
        for name, more in (
            ("", {}),
            (" weight", {"weight": "weight"}),
            (" replace", {"replace": "always"}),
            (" weight, above", {"weight": "weight", "replace": "above"}),
            (" disjoint", {"disjoint": True}),
            (" induced", {"subgraph": "induced"}),
            (" int32", {"int32": True}),
        ):
            options = {**by_id, "direction": direction, **more}
            negatives = {"mode": "triplet" if "weight" in more else "binary", "strict": True}
            add(f"reverse id, {direction}{name}", "odd", some, negatives, options, [3, 2])
        add(f"reverse id of pairs, {direction}", "odd", ends, None,
            {**by_id, "direction": direction}, [-1, -1])  # fmt: skip
    add("reverse id and others", "odd", some, None, {**by_id, "exclude": [ids(TO, [18])]}, [-1, -1],
        exclude=[ids(TO, [5]), pairs(TO, [3], [5])])  # fmt: skip
    add("reverse id, of others alone", "odd", some, None, {**by_id, "exclude_links": False},
        [-1, -1], exclude=[ids(TO, [18])])  # fmt: skip
    add("reverse id, one type of several", "shop", by_ids(FOLLOWS, [1, 20, 3]),
        {"mode": "binary"}, by_id, [3, 2])  # fmt: skip
    add("reverse id, a type without", "shop", by_ids(LIKES, [1, 20, 3]), None, by_id, [3, 2])
    add("reverse id out of range", "bad reverse", by_ids(TO, [1]), None, by_id, [1])
    types = {
        "exclude_links": True,
        "exclude_mode": "reverse_types",
        "reverse_types": [{"edge_type": LIKES, "reverse_type": LIKED}],
    }
    for named in (LIKES, LIKED):
        for direction in ("in", "out"):
            for name, more in (
                ("", {}),
                (" weight", {"weight": "weight", "replace": "always"}),
                (" disjoint", {"disjoint": True, "replace": "above"}),
                (" int32", {"int32": True, "subgraph": "bidirectional"}),
            ):
                options = {**types, "direction": direction, **more}
                negatives = {"mode": "triplet" if more else "binary", "amount": 2}
                add(f"reverse types: {named}, {direction}{name}", "shop", by_ids(named, [0, 33, 5]),
                    negatives, options, [3, 2])  # fmt: skip
    add("reverse types of pairs", "shop", by_pairs(LIKES, [0, 3, 11], [1, 2, 9]), None, types,
        [-1, -1])  # fmt: skip
    add("reverse types, none named", "shop", by_ids(FOLLOWS, [1, 20]), None, types, [-1, -1])
    add("reverse types and others", "shop", by_ids(LIKES, [7]), None, types, [-1, -1],
        exclude=[ids(LIKED, [1, 2, 3]), ids(FOLLOWS, [4])])  # fmt: skip


def examples(add: Any) -> None:
    """What GLT's tests ask of links."""
    strict = {"strict": True}
    ends = by_pairs(TO, [0, 3], [1, 5])
    add(
        "two links, binary", "csr example", ends, {"mode": "binary", **strict}, {"direction": "out"}
    )
    add("two links, triplet", "csr example", ends, {"mode": "triplet", **strict},
        {"direction": "out"})  # fmt: skip
    add("nine links, two targets each", "typed", by_ids("user__u2i__item", list(range(9))),
        {"mode": "triplet", "amount": 2}, {"direction": "out"}, [2, 2])  # fmt: skip


def in_time(add: Any) -> None:
    """Negatives that exist at the time of their link."""
    late, early = max(MIXED), min(MIXED)
    middle = sorted(MIXED)[len(MIXED) // 2]
    times = [late, middle, early, middle + 1, late + 100]
    some = by_ids(TO, [3, 0, 77, 1999, 5], times=times)
    by_node = {"node_time": "time"}
    for graph in ("timed nodes", "nodes by time"):
        for mode in ("binary", "triplet"):
            for name, more in (
                ("", {}),
                (" strict", {"strict": True}),
                (" degree", {"degree_power": 0.75}),
                (" weight", {"target_weight": "weight"}),
            ):
                negatives = {
                    "mode": mode,
                    "amount": 3,
                    "in_time": True,
                    "allow_short": True,
                    **more,
                }
                add(f"in time, {graph}, {mode}{name}", graph, some, negatives, by_node)
    for oldest in (False, True):
        for strict in (False, True):
            options = {**by_node, "time_strict": strict}
            name = f"{', oldest' if oldest else ''}{', strict times' if strict else ''}"
            for mode in ("binary", "triplet"):
                for more in ({}, {"target_weight": "weight"}):
                    tail = " weight" if more else ""
                    drawn = {"mode": mode, "in_time": True, "oldest": oldest, **more}
                    add(f"in time at the first, {mode}{name}{tail}", "timed nodes",
                        by_ids(TO, [3, 0, 7], times=[late, early, early - 1]), drawn, options)  # fmt: skip
                    add(f"in time, found, {mode}{name}{tail}", "timed nodes",
                        by_ids(TO, [3, 0, 7], times=[late, middle, middle]), drawn, options)  # fmt: skip
    add("in time, a window", "timed nodes", some, {"mode": "binary", "in_time": True, "oldest": True},
        {**by_node, "time_window": 2})  # fmt: skip
    add("in time, fewer than links", "timed nodes",
        by_ids(TO, [3, 0, 7], times=[late, early - 5, early - 5]),
        {"mode": "binary", "amount": 0.3, "in_time": True}, by_node)  # fmt: skip
    add("in time, none", "timed nodes", by_ids(TO, [], times=[]),
        {"mode": "binary", "in_time": True}, by_node)  # fmt: skip
    u2i, i2i = "user__u2i__item", "item__i2i__item"
    both = per_type(**{u2i: [2, 1], i2i: [1, 2]})
    for mode in ("binary", "triplet"):
        for name, more in (("", {}), (" weight", {"target_weight": "weight"})):
            drawn = {"mode": mode, "amount": 2, "in_time": True, **more}
            add(f"in time, typed {mode}{name}", "timed typed",
                by_ids(u2i, [1, 79, 3], times=[late, middle, middle]), drawn, by_node, both)  # fmt: skip
    add("in time, no times of nodes", "timed", by_ids(TO, [1], times=[5]),
        {"mode": "binary", "in_time": True}, {"edge_time": "time"})  # fmt: skip
    add("in time, no times", "mesh", by_ids(TO, [1]), {"mode": "binary", "in_time": True})
    add("in time, links without", "timed nodes", by_ids(TO, [1]),
        {"mode": "binary", "in_time": True}, by_node)  # fmt: skip
    add("the oldest of all", "timed nodes", by_ids(TO, [1], times=[late]),
        {"mode": "binary", "oldest": True}, by_node)  # fmt: skip


def links_file() -> Json:
    cases: list[Json] = []

    def add(
        name: str,
        graph: str,
        links: Json,
        negatives: Optional[Json] = None,
        options: Optional[Json] = None,
        fanouts: Optional[Fanouts] = None,
        **request: Any,
    ) -> None:
        options = {"edge_ids": True, **(options or {})}
        if negatives is not None:
            options["negatives"] = negatives
        case = sample(name, "links", graph, [], fanouts or [3, 2], options, dict(request))
        case["request"].update(seeds=[], links=links)
        cases.append(case)

    some = by_ids(TO, [3, 0, 3, 1999, 77])
    drawn = by_pairs(TO, [5, 119, 5, 0], [0, 5, 0, 118])
    add("by ids", "mesh", some)
    add("by pairs", "mesh", drawn)
    add("none", "mesh", by_ids(TO, []))
    add("none, binary", "mesh", by_ids(TO, []), {"mode": "binary"})
    add("labels", "mesh", by_ids(TO, [3, 0, 7], labels=[5, -1, 2]))
    add("out", "mesh", some, {"mode": "binary"}, {"direction": "out"})
    for strict in (False, True):
        for amount in (1, 2, 0.3, 2.5):
            name = f"binary {amount}{' strict' if strict else ''}"
            add(name, "mesh", some, {"mode": "binary", "amount": amount, "strict": strict})
        for amount in (1, 3):
            name = f"triplet {amount}{' strict' if strict else ''}"
            add(name, "mesh", drawn, {"mode": "triplet", "amount": amount, "strict": strict})
    for power in (0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2):
        add(f"degree {power}", "mesh", some, {"mode": "binary", "degree_power": power, "amount": 4})
    add("degree, triplet", "mesh", some, {"mode": "triplet", "degree_power": 0.75, "amount": 5})
    weights = {"source_weight": "weight", "target_weight": "weight"}
    add("weights", "mesh", some, {"mode": "binary", "amount": 4, **weights})
    add("weights of targets", "mesh", some,
        {"mode": "triplet", "amount": 4, "target_weight": "weight", "strict": True})  # fmt: skip
    add("disjoint", "mesh", some, {"mode": "binary", "amount": 2}, {"disjoint": True})
    add("labels, binary", "mesh", by_ids(TO, [3, 0, 7], labels=[5, -1, 2]), {"mode": "binary"})
    add("excluded", "mesh", some, {"mode": "binary"}, {"exclude_links": True}, [-1, -1])
    add("excluded pairs", "odd", by_pairs(TO, [1, 9, 4], [2, 9, 5]), None,
        {"exclude_links": True}, [-1, 2])  # fmt: skip
    add("excluded and reverse", "odd", by_pairs(TO, [1, 2], [2, 1]), None,
        {"exclude_links": True, "exclude_mode": "reverse_id", "reverse_column": "reverse"},
        [-1, -1])  # fmt: skip
    add("excluded with others", "mesh", some, None, {"exclude_links": True}, [-1],
        exclude=[ids(TO, [5, 6, 7]), pairs(TO, [1], [2])])  # fmt: skip
    add("batch", "mesh", some, {"mode": "binary"}, {"seed": "11"}, None, epoch="3", batch="9")
    u2i, i2i = "user__u2i__item", "item__i2i__item"
    both = per_type(**{u2i: [2, 1], i2i: [1, 2]})
    for mode in ("binary", "triplet"):
        for strict in (False, True):
            tail = " strict" if strict else ""
            add(f"typed {mode}{tail}", "typed", by_ids(u2i, [1, 79, 3]),
                {"mode": mode, "amount": 2, "strict": strict}, None, both)  # fmt: skip
    add("typed, disjoint", "typed", by_pairs(u2i, [0, 39], [39, 39]),
        {"mode": "binary", "amount": 2, "target_weight": "weight"}, {"disjoint": True}, both)  # fmt: skip
    add("typed, one type", "typed", by_ids(i2i, [1, 2]), {"mode": "triplet"}, None, both)
    add("typed, degree", "typed", by_ids(i2i, [1, 2]), {"mode": "binary", "degree_power": 0.75},
        None, both)  # fmt: skip
    timed = by_ids(TO, [3, 0, 7], times=[100, 250, 3])
    for mode in ("binary", "triplet"):
        add(f"times {mode}", "timed", timed, {"mode": mode, "amount": 2}, {"edge_time": "time"})
    add("induced", "mesh", some, {"mode": "binary"}, {"subgraph": "induced"}, [2])
    short = {"strict": True, "allow_short": True, "tries": 5}
    whole = by_ids(TO, [0, 5])
    add("no binary", "complete", whole, {"mode": "binary", **short})
    add("no triplets", "complete", whole, {"mode": "triplet", "amount": 2, **short})
    add("some triplets", "odd", by_pairs(TO, [5, 5, 1], [0, 1, 2]),
        {"mode": "triplet", "amount": 4, "strict": True, "allow_short": True, "tries": 1})  # fmt: skip
    add("some binary", "odd", by_pairs(TO, [5, 5, 1], [0, 1, 2]),
        {"mode": "binary", "amount": 20, "strict": True, "allow_short": True, "tries": 1})  # fmt: skip
    add("no binary, an error", "complete", whole, {"mode": "binary", "strict": True})
    add("no triplets, an error", "complete", whole, {"mode": "triplet", "strict": True})
    add("no weight", "no weight", some, {"mode": "triplet", "target_weight": "weight"})
    add("no weight, short", "no weight", some,
        {"mode": "triplet", "target_weight": "weight", "allow_short": True})  # fmt: skip
    add("bad weight", "bad weight", some, {"mode": "triplet", "target_weight": "weight"})
    for name, negatives in (
        ("no such column", {"mode": "binary", "source_weight": "none"}),
        ("negative amount", {"mode": "binary", "amount": -1}),
        ("part of a triplet", {"mode": "triplet", "amount": 1.5}),
        ("weights twice", {"mode": "binary", "degree_power": 1, "target_weight": "weight"}),
        ("odd power", {"mode": "binary", "degree_power": 0.3}),
        ("negative power", {"mode": "binary", "degree_power": -1}),
        ("sources of triplets", {"mode": "triplet", "source_weight": "weight"}),
        ("too many tries", {"mode": "binary", "tries": 4096}),
    ):
        add(name, "mesh", some, negatives)
    in_time(add)
    reverses(add)
    examples(add)
    add("edge out of range", "mesh", by_ids(TO, [2000]))
    add("source out of range", "mesh", by_pairs(TO, [120], [0]))
    add("target out of range", "mesh", by_pairs(TO, [0], [-1]))
    add("too few labels", "mesh", by_ids(TO, [1, 2], labels=[1]))
    add("too few times", "timed", by_ids(TO, [1, 2], times=[1]), None, {"edge_time": "time"})
    add("no times", "timed", by_ids(TO, [1, 2]), None, {"edge_time": "time"})
    add("times for nothing", "mesh", by_ids(TO, [1, 2], times=[1, 2]))
    return {"graphs": link_graphs(), "cases": cases}
