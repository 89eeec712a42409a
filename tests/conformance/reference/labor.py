"""Section 2 of docs/contract.md, "By layer": rows that share one random number per neighbour."""

from __future__ import annotations

from typing import Optional, Sequence

from reference.philox import derive, epoch_key, hi, layer_key, lo
from reference.picks import ALL, check_weights

SHARED_HOP = 255


class Numbers:
    """The numbers of nodes of one type in one hop of a batch."""

    def __init__(
        self, seed: int, epoch: int, batch: int, dependency: int, node_type: int, hop: Optional[int]
    ) -> None:
        """`hop` None: those that all hops share."""
        self._seed, self._epoch, self._batch = seed, epoch, batch
        self._dependency = max(1, dependency)
        self._node_type = node_type
        self._word = 256 * node_type + (SHARED_HOP if hop is None else hop)

    def period(self, node: int) -> int:
        if self._dependency == 1:
            return self._batch
        counter = (lo(node), hi(node), 4, self._node_type)
        draw = derive(counter, epoch_key(self._seed, self._epoch, 1))
        phase = (draw * self._dependency) >> 64
        return (self._batch + phase) // self._dependency

    def __getitem__(self, node: int) -> int:
        key = layer_key(self._seed, self._epoch, self.period(node))
        return derive((0, self._word, lo(node), hi(node)), key)


def pick_smallest(numbers: Sequence[int], fanout: int) -> list[int]:
    """Positions picked from a row; `numbers[i]` is that of the neighbour at position `i`."""
    everything = list(range(len(numbers)))
    if fanout == ALL or len(numbers) <= fanout:
        return everything
    return sorted(sorted(everything, key=lambda i: (numbers[i], i))[:fanout])


def pick_smallest_weighted(
    numbers: Sequence[int], weights: Sequence[float], fanout: int
) -> list[int]:
    if fanout == 0:
        return []
    check_weights(weights)
    positive = [i for i, weight in enumerate(weights) if weight > 0]
    if fanout == ALL or len(positive) <= fanout:
        return positive
    order = {i: (float(numbers[i] >> 11) * 2.0**-53) / weights[i] for i in positive}
    return sorted(sorted(positive, key=lambda i: (order[i], i))[:fanout])
