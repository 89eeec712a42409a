"""Cases of seeds.json: seeds that are drawn, and seeds by clusters."""

from __future__ import annotations

from typing import Any

from cases import graphs
from cases.common import Json
from cases.walks import two_way

TO = "node__to__node"


def seeds_file() -> Json:
    cases: list[Json] = []

    def add(name: str, graph: str, kind: str, rule: str, batch_size: int, **more: Any) -> None:
        case = {"name": name, "about": rule, "kind": "seeds", "graph": graph, "type": kind}
        cases.append({**case, "rule": rule, "batch_size": batch_size, **{"show": [0], **more}})

    add("drawn", "mesh", "node", "draw", 7, show=[0, 1, 17])
    add("drawn, seed and epoch", "mesh", "node", "draw", 7, seed="9", epoch="4", show=[0, 3])
    add("drawn, more than there are", "mesh", "node", "draw", 200, show=[0])
    add("drawn, of some", "mesh", "node", "draw", 9, ids=[5, 3, 5, 117], show=[0])
    add("drawn, many batches", "mesh", "node", "draw", 4, batches=1000, show=[0, 999])
    add("drawn, fewer batches", "mesh", "node", "draw", 4, batches=2, show=[1])
    add("drawn by weight", "loaded", "node", "draw", 30, weight="weight", batches=2, show=[0, 1])
    add("drawn by weight, of some", "loaded", "node", "draw", 30, weight="weight",
        ids=[7, 1, 2, 7, 0], show=[0])  # fmt: skip
    add("drawn, weights of 0", "loaded", "node", "draw", 3, weight="weight", ids=[2, 7])
    add("drawn, no such column", "mesh", "node", "draw", 3, weight="height")
    add("drawn by degree", "mesh", "node", "draw", 40, law="degree", show=[0, 2])
    add("drawn by degree, of some", "odd", "node", "draw", 40, law="degree", ids=[0, 1, 2, 3])
    add("drawn by degree, several types", "two way", "user", "draw", 20, law="degree")
    add("drawn by degree, no edges", "two way", "tag", "draw", 2, law="degree")
    add("drawn by inverse degree of nodes", "mesh", "node", "draw", 2, law="inverse_degree")
    add("drawn links", "mesh", TO, "draw", 12, links=True, batches=3, show=[0, 2])
    add("drawn links, by weight", "mesh", TO, "draw", 12, links=True, weight="weight")
    add("drawn links, by inverse degree", "mesh", TO, "draw", 30, links=True,
        law="inverse_degree", show=[0, 5])  # fmt: skip
    add("drawn links, by inverse degree, of some", "odd", TO, "draw", 9, links=True,
        law="inverse_degree", ids=[9, 2, 2, 0])  # fmt: skip
    add("drawn links, several types", "two way", "user__u2i__item", "draw", 9, links=True,
        law="inverse_degree")  # fmt: skip
    add("drawn links by degree", "mesh", TO, "draw", 2, links=True, law="degree")
    add("a law and a column", "loaded", "node", "draw", 2, law="degree", weight="weight")
    add("drawn and shuffled", "mesh", "node", "draw", 2, shuffle=True)
    add("drawn, without the last", "mesh", "node", "draw", 2, drop_last=True)
    add("drawn of none", "mesh", "node", "draw", 2, ids=[], batches=1)
    add("drawn of none, no batches", "mesh", "node", "draw", 2, ids=[], show=[])

    parts = [(v * 7) % 10 for v in range(120)]
    every = list(range(4))
    add("clusters", "mesh", "node", "cluster", 3, clusters=parts, show=every)
    add("clusters, shuffled", "mesh", "node", "cluster", 3, clusters=parts, shuffle=True,
        seed="3", epoch="2", show=every)  # fmt: skip
    add("clusters, without the last", "mesh", "node", "cluster", 3, clusters=parts,
        drop_last=True, show=[0, 1, 2])  # fmt: skip
    add("one cluster", "mesh", "node", "cluster", 1, clusters=[0] * 120)
    add("clusters, of some", "mesh", "node", "cluster", 5, clusters=parts,
        ids=[99, 4, 99, 0, 50, 3], show=[0, 1])  # fmt: skip
    add("nodes in none, empty clusters", "mesh", "node", "cluster", 2,
        clusters=[-1, 4, -7, 2] * 30, show=[0, 1, 2])  # fmt: skip
    add("no clusters", "mesh", "node", "cluster", 2, clusters=[-1] * 120, show=[])
    add("clusters of a column", "loaded", "node", "cluster", 2, cluster="time", shuffle=True,
        show=[0, 1])  # fmt: skip
    add("clusters of no column", "mesh", "node", "cluster", 2, cluster="time")
    add("clusters of too few", "mesh", "node", "cluster", 2, clusters=[0] * 119)
    add("clusters beyond the nodes", "mesh", "node", "cluster", 2, clusters=[120] + [0] * 119)
    add("clusters of a type", "two way", "item", "cluster", 1, clusters=[1, 0] * 10, show=[0, 1])
    add("clusters of links", "mesh", TO, "cluster", 2, links=True, clusters=parts)

    loaded = graphs.homogeneous("loaded", 8, source=[0, 1, 1], target=[1, 2, 3])
    loaded["node_types"][0].update(weight_cycle=[0.5, 2, 0, 1e-3, 7], time_cycle=[3, -1, 0, 2])
    mesh = graphs.mesh("mesh", 120, 2000, [1, 2, 0, 4])
    return {"graphs": [mesh, graphs.odd(), two_way(), loaded], "cases": cases}
