"""The threads and the event loop of a store: what they outlive, what they hold, and how they end."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import traceback
from concurrent.futures import Future
from typing import Any, Dict, List

import pytest

import gls
from stored_graph import X, Features, edges_only, loader
from test_stores import threads_of_stores, wait_for


def column(fetch: Any, **options: Any) -> gls.Dataset:
    return edges_only().with_stores(gls.ColumnStore(name="x", shape=12, fetch=fetch, **options))


class Frozen(Exception):
    def __setattr__(self, name: str, value: Any) -> None:
        raise TypeError("frozen")


class Wordless(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt


class Opaque(Exception):
    @property
    def __traceback__(self) -> Any:
        raise SystemExit(3)


class Positive(gls.Error):
    status = 5


class Computed(gls.Error):
    @property
    def status(self) -> int:  # type: ignore[override]
        raise ZeroDivisionError


@pytest.mark.parametrize("kind", [Frozen, Wordless, Opaque, Positive, Computed])
@pytest.mark.parametrize("later", [False, True])
def test_exceptions_do_not_end_a_thread(kind: Any, later: bool) -> None:
    wrong = [True]

    def fetch(ids: Any, rows: Any) -> Any:
        if not wrong:
            rows[:] = X[ids]
            return None
        wrong.clear()
        if not later:
            raise kind("words")
        future: "Future[None]" = Future()
        future.set_exception(kind("words"))
        return future

    dataset = column(fetch, max_fetches=1, deadline=20)
    with pytest.raises(gls.InvalidArgument, match=kind.__name__):
        dataset.rows("x", [1])
    assert dataset.rows("x", [1]).tolist() == X[[1]].tolist()


class BrokenQueue:
    """It fails once, as if memory were short."""

    def __init__(self, queue: Any) -> None:
        self.queue, self.fails = queue, [True]

    def next(self, timeout_ms: int) -> Any:
        if self.fails:
            self.fails.clear()
            raise MemoryError
        return self.queue.next(timeout_ms)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.queue, name)


def test_a_thread_that_ends_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda arguments: ended.set())
    store = Features(max_fetches=1)
    queue = store._threads.queue = BrokenQueue(store._threads.queue)  # type: ignore[assignment]
    dataset = edges_only().with_stores(store)
    assert dataset.rows("x", [1]).tolist() == X[[1]].tolist()
    assert not queue.fails and ended.wait(20)  # type: ignore[attr-defined]


def test_kept_exceptions_have_their_traceback_and_not_the_store(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kept: List[BaseException] = []

    def deeper() -> None:
        raise KeyError("user:7")

    def fetch(ids: Any, rows: Any) -> None:
        try:
            deeper()
        except KeyError as error:
            kept.append(error)
            raise

    place = f"{__file__}:{deeper.__code__.co_firstlineno + 1} in deeper"
    with caplog.at_level(logging.DEBUG, "gls.store"):
        with pytest.raises(gls.InvalidArgument, match="KeyError") as caught:
            column(fetch).rows("x", [1])
    assert str(caught.value).endswith(f"KeyError: 'user:7' at {place}")
    assert "in fetch\n" in caplog.text and "in deeper\n" in caplog.text
    names = [frame.name for frame in traceback.extract_tb(kept[0].__traceback__)]
    assert names[-2:] == ["fetch", "deeper"]
    del caught
    caplog.clear()
    wait_for(lambda: not threads_of_stores())


def test_a_kept_future_does_not_keep_the_store() -> None:
    kept: List[Any] = []

    def fetch(ids: Any, rows: Any) -> Any:
        rows[:] = 3
        kept.append(Future())
        kept[-1].set_result(None)
        return kept[-1]

    assert column(fetch).rows("x", [1]).tolist() == [[3] * 12]
    wait_for(lambda: not threads_of_stores())
    assert kept[0].done()


# ---- coroutines ---------------------------------------------------------------------------------


def test_any_awaitable() -> None:
    class Later:
        def __init__(self, rows: Any) -> None:
            self.rows = rows

        def __await__(self) -> Any:
            yield from asyncio.sleep(0.01).__await__()
            self.rows.fill(4)

    assert column(lambda ids, rows: Later(rows)).rows("x", [1]).tolist() == [[4] * 12]


def test_coroutines_are_cancelled_at_the_deadline() -> None:
    seen: List[str] = []
    done = threading.Event()

    async def fetch(ids: Any, rows: Any) -> None:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            seen.append("cancelled")
            done.set()
            raise

    dataset = column(fetch, deadline=0.2)
    with pytest.raises(gls.TimedOut, match="no answer"):
        dataset.rows("x", [1])
    assert done.wait(20) and seen == ["cancelled"]


def test_a_timeout_of_the_coroutine_itself() -> None:
    async def fetch(ids: Any, rows: Any) -> None:
        raise asyncio.TimeoutError("of the database")

    with pytest.raises(gls.InvalidArgument, match="TimeoutError: of the database at "):
        column(fetch, deadline=20).rows("x", [1])


def test_exceptions_that_would_end_the_loop() -> None:
    turn: List[int] = []

    async def ends() -> None:
        raise SystemExit(2)

    async def fetch(ids: Any, rows: Any) -> None:
        turn.append(0)
        if len(turn) == 1:
            raise SystemExit(1)
        if len(turn) == 2:
            asyncio.ensure_future(ends())  # a task of its own
            await asyncio.sleep(0.05)
        rows.fill(6)

    dataset = column(fetch, deadline=20)
    with pytest.raises(gls.InvalidArgument, match="SystemExit: 1"):
        dataset.rows("x", [1])
    for _ in range(2):
        assert dataset.rows("x", [1]).tolist() == [[6] * 12]


def test_a_loop_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse = [True]
    start = threading.Thread.start

    def sometimes(self: threading.Thread) -> None:
        if refuse and self.name == "gls-store-loop":
            raise RuntimeError("can't start new thread")
        start(self)

    async def fetch(ids: Any, rows: Any) -> None:
        rows.fill(2)

    monkeypatch.setattr(threading.Thread, "start", sometimes)
    dataset = column(fetch)
    with pytest.raises(gls.InvalidArgument, match="can't start new thread"):
        dataset.rows("x", [1])
    refuse.clear()
    assert dataset.rows("x", [1]).tolist() == [[2] * 12]


def test_tasks_that_go_on_are_cancelled_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    ended: List[str] = []

    async def forever() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append("cancelled")

    tasks: List[Any] = []

    async def fetch(ids: Any, rows: Any) -> None:
        tasks.append(asyncio.ensure_future(forever()))
        await asyncio.sleep(0)
        rows.fill(5)

    column(fetch).rows("x", [1])
    wait_for(lambda: not threads_of_stores())
    assert ended == ["cancelled"] and tasks[0].cancelled()
    tasks.clear()
    gc.collect()
    assert "destroyed" not in caplog.text


# ---- close() ------------------------------------------------------------------------------------


def test_close() -> None:
    with Features() as store:
        dataset = edges_only().with_stores(store)
        made = loader(dataset)
    store.close()
    for use in (lambda: store.stats, lambda: edges_only().with_stores(store)):
        with pytest.raises(gls.InvalidState, match="the store is closed"):
            use()
    assert dataset.rows("x", [3]).tolist() == X[[3]].tolist()
    assert len(list(made)) == 10
    assert threads_of_stores()
    del dataset, made
    wait_for(lambda: not threads_of_stores())


def test_close_ends_a_store_that_holds_itself() -> None:
    held: Dict[str, Any] = {}

    def fetch(ids: Any, rows: Any) -> None:
        assert held["store"] is not None
        rows[:] = X[ids]

    store = held["store"] = gls.ColumnStore(name="x", shape=12, fetch=fetch)
    edges_only().with_stores(store).rows("x", [1])
    del store
    gc.collect()
    assert threads_of_stores()
    held["store"].close()
    wait_for(lambda: not threads_of_stores())
