"""What Python adds to a batch: one-seed batches of a small graph, of which the rest costs little.

    python bench/overhead.py
"""

import json
import time

import numpy as np

import gls

NODES, CALLS, ROUNDS = 1000, 20000, 5


def main() -> None:
    source = np.arange(NODES)
    edges = np.stack([source, (source * 7 + 1) % NODES])
    x, y = np.zeros((NODES, 16), np.float32), np.zeros(NODES, np.int64)
    dataset = gls.Dataset.from_arrays(edges, x=x, y=y)
    sampler = gls.Sampler(dataset, [1])
    seeds = np.array([5])
    loader = gls.NeighborLoader(dataset, [1], source, batch_size=1, num_workers=1)
    sample_us, loader_us = [], []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for call in range(CALLS):
            sampler.sample(seeds, batch=call)
        sample_us.append((time.perf_counter() - begin) / CALLS * 1e6)
        begin = time.perf_counter()
        for batch in loader:
            _ = batch.x.numpy(), batch.y.numpy(), batch.row.numpy(), batch.col.numpy()
        loader_us.append((time.perf_counter() - begin) / NODES * 1e6)
    ratios = {"sample_us": round(min(sample_us), 2), "loader_us": round(min(loader_us), 2)}
    print(json.dumps({"bench": "overhead", "ratios": ratios}))


if __name__ == "__main__":
    main()
