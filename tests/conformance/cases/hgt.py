"""Cases of sample_hgt.json."""

from __future__ import annotations

from typing import Any, Optional, Union

from cases import graphs
from cases.common import ids, of, pairs, sample
from cases.importance import SOME, USERS, undirected
from cases.walks import FOLLOWS, I2U, TO, U2I, two_way

Json = dict[str, Any]
Seeds = Union[list[int], list[Json]]


def made() -> list[Json]:
    return [
        undirected("star", 90, [(0, leaf) for leaf in range(1, 90)]),
        graphs.mesh("mesh", 120, 900, [1, 2, 0, 4]),
        graphs.mesh("dense", 60, 6000, [1]),
        graphs.odd(),
        graphs.paired(),
        graphs.islands(),
        two_way(),
    ]


def counts(**per_type: list[int]) -> list[Json]:
    return [{"node_type": name, "per_hop": per_hop} for name, per_hop in per_type.items()]


def of_all(*per_hop: int) -> list[Json]:
    return [{"node_type": None, "per_hop": list(per_hop)}]


def hgt_file() -> Json:
    cases: list[Json] = []

    def add(
        name: str,
        graph: str,
        seeds: Seeds,
        samples: list[Json],
        options: Optional[Json] = None,
        about: str = "budgets",
        most: Optional[int] = None,
        **request: Any,
    ) -> None:
        wanted: Json = {"samples": samples}
        if most is not None:
            wanted["most_neighbors"] = most
        options = {"hgt": wanted, "edge_ids": True, **(options or {})}
        cases.append(sample(name, about, graph, seeds, [], options, request))

    out, induced = {"direction": "out"}, {"subgraph": "induced"}
    for way, given in (("in", {}), ("out", out)):
        add(f"one hop, {way}", "mesh", SOME, of_all(5), given)
        add(f"three hops, {way}", "mesh", SOME, of_all(5, 9, 2), given)
        add(f"types, {way}", "two way", USERS, of_all(4, 3), given)
        add(f"odd, {way}", "odd", [5, 9, 0, 10], of_all(3, 3, 3), given)
        add(f"long rows, {way}", "dense", [3, 17], of_all(10, 10), given)
        add(f"long rows, induced, {way}", "dense", [3, 17], of_all(10, 10), {**given, **induced})
        add(f"star, {way}", "star", [0], of_all(20, 5), given)
    add("no edge ids", "mesh", SOME, of_all(5, 5), {"edge_ids": False})
    add("more than there are", "mesh", [3], of_all(100, 100))
    add("all", "mesh", [3], of_all(-1, -1))
    add("all, of a graph of types", "two way", USERS, of_all(-1))
    add("none in the first hop", "mesh", SOME, of_all(0, 7))
    add("none at all", "mesh", SOME, of_all(0))
    add("as many as there are", "star", [0], of_all(50))
    add("one less", "star", [0], of_all(49))
    add("all but few", "star", [0], of_all(45), most=60)
    add("own counts", "two way", USERS, counts(user=[2, 6], tag=[1, 1], item=[5, 0]))
    add("own counts and others", "two way", USERS, counts(item=[5, 1]) + of_all(2, 2))
    add("seeds of two types", "two way", [of("item", [3, 4, 3]), of("user", [1])], of_all(3, 3))
    add("from a type to another", "paired", [of("item", [1, 2])], of_all(2, 3, 1))
    add("islands", "islands", [of("a", [0, 2])], of_all(2, 2))
    add("few neighbours", "mesh", SOME, of_all(5, 5), most=2)
    add("one neighbour", "dense", [3, 17, 0], of_all(9, 9), most=1)
    add("few neighbours, induced", "mesh", SOME, of_all(5, 5), induced, most=2)
    add("few neighbours, types", "two way", USERS, of_all(6, 6), most=2)
    add("many neighbours", "dense", [3, 17], of_all(10, 10), most=2**28)
    add("hubs", "star", [0, 5], of_all(6, 6), most=7)
    add("seed, epoch and batch", "mesh", SOME, of_all(5, 5), {"seed": "11"}, epoch="3", batch="9")
    add("another batch", "mesh", SOME, of_all(5, 5), {"seed": "11"}, epoch="3", batch="10")
    add("large numbers", "mesh", SOME, of_all(5, 5), {"seed": str(2**64 - 1)}, epoch=str(2**63),
        batch=str(2**40 + 1))  # fmt: skip
    add("no seeds", "mesh", [], of_all(5))
    add("no list of seeds", "two way", [], of_all(5, 5))
    cases[-1]["request"]["seeds"] = []
    add("all seeds", "mesh", list(range(120)), of_all(5))
    gone = {"exclude": [ids(TO, list(range(0, 900, 3)))]}
    add("excluded", "mesh", SOME, of_all(5, 5), gone)
    add("excluded by both", "mesh", SOME, of_all(5, 5), gone,
        exclude=[ids(TO, list(range(1, 900, 3)))])  # fmt: skip
    add("excluded from long rows", "dense", [3, 17], of_all(10, 10),
        {"exclude": [ids(TO, list(range(0, 6000, 2)))]}, most=20)  # fmt: skip
    add("excluded, all of a row", "star", [1], of_all(5), {"exclude": [pairs(TO, [0], [1])]})
    add("excluded, types", "two way", USERS, of_all(5, 5), None,
        exclude=[ids(U2I, list(range(0, 150, 2))), ids(I2U, [1]), ids(FOLLOWS, [1])])  # fmt: skip

    add("no samples", "mesh", SOME, [])
    add("unknown type", "two way", USERS, counts(person=[1]))
    add("a type without", "two way", USERS, counts(user=[1], item=[1]))
    add("other hops", "two way", USERS, counts(user=[1, 2]) + of_all(1))
    add("no hops", "mesh", SOME, of_all())
    add("too many hops", "mesh", SOME, of_all(*[1] * 256))
    add("minus two", "mesh", SOME, of_all(-2))
    add("too many", "mesh", SOME, of_all(2**28 + 1))
    add("too many neighbours", "mesh", SOME, of_all(1), most=2**28 + 1)
    add("weights", "mesh", SOME, of_all(1), {"weight": "weight"})
    add("seed out of range", "mesh", [0, 120], of_all(1))
    return {"graphs": made(), "cases": cases}
