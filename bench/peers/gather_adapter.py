"""Gathering feature rows: torch.index_select, which peers gather with, and GLS."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, List, Tuple

import numpy as np

from contestant import Contestant, Options, Unavailable, check_rows
from graph import Graph, allocate

WIDE_ROW_FLOATS = 1024


class IndexSelect(Contestant):
    """Gathers the rows of the nodes of a sampled batch. "Edges" are rows here."""

    level = "gather"

    def __init__(self, options: Options, wide: bool, pooled: bool) -> None:
        super().__init__(options)
        self._wide = wide
        self._pooled = pooled
        row = "4096B" if wide else "x"
        self.name = f"index-select-{row}" + ("-out" if pooled else "")
        self.semantics = (
            ("rows of 4096 B" if wide else "rows of x.npy")
            + (", into one reused output" if pooled else ", into a new output each time")
            + "; edges/s are rows/s"
        )

    def versions(self) -> Dict[str, str]:
        try:
            import torch
        except ImportError as error:
            raise Unavailable(f"torch: not installed ({error})")
        return {"torch": torch.__version__.split("+")[0]}

    def setup(self, graph: Graph) -> None:
        import torch

        self._torch = torch
        table = _wide_table(graph) if self._wide else graph.features()
        self._table = torch.from_numpy(table)
        self._batches = [
            torch.from_numpy(ids % len(table)) for ids in _sampled_nodes(graph, self.options)
        ]
        most = max(batch.numel() for batch in self._batches)
        # Pages are touched here, so that a pooled output is really a warm one.
        self._out = torch.zeros((most, self._table.shape[1])) if self._pooled else None

    def step(self, batch: int) -> Tuple[int, int]:
        ids = self._batches[batch % len(self._batches)]
        if self._out is None:
            rows = self._torch.index_select(self._table, 0, ids)
        else:
            rows = self._out[: ids.numel()]
            self._torch.index_select(self._table, 0, ids, out=rows)
        return rows.shape[0], rows.shape[0]


GATHER_ENV = "GLS_BENCH_GATHER"
CACHE_LINE = 64


class GlsGather(Contestant):
    """The same rows by GLS, from a table whose rows are padded to cache lines as an import does. The
    function is in the library that GLS_BENCH_GATHER names, from bench/load/gather_plain.cc."""

    level = "gather"

    def __init__(self, options: Options, wide: bool) -> None:
        super().__init__(options)
        self._wide = wide
        self.name = "gls-gather-" + ("4096B" if wide else "x")
        self.semantics = (
            "rows of 4096 B" if wide else "rows of x.npy, padded to cache lines"
        ) + ", into memory from a pool; edges/s are rows/s"

    def versions(self) -> Dict[str, str]:
        if not os.environ.get(GATHER_ENV):
            raise Unavailable(f"gls: {GATHER_ENV} names no library")
        try:
            self._gather = ctypes.CDLL(os.environ[GATHER_ENV]).gls_bench_gather
        except OSError as error:
            raise Unavailable(f"gls: {error}")
        self._gather.restype = ctypes.c_double
        pointer, count = ctypes.c_void_p, ctypes.c_int64
        self._gather.argtypes = [pointer, count, count, count, pointer, count]
        return {"gls": "this tree"}

    def setup(self, graph: Graph) -> None:
        packed = _wide_table(graph) if self._wide else graph.features()
        rows, width = packed.shape
        stride = -(-width * packed.itemsize // CACHE_LINE) * CACHE_LINE
        self._table = allocate((rows, stride // packed.itemsize), packed.dtype, graph.huge_pages)
        self._table[:, :width] = packed
        self._shape = (rows, width * packed.itemsize, stride)
        self._batches = [ids % rows for ids in _sampled_nodes(graph, self.options)]

    def step(self, batch: int) -> Tuple[int, int]:
        ids = self._batches[batch % len(self._batches)]
        size = self._gather(self._table.ctypes.data, *self._shape, ids.ctypes.data, len(ids))
        check_rows(self.name, len(ids) * self._shape[1], int(size))
        return len(ids), len(ids)


class Copy(Contestant):
    """memcpy of as many bytes, into a warm buffer: what the machine allows."""

    level = "gather"

    def __init__(self, options: Options, wide: bool) -> None:
        super().__init__(options)
        self._wide = wide
        self.name = "memcpy-" + ("4096B" if wide else "x")
        self.semantics = "memcpy of as many bytes; edges/s are rows/s"

    def versions(self) -> Dict[str, str]:
        return {"numpy": np.__version__}

    def setup(self, graph: Graph) -> None:
        self._table = _wide_table(graph) if self._wide else graph.features()
        self._counts = [
            min(len(ids), len(self._table)) for ids in _sampled_nodes(graph, self.options)
        ]
        shape = (max(self._counts), self._table.shape[1])
        self._out = allocate(shape, self._table.dtype, graph.huge_pages)
        self._out[...] = 1

    def step(self, batch: int) -> Tuple[int, int]:
        count = self._counts[batch % len(self._counts)]
        size = count * self._table.shape[1] * self._table.itemsize
        ctypes.memmove(self._out.ctypes.data, self._table.ctypes.data, size)
        return count, count


_CACHE: Dict[str, Any] = {}


def _wide_table(graph: Graph) -> np.ndarray:
    """4 KB rows, 1 GiB of them at most: far more than any cache holds."""
    if "wide" not in _CACHE:
        rows = min(graph.num_nodes, 1 << 18)
        _CACHE["wide"] = allocate((rows, WIDE_ROW_FLOATS), np.float32, graph.huge_pages)
        _CACHE["wide"][...] = 1.0
    return _CACHE["wide"]


def _sampled_nodes(graph: Graph, options: Options) -> List[np.ndarray]:
    """Node lists of a few batches."""
    if "nodes" not in _CACHE:
        _CACHE["nodes"] = [_node_list(graph, options, batch) for batch in range(4)]
    return _CACHE["nodes"]


def _node_list(graph: Graph, options: Options, batch: int) -> np.ndarray:
    """Seeds, then new nodes hop by hop: the whole row of a node of small degree, else draws with
    replacement, which makes the list a little shorter than a sampler's."""
    rng = np.random.default_rng(batch)
    indptr, indices = graph.indptr(np.int64), graph.indices(np.int32)
    nodes = graph.seeds(batch, options.batch_size)
    frontier = nodes
    for fanout in options.fanouts:
        first = indptr[frontier, None]
        degree = indptr[frontier + 1, None] - first
        row = np.arange(fanout)[None, :]
        drawn = (rng.random((len(frontier), fanout)) * degree).astype(np.int64)
        position = np.where(degree > fanout, drawn, row)
        valid = (degree > fanout) | (row < degree)
        found, where = np.unique(indices[(first + position)[valid]], return_index=True)
        found = found[np.argsort(where)].astype(np.int64)
        frontier = found[~np.isin(found, nodes)]
        nodes = np.concatenate((nodes, frontier))
    return nodes
