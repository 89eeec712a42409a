"""Cases of sample_importance.json and sample_ppr.json."""

from __future__ import annotations

from typing import Any, Optional, Union

from cases import graphs
from cases.common import ids, of, pairs, sample
from cases.walks import FOLLOWS, I2U, KNOWS, TO, U2I, ladder, two_way

Json = dict[str, Any]
Seeds = Union[list[int], list[Json]]


def undirected(name: str, count: int, ends: list[tuple[int, int]]) -> Json:
    """Each edge both ways."""
    edges = ends + [(t, s) for s, t in ends]
    source, target = [s for s, _ in edges], [t for _, t in edges]
    weight = [1.0, 0.5, 2.0, 0.0, 3.0][: len(edges)] * (len(edges) // 5 + 1)
    return graphs.homogeneous(
        name, count, source=source, target=target, weight=weight[: len(edges)]
    )


def five() -> Json:
    """The graph of GiGL's acceptance test: undirected, 5 nodes."""
    return undirected("five", 5, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4)])


def made() -> list[Json]:
    return [
        five(),
        undirected("star", 9, [(0, leaf) for leaf in range(1, 9)]),
        undirected("path", 6, [(v, v + 1) for v in range(5)]),
        graphs.mesh("mesh", 120, 900, [1, 2, 0, 4]),
        graphs.odd(),
        ladder(),
        two_way(),
        graphs.bad_weights(),
        graphs.homogeneous("chain", 3, source=[0, 1], target=[1, 2]),
        undirected("two leaves", 3, [(0, 1), (0, 2)]),
    ]


def adder(cases: list[Json], kind: str) -> Any:
    def add(
        name: str,
        graph: str,
        seeds: Seeds,
        wanted: Json,
        options: Optional[Json] = None,
        about: str = kind,
        **request: Any,
    ) -> None:
        options = {kind: wanted, **(options or {})}
        cases.append(sample(name, about, graph, seeds, [], options, request))

    return add


SOME = [3, 77, 3, 119, 0]
USERS = [of("user", [3, 0, 3, 29])]


def importance_file() -> Json:
    cases: list[Json] = []
    add = adder(cases, "importance")
    k3 = {"neighbors": 3}
    add("defaults", "mesh", SOME, k3)
    add("out", "mesh", SOME, k3, {"direction": "out"})
    add("two hops", "mesh", SOME, {**k3, "hops": 2})
    add("four hops", "mesh", SOME, {**k3, "hops": 4, "stop": 0.5})
    add("hops that find nothing new", "path", [2], {"neighbors": 9, "hops": 5, "walks": 50})
    add("all of a star", "star", [0, 4], {"neighbors": 99, "walks": 40, "traversals": 3})
    add("ties", "star", [0], {"neighbors": 4, "walks": 9, "traversals": 1})
    add("one walk of one step", "mesh", SOME, {"neighbors": 1, "walks": 1, "traversals": 1})
    add("many walks", "five", [0, 3], {"neighbors": 5, "walks": 400, "traversals": 5, "stop": 0.3})
    add("long walks", "ladder", [5], {"neighbors": 12, "walks": 3, "traversals": 300})
    add("stop", "mesh", SOME, {**k3, "stop": 0.5})
    add("stop at once", "mesh", SOME, {**k3, "stop": 1})
    add("no seeds", "mesh", [], k3)
    add("no list of seeds", "mesh", [], {**k3, "hops": 2})
    cases[-1]["request"]["seeds"] = []
    add("seed, epoch and batch", "mesh", SOME, k3, {"seed": "11"}, epoch="3", batch="9")
    add("more than a group", "mesh", list(range(120)), {**k3, "hops": 2})
    add("dead ends", "odd", list(range(12)), {**k3, "hops": 2})
    add("dead ends, out", "odd", list(range(12)), {**k3, "hops": 2}, {"direction": "out"})

    weighted = {"weight": "weight"}
    add("weights", "mesh", SOME, {**k3, "hops": 2}, weighted)
    add("weights, out", "ladder", [0, 5, 11], {**k3, "stop": 0.2}, {"direction": "out", **weighted})
    add("bad weights", "bad weights", [1], k3, weighted)
    gone = {"exclude": [ids(TO, list(range(0, 900, 3)))]}
    add("excluded", "mesh", SOME, k3, gone)
    add("excluded by both", "mesh", SOME, {**k3, "hops": 2}, gone,
        exclude=[ids(TO, list(range(1, 900, 3)))])  # fmt: skip
    add("excluded, all of a row", "star", [1], k3, {"exclude": [pairs(TO, [0], [1])]})
    add("excluded with weights", "mesh", SOME, k3, {**gone, **weighted})

    round_trip = {"neighbors": 3, "path": [I2U, U2I]}
    add("path", "two way", USERS, round_trip)
    add("path, out", "two way", USERS, {**round_trip, "path": [U2I, I2U]}, {"direction": "out"})
    add("path, three hops and stop", "two way", USERS,
        {**round_trip, "hops": 3, "traversals": 3, "stop": 0.4})  # fmt: skip
    add("path of items, weights", "two way", [of("item", [0, 7, 19])],
        {**round_trip, "path": [U2I, I2U]}, weighted)  # fmt: skip
    add("path within a type", "two way", USERS, {"neighbors": 4, "path": [FOLLOWS, KNOWS]})
    add("path, excluded", "two way", USERS, round_trip, None,
        exclude=[ids(U2I, list(range(0, 150, 2))), ids(FOLLOWS, [1])])  # fmt: skip

    add("no path", "two way", USERS, k3)
    add("broken path", "two way", USERS, {**k3, "path": [I2U, I2U]})
    add("path that ends elsewhere", "two way", USERS, {**k3, "path": [I2U]})
    add("unknown type", "two way", USERS, {**k3, "path": ["user__likes__item"]})
    add("seeds of another type", "two way", [of("item", [1])], round_trip)
    add("seed out of range", "mesh", [0, 120], k3)
    add("no such weights", "two way", USERS, {**k3, "path": [FOLLOWS, KNOWS]}, weighted)
    add("stop of 1.5", "mesh", SOME, {**k3, "stop": 1.5})
    add("too many hops", "mesh", SOME, {**k3, "hops": 256})
    add("too many traversals", "mesh", SOME, {**k3, "walks": 2**11, "traversals": 2**10})
    return {"graphs": made(), "cases": cases}


def ppr_file() -> Json:
    cases: list[Json] = []
    add = adder(cases, "ppr")
    exact = {"epsilon": 1e-6}
    for direction in ("in", "out"):
        way = {"direction": direction}
        add(f"five, {direction}", "five", [0, 3], exact, way)
        add(f"five, no top-up, {direction}", "five", [0, 3], {**exact, "top_up": False}, way)
        add(f"mesh, {direction}", "mesh", SOME, {}, way)
        add(f"row limit, {direction}", "mesh", SOME, {"row_limit": 3}, way)
        add(f"dead ends and parallel edges, {direction}", "odd", list(range(12)), {}, way)
        add(f"types, {direction}", "two way", USERS, {"neighbors": 7}, way)
        add(f"types, no top-up, {direction}", "two way", USERS, {"top_up": False}, way)
        add(
            f"types, of items, {direction}", "two way", [of("item", [4, 3])], {"epsilon": 1e-2}, way
        )
    add("coarse", "mesh", SOME, {"epsilon": 1})
    add("coarse, no top-up", "mesh", SOME, {"epsilon": 1, "top_up": False})
    add("few of many", "mesh", SOME, {"neighbors": 4})
    add("few of many, no top-up", "mesh", SOME, {"neighbors": 4, "top_up": False})
    add("one", "mesh", SOME, {"neighbors": 1})
    for alpha in (0.05, 0.15, 0.9, 1):
        add(f"alpha {alpha}", "mesh", SOME, {"alpha": alpha, "neighbors": 20})
    add("star, from its middle", "star", [0], {})
    add("star, from a leaf", "star", [5], {"neighbors": 3})
    add("path", "path", [0, 5, 2], {"alpha": 0.2, "epsilon": 1e-3})
    add("ladder", "ladder", [0, 5, 11], {"alpha": 0.1, "epsilon": 1e-7})
    add("few edges", "mesh", SOME, {"alpha": 0.1, "epsilon": 1e-6, "max_edges": 50})
    add("one edge", "mesh", SOME, {"max_edges": 1, "top_up": False})
    add("no seeds", "mesh", [], {})
    add("no list of seeds", "two way", [], {})
    cases[-1]["request"]["seeds"] = []
    add("all seeds", "mesh", list(range(120)), {"neighbors": 3, "epsilon": 1e-2})
    add("row limit, another batch", "mesh", SOME, {"row_limit": 3}, {"seed": "5"}, epoch="1",
        batch="2")  # fmt: skip
    add("row limit of types", "two way", USERS, {"row_limit": 2, "neighbors": 9})
    add("one edge type", "two way", USERS, {"edge_types": [FOLLOWS]})
    add("two edge types", "two way", USERS, {"edge_types": [U2I, I2U], "neighbors": 5})
    add("edge types that leave from elsewhere", "two way", USERS, {"edge_types": [U2I]})
    gone = {"exclude": [ids(TO, list(range(0, 900, 3)))]}
    add("excluded", "mesh", SOME, {}, gone)
    add("excluded by both", "mesh", SOME, {"row_limit": 2}, gone,
        exclude=[ids(TO, list(range(1, 900, 3)))])  # fmt: skip
    add("excluded, all of a row", "star", [1], {}, {"exclude": [pairs(TO, [0], [1])]})
    add("excluded, types", "two way", USERS, {}, None,
        exclude=[ids(I2U, list(range(0, 150, 2))), ids(FOLLOWS, [1])])  # fmt: skip

    add("seeds of two types", "two way", [of("user", [1]), of("item", [1])], {})
    add("seed out of range", "mesh", [0, 120], {})
    add("unknown type", "two way", USERS, {"edge_types": ["user__likes__item"]})
    add("a type twice", "two way", USERS, {"edge_types": [FOLLOWS, FOLLOWS]})
    add("alpha of 2", "mesh", SOME, {"alpha": 2})
    add("alpha too small", "mesh", SOME, {"alpha": 1e-7})
    add("epsilon of 2", "mesh", SOME, {"epsilon": 2})
    add("epsilon too small", "mesh", SOME, {"epsilon": 1e-13})
    add("weights", "mesh", SOME, {}, {"weight": "weight"})

    out = {"direction": "out"}
    add(
        "one edge, then one",
        "chain",
        [0],
        {"top_up": False},
        out,
        "GiGL: (1 - alpha) alpha and so on",
    )
    add(
        "two leaves, not pushed",
        "two leaves",
        [0],
        {"epsilon": 1},
        out,
        "GiGL: (1 - alpha) alpha / 2",
    )
    add("at most one", "two leaves", [0], {"epsilon": 1, "neighbors": 1}, out, "GiGL: a cap")
    return {"graphs": made(), "cases": cases}
