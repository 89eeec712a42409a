"""That the draws of the reference follow the laws they stand for.

All tests are chi-square tests at a significance of 1e-6. The draws are fixed by the contract, so a
test either passes for ever or shows a fault.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from itertools import combinations, permutations
from typing import Sequence

import pytest

from reference import order
from reference.philox import RowDraws, batch_key, tree_key
from reference.picks import pick_uniform, pick_weighted

SIGNIFICANCE = 1e-6


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Probability of a larger value: 1 - P(degrees / 2, statistic / 2), P summed as a series."""
    a, x = degrees / 2, statistic / 2
    if x <= 0:
        return 1.0
    term = math.exp(a * math.log(x) - x - math.lgamma(a + 1))
    total, n = 0.0, 1
    while term > 1e-18 * max(total, 1e-300) or n < x:
        total += term
        term *= x / (a + n)
        n += 1
    return max(0.0, 1.0 - total)


def assert_plausible(statistic: float, degrees: int) -> None:
    assert chi_square_tail(statistic, degrees) > SIGNIFICANCE, (statistic, degrees)


def multinomial(counts: Sequence[int], chances: Sequence[float]) -> float:
    trials = sum(counts)
    return sum((c - trials * p) ** 2 / (trials * p) for c, p in zip(counts, chances))


def test_chi_square_tail() -> None:
    for statistic, degrees, tail in [
        (3.841459, 1, 0.05),
        (18.30704, 10, 0.05),
        (149.449, 100, 1e-3),
    ]:
        assert chi_square_tail(statistic, degrees) == pytest.approx(tail, rel=1e-4)


@lru_cache(maxsize=None)
def round_table(left_bits: int, right_bits: int, round_key: int) -> bytes:
    """One round as a table, for bytes.translate; only `left_bits` of the round key count."""
    some = order.KeyedPermutation(1 << (left_bits + right_bits), 0)
    size = 1 << (left_bits + right_bits)
    return bytes(some.apply_round(x, round_key) if x < size else 0 for x in range(256))


def whole_order(permutation: order.KeyedPermutation) -> tuple[int, ...]:
    """All of a short order, fast: the rounds act on all values at once."""
    a, b = permutation.left_bits, permutation.right_bits
    table = bytes(range(1 << (a + b)))
    for round_key in permutation.round_keys:
        table = table.translate(round_table(a, b, round_key % (1 << a)))
    places: list[int] = []
    for i in range(permutation.n):
        x = table[i]
        while x >= permutation.n:
            x = table[x]
        places.append(x)
    return tuple(places)


def test_whole_order() -> None:
    for n in (1, 2, 5, 16, 17, 100, 256):
        for epoch in range(3):
            permutation = order.shuffled(n, seed=4, epoch=epoch)
            assert whole_order(permutation) == tuple(permutation(i) for i in range(n))


def test_all_orders_of_five() -> None:
    epochs = 24000
    seen = Counter(whole_order(order.shuffled(5, seed=1, epoch=e)) for e in range(epochs))
    counts = [seen[p] for p in permutations(range(5))]
    assert sum(counts) == epochs
    assert_plausible(multinomial(counts, [1 / 120] * 120), 119)


def test_first_place_of_a_longer_order() -> None:
    epochs, n = 6000, 40
    seen = Counter(order.shuffled(n, seed=2, epoch=epoch)(0) for epoch in range(epochs))
    assert_plausible(multinomial([seen[i] for i in range(n)], [1 / n] * n), n - 1)


def falling(n: int, m: int) -> int:
    return math.perm(n, m)


def check_inclusion(picked: list[list[int]], d: int, k: int) -> None:
    """Items, and pairs beyond what the items explain, of `k` distinct picks out of `d`.

    The counts are not independent: the sum over items is fixed. Their covariance matrix commutes
    with every renaming of the positions, so it is a multiple of the projection on each of the two
    parts tested here, and the squared length over the multiple is chi-square distributed.
    """
    trials = len(picked)
    items: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    for picks in picked:
        assert len(set(picks)) == k
        items.update(picks)
        pairs.update(combinations(sorted(picks), 2))
    chance = k / d
    spread = trials * chance * (1 - chance) * d / (d - 1)
    assert_plausible(
        sum((items[i] - trials * chance) ** 2 for i in range(d)) / spread,
        d - 1,
    )
    if k < 2 or d - k < 2:
        return
    total = trials * k * (k - 1) / 2
    of_item = [float(items[i]) * (k - 1) for i in range(d)]
    share = [(s - total / (d - 1)) / (d - 2) for s in of_item]
    rest = sum((pairs[i, j] - share[i] - share[j]) ** 2 for i, j in combinations(range(d), 2))
    two, three, four = (falling(k, m) / falling(d, m) for m in (2, 3, 4))
    assert_plausible(rest / (trials * (two - 2 * three + four)), d * (d - 3) // 2)


@pytest.mark.parametrize("d,k", [(5, 2), (9, 3), (20, 10), (33, 8), (12, 11)])
def test_distinct_picks_over_nodes(d: int, k: int) -> None:
    key = batch_key(seed=7, epoch=1, batch=2)
    draws = (RowDraws(key, 0, 0, node, d) for node in range(8000))
    check_inclusion([pick_uniform(row, d, k, "never") for row in draws], d, k)


@pytest.mark.parametrize("d,k", [(6, 2), (17, 5)])
def test_distinct_picks_over_batches_and_trees(d: int, k: int) -> None:
    keys = [batch_key(seed=7, epoch=1, batch=batch) for batch in range(4000)]
    keys += [tree_key(seed=7, epoch=1, batch=0, tree=tree) for tree in range(4000)]
    draws = (RowDraws(key, 3, 1, 77, d) for key in keys)
    check_inclusion([pick_uniform(row, d, k, "never") for row in draws], d, k)


def test_distinct_picks_over_hops_and_types() -> None:
    key = batch_key(seed=9, epoch=0, batch=0)
    draws = (RowDraws(key, t, h, 5, 8) for t in range(100) for h in range(80))
    check_inclusion([pick_uniform(row, 8, 4, "never") for row in draws], 8, 4)


def test_wide_draws() -> None:
    """Rows above 65536 edges, by the sixteenth of the row in which the picks lie."""
    d, key = 80000, batch_key(seed=3, epoch=0, batch=0)
    seen: Counter[int] = Counter()
    for node in range(3000):
        picks = pick_uniform(RowDraws(key, 0, 0, node, d), d, 4, "never")
        seen.update(pick * 16 // d for pick in picks)
    assert_plausible(multinomial([seen[i] for i in range(16)], [1 / 16] * 16), 15)


@pytest.mark.parametrize("mode", ["above", "always"])
def test_draws_with_replacement(mode: str) -> None:
    """Two draws after one another are independent."""
    d, key = 7, batch_key(seed=5, epoch=0, batch=0)
    seen: Counter[tuple[int, int]] = Counter()
    for node in range(6000):
        picks = pick_uniform(RowDraws(key, 0, 0, node, d), d, 6, mode)
        seen.update(zip(picks[::2], picks[1::2]))
    counts = [seen[i, j] for i in range(d) for j in range(d)]
    assert_plausible(multinomial(counts, [1 / d**2] * d**2), d * d - 1)


def successive(weights: Sequence[float], picks: Sequence[int]) -> float:
    """Chance of these picks in this order, each drawn from what remains."""
    chance, left = 1.0, sum(weights)
    for pick in picks:
        chance *= weights[pick] / left
        left -= weights[pick]
    return chance


@pytest.mark.parametrize("weights", [[1, 2, 3, 4], [5000, 1, 2, 3], [1, 300, 2, 9000]])
def test_weighted_distinct_picks(weights: list[float]) -> None:
    """Also where the draws run out before enough positions are taken."""
    key = batch_key(seed=11, epoch=0, batch=0)
    seen: Counter[tuple[int, ...]] = Counter()
    for node in range(8000):
        seen[tuple(pick_weighted(RowDraws(key, 0, 0, node, 4), weights, 3, "never"))] += 1
    # The expected counts must not be small: orders seen less than 5 times in the mean go together.
    orders = list(permutations(range(4), 3))
    chances = {picks: successive(weights, picks) for picks in orders}
    common = [picks for picks in orders if chances[picks] * 8000 >= 5]
    rare = [picks for picks in orders if chances[picks] * 8000 < 5]
    counts = [seen[picks] for picks in common]
    expected = [chances[picks] for picks in common]
    if sum(chances[picks] for picks in rare) * 8000 >= 5:
        counts.append(sum(seen[picks] for picks in rare))
        expected.append(sum(chances[picks] for picks in rare))
    expected = [chance / sum(expected) for chance in expected]
    assert_plausible(multinomial(counts, expected), len(counts) - 1)


def test_weighted_draws_with_replacement() -> None:
    weights, key = [1.0, 0.0, 2.5, 4.0, 0.5], batch_key(seed=13, epoch=0, batch=0)
    seen: Counter[int] = Counter()
    for node in range(4000):
        seen.update(pick_weighted(RowDraws(key, 0, 0, node, 5), weights, 3, "always"))
    assert seen[1] == 0
    places = [0, 2, 3, 4]
    counts, chances = [seen[i] for i in places], [weights[i] / 8 for i in places]
    assert_plausible(multinomial(counts, chances), 3)
