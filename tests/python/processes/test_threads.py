"""Threads: sharing, closing and cancelling while somebody waits."""

from __future__ import annotations

import gc
import hashlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, List

import numpy as np
import pytest
from slow import slow_loader

import gls


def test_samplers_may_be_shared(dataset: gls.Dataset) -> None:
    sampler = gls.Sampler(dataset, [5, 5], seed=1)

    def nodes(batch: int) -> List[int]:
        return sampler.sample(range(20), batch=batch).node.tolist()

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(nodes, range(200)))
    assert together == [nodes(batch) for batch in range(200)]


def test_threads_may_share_an_iterator(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [3], batch_size=1, shuffle=True)
    batches = iter(loader)
    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(lambda _: [b.number for b in batches], range(4)))
    assert sorted(number for part in numbers for number in part) == list(range(200))


def test_other_threads_run_while_one_waits() -> None:
    loader = slow_loader()
    thread = threading.Thread(target=lambda: next(iter(loader)))
    thread.start()
    count, end = 0, time.monotonic() + 0.2
    while time.monotonic() < end:
        count += 1
    thread.join()
    assert count > 10000


@pytest.mark.parametrize("end", ["close", "cancel"])
def test_a_waiting_thread_is_woken(end: str) -> None:
    loader = slow_loader()
    caught: List[BaseException] = []

    def wait() -> None:
        try:
            list(loader)
        except gls.Error as error:
            caught.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.05)
    getattr(loader, end)()
    thread.join(20)
    assert not thread.is_alive()
    assert isinstance(caught[0], (gls.Canceled, gls.InvalidState))


def test_two_threads_may_close(dataset: gls.Dataset, monkeypatch: Any) -> None:
    """The second closes in the middle of the first one's call."""
    loader = gls.NeighborLoader(dataset, [3], batch_size=50)
    next(iter(loader))
    generation = gls._loading.loader.fork_generation

    def meanwhile() -> int:
        monkeypatch.setattr(gls._loading.loader, "fork_generation", generation)
        other = threading.Thread(target=loader.close)
        other.start()
        other.join()
        return generation()

    monkeypatch.setattr(gls._loading.loader, "fork_generation", meanwhile)
    loader.close()
    loader.close()
    with pytest.raises(gls.InvalidState, match="closed"):
        iter(loader)


def test_a_cancelled_loader_can_go_on(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [3], batch_size=50)
    batches = iter(loader)
    next(batches)
    loader.cancel()
    for _ in range(2):
        with pytest.raises(gls.Canceled):
            next(batches)
    assert len(list(loader)) == 4
    loader.cancel()
    loader.set_epoch(7)
    assert next(iter(loader)).epoch == 7


def test_closing_while_iterating(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [3], batch_size=10)
    with pytest.raises(gls.InvalidState, match="closed"):
        for batch in loader:
            loader.close()
    assert batch.x.numpy().shape == (batch.num_nodes, 12)
    loader.close()
    for use in (
        lambda: iter(loader),
        lambda: len(loader),
        lambda: loader.state_dict(),
        lambda: loader.set_epoch(0),
        lambda: loader.stats,
        lambda: loader.cancel(),
    ):
        with pytest.raises(gls.InvalidState, match="closed"):
            use()


def test_deleting_while_batches_are_made(dataset: gls.Dataset) -> None:
    for _ in range(30):
        loader = gls.NeighborLoader(dataset, [10, 10], batch_size=20, prefetch=8)
        with loader:
            next(iter(loader))
        another = iter(gls.NeighborLoader(dataset, [10, 10], batch_size=20, prefetch=8))
        next(another)
        del another
    gc.collect()


def test_many_threads_make_and_close(graph: Any) -> None:
    def work(number: int) -> int:
        dataset = graph.build()
        total = 0
        for _ in range(5):
            with gls.NeighborLoader(dataset, [3, 3], batch_size=30, seed=number) as loader:
                for batch in loader:
                    np.testing.assert_array_equal(batch.x.numpy(), graph.x[batch.node.numpy()])
                    total += 1
        return total

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(12))) == [35] * 12


def test_sixteen_threads_share_a_context(graph: Any) -> None:
    context = gls.Context(2)
    builder = gls.DatasetBuilder(context=context)
    builder.add_node_type("node", graph.num_nodes)
    builder.add_edges("node__to__node", graph.edge_index)
    builder.add_node_column("node", "x", graph.x)
    dataset = builder.build()
    shared = gls.Sampler(dataset, [4, 4], seed=9)

    def work(seed: int) -> bytes:
        loader = gls.NeighborLoader(dataset, [3, 3], batch_size=20, seed=seed, shuffle=True)
        digest = hashlib.sha256()
        for epoch in range(3):
            for batch in loader:
                for array in (batch.node, batch.row, batch.col, batch.x):
                    digest.update(array.numpy())
                alone = shared.sample(batch.node.numpy()[:5], epoch=epoch, batch=batch.number)
                digest.update(alone.node.numpy())
        return digest.digest()

    expected = [work(seed) for seed in range(4)] * 8
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, [0, 1, 2, 3] * 8)) == expected


def test_memory_let_go_by_a_library_thread() -> None:
    """The last user of an array may be a thread that has nothing to do with Python."""
    import weakref

    dropped = []
    for round in range(20):
        x = np.full((2000, 4), round, np.float32)
        weakref.finalize(x, dropped.append, round)
        dataset = gls.Dataset.from_arrays(np.zeros((2, 1), np.int64), num_nodes=2000, x=x)
        loader = gls.NeighborLoader(dataset, [1], batch_size=10, prefetch=4)
        del x, dataset
        next(iter(loader))
        del loader
    end = time.monotonic() + 10
    while len(dropped) < 20 and time.monotonic() < end:
        time.sleep(0.01)
    assert sorted(dropped) == list(range(20))
