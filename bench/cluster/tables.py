"""Tables against sparse embeddings of PyTorch: rows, and steps of SparseAdam.

    python bench/cluster/tables.py [--rows N] [--width W] [--batch B] [--rounds R] [--seconds S]

What is measured in turn, as rows of a second, of `batch` random ids that are mostly distinct:

- `rows`: rows by id, by `torch.nn.functional.embedding` and by `Table.rows`;
- `step`: forward, backward and step of `torch.nn.Embedding(sparse=True)` and `torch.optim.SparseAdam`, and of
  `gls.nn.Embedding` with Adam;
- the same two of a table at a server in another process on loopback, under TLS and plain.

Torch has as many threads as there are processors. The last line is JSON: ratios to torch of the medians.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import tempfile
import time
from typing import Any, Callable, Dict, List

import numpy as np
import torch

import gls
from gls.nn import Embedding

KEY = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"


def make_graph(folder: str, rows: int) -> None:
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", rows)
    ends = np.arange(2, dtype=np.int64)
    builder.add_edges("node__to__node", ends, ends[::-1].copy())
    builder.write(folder)


def context(plain: bool) -> gls.Context:
    made = gls.Context()
    made.set("net.plain", str(plain).lower())
    return made


def serve(folder: str, plain: bool, table_bytes: int, said: Any) -> None:
    with gls.Server(folder, table_bytes=table_bytes, context=context(plain)) as server:
        said.send(server.address)
        said.recv()


class Torch:
    def __init__(self, rows: int, width: int) -> None:
        self.embedding = torch.nn.Embedding(rows, width, sparse=True)
        self.optimizer = torch.optim.SparseAdam(self.embedding.parameters(), lr=0.01)

    def rows(self, ids: torch.Tensor) -> None:
        with torch.no_grad():
            self.embedding(ids)

    def step(self, ids: torch.Tensor) -> None:
        self.optimizer.zero_grad()
        self.embedding(ids).sum().backward()
        self.optimizer.step()


class Gls:
    def __init__(self, dataset: gls.Dataset, width: int) -> None:
        self.table = dataset.table("bench", width=width, low=-1, high=1, optimizer="adam")
        self.embedding = Embedding(self.table)

    def rows(self, ids: torch.Tensor) -> None:
        self.table.rows(ids)

    def step(self, ids: torch.Tensor) -> None:
        self.embedding(ids).sum().backward()
        self.embedding.step(0.01)


def rate(
    call: Callable[[torch.Tensor], None], batches: List[torch.Tensor], seconds: float
) -> float:
    done, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        call(batches[done % len(batches)])
        done += 1
    return done * len(batches[0]) / (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--batch", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    given = parser.parse_args()
    os.environ["GLS_NET_KEY"] = KEY
    torch.set_num_threads(os.cpu_count() or 1)
    random = np.random.default_rng(1)
    batches = [torch.from_numpy(random.integers(0, given.rows, given.batch)) for _ in range(16)]
    ways: Dict[str, Any] = {"torch": Torch(given.rows, given.width)}
    folder = tempfile.mkdtemp()
    graph = os.path.join(folder, "graph")
    make_graph(graph, given.rows)
    ways["here"] = Gls(gls.Dataset.open(graph), given.width)
    spawn = multiprocessing.get_context("spawn")
    room = given.rows * given.width * 4 * 3 * 2
    ends = []
    for name, plain in (("tls", False), ("plain", True)):
        mine, theirs = spawn.Pipe()
        process = spawn.Process(target=serve, args=(graph, plain, room, theirs), daemon=True)
        process.start()
        ends.append((mine, process))
        dataset = gls.Dataset.open(f"gls://{mine.recv()}", context=context(plain))
        ways[name] = Gls(dataset, given.width)
    rates: Dict[str, List[float]] = {}
    for _ in range(given.rounds):
        for what in ("rows", "step"):
            for name, way in ways.items():
                got = rate(getattr(way, what), batches, given.seconds)
                rates.setdefault(f"{what}_{name}", []).append(got)
    medians = {name: statistics.median(all_of) for name, all_of in rates.items()}
    for name, median in medians.items():
        low, high = min(rates[name]), max(rates[name])
        print(f"{name:12} {median / 1e6:8.3f} million rows/s ({low / 1e6:.3f} to {high / 1e6:.3f})")
    for mine, process in ends:
        mine.send(None)
        process.join(10)
    print(
        json.dumps(
            {
                f"{what}_{name}_vs_torch": round(
                    medians[f"{what}_{name}"] / medians[f"{what}_torch"], 2
                )
                for what in ("rows", "step")
                for name in ways
                if name != "torch"
            }
        )
    )


if __name__ == "__main__":
    main()
