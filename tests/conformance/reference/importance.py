"""Sections 8 and 9 of docs/contract.md: importance neighbours, personalised PageRank of one node. Slow and
obvious on purpose."""

from __future__ import annotations

import math
import struct
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Optional

from reference.philox import hi, lo, philox_with_key64
from reference.walks import Walker


@dataclass
class Importance:
    """Options; `path` None: the only edge type."""

    neighbors: int
    walks: int = 10
    traversals: int = 2
    stop: float = 0
    hops: int = 1
    path: Optional[list[str]] = None


@dataclass
class Channel:
    edge_types: list[str]
    share: float


@dataclass
class PPR:
    """Options; `edge_types` None: all, `row_limit` 0: none, `channels` None: one push along all."""

    neighbors: int = 50
    alpha: float = 0.5
    epsilon: float = 1e-4
    top_up: bool = True
    max_edges: int = 2**24
    row_limit: int = 0
    edge_types: Optional[list[str]] = None
    channels: Optional[list[Channel]] = None


def ppr_from(json: dict[str, Any]) -> PPR:
    channels = json.get("channels")
    found = None if channels is None else [Channel(**channel) for channel in channels]
    return PPR(**{**json, "channels": found})


# A neighbour: dataset id, and its value and proximity, or share and count.
Near = tuple[int, float, float]


def float32(x: float) -> float:
    """Rounded to nearest."""
    (rounded,) = struct.unpack("<f", struct.pack("<f", x))
    return float(rounded)


# ---- importance --------------------------------------------------------------------------------


def near_key(batch_key: int, node: int, hop: int) -> int:
    words = philox_with_key64((lo(node), hi(node), 8, hop), batch_key)
    return words[0] + (words[1] << 32)


def most_visited(options: Importance, walker: Walker, node: int) -> list[Near]:
    """Of one node; the walker has the key of this node and hop."""
    steps = len(walker.path)
    visits: Counter[int] = Counter()
    for number in range(options.walks):
        nodes, _ = walker.walk(number, node)
        visits.update(nodes[steps::steps])
    ranked = sorted(visits.items(), key=lambda item: (-item[1], item[0]))
    total = sum(visits.values())
    return [(x, float32(c / total), float(c)) for x, c in ranked[: options.neighbors]]


# ---- personalised PageRank ---------------------------------------------------------------------

# A node of the graph of all types: (node type, dataset id).
Node = tuple[str, int]


@dataclass
class Push:
    """Forward push; `taken` gives the other ends of the edges that are used, `degree` counts all."""

    options: PPR
    taken: Callable[[Node], list[Node]]
    degree: Callable[[Node], int]

    def run(self, seed: Node) -> None:
        alpha = self.options.alpha
        self.residual: dict[Node, float] = {seed: alpha}
        self.score: dict[Node, float] = {}
        self.hop: dict[Node, float] = {seed: 0}
        queue = [seed]
        edges = 0
        while queue and edges < self.options.max_edges:
            u = queue.pop(0)
            x = self.residual[u]
            self.score[u] = self.score.get(u, 0.0) + x
            self.residual[u] = 0.0
            ends = self.taken(u)
            edges += len(ends)
            if not ends:
                continue
            y = ((1.0 - alpha) * x) / float(len(ends))
            for z in ends:
                self.residual[z] = self.residual.get(z, 0.0) + y
                self.hop[z] = min(self.hop.get(z, math.inf), self.hop[u] + 1)
                limit = (alpha * self.options.epsilon) * float(self.degree(z))
                if z not in queue and self.residual[z] > limit:
                    queue.append(z)

    def neighbours(self, node_type: str) -> list[Near]:
        """Of the seed, among the nodes of a type."""
        k, top_up = self.options.neighbors, self.options.top_up
        own = [node for node in self.residual if node[0] == node_type]
        pushed = [node for node in own if node in self.score]
        chosen = sorted(pushed, key=lambda node: (-self.score[node], node))[:k]
        if top_up:
            rest = [node for node in own if node not in self.score and self.residual[node] > 0]
            rest.sort(key=lambda node: (-self.residual[node], node))
            chosen += rest[: k - len(chosen)]
        values = {
            node: self.score.get(node, 0.0) + (self.residual[node] if top_up else 0.0)
            for node in chosen
        }
        chosen.sort(key=lambda node: (-values[node], node))
        return [(node[1], values[node], 1.0 / (1 + self.hop[node])) for node in chosen]


# ---- channels ----------------------------------------------------------------------------------


def places(shares: list[float], k: int) -> list[int]:
    """Of k neighbours, those of each channel."""
    total = 0.0
    for share in shares:
        total += share
    exact = [(share / total) * float(k) for share in shares]
    out = [math.floor(q) for q in exact]
    most = sorted(range(len(shares)), key=lambda c: (-(exact[c] - out[c]), c))
    for c in most[: k - sum(out)]:
        out[c] += 1
    return out


def merged(found: list[list[Near]], wanted: list[int], k: int) -> list[tuple[int, list[float]]]:
    """Of the neighbours that each channel found those that are reported, with all columns."""
    by_node: dict[int, dict[int, tuple[float, float]]] = {}
    for c, rows in enumerate(found):
        for node, value, proximity in rows:
            by_node.setdefault(node, {})[c] = (value, proximity)
    best = {node: max(value for value, _ in own.values()) for node, own in by_node.items()}
    owner = {
        node: min(c for c, (value, _) in own.items() if value == best[node])
        for node, own in by_node.items()
    }
    ranked = sorted(by_node, key=lambda node: (-best[node], node))
    chosen: set[int] = set()
    for c, count in enumerate(wanted):
        chosen.update([node for node in ranked if owner[node] == c][:count])
    rest = [node for node in ranked if node not in chosen]
    chosen.update(rest[: k - len(chosen)])
    out = []
    for node in ranked:
        if node in chosen:
            own = by_node[node]
            columns = [best[node], max(proximity for _, proximity in own.values())]
            for c in range(len(found)):
                columns += [*own[c], 1.0] if c in own else [0.0, 0.0, 0.0]
            out.append((node, columns))
    return out
