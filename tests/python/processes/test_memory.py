"""Memory stays flat over many batches, and over opening and closing."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from pathlib import Path
from typing import Any, Callable, List

import numpy as np

import gls

MEBIBYTE = 1 << 20


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(work: Callable[[], None], warm: int, rounds: int) -> int:
    """Bytes that stay after `rounds` calls, beyond those of the first `warm`.

    The largest of five parts does not count: what is lost with each call grows in all of them, while
    the heap of a process that did much else before takes some megabytes at once, and keeps them.
    """
    for _ in range(warm):
        work()
    parts = []
    for _ in range(5):
        gc.collect()
        before = resident()
        for _ in range(rounds // 5):
            work()
        gc.collect()
        parts.append(resident() - before)
    return sum(sorted(parts)[:-1])


def test_batches(graph: Any) -> None:
    loader = gls.NeighborLoader(graph.build(), [2, 2], batch_size=1, with_edge_ids=True)
    sums = 0.0

    def epoch() -> None:
        nonlocal sums
        for batch in loader:
            sums += batch.x.numpy()[0, 0] + batch.y.numpy()[0] + batch.edge_attr.numpy().shape[0]
            sums += batch.edge_index.numpy().shape[1] + batch.num_sampled_nodes[0]
            np.from_dlpack(batch.node)

    assert growth(epoch, warm=20, rounds=500) < 4 * MEBIBYTE  # 100,000 batches


def test_samples(graph: Any) -> None:
    sampler = gls.Sampler(graph.build(), [2], with_edge_ids=True)
    seeds = np.arange(3)

    def samples() -> None:
        for number in range(100):
            sampler.sample(seeds, batch=number, exclude=[1, 2]).edge.numpy()

    assert growth(samples, warm=10, rounds=100) < 4 * MEBIBYTE


def test_opening_and_closing(graph: Any, tmp_path: Path) -> None:
    graph.build().save(tmp_path / "d")

    def cycle() -> None:
        dataset = gls.Dataset.open(tmp_path / "d")
        with gls.NeighborLoader(dataset, [2], batch_size=100) as loader:
            next(iter(loader)).x.numpy()

    assert growth(cycle, warm=50, rounds=400) < 8 * MEBIBYTE


def test_building(graph: Any) -> None:
    def cycle() -> None:
        dataset = graph.build()
        assert dataset.node_column("x").numpy()[0, 0] == graph.x[0, 0]

    assert growth(cycle, warm=50, rounds=400) < 8 * MEBIBYTE


def test_contexts_and_errors(graph: Any) -> None:
    dataset = graph.build()

    def cycle() -> None:
        gls.Context(2, log=lambda *_: None).close()
        for _ in range(20):
            try:
                gls.Sampler(dataset, [2]).sample([-1])
            except gls.InvalidArgument:
                pass

    assert growth(cycle, warm=50, rounds=200) < 8 * MEBIBYTE


def test_file_descriptors_and_threads(graph: Any, tmp_path: Path) -> None:
    graph.build().save(tmp_path / "d")

    def counts() -> Any:
        return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

    def cycle() -> None:
        context = gls.Context(3)
        dataset = gls.Dataset.open(tmp_path / "d", context=context)
        list(gls.NeighborLoader(dataset, [2], batch_size=100))

    cycle()
    gc.collect()
    before = counts()
    for _ in range(20):
        cycle()
    gc.collect()
    assert counts() == before


def test_nothing_waits_for_the_garbage_collector(graph: Any) -> None:
    """Batches are large, and the collector does not know it."""
    gc.collect()
    gc.disable()
    try:
        dataset = graph.build()
        loader = gls.NeighborLoader(dataset, [2], batch_size=50, with_edge_ids=True)
        sampler = gls.Sampler(dataset, [2])
        gone: List[Any] = []
        for batch in loader:
            batch.x, batch.node, batch.edge_index, batch.columns, batch.num_sampled_nodes
            gone.append(weakref.ref(batch))
            gone.append(weakref.ref(batch.x))
        batch = sampler.sample([1])
        gone += [weakref.ref(batch), weakref.ref(batch.row)]
        gone += [weakref.ref(thing) for thing in (dataset, loader, sampler)]
        del batch, dataset, loader, sampler
        assert [ref() for ref in gone] == [None] * len(gone)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_transforms(graph: Any) -> None:
    """Batches that are lent, what is attached to them, and what is raised over them."""

    def transform(batch: Any) -> Any:
        if batch.number % 5 == 4:
            raise ValueError(batch.number)
        batch.x.numpy()[:] = 1
        return {"all": np.ones(1000, np.float32)}

    loader = gls.NeighborLoader(graph.build(), [2], batch_size=4, transform=transform)

    def epoch() -> None:
        batches = iter(loader)
        failed = 0
        while True:
            try:
                assert next(batches).attached["all"].numpy()[0] == 1
            except ValueError:
                failed += 1
            except StopIteration:
                break
        assert failed == 10

    assert growth(epoch, warm=10, rounds=50) < 4 * MEBIBYTE  # 2,500 batches
    threads = [thread for thread in threading.enumerate() if thread.name == "gls-transform"]
    assert len(threads) <= 2 * (os.cpu_count() or 1) + 1  # one for each batch in work, and some
