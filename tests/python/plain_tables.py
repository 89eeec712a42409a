"""What steps of a table are to do, in plain NumPy, as gls.h states it."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

Gradients = Tuple[Sequence[int], np.ndarray]
"""Ids, and a gradient for each."""


class PlainTable:
    def __init__(
        self,
        rows: np.ndarray,
        optimizer: str,
        *,
        mean: bool = False,
        row_steps: bool = False,
        epsilon: Optional[float] = None,
        betas: Tuple[float, float] = (0.9, 0.999),
    ) -> None:
        self.rows = rows.astype(np.float32)
        self.optimizer, self.mean, self.row_steps = optimizer, mean, row_steps
        usual = 1e-10 if optimizer == "adagrad" else 1e-8
        self.epsilon = np.float32(usual if epsilon is None else epsilon)
        self.betas = betas
        self.first, self.second = np.zeros_like(self.rows), np.zeros_like(self.rows)
        self.steps_of_rows = np.zeros(len(rows), np.int64)
        self.num_steps = 0

    def step(self, trainers: Sequence[Gradients], rate: float) -> None:
        """With the gradients of all trainers, by rank."""
        self.num_steps += 1
        sums, counts = np.zeros_like(self.rows), np.zeros(len(self.rows), np.int64)
        for ids, gradients in trainers:
            own = np.zeros_like(self.rows)
            np.add.at(own, np.asarray(ids, np.int64), gradients)
            np.add.at(counts, np.asarray(ids, np.int64), 1)
            sums += own
        (here,) = np.nonzero(counts)
        g = sums[here]
        if self.mean:
            g = g / counts[here, None].astype(np.float32)
        self.steps_of_rows[here] += 1
        self.rows[here] -= self._change(here, g, rate).astype(np.float32)

    def _change(self, here: np.ndarray, g: np.ndarray, rate: float) -> Any:
        if self.optimizer == "sgd":
            return np.float32(rate) * g
        if self.optimizer == "adagrad":
            self.first[here] += g * g
            return np.float32(rate) * g / (np.sqrt(self.first[here]) + self.epsilon)
        assert self.optimizer == "adam"
        one, two = self.betas
        self.first[here] += np.float32(1 - one) * (g - self.first[here])
        self.second[here] += np.float32(1 - two) * (g * g - self.second[here])
        m, v = self.first[here], self.second[here]
        if self.row_steps:
            t = self.steps_of_rows[here, None].astype(np.float64)
            m, v = m / (1 - one**t), v / (1 - two**t)
            return rate * m / (np.sqrt(v) + self.epsilon)
        t = self.num_steps
        return rate * np.sqrt(1 - two**t) / (1 - one**t) * m / (np.sqrt(v) + self.epsilon)


def draw_steps(
    rng: np.random.Generator, rows: int, width: int, steps: int, trainers: int = 1
) -> List[List[Gradients]]:
    """Gradients of some steps by trainer: many rows more than once, some steps without any."""
    out = []
    for number in range(steps):
        counts = [0 if (number + rank) % 4 == 3 else rows // 2 for rank in range(trainers)]
        out.append(
            [
                (rng.integers(0, rows, count), rng.standard_normal((count, width), np.float32))
                for count in counts
            ]
        )
    return out
