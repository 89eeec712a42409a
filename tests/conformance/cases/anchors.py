"""Cases of sample_anchors.json: seeds with labels."""

from __future__ import annotations

from typing import Any, Optional, Union

from cases import graphs
from cases.common import Fanouts, ids, of, per_type, sample
from cases.time import ASCENDING, timed, with_times

Json = dict[str, Any]

TO = "node__to__node"
LIKES, FOLLOWS = "user__likes__item", "user__follows__user"
REVERSE, TAGS = "item__rev_likes__user", "item__has__tag"


def by(edge_type: str, **more: Any) -> Json:
    return {"edge_type": edge_type, **more}


def given(name: str, node_type: Optional[str] = None, **more: Any) -> Json:
    return {"name": name, **({"node_type": node_type} if node_type else {}), **more}


def splitter() -> Json:
    """Labels of nodes 9, 10, 11 and 12 are [8], [7, 10, 11, 15], [12, 13] and [10, 11]."""
    rows = {9: [8], 10: [7, 10, 11, 15], 11: [12, 13], 12: [10, 11]}
    pairs = [(anchor, label) for anchor, labels in rows.items() for label in labels]
    return {
        "name": "splitter",
        "node_types": [{"name": "node", "count": 16}],
        "edge_types": [
            {"name": "node__label__node", "source": [a for a, _ in pairs],
             "target": [label for _, label in pairs]},
            {"name": TO, "generator": {"rule": "ring", "nodes": 16, "steps": [1, 2]}},
        ],
    }  # fmt: skip


def anchor_graphs() -> list[Json]:
    mesh = graphs.mesh("mesh", 120, 2000, [1, 2, 0, 4])
    shop = with_times(graphs.shop(), [5, 1, 9, 0, 3, -7, 4], None)
    return [
        splitter(),
        graphs.shop(),
        {**shop, "name": "timed shop"},
        graphs.odd(),
        mesh,
        {**with_times(mesh, ASCENDING, None), "name": "timed"},
        graphs.star(70000, "source"),
    ]


def anchors_file() -> Json:
    cases: list[Json] = []

    def add(
        name: str,
        graph: str,
        anchors: Union[list[int], list[Json]],
        supervisions: list[Json],
        fanouts: Optional[Fanouts] = None,
        options: Optional[Json] = None,
        **request: Any,
    ) -> None:
        options = {"edge_ids": True, **(options or {}), "supervisions": supervisions}
        fanouts = [3, 2] if fanouts is None else fanouts
        cases.append(sample(name, "anchors", graph, anchors, fanouts, options, dict(request)))

    label = "node__label__node"
    split = [9, 10, 11, 12]
    add("rows", "splitter", split, [by(label)])
    add("rows of 6", "splitter", split, [by(label, max_labels=6)])
    for most in (1, 2, 3):
        add(f"at most {most}", "splitter", split, [by(label, max_labels=most)])
    add("at most 2, another batch", "splitter", split, [by(label, max_labels=2)],
        None, None, epoch="1", batch="3")  # fmt: skip
    add("no anchors", "splitter", [], [by(label)])
    add("no anchors, at most 3", "splitter", [], [by(label, max_labels=3)])
    add("no seeds", "splitter", [], [by(label)])
    cases[-1]["request"]["seeds"] = []
    add("no labels", "splitter", [0, 1], [by(label)])
    add("some without", "splitter", [0, 10, 1], [by(label, max_labels=5)])
    add("twice", "splitter", [10, 10, 9, 10], [by(label, max_labels=3)])
    add("out", "splitter", split, [by(label)], None, {"direction": "out"})
    add("two roles", "splitter", split, [by(label), by(label, role="negative", max_labels=1)])
    add("two names", "splitter", split, [by(label), by(label, name="again", max_labels=2)])
    add(
        "an entry of zeros", "splitter", split, [by(label)], per_type(**{label: [0, 0], TO: [2, 2]})
    )
    add("no entry for it", "splitter", split, [by(label)], per_type(**{TO: [2, 2]}))
    add("its own fanouts", "splitter", split, [by(label)], per_type(**{label: [0, 1], TO: [2, 2]}))
    add("induced", "splitter", split, [by(label)], [1], {"subgraph": "induced"})
    add("induced, no hops", "splitter", split, [by(label)], [], {"subgraph": "induced"})

    users = [of("user", [3, 0, 11, 3])]
    add("typed", "shop", users, [by(LIKES)])
    add("typed, two", "shop", users, [by(LIKES, max_labels=2), by(FOLLOWS, role="negative")])
    add("typed, the other order", "shop", users, [by(FOLLOWS), by(LIKES, max_labels=4)],
        None, {"direction": "out"})  # fmt: skip
    add("disjoint", "shop", users, [by(LIKES, max_labels=2), by(FOLLOWS)], None,
        {"disjoint": True})  # fmt: skip
    add("disjoint, twice", "splitter", [10, 10], [by(label, max_labels=2)], None,
        {"disjoint": True})  # fmt: skip
    add("sampled", "mesh", [5, 0, 119], [by(TO, sampled=True, max_labels=3)], [-1])
    add("sampled, out", "mesh", [5, 0, 119], [by(TO, sampled=True)], [4, 3], {"direction": "out"})
    add("sampled, parallel edges", "odd", [1, 9, 5], [by(TO, sampled=True, max_labels=1)], [-1, 2])
    add("sampled and reverse", "odd", [1, 2, 5], [by(TO, sampled=True)], [-1, -1],
        {"exclude_mode": "reverse_id", "reverse_column": "reverse"})  # fmt: skip
    add("sampled and mirrored", "shop", users, [by(LIKES, sampled=True, max_labels=2)], [-1, 2],
        {"exclude_mode": "reverse_types",
         "reverse_types": [{"edge_type": LIKES, "reverse_type": REVERSE}]},
        exclude=[ids(FOLLOWS, [0, 1])])  # fmt: skip
    add("sampled, induced", "mesh", [5, 0, 119], [by(TO, sampled=True)], [2],
        {"subgraph": "induced"})  # fmt: skip
    add("excluded edges are labels", "splitter", split, [by(label)], None, None,
        exclude=[ids(label, [0, 1, 2, 3])])  # fmt: skip
    add("once for labels only", "mesh", [5], [by(TO, sampled=True), by(TO, name="only")], [2])
    at = [timed("node", [3, 0, 3, 77], [100, 250, 4, 0])]
    add("times", "timed", at, [by(TO, sampled=True, max_labels=2)], [4, 3], {"edge_time": "time"})
    add("times, typed", "timed shop", [timed("user", [3, 0, 11], [4, 9, -8])],
        [by(FOLLOWS, max_labels=2), by(LIKES)], [4, 3], {"edge_time": "time"})  # fmt: skip
    add("weights", "mesh", [5, 0], [by(TO, sampled=True, max_labels=2)], [4, 3],
        {"weight": "weight"})  # fmt: skip
    add("large row", "star 70000 source", [0, 5], [by(TO, max_labels=6)], [0])

    own = given("own")
    rows = [[5, -1, 2], [-1, -1, -1], [9, 9, 0]]
    add("given", "mesh", [5, 0, 119], [own], None, None, labels=[rows])
    add("given, no anchors", "mesh", [], [own], None, None, labels=[[]])
    items = given("items", "item", role="negative")
    add("given and found", "shop", users, [items, by(LIKES, max_labels=1)], None, None,
        labels=[[[0, 9], [-1, 3], [0, -1], [2, 2]], None])  # fmt: skip
    add("given, of another type", "shop", [of("tag", [1])], [items], None, {"disjoint": True},
        labels=[[[7, -1]]])  # fmt: skip

    add("no such edge type", "splitter", split, [by("node__none__node")])
    add("another type of anchors", "shop", [of("item", [1])], [by(LIKES)])
    add("two types of anchors", "shop", users, [by(LIKES), by(TAGS)])
    add("two lists", "shop", [of("user", [1]), of("item", [1])], [by(LIKES)])
    add("one name twice", "splitter", split, [by(label), by(label)])
    add("too many", "splitter", split, [by(label, max_labels=2**28 + 1)])
    add("anchor out of range", "splitter", [16], [by(label)])
    add("no name", "mesh", [1], [{}], None, None, labels=[[[1]]])
    add("labels with options", "mesh", [1], [{**own, "sampled": True}], None, None, labels=[[[1]]])
    add("labels with a cap", "mesh", [1], [{**own, "max_labels": 1}], None, None, labels=[[[1]]])
    add("two node types", "shop", users, [by(LIKES, node_type="item")])
    add("no labels given", "mesh", [1], [own])
    add("labels nobody wants", "mesh", [1], [by(TO)], None, None, labels=[[[1]]])
    add("labels of others", "mesh", [1], [own], None, None, labels=[[[1]], [[1]]])
    add("too few rows", "mesh", [1, 2], [own], None, None, labels=[[[1]]])
    add("label out of range", "mesh", [1], [own], None, None, labels=[[[120]]])
    add("label below -1", "mesh", [1], [own], None, None, labels=[[[-2]]])
    add("labels without supervisions", "mesh", [1], [], None, None, labels=[[[1]]])
    add("with negatives", "mesh", [1], [by(TO)], None, {"negatives": {"mode": "binary"}})
    add("with links", "mesh", [], [by(TO)], None, None, links=ids(TO, [1]))
    cases[-1]["request"]["seeds"] = []
    add("no times", "timed", [1], [by(TO)], None, {"edge_time": "time"})
    add("times for nothing", "mesh", at, [by(TO)])
    return {"graphs": anchor_graphs(), "cases": cases}
