"""Cases of sample_exclude.json and sample_hetero.json: excluded edges, several types."""

from __future__ import annotations

from typing import Any

from cases import graphs
from cases.common import ids, of, pairs, sample

Json = dict[str, Any]

TO = "node__to__node"
LIKES = "user__likes__item"
REV_LIKES = "item__rev_likes__user"
FOLLOWS = "user__follows__user"
HAS = "item__has__tag"
BOTH_WAYS = [
    {"edge_type": LIKES, "reverse_type": REV_LIKES},
    {"edge_type": REV_LIKES, "reverse_type": LIKES},
]


def exclude_file() -> Json:
    sets: list[tuple[str, str, list[Json]]] = [
        ("nothing", "an empty list", [ids(TO, [])]),
        ("no pairs", "empty arrays of pairs", [pairs(TO, [], [])]),
        ("ids", "fanouts stay full", [ids(TO, [11, 9, 15])]),
        ("repeated ids", "as named once", [ids(TO, [11, 11, 9]), ids(TO, [9])]),
        ("down to the fanout", "as many are left as the fanout", [ids(TO, [5, 7, 9, 11])]),
        ("a whole row", "as if it had no edges", [ids(TO, [5, 6, 7, 8, 9, 10, 11])]),
        ("pairs", "all parallel edges", [pairs(TO, [1, 8], [2, 5])]),
        ("a pair that is no edge", "nothing to exclude", [pairs(TO, [11], [10])]),
        ("self-loops", "one a pair, one an id", [pairs(TO, [9, 0], [9, 0]), ids(TO, [4])]),
    ]
    cases: list[Json] = []
    for name, about, edge_sets in sets:
        for mode in ("self", "reverse_id"):
            options: Json = {"edge_ids": True, "exclude_mode": mode, "exclude": edge_sets}
            if mode == "reverse_id":
                options["reverse_column"] = "reverse"
            cases.append(sample(f"{name}: {mode}", about, "odd", [5, 2, 9], [3, 2], options))
    some = [ids(TO, [11, 18, 2])]
    for direction in ("in", "out"):
        for weight in (False, True):
            for disjoint in (False, True):
                options = {
                    "direction": direction,
                    "edge_ids": True,
                    "exclude_mode": "reverse_id",
                    "reverse_column": "reverse",
                    "disjoint": disjoint,
                }
                if weight:
                    options["weight"] = "weight"
                tail = (" weight" if weight else "") + (" disjoint" if disjoint else "")
                cases.append(
                    sample(
                        f"{direction}{tail}",
                        "for this batch only",
                        "odd",
                        [5, 2, 9],
                        [3, 2],
                        options,
                        {"exclude": some},
                    )
                )
    cases.append(
        sample(
            "always and this batch",
            "both lists count, both with the mode",
            "odd",
            [5, 2, 9],
            [3, 2],
            {
                "edge_ids": True,
                "exclude": [ids(TO, [11])],
                "exclude_mode": "reverse_id",
                "reverse_column": "reverse",
            },
            {"exclude": [pairs(TO, [3], [5])]},
        )
    )
    for named in (LIKES, REV_LIKES):
        options = {
            "edge_ids": True,
            "exclude_mode": "reverse_types",
            "reverse_types": BOTH_WAYS[:1],
            "exclude": [ids(named, range(0, 34, 2))],
        }
        seeds = [of("user", [0, 1]), of("item", [2])]
        about = "a pair of types holds both ways"
        cases.append(sample(f"pair given once: {named}", about, "shop", seeds, [-1], options))
    reverse_id = {"exclude_mode": "reverse_id", "reverse_column": "reverse"}
    missing = {**reverse_id, "exclude": [ids(LIKES, [0])]}
    cases.append(
        sample("no reverse column", "this type has none", "shop", [of("user", [0])], [1], missing)
    )
    damaged = {**reverse_id, "exclude": [ids(TO, [1])]}
    cases.append(
        sample(
            "reverse id out of range", "of an edge that is named", "bad reverse", [1], [1], damaged
        )
    )
    return {"graphs": [graphs.odd(), graphs.shop(), graphs.bad_reverse()], "cases": cases}


def exclusions() -> dict[str, tuple[Json, Json]]:
    """By name: what options and request hold."""
    followed = [pairs(FOLLOWS, [3, 1], [5, 0])]
    always = [ids(LIKES, [0, 5, 9, 14]), *followed]
    this = {"exclude": [ids(FOLLOWS, [1, 2, 20]), ids(HAS, [7])]}
    return {
        "none": ({}, {}),
        "self": ({"exclude": always}, this),
        "reverse_id": (
            {"exclude": followed, "exclude_mode": "reverse_id", "reverse_column": "reverse"},
            {"exclude": this["exclude"][:1]},
        ),
        "reverse_types": (
            {"exclude": always, "exclude_mode": "reverse_types", "reverse_types": BOTH_WAYS},
            this,
        ),
    }


def hetero_file() -> Json:
    seeds = [of("user", [4, 0, 4]), of("item", [7])]
    fanouts: list[Json] = [
        {"edge_type": None, "per_hop": [2, 1]},
        {"edge_type": FOLLOWS, "per_hop": [1, 2]},
        {"edge_type": HAS, "per_hop": [-1, 0]},
    ]
    cases: list[Json] = []
    for number in range(96):
        direction = ("in", "out")[number % 2]
        disjoint = (False, True)[number // 2 % 2]
        weight = (False, True)[number // 4 % 2]
        replace = ("never", "above", "always")[number // 8 % 3]
        mode = ("none", "self", "reverse_id", "reverse_types")[number // 24]
        in_options, in_request = exclusions()[mode]
        options: Json = {"seed": str(number), "direction": direction, "replace": replace}
        if weight:
            options["weight"] = "weight"
        if disjoint:
            options["disjoint"] = True
        if number % 3 != 1:
            options["edge_ids"] = True
        if direction == "out" and number % 5 < 2:
            options["toward_seeds"] = True
        request: Json = {"epoch": str(number // 7), "batch": str(number * 11)}
        name = (
            f"{direction} {replace}{' weight' if weight else ''}{' disjoint' if disjoint else ''}"
        )
        cases.append(
            sample(
                f"{name}, exclude {mode}",
                "options in combination",
                "shop",
                seeds,
                fanouts,
                {**options, **in_options},
                {**request, **in_request},
            )
        )
    for direction in ("in", "out"):
        cases.append(
            sample(
                f"three hops {direction}",
                "all types meet",
                "shop",
                [of("tag", [0, 3]), of("item", [1]), of("user", [11])],
                [2, 2, 2],
                {"direction": direction, "edge_ids": True, "weight": "weight"},
            )
        )
    return {"graphs": [graphs.shop()], "cases": cases}
