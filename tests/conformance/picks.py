"""Section 2 of docs/contract.md: picking from one row."""

from __future__ import annotations

import math
from typing import Sequence

from philox import RowDraws

ALL = -1

NEVER = "never"
ABOVE = "above"
ALWAYS = "always"


class ContractError(Exception):
    """What the library answers with an error status; `status` is its name in gls.h."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


def pick_uniform(draws: RowDraws, degree: int, fanout: int, replace: str) -> list[int]:
    """Positions picked from a row of `degree` edges, in the order in which they are reported."""
    if fanout == 0 or degree == 0:
        return []
    if fanout == ALL or (replace != ALWAYS and degree <= fanout):
        return list(range(degree))
    if replace != NEVER:
        return [draws.below(j, degree) for j in range(fanout)]
    return _floyd(draws, degree, fanout)


def _floyd(draws: RowDraws, degree: int, fanout: int) -> list[int]:
    picks: list[int] = []
    for j in range(fanout):
        r = draws.below(j, degree - fanout + 1 + j)
        picks.append(r if r not in picks else degree - fanout + j)
    return picks


def check_weights(weights: Sequence[float]) -> None:
    for weight in weights:
        if math.isnan(weight) or math.isinf(weight) or weight < 0:
            raise ContractError("GLS_ERR_CORRUPT_DATA", f"weight {weight} is not usable")


def pick_weighted(
    draws: RowDraws, weights: Sequence[float], fanout: int, replace: str
) -> list[int]:
    """The same with weights; `weights[i]` belongs to position `i` of the row."""
    if fanout == 0:
        return []
    check_weights(weights)
    positive = [i for i, weight in enumerate(weights) if weight > 0]
    if not positive:
        return []
    if fanout == ALL or (replace != ALWAYS and len(positive) <= fanout):
        return positive
    parts = weighted_parts(weights)
    if replace != NEVER:
        return [select(parts, draws.u32(j) >> 2) for j in range(fanout)]
    return pick_distinct(parts, draws, fanout)


ALL_PARTS = 2**30


def weighted_parts(weights: Sequence[float]) -> list[int]:
    """The running parts s_i of weights of which one at least is positive."""
    sums: list[float] = []
    total = 0.0
    for weight in weights:
        total = total + weight
        sums.append(total)
    if math.isinf(total):
        raise ContractError("GLS_ERR_CORRUPT_DATA", "the sum of a row's weights is not finite")
    positive = sum(weight > 0 for weight in weights)
    parts: list[int] = []
    met = 0
    for weight, running in zip(weights, sums):
        met += weight > 0
        parts.append(met + math.floor(running / total * float(ALL_PARTS - positive)))
    return parts


def select(parts: Sequence[int], x: int) -> int:
    return next(i for i, part in enumerate(parts) if part > x)


def pick_distinct(parts: Sequence[int], draws: RowDraws, count: int) -> list[int]:
    picks: list[int] = []
    for j in range(count):
        i = select(parts, draws.u32(j) >> 2)
        if i in picks:
            i = _select_from_rest(parts, draws.u32(count + j), picks)
        picks.append(i)
    return picks


def _select_from_rest(parts: Sequence[int], draw: int, taken: Sequence[int]) -> int:
    def share(i: int) -> int:
        return parts[i] - (parts[i - 1] if i > 0 else 0)

    x = draw * (ALL_PARTS - sum(map(share, taken))) >> 32
    for i in range(len(parts)):
        if i not in taken:
            if x < share(i):
                return i
            x -= share(i)
    raise AssertionError("x is below the parts that are left")
