"""The graphs of the sample_*.json files, in the form that README.md describes."""

from __future__ import annotations

from typing import Any, Optional

Json = dict[str, Any]


def homogeneous(name: str, count: int, **edges: Any) -> Json:
    return {
        "name": name,
        "node_types": [{"name": "node", "count": count}],
        "edge_types": [{"name": "node__to__node", **edges}],
    }


def reverse_of(source: list[int], target: list[int]) -> list[int]:
    """For every edge the first edge that runs the other way, or itself if there is none."""
    first: dict[tuple[int, int], int] = {}
    for edge, ends in enumerate(zip(source, target)):
        first.setdefault(ends, edge)
    return [first.get((t, s), edge) for edge, (s, t) in enumerate(zip(source, target))]


def odd() -> Json:
    """Self-loops, parallel edges, isolated nodes (10, 11), zero weights, rows of zero weights."""
    edges = [
        (0, 0, 1), (1, 2, 1), (1, 2, 2), (1, 2, 0), (3, 3, 0.5), (0, 5, 1), (1, 5, 0), (2, 5, 3),
        (3, 5, 0.25), (4, 5, 8), (6, 5, 1), (8, 5, 100), (0, 7, 0), (1, 7, 0), (2, 7, 0),
        (5, 0, 1), (5, 1, 2), (5, 2, 4), (5, 3, 8), (5, 4, 16), (5, 6, 0), (5, 8, 32), (7, 6, 0),
        (7, 9, 0), (9, 8, 1), (2, 1, 1), (6, 4, 1), (8, 0, 2), (9, 9, 1), (9, 9, 1), (4, 9, 5),
        (3, 1, 1),
    ]  # fmt: skip
    source, target, weight = (list(column) for column in zip(*edges))
    return homogeneous(
        "odd",
        12,
        source=source,
        target=target,
        weight=weight,
        reverse=reverse_of(source, target),
    )


def bad_weights() -> Json:
    """Targets 1, 2 and 3 have a weight that cannot be used; target 4 has none."""
    return homogeneous(
        "bad weights",
        6,
        source=[0, 5, 0, 5, 0, 5, 0, 5],
        target=[1, 1, 2, 2, 3, 3, 4, 4],
        weight=[1, -1, 1, 1, 1, 1, 1, 1],
        weight_special=[{"edge": 3, "value": "nan"}, {"edge": 5, "value": "inf"}],
    )


def bad_reverse() -> Json:
    return homogeneous("bad reverse", 3, source=[0, 1, 2], target=[1, 0, 1], reverse=[1, 3, 2])


def csr_example() -> Json:
    """The CSR with indptr 0 2 4 6 7 7 7 and indices 0 1 1 3 2 4 5."""
    source, target = [0, 0, 1, 1, 2, 2, 3], [0, 1, 1, 3, 2, 4, 5]
    return homogeneous("csr example", 6, source=source, target=target, weight=[1, 9, 1, 9, 1, 9, 1])


def coo_example() -> Json:
    """Eight edges whose CSC holds them in the order 0 1 2 4 3 5 6 7."""
    return homogeneous(
        "coo example", 6, source=[0, 0, 1, 1, 2, 2, 2, 3], target=[0, 1, 1, 3, 2, 3, 4, 5]
    )


def csc_example() -> Json:
    """The CSC with indptr 0 3 5 7 9 12 and indices 0 1 4 2 3 0 1 1 2 0 3 4."""
    return homogeneous(
        "csc example",
        5,
        source=[0, 1, 4, 2, 3, 0, 1, 1, 2, 0, 3, 4],
        target=[0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4],
        weight=[2.5, 0, 8.5, 0, 0.375, 1.25, 2.5, 0, 8.5, 0.5, 0.375, 1.25],
    )


def typed_csc_example() -> Json:
    """Two types that only have edges to each other."""
    return {
        "name": "typed csc example",
        "node_types": [{"name": "n1", "count": 2}, {"name": "n2", "count": 3}],
        "edge_types": [
            {"name": "n1__e1__n2", "source": [0, 1, 1, 0, 1], "target": [0, 0, 1, 2, 2]},
            {"name": "n2__e2__n1", "source": [0, 2, 0, 1], "target": [0, 0, 1, 1]},
        ],
    }


def ring(name: str, nodes: int) -> Json:
    rule = {"rule": "ring", "nodes": nodes, "steps": [1, 2]}
    return homogeneous(name, nodes, generator=rule)


def typed_ring() -> Json:
    return {
        "name": "typed ring",
        "node_types": [{"name": "user", "count": 40}, {"name": "item", "count": 40}],
        "edge_types": [
            {
                "name": "user__u2i__item",
                "generator": {"rule": "ring", "nodes": 40, "steps": [1, 2]},
            },
            {
                "name": "item__i2i__item",
                "generator": {"rule": "ring", "nodes": 40, "steps": [2, 3]},
            },
        ],
    }


def paired() -> Json:
    """Edge e of the second type is edge e of the first, backwards."""
    users = [i % 7 for i in range(40)]
    items = [(i * i + i // 7) % 11 for i in range(40)]
    return {
        "name": "paired",
        "node_types": [{"name": "user", "count": 7}, {"name": "item", "count": 11}],
        "edge_types": [
            {"name": "user__likes__item", "source": users, "target": items},
            {"name": "item__liked_by__user", "source": items, "target": users},
        ],
    }


def islands() -> Json:
    """A type without edges, an edge type without edges, nodes of one type only."""
    return {
        "name": "islands",
        "node_types": [
            {"name": "b", "count": 4},
            {"name": "a", "count": 3},
            {"name": "lonely", "count": 2},
        ],
        "edge_types": [
            {"name": "a__none__b", "source": [], "target": []},
            {"name": "b__one__a", "source": [3], "target": [2]},
            {"name": "a__some__b", "source": [0, 1, 2, 2], "target": [3, 3, 3, 0]},
        ],
    }


def triangle(name: str, nodes: int, weight_cycle: Optional[list[float]] = None) -> Json:
    edges: Json = {"generator": {"rule": "triangle", "nodes": nodes}}
    if weight_cycle:
        edges["weight_cycle"] = weight_cycle
    return homogeneous(name, nodes, **edges)


def star(leaves: int, hub_is: str = "target", weight_cycle: Optional[list[float]] = None) -> Json:
    edges: Json = {"generator": {"rule": "star", "leaves": leaves, "hub_is": hub_is}}
    name = f"star {leaves} {hub_is}"
    if weight_cycle:
        edges["weight_cycle"] = weight_cycle
        name += " weights"
    return homogeneous(name, leaves + 1, **edges)


def reached_star() -> Json:
    """A star whose hub and a leaf of it feed the nodes of another type."""
    rule = {"rule": "star", "leaves": 70000, "hub_is": "target"}
    return {
        "name": "reached star",
        "node_types": [{"name": "node", "count": 70001}, {"name": "root", "count": 3}],
        "edge_types": [
            {"name": "node__feeds__root", "source": [0, 0, 5], "target": [0, 1, 1]},
            {"name": "node__to__node", "generator": rule},
        ],
    }


def mesh(name: str, nodes: int, edges: int, weight_cycle: list[float]) -> Json:
    rule = {"rule": "random", "seed": "1", "edges": edges, "sources": nodes, "targets": nodes}
    return homogeneous(name, nodes, generator=rule, weight_cycle=weight_cycle)


def typed_mesh() -> Json:
    def rule(seed: int, edges: int, sources: int, targets: int) -> Json:
        return {
            "rule": "random",
            "seed": str(seed),
            "edges": edges,
            "sources": sources,
            "targets": targets,
        }

    return {
        "name": "typed mesh",
        "node_types": [
            {"name": "author", "count": 5000},
            {"name": "paper", "count": 8000},
            {"name": "venue", "count": 50},
        ],
        "edge_types": [
            {"name": "author__writes__paper", "generator": rule(2, 40000, 5000, 8000)},
            {
                "name": "paper__cites__paper",
                "generator": rule(3, 60000, 8000, 8000),
                "weight_cycle": [1, 2, 0, 0.5, 16, 3, 0.125],
            },
            {"name": "paper__in__venue", "generator": rule(4, 8000, 8000, 50)},
            {"name": "venue__holds__paper", "generator": rule(5, 8000, 50, 8000)},
            {"name": "paper__by__author", "generator": rule(6, 40000, 8000, 5000)},
        ],
    }


def shop() -> Json:
    """Three node types and four edge types of which two mirror each other edge by edge."""
    state = 20

    def below(n: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 32) * n >> 32

    likes = [(below(12), below(10)) for _ in range(34)]
    follows = [(below(12), below(11)) for _ in range(16)]
    tags = [(below(10), below(4)) for _ in range(18)]
    users, items = [u for u, _ in likes], [i for _, i in likes]
    followers = [a for a, _ in follows] + [b for _, b in follows]
    followed = [b for _, b in follows] + [a for a, _ in follows]
    return {
        "name": "shop",
        "node_types": [
            {"name": "item", "count": 10},
            {"name": "user", "count": 12},
            {"name": "tag", "count": 4},
        ],
        "edge_types": [
            {
                "name": "user__likes__item",
                "source": users,
                "target": items,
                "weight": [below(5) for _ in likes],
            },
            {
                "name": "item__rev_likes__user",
                "source": items,
                "target": users,
                "weight": [2 ** below(12) for _ in likes],
            },
            {
                "name": "user__follows__user",
                "source": followers,
                "target": followed,
                "reverse": [(e + len(follows)) % len(followers) for e in range(len(followers))],
            },
            {
                "name": "item__has__tag",
                "source": [i for i, _ in tags],
                "target": [t for _, t in tags],
                "weight": [below(3) * 0.25 for _ in tags],
            },
        ],
    }
