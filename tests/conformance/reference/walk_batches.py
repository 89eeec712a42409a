"""Section 6 of docs/contract.md: a batch of random walks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Optional

from reference import neighbors
from reference.philox import batch_key
from reference.neighbors import Graph, Options, Request, invalid, not_found
from reference.walks import Walk, Walker


@dataclass
class WalkArrays:
    """A row for each walk; -1 after its end. Columns have the types that the path gives them."""

    walk: list[list[int]]
    walk_edge: Optional[list[list[int]]] = None


@dataclass
class WalkBatch(neighbors.Batch):
    walks: Optional[tuple[str, WalkArrays]] = None


def check_numbers(walk: Walk) -> None:
    if not 0 <= walk.length <= 2**20 or not 1 <= walk.walks <= 2**20:
        raise invalid(f"{walk.walks} walks of {walk.length} steps")
    for bias in (walk.p, walk.q):
        if not (bias > 0 and math.isfinite(bias) and math.isfinite(1 / bias)):
            raise invalid(f"p or q is {bias}")
    for probability in (walk.restart, walk.stop):
        if not 0 <= probability <= 1:
            raise invalid(f"restart or stop is {probability}")


def node_types_of(graph: Graph, options: Options, path: list[str]) -> list[str]:
    """Where the path begins, and where each of its steps ends."""
    types: list[str] = []
    for name in path:
        edge_type = graph.edge_type(name)
        near, far = edge_type.near_type(options.direction), edge_type.far_type(options.direction)
        if types and types[-1] != near:
            raise invalid(f"{name} does not begin at {types[-1]}")
        types += [far] if types else [near, far]
    return types


def find_path(graph: Graph, options: Options, walk: Walk) -> list[str]:
    if walk.path:
        return [graph.edge_type(name).name for name in walk.path]
    only = graph.edge_types[0]
    if len(graph.edge_types) != 1 or only.source_type != only.target_type or walk.length == 0:
        raise invalid("no path")
    return [only.name]


def check_path(walk: Walk, path: list[str], types: list[str]) -> None:
    if walk.length > len(path) and types[-1] != types[0]:
        raise invalid(f"the path of {len(path)} steps cannot begin again")
    if walk.restart > 0 and len(set(types)) > 1:
        raise invalid("restart on a path of several node types")
    if (walk.p != 1 or walk.q != 1) and len({*path}) + len({*types}) > 2:
        raise invalid("p or q on a path of several types")


def induced_edges(
    graph: Graph, options: Options, request: Request, ids: dict[str, neighbors.LocalIds]
) -> dict[str, neighbors.EdgeArrays]:
    """Those of the batch without hops whose seeds are the nodes met."""
    met = [(name, [node for _, node in own.identities]) for name, own in ids.items()]
    no_hops = neighbors.Request(seeds=met, exclude=request.exclude, times=[None] * len(met))
    return neighbors.sample(graph, replace(options, fanouts=[], weight=None), no_hops).edges


def sample(graph: Graph, options: Options, request: Request) -> WalkBatch:
    """The batch of walks; raises ContractError where the library would fail."""
    walk = options.walk
    assert walk is not None
    check_numbers(walk)
    path = find_path(graph, options, walk)
    types = node_types_of(graph, options, path)
    check_path(walk, path, types)
    weight = options.weight
    if weight is not None and not any(weight in graph.edge_type(t).columns for t in path):
        raise not_found(f"no edge type of the path has a column {weight}")
    neighbors.check_seeds(graph, request)
    if request.links is not None or any(name != types[0] for name, _ in request.seeds):
        raise invalid(f"walks begin at {types[0]}")
    if any(times is not None for times in request.times):
        raise invalid("walks do not go by times")
    excluded = neighbors.excluded_edges(graph, options, request)

    def row(name: str, node: int) -> list[int]:
        edges = graph.edge_type(name).row(options.direction, node)
        return [edge for edge in edges if edge not in excluded[name]]

    def weights(name: str, edges: list[int]) -> Optional[list[float]]:
        column = graph.edge_type(name).columns.get(weight or "")
        return None if column is None else [float(column[edge]) for edge in edges]

    length = walk.length or len(path)
    walker = Walker(
        walk,
        path,
        length,
        batch_key(options.seed, request.epoch, request.batch),
        row,
        lambda name, edge: graph.edge_type(name).neighbour(options.direction, edge),
        weights,
    )
    seeds = [node for _, ids in request.seeds for node in ids]
    starts = [seed for seed in seeds for _ in range(walk.walks)]
    walked = [walker.walk(number, seed) for number, seed in enumerate(starts)]

    ids = {name: neighbors.LocalIds() for name in graph.node_types}
    nodes = {name: neighbors.NodeArrays() for name in graph.node_types}
    for seed in seeds:
        nodes[types[0]].seed.append(ids[types[0]].meet((None, seed)))
    distinct = {name: len(own) for name, own in ids.items()}
    rows: list[list[int]] = []
    for visited, _ in walked:
        local = []
        for column, node in enumerate(visited):
            name = types[0] if column == 0 else types[(column - 1) % len(path) + 1]
            local.append(ids[name].meet((None, node)))
        rows.append(local + [-1] * (length + 1 - len(local)))
    for name, arrays in nodes.items():
        arrays.node = [node for _, node in ids[name].identities]
        arrays.num_sampled_nodes = [distinct[name], len(arrays.node) - distinct[name]]
    edges = {
        t.name: neighbors.EdgeArrays(num_sampled_edges=[0], edge=[] if options.edge_ids else None)
        for t in graph.edge_types
    }
    if options.subgraph == neighbors.INDUCED:
        edges = induced_edges(graph, options, request, ids)
    arrays = WalkArrays(rows)
    if options.edge_ids:
        arrays.walk_edge = [taken + [-1] * (length - len(taken)) for _, taken in walked]
    return WalkBatch(nodes, edges, walks=(types[0], arrays))
