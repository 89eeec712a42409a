"""A graph in arrays, and the stores that have the same."""

from __future__ import annotations

from typing import Any, Iterator, List, Tuple

import numpy as np

import gls

NODES, EDGES = 200, 2000
_RNG = np.random.default_rng(0)
EDGE_INDEX = _RNG.integers(0, NODES, (2, EDGES))
X = _RNG.standard_normal((NODES, 12)).astype(np.float32)
Y = _RNG.integers(0, 5, NODES)
EDGE_ATTR = _RNG.standard_normal((EDGES, 3)).astype(np.float32)


def whole(**options: Any) -> gls.Dataset:
    return gls.Dataset.from_arrays(
        EDGE_INDEX, num_nodes=NODES, x=X, y=Y, edge_attr=EDGE_ATTR, **options
    )


def edges_only() -> gls.Dataset:
    return gls.Dataset.from_arrays(EDGE_INDEX, num_nodes=NODES)


def nodes_only() -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", NODES)
    return builder.build()


class Features(gls.ColumnStore):
    """The rows of an array."""

    def __init__(self, array: Any = X, name: str = "x", **options: Any) -> None:
        options = {"dtype": str(array.dtype), "shape": array.shape[1:], **options}
        super().__init__(name=name, **options)
        self.array = array
        self.asked: List[np.ndarray] = []

    def fetch(self, ids: Any, rows: Any) -> None:
        self.asked.append(ids.copy())
        rows[:] = self.array[ids]


class Neighbors(gls.NeighborStore):
    """The neighbours of a list of edges."""

    def __init__(self, layout: str = "csc", **options: Any) -> None:
        options = {"edge_ids": True, **options}
        super().__init__("node__to__node", EDGES, layout, **options)
        keys, others = EDGE_INDEX[::-1] if layout == "csc" else EDGE_INDEX
        self.with_ids = options["edge_ids"]
        self.ids = [np.flatnonzero(keys == node) for node in range(NODES)]
        self.others = others

    def lists(self, nodes: Any) -> Tuple[Any, ...]:
        ids = np.concatenate([self.ids[node] for node in nodes])
        counts = [len(self.ids[node]) for node in nodes]
        return (counts, self.others[ids], ids) if self.with_ids else (counts, self.others[ids])

    def fetch(self, nodes: Any) -> Any:
        return self.lists(nodes)


def loader(dataset: gls.Dataset, **options: Any) -> gls.NeighborLoader:
    return gls.NeighborLoader(dataset, [5, 3], batch_size=20, **{"seed": 1, **options})


def contents(batches: Any, *names: str) -> Iterator[List[np.ndarray]]:
    for batch in batches:
        yield [np.array(getattr(batch, name).numpy()) for name in names]


def assert_same(first: Any, second: Any, *names: str) -> None:
    """That both loaders make the same batches."""
    ours, theirs = list(contents(first, *names)), list(contents(second, *names))
    assert len(ours) == len(theirs) == len(first) == len(second)
    for one, other in zip(ours, theirs):
        assert len(one) == len(other)
        for a, b in zip(one, other):
            assert a.dtype == b.dtype and a.shape == b.shape
            assert a.tobytes() == b.tobytes()
