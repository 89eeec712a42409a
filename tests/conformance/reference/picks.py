"""Section 2 of docs/contract.md: picking from one row."""

from __future__ import annotations

import math
from typing import Sequence

from reference.philox import RowDraws

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
    slots = alias_table(parts)
    if replace != NEVER:
        return [alias_draw(slots, draws, j) for j in range(fanout)]
    return pick_distinct(parts, slots, draws, fanout)


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


def alias_table(parts: Sequence[int]) -> list[tuple[int, int]]:
    """For each slot how much of it is its own entry's, and who has the rest."""
    degree = len(parts)
    need = [(part - before) * degree for part, before in zip(parts, [0, *parts])]
    light = [i for i in range(degree) if need[i] <= ALL_PARTS]
    heavy = [i for i in range(degree) if need[i] > ALL_PARTS]
    slots: list[tuple[int, int]] = [(ALL_PARTS, i) for i in range(degree)]
    for this, after in zip(heavy, [*heavy[1:], None]):
        while need[this] > ALL_PARTS:
            i = light.pop(0)
            slots[i] = (need[i], this)
            need[this] -= ALL_PARTS - need[i]
        if after is not None:
            slots[this] = (need[this], after)
            need[after] -= ALL_PARTS - need[this]
        assert after is not None or need[this] == ALL_PARTS
    assert all(need[i] == ALL_PARTS for i in light)
    return slots


def alias_draw(slots: Sequence[tuple[int, int]], draws: RowDraws, j: int) -> int:
    if len(slots) > 65536:
        return alias_wide(slots, draws.u64(j))
    slot, rest = divmod(draws.u32(j) * len(slots), 2**32)
    own, other = slots[slot]
    return slot if rest >> 2 < own else other


def alias_wide(slots: Sequence[tuple[int, int]], draw: int) -> int:
    slot, rest = divmod(draw * len(slots), 2**64)
    own, other = slots[slot]
    return slot if rest >> 34 < own else other


def pick_distinct(
    parts: Sequence[int], slots: Sequence[tuple[int, int]], draws: RowDraws, count: int
) -> list[int]:
    limit = max(16 * ((2 * count + 15) // 16), len(slots) // 4)
    picks: list[int] = []
    for j in range(limit):
        if len(picks) == count:
            break
        i = alias_draw(slots, draws, j)
        if i not in picks:
            picks.append(i)
    while len(picks) < count:
        j = limit + len(picks)
        draw = draws.u32(j) if len(slots) <= 65536 else draws.u64(j) >> 32
        picks.append(_select_from_rest(parts, draw, picks))
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
