"""Cases of sample_time.json, sample_induced.json and sample_bidirectional.json."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from cases import graphs
from cases.common import Fanouts, ids, of, pairs, per_type, sample

Json = dict[str, Any]

ASCENDING = list(range(0, 400))
MIXED = [5, 1, 9, 9, 0, 3, -7, 4, 8, 2, 6]
FAR = [2**52, -(2**52), 0]


def timed(node_type: str, seeds: Sequence[int], times: Sequence[int]) -> Json:
    return {**of(node_type, seeds), "times": list(times)}


def with_times(graph: Json, edges: Optional[list[int]], nodes: Optional[list[int]]) -> Json:
    graph = {key: [dict(one) for one in value] if isinstance(value, list) else value
             for key, value in graph.items()}  # fmt: skip
    for edge_type in graph["edge_types"]:
        if edges is not None:
            edge_type["time_cycle"] = edges
    for node_type in graph["node_types"]:
        if nodes is not None:
            node_type["time_cycle"] = nodes
    return graph


def time_graphs() -> list[Json]:
    typed = with_times(graphs.typed_ring(), None, None)
    typed["edge_types"][0]["time_cycle"] = MIXED
    typed["node_types"][1]["time_cycle"] = ASCENDING
    mesh = graphs.mesh("mesh", 120, 2000, [1, 2, 0, 4])
    return [
        {**with_times(mesh, ASCENDING, None), "name": "ascending"},
        {**with_times(mesh, MIXED, MIXED[::-1]), "name": "mixed"},
        {**with_times(mesh, FAR, None), "name": "far"},
        {**with_times(mesh, None, ASCENDING), "name": "nodes"},
        {**typed, "name": "typed"},
        {**graphs.ring("plain", 10)},
    ]


def time_file() -> Json:
    cases: list[Json] = []
    seeds = [timed("node", [3, 0, 3, 77, 119], [100, 250, 4, 0, 399])]
    small = [timed("node", [3, 0, 3, 77, 119], [5, 9, 3, -7, 4])]

    def add(
        name: str, graph: str, at: list[Json], options: Json, fanouts: Optional[Fanouts] = None
    ) -> None:
        case = sample(name, "times", graph, at, fanouts or [4, 3], {"edge_ids": True, **options})
        cases.append(case)

    for graph, at in (("ascending", seeds), ("mixed", small)):
        for direction in ("in", "out"):
            for strategy in ("uniform", "last"):
                for strict in (False, True):
                    options: Json = {"edge_time": "time", "direction": direction}
                    if strategy == "last":
                        options["time_strategy"] = strategy
                    if strict:
                        options["time_strict"] = True
                    tail = " strict" if strict else ""
                    add(f"{graph} {direction} {strategy}{tail}", graph, at, options)
    for window in (1, 3, 50):
        for graph, at in (("ascending", seeds), ("mixed", small)):
            options = {"edge_time": "time", "time_window": window}
            add(f"{graph} window {window}", graph, at, options)
            options = {"edge_time": "time", "time_window": window, "time_strategy": "last"}
            add(f"{graph} window {window} last", graph, at, options)
    for strategy in ("uniform", "last"):
        add(f"nodes {strategy}", "nodes", [timed("node", [3, 0, 77], [60, 30, 119])],
            {"node_time": "time", "time_strategy": strategy})  # fmt: skip
        add(f"nodes and edges {strategy}", "mixed", small,
            {"node_time": "time", "edge_time": "time", "time_strategy": strategy})  # fmt: skip
    add("weights", "mixed", small, {"edge_time": "time", "weight": "weight"})
    add("weights ascending", "ascending", seeds, {"edge_time": "time", "weight": "weight"})
    for replace in ("above", "always"):
        for graph, at in (("ascending", seeds), ("mixed", small)):
            add(f"{graph} {replace}", graph, at, {"edge_time": "time", "replace": replace})
    add("all", "mixed", small, {"edge_time": "time"}, [-1, -1])
    add("all last", "mixed", small, {"edge_time": "time", "time_strategy": "last"}, [-1, 1])
    for graph, at in (("ascending", seeds), ("mixed", small)):
        excluded = {"edge_time": "time", "exclude": [ids("node__to__node", range(0, 2000, 3))]}
        add(f"{graph} excluded", graph, at, excluded)
        add(f"{graph} excluded last", graph, at, {**excluded, "time_strategy": "last"})
    extremes = [timed("node", [5, 5, 5], [-(2**52), 2**52, 0])]
    add("extremes", "far", extremes, {"edge_time": "time"})
    add("extremes window", "far", extremes, {"edge_time": "time", "time_window": 2**52})
    for options in (
        {"edge_time": "time", "node_time": "time"},
        {"edge_time": "time", "time_strategy": "last"},
        {"node_time": "time", "direction": "out"},
    ):
        at = [timed("item", [1, 2, 30], [4, 4, 9]), timed("user", [0, 1], [3, 8])]
        add(f"typed {options}", "typed", at, options, per_type(user__u2i__item=[2, 1],
            item__i2i__item=[1, 2]))  # fmt: skip
    add("no times", "ascending", [of("node", [1, 2])], {"edge_time": "time"})
    add("times for nothing", "ascending", seeds, {})
    add("too few times", "ascending", [timed("node", [1, 2], [3])], {"edge_time": "time"})
    add("no such edge column", "nodes", seeds, {"edge_time": "time"})
    add("no such node column", "ascending", seeds, {"node_time": "time"})
    add("negative window", "ascending", seeds, {"edge_time": "time", "time_window": -1})
    add("window without times", "plain", [of("node", [1])], {"time_window": 1})
    add("strict without times", "plain", [of("node", [1])], {"time_strict": True})
    add("last without times", "plain", [of("node", [1])], {"time_strategy": "last"})
    add("last and weights", "ascending", seeds,
        {"edge_time": "time", "time_strategy": "last", "weight": "weight"})  # fmt: skip
    add("last and replacement", "ascending", seeds,
        {"edge_time": "time", "time_strategy": "last", "replace": "above"})  # fmt: skip
    return {"graphs": time_graphs(), "cases": cases}


def bidirectional_file() -> Json:
    cases: list[Json] = []

    def add(
        name: str,
        graph: str,
        seeds: Any,
        fanouts: Fanouts,
        options: Optional[Json] = None,
        request: Optional[Json] = None,
    ) -> None:
        options = {"edge_ids": True, "subgraph": "bidirectional", **(options or {})}
        cases.append(sample(name, "edges both ways", graph, seeds, fanouts, options, request))

    add("all edges", "odd", list(range(12)), [-1])
    add("no seeds", "odd", [of("node", [])], [2])
    for direction in ("in", "out"):
        for disjoint in (False, True):
            options: Json = {"direction": direction}
            if disjoint:
                options["disjoint"] = True
            tail = " disjoint" if disjoint else ""
            add(f"two hops {direction}{tail}", "mesh", [3, 0, 3, 77], [3, 2], options)
    add("toward seeds", "mesh", [3, 0], [3, 2], {"direction": "out", "toward_seeds": True})
    add("int32", "mesh", [3, 0], [3, 2], {"int32": True})
    add("no edge ids", "mesh", [3, 0], [3, 2], {"edge_ids": False})
    add("replaced", "mesh", [3, 0], [40], {"replace": "always"})
    add("excluded", "mesh", [3, 0, 77], [4],
        {"exclude": [ids("node__to__node", range(0, 2000, 2))]})  # fmt: skip
    add("times", "timed", [timed("node", [3, 0, 3], [100, 250, 4])], [3, 2],
        {"edge_time": "time"})  # fmt: skip
    some = [of("item", [1, 2, 30]), of("user", [0, 1])]
    add("a type without a mirror", "typed", some, [2, 2])
    both = {
        "reverse_types": [
            {"edge_type": "user__likes__item", "reverse_type": "item__liked_by__user"}
        ]
    }
    seeds = [of("item", [1, 2, 3]), of("user", [0, 1])]
    for direction in ("in", "out"):
        add(f"pairs {direction}", "paired", seeds, [2, 2], {**both, "direction": direction})
    add("one of a pair is not followed", "paired", seeds, per_type(
        user__likes__item=[2, 2], item__liked_by__user=[0, 0]), both)  # fmt: skip
    add("pairs that join other types", "typed", some, [2],
        {"reverse_types": [
            {"edge_type": "item__i2i__item", "reverse_type": "user__u2i__item"}
        ]})  # fmt: skip
    mesh = graphs.mesh("mesh", 120, 2000, [1, 2, 0, 4])
    return {
        "graphs": [
            graphs.odd(),
            mesh,
            {**graphs.typed_ring(), "name": "typed"},
            {**with_times(mesh, ASCENDING, None), "name": "timed"},
            graphs.paired(),
        ],
        "cases": cases,
    }


def induced_file() -> Json:
    cases: list[Json] = []

    def add(
        name: str,
        graph: str,
        seeds: Any,
        fanouts: Fanouts,
        options: Optional[Json] = None,
        request: Optional[Json] = None,
    ) -> None:
        options = {"edge_ids": True, "subgraph": "induced", **(options or {})}
        cases.append(sample(name, "induced subgraph", graph, seeds, fanouts, options, request))

    add("seeds only", "odd", [5, 9, 2, 1, 5], [])
    add("seeds only out", "odd", [5, 9, 2, 1, 5], [], {"direction": "out"})
    add("all nodes", "odd", list(range(12)), [])
    add("no seeds", "odd", [of("node", [])], [])
    for direction in ("in", "out"):
        for disjoint in (False, True):
            options: Json = {"direction": direction}
            if disjoint:
                options["disjoint"] = True
            tail = " disjoint" if disjoint else ""
            add(f"two hops {direction}{tail}", "mesh", [3, 0, 3, 77], [3, 2], options)
    add("toward seeds", "mesh", [3, 0], [3], {"direction": "out", "toward_seeds": True})
    add("int32", "mesh", [3, 0], [3], {"int32": True})
    add("no edge ids", "mesh", [3, 0], [3, 2], {"edge_ids": False})
    add("zero fanout", "mesh", [3, 0, 5, 8], [0])
    add("weights", "mesh", [3, 0], [3, 2], {"weight": "weight"})
    add("excluded", "mesh", [3, 0, 77], [4],
        {"exclude": [ids("node__to__node", range(0, 2000, 2))]},
        {"exclude": [pairs("node__to__node", [0, 3], [3, 0])]})  # fmt: skip
    add("typed", "typed", [of("item", [1, 2, 30]), of("user", [0, 1])], [2, 1])
    add("typed, one of them not followed", "typed", [of("item", [4, 5])],
        per_type(user__u2i__item=[0], item__i2i__item=[2]))  # fmt: skip
    add("typed, seeds only", "typed", [of("item", [4, 5, 6]), of("user", [3, 4])], [])
    add("times", "timed", [timed("node", [3, 0, 3], [100, 250, 4])], [3, 2],
        {"edge_time": "time"})  # fmt: skip
    add("times, seeds only", "timed", [timed("node", [3], [100])], [], {"edge_time": "time"})
    mesh = graphs.mesh("mesh", 120, 2000, [1, 2, 0, 4])
    return {
        "graphs": [
            graphs.odd(),
            mesh,
            {**graphs.typed_ring(), "name": "typed"},
            {**with_times(mesh, ASCENDING, None), "name": "timed"},
        ],
        "cases": cases,
    }
