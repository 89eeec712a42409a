"""Features and neighbours in LMDB, a key-value store in a file.

    pip install lmdb
    python examples/stores/lmdb_store.py
"""

import tempfile
from typing import Dict, Tuple

import lmdb
import numpy as np

import gls
from cora import EDGE_TYPE, accuracy, arrays, base


def key(kind: bytes, node: int) -> bytes:
    return kind + node.to_bytes(8, "big")


def get(transaction: lmdb.Transaction, kind: bytes, node: int) -> bytes:
    value = transaction.get(key(kind, node))
    if value is None:
        raise gls.NotFound(f"there is no paper {node}")
    return value


class Features(gls.ColumnStore):
    """A value is a row."""

    def __init__(self, environment: lmdb.Environment, width: int, **options) -> None:
        super().__init__("paper", "x", dtype="float32", shape=width, **options)
        self.environment = environment

    def fetch(self, ids: np.ndarray, rows: np.ndarray) -> None:
        with self.environment.begin(buffers=True) as transaction:  # values are shown in place
            for row, node in zip(rows, ids.tolist()):
                row[:] = np.frombuffer(get(transaction, b"x", node), np.float32)


class Citations(gls.NeighborStore):
    """A value has the sources of the edges to a paper, and then the ids of these edges."""

    def __init__(self, environment: lmdb.Environment, num_edges: int, **options) -> None:
        super().__init__(EDGE_TYPE, num_edges, layout="csc", edge_ids=True, **options)
        self.environment = environment

    def fetch(self, nodes: np.ndarray) -> Tuple[np.ndarray, ...]:
        with self.environment.begin() as transaction:
            found = [get(transaction, b"in", node) for node in nodes.tolist()]
        lists = [np.frombuffer(value, np.int64).reshape(2, -1) for value in found]
        sources, edges = np.concatenate(lists, axis=1)
        return np.array([one.shape[1] for one in lists]), sources, edges


def write(environment: lmdb.Environment, cora: Dict[str, np.ndarray]) -> None:
    source, target = cora["edges"].astype(np.int64)
    with environment.begin(write=True) as transaction:
        for node, row in enumerate(cora["x"]):
            edges = np.flatnonzero(target == node)
            transaction.put(key(b"x", node), row.tobytes())
            transaction.put(key(b"in", node), np.stack([source[edges], edges]).tobytes())


def main() -> None:
    cora = arrays()
    with tempfile.TemporaryDirectory() as folder:
        with lmdb.open(folder, map_size=1 << 30) as environment:
            write(environment, cora)
            features = Features(environment, cora["x"].shape[1], cache_bytes=1 << 20)
            citations = Citations(environment, cora["edges"].shape[1])
            dataset = base(cora).with_stores(features, citations)
            print(f"accuracy {accuracy(dataset):.3f}")
            print(features.stats)


if __name__ == "__main__":
    main()
