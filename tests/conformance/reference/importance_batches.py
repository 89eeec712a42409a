"""Sections 8 and 9 of docs/contract.md: batches of importance neighbours and of personalised PageRank."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Optional, Union


from reference import neighbors, walk_batches
from reference.importance import (
    PPR,
    Importance,
    Node,
    Push,
    float32,
    merged,
    most_visited,
    near_key,
    places,
)
from reference.philox import RowDraws, batch_key
from reference.picks import NEVER, pick_uniform
from reference.neighbors import Graph, Options, Request, invalid, not_found
from reference.walks import Walk, Walker


@dataclass
class NearArrays:
    near_seed: list[int] = field(default_factory=list)
    near_node: list[int] = field(default_factory=list)
    near_score: list[list[float]] = field(default_factory=list)


@dataclass
class NearBatch(neighbors.Batch):
    near: dict[str, NearArrays] = field(default_factory=dict)


def check_request(request: Request) -> None:
    if request.links is not None or any(times is not None for times in request.times):
        raise invalid("neither links nor times")


def empty_edges(graph: Graph, hops: int) -> dict[str, neighbors.EdgeArrays]:
    return {t.name: neighbors.EdgeArrays(num_sampled_edges=[0] * hops) for t in graph.edge_types}


def sample(graph: Graph, options: Options, request: Request) -> NearBatch:
    """The batch; raises ContractError where the library would fail."""
    if options.importance is not None:
        return sample_importance(graph, options, request, options.importance)
    assert options.ppr is not None
    return sample_ppr(graph, options, request, options.ppr)


# ---- importance --------------------------------------------------------------------------------


def importance_path(graph: Graph, options: Options, wanted: Importance) -> tuple[list[str], str]:
    """The path, and the type at which it begins and ends."""
    if not 1 <= wanted.neighbors or not 1 <= wanted.hops <= 255:
        raise invalid(f"{wanted.neighbors} neighbors, {wanted.hops} hops")
    if not 1 <= wanted.walks * wanted.traversals <= 2**20:
        raise invalid(f"{wanted.walks} walks of {wanted.traversals} traversals")
    if not 0 <= wanted.stop <= 1:
        raise invalid(f"stop is {wanted.stop}")
    path = walk_batches.find_path(graph, options, Walk(length=1, path=wanted.path))
    types = walk_batches.node_types_of(graph, options, path)
    if types[0] != types[-1]:
        raise invalid(f"the path begins at {types[0]} and ends at {types[-1]}")
    weight = options.weight
    if weight is not None and not any(weight in graph.edge_type(t).columns for t in path):
        raise not_found(f"no edge type of the path has a column {weight}")
    return path, types[0]


def sample_importance(
    graph: Graph, options: Options, request: Request, wanted: Importance
) -> NearBatch:
    path, node_type = importance_path(graph, options, wanted)
    neighbors.check_seeds(graph, request)
    check_request(request)
    if any(name != node_type for name, _ in request.seeds):
        raise invalid(f"walks begin at {node_type}")
    excluded = neighbors.excluded_edges(graph, options, request)
    key = batch_key(options.seed, request.epoch, request.batch)

    def row(name: str, node: int) -> list[int]:
        edges = graph.edge_type(name).row(options.direction, node)
        return [edge for edge in edges if edge not in excluded[name]]

    def weights(name: str, edges: list[int]) -> Optional[list[float]]:
        column = graph.edge_type(name).columns.get(options.weight or "")
        return None if column is None else [float(column[edge]) for edge in edges]

    def walker(node: int, hop: int) -> Walker:
        return Walker(
            Walk(stop=wanted.stop),
            path,
            wanted.traversals * len(path),
            near_key(key, node, hop),
            row,
            lambda name, edge: graph.edge_type(name).neighbour(options.direction, edge),
            weights,
            lambda step: step > 0 and step % len(path) == 0,
        )

    ids = neighbors.LocalIds()
    nodes = {
        name: neighbors.NodeArrays(num_sampled_nodes=[0] * (wanted.hops + 1))
        for name in graph.node_types
    }
    own, out = nodes[node_type], NearArrays()
    own.seed = [ids.meet((None, node)) for _, seeds in request.seeds for node in seeds]
    begin, own.num_sampled_nodes = 0, [len(ids)]
    for hop in range(wanted.hops):
        end = len(ids)
        for local in range(begin, end):
            node = ids.identities[local][1]
            for x, share, count in most_visited(wanted, walker(node, hop), node):
                out.near_seed.append(local)
                out.near_node.append(ids.meet((None, x)))
                out.near_score.append([share, count])
        own.num_sampled_nodes.append(len(ids) - end)
        begin = end
    own.node = [node for _, node in ids.identities]
    return NearBatch(nodes, empty_edges(graph, wanted.hops), near={node_type: out})


# ---- personalised PageRank ---------------------------------------------------------------------


def check_ppr(graph: Graph, wanted: PPR) -> list[list[str]]:
    """Edge types to push along, of each push."""
    if wanted.neighbors < 1 or wanted.max_edges < 1 or wanted.row_limit < 0:
        raise invalid(f"{wanted.neighbors} neighbors")
    if not 1e-6 <= wanted.alpha <= 1 or not 1e-12 <= wanted.epsilon <= 1:
        raise invalid(f"alpha {wanted.alpha}, epsilon {wanted.epsilon}")
    chosen = [graph.edge_type(name).name for name in wanted.edge_types or []]
    if len(set(chosen)) != len(chosen):
        raise invalid("an edge type is named twice")
    allowed = chosen or [t.name for t in graph.edge_types]
    if not wanted.channels:
        return [allowed]
    if len(wanted.channels) > 64:
        raise invalid(f"{len(wanted.channels)} channels")
    for channel in wanted.channels:
        names = [graph.edge_type(name).name for name in channel.edge_types]
        if not names or len(set(names)) != len(names) or not set(names) <= set(allowed):
            raise invalid(f"a channel of {names}")
        if not 0 < channel.share < math.inf:
            raise invalid(f"a share of {channel.share}")
    if not abs(sum(channel.share for channel in wanted.channels) - 1) <= 1e-6:
        raise invalid("the shares do not add up to 1")
    return [channel.edge_types for channel in wanted.channels]


def sample_ppr(graph: Graph, options: Options, request: Request, wanted: PPR) -> NearBatch:
    pushes = check_ppr(graph, wanted)
    if options.weight is not None:
        raise invalid("weights")
    neighbors.check_seeds(graph, request)
    check_request(request)
    if len(request.seeds) > 1:
        raise invalid("seeds of several types")
    excluded = neighbors.excluded_edges(graph, options, request)
    key = batch_key(options.seed, request.epoch, request.batch)

    def rows(chosen: list[str], node: Node) -> list[tuple[int, neighbors.EdgeType, list[int]]]:
        found = []
        for number, edge_type in enumerate(graph.edge_types):
            if edge_type.name in chosen and edge_type.near_type(options.direction) == node[0]:
                row = edge_type.row(options.direction, node[1])
                row = [edge for edge in row if edge not in excluded[edge_type.name]]
                found.append((number, edge_type, row))
        return found

    def taken(chosen: list[str], node: Node) -> list[Node]:
        ends: list[Node] = []
        for number, edge_type, row in rows(chosen, node):
            draws = RowDraws(key, number, 0, node[1], len(row))
            limit = wanted.row_limit or -1
            far = edge_type.far_type(options.direction)
            for position in pick_uniform(draws, len(row), limit, NEVER):
                ends.append((far, edge_type.neighbour(options.direction, row[position])))
        return ends

    def pushed(chosen: list[str], seed: Node) -> Push:
        push = Push(
            wanted,
            lambda node: taken(chosen, node),
            lambda node: sum(len(row) for _, _, row in rows(chosen, node)),
        )
        push.run(seed)
        return push

    def neighbours(found: list[Push], name: str) -> list[tuple[int, list[float]]]:
        if not wanted.channels:
            return [(x, [value, proximity]) for x, value, proximity in found[0].neighbours(name)]
        own = [push.neighbours(name) for push in found]
        shares = [channel.share for channel in wanted.channels]
        return merged(own, places(shares, wanted.neighbors), wanted.neighbors)

    ids = {name: neighbors.LocalIds() for name in graph.node_types}
    nodes = {name: neighbors.NodeArrays() for name in graph.node_types}
    seed_type = request.seeds[0][0] if request.seeds else next(iter(graph.node_types))
    for _, seeds in request.seeds:
        nodes[seed_type].seed = [ids[seed_type].meet((None, node)) for node in seeds]
    distinct = {name: len(own) for name, own in ids.items()}
    out = {name: NearArrays() for name in graph.node_types}
    for local in range(distinct[seed_type]):
        seed = (seed_type, ids[seed_type].identities[local][1])
        found = [pushed(chosen, seed) for chosen in pushes]
        for name in graph.node_types:
            for x, columns in neighbours(found, name):
                out[name].near_seed.append(local)
                out[name].near_node.append(ids[name].meet((None, x)))
                out[name].near_score.append([float32(column) for column in columns])
    for name, arrays in nodes.items():
        arrays.node = [node for _, node in ids[name].identities]
        arrays.num_sampled_nodes = [distinct[name], len(arrays.node) - distinct[name]]
    return NearBatch(nodes, empty_edges(graph, 1), near=out)


def to_json(
    arrays: dict[str, NearArrays]
) -> dict[str, dict[str, Union[list[int], list[list[float]]]]]:
    return {name: dict(vars(own)) for name, own in arrays.items()}
