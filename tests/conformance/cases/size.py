"""Cases of sample_star.json and sample_large.json: long rows, many seeds."""

from __future__ import annotations

from typing import Any

from cases import graphs
from cases.common import ids, of, pairs, sample

Json = dict[str, Any]

TO = "node__to__node"


def star_file() -> Json:
    cycle = [1, 0, 2, 0.5, 64]
    stars = [graphs.star(leaves) for leaves in (65536, 65537, 70000)]
    stars += [graphs.star(70000, "source"), graphs.star(70000, "target", cycle)]
    cases: list[Json] = []
    for graph in stars:
        direction = "out" if "source" in graph["name"] else "in"
        for replace in ("never", "above", "always"):
            for k in (5, 20):
                options = {"direction": direction, "replace": replace, "edge_ids": True}
                if "weights" in graph["name"]:
                    options["weight"] = "weight"
                cases.append(
                    sample(
                        f"{graph['name']}: {replace} {k}",
                        "degrees above 65536 are drawn from with 64 bits",
                        graph["name"],
                        [0, 3],
                        [k, 1],
                        options,
                    )
                )
    cases.append(
        sample(
            "one edge fewer",
            "the degree is counted without the excluded edges: 65536",
            "star 65537 target",
            [0],
            [20],
            {"edge_ids": True, "exclude": [ids(TO, [65536])]},
        )
    )
    cases.append(
        sample(
            "one edge fewer, in front",
            "positions are those of the edges left",
            "star 65537 target",
            [0],
            [20],
            {"edge_ids": True, "exclude": [ids(TO, [0])]},
        )
    )
    cases.append(
        sample(
            "some edges fewer",
            "still 64 bits",
            "star 70000 target",
            [0],
            [20],
            {"edge_ids": True, "exclude": [pairs(TO, [1, 9, 70000], [0, 0, 0])]},
        )
    )
    cases += reached_cases()
    return {"graphs": [*stars, graphs.reached_star()], "cases": cases}


def reached_cases() -> list[Json]:
    cases: list[Json] = []
    for replace in ("never", "always"):
        for disjoint in (False, True):
            cases.append(
                sample(
                    f"reached: {replace}{' disjoint' if disjoint else ''}",
                    "the long row is met in hop 1; when disjoint, by two trees",
                    "reached star",
                    [of("root", [1, 0, 2])],
                    [4, 6],
                    {"replace": replace, "disjoint": disjoint, "edge_ids": True},
                    {"epoch": "2", "batch": "3"},
                )
            )
    return cases


def large_file() -> Json:
    def many(node_type: str, first: int, count: int, step: int) -> Json:
        return {"node_type": node_type, "range": {"first": first, "count": count, "step": step}}

    about = "arrays are given in short form"
    ids_too = {"edge_ids": True}
    seeds = [many("node", 11, 1024, 19)]
    typed = [many("paper", 0, 300, 26), many("author", 4999, 100, -7)]
    weight = {"weight": "weight", **ids_too}
    cases = [
        sample("1024 seeds", about, "mesh 20000", seeds, [15, 10], ids_too),
        sample(
            "1024 seeds, out", about, "mesh 20000", seeds, [10, 5], {"direction": "out", **ids_too}
        ),
        sample(
            "1024 seeds, disjoint",
            about,
            "mesh 20000",
            seeds,
            [10, 5],
            {"disjoint": True, **ids_too},
        ),
        sample("1024 seeds, above", about, "mesh 20000", seeds, [10, 5], {"replace": "above"}),
        sample("1024 seeds, always", about, "mesh 20000", seeds, [10, 5], {"replace": "always"}),
        sample("1024 seeds, weights", about, "mesh 20000", seeds, [5, 5], weight),
        sample(
            "all neighbours", about, "mesh 20000", [many("node", 3, 64, 311)], [-1, -1], ids_too
        ),
        sample("typed", about, "typed mesh", typed, [5, 4, 3], ids_too),
        sample(
            "typed, out, weights",
            about,
            "typed mesh",
            typed,
            [5, 4, 3],
            {"direction": "out", **weight},
        ),
        sample(
            "typed, disjoint, weights, excluded",
            about,
            "typed mesh",
            typed,
            [5, 4],
            {
                "disjoint": True,
                "exclude": [ids("paper__cites__paper", list(range(0, 60000, 600)))],
                **weight,
            },
        ),
    ]
    for case in cases:
        case["short"] = True
    return {
        "graphs": [
            graphs.mesh("mesh 20000", 20000, 200000, [1, 0, 3, 0.25]),
            graphs.typed_mesh(),
        ],
        "cases": cases,
    }
