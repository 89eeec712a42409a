"""Functions that change the batches of a loader before they are handed out."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import gls
import numpy as np
import pytest

NODES = 60


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(0)
    builder = gls.DatasetBuilder(context=gls.Context(num_threads=3))
    builder.add_node_type("node", NODES)
    builder.add_edges("node__to__node", rng.integers(0, NODES, (2, 400)))
    builder.add_node_column("node", "x", rng.random((NODES, 4), dtype=np.float32))
    return builder.build()


def make(graph, transform, **options):
    options = {"batch_size": 7, "shuffle": True, **options}
    return gls.NeighborLoader(graph, [3, 2], transform=transform, **options)


def test_arrays_are_written_and_attached(graph):
    threads = set()

    def transform(batch):
        threads.add(threading.get_ident())
        batch.x.numpy()[:] *= 2
        return {"twice": 2 * batch.node.numpy(), "where": [batch.epoch, batch.number]}

    with make(graph, transform) as loader, make(graph, None) as plain:
        for epoch in range(3):
            pairs = list(zip(loader, plain))
            assert len(pairs) == len(loader) == 9
            for number, (batch, expected) in enumerate(pairs):
                assert batch.number == number
                np.testing.assert_array_equal(batch.node.numpy(), expected.node.numpy())
                np.testing.assert_array_equal(batch.x.numpy(), 2 * expected.x.numpy())
                assert list(batch.attached) == ["twice", "where"]
                np.testing.assert_array_equal(batch.twice.numpy(), 2 * batch.node.numpy())
                np.testing.assert_array_equal(batch["where"].numpy(), [epoch, number])
                assert batch.columns == expected.columns == ["x"]
                assert batch.nbytes == expected.nbytes + batch.twice.numpy().nbytes + 16
                assert "twice" in dir(batch) and "where" in repr(batch.attached)
                again = loader.sample(epoch, number)
                np.testing.assert_array_equal(again.twice.numpy(), batch.twice.numpy())
                assert not expected.attached
    assert threading.get_ident() not in threads


def test_what_may_be_returned(graph):
    with make(graph, lambda batch: batch) as loader:
        assert len(list(loader)) == 9
    with make(graph, lambda batch: 5) as loader:
        with pytest.raises(gls.InvalidArgument, match="returned a int"):
            next(iter(loader))
    with make(graph, lambda batch: {"a": [1], "b": object()}) as loader:
        with pytest.raises(gls.InvalidArgument, match="^b: "):
            next(iter(loader))
    with make(graph, lambda batch: {"_a": [1]}) as loader:
        with pytest.raises(gls.InvalidArgument, match="_a"):
            next(iter(loader))
    with pytest.raises(gls.InvalidArgument, match="transform: a int cannot be called"):
        make(graph, 5)
    with make(graph, lambda batch: {"x": batch.x.numpy() + 1}) as loader:  # the column has the name
        batch = next(iter(loader))
        np.testing.assert_array_equal(batch.attached["x"].numpy(), batch.x.numpy() + 1)


def test_exceptions_reach_the_caller(graph):
    class Mine(Exception):
        pass

    def transform(batch):
        if batch.number % 3 == 1:
            raise Mine(batch.epoch, batch.number)

    with make(graph, transform, num_workers=3) as loader:
        for epoch in range(2):
            iterator = iter(loader)
            seen = []
            for number in range(9):
                if number % 3 == 1:
                    with pytest.raises(Mine) as caught:
                        next(iterator)
                    assert caught.value.args == (epoch, number)
                    assert caught.traceback[-1].name == "transform"
                    with pytest.raises(Mine):
                        loader.sample(epoch, number)
                else:
                    seen.append(next(iterator).number)
            assert seen == [0, 2, 3, 5, 6, 8]
            assert next(iterator, None) is None

    def interrupted(batch):
        raise SystemExit(3)

    with make(graph, interrupted) as loader:
        with pytest.raises(SystemExit):
            next(iter(loader))


def test_asyncio(graph):
    async def epoch(loader):
        return [batch.number async for batch in loader]

    with make(graph, lambda batch: time.sleep(0.001)) as loader:
        assert asyncio.run(epoch(loader)) == list(range(9))


def test_several_at_once(graph):
    barrier = threading.Barrier(3, timeout=30)
    first = threading.Event()

    def transform(batch):
        if first.is_set():
            if batch.number < 6:
                barrier.wait()

    with make(graph, transform, num_workers=3, prefetch=6) as loader:
        assert len(list(loader)) == 9  # now it is known how large batches are
        first.set()
        assert len(list(loader)) == 9


def test_the_batch_ends_with_the_call(graph):
    kept = []

    def transform(batch):
        kept.append((batch, batch.node))

    with make(graph, transform) as loader:
        batches = list(loader)
    assert len(kept) == len(batches) == 9
    arrays = {batch.number: batch.node.numpy() for batch in batches}
    for batch, node in kept:
        assert any(np.array_equal(node.numpy(), array) for array in arrays.values())
        with pytest.raises(gls.InvalidArgument):
            batch.number


def test_the_loader_cannot_be_asked(graph):
    errors = []

    def transform(batch):
        try:
            loader.sample(0, 0)
        except RuntimeError as error:
            errors.append(str(error))

    loader = make(graph, transform)
    next(iter(loader))
    loader.close()
    assert any("own loader" in error for error in errors)


@pytest.mark.parametrize("close", [True, False])
def test_the_end_waits_and_threads_end(graph, close):
    inside = threading.Event()
    finished = []

    def transform(batch):
        inside.set()
        time.sleep(0.05)
        finished.append(batch.number)

    loader = make(graph, transform)
    batch = next(iter(loader))
    gone = weakref.ref(loader._transformer)
    names = [thread for thread in threading.enumerate() if thread.name == "gls-transform"]
    assert names
    if close:
        loader.close()
    del loader
    gc.collect()
    count = len(finished)
    time.sleep(0.1)
    assert len(finished) == count  # none is running
    for thread in names:
        thread.join(5)
        assert not thread.is_alive()
    gc.collect()
    assert gone() is None
    assert batch.node is not None


def test_closed_by_the_transform(graph):
    """As a garbage collector that runs in it might."""
    holder = []

    def transform(batch):
        if holder:
            holder.pop().close()

    loader = make(graph, transform)
    holder.append(loader)
    with pytest.raises((gls.Canceled, gls.InvalidState)):
        for _ in range(3):
            list(loader)


def test_seek_drops_failures(graph):
    def transform(batch):
        if batch.epoch == 0:
            raise KeyError(batch.number)

    with make(graph, transform) as loader:
        with pytest.raises(KeyError):
            next(iter(loader))
        loader.set_epoch(1)
        assert len(list(loader)) == 9


def test_links_and_walks(graph):
    transform = lambda batch: {"n": [batch.num_nodes]}  # noqa: E731
    with gls.LinkNeighborLoader(graph, [2], batch_size=50, transform=transform) as loader:
        for batch in loader:
            assert batch.n.numpy()[0] == batch.num_nodes
    with gls.WalkLoader(graph, gls.Walk(3), batch_size=50, transform=transform) as loader:
        for batch in loader:
            assert batch.n.numpy()[0] == batch.num_nodes
        assert loader.sample(0, 0).walks.shape == (50, 4)


def test_rows_of_labels(graph):
    for labels in (
        np.arange(400 * 6, dtype=np.int16).reshape(400, 2, 3),
        np.arange(400 * 4, dtype=np.float64).reshape(400, 4)[:, ::1],
        np.arange(400 * 4).reshape(400, 4)[:, :3],  # rows with gaps
        np.arange(400) % 3 == 0,
    ):
        with gls.LinkNeighborLoader(
            graph, [2], None, labels, neg_sampling="binary", batch_size=64, shuffle=True
        ) as loader:
            for batch in loader:
                links = len(batch.input_id)
                got = batch.link_label.numpy()
                assert got.dtype == labels.dtype
                assert got.shape == (2 * links, *labels.shape[1:])
                np.testing.assert_array_equal(got[:links], labels[batch.input_id.numpy()])
                assert not got[links:].any()
        with pytest.raises(gls.InvalidArgument, match="edge_label: shape"):
            gls.LinkNeighborLoader(graph, [2], None, labels[:-1])


PROGRAM = """
import os, sys, time, threading
import numpy as np
import gls
builder = gls.DatasetBuilder()
builder.add_node_type("node", 1000)
builder.add_edges("node__to__node", np.arange(2 * 900).reshape(2, 900) % 1000)
graph = builder.build()
def transform(batch):
    time.sleep(0.002)
    return {"a": np.ones(1000)}
loader = gls.NeighborLoader(graph, [2], batch_size=5, transform=transform)
batches = iter(loader)
next(batches)
"""


@pytest.mark.parametrize(
    "end",
    [
        "pass",  # in the middle of the work
        "sys.exit(0)",
        "loader.close()",
        "del loader, batches",
        "globals().update(cycle=[loader]); cycle.append(cycle); del loader, batches",
        # A child has neither the threads nor what they hold.
        "pid = os.fork()\nif pid == 0:\n    del loader, batches\n    sys.exit(0)\n"
        "assert os.waitpid(pid, 0)[1] == 0\nnext(batches)",
        # Unless it makes its own.
        "pid = os.fork()\nif pid == 0:\n    builder = gls.DatasetBuilder(context=gls.Context())\n"
        "    builder.add_edges('a__b__a', [[0, 1], [1, 0]])\n"
        "    own = gls.NeighborLoader(builder.build(), [1], transform=transform)\n"
        "    assert len(list(own)) == 1\n    sys.exit(0)\n"
        "assert os.waitpid(pid, 0)[1] == 0\nnext(batches)",
    ],
)
def test_the_interpreter_ends(end):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + end],
        timeout=120,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
