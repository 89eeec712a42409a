"""Cases of sample_labor.json: neighbours picked by layer."""

from __future__ import annotations

from typing import Any, Optional

from cases import graphs
from cases.common import Fanouts, ids, of, pairs, sample
from cases.time import ASCENDING, MIXED, timed, with_times
from cases.types import HAS, exclusions

Json = dict[str, Any]

BIG = 2**32


class _Cases:
    def __init__(self) -> None:
        self.cases: list[Json] = []

    def add(
        self,
        name: str,
        graph: str,
        seeds: Any,
        fanouts: Fanouts,
        options: Optional[Json] = None,
        request: Optional[Json] = None,
    ) -> None:
        options = {"pick": "layer", "edge_ids": True, **(options or {})}
        self.cases.append(sample(name, "by layer", graph, seeds, fanouts, options, request))


def _rows(to: _Cases) -> None:
    for k in (1, 2, 5, 8, 10, 15, 25, 40, 63, 64, 65, 100):
        to.add(f"around {k}", "triangle 220", [k - 1, k, k + 1, k + 2, 2 * k + 3, 219], [k])
    to.add("all, and none", "triangle 220", [50, 51], [-1, 0])
    to.add("all, then three", "odd", [5, 9], [-1, 3])
    for k in (1, 3, 6):
        to.add(f"parallel edges {k}", "odd", list(range(12)), [k])
        to.add(f"parallel edges {k} weight", "odd", list(range(12)), [k], {"weight": "weight"})
    for k in (2, 300):
        to.add(f"a long row {k}", "star 70000 target", [0], [k], {"edge_ids": False})
    to.add("a long row, weights", "star 3000 target weights", [0, 7], [12], {"weight": "weight"})
    to.add("weights that are errors, not met", "bad weights", [4], [1], {"weight": "weight"})
    for seed, what in ((1, "negative"), (2, "nan"), (3, "infinite")):
        to.add(f"a weight that is {what}", "bad weights", [seed], [1], {"weight": "weight"})


def _hops(to: _Cases) -> None:
    seeds = [3, 0, 3, 77, 119]
    for direction in ("in", "out"):
        for extra in (
            {},
            {"disjoint": True},
            {"weight": "weight"},
            {"weight": "weight", "disjoint": True},
            {"layer_dependent": True},
            {"batch_dependency": 3},
            {"batch_dependency": 3, "layer_dependent": True, "weight": "weight", "disjoint": True},
        ):
            name = " ".join([direction, *sorted(extra)])
            to.add(name, "mesh", seeds, [4, 3], {"direction": direction, **extra}, {"batch": "4"})
    to.add("toward seeds", "mesh", seeds, [4], {"direction": "out", "toward_seeds": True})
    to.add("int32, no edge ids", "mesh", seeds, [4, 3], {"int32": True, "edge_ids": False})
    to.add("induced", "mesh", seeds, [4, 3], {"subgraph": "induced"})
    excluded = {"exclude": [ids("node__to__node", range(0, 2000, 3))]}
    this = {"exclude": [pairs("node__to__node", [1, 0], [3, 3])]}
    to.add("excluded", "mesh", seeds, [4, 3], excluded, this)
    to.add("excluded weight", "mesh", seeds, [4, 3], {**excluded, "weight": "weight"}, this)
    links = {"links": {"edge_type": "node__to__node", "ids": [5, 100, 7]}}
    to.add("links", "mesh", [], [4, 3],
        {"exclude_links": True, "negatives": {"mode": "binary"}}, {"seeds": [], **links})  # fmt: skip
    for graph, at in (("ascending", [100, 250, 4, 0, 399]), ("mixed", [5, 9, 3, -7, 4])):
        for extra in ({}, {"weight": "weight"}, {"exclude": excluded["exclude"]}):
            to.add(f"times {graph} {sorted(extra)}", graph, [timed("node", seeds, at)], [4, 3],
                {"edge_time": "time", **extra})  # fmt: skip


def _types(to: _Cases) -> None:
    seeds = [of("user", [4, 0, 4]), of("item", [7])]
    fanouts: list[Json] = [
        {"edge_type": None, "per_hop": [2, 1, 1]},
        {"edge_type": HAS, "per_hop": [-1, 0, 1]},
    ]
    for number in range(24):
        mode = ("none", "self", "reverse_id", "reverse_types")[number % 4]
        in_options, in_request = exclusions()[mode]
        options: Json = {"seed": str(number), "direction": ("in", "out")[number // 4 % 2]}
        if number % 3 == 1:
            options["weight"] = "weight"
        if number % 5 == 1:
            options["disjoint"] = True
        if number % 2 == 1:
            options["layer_dependent"] = True
        if number % 4 > 1:
            options["batch_dependency"] = number
        to.add(f"types {number}", "shop", seeds, fanouts, {**options, **in_options},
            {"epoch": str(number // 7), "batch": str(number * 11), **in_request})  # fmt: skip


def _numbers(to: _Cases) -> None:
    for seed, epoch, batch, dependency in [
        (1, 0, 0, 0),
        (0, 1, 0, 0),
        (0, 0, 1, 1),
        (BIG, BIG, BIG, 0),
        (3 * BIG + 1, 5 * BIG + 2, 7 * BIG + 3, 0),
        (2**64 - 1, 2**64 - 1, 2**64 - 1, 0),
        (2**64 - 1, 2**64 - 1, 2**64 - 1, 2),
        (0, 0, 2**64 - 1, BIG - 1),
        (0, 0, BIG - 2, BIG - 1),
        (0, 0, 7 * BIG + 3, 2**31),
    ]:
        options = {"seed": str(seed), "batch_dependency": dependency, "edge_ids": False}
        to.add(f"seed {seed} epoch {epoch} batch {batch} dependency {dependency}", "triangle 220",
            [30, 31], [4, 2], options, {"epoch": str(epoch), "batch": str(batch)})  # fmt: skip
    for batch in range(9):
        to.add(f"batch {batch} of dependency 4", "triangle 220", [60], [12],
            {"batch_dependency": 4}, {"batch": str(batch)})  # fmt: skip


def _errors(to: _Cases) -> None:
    other = {"pick": "independent"}
    for replace in ("above", "always"):
        to.add(f"replace {replace}", "mesh", [0], [2], {"replace": replace})
    to.add("last", "ascending", [timed("node", [0], [9])], [2],
        {"edge_time": "time", "time_strategy": "last"})  # fmt: skip
    to.add("batch dependency alone", "mesh", [0], [2], {**other, "batch_dependency": 1})
    to.add("layer dependency alone", "mesh", [0], [2], {**other, "layer_dependent": True})


def labor_file() -> Json:
    cases = _Cases()
    for part in (_rows, _hops, _types, _numbers, _errors):
        part(cases)
    mesh = graphs.mesh("mesh", 120, 2000, [1, 2, 0, 4])
    return {
        "graphs": [
            graphs.triangle("triangle 220", 220),
            graphs.odd(),
            graphs.star(70000),
            graphs.star(3000, weight_cycle=[1, 2, 0, 0.5, 100]),
            graphs.bad_weights(),
            mesh,
            {**with_times(mesh, ASCENDING, None), "name": "ascending"},
            {**with_times(mesh, MIXED, MIXED[::-1]), "name": "mixed"},
            graphs.shop(),
        ],
        "cases": cases.cases,
    }
