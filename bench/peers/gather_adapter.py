"""torch.index_select over feature rows: what peers gather features with."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np

from contestant import Contestant, Options, Unavailable
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
