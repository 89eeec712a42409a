"""Cases of sample_walks.json: random walks."""

from __future__ import annotations

from typing import Any, Optional, Union

from cases import graphs
from cases.common import ids, of, pairs, sample

Json = dict[str, Any]

TO = "node__to__node"
U2I, I2U = "user__u2i__item", "item__i2u__user"
FOLLOWS, KNOWS = "user__follows__user", "user__knows__user"


def ladder() -> Json:
    """Edges both ways between neighbours, so that a second-order step often is refused."""
    count = 12
    ends = [(v, v + 1) for v in range(count - 1)] + [(0, 2), (2, 4), (9, 11)]
    edges = ends + [(t, s) for s, t in ends]
    source, target = [s for s, _ in edges], [t for _, t in edges]
    return graphs.homogeneous(
        "ladder",
        count,
        source=source,
        target=target,
        weight=[1, 2, 0.5, 4] * (len(edges) // 4),
        reverse=graphs.reverse_of(source, target),
    )


def two_way() -> Json:
    """Users and items with edges both ways, two relations among users, and a type nobody reaches."""

    def rule(seed: int, edges: int, sources: int, targets: int) -> Json:
        return {
            "rule": "random",
            "seed": str(seed),
            "edges": edges,
            "sources": sources,
            "targets": targets,
        }

    return {
        "name": "two way",
        "node_types": [
            {"name": "user", "count": 30},
            {"name": "tag", "count": 2},
            {"name": "item", "count": 20},
        ],
        "edge_types": [
            {"name": U2I, "generator": rule(7, 150, 30, 20), "weight_cycle": [1, 0, 3]},
            {"name": FOLLOWS, "generator": rule(8, 90, 30, 30)},
            {"name": I2U, "generator": rule(9, 150, 20, 30)},
            {"name": KNOWS, "generator": rule(10, 60, 30, 30)},
            {"name": "item__has__tag", "source": [3, 4], "target": [0, 1]},
        ],
    }


def heavy() -> Json:
    """Two edges into node 1: the lighter, times 1e300, is more than a float64 holds."""
    weight = [1, 1e10, 3.4028234663852886e38]
    return graphs.homogeneous("heavy", 3, source=[1, 0, 2], target=[0, 1, 1], weight=weight)


def walks_file() -> Json:
    cases: list[Json] = []

    def add(
        name: str,
        graph: str,
        seeds: Union[list[int], list[Json]],
        walk: Json,
        options: Optional[Json] = None,
        about: str = "walks",
        **request: Any,
    ) -> None:
        options = {"edge_ids": True, "walk": walk, **(options or {})}
        cases.append(sample(name, about, graph, seeds, [], options, request))

    some = [3, 77, 3, 119, 0]
    add("uniform", "mesh", some, {"length": 6})
    add("no edge ids", "mesh", some, {"length": 6}, {"edge_ids": False})
    add("out", "mesh", some, {"length": 6}, {"direction": "out"})
    add("one step", "mesh", some, {"length": 1})
    add("several of a seed", "mesh", some, {"length": 4, "walks": 3})
    add("no seeds", "mesh", [], {"length": 4})
    add("no list of seeds", "mesh", [], {"length": 4, "walks": 2})
    cases[-1]["request"]["seeds"] = []
    add("seed, epoch and batch", "mesh", some, {"length": 4}, {"seed": "11"}, epoch="3", batch="9")
    add("more than a group", "mesh", list(range(120)), {"length": 5, "walks": 3, "stop": 0.1})
    add("more than 256 steps", "ladder", [5], {"length": 600})
    add("dead ends", "odd", list(range(12)), {"length": 8}, about="rows without edges")
    add("dead ends, out", "odd", list(range(12)), {"length": 8}, {"direction": "out"})
    add("stop", "mesh", some, {"length": 12, "walks": 2, "stop": 0.3})
    add("stop at once", "mesh", some, {"length": 5, "stop": 1})
    add("restart", "mesh", some, {"length": 12, "walks": 2, "restart": 0.3})
    add("restart always", "mesh", some, {"length": 3, "restart": 1})
    add("restart and stop", "mesh", some, {"length": 12, "restart": 0.3, "stop": 0.1})
    add("restart, dead ends", "odd", list(range(12)), {"length": 8, "restart": 0.4})

    weighted = {"weight": "weight"}
    for direction in ("in", "out"):
        both = {"direction": direction, **weighted}
        add(f"weights, {direction}", "mesh", some, {"length": 8, "walks": 2}, both)
        add(f"rows of zero weights, {direction}", "odd", list(range(12)), {"length": 8}, both)
    add("bad weights", "bad weights", [1], {"length": 2}, weighted)
    add("weights not looked at", "bad weights", [4], {"length": 3}, weighted)

    for direction in ("in", "out"):
        for p, q in ((0.25, 1), (1, 0.25), (4, 0.5), (0.5, 2), (1, 8), (100, 100)):
            walk = {"length": 10, "walks": 2, "p": p, "q": q}
            add(f"p {p} q {q}, {direction}", "ladder", [0, 5, 11], walk, {"direction": direction})
        walk = {"length": 10, "walks": 2, "p": 2, "q": 0.5}
        both = {"direction": direction, **weighted}
        add(f"p and q with weights, {direction}", "ladder", [0, 5, 11], walk, both)
        add(f"p and q, parallel edges, {direction}", "odd", list(range(12)), walk,
            {"direction": direction})  # fmt: skip
        add(f"p and q on a mesh, {direction}", "mesh", some, walk, {"direction": direction})
    never = {"length": 12, "p": 1e9, "q": 1e9, "walks": 2}
    add("picked exactly", "ladder", [0, 5, 11], never, about="64 tries are refused")
    add("picked exactly with weights", "ladder", [0, 5, 11], never, weighted)
    add("picked exactly, excluded", "ladder", [0, 5, 11], never,
        {"exclude": [ids(TO, [1, 6, 9, 12, 15, 20])]})  # fmt: skip
    add("restart is of the first order", "ladder", [0, 5, 11],
        {"length": 12, "restart": 0.3, "p": 100, "q": 0.1})  # fmt: skip
    add("weights too large", "heavy", [0], {"length": 4, "p": 1e-300}, weighted)

    gone = {"exclude": [ids(TO, list(range(0, 2000, 3)))]}
    add("excluded", "mesh", some, {"length": 8}, gone)
    add("excluded, all of a row", "ladder", [0], {"length": 8},
        {"exclude": [pairs(TO, [1, 2], [0, 0])]})  # fmt: skip
    add("excluded by the request", "mesh", some, {"length": 8}, None,
        exclude=[ids(TO, list(range(1, 2000, 3)))])  # fmt: skip
    add("excluded by both", "mesh", some, {"length": 8}, {**gone, "direction": "out"},
        exclude=[ids(TO, list(range(1, 2000, 3)))])  # fmt: skip
    add("excluded and reverse", "ladder", [0, 5, 11], {"length": 8},
        {"exclude": [ids(TO, [3, 8])], "exclude_mode": "reverse_id", "reverse_column": "reverse"})  # fmt: skip
    add("excluded with weights", "mesh", some, {"length": 8}, {**gone, **weighted})
    add("excluded edges link nothing", "ladder", [0, 5, 11],
        {"length": 12, "walks": 3, "q": 8, "p": 2},
        {"exclude": [ids(TO, [11, 12, 13, 25])]})  # fmt: skip
    add("excluded, p, q and weights", "odd", list(range(12)),
        {"length": 8, "p": 0.5, "q": 4}, {"exclude": [ids(TO, [1, 7, 16])], **weighted})  # fmt: skip

    users = [of("user", [3, 0, 3, 29])]
    there_and_back = {"path": [I2U, U2I]}
    add("path", "two way", users, there_and_back)
    add("path, out", "two way", users, {"path": [U2I, I2U]}, {"direction": "out"})
    add("path over and over", "two way", users, {**there_and_back, "length": 7, "walks": 2})
    add("part of a path", "two way", users, {**there_and_back, "length": 1})
    add("path that ends elsewhere", "two way", users, {"path": [FOLLOWS, I2U]})
    add("path with weights", "two way", [of("item", [0, 7, 19])],
        {"path": [U2I, I2U], "length": 6}, weighted)  # fmt: skip
    among = {"path": [FOLLOWS, KNOWS, FOLLOWS], "length": 8}
    add("path within a type", "two way", users, among)
    add("path and restart", "two way", users, {**among, "restart": 0.3, "walks": 2})
    add("path and stop", "two way", users, {**there_and_back, "length": 8, "stop": 0.2})
    add("path of one type, p and q", "two way", users,
        {"path": [KNOWS, KNOWS], "length": 8, "p": 0.5, "q": 2})  # fmt: skip
    add("path, excluded", "two way", users, {**there_and_back, "length": 6}, None,
        exclude=[ids(U2I, list(range(0, 150, 2))), ids(FOLLOWS, [1])])  # fmt: skip

    induced = {"subgraph": "induced"}
    add("induced", "mesh", some, {"length": 6, "walks": 2}, induced)
    add("induced, out, no edge ids", "mesh", some, {"length": 6},
        {**induced, "direction": "out", "edge_ids": False})  # fmt: skip
    add("induced, parallel edges and dead ends", "odd", list(range(12)), {"length": 8}, induced)
    add("induced, weights and bias", "ladder", [0, 5, 11], {"length": 10, "p": 2, "q": 0.5},
        {**induced, **weighted})  # fmt: skip
    add("induced, excluded", "mesh", some, {"length": 8}, {**induced, **gone},
        exclude=[ids(TO, list(range(1, 2000, 3)))])  # fmt: skip
    add("induced, several types", "two way", users, {**there_and_back, "length": 6}, induced)
    add("induced, no seeds", "mesh", [], {"length": 4}, induced)
    add("induced, no weights of what is not walked", "bad weights", [4], {"length": 3},
        {**induced, **weighted})  # fmt: skip

    add("no path", "two way", users, {"length": 3})
    add("no length", "mesh", some, {"walks": 3})
    add("broken path", "two way", users, {"path": [I2U, I2U]})
    add("path the other way", "two way", users, there_and_back, {"direction": "out"})
    add("path that cannot begin again", "two way", users, {"path": [FOLLOWS, I2U], "length": 3})
    add("unknown type", "two way", users, {"path": ["user__likes__item"]})
    add("restart and several types", "two way", users, {**there_and_back, "restart": 0.1})
    add("p and several types", "two way", users, {**there_and_back, "p": 2})
    add("q and several relations", "two way", users, {**among, "q": 2})
    add("seeds of another type", "two way", [of("item", [1])], there_and_back)
    add("seeds of two types", "two way", [of("user", [1]), of("item", [1])], there_and_back)
    add("seed out of range", "mesh", [0, 120], {"length": 3})
    add("no such weights", "two way", users, among, weighted)
    for name, value in (("p", -1), ("q", -0.5), ("restart", -0.1), ("stop", 1.5)):
        add(f"{name} is {value}", "mesh", some, {"length": 3, name: value})
    add("too long", "mesh", some, {"length": 2**20 + 1})
    add("too many", "mesh", some, {"length": 1, "walks": 2**20 + 1})

    mesh = graphs.mesh("mesh", 120, 2000, [1, 2, 0, 4])
    made = [mesh, graphs.odd(), ladder(), two_way(), graphs.bad_weights(), heavy()]
    return {"graphs": made, "cases": cases}
