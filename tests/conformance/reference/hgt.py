"""Section 11 of docs/contract.md: nodes that are drawn from budgets. Slow and obvious on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from reference import neighbors
from reference.philox import RowDraws, batch_key, budget_key
from reference.picks import ALL, NEVER, pick_uniform, pick_weighted
from reference.neighbors import Graph, Options, Request, invalid, not_found

MOST = 2**28


def samples_by_type(graph: Graph, wanted: neighbors.Hgt) -> dict[str, list[int]]:
    """Nodes to draw per hop of every node type; an entry without a type covers those without one."""
    if not wanted.samples:
        raise invalid("no samples")
    own: dict[Optional[str], list[int]] = {}
    hops = len(wanted.samples[0]["per_hop"])
    for entry in wanted.samples:
        name, per_hop = entry["node_type"], entry["per_hop"]
        if name is not None and name not in graph.node_types:
            raise not_found(f"no node type {name}")
        if name in own:
            raise invalid(f"{name} has two entries")
        if len(per_hop) != hops or not 1 <= hops <= neighbors.MAX_HOPS:
            raise invalid(f"{len(per_hop)} hops")
        if any(not ALL <= count <= MOST for count in per_hop):
            raise invalid(f"a count of {per_hop}")
        own[name] = per_hop
    missing = [name for name in graph.node_types if name not in own and None not in own]
    if missing:
        raise invalid(f"no samples of {missing}")
    return {name: own.get(name, own.get(None, [])) for name in graph.node_types}


@dataclass
class Drawing:
    """One batch in the making."""

    graph: Graph
    options: Options
    request: Request
    wanted: neighbors.Hgt

    def run(self) -> neighbors.Batch:
        samples = samples_by_type(self.graph, self.wanted)
        self.check()
        self.excluded = neighbors.excluded_edges(self.graph, self.options, self.request)
        key = self.options.seed, self.request.epoch, self.request.batch
        self.batch_key, draws_key = batch_key(*key), budget_key(*key)
        self.ids = {name: neighbors.LocalIds() for name in self.graph.node_types}
        # In the order of first scores, which is that of insertion.
        self.scores: dict[str, dict[int, float]] = {name: {} for name in self.ids}
        nodes = {name: neighbors.NodeArrays() for name in self.ids}
        for name, seeds in self.request.seeds:
            nodes[name].seed = [self.ids[name].meet((None, node)) for node in seeds]
        for name, ids in self.ids.items():
            nodes[name].num_sampled_nodes.append(len(ids))
        begin = {name: 0 for name in self.ids}
        for hop in range(len(self.wanted.samples[0]["per_hop"])):
            for name, ids in self.ids.items():
                for local in range(begin[name], len(ids)):
                    self.share_out(name, ids.identities[local][1])
            begin = {name: len(ids) for name, ids in self.ids.items()}
            for number, (name, ids) in enumerate(self.ids.items()):
                draws = RowDraws(draws_key, number, hop, 0, 0)
                candidates = list(self.scores[name].items())
                weights = [score * score for _, score in candidates]
                for place in pick_weighted(draws, weights, samples[name][hop], NEVER):
                    node = candidates[place][0]
                    ids.meet((None, node))
                    del self.scores[name][node]
                nodes[name].num_sampled_nodes.append(len(ids) - begin[name])
        for name, ids in self.ids.items():
            nodes[name].node = [node for _, node in ids.identities]
        edges = [self.edges(*numbered) for numbered in enumerate(self.graph.edge_types)]
        return neighbors.Batch(nodes, {t.name: e for t, e in zip(self.graph.edge_types, edges)})

    def check(self) -> None:
        if not 1 <= self.wanted.most_neighbors <= MOST:
            raise invalid(f"{self.wanted.most_neighbors} neighbours")
        if self.options.weight is not None:
            raise invalid("weights")
        if self.request.links is not None or any(t is not None for t in self.request.times):
            raise invalid("neither links nor times")
        neighbors.check_seeds(self.graph, self.request)

    def considered(self, number: int, edge_type: neighbors.EdgeType, node: int) -> list[int]:
        """Ids of the edges that are looked at, of the row of a node."""
        row = edge_type.row(self.options.direction, node)
        row = [edge for edge in row if edge not in self.excluded[edge_type.name]]
        draws = RowDraws(self.batch_key, number, 0, node, len(row))
        return [
            row[position]
            for position in pick_uniform(draws, len(row), self.wanted.most_neighbors, NEVER)
        ]

    def share_out(self, name: str, node: int) -> None:
        direction = self.options.direction
        for number, edge_type in enumerate(self.graph.edge_types):
            if edge_type.near_type(direction) != name:
                continue
            far = edge_type.far_type(direction)
            edges = self.considered(number, edge_type, node)
            for edge in edges:
                z = edge_type.neighbour(direction, edge)
                if self.ids[far].find((None, z)) is None:
                    score = self.scores[far].get(z, 0.0)
                    self.scores[far][z] = score + 1.0 / float(len(edges))

    def edges(self, number: int, edge_type: neighbors.EdgeType) -> neighbors.EdgeArrays:
        direction = self.options.direction
        near_ids = self.ids[edge_type.near_type(direction)]
        far_ids = self.ids[edge_type.far_type(direction)]
        out = neighbors.EdgeArrays(edge=[] if self.options.edge_ids else None)
        for local, (_, node) in enumerate(near_ids.identities):
            if self.options.subgraph == neighbors.INDUCED:
                row = edge_type.row(direction, node)
                row = [edge for edge in row if edge not in self.excluded[edge_type.name]]
            else:
                row = self.considered(number, edge_type, node)
            for edge in row:
                other = far_ids.find((None, edge_type.neighbour(direction, edge)))
                if other is None:
                    continue
                out.row.append(other if direction == neighbors.IN else local)
                out.col.append(local if direction == neighbors.IN else other)
                if out.edge is not None:
                    out.edge.append(edge)
        out.num_sampled_edges = [len(out.row)]
        return out


def sample(graph: Graph, options: Options, request: Request) -> neighbors.Batch:
    """The batch; raises ContractError where the library would fail."""
    assert options.hgt is not None
    return Drawing(graph, options, request, options.hgt).run()
