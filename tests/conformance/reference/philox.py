"""Section 1 of docs/contract.md: random numbers, keys, and the draws of a row."""

from __future__ import annotations

from typing import Sequence

Words = tuple[int, int, int, int]

_MASK32 = 0xFFFFFFFF

_MULTIPLIER_0 = 0xD2511F53
_MULTIPLIER_1 = 0xCD9E8D57
_WEYL_0 = 0x9E3779B9
_WEYL_1 = 0xBB67AE85
_ROUNDS = 10

_CONTRACT_TAG = 0x474C5301
_DOMAIN_BATCH = 1
_DOMAIN_ORDER = 2
_DOMAIN_BUDGET = 6

# Rows longer than this are drawn from with 64-bit words.
MAX_NARROW_DEGREE = 65536


def lo(x: int) -> int:
    """The low 32 bits of a 64-bit integer."""
    return x & _MASK32


def hi(x: int) -> int:
    """The high 32 bits of a 64-bit integer."""
    return (x >> 32) & _MASK32


def philox(counter: Sequence[int], key: Sequence[int]) -> Words:
    """Philox4x32-10: four words for a counter of four words and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(_ROUNDS):
        product_0 = _MULTIPLIER_0 * c0
        product_1 = _MULTIPLIER_1 * c2
        c0, c1, c2, c3 = (
            (product_1 >> 32) ^ c1 ^ k0,
            product_1 & _MASK32,
            (product_0 >> 32) ^ c3 ^ k1,
            product_0 & _MASK32,
        )
        k0 = (k0 + _WEYL_0) & _MASK32
        k1 = (k1 + _WEYL_1) & _MASK32
    return c0, c1, c2, c3


def philox_with_key64(counter: Sequence[int], key: int) -> Words:
    """The same with a 64-bit key, used as k0 = lo, k1 = hi."""
    return philox(counter, (lo(key), hi(key)))


def derive(counter: Sequence[int], key: int) -> int:
    """Words 0 and 1 as one number of 64 bits."""
    words = philox_with_key64(counter, key)
    return words[0] + (words[1] << 32)


def epoch_key(seed: int, epoch: int, domain: int) -> int:
    return derive((lo(epoch), hi(epoch), domain, _CONTRACT_TAG), seed)


def batch_key(seed: int, epoch: int, batch: int) -> int:
    return derive((lo(batch), hi(batch), 0, 0), epoch_key(seed, epoch, _DOMAIN_BATCH))


def tree_key(seed: int, epoch: int, batch: int, tree: int) -> int:
    return derive((lo(tree), hi(tree), 1, 0), batch_key(seed, epoch, batch))


def layer_key(seed: int, epoch: int, period: int) -> int:
    return derive((lo(period), hi(period), 3, 0), epoch_key(seed, epoch, _DOMAIN_BATCH))


def draw_key(seed: int, epoch: int, batch: int) -> int:
    return derive((0, 0, 3, 0), batch_key(seed, epoch, batch))


def budget_key(seed: int, epoch: int, batch: int) -> int:
    return derive((lo(batch), hi(batch), 0, 0), epoch_key(seed, epoch, _DOMAIN_BUDGET))


def order_key(seed: int, epoch: int) -> int:
    return epoch_key(seed, epoch, _DOMAIN_ORDER)


class RowDraws:
    """The words of one row: node `node` expanded through edge type `edge_type` in hop `hop`.

    `degree` is the length of the row after exclusion; it alone decides how wide the draws are.
    """

    def __init__(self, key: int, edge_type: int, hop: int, node: int, degree: int) -> None:
        self._key = key
        self._stream = 256 * edge_type + hop
        self._node = node
        self._degree = degree
        self._blocks: dict[int, Words] = {}

    def _block(self, number: int) -> Words:
        if number not in self._blocks:
            counter = (number, self._stream, lo(self._node), hi(self._node))
            self._blocks[number] = philox_with_key64(counter, self._key)
        return self._blocks[number]

    def u32(self, j: int) -> int:
        return self._block(j // 4)[j % 4]

    def u64(self, j: int) -> int:
        block = self._block(j // 2)
        first = 2 * (j % 2)
        return block[first] + (block[first + 1] << 32)

    def below(self, j: int, n: int) -> int:
        """Bounded draw number `j`: uniform on 0 .. n-1."""
        if self._degree <= MAX_NARROW_DEGREE:
            return (self.u32(j) * n) >> 32
        return (self.u64(j) * n) >> 64

    def unit(self, j: int) -> float:
        """Draw number `j` as a float64 in [0, 1) on a grid of 2^-53."""
        return float(self.u64(j) >> 11) * 2.0**-53
