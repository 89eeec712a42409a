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


if __name__ == "__main__":
    roles: Dict[str, Callable[..., None]] = {"serve": serve, "train": train, "sample": sample}
    roles[sys.argv[1]](*sys.argv[2:])
