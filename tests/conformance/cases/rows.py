"""Cases of sample_fanout.json and sample_weight.json: rows of many lengths."""

from __future__ import annotations

from typing import Any

from cases import graphs
from cases.common import sample

Json = dict[str, Any]

BOUNDARIES = [7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100]


def fanout_file() -> Json:
    size = 220
    cases: list[Json] = []
    for k in range(1, 41):
        about = "degrees below, at and above the fanout: node v has v in-neighbours"
        cases.append(sample(f"never {k}", about, "triangle 220", [k + 1, 2 * k + 1], [k]))
    for k in BOUNDARIES:
        for replace in ("never", "above", "always"):
            options = {"replace": replace, "edge_ids": True}
            about = "degrees below, at and above the fanout"
            cases.append(
                sample(
                    f"around {k} {replace}", about, "triangle 220", [k - 1, k, k + 1], [k], options
                )
            )
    for k in (8, 16, 32):
        for replace in ("never", "always"):
            seeds = [size - 1 - degree for degree in (k - 1, k, k + 1, 2 * k + 3)]
            about = "degrees below, at and above the fanout: node v has 219 - v out-neighbours"
            cases.append(
                sample(
                    f"around {k} {replace} out",
                    about,
                    "triangle 220",
                    seeds,
                    [k],
                    {"replace": replace, "direction": "out"},
                )
            )
    for replace in ("never", "above", "always"):
        about = "three hops on a graph with short and long rows"
        cases.append(
            sample(
                f"three hops {replace}",
                about,
                "mesh 300",
                [0, 1, 2, 150, 299],
                [5, 4, 3],
                {"replace": replace, "edge_ids": True},
            )
        )
    return {
        "graphs": [
            graphs.triangle("triangle 220", size),
            graphs.mesh("mesh 300", 300, 3000, [1]),
        ],
        "cases": cases,
    }


def weight_file() -> Json:
    cases: list[Json] = []
    for replace in ("never", "above", "always"):
        for direction in ("in", "out"):
            for disjoint in (False, True):
                options = {
                    "weight": "weight",
                    "replace": replace,
                    "direction": direction,
                    "edge_ids": True,
                }
                if disjoint:
                    options["disjoint"] = True
                tail = " disjoint" if disjoint else ""
                cases.append(
                    sample(
                        f"odd: {replace} {direction}{tail}",
                        "zero weights, rows of zero weights (node 7)",
                        "odd",
                        [5, 7, 2, 9],
                        [3, 2],
                        options,
                    )
                )
        for k in (1, 2, 4, 7, 8, 9, 16, 17, 32):
            cases.append(
                sample(
                    f"cycle: {replace} {k}",
                    "every third weight is 0",
                    "triangle cycle",
                    [k, 3 * k // 2, 3 * k // 2 + 3, 80],
                    [k],
                    {"weight": "weight", "replace": replace, "edge_ids": True},
                )
            )
        for k in (2, 5, 12):
            cases.append(
                sample(
                    f"skewed: {replace} {k}",
                    "few edges hold nearly all the weight",
                    "triangle skewed",
                    [k + 1, 20, 39],
                    [k],
                    {"weight": "weight", "replace": replace, "edge_ids": True},
                )
            )
    cases.append(
        sample(
            "all of positive weight",
            "-1 leaves out weight 0",
            "triangle cycle",
            [20, 21],
            [-1],
            {"weight": "weight", "edge_ids": True},
        )
    )
    cases.append(
        sample(
            "weights not asked for",
            "the column alone changes nothing",
            "triangle cycle",
            [20, 21],
            [4],
            {"edge_ids": True},
        )
    )
    return {
        "graphs": [
            graphs.odd(),
            graphs.triangle("triangle cycle", 90, [1, 2.5, 0, 7, 0.125, 0, 3]),
            graphs.triangle("triangle skewed", 40, [1, 2.0**40, 0.5, 2.0**-100, 3, 1, 0]),
        ],
        "cases": cases,
    }
