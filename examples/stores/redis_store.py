"""Features and neighbours in Redis.

    pip install redis
    python examples/stores/redis_store.py redis://localhost:6379

The keys begin with "cora:", and are deleted at the end.
"""

import sys
from typing import Dict, Tuple

import numpy as np
import redis

import gls
from cora import EDGE_TYPE, accuracy, arrays, base


class Features(gls.ColumnStore):
    """A value is a row."""

    def __init__(self, client: redis.Redis, width: int, **options) -> None:
        super().__init__("paper", "x", dtype="float32", shape=width, **options)
        self.client = client

    def fetch(self, ids: np.ndarray, rows: np.ndarray) -> None:
        try:
            values = self.client.mget([f"cora:x:{node}" for node in ids.tolist()])
        except redis.RedisError as error:
            raise gls.IoError(f"Redis: {error}") from error
        for row, node, value in zip(rows, ids, values):
            if value is None:
                raise gls.NotFound(f"there is no paper {node}")
            row[:] = np.frombuffer(value, np.float32)


class Citations(gls.NeighborStore):
    """The sources of the edges to a paper are a list. There are no edge ids."""

    def __init__(self, client: redis.Redis, num_edges: int, **options) -> None:
        super().__init__(EDGE_TYPE, num_edges, layout="csc", edge_ids=False, **options)
        self.client = client

    def fetch(self, nodes: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        try:
            with self.client.pipeline(transaction=False) as pipeline:  # one round trip
                for node in nodes.tolist():
                    pipeline.lrange(f"cora:in:{node}", 0, -1)
                lists = pipeline.execute()
        except redis.RedisError as error:
            raise gls.IoError(f"Redis: {error}") from error
        sources = [int(source) for sources in lists for source in sources]
        return np.array([len(sources) for sources in lists]), np.array(sources, np.int64)


def write(client: redis.Redis, cora: Dict[str, np.ndarray]) -> None:
    source, target = cora["edges"]
    with client.pipeline(transaction=False) as pipeline:
        for node, row in enumerate(cora["x"]):
            pipeline.set(f"cora:x:{node}", row.tobytes())
        for one, other in zip(source.tolist(), target.tolist()):
            pipeline.rpush(f"cora:in:{other}", one)
        pipeline.execute()


def erase(client: redis.Redis) -> None:
    keys = list(client.scan_iter("cora:*", count=1000))
    if keys:
        client.delete(*keys)


def main() -> None:
    cora = arrays()
    # A lost server is then an error after seconds, and not when the deadline has passed.
    with redis.Redis.from_url(sys.argv[1], socket_timeout=5) as client:
        erase(client)
        write(client, cora)
        features = Features(client, cora["x"].shape[1], cache_bytes=1 << 20)
        citations = Citations(client, cora["edges"].shape[1])
        dataset = base(cora).with_stores(features, citations)
        print(f"accuracy {accuracy(dataset):.3f}")
        print(features.stats)
        erase(client)


if __name__ == "__main__":
    main()
