"""Section 5 of docs/contract.md: links as seeds, and negatives for them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Callable, Optional, Union

from reference.philox import RowDraws
from reference.picks import ContractError

BINARY = "binary"
TRIPLET = "triplet"

NEGATIVE_HOP = 255


@dataclass
class Negatives:
    mode: Optional[str] = None
    strict: bool = False
    allow_short: bool = False
    in_time: bool = False
    oldest: bool = False
    amount: float = 1
    degree_power: float = 0
    source_weight: Optional[str] = None
    target_weight: Optional[str] = None
    tries: int = 64


@dataclass
class Links:
    """Edges by id, or pairs of sources and targets."""

    edge_type: str
    ids: Optional[list[int]] = None
    pairs: Optional[tuple[list[int], list[int]]] = None
    times: Optional[list[int]] = None
    labels: Optional[list[int]] = None


@dataclass
class LinkArrays:
    source: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    negative: Optional[list[list[int]]] = None
    label: Optional[list[Union[int, float]]] = None


Draw = Callable[[RowDraws, int], int]
# What is drawn at one end for a link of a time; None: there is nothing to draw.
End = Callable[[Optional[int]], Optional[Draw]]


def degree_power(degree: int, quarters: int) -> float:
    power = 1.0
    for _ in range(quarters // 4):
        power = power * float(degree)
    half = math.sqrt(float(degree))
    if quarters % 4 in (2, 3):
        power = power * half
    if quarters % 4 in (1, 3):
        power = power * math.sqrt(half)
    return power


def uniform(count: int) -> Optional[Draw]:
    if count == 0:
        return None
    return lambda draws, j: (draws.u64(j) * count) >> 64


def weighted(weights: list[float]) -> Optional[Draw]:
    for weight in weights:
        if math.isnan(weight) or math.isinf(weight) or weight < 0:
            raise ContractError("GLS_ERR_CORRUPT_DATA", f"weight {weight} is not usable")
    sums: list[float] = []
    total = 0.0
    for weight in weights:
        total = total + weight
        sums.append(total)
    if math.isinf(total):
        raise ContractError("GLS_ERR_CORRUPT_DATA", "the weights add up to infinity")
    positive = [v for v, weight in enumerate(weights) if weight > 0]
    if not positive:
        return None

    def draw(draws: RowDraws, j: int) -> int:
        x = draws.unit(j) * sums[-1]
        return next((v for v, c in enumerate(sums) if c > x), positive[-1])

    return draw


def in_order(times: list[int], weights: Optional[list[float]], strict: bool, oldest: bool) -> End:
    """Nodes that exist at a time: section 5, "In time"."""
    order = sorted(range(len(times)), key=lambda v: (times[v], v))
    if weights is not None:
        weighted(weights)  # for what is wrong with them
    sums: list[float] = []
    total = 0.0
    for v in order if weights is not None else ():
        total = total + weights[v]
        sums.append(total)
    if math.isinf(total):
        raise ContractError("GLS_ERR_CORRUPT_DATA", "the weights add up to infinity")

    def at(time: Optional[int]) -> Optional[Draw]:
        assert time is not None
        count = sum(1 for x in times if (x < time if strict else x <= time))
        if count == 0 or (sums and sums[count - 1] == 0):
            return (lambda draws, j: order[0]) if oldest and order else None
        if not sums:
            return lambda draws, j: order[(draws.u64(j) * count) >> 64]
        last = sums.index(sums[count - 1])

        def draw(draws: RowDraws, j: int) -> int:
            x = draws.unit(j) * sums[count - 1]
            return order[next((k for k in range(count) if sums[k] > x), last)]

        return draw

    return at


def negative_draws(key: int, edge_type: int, number: int) -> RowDraws:
    return RowDraws(key, edge_type, NEGATIVE_HOP, number, 0)


def count_binary(links: int, amount: float) -> int:
    return math.ceil(Fraction(float(links) * amount))


@dataclass
class Drawing:
    """Draws negatives; `is_edge` says which pairs a strict one must not be."""

    options: Negatives
    key: int
    edge_type: int
    source: End
    target: End
    times: Optional[list[int]]
    is_edge: Callable[[int, int], bool]

    def time(self, link: int) -> Optional[int]:
        return None if self.times is None else self.times[link]

    def accept(self, source: int, target: int) -> bool:
        return not (self.options.strict and self.is_edge(source, target))

    def none_found(self) -> None:
        if not self.options.allow_short:
            raise ContractError("GLS_ERR_NOT_FOUND", "no negative was found")

    def binary(self, links: int) -> list[Optional[tuple[int, int]]]:
        found: list[Optional[tuple[int, int]]] = []
        for i in range(count_binary(links, self.options.amount)):
            draws = negative_draws(self.key, self.edge_type, i)
            source, target = (end(self.time(i % links)) for end in (self.source, self.target))
            pair = None
            for r in range(self.options.tries):
                if source is None or target is None:
                    break
                tried = (source(draws, 2 * r), target(draws, 2 * r + 1))
                if self.accept(*tried):
                    pair = tried
                    break
            if pair is None:
                self.none_found()
            found.append(pair)
        return found

    def triplets(self, sources: list[int]) -> list[list[int]]:
        found: list[list[int]] = []
        for i, source in enumerate(sources):
            draws = negative_draws(self.key, self.edge_type, i)
            target = self.target(self.time(i))
            row: list[int] = []
            for b in range(int(self.options.amount)):
                chosen = -1
                for r in range(self.options.tries):
                    if target is None:
                        break
                    tried = target(draws, b * self.options.tries + r)
                    if self.accept(source, tried):
                        chosen = tried
                        break
                if chosen < 0:
                    self.none_found()
                row.append(chosen)
            found.append(row)
        return found
