"""Section 6 of docs/contract.md: random walks. Slow and obvious on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional, Sequence

from reference import picks
from reference.philox import RowDraws, hi, lo, philox_with_key64
from reference.picks import check_weights

TRIES = 64


@dataclass
class Walk:
    """Options; `path` None: the only edge type, `length` 0: as many steps as the path has."""

    length: int = 0
    walks: int = 1
    p: float = 1
    q: float = 1
    restart: float = 0
    stop: float = 0
    path: Optional[list[str]] = None


def walk_key(batch_key: int, number: int) -> int:
    words = philox_with_key64((lo(number), hi(number), 2, 0), batch_key)
    return words[0] + (words[1] << 32)


def select(weights: Sequence[float], x: int) -> Optional[int]:
    """What x selects by section 2's rule 3; None where no weight is positive."""
    check_weights(weights)
    if not any(weight > 0 for weight in weights):
        return None
    return picks.select(picks.weighted_parts(weights), x)


@dataclass
class Walker:
    """Walks one walk; rows are without excluded edges, in the direction of the walk."""

    options: Walk
    path: list[str]
    length: int
    key: int
    row: Callable[[str, int], list[int]]
    neighbour: Callable[[str, int], int]
    weights: Callable[[str, list[int]], Optional[list[float]]]
    may_stop: Callable[[int], bool] = lambda step: True

    def walk(self, number: int, seed: int) -> tuple[list[int], list[int]]:
        """Nodes and edges; what is after the end is left out."""
        key = walk_key(self.key, number)
        nodes, edges = [seed], []
        at = 0  # place in the path
        previous: Optional[int] = None
        for step in range(self.length):
            draws = RowDraws(key, 0, step, 0, 0)
            # The counter of a step is its number alone: 256 * 0 + step, also beyond 255.
            if self.may_stop(step) and draws.unit(0) < self.options.stop:
                break
            if draws.unit(1) < self.options.restart:
                nodes.append(seed)
                edges.append(-1)
                previous, at = None, 0
                continue
            edge = self.pick(draws, self.path[at], nodes[-1], previous)
            if edge is None:
                break
            previous = nodes[-1]
            nodes.append(self.neighbour(self.path[at], edge))
            edges.append(edge)
            at = (at + 1) % len(self.path)
        return nodes, edges

    def pick(
        self, draws: RowDraws, edge_type: str, node: int, previous: Optional[int]
    ) -> Optional[int]:
        row = self.row(edge_type, node)
        weights = self.weights(edge_type, row)
        if not row:
            return None
        first_order = previous is None or (self.options.p == 1 and self.options.q == 1)
        back, away = 1 / self.options.p, 1 / self.options.q
        for tried in range(TRIES):
            index = self.first_order(draws, 2 + 2 * tried, row, weights)
            if index is None or first_order:
                return None if index is None else row[index]
            bias = self.bias(edge_type, row[index], previous)
            if draws.unit(3 + 2 * tried) * max(back, 1.0, away) < bias:
                return row[index]
        exact = [self.bias(edge_type, edge, previous) for edge in row]
        if weights is not None:
            exact = [weight * bias for weight, bias in zip(weights, exact)]
        index = select(exact, draws.u64(2 + 2 * TRIES) >> 34)
        return None if index is None else row[index]

    @staticmethod
    def first_order(
        draws: RowDraws, j: int, row: list[int], weights: Optional[list[float]]
    ) -> Optional[int]:
        if weights is None:
            return (draws.u64(j) * len(row)) >> 64
        check_weights(weights)
        if not any(weight > 0 for weight in weights):
            return None
        slots = picks.alias_table(picks.weighted_parts(weights))
        return picks.alias_wide(slots, draws.u64(j))

    def bias(self, edge_type: str, edge: int, previous: Optional[int]) -> float:
        assert previous is not None
        candidate = self.neighbour(edge_type, edge)
        if candidate == previous:
            return 1 / self.options.p
        around = (self.neighbour(edge_type, e) for e in self.row(edge_type, previous))
        return 1.0 if candidate in around else 1 / self.options.q
