"""Features and neighbours in Redis.

    pip install redis
    python examples/stores/redis_store.py redis://localhost:6379

The keys begin with "cora:" and a random number, and are deleted at the end.
"""

import secrets
import sys
from typing import Dict, Tuple

import numpy as np
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

import gls
from cora import EDGE_TYPE, accuracy, arrays, base


def connect(url: str) -> redis.Redis:
    """A lost server is then an error after seconds, and not when the deadline has passed."""
    return redis.Redis.from_url(url, socket_timeout=5, retry=Retry(NoBackoff(), 0))


class Features(gls.ColumnStore):
    """A value is a row."""

    def __init__(self, client: redis.Redis, width: int, prefix: str, **options) -> None:
        super().__init__("paper", "x", dtype="float32", shape=width, **options)
        self.client, self.prefix = client, prefix

    def fetch(self, ids: np.ndarray, rows: np.ndarray) -> None:
        try:
            values = self.client.mget([f"{self.prefix}x:{node}" for node in ids.tolist()])
        except redis.RedisError as error:
            raise gls.IoError(f"Redis: {error}") from error
        for row, node, value in zip(rows, ids, values):
            if value is None:
                raise gls.NotFound(f"there is no paper {node}")
            row[:] = np.frombuffer(value, np.float32)


class Citations(gls.NeighborStore):
    """The sources of the edges to a paper are a list. There are no edge ids."""

    def __init__(self, client: redis.Redis, num_edges: int, prefix: str, **options) -> None:
        super().__init__(EDGE_TYPE, num_edges, layout="csc", **options)
        self.client, self.prefix = client, prefix

    def fetch(self, nodes: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        try:
            with self.client.pipeline(transaction=False) as pipeline:  # one round trip
                for node in nodes.tolist():
                    pipeline.lrange(f"{self.prefix}in:{node}", 0, -1)
                lists = pipeline.execute()
        except redis.RedisError as error:
            raise gls.IoError(f"Redis: {error}") from error
        sources = [int(source) for sources in lists for source in sources]
        return np.array([len(sources) for sources in lists]), np.array(sources, np.int64)


def write(client: redis.Redis, cora: Dict[str, np.ndarray], prefix: str) -> None:
    source, target = cora["edges"]
    with client.pipeline(transaction=False) as pipeline:
        for node, row in enumerate(cora["x"]):
            pipeline.set(f"{prefix}x:{node}", row.tobytes())
        for one, other in zip(source.tolist(), target.tolist()):
            pipeline.rpush(f"{prefix}in:{other}", one)
        pipeline.execute()


def erase(client: redis.Redis, prefix: str) -> None:
    keys = list(client.scan_iter(f"{prefix}*", count=1000))
    if keys:
        client.delete(*keys)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} URL, such as redis://localhost:6379")
    cora = arrays()
    prefix = f"cora:{secrets.token_hex(8)}:"  # the server may have other keys
    with connect(sys.argv[1]) as client:
        try:
            write(client, cora, prefix)
            features = Features(client, cora["x"].shape[1], prefix, cache_bytes=1 << 20)
            citations = Citations(client, cora["edges"].shape[1], prefix)
            dataset = base(cora).with_stores(features, citations)
            print(f"accuracy {accuracy(dataset):.3f}")
            print(features.stats)
        finally:
            erase(client, prefix)


if __name__ == "__main__":
    main()
