"""What it costs to have batches made by another process: against the loader in this one.

    python bench/load/feeds.py [--nodes N] [--seconds S] [--threads T]

batches_per_s        by threads of this process
feed_batches_per_s   by one other process with as many threads
feed_ratio           of the two
*_cpu                processors that were kept busy meanwhile, of the machine's: by this process when its own
                     threads make the batches, and by the process that samples and this one when another does
passed_us            batches of one node: microseconds that passing one adds to taking it, what is copied and
                     both messages included
"""

import argparse
import functools
import json
import os
import time
from typing import Any, List, Sequence, Tuple

import numpy as np

import gls


def make_loader(nodes: int, threads: int, batch_size: int) -> gls.NeighborLoader:
    context = gls.Context(num_threads=threads)
    degree, width = 10, 100
    source = np.arange(nodes * degree, dtype=np.int64) * 2654435761 % nodes
    target = np.repeat(np.arange(nodes), degree)
    x = np.zeros((nodes, width), np.float32)
    dataset = gls.Dataset.from_arrays(np.stack([source, target]), x=x, context=context)
    fanouts = [10, 5] if batch_size > 1 else [1]
    return gls.NeighborLoader(dataset, fanouts, batch_size=batch_size, shuffle=True)


def cpu_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as stat:
        user, system = stat.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def rate(loader: Any, seconds: float, pids: Sequence[int]) -> Tuple[float, List[float]]:
    """Batches per second, after a first half second, and how many processors each process kept busy."""
    count, begin, end = 0, 0.0, time.perf_counter() + 0.5
    before: List[float] = []
    while True:
        for batch in loader:
            count += 1
            now = time.perf_counter()
            if now >= end:
                used = [cpu_seconds(pid) for pid in pids]
                if begin:
                    busy = [(b - a) / (now - begin) for a, b in zip(before, used)]
                    return count / (now - begin), busy
                count, begin, end, before = 0, now, now + seconds, used


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    out = {}
    for batch_size in (512, 1):
        make = functools.partial(make_loader, given.nodes, given.threads, batch_size)
        with make() as loader:
            own, busy = rate(loader, given.seconds, [os.getpid()])
        with gls.SamplingProcesses(make) as sampling, sampling.attach() as loader:
            pids = [*sampling.pids, os.getpid()]
            passed, shared = rate(loader, given.seconds, pids)
        if batch_size > 1:
            out["batches_per_s"] = round(own, 1)
            out["feed_batches_per_s"] = round(passed, 1)
            out["feed_ratio"] = round(passed / own, 2)
            for name, cpu in zip(("own_cpu", "feed_cpu", "trainer_cpu"), (*busy, *shared)):
                out[name] = round(cpu, 2)
        else:
            out["passed_us"] = round((1 / passed - 1 / own) * 1e6, 1)
    print(json.dumps({"bench": "feeds", "ratios": out}))


if __name__ == "__main__":
    main()
