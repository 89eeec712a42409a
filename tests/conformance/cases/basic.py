"""Cases of sample_basic.json: worked examples, options one at a time, hops, errors."""

from __future__ import annotations

from typing import Any

from cases import graphs
from cases.common import ids, of, per_type, sample
from cases.examples import example_cases, example_graphs

Json = dict[str, Any]

BIG = 2**32


def worked_examples() -> list[Json]:
    with_ids = {"edge_ids": True}
    out = {"direction": "out", **with_ids}
    user_seeds = [of("user", [0, 1, 2, 3, 4])]
    return [
        sample(
            "csr, toward seeds",
            "no degree exceeds the fanout: all edges, each pointing at its seed",
            "csr example",
            [0, 1, 2, 3, 4],
            [2],
            {**out, "toward_seeds": True},
        ),
        sample(
            "csr, as the graph has it",
            "the same edges, row the source",
            "csr example",
            [0, 1, 2, 3, 4],
            [2],
            out,
        ),
        sample(
            "coo to csc",
            "rows in the order of edge ids",
            "coo example",
            list(range(6)),
            [-1],
            with_ids,
        ),
        sample(
            "coo to csr", "rows in the order of edge ids", "coo example", list(range(6)), [-1], out
        ),
        sample("csc, all", "seeds in any order", "csc example", [4, 1, 3], [-1], with_ids),
        sample("csc, two each", "no row is smaller", "csc example", [1, 3, 4], [2], with_ids),
        sample(
            "csc, four each",
            "with replacement, more than there are",
            "csc example",
            [1, 3, 4],
            [4],
            {**with_ids, "replace": "always"},
        ),
        sample(
            "csc, weights",
            "two rows have one edge that may be taken",
            "csc example",
            [1, 3, 4],
            [2],
            {**with_ids, "weight": "weight"},
        ),
        sample(
            "csc, weights, replaced",
            "the same edge twice",
            "csc example",
            [1, 3, 4],
            [2],
            {**with_ids, "weight": "weight", "replace": "always"},
        ),
        sample(
            "typed csc",
            "seeds of two types",
            "typed csc example",
            [of("n1", [0]), of("n2", [0])],
            [-1],
            with_ids,
        ),
        sample("ring out", "degree equals fanout", "ring 40", [0, 7, 14, 21, 38], [2, 2], out),
        sample("ring in", "degree equals fanout", "ring 40", [0, 7, 14, 21, 38], [2, 2], with_ids),
        sample("typed ring out", "items by way of users", "typed ring", user_seeds, [2, 2], out),
        sample(
            "typed ring in", "no edge ends at a user", "typed ring", user_seeds, [2, 2], with_ids
        ),
        sample(
            "one edge type per hop",
            "a fanout of 0 leaves a type out of one hop",
            "typed ring",
            user_seeds,
            per_type(user__u2i__item=[1, 0], item__i2i__item=[0, 1]),
            out,
        ),
    ]


def option_cases() -> list[Json]:
    everyone = list(range(12))
    cases: list[Json] = []
    for direction in ("in", "out"):
        for replace in ("never", "above", "always"):
            for disjoint in (False, True):
                options: Json = {"direction": direction, "replace": replace, "edge_ids": True}
                if disjoint:
                    options["disjoint"] = True
                cases.append(
                    sample(
                        f"odd: {direction} {replace}{' disjoint' if disjoint else ''}",
                        "self-loops, parallel edges, isolated nodes",
                        "odd",
                        [5, 2, 11, 9, 7],
                        [3, 2],
                        options,
                    )
                )
    cases += [
        sample("without edge ids", "no edge array", "odd", [5, 2], [3, 2]),
        sample("int32", "the same values", "odd", [5, 2], [3, 2], {"int32": True}),
        sample(
            "toward seeds, in", "changes nothing", "odd", [5, 2], [3, 2], {"toward_seeds": True}
        ),
        sample(
            "toward seeds, out",
            "row and col change places",
            "odd",
            [5, 2],
            [3, 2],
            {"toward_seeds": True, "direction": "out", "edge_ids": True},
        ),
        sample("all nodes", "every node is a seed", "odd", everyone, [2], {"edge_ids": True}),
        sample("no seeds", "an empty list", "odd", [], [3, 2], {"edge_ids": True}),
        sample(
            "no seed lists",
            "not even an empty one",
            "odd",
            [],
            [3, 2],
            {"edge_ids": True, "disjoint": True},
            {"seeds": []},
        ),
        sample("isolated seeds", "no edges", "odd", [10, 11], [3, 2], {"edge_ids": True}),
        sample("repeated seeds", "folded to the first", "odd", [5, 2, 5, 5, 2, 1], [3, 2]),
        sample(
            "repeated seeds, disjoint",
            "each grows its own tree, with its own draws",
            "odd",
            [5, 5, 5, 2],
            [3, 2],
            {"disjoint": True, "edge_ids": True},
        ),
        sample("a self-loop alone", "a node that is its own neighbour", "odd", [3], [1, 1, 1]),
    ]
    for seed, epoch, batch in [
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (BIG, 0, 0),
        (0, BIG, 0),
        (0, 0, BIG),
        (3 * BIG + 1, 5 * BIG + 2, 7 * BIG + 3),
        (2**64 - 1, 2**64 - 1, 2**64 - 1),
    ]:
        for disjoint in (False, True):
            cases.append(
                sample(
                    f"seed {seed} epoch {epoch} batch {batch}{' disjoint' if disjoint else ''}",
                    "all 64 bits count",
                    "ring 40",
                    [0, 20],
                    [1, 1, 1, 1, 1, 1],
                    {"seed": str(seed), "disjoint": disjoint},
                    {"epoch": str(epoch), "batch": str(batch)},
                )
            )
    return cases


def island_cases() -> list[Json]:
    cases: list[Json] = []
    lists = [of("b", [3, 0, 3]), of("a", [1, 2])]
    for direction in ("in", "out"):
        options = {"direction": direction, "edge_ids": True}
        where = f"islands: {direction}"
        counted = "trees are counted over the lists in the order given"
        apart = {**options, "disjoint": True}
        alone = [of("lonely", [1])]
        cases += [
            sample(where, "types not reached are empty", "islands", lists, [2, 2], options),
            sample(f"{where}, lonely", "no edges", "islands", alone, [2, 2], options),
            sample(f"{where}, disjoint", counted, "islands", lists, [2, 2], apart),
            sample(f"{where}, lists turned", counted, "islands", lists[::-1], [2, 2], apart),
        ]
    return cases


def hop_cases() -> list[Json]:
    with_ids = {"edge_ids": True}
    cases: list[Json] = []
    for fanouts in (
        [0],
        [2, 0, 2],
        [0, 2],
        [-1, 1],
        [1, -1],
        [-1, -1, -1],
        [1, 0, -1],
        [3, 2, 1, 1],
    ):
        for direction in ("in", "out"):
            cases.append(
                sample(
                    f"fanouts {fanouts} {direction}",
                    "0 ends the walk, -1 takes all",
                    "odd",
                    [5, 9],
                    fanouts,
                    {"direction": direction, **with_ids},
                )
            )
    cases += [
        sample(
            "all, with replace always",
            "-1 is not a number of draws",
            "odd",
            [5, 9],
            [-1, 3],
            {"replace": "always", **with_ids},
        ),
        sample(
            "the longest walk",
            "255 hops of one pick each",
            "ring 600",
            [0],
            [1] * 255,
            {"direction": "out"},
        ),
        sample(
            "fanouts for one type and the rest",
            "an entry without type, given last, covers the other types",
            "typed ring",
            [of("user", [3]), of("item", [39])],
            [*per_type(item__i2i__item=[1, 1]), {"edge_type": None, "per_hop": [2, 0]}],
            {"direction": "out", **with_ids},
        ),
    ]
    return cases


def error_cases() -> list[Json]:
    invalid = "the call is wrong"
    two = per_type(user__u2i__item=[1, 1])
    uneven = per_type(user__u2i__item=[1, 1], item__i2i__item=[1])
    unknown = [*per_type(user__u2u__user=[1]), {"edge_type": None, "per_hop": [1]}]
    user = [of("user", [0])]
    weighted = {"weight": "weight"}
    bad, used = "bad weights", "the weight is met"
    return [
        sample("seed too large", invalid, "odd", [0, 12], [1]),
        sample("seed negative", invalid, "odd", [-1], [1]),
        sample("a type named twice", invalid, "odd", [of("node", [1]), of("node", [2])], [1]),
        sample("fanout -2", invalid, "odd", [0], [1, -2]),
        sample("no fanouts", invalid, "odd", [0], []),
        sample("no hops", invalid, "odd", [0], [{"edge_type": None, "per_hop": []}]),
        sample("256 hops", invalid, "odd", [0], [1] * 256),
        sample("a type without fanouts", invalid, "typed ring", user, two),
        sample("unequal hops", invalid, "typed ring", user, uneven),
        sample("unknown edge type", "it does not exist", "typed ring", user, unknown),
        sample("unknown weight column", "it does not exist", "ring 40", [0], [1], weighted),
        sample("weight -1", used, bad, [1], [1], weighted),
        sample("weight nan", used, bad, [2], [1], weighted),
        sample("weight infinite", used, bad, [3], [1], weighted),
        sample("weight nan, all taken", used, bad, [2], [-1], weighted),
        sample("weight nan, one of several rows", used, bad, [4, 2], [2], weighted),
        sample("bad weights elsewhere", "only rows read are looked at", bad, [4], [1], weighted),
        sample("bad weights, fanout 0", "no row is read", bad, [1, 2, 3], [0], weighted),
        sample("bad weights, not asked for", "uniform", bad, [1, 2, 3], [1]),
        sample(
            "bad weight excluded",
            "an excluded edge is not in the row",
            bad,
            [1],
            [1],
            {**weighted, "exclude": [ids("node__to__node", [1])]},
        ),
    ]


def basic_file() -> Json:
    return {
        "graphs": [
            graphs.csr_example(),
            graphs.coo_example(),
            graphs.csc_example(),
            graphs.typed_csc_example(),
            graphs.ring("ring 40", 40),
            graphs.ring("ring 600", 600),
            graphs.typed_ring(),
            graphs.odd(),
            graphs.islands(),
            graphs.bad_weights(),
            *example_graphs(),
        ],
        "cases": worked_examples()
        + option_cases()
        + island_cases()
        + hop_cases()
        + error_cases()
        + example_cases(),
    }
