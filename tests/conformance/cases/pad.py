"""Cases of pad.json: batches of one shape, of every kind of sampler and of seeds."""

from __future__ import annotations

from typing import Any, Optional

from cases import graphs
from cases.anchors import FOLLOWS, LIKES, by, given
from cases.hgt import of_all
from cases.common import Json
from cases.time import MIXED, with_times
from cases.walks import I2U, KNOWS, TO, U2I, two_way


def fanouts(*per_hop: int) -> list[Json]:
    return [{"edge_type": None, "per_hop": list(per_hop)}]


def pad_file() -> Json:
    cases: list[Json] = []

    def add(
        name: str,
        graph: str,
        seeds: str,
        options: Json,
        pad: Optional[Json] = None,
        show: Optional[list[int]] = None,
        about: str = "padding",
        **loader: Any,
    ) -> None:
        case: Json = {"name": name, "about": about, "kind": "pad", "graph": graph}
        edges = "importance" not in options and "ppr" not in options
        case["options"] = {"fanouts": fanouts(3, 2), "edge_ids": edges, **options}
        case["loader"] = {"type": seeds, "batch_size": 5, **loader}
        case["pad"] = {"multiple": 4, "sigma": 6, **(pad or {})}
        cases.append({**case, "show": [0] if show is None else show})

    # ---- nodes
    add("nodes", "mesh", "node", {}, show=[0, 7])
    add("the last batch has fewer seeds", "mesh", "node", {}, batch_size=7, show=[4])
    add("shuffled", "mesh", "node", {"seed": "3"}, shuffle=True, epoch="2", show=[3])
    add("estimates of few batches", "mesh", "node", {}, {"batches": 3, "sigma": 0.5}, [0, 4, 7])
    add("estimates as they are by default", "mesh", "node", {}, {"multiple": 64, "sigma": 3})
    add("seeds that repeat", "mesh", "node", {}, ids=[4, 4, 9, 4, 0, 9, 9], show=[0, 1])
    add("several types", "shop", "user", {}, show=[0, 2])
    add("without edge ids", "shop", "item", {"edge_ids": False}, show=[1])
    add("along edges", "shop", "user", {"direction": "out"}, show=[2])
    add("along edges, toward seeds", "shop", "user", {"direction": "out", "toward_seeds": True},
        show=[2])  # fmt: skip
    add("trees", "shop", "user", {"disjoint": True}, show=[2])
    add("times", "timed shop", "user", {"node_time": "time"}, show=[2])
    add("induced", "mesh", "node", {"subgraph": "induced"}, show=[6], batch_size=6)
    add("induced, no hops", "mesh", "node", {"subgraph": "induced", "fanouts": []}, show=[0])
    add("both ways", "mesh", "node", {"subgraph": "bidirectional"}, show=[6], batch_size=6)
    add("types that are not reached", "islands", "lonely", {}, batch_size=2)
    add("without the last", "mesh", "node", {}, batch_size=7, drop_last=True, show=[3])

    # ---- what fits, by one row
    sure: Json = {"fanouts": fanouts(1), "subgraph": "induced"}
    ring: Json = {"ids": [0, 1, 2], "batch_size": 3}
    for nodes, rows in ((6, 7), (5, 7), (6, 6), (8, 8), (5, 6)):
        add(f"{nodes} nodes and {rows} edges", "ring 10", "node", sure,
            {"sizes": [["node", nodes], [TO, rows]]}, **ring)  # fmt: skip
    add("a size of nodes alone", "shop", "user", {}, {"sizes": [["item", 3]]}, [0, 2])
    add("a size of edges alone", "shop", "user", {}, {"sizes": [[LIKES, 1]]}, [0])

    # ---- links
    add("links", "shop", LIKES, {}, links=True, show=[0, 6])
    add("links of one type, excluded", "mesh", TO, {"exclude_links": True}, links=True,
        ids=[3, 90, 90, 4, 11, 7], show=[0, 1])  # fmt: skip
    for mode, amount in (("binary", 1), ("binary", 1.3), ("triplet", 2)):
        for graph, kind in (("shop", LIKES), ("mesh", TO)):
            drawn = {"negatives": {"mode": mode, "amount": amount}}
            add(f"{mode}, {amount}, {graph}", graph, kind, drawn, links=True,
                ids=[3, 30, 30, 4, 11, 7, 1], show=[0, 1])  # fmt: skip
        short = {"mode": mode, "amount": amount, "strict": True, "tries": 1, "allow_short": True}
        add(f"{mode}, {amount}, some are not found", "shop", LIKES, {"negatives": short},
            links=True, show=[1, 6])  # fmt: skip
    add("links, too many edges", "shop", LIKES, {"negatives": {"mode": "binary"}},
        {"sizes": [[LIKES, 2]]}, [6], links=True)  # fmt: skip

    # ---- walks and neighbours
    walk = {"fanouts": [], "walk": {"length": 3, "walks": 2, "stop": 0.2}}
    add("walks", "mesh", "node", walk, batch_size=7, show=[4, 5])
    add("walks without edge ids", "mesh", "node", {**walk, "edge_ids": False}, show=[0])
    path = {"fanouts": [], "walk": {"path": [U2I, I2U], "length": 4}, "direction": "out"}
    add("walks along a path", "two way", "user", path, batch_size=7, show=[4])
    add("walks, induced", "mesh", "node", {**walk, "subgraph": "induced"}, batch_size=7, show=[4])
    add("walks, too many nodes", "mesh", "node", walk, {"sizes": [["node", 8]]}, [1])
    importance = {"neighbors": 3, "path": [U2I, I2U], "walks": 6, "traversals": 2, "hops": 2}
    add("importance", "two way", "user", {"fanouts": [], "importance": importance,
        "direction": "out"}, batch_size=7, show=[0, 4])  # fmt: skip
    ppr = {"fanouts": [], "ppr": {"neighbors": 4, "epsilon": 0.01}}
    add("personalised PageRank", "two way", "item", ppr, batch_size=7, show=[2])
    add("personalised PageRank, more than fits", "two way", "item", ppr,
        {"sigma": 0.001, "batches": 1, "multiple": 1}, [1, 2], batch_size=7)  # fmt: skip
    channels = [{"edge_types": [U2I, I2U], "share": 0.75}, {"edge_types": [KNOWS], "share": 0.25}]
    add("channels", "two way", "user", {"fanouts": [], "ppr": {"neighbors": 4, "epsilon": 0.01,
        "channels": channels}}, batch_size=8, show=[3])  # fmt: skip

    # ---- budgets
    budget = {"fanouts": [], "hgt": {"samples": of_all(4, 3)}}
    add("budgets", "two way", "user", budget, batch_size=7, show=[0, 4])

    # ---- anchors
    capped = {"supervisions": [by(LIKES, max_labels=2)]}
    add("anchors", "shop", "user", capped, show=[0, 2])
    add("anchors whose labels are of their type", "shop", "user",
        {"supervisions": [by(FOLLOWS, max_labels=2), by(LIKES, max_labels=1, sampled=True)]},
        show=[2])  # fmt: skip
    labels = [[v % 10, -1, (v * 3) % 10] for v in range(12)]
    add("anchors and labels that are given", "shop", "user",
        {"supervisions": [given("no", "item", role="negative"), by(FOLLOWS, max_labels=3)]},
        labels=[labels, None], show=[0, 2])  # fmt: skip
    add("anchors with times", "timed shop", "user",
        {"node_time": "time", "supervisions": [by(FOLLOWS, max_labels=2)]}, show=[2])  # fmt: skip
    add("anchors without a cap", "shop", "user", {"supervisions": [by(LIKES)]}, show=[])

    # ---- drawn seeds and clusters
    add("drawn", "mesh", "node", {"seed": "5"}, batches=3, show=[2])
    parts = [(v * 7) % 6 - 1 for v in range(40)]
    add("clusters", "mesh", "node", {"fanouts": [], "subgraph": "induced"}, clusters=parts,
        batch_size=2, show=[0, 2])  # fmt: skip
    add("clusters that are larger than most", "mesh", "node",
        {"fanouts": [], "subgraph": "induced"}, {"sigma": 0.001, "multiple": 1}, [0, 1],
        clusters=[0] * 30 + [1] * 10, batch_size=1)  # fmt: skip
    add("clusters and hops", "mesh", "node", {"fanouts": fanouts(2)}, clusters=parts,
        batch_size=2, show=[0, 2])  # fmt: skip

    # ---- errors
    add("a size of no type", "mesh", "node", {}, {"sizes": [["nodes", 9]]}, [])
    add("a size of 0", "mesh", "node", {}, {"sizes": [["node", 0]]}, [])
    add("no batches to estimate from", "mesh", "node", {}, None, [], ids=[])

    mesh = graphs.mesh("mesh", 40, 200, [1, 2, 0, 4])
    shop = graphs.shop()
    timed_shop = {**with_times(shop, MIXED, MIXED[::-1]), "name": "timed shop"}
    return {
        "graphs": [
            mesh,
            shop,
            timed_shop,
            graphs.ring("ring 10", 10),
            graphs.islands(),
            two_way(),
        ],
        "cases": cases,
    }
