"""Cases of sample_basic.json with results that others publish: the tests of GraphBolt, GLT and GiGL."""

from __future__ import annotations

from typing import Any

from cases import graphs
from cases.common import of, pairs, per_type, sample

Json = dict[str, Any]

TO = "node__to__node"
HUBS, GOOD, BAD = 10, 50, 40


def masked_row() -> Json:
    """One node with six neighbours, of which a mask leaves three."""
    return graphs.homogeneous(
        "masked row", 7, source=[1, 2, 3, 4, 5, 6], target=[0] * 6, weight=[1, 0, 0, 1, 0, 1]
    )


def compacted() -> Json:
    """Rows of the nodes 1, 3, 5, 2 and 6 as GraphBolt's test of compacting has them."""
    rows = {1: [2, 3], 3: [1, 4], 5: [5, 2], 2: [5], 6: [1, 4, 4, 6]}
    return graphs.homogeneous(
        "compacted",
        7,
        source=[s for row in rows.values() for s in row],
        target=[t for t, row in rows.items() for _ in row],
    )


def sampled_before() -> Json:
    """The subgraph of GraphBolt's test of exclusion, with its ids of nodes and edges: 5, 9 and 10."""
    known = {5: (10, 15), 9: (24, 11), 10: (11, 9)}
    ends = [known.get(edge, (0, 1)) for edge in range(11)]
    return graphs.homogeneous(
        "sampled before", 25, source=[s for s, _ in ends], target=[t for _, t in ends]
    )


def parallel() -> Json:
    """The same with its duplicated edges, which here have ids of their own."""
    return graphs.homogeneous(
        "parallel", 25, source=[10, 24, 24, 11, 11], target=[15, 11, 11, 9, 9]
    )


def stored_in_order() -> Json:
    """Edges by source, stored by target: a column of edges goes with the edges, not with their places."""
    return graphs.homogeneous(
        "columns of edges",
        5,
        source=[0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
        target=[1, 2, 2, 3, 3, 4, 4, 0, 0, 1],
        weight=list(range(10)),
    )


def hubs() -> Json:
    """To each of 10 hubs go edges of 50 good nodes, of weight 1, and of 40 bad ones, of weight 0."""
    others = range(HUBS, HUBS + GOOD + BAD)
    ends = [(other, hub) for hub in range(HUBS) for other in others]
    made = graphs.homogeneous(
        "hubs", HUBS + GOOD + BAD, source=[s for s, _ in ends], target=[t for _, t in ends]
    )
    made["edge_types"][0]["weight_cycle"] = [1] * GOOD + [0] * BAD
    return made


def example_graphs() -> list[Json]:
    alone = graphs.homogeneous("one edge", 18, source=[10], target=[15])
    made = [masked_row(), compacted(), sampled_before(), parallel(), stored_in_order(), hubs()]
    return [*made, alone]


def example_cases() -> list[Json]:
    with_ids = {"edge_ids": True}
    weighted = {"weight": "weight", **with_ids}
    layer = {"pick": "layer", **weighted}
    unique = [0, 5, 2, 7, 12, 7, 9, 5, 6, 2, 3, 4, 1, 0, 9]
    both = [of("n1", [0]), of("n2", [0])]
    each: list[Json] = []
    for one, other in ((0, 0), (2, 1), (4, 4)):
        fanouts = per_type(n1__e1__n2=[one], n2__e2__n1=[other])
        each.append(
            sample(
                f"typed csc, {one} and {other}",
                "a fanout for each type",
                "typed csc example",
                both,
                fanouts,
                with_ids,
            )
        )
    whole = [10, 15, 11, 24, 9]
    return [
        sample("a mask, all", "as weights of 1 and 0", "masked row", [0], [-1], weighted),
        sample("a mask, two", "as weights of 1 and 0", "masked row", [0], [2], weighted),
        sample("csc, weights, by layer", "2 of each row, if there", "csc example", [1, 3, 4], [2], layer),
        *each,
        sample("unique and compact", "seeds alone", "ring 40", unique, [0], with_ids),
        sample("compact", "all of five rows", "compacted", [1, 3, 5, 2, 6], [-1], with_ids),
        sample("drop one edge", "what is left", "sampled before", whole, [-1], with_ids,
               {"exclude": [pairs(TO, [11], [9])]}),
        sample("drop parallel edges", "both of a pair", "parallel", whole, [-1], with_ids,
               {"exclude": [pairs(TO, [24], [11])]}),
        sample("columns of edges", "all but edge 0", "columns of edges", [0, 1, 2, 3, 4], [-1], weighted),
        sample("hubs", "no bad node", "hubs", list(range(HUBS)), [15, 5], weighted),
        sample("hubs, replaced", "no bad node", "hubs", list(range(HUBS)), [15], {**weighted, "replace": "always"}),
        sample("nearly no edges", "one edge, 18 nodes", "one edge", list(range(18)), [10, 10], with_ids),
    ]  # fmt: skip
