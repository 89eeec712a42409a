"""What the tests of feeds run in other processes."""

from __future__ import annotations

import gc
import hashlib
import sys
import time
from typing import Any, Callable, Dict, List

import numpy

import gls


def make_loader(**options: Any) -> gls.NeighborLoader:
    nodes, degree = 200, 4
    target = numpy.repeat(numpy.arange(nodes), degree)
    source = (target + 1 + numpy.tile(numpy.arange(degree), nodes)) % nodes
    x = numpy.arange(3 * nodes, dtype=numpy.float32).reshape(nodes, 3)
    dataset = gls.Dataset.from_arrays(
        numpy.stack([source, target]), x=x, num_nodes=nodes, layouts=("csc", "csr")
    )
    given = dict(batch_size=8, shuffle=True, seed=7)
    given.update(options)
    return gls.NeighborLoader(dataset, [3, 2], **given)  # type: ignore[arg-type]


def digest(batch: gls.Batch) -> str:
    sums = hashlib.sha256(f"{batch.epoch} {batch.number} {batch.input_type}".encode())
    sums.update(repr(batch.num_sampled_nodes).encode())
    for array in (batch.node, batch.row, batch.col, batch.seed, batch.x):
        sums.update(numpy.ascontiguousarray(array.numpy()).tobytes())
    return sums.hexdigest()


def digests(loader: Any) -> List[str]:
    return [digest(batch) for batch in loader]


def fail() -> gls.NeighborLoader:
    raise SystemExit(3)


def serve(path: str) -> None:
    with gls.Feed(make_loader(), path, consumers=2, bytes=1 << 20):
        print("serving", flush=True)
        time.sleep(60)


def train(path: str, rank: str) -> None:
    """Takes a few batches, keeps one, and waits to be killed."""
    loader = gls.attach(path, rank=int(rank))
    batches = iter(loader)
    kept = [next(batches), next(batches)]
    del kept[0]
    gc.collect()
    print("training", flush=True)
    time.sleep(60)


def sample(count: str) -> None:
    """Starts sampling processes, says which they are, and waits to be killed."""
    with gls.SamplingProcesses(make_loader, count=int(count)) as sampling:
        with sampling.attach() as loader:
            next(iter(loader))
            print(sampling.paths[0], *sampling.pids, flush=True)
            time.sleep(60)


def shop_loader(shop: gls.Dataset, **options: Any) -> gls.NeighborLoader:
    return gls.NeighborLoader(
        shop, [3, 2], ("user", "train"), batch_size=3, shuffle=True, **options
    )


def serve_part(parts: str, number: str, same_host: str) -> None:
    context = gls.Context(num_threads=1)
    context.set("cluster.same_host", same_host)
    with gls.Server(parts, parts=[int(number)], context=context) as server:
        print(server.address, flush=True)
        time.sleep(60)


def feed_served(graph: str, path: str) -> None:
    loader = shop_loader(gls.Dataset.open(graph))
    with gls.Feed(loader, path, bytes=1 << 20) as feed:
        print("serving", flush=True)
        while True:
            sys.stdin.readline()
            print(feed.info.batch_bytes, feed.info.copied_bytes, feed.info.used_bytes, flush=True)


if __name__ == "__main__":
    roles: Dict[str, Callable[..., None]] = {
        "serve": serve,
        "train": train,
        "sample": sample,
        "serve_part": serve_part,
        "feed_served": feed_served,
    }
    roles[sys.argv[1]](*sys.argv[2:])
