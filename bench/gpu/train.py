"""Trains GraphSAGE on batches that a GPU samples and gathers: which share of the time the GPU waits for data.

    python bench/gpu/train.py libbench_gpu_feed.so [--steps N] [--nodes N] [--edges N]

The last line is JSON, as those of bench_gpu. The graph is made up, as that of `bench_gpu loader`. Where pyg-lib is
installed, sampling is compared with its. With --emulated, the library is that of the emulated runtime, whose memory
PyTorch reads as the processor's: figures mean nothing then.
"""

import argparse
import ctypes
import json
import pathlib
import statistics
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import torch


HOPS = 3


class TakenBatch(ctypes.Structure):
    """As bench/gpu/feed.cc has it."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("held", "x", "y", "row", "col")),
        *((name, ctypes.c_int64) for name in ("nodes", "edges", "seeds")),
        ("nodes_by_hop", ctypes.c_int64 * (HOPS + 1)),
        ("edges_by_hop", ctypes.c_int64 * HOPS),
    ]


class OnDevice:
    """Memory of a GPU, as PyTorch takes it."""

    def __init__(self, address: int, shape: Any, typestr: str) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "typestr": typestr,
            "strides": None,
            "version": 3,
            "stream": None,  # a batch is complete when it is handed out
        }


class Feed:
    """The loader of bench/gpu/feed.cc."""

    def __init__(self, path: str, arguments: argparse.Namespace) -> None:
        self.emulated = arguments.emulated
        self.features = arguments.features
        self._library = ctypes.CDLL(path)
        opening = self._library.bench_feed_open
        opening.restype = ctypes.c_void_p
        opening.argtypes = (
            [ctypes.c_int64, ctypes.c_double] + [ctypes.c_int64] * 3 + [ctypes.c_int32]
        )
        self._library.bench_feed_next.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._library.bench_feed_release.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._library.bench_feed_graph.argtypes = [ctypes.c_void_p] + [ctypes.c_void_p] * 4
        sampling = self._library.bench_feed_sample
        sampling.restype = ctypes.c_int64
        sampling.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int64]
        self._feed = opening(
            arguments.nodes,
            arguments.edges,
            arguments.features,
            arguments.classes,
            arguments.batch_size,
            0,
        )

    def array(self, address: int, shape: Any, dtype: str) -> torch.Tensor:
        if not self.emulated:
            return torch.as_tensor(OnDevice(address, shape, np.dtype(dtype).str), device="cuda")
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        memory = (ctypes.c_byte * size).from_address(address)
        return torch.from_numpy(np.frombuffer(memory, dtype=dtype).reshape(shape))

    def next(self) -> Dict[str, Any]:
        batch = TakenBatch()
        self._library.bench_feed_next(self._feed, ctypes.byref(batch))
        return {
            "held": batch.held,
            "x": self.array(batch.x, (batch.nodes, self.features), "float32"),
            "y": self.array(batch.y, (batch.seeds,), "int64"),
            "row": self.array(batch.row, (batch.edges,), "int32"),
            "col": self.array(batch.col, (batch.edges,), "int32"),
            "nodes_by_hop": list(batch.nodes_by_hop),
            "edges_by_hop": list(batch.edges_by_hop),
        }

    def release(self, batch: Dict[str, Any]) -> None:
        stream = 0 if self.emulated else torch.cuda.current_stream().cuda_stream
        self._library.bench_feed_release(batch["held"], stream)

    def graph(self) -> Any:
        indptr, indices = ctypes.c_void_p(), ctypes.c_void_p()
        nodes, edges = ctypes.c_int64(), ctypes.c_int64()
        self._library.bench_feed_graph(
            self._feed,
            ctypes.byref(indptr),
            ctypes.byref(indices),
            ctypes.byref(nodes),
            ctypes.byref(edges),
        )
        rows = (ctypes.c_int64 * (nodes.value + 1)).from_address(indptr.value or 0)
        neighbors = (ctypes.c_int32 * edges.value).from_address(indices.value or 0)
        return np.frombuffer(rows, dtype="int64"), np.frombuffer(neighbors, dtype="int32")

    def sample(self, number: int, seeds: np.ndarray) -> int:
        return int(
            self._library.bench_feed_sample(self._feed, number, seeds.ctypes.data, len(seeds))
        )


class Sage(torch.nn.Module):
    """Three layers of means."""

    def __init__(self, features: int, hidden: int, classes: int) -> None:
        super().__init__()
        widths = [features, hidden, hidden, classes]
        pairs = list(zip(widths, widths[1:]))
        self.own = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairs)
        self.others = torch.nn.ModuleList(torch.nn.Linear(a, b, bias=False) for a, b in pairs)

    def forward(self, batch: Dict[str, Any], trimmed: bool) -> torch.Tensor:
        """Trimmed, a layer does the nodes and edges alone that those behind it need: nodes and edges are in the order of
        hops. Else each does all."""
        x = batch["x"]
        for layer, (own, others) in enumerate(zip(self.own, self.others)):
            hops = HOPS - layer if trimmed else HOPS
            edges = sum(batch["edges_by_hop"][:hops])
            targets = sum(batch["nodes_by_hop"][:hops]) if trimmed else len(x)
            row, col = batch["row"][:edges], batch["col"][:edges]
            ones = torch.ones(edges, dtype=x.dtype, device=x.device)
            degree = torch.zeros(targets, dtype=x.dtype, device=x.device).index_add_(0, col, ones)
            sums = torch.zeros(targets, x.shape[1], dtype=x.dtype, device=x.device)
            mean = sums.index_add_(0, col, x.index_select(0, row))
            mean = mean / degree.clamp(min=1).unsqueeze(1)
            x = own(x[:targets]) + others(mean)
            if layer + 1 < len(self.own):
                x = torch.relu(x)
        return x


class Trainer:
    """Steps one after the other, each begun as soon as its batch is there."""

    def __init__(self, feed: Feed, arguments: argparse.Namespace, trimmed: bool) -> None:
        torch.manual_seed(0)
        self.feed = feed
        self.trimmed = trimmed
        device = "cpu" if feed.emulated else "cuda"
        self.model = Sage(arguments.features, 256, arguments.classes).to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def step(self, batch: Dict[str, Any]) -> torch.Tensor:
        out = self.model(batch, self.trimmed)[: len(batch["y"])]
        loss = torch.nn.functional.cross_entropy(out, batch["y"])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def check(self) -> None:
        """What is left out changes nothing for the seeds."""
        batch = self.feed.next()
        with torch.no_grad():
            found = [self.model(batch, trimmed)[: len(batch["y"])] for trimmed in (True, False)]
            same = torch.allclose(found[0], found[1], rtol=1e-3, atol=1e-4)
        self.feed.release(batch)
        if not same:
            raise SystemExit("train.py: trimmed layers give something else")

    def run(self, steps: int, held: List[Dict[str, Any]]) -> Tuple[float, float]:
        """Seconds of a step, and the part of them between the end of a step and the begin of the next one, by the GPU's
        clock: what it had nothing to train on. With batches that are held, these in turn, and nobody loads any.
        """
        marks: List[Any] = []
        losses: List[torch.Tensor] = []
        finish(self.feed)
        for number in range(steps):
            batch = held[number % len(held)] if held else self.feed.next()
            begin = mark(self.feed)
            losses.append(self.step(batch))
            marks.append((begin, mark(self.feed)))
            if not held:
                self.feed.release(batch)
        finish(self.feed)
        if not all(torch.isfinite(loss).item() for loss in losses):
            raise SystemExit("train.py: the loss is no number")
        whole = between(marks[0][0], marks[-1][1])
        waits = sum(between(before[1], after[0]) for before, after in zip(marks, marks[1:]))
        return whole / steps, waits / whole


def train(feed: Feed, arguments: argparse.Namespace, trimmed: bool) -> Dict[str, float]:
    trainer = Trainer(feed, arguments, trimmed)
    trainer.check()
    trainer.run(arguments.warm_up, [])
    seconds, waits = trainer.run(arguments.steps, [])
    held = [feed.next() for _ in range(arguments.held)]
    time.sleep(arguments.pause)  # until the loader has begun all that it begins ahead of need
    trainer.run(arguments.warm_up, held)
    alone, _ = trainer.run(arguments.steps, held)
    for batch in held:
        feed.release(batch)
    finish(feed)
    print(
        f"{'trimmed to what layers need' if trimmed else 'all nodes in each layer'}: {arguments.steps} steps, "
        f"{1e3 * seconds:.2f} ms each, of which {100 * waits:.1f} % waiting; {1e3 * alone:.2f} ms with {arguments.held} "
        "batches in turn and no loader"
    )
    end = "" if trimmed else "_untrimmed"
    return {
        f"gpu_wait_pct{end}": 100 * waits,
        f"loading_cost_pct{end}": 100 * (1 - alone / seconds),
        f"train_seeds_per_s{end}": arguments.batch_size / seconds,
    }


def finish(feed: Feed) -> None:
    if not feed.emulated:
        torch.cuda.synchronize()


def mark(feed: Feed) -> Any:
    if feed.emulated:
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def between(begin: Any, end: Any) -> float:
    """Seconds."""
    return float(end - begin) if isinstance(begin, float) else float(begin.elapsed_time(end)) * 1e-3


def pyg_lib() -> Optional[str]:
    """Why pyg-lib is not there, installed or as GLS_BENCH_PYG_LIB names it; or None."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "peers"))
    from contestant import Unavailable
    from pyg_adapter import load_pyg_lib

    try:
        load_pyg_lib()
    except Unavailable as error:
        return str(error)
    return None


def rate(step: Callable[[int], int], seconds: float) -> float:
    begin, count, number = time.perf_counter(), 0, 0
    while time.perf_counter() - begin < seconds:
        count += step(number)
        number += 1
    return count / (time.perf_counter() - begin)


def against_pyg(feed: Feed, arguments: argparse.Namespace) -> Dict[str, float]:
    """Edges a second, the GPU's of one thread against pyg-lib's of one call at a time."""
    indptr, indices = feed.graph()
    colptr, row = torch.from_numpy(indptr), torch.from_numpy(indices).long()
    random = np.random.default_rng(0)

    def seeds() -> np.ndarray:
        return random.choice(len(indptr) - 1, arguments.batch_size, replace=False)

    def theirs(_: int) -> int:
        out = torch.ops.pyg.neighbor_sample(
            colptr, row, torch.from_numpy(seeds()), [15, 10, 5], None, None, None, None, True, False, True, False,
            "uniform", False,
        )  # fmt: skip
        return int(out[0].numel())

    def ours(number: int) -> int:
        return feed.sample(number, seeds())

    theirs(0), ours(0)
    rounds = [rate(ours, 0.5) / rate(theirs, 0.5) for _ in range(5)]
    return {"sample_vs_pyg_lib": statistics.median(rounds)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--held", type=int, default=8, help="batches that are trained on in turn")
    parser.add_argument("--pause", type=float, default=2.0, help="seconds before these")
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--nodes", type=int, default=2449029)
    parser.add_argument("--edges", type=float, default=123.7e6)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--classes", type=int, default=47)
    parser.add_argument("--emulated", action="store_true")
    arguments = parser.parse_args()
    # Who ends this in the middle has what was said before.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    feed = Feed(arguments.library, arguments)
    if arguments.emulated:
        print("This is the emulated runtime: the figures mean nothing.")
    name = "CUDA on host (for tests)" if arguments.emulated else torch.cuda.get_device_name()
    ratios: Dict[str, float] = {}

    def tell() -> None:
        said = {"part": "train", "device": name, "emulated": arguments.emulated, "ratios": ratios}
        print(json.dumps({"bench": "gpu", **said}))

    for trimmed in (True, False):
        ratios.update(train(feed, arguments, trimmed))
        tell()
    why = pyg_lib()
    if why is None:
        ratios.update(against_pyg(feed, arguments))
        tell()
    else:
        print(f"pyg-lib was not compared: {why}")
        tell()


if __name__ == "__main__":
    main()
