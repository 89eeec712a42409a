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
    cumulative = _running_sums(weights)
    if math.isinf(cumulative[-1]):
        raise ContractError("GLS_ERR_CORRUPT_DATA", "the sum of a row's weights is not finite")
    if replace != NEVER:
        return [_select(draws, j, cumulative, positive) for j in range(fanout)]
    return _pick_distinct(draws, weights, cumulative, positive, fanout)


def _running_sums(weights: Sequence[float]) -> list[float]:
    sums: list[float] = []
    total = 0.0
    for weight in weights:
        total = total + weight
        sums.append(total)
    return sums


def _select(draws: RowDraws, j: int, cumulative: Sequence[float], positive: Sequence[int]) -> int:
    x = draws.unit(j) * cumulative[-1]
    for i, c in enumerate(cumulative):
        if c > x:
            return i
    return positive[-1]


def _pick_distinct(
    draws: RowDraws,
    weights: Sequence[float],
    cumulative: Sequence[float],
    positive: Sequence[int],
    fanout: int,
) -> list[int]:
    picks: list[int] = []
    j = 0
    while len(picks) < fanout and j < 8 * fanout:
        i = _select(draws, j, cumulative, positive)
        if i not in picks:
            picks.append(i)
        j += 1
    while len(picks) < fanout:
        picks.append(_select_from_rest(draws, j, weights, picks))
        j += 1
    return picks


def _select_from_rest(
    draws: RowDraws, j: int, weights: Sequence[float], taken: Sequence[int]
) -> int:
    rest = [i for i in range(len(weights)) if i not in taken]
    total = 0.0
    for i in rest:
        total = total + weights[i]
    x = draws.unit(j) * total
    running = 0.0
    for i in rest:
        running = running + weights[i]
        if running > x:
            return i
    return [i for i in rest if weights[i] > 0][-1]
