"""What Python adds to a batch: one-seed batches of a small graph, of which the rest costs little.

    python bench/load/overhead.py

sample_us         a whole call of Sampler.sample
loader_us         an iteration of a loader with four arrays as NumPy, the worker's part included
python_us         taking a batch that is ready, and dropping it: the library's part included
python_arrays_us  the same with four arrays as NumPy
"""

import json
import time

import numpy as np

import gls

NODES, CALLS, ROUNDS = 1000, 20000, 5


def take_ready(loader: gls.NeighborLoader, arrays: bool) -> float:
    """Microseconds per batch, of an epoch whose other batches wait to be taken."""
    batches = iter(loader)
    next(batches)
    while loader.stats.ready_batches < NODES - 1:
        time.sleep(0.001)
    begin = time.perf_counter()
    for batch in batches:
        if arrays:
            _ = batch.x.numpy(), batch.y.numpy(), batch.row.numpy(), batch.col.numpy()
    return (time.perf_counter() - begin) / (NODES - 1) * 1e6


def main() -> None:
    source = np.arange(NODES)
    edges = np.stack([source, (source * 7 + 1) % NODES])
    x, y = np.zeros((NODES, 16), np.float32), np.zeros(NODES, np.int64)
    dataset = gls.Dataset.from_arrays(edges, x=x, y=y)
    sampler = gls.Sampler(dataset, [1])
    seeds = np.array([5])
    loader = gls.NeighborLoader(dataset, [1], source, batch_size=1, num_workers=1)
    ahead = gls.NeighborLoader(
        dataset, [1], source, batch_size=1, num_workers=1, prefetch=NODES, prefetch_bytes=4 << 30
    )
    results = {"sample_us": [], "loader_us": [], "python_us": [], "python_arrays_us": []}
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for call in range(CALLS):
            sampler.sample(seeds, batch=call)
        results["sample_us"].append((time.perf_counter() - begin) / CALLS * 1e6)
        begin = time.perf_counter()
        for batch in loader:
            _ = batch.x.numpy(), batch.y.numpy(), batch.row.numpy(), batch.col.numpy()
        results["loader_us"].append((time.perf_counter() - begin) / NODES * 1e6)
        results["python_us"].append(take_ready(ahead, False))
        results["python_arrays_us"].append(take_ready(ahead, True))
    ratios = {name: round(min(times), 2) for name, times in results.items()}
    print(json.dumps({"bench": "overhead", "ratios": ratios}))


if __name__ == "__main__":
    main()
