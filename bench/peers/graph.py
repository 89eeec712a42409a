"""The graph and the seeds that all contestants share."""

from __future__ import annotations

import math
import mmap
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np


def allocate(shape: Sequence[int], dtype: Any, huge_pages: bool) -> np.ndarray:
    """A zeroed array in anonymous memory whose page size is asked for explicitly.

    NumPy asks for huge pages and torch does not, so without this the page size a peer gets would
    depend on which library happened to allocate its input.
    """
    count = math.prod(shape)
    size = max(1, count * np.dtype(dtype).itemsize)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    advice = mmap.MADV_HUGEPAGE if huge_pages else mmap.MADV_NOHUGEPAGE
    try:
        memory.madvise(advice)
    except OSError as error:
        if huge_pages:
            raise RuntimeError(f"this kernel refuses huge pages ({error}); use --pages ordinary")
    return np.frombuffer(memory, dtype=dtype, count=count).reshape(shape)


def private_copy(source: np.ndarray, dtype: Any, huge_pages: bool) -> np.ndarray:
    copy = allocate(source.shape, dtype, huge_pages)
    copy[...] = source
    return copy


def huge_page_bytes() -> Optional[int]:
    """Bytes of this process that really lie in huge pages; None where the kernel does not tell."""
    try:
        with open("/proc/self/smaps_rollup", encoding="ascii") as rollup:
            for line in rollup:
                if line.startswith("AnonHugePages:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


class Graph:
    """A CSC graph read from a folder, with one shared copy of each array per data type."""

    def __init__(self, folder: str, huge_pages: bool, num_inputs: int) -> None:
        self.folder = folder
        self.huge_pages = huge_pages
        self._indptr = np.load(os.path.join(folder, "indptr.npy"), mmap_mode="r")
        self._indices = np.load(os.path.join(folder, "indices.npy"), mmap_mode="r")
        self._arrays: Dict[Tuple[str, str], np.ndarray] = {}
        self.num_nodes = len(self._indptr) - 1
        self.num_edges = len(self._indices)
        order = np.random.default_rng(20240229).permutation(self.num_nodes)
        self._order = order.astype(np.int64)
        self.input_nodes = self._order[: min(num_inputs, self.num_nodes)]

    def _array(self, name: str, source: np.ndarray, dtype: Any) -> np.ndarray:
        key = (name, np.dtype(dtype).name)
        if key not in self._arrays:
            self._arrays[key] = private_copy(source, dtype, self.huge_pages)
        return self._arrays[key]

    def indptr(self, dtype: Any = np.int64) -> np.ndarray:
        return self._array("indptr", self._indptr, dtype)

    def indices(self, dtype: Any = np.int32) -> np.ndarray:
        return self._array("indices", self._indices, dtype)

    def targets(self) -> np.ndarray:
        """The target of each stored edge, int64: the second row of a COO edge index."""
        degrees = np.diff(self._indptr)
        return np.repeat(np.arange(self.num_nodes, dtype=np.int64), degrees)

    def _column(self, name: str) -> np.ndarray:
        path = os.path.join(self.folder, f"{name}.npy")
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: this level needs node features and labels")
        source = np.load(path, mmap_mode="r")
        return self._array(name, source, source.dtype)

    def features(self) -> np.ndarray:
        return self._column("x")

    def labels(self) -> np.ndarray:
        return self._column("y")

    def seeds(self, batch: int, batch_size: int) -> np.ndarray:
        """Batch `batch` of a fixed random order of all nodes; wraps round at its end."""
        batches = max(1, self.num_nodes // batch_size)
        start = (batch % batches) * batch_size
        return self._order[start : start + batch_size]

    def info(self) -> Dict[str, Any]:
        degrees = np.diff(self._indptr)
        return {
            "name": os.path.basename(os.path.normpath(self.folder)),
            "nodes": self.num_nodes,
            "edges": self.num_edges,
            "degree_mean": round(float(degrees.mean()), 2),
            "degree_median": int(np.median(degrees)),
            "degree_max": int(degrees.max()),
        }


def parse_fanouts(text: str) -> List[int]:
    return [int(part) for part in text.split(",")]
