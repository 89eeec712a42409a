"""What a contestant in Python reports; bench/disk/progress.h is the same in C++."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Dict, List

import numpy as np

BATCH_SIZE, FANOUTS, SUMMED = 256, [15, 10, 5], 3


def moved_bytes() -> Dict[str, int]:
    """Between this process and storage, so far."""
    lines = Path("/proc/self/io").read_text().splitlines()
    counts = dict(line.split(": ") for line in lines)
    return {key: int(counts[key]) for key in ("read_bytes", "write_bytes")}


class Progress:
    def __init__(self) -> None:
        self._before = moved_bytes()
        self._begin = time.perf_counter()
        self._times: List[float] = []
        self._sums: List[int] = []
        self._nodes = 0

    def seconds(self) -> float:
        return time.perf_counter() - self._begin

    def batches(self) -> int:
        return len(self._times)

    def run(self, loader: Any, seconds: float) -> bool:
        """Adds batches for so long at the most. Whether the epoch ended."""
        for batch in loader:
            self.add(batch.x.numpy())
            if self.seconds() > seconds:
                return self.batches() == len(loader)
        return True

    def add(self, rows: Any) -> None:
        """After a batch, with the features of its nodes as an array of NumPy."""
        if len(self._times) < SUMMED:
            self._sums.append(int(rows.view(np.uint32).sum(dtype=np.uint64)))
        self._times.append(self.seconds())
        self._nodes += len(rows)

    def moved(self) -> Dict[str, int]:
        """Bytes between this process and storage since the begin."""
        return {key: value - self._before[key] for key, value in moved_bytes().items()}

    def print(self, complete: bool, moved: Dict[str, int], more: Dict[str, Any]) -> None:
        result = {
            "times": [round(value, 5) for value in self._times],
            "sums": self._sums,
            "nodes": self._nodes,
            "complete": complete,
            **moved,
            "more": more,
        }
        print(json.dumps(result), flush=True)
