"""Features and neighbours in tables of DuckDB.

    pip install duckdb
    python examples/stores/duckdb_store.py
"""

from typing import Dict, Tuple

import duckdb
import numpy as np

import gls
from cora import EDGE_TYPE, accuracy, arrays, base

# The ids of a question, and the place of each.
WANTED = "WITH wanted AS (SELECT unnest($ids) AS id, generate_subscripts($ids, 1) - 1 AS place) "


class Features(gls.ColumnStore):
    """The column `x` of the table `paper`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, width: int, **options) -> None:
        super().__init__("paper", "x", dtype="float32", shape=width, **options)
        self.connection = connection

    def fetch(self, ids: np.ndarray, rows: np.ndarray) -> None:
        cursor = self.connection.cursor()  # a connection serves one thread
        query = "SELECT place, x FROM wanted JOIN paper USING (id)"
        found = cursor.execute(WANTED + query, {"ids": ids.tolist()}).fetchnumpy()
        if len(found["place"]) != len(ids):
            raise gls.NotFound(f"{len(ids) - len(found['place'])} of {len(ids)} papers are missing")
        rows[found["place"]] = np.stack(found["x"])


class Citations(gls.NeighborStore):
    """The table `cites`, whose rows have edge ids."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, num_edges: int, **options) -> None:
        super().__init__(EDGE_TYPE, num_edges, layout="csc", edge_ids=True, **options)
        self.connection = connection

    def fetch(self, nodes: np.ndarray) -> Tuple[np.ndarray, ...]:
        cursor = self.connection.cursor()
        query = (
            "SELECT place, source, cites.id AS edge FROM wanted JOIN cites ON target = wanted.id "
            "ORDER BY place, edge"  # the order of neighbours must not change
        )
        found = cursor.execute(WANTED + query, {"ids": nodes.tolist()}).fetchnumpy()
        counts = np.bincount(found["place"], minlength=len(nodes))
        return counts, found["source"], found["edge"]


def write(connection: duckdb.DuckDBPyConnection, cora: Dict[str, np.ndarray]) -> None:
    source, target = cora["edges"].astype(np.int64)
    edges = {"id": np.arange(len(source)), "source": source, "target": target}
    connection.execute("CREATE TABLE cites AS FROM edges")  # the arrays of this function
    connection.execute("CREATE INDEX by_target ON cites (target)")
    nodes, width = cora["x"].shape
    at = np.arange(nodes * width)
    flat = {"id": at // width, "place": at % width, "x": cora["x"].ravel()}
    query = "SELECT id, list(x ORDER BY place) AS x FROM flat GROUP BY id"
    connection.execute(f"CREATE TABLE paper AS {query}")
    connection.execute("CREATE UNIQUE INDEX by_id ON paper (id)")


def main() -> None:
    cora = arrays()
    with duckdb.connect() as connection:
        write(connection, cora)
        features = Features(connection, cora["x"].shape[1], cache_bytes=1 << 20)
        citations = Citations(connection, cora["edges"].shape[1])
        dataset = base(cora).with_stores(features, citations)
        print(f"accuracy {accuracy(dataset):.3f}")
        print(features.stats)


if __name__ == "__main__":
    main()
