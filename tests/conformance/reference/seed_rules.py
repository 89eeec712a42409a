"""Section 4 of docs/contract.md: seeds that are drawn, and seeds by clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

from reference import links, order
from reference.philox import RowDraws, draw_key

from reference.neighbors import Graph, invalid, not_found


@dataclass
class Seeds:
    """The list of seeds of a loader: nodes of a type, or edges of a type as links."""

    graph: Graph
    type: str
    links: bool
    ids: list[int]

    def column(self, name: str) -> list[float]:
        if self.links:
            columns: dict[str, Any] = dict(self.graph.edge_type(self.type).columns)
        else:
            columns = dict(self.graph.node_columns.get(self.type, {}))
        if name not in columns:
            raise not_found(f"{self.type} has no column {name}")
        return list(columns[name])


def weights_of(seeds: Seeds, law: Optional[str], column: Optional[str]) -> Optional[list[float]]:
    """A weight for each seed; None: all alike."""
    graph = seeds.graph
    if column is not None:
        if law is not None:
            raise invalid("a law and a column")
        values = seeds.column(column)
        return [float(values[i]) for i in seeds.ids]
    if law is None:
        return None
    if seeds.links != (law == "inverse_degree"):
        raise invalid(f"{law} is not for such seeds")
    if law == "degree":
        sources = [s for t in graph.edge_types if t.source_type == seeds.type for s in t.source]
        return [float(sources.count(node)) for node in seeds.ids]
    edges = graph.edge_type(seeds.type)
    return [
        1.0 / float(edges.source.count(edges.source[e]))
        + 1.0 / float(edges.target.count(edges.target[e]))
        for e in seeds.ids
    ]


def drawn(
    seeds: Seeds,
    batch_size: int,
    batches: int,
    law: Optional[str],
    column: Optional[str],
    key: tuple[int, int],
    show: list[int],
) -> tuple[int, list[list[int]]]:
    """Batches of an epoch, and the positions of the seeds of some of them."""
    n = len(seeds.ids)
    real = batches or order.count_batches(n, batch_size, False)
    weights = weights_of(seeds, law, column)
    draw = links.uniform(n) if weights is None else links.weighted(weights)
    if draw is None and real > 0:
        raise invalid("nothing can be drawn")
    out = []
    for batch in show:
        assert draw is not None
        words = RowDraws(draw_key(*key, batch), 0, 0, 0, 0)
        out.append([draw(words, i) for i in range(batch_size)])
    return real, out


def clustered(
    seeds: Seeds,
    batch_size: int,
    clusters: list[int],
    drop_last: bool,
    permutation_key: Optional[tuple[int, int]],
    show: list[int],
) -> tuple[int, list[list[int]]]:
    if seeds.links:
        raise invalid("links have no clusters")
    nodes = dict(seeds.graph.node_types)[seeds.type]
    if len(clusters) != nodes or any(cluster >= nodes for cluster in clusters):
        raise invalid("clusters")
    count = max([0, *(cluster + 1 for cluster in clusters)])
    permutation = order.shuffled(count, *permutation_key) if permutation_key else None
    out = []
    for batch in show:
        chosen = order.seed_positions(batch, count, batch_size, permutation)
        out.append([i for c in chosen for i, node in enumerate(seeds.ids) if clusters[node] == c])
    return order.count_batches(count, batch_size, drop_last), out


def replay_seed_sets(case: dict[str, Any], graphs: dict[str, Graph]) -> dict[str, Any]:
    """Seeds of several types."""
    graph, of_links = graphs[case["graph"]], case.get("links", False)
    if of_links:
        sizes = {t.name: len(t.source) for t in graph.edge_types}
    else:
        sizes = dict(graph.node_types)
    given = {s["type"]: s.get("ids") for s in case["sets"]}
    if len(given) < len(case["sets"]):
        raise invalid("a type is given twice")
    counts = {}
    for name in sizes:  # in the manifest's order
        if name in given:
            ids = given[name] if given[name] is not None else range(sizes[name])
            if any(not 0 <= node < sizes[name] for node in ids):
                raise invalid("a seed is out of range")
            counts[name] = len(ids)
    total = sum(counts.values())
    key = (int(case.get("seed", "0")), int(case.get("epoch", "0")))
    permutation = order.shuffled(total, *key) if case.get("shuffle", False) else None
    out = []
    for batch in case["show"]:
        found: dict[str, list[int]] = {name: [] for name in counts}
        for position in order.seed_positions(batch, total, case["batch_size"], permutation):
            for name, count in counts.items():
                if position < count:
                    found[name].append(position)
                    break
                position -= count
        out.append(found)
    batches = order.count_batches(total, case["batch_size"], case.get("drop_last", False))
    return {"epoch_batches": batches, "positions": out}


def replay_seeds(case: dict[str, Any], graphs: dict[str, Graph]) -> dict[str, Any]:
    graph = graphs[case["graph"]]
    of_links = case.get("links", False)
    if of_links:
        all_ids = range(len(graph.edge_type(case["type"]).source))
    else:
        all_ids = range(dict(graph.node_types)[case["type"]])
    seeds = Seeds(graph, case["type"], of_links, list(case.get("ids", all_ids)))
    key = (int(case.get("seed", "0")), int(case.get("epoch", "0")))
    shuffle, drop_last = case.get("shuffle", False), case.get("drop_last", False)
    if case["rule"] == "draw":
        if shuffle or drop_last:
            raise invalid("draws have no order")
        real, positions = drawn(
            seeds,
            case["batch_size"],
            case.get("batches", 0),
            case.get("law"),
            case.get("weight"),
            key,
            case["show"],
        )
    else:
        clusters = case["clusters"] if "clusters" in case else None
        if clusters is None:
            clusters = [int(c) for c in seeds.column(case["cluster"])]
        real, positions = clustered(
            seeds, case["batch_size"], clusters, drop_last, key if shuffle else None, case["show"]
        )
    return {"epoch_batches": real, "positions": positions}
