"""Rows of features fetched from another process: by torch RPC, as GLT does it, and by GLS.

    python bench/cluster/torch_rpc.py [--nodes N] [--rounds R] [--seconds S]

The server holds float32 rows of 128. Torch RPC runs over TensorPipe with the transports and channels
that GLT names (uv; mpt_uv, basic) and 16 threads; the server answers with `table[ids]`. GLS serves a
graph without edges and is asked in two ways: for rows by id (`Dataset.rows`), and for the rows of a
loader's seeds. Both sides have up to four requests on their way, as GLT's samplers do; loaders have as
many threads as there are processors. It is measured plain, under TLS, and with the files mapped, which
is what a client on the server's host gets. The last line is JSON: `vs_torch_rpc` is the worst of
`Dataset.rows` over plain TCP, `vs_torch_rpc_mapped` that with the files mapped.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import tempfile
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List

import numpy as np
import torch
import torch.distributed.rpc as rpc

import gls

WIDTH = 128
IN_FLIGHT = 4
KEY = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"

table: torch.Tensor


def rows_of(ids: torch.Tensor) -> torch.Tensor:
    return table[ids]


def join(rank: int, port: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    rpc.init_rpc(
        ("server", "client")[rank],
        rank=rank,
        world_size=2,
        rpc_backend_options=rpc.TensorPipeRpcBackendOptions(
            num_worker_threads=16, _transports=["uv"], _channels=["mpt_uv", "basic"]
        ),
    )


def serve_torch(nodes: int, port: int) -> None:
    global table
    torch.set_num_threads(1)
    table = torch.arange(nodes * WIDTH, dtype=torch.float32).reshape(nodes, WIDTH)
    join(0, port)
    rpc.shutdown()


def serve_gls(path: str, addresses: Any, done: Any) -> None:
    servers = []
    for plain, mapped in ((True, False), (False, False), (True, True)):
        context = gls.Context()
        context.set("net.plain", str(plain).lower())
        context.set("cluster.same_host", str(mapped).lower())
        servers.append(gls.Server(path, context=context))
    addresses.put([server.address for server in servers])
    done.wait()


def make_parts(nodes: int, folder: str) -> str:
    builder = gls.DatasetBuilder()
    rows = np.arange(nodes * WIDTH, dtype=np.float32).reshape(nodes, WIDTH)
    builder.add_node_type("node", nodes)
    builder.add_node_column("node", "x", rows)
    empty = np.zeros(0, dtype=np.int64)
    builder.add_edges(("node", "to", "node"), empty, empty)
    builder.build().partition(os.path.join(folder, "parts"), 1, method="hash")
    return os.path.join(folder, "parts")


def torch_fetcher(nodes: int, count: int) -> Callable[[], int]:
    waiting: deque[Any] = deque()

    def ask() -> None:
        ids = torch.randint(nodes, (count,))
        waiting.append(rpc.rpc_async("server", rows_of, args=(ids,)))

    def step() -> int:
        while len(waiting) < IN_FLIGHT:
            ask()
        return waiting.popleft().wait().shape[0]

    return step


def open_gls(address: str, plain: bool, mapped: bool) -> gls.Dataset:
    context = gls.Context()
    context.set("net.plain", str(plain).lower())
    context.set("cluster.same_host", str(mapped).lower())
    return gls.Dataset.open(f"gls://{address}", context=context)


def gls_fetcher(dataset: gls.Dataset, nodes: int, count: int) -> Callable[[], int]:
    askers = ThreadPoolExecutor(IN_FLIGHT)
    rng = np.random.default_rng(2)
    waiting: deque[Any] = deque()

    def ask() -> None:
        waiting.append(askers.submit(dataset.rows, "x", rng.integers(0, nodes, count)))

    def step() -> int:
        while len(waiting) < IN_FLIGHT:
            ask()
        return len(waiting.popleft().result())

    return step


def gls_loader(dataset: gls.Dataset, nodes: int, count: int) -> Callable[[], int]:
    seeds = np.random.default_rng(1).permutation(nodes)
    loader = gls.NeighborLoader(
        dataset, [0], seeds, batch_size=count, shuffle=True, drop_last=True, prefetch=IN_FLIGHT
    )
    batches = iter(loader)

    def step() -> int:
        nonlocal batches
        batch = next(batches, None)
        if batch is None:
            batches = iter(loader)
            batch = next(batches)
        return len(batch["x"])

    return step


def rate(step: Callable[[], int], seconds: float) -> float:
    begin = time.perf_counter()
    rows = 0
    while time.perf_counter() - begin < seconds:
        rows += step()
    return rows / (time.perf_counter() - begin)


def measure(args: argparse.Namespace, addresses: List[str]) -> Dict[str, float]:
    ratios = {}
    opened = {
        "plain": open_gls(addresses[0], True, False),
        "TLS": open_gls(addresses[1], False, False),
        "files mapped": open_gls(addresses[2], True, True),
    }
    for count in (1000, 100000):
        steps = {
            "torch RPC": torch_fetcher(args.nodes, count),
        }
        for way, dataset in opened.items():
            steps[f"GLS, {way}"] = gls_fetcher(dataset, args.nodes, count)
            steps[f"GLS, {way}, loader"] = gls_loader(dataset, args.nodes, count)
        rates: Dict[str, List[float]] = {name: [] for name in steps}
        for step in steps.values():
            rate(step, args.seconds / 4)
        for _ in range(args.rounds):
            for name, step in steps.items():
                rates[name].append(rate(step, args.seconds))
        print(f"{count} rows of {WIDTH * 4} bytes")
        for name, values in rates.items():
            ratio = statistics.median(a / b for a, b in zip(values, rates["torch RPC"]))
            print(
                f"  {name:<25} {statistics.median(values) / 1e6:8.3f} M rows/s, {ratio:6.2f} of torch RPC"
            )
            if name != "torch RPC":
                way = name.replace("GLS, ", "").replace(", ", "_").replace(" ", "_")
                ratios[f"{way}_{count}"] = round(ratio, 2)
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=400000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--port", type=int, default=29517)
    args = parser.parse_args()
    os.environ["GLS_NET_KEY"] = KEY
    torch.set_num_threads(1)
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = make_parts(args.nodes, folder)
        addresses: Any = spawn.Queue()
        done = spawn.Event()
        ours = spawn.Process(target=serve_gls, args=(path, addresses, done))
        ours.start()
        theirs = spawn.Process(target=serve_torch, args=(args.nodes, args.port))
        theirs.start()
        join(1, args.port)
        try:
            ratios = measure(args, addresses.get(timeout=60))
        finally:
            done.set()
            rpc.shutdown()
            ours.join()
            theirs.join()
    worst = {
        way: min(ratios[f"{way}_1000"], ratios[f"{way}_100000"])
        for way in ("plain", "files_mapped")
    }
    print(
        json.dumps(
            {
                "bench": "torch_rpc",
                "vs_torch_rpc": worst["plain"],
                "vs_torch_rpc_mapped": worst["files_mapped"],
                "vs_torch_rpc_by_way": ratios,
            }
        )
    )


if __name__ == "__main__":
    main()
