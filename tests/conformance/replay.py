"""Runs a case of the vector files through the reference: from what is given to what is expected."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from reference import (
    anchors,
    codes,
    hgt,
    importance,
    importance_batches,
    links,
    neighbors,
    order,
    padding,
    philox,
    seed_rules,
    walk_batches,
    walks,
)
from reference.picks import ContractError, pick_uniform, pick_weighted

Json = dict[str, Any]
Graphs = dict[str, neighbors.Graph]

_MASK64 = 0xFFFFFFFFFFFFFFFF
_DIGEST_START = 14695981039346656037
_DIGEST_PRIME = 1099511628211


def digest(values: Sequence[int]) -> Json:
    """The short form of a long array: its length and an FNV-1a taken over whole numbers."""
    h = _DIGEST_START
    for value in values:
        h = ((h ^ value) * _DIGEST_PRIME) & _MASK64
    return {"length": len(values), "digest": str(h)}


# ---- philox, keys, draws, pick -----------------------------------------------------------------


def replay_philox(case: Json, _: Graphs) -> Json:
    return {"words": list(philox.philox(case["counter"], case["key"]))}


def replay_keys(case: Json, _: Graphs) -> Json:
    seed, epoch, batch, tree = (int(case[k]) for k in ("seed", "epoch", "batch", "tree"))
    return {
        "epoch_key_1": str(philox.epoch_key(seed, epoch, 1)),
        "batch_key": str(philox.batch_key(seed, epoch, batch)),
        "tree_key": str(philox.tree_key(seed, epoch, batch, tree)),
        "order_key": str(philox.order_key(seed, epoch)),
    }


def _row_draws(case: Json, degree: int) -> philox.RowDraws:
    return philox.RowDraws(
        int(case["key"]), case["edge_type"], case["hop"], int(case["node"]), degree
    )


def replay_draws(case: Json, _: Graphs) -> Json:
    draws = _row_draws(case, case["degree"])
    count = range(case["count"])
    return {
        "u32": [draws.u32(j) for j in count],
        "u64": [str(draws.u64(j)) for j in count],
        "below": [draws.below(j, case["degree"]) for j in count],
    }


def replay_pick(case: Json, _: Graphs) -> Json:
    fanout, replace = case["fanout"], case["replace"]
    if "weights" in case:
        weights = [float(w) for w in case["weights"]]
        draws = _row_draws(case, len(weights))
        return {"positions": pick_weighted(draws, weights, fanout, replace)}
    draws = _row_draws(case, case["degree"])
    return {"positions": pick_uniform(draws, case["degree"], fanout, replace)}


# ---- order, plan -------------------------------------------------------------------------------


def replay_order(case: Json, _: Graphs) -> Json:
    permutation = order.shuffled(case["n"], int(case["seed"]), int(case["epoch"]))
    positions = case.get("positions", range(case["n"]))
    return {"values": [permutation(i) for i in positions]}


def replay_plan(case: Json, _: Graphs) -> Json:
    n, batch_size = case["n"], case["batch_size"]
    permutation: Optional[order.KeyedPermutation] = None
    if case.get("shuffle", False):
        permutation = order.shuffled(n, int(case["seed"]), int(case["epoch"]))
    real = order.count_batches(n, batch_size, case.get("drop_last", False))
    done = case.get("done_steps", 0) * case.get("done_world", 1)
    batches = order.trainer_batches(
        real, case.get("even", order.NONE), case["world"], case["rank"], done
    )
    return {
        "epoch_batches": real,
        "batches": batches,
        "positions": [
            order.seed_positions(b, n, batch_size, permutation) for b in batches[: case["show"]]
        ],
    }


# ---- sample ------------------------------------------------------------------------------------


def edge_set_from(json: Json) -> neighbors.EdgeSet:
    if "ids" in json:
        return neighbors.EdgeSet(json["edge_type"], ids=json["ids"])
    return neighbors.EdgeSet(json["edge_type"], pairs=(json["source"], json["target"]))


def options_from(json: Json) -> neighbors.Options:
    return neighbors.Options(
        fanouts=[neighbors.Fanout(f["edge_type"], f["per_hop"]) for f in json["fanouts"]],
        seed=int(json.get("seed", "0")),
        direction=json.get("direction", "in"),
        replace=json.get("replace", "never"),
        weight=json.get("weight"),
        edge_ids=json.get("edge_ids", False),
        disjoint=json.get("disjoint", False),
        toward_seeds=json.get("toward_seeds", False),
        exclude=[edge_set_from(e) for e in json.get("exclude", [])],
        exclude_mode=json.get("exclude_mode", "self"),
        reverse_column=json.get("reverse_column"),
        reverse_types=[(p["edge_type"], p["reverse_type"]) for p in json.get("reverse_types", [])],
        node_time=json.get("node_time"),
        edge_time=json.get("edge_time"),
        time_strict=json.get("time_strict", False),
        time_window=json.get("time_window", 0),
        time_strategy=json.get("time_strategy", "uniform"),
        subgraph=json.get("subgraph", "sampled"),
        negatives=links.Negatives(**json.get("negatives", {})),
        exclude_links=json.get("exclude_links", False),
        supervisions=[anchors.Supervision(**s) for s in json.get("supervisions", [])],
        walk=walks.Walk(**json["walk"]) if "walk" in json else None,
        pick=json.get("pick", "independent"),
        batch_dependency=json.get("batch_dependency", 0),
        layer_dependent=json.get("layer_dependent", False),
        importance=importance.Importance(**json["importance"]) if "importance" in json else None,
        ppr=importance.ppr_from(json["ppr"]) if "ppr" in json else None,
        hgt=neighbors.Hgt(**json["hgt"]) if "hgt" in json else None,
    )


def request_from(json: Json) -> neighbors.Request:
    return neighbors.Request(
        seeds=[(s["node_type"], seed_ids(s)) for s in json["seeds"]],
        epoch=int(json.get("epoch", "0")),
        batch=int(json.get("batch", "0")),
        exclude=[edge_set_from(e) for e in json.get("exclude", [])],
        times=[s.get("times") for s in json["seeds"]],
        links=links_from(json["links"]) if "links" in json else None,
        labels=json.get("labels", []),
    )


def links_from(json: Json) -> links.Links:
    pairs = (json["source"], json["target"]) if "source" in json else None
    return links.Links(
        json["edge_type"], json.get("ids"), pairs, json.get("times"), json.get("labels")
    )


def seed_ids(seeds: Json) -> list[int]:
    if "range" in seeds:
        first, count, step = (seeds["range"][k] for k in ("first", "count", "step"))
        return [first + i * step for i in range(count)]
    return list(seeds["ids"])


def batch_to_json(
    batch: neighbors.Batch, short: bool, supervisions: Sequence[anchors.Supervision] = ()
) -> Json:
    shown: Callable[[list[int]], Any] = digest if short else list
    nodes: Json = {}
    for name, n in batch.nodes.items():
        nodes[name] = {"node": shown(n.node), "seed": shown(n.seed)}
        if n.batch is not None:
            nodes[name]["batch"] = shown(n.batch)
        if n.seed_time is not None:
            nodes[name]["seed_time"] = shown(n.seed_time)
        nodes[name]["num_sampled_nodes"] = n.num_sampled_nodes
    edges: Json = {}
    for name, e in batch.edges.items():
        edges[name] = {"row": shown(e.row), "col": shown(e.col)}
        if e.edge is not None:
            edges[name]["edge"] = shown(e.edge)
        edges[name]["num_sampled_edges"] = e.num_sampled_edges
    if isinstance(batch, walk_batches.WalkBatch) and batch.walks is not None:
        node_type, walked = batch.walks
        rows: Json = {"walk": walked.walk}
        if walked.walk_edge is not None:
            rows["walk_edge"] = walked.walk_edge
        return {"nodes": nodes, "edges": edges, "walks": {node_type: rows}}
    if batch.labels is not None:
        labels = [
            {"node_type": name, "name": s.array[0], "role": s.role, "label": rows}
            for s, (name, rows) in zip(supervisions, batch.labels)
        ]
        return {"nodes": nodes, "edges": edges, "labels": labels}
    if isinstance(batch, importance_batches.NearBatch):
        return {"nodes": nodes, "edges": edges, "near": importance_batches.to_json(batch.near)}
    if batch.links is None:
        return {"nodes": nodes, "edges": edges}
    name, arrays = batch.links
    named: Json = {"source": arrays.source, "target": arrays.target}
    if arrays.negative is not None:
        named["negative"] = arrays.negative
    if arrays.label is not None:
        named["label"] = arrays.label
    return {"nodes": nodes, "edges": edges, "links": {name: named}}


def sample(
    graph: neighbors.Graph, options: neighbors.Options, request: neighbors.Request
) -> neighbors.Batch:
    """A batch of any kind."""
    if options.walk is not None:
        return walk_batches.sample(graph, options, request)
    if options.importance is not None or options.ppr is not None:
        return importance_batches.sample(graph, options, request)
    if options.hgt is not None:
        return hgt.sample(graph, options, request)
    return neighbors.sample(graph, options, request)


def replay_sample(case: Json, graphs: Graphs) -> Json:
    options, request = options_from(case["options"]), request_from(case["request"])
    batch = sample(graphs[case["graph"]], options, request)
    return batch_to_json(batch, case.get("short", False), options.supervisions)


# ---- padded batches ----------------------------------------------------------------------------


def replay_pad(case: Json, graphs: Graphs) -> Json:
    graph, options = graphs[case["graph"]], options_from(case["options"])
    return padding.replay_pad(case, graph, options, lambda r: sample(graph, options, r))


# ------------------------------------------------------------------------------------------------

REPLAYS: dict[str, Callable[[Json, Graphs], Json]] = {
    "philox": replay_philox,
    "keys": replay_keys,
    "draws": replay_draws,
    "pick": replay_pick,
    "order": replay_order,
    "plan": replay_plan,
    "seeds": seed_rules.replay_seeds,
    "seed_sets": seed_rules.replay_seed_sets,
    "sample": replay_sample,
    "codes": codes.replay_codes,
    "pad": replay_pad,
}


def replay(case: Json, graphs: Graphs) -> Json:
    """What the case should hold besides its input: {"expected": ...} or {"error": status name}."""
    try:
        return {"expected": REPLAYS[case["kind"]](case, graphs)}
    except ContractError as error:
        return {"error": error.status}
