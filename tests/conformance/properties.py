"""What every batch of rows has, read from its arrays alone, with edge ids, as a reader would.

It uses only the graph, the options and their checks of `reference/neighbors.py`, and the picked batch for bidirectional edges.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

from reference import links
from reference.neighbors import Batch, EdgeSet, EdgeType, Graph, Options, Request
from reference.neighbors import fanouts_by_type, sample


def slices(counts: list[int]) -> list[range]:
    ends = [sum(counts[: i + 1]) for i in range(len(counts))]
    return [range(end - count, end) for end, count in zip(ends, counts)]


def takes(row_length: int, fanout: int, mode: str) -> int:
    """How many picks an unweighted row gives."""
    if fanout == -1 or (mode == "always" and row_length == 0):
        return row_length
    return fanout if mode == "always" else min(row_length, fanout)


def excluded_of(
    edge_type: EdgeType, graph: Graph, options: Options, sets: list[EdgeSet]
) -> set[int]:
    """Edge by edge, whether it is named, or the reverse of one that is."""

    def named(name: str) -> list[bool]:
        """Of each edge of a type, whether a set has it."""
        (edges,) = (t for t in graph.edge_types if t.name == name)
        own = [s for s in sets if s.edge_type == name]
        ids = {edge for s in own for edge in s.ids or ()}
        pairs = {pair for s in own if s.pairs is not None for pair in zip(*s.pairs)}
        ends = zip(edges.source, edges.target)
        return [edge in ids or pair in pairs for edge, pair in enumerate(ends)]

    out = named(edge_type.name)
    if options.exclude_mode == "reverse_id":
        reverse = edge_type.columns.get(options.reverse_column or "", [])
        back = {int(other) for other, is_out in zip(reverse, out) if is_out}
        out = [is_out or edge in back for edge, is_out in enumerate(out)]
    if options.exclude_mode == "reverse_types":
        for one, other in options.reverse_types:
            if edge_type.name in (one, other):
                paired = named(other if edge_type.name == one else one)
                out = [a or b for a, b in zip(out, paired)]
    return {edge for edge, is_out in enumerate(out) if is_out}


def check_batch(graph: Graph, options: Options, request: Request, batch: Batch) -> None:
    """`batch` has edge ids, whatever the options say."""
    options = replace(options, edge_ids=True)
    sets = [*options.exclude, *request.exclude]
    if request.links is not None and options.exclude_links:
        sets.append(EdgeSet(request.links.edge_type, request.links.ids, request.links.pairs))
    excluded = {t.name: excluded_of(t, graph, options, sets) for t in graph.edge_types}
    fanouts = fanouts_by_type(graph, options)
    num_hops = len(options.fanouts[0].per_hop) if options.fanouts else 0
    times = [time for own in request.times for time in own or []]
    for name, count in graph.node_types.items():
        arrays = batch.nodes[name]
        assert sum(arrays.num_sampled_nodes) == len(arrays.node)
        assert len(arrays.num_sampled_nodes) == num_hops + 1
        trees: list[Any] = arrays.batch if arrays.batch is not None else [None] * len(arrays.node)
        assert len(set(zip(trees, arrays.node))) == len(arrays.node) == len(trees)
        assert all(0 <= node < count for node in arrays.node)
        assert (arrays.batch is not None) == (options.disjoint or options.temporal)
    if request.links is None:
        check_seeds(request, batch)
    else:
        times = check_links(graph, options, request, batch)
    if options.subgraph == "induced":
        check_induced(graph, options, batch, excluded, times)
        return
    if options.subgraph == "bidirectional":
        check_both_ways(graph, options, request, batch)
        return
    known = {name: a.num_sampled_nodes[0] for name, a in batch.nodes.items()}
    for hop in range(num_hops):
        for edge_type in graph.edge_types:
            check_step(
                options,
                batch,
                edge_type,
                hop,
                fanouts[edge_type.name][hop],
                excluded[edge_type.name],
                known,
                graph,
                times,
            )
        for name, arrays in batch.nodes.items():
            assert known[name] == sum(arrays.num_sampled_nodes[: hop + 2])


def times_of(graph: Graph, options: Options, edge_type: EdgeType, edge: int) -> list[int]:
    """The time of an edge, then that of its neighbour, as far as there are any."""
    far_type = edge_type.far_type(options.direction)
    found = []
    if options.edge_time in edge_type.columns:
        found.append(int(edge_type.columns["time"][edge]))
    if options.node_time in graph.node_columns.get(far_type, {}):
        far = edge_type.neighbour(options.direction, edge)
        found.append(graph.node_columns[far_type]["time"][far])
    return found


def in_time(graph: Graph, options: Options, edge_type: EdgeType, edge: int, seed_time: int) -> bool:
    found = times_of(graph, options, edge_type, edge)
    first = seed_time - options.time_window if options.time_window else float("-inf")
    last = seed_time - 1 if options.time_strict else seed_time
    return all(first <= time <= last for time in found)


def check_existed(
    graph: Graph,
    options: Options,
    edge_type: Any,
    given: links.Links,
    drawn: list[tuple[int, int]],
) -> None:
    """No negative is of a node that did not exist at the time of its link."""
    assert given.times is not None
    triplet = options.negatives.mode == "triplet"
    for i, pair in enumerate(drawn):
        links_of_it = i // int(options.negatives.amount) if triplet else i % len(given.times)
        time = given.times[links_of_it]
        for end in (1,) if triplet else (0, 1):
            name = edge_type.target_type if end else edge_type.source_type
            known = graph.node_columns.get(name, {}).get("time")
            if known is not None:
                assert known[pair[end]] < time + (0 if options.time_strict else 1)


def check_links(graph: Graph, options: Options, request: Request, batch: Batch) -> list[int]:
    """Also returns the times of the trees."""
    assert request.links is not None and batch.links is not None
    (edge_type,) = (t for t in graph.edge_types if t.name == request.links.edge_type)
    edges = list(zip(edge_type.source, edge_type.target))
    if request.links.ids is not None:
        wanted = [edges[e] for e in request.links.ids]
    else:
        assert request.links.pairs is not None
        wanted = list(zip(*request.links.pairs))
    sources, targets = batch.nodes[edge_type.source_type], batch.nodes[edge_type.target_type]
    arrays, negatives = batch.links[1], options.negatives
    assert batch.links[0] == edge_type.name and len(arrays.source) == len(arrays.target)
    got = [(sources.node[s], targets.node[t]) for s, t in zip(arrays.source, arrays.target)]
    assert got[: len(wanted)] == wanted
    drawn = got[len(wanted) :]
    most = -int(-len(wanted) * negatives.amount // 1)
    if negatives.mode == "binary":
        assert len(drawn) == most or (negatives.allow_short and len(drawn) < most)
        labels = request.links.labels or [1.0] * len(wanted)
        assert arrays.label == labels + [0] * len(drawn)
    else:
        assert not drawn and arrays.label == request.links.labels
    assert (arrays.negative is not None) == (negatives.mode == "triplet")
    for (source, _), row in zip(wanted, arrays.negative or []):
        assert len(row) == negatives.amount
        assert negatives.allow_short or min(row) >= 0
        assert min(row) >= -1
        drawn += [(source, targets.node[local]) for local in row if local >= 0]
    if negatives.strict:
        assert not set(drawn) & set(edges)
    for end, column in ((0, negatives.source_weight), (1, negatives.target_weight)):
        name = edge_type.target_type if end else edge_type.source_type
        for pair in drawn if column is not None else ():
            assert graph.node_columns[name]["weight"][pair[end]] > 0
    if negatives.degree_power:
        assert {target for _, target in drawn} <= set(edge_type.target)
        if negatives.mode == "binary":
            assert {source for source, _ in drawn} <= set(edge_type.source)
    if (
        negatives.in_time
        and not negatives.oldest
        and len(drawn) == most * max(1, len(wanted) if negatives.mode == "triplet" else 1)
    ):
        check_existed(graph, options, edge_type, request.links, drawn)
    times: list[int] = []
    for name in dict.fromkeys((edge_type.source_type, edge_type.target_type)):
        seeds = batch.nodes[name]
        times += seeds.seed_time or []
        if seeds.batch is not None:
            assert [seeds.batch[local] for local in seeds.seed] == sorted(
                seeds.batch[local] for local in seeds.seed
            )
    if request.links.times is not None:
        assert sources.batch is not None and targets.batch is not None
        for i, time in enumerate(request.links.times):
            assert times[sources.batch[arrays.source[i]]] == time
            assert times[targets.batch[arrays.target[i]]] == time
            for local in arrays.negative[i] if arrays.negative is not None else ():
                assert local < 0 or times[targets.batch[local]] == time
        # Binary negatives have the times of the links in turn, less those of the ones that were not found.
        turns = (request.links.times[i % len(wanted)] for i in range(most))
        for i in range(len(wanted), len(arrays.source)):
            time = times[sources.batch[arrays.source[i]]]
            assert times[targets.batch[arrays.target[i]]] == time
            if len(drawn) == most:
                assert next(turns) == time
            else:
                assert time in turns  # goes on to where it is
    return times


def check_induced(
    graph: Graph,
    options: Options,
    batch: Batch,
    excluded: dict[str, set[int]],
    times: list[int],
) -> None:
    """Every edge of the graph is there exactly for the trees that have both its ends."""
    locals_of: dict[str, dict[tuple[Any, int], int]] = {}
    for name, arrays in batch.nodes.items():
        trees: list[Any] = arrays.batch if arrays.batch is not None else [None] * len(arrays.node)
        locals_of[name] = {key: i for i, key in enumerate(zip(trees, arrays.node))}
    all_trees = {tree for keys in locals_of.values() for tree, _ in keys}
    for edge_type in graph.edge_types:
        expected = set()
        for edge, (source, target) in enumerate(zip(edge_type.source, edge_type.target)):
            for tree in all_trees if edge not in excluded[edge_type.name] else ():
                row = locals_of[edge_type.source_type].get((tree, source))
                col = locals_of[edge_type.target_type].get((tree, target))
                timely = not times or in_time(graph, options, edge_type, edge, times[tree])
                if row is not None and col is not None and timely:
                    toward = options.toward_seeds and options.direction == "out"
                    expected.add((col, row, edge) if toward else (row, col, edge))
        found = batch.edges[edge_type.name]
        assert found.edge is not None
        got = list(zip(found.row, found.col, found.edge))
        assert len(set(got)) == len(got) == found.num_sampled_edges[0]
        assert set(got) == expected


def check_both_ways(graph: Graph, options: Options, request: Request, batch: Batch) -> None:
    """Beside the batch of the picks alone: the same nodes, and every pick in both directions."""
    picked = sample(graph, replace(options, subgraph="sampled"), request)
    assert batch.nodes == picked.nodes
    by_name = {t.name: t for t in graph.edge_types}
    for name, arrays in batch.edges.items():
        pairs = list(zip(arrays.row, arrays.col))
        assert len(set(pairs)) == len(pairs) == arrays.num_sampled_edges[0]
        assert arrays.num_sampled_edges == [len(pairs)]
        near_first = options.direction == "out" and not options.toward_seeds
        order = [(row, col) if near_first else (col, row) for row, col in pairs]
        assert order == sorted(order)
        one_type = by_name[name].source_type == by_name[name].target_type
        mirrors = [pair for pair in options.reverse_types if name in pair]
        mirror = name if one_type else None
        if mirrors:
            mirror = mirrors[0][1] if mirrors[0][0] == name else mirrors[0][0]
        own = set(zip(picked.edges[name].row, picked.edges[name].col))
        other = picked.edges[mirror] if mirror is not None else None
        back = set(zip(other.col, other.row)) if other is not None else set()
        assert set(pairs) == own | back
        assert arrays.edge is not None and picked.edges[name].edge is not None
        ids = {pair: set() for pair in pairs}  # type: dict[tuple[int, int], set[int]]
        for row, col, edge in zip(
            picked.edges[name].row, picked.edges[name].col, picked.edges[name].edge or []
        ):
            ids[row, col].add(edge)
        if other is not None:
            for row, col, edge in zip(other.row, other.col, other.edge or []):
                if (col, row) not in own:
                    ids[col, row].add(edge)
        assert all(edge in ids[pair] for pair, edge in zip(pairs, arrays.edge))


def check_seeds(request: Request, batch: Batch) -> None:
    tree = 0
    for name, seeds in request.seeds:
        arrays = batch.nodes[name]
        assert [arrays.node[local] for local in arrays.seed] == seeds
        first_met = list(range(len(seeds)))
        if arrays.batch is not None:
            assert [arrays.batch[local] for local in arrays.seed] == [
                tree + i for i in range(len(seeds))
            ]
            assert arrays.seed == first_met
        else:
            assert arrays.node[: len(set(seeds))] == list(dict.fromkeys(seeds))
        tree += len(seeds)


def check_step(
    options: Options,
    batch: Batch,
    edge_type: EdgeType,
    hop: int,
    fanout: int,
    excluded: set[int],
    known: dict[str, int],
    graph: Graph,
    times: list[int],
) -> None:
    """The edges of one type and hop; `known` counts the nodes numbered so far."""
    near_type = edge_type.near_type(options.direction)
    far_type = edge_type.far_type(options.direction)
    near_nodes, far_nodes = batch.nodes[near_type], batch.nodes[far_type]
    arrays = batch.edges[edge_type.name]
    assert arrays.edge is not None
    assert len(arrays.row) == len(arrays.col) == len(arrays.edge) == sum(arrays.num_sampled_edges)
    frontier = slices(near_nodes.num_sampled_nodes)[hop]
    picked: dict[int, list[int]] = {local: [] for local in frontier}
    preferred: set[tuple[int, int]] = set()
    last: Optional[int] = None
    for place in slices(arrays.num_sampled_edges)[hop]:
        near, far, edge = arrays.col[place], arrays.row[place], arrays.edge[place]
        if options.direction == "out" and not options.toward_seeds:
            near, far = far, near
        assert last is None or last <= near
        last = near
        ends = near_nodes.node[near], far_nodes.node[far]
        if options.direction == "in":
            assert ends == (edge_type.target[edge], edge_type.source[edge])
        else:
            assert ends == (edge_type.source[edge], edge_type.target[edge])
        if near_nodes.batch is not None and far_nodes.batch is not None:
            assert near_nodes.batch[near] == far_nodes.batch[far]
        assert far <= known[far_type]
        known[far_type] += far == known[far_type]
        picked[near].append(edge)
    for near, edges in picked.items():
        row = [
            edge
            for edge in edge_type.row(options.direction, near_nodes.node[near])
            if edge not in excluded
        ]
        if near_nodes.batch is not None and options.temporal:
            seed_time = times[near_nodes.batch[near]]
            row = [e for e in row if in_time(graph, options, edge_type, e, seed_time)]
        if options.weight in edge_type.columns and fanout:
            row = [edge for edge in row if edge_type.columns["weight"][edge] > 0]
        assert set(edges) <= set(row)
        assert len(edges) == takes(len(row), fanout, options.replace)
        if options.replace == "never":
            assert len(set(edges)) == len(edges)
        if fanout == -1 or (options.replace != "always" and len(row) <= fanout):
            assert edges == row
        if options.time_strategy == "last" and edges:
            left = [times_of(graph, options, edge_type, e) for e in set(row) - set(edges)]
            taken = [times_of(graph, options, edge_type, e) for e in edges]
            assert not left or max(t[:1] for t in left) <= min(t[:1] for t in taken)
        if options.pick == "layer" and not options.weight and len(row) <= 64:
            far = {e: edge_type.neighbour(options.direction, e) for e in row}
            preferred |= {(far[e], far[x]) for e in edges for x in set(row) - set(edges)}
    # Of two neighbours, rows that have both agree which comes first.
    assert not any(a != b and (b, a) in preferred for a, b in preferred)
