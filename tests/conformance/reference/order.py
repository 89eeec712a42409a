"""Section 4 of docs/contract.md: the order of an epoch, and which seeds make which batch."""

from __future__ import annotations

from typing import Optional

from reference.philox import hi, lo, order_key, philox_with_key64

_MASK64 = 0xFFFFFFFFFFFFFFFF
_MULTIPLIER = 0xD2B74407B1CE6E93
_ROUNDS = 24
_MIN_BITS = 8

NONE = "none"
DROP = "drop"
REPEAT = "repeat"


class KeyedPermutation:
    """A permutation of 0 .. n-1, computed one position at a time."""

    def __init__(self, n: int, key: int) -> None:
        self.n = n
        bits = _MIN_BITS
        while (1 << bits) < n:
            bits += 1
        self.left_bits = bits // 2
        self.right_bits = bits - self.left_bits
        self.round_keys = [philox_with_key64((r // 4, 0, 0, 0), key)[r % 4] for r in range(_ROUNDS)]

    def apply_round(self, x: int, round_key: int) -> int:
        a, b = self.left_bits, self.right_bits
        left, right = x >> b, x % (1 << b)
        m = (_MULTIPLIER * left) & _MASK64
        new_left = (hi(m) ^ round_key ^ right) % (1 << a)
        new_right = ((lo(m) << (b - a)) + (right >> a)) % (1 << b)
        return (new_left << b) + new_right

    def apply_once(self, x: int) -> int:
        """The permutation of 0 .. 2^q - 1, before cycle walking."""
        for round_key in self.round_keys:
            x = self.apply_round(x, round_key)
        return x

    def __call__(self, i: int) -> int:
        x = self.apply_once(i)
        while x >= self.n:
            x = self.apply_once(x)
        return x


def shuffled(n: int, seed: int, epoch: int) -> KeyedPermutation:
    """The order of an epoch with shuffling."""
    return KeyedPermutation(n, order_key(seed, epoch))


def count_batches(n: int, batch_size: int, drop_last: bool) -> int:
    return n // batch_size if drop_last else (n + batch_size - 1) // batch_size


def seed_positions(
    batch: int, n: int, batch_size: int, permutation: Optional[KeyedPermutation]
) -> list[int]:
    """Positions, in the list of seeds given, of the seeds of a batch; None: the identity."""
    places = range(batch * batch_size, min((batch + 1) * batch_size, n))
    return [permutation(i) if permutation else i for i in places]


def trainer_batches(real: int, even: str, world: int, rank: int, done: int = 0) -> list[int]:
    """The batches of trainer `rank` of `world`, the first `done` of the epoch being over.

    `real` is the number of batches the epoch has. The evening is done on what is left, as it is
    what the trainers share. A number at or beyond `real` is given as the batch that it repeats.
    """
    left = max(0, real - done)
    if even == DROP:
        left = left // world * world
    elif even == REPEAT:
        left = (left + world - 1) // world * world
    return [b if b < real else b % real for b in range(done + rank, done + left, world)]
