"""Groups of processes, here threads of one, and functions that they call of each other and of servers.
Those that are killed are in test_group_processes.py. Every wait has a limit."""

from __future__ import annotations

import asyncio
import gc
import math
import pickle
import threading
import time
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, List, Sequence, TypeVar

import numpy as np
import pytest
from ports import free_place

import gls

KEY = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"
T = TypeVar("T")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLS_NET_KEY", KEY)


def context() -> gls.Context:
    return gls.Context(num_threads=2, log_level="error")


def together(*calls: Callable[[], T]) -> List[T]:
    """Makes the calls at the same time, each on a thread of its own."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result(60) for future in [pool.submit(call) for call in calls]]


@contextmanager
def members(count: int, **options: Any) -> Iterator[List[gls.Group]]:
    place = free_place()
    given = dict(world_size=count, rendezvous=place, timeout=30, context=context(), **options)
    groups = together(*(lambda rank=rank: gls.Group(rank=rank, **given) for rank in range(count)))
    with ExitStack() as stack:
        for group in groups:  # the last to join leaves first
            stack.callback(group.close)
        yield groups


def soon(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


# ---- joining, barriers, all-gathers ------------------------------------------------------------


def test_members_and_operations() -> None:
    with members(3, name="some") as groups:
        for rank, group in enumerate(groups):
            assert (group.name, group.rank, group.world_size) == ("some", rank, 3)
            assert (group.local_rank, group.local_size) == (rank, 3)
            assert group.launcher == "arguments"
            there = group.members
            assert [member.rank for member in there] == [0, 1, 2]
            assert there[2].name.startswith("some/2") and there[2].process > 0
            assert there[0].address.startswith("127.0.0.1:") and there[0].host
            assert there == groups[0].members
        for _ in range(5):
            together(*(lambda group=group: group.barrier(30) for group in groups))
            given = [b"zero", b"", bytes(range(256)) * 1000]
            for got in together(
                *(lambda g=group, x=x: g.all_gather(x, 30) for group, x in zip(groups, given))
            ):
                assert got == given
        assert [group.operations for group in groups] == [10, 10, 10]
        numbers = np.arange(6).reshape(2, 3).T  # not contiguous
        answers = [group.all_gather_async(numbers, 30) for group in groups]
        assert [answer.result(30) for answer in answers] == [[numbers.tobytes()] * 3] * 3
        assert "done" in repr(answers[0]) and answers[0].done()


def test_alone_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLS_NET_KEY")
    with gls.Group(context=context()) as group:
        assert (group.rank, group.world_size, group.launcher) == (0, 1, None)
        group.barrier()
        assert group.all_gather(b"all") == [b"all"]
        group.function("echo", lambda call: call.data)
        assert group.call(0, "echo", b"back") == b"back"
        assert "rank 0 of 1" in repr(group)
    with pytest.raises(gls.InvalidState, match="closed"):
        group.barrier()
    assert "closed" in repr(group) and group.rank == 0


def test_the_launcher_says_who_is_who(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("RANK", "0"),
        ("WORLD_SIZE", "1"),
        ("LOCAL_RANK", "0"),
        ("MASTER_ADDR", "127.0.0.1"),
        ("MASTER_PORT", "29500"),
    ):
        monkeypatch.setenv(name, value)
    with gls.Group(launcher="torchrun", context=context()) as group:
        assert group.launcher == "torchrun"
    monkeypatch.delenv("WORLD_SIZE")
    with pytest.raises(gls.NotFound, match="WORLD_SIZE"):
        gls.Group(launcher="torchrun", context=context())


def test_a_barrier_says_who_is_missing_and_goes_on() -> None:
    with members(2) as (first, second):
        with pytest.raises(gls.TimedOut, match="rank 1"):
            first.barrier(0.2)
        together(lambda: first.barrier(30), lambda: second.barrier(30))
        answer = first.all_gather_async(b"x", 30)
        with pytest.raises(gls.TimedOut, match="within 0.05 s"):
            answer.result(0.05)
        assert not answer.done() and "under way" in repr(answer)
        with pytest.raises(gls.InvalidState, match="under way"):
            first.barrier(1)
        assert second.all_gather(b"y", 30) == [b"x", b"y"] == answer.result(30)
        second.leave(5)
        with pytest.raises(gls.IoError, match="has left"):
            first.barrier(30)
        with pytest.raises(gls.InvalidState, match="left"):
            second.barrier(30)


def test_joining_fails_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(gls.TimedOut, match="rank"):
        gls.Group(rank=0, world_size=2, rendezvous=free_place(), timeout=0.3, context=context())

    class Enough(Exception):
        pass

    seen = []

    def progress(stage: str, done: int, total: int, unit: str) -> None:
        seen.append((stage, done, total, unit))
        raise Enough

    for rank in (0, 1):
        with pytest.raises(Enough):
            gls.Group(
                rank=rank,
                world_size=3,
                rendezvous=free_place(),
                timeout=30,
                progress=progress,
                context=context(),
            )
    assert seen[0] == ("waiting for the others", 1, 3, "processes")
    assert seen[1][2:] == (3, "processes")
    wrong: List[Any] = [
        dict(rank=0),
        dict(world_size=2),
        dict(rank=2, world_size=2),
        dict(launcher="nobody"),
        dict(name=""),
        dict(num_threads=0),
        dict(timeout=-1),
        dict(exchange=lambda mine: [mine]),
        dict(rank=0, world_size=2, rendezvous="nowhere"),
    ]
    for options in wrong:
        with pytest.raises(gls.InvalidArgument):
            gls.Group(**{"timeout": 1, "context": context(), **options})
    with pytest.raises(TypeError, match="exchange"):
        gls.Group(rank=0, world_size=1, exchange=5)  # type: ignore[arg-type]
    monkeypatch.delenv("GLS_NET_KEY")
    with pytest.raises(gls.InvalidArgument, match="GLS_NET_KEY_FILE"):
        gls.Group(rank=0, world_size=2, rendezvous=free_place(), timeout=1, context=context())


def test_waiting_for_rank_0_does_not_fill_the_log() -> None:
    lines: List[str] = []
    own = gls.Context(num_threads=1, log=lambda level, component, line: lines.append(line))
    with pytest.raises(gls.TimedOut, match="rank 0 was not reached"):
        gls.Group(rank=1, world_size=2, rendezvous=free_place(), timeout=1.5, context=own)
    soon(lambda: bool(lines))
    assert len([line for line in lines if "Connection refused" in line]) == 1


class AllGather:
    """As MPI's, among threads."""

    def __init__(self, count: int) -> None:
        self.given: List[bytes] = [b""] * count
        self.all = threading.Barrier(count)

    def of(self, rank: int) -> Callable[[bytes], Sequence[bytes]]:
        def gather(mine: bytes) -> Sequence[bytes]:
            self.given[rank] = mine
            self.all.wait(30)
            return list(self.given)

        return gather


def test_addresses_are_exchanged_by_a_function() -> None:
    gather = AllGather(3)
    own = context()

    def join(rank: int) -> gls.Group:
        return gls.Group(rank=rank, world_size=3, exchange=gather.of(rank), timeout=30, context=own)

    groups = together(*(lambda rank=rank: join(rank) for rank in range(3)))
    port = groups[0].members[0].address.rpartition(":")[2]
    assert port.encode() in gather.given[0] and port.encode() not in gather.given[1]
    together(*(lambda group=group: group.barrier(30) for group in groups))
    for group in reversed(groups):
        group.close()


def test_an_exchange_that_fails() -> None:
    def boom(mine: bytes) -> List[bytes]:
        raise ZeroDivisionError("no network today")

    def join(exchange: Any) -> None:
        gls.Group(rank=0, world_size=2, exchange=exchange, timeout=5, context=context())

    with pytest.raises(ZeroDivisionError, match="no network today"):
        join(boom)
    with pytest.raises(ValueError, match="1 items, expected those of 2 processes"):
        join(lambda mine: [mine])
    with pytest.raises(ValueError, match="3 bytes of process 1"):
        join(lambda mine: [mine, b"abc"])
    with pytest.raises(TypeError):
        join(lambda mine: [mine, None])
    with pytest.raises(TypeError):
        join(lambda mine: 5)


# ---- functions ---------------------------------------------------------------------------------


def test_functions_are_called() -> None:
    with members(2) as (first, second):
        seen = []

        @second.function("add")
        def add(call: gls.Call) -> bytes:
            seen.append(call)
            return bytes(np.frombuffer(call.data, np.int64).sum().tobytes())

        second.function("nothing", lambda call: None)
        numbers = np.arange(100)
        assert first.call(1, "add", numbers) == np.int64(4950).tobytes()
        assert first.call(1, "nothing") == b""
        assert second.call(1, "add", numbers[:3]) == np.int64(3).tobytes()
        assert seen[0].function == "add" and seen[0].rank == 0 and seen[0].part is None
        assert "gls/0" in seen[0].caller and seen[1].rank == 1
        assert seen[0].data == numbers.tobytes() and "800 bytes" in repr(seen[0])
        assert callable(add)
        big = bytes(3 << 20)
        second.function("echo", lambda call: call.data)
        assert first.call(1, "echo", big) == big
        with pytest.raises(gls.AlreadyExists, match="echo"):
            second.function("echo", lambda call: b"another")
        assert first.call(1, "echo", b"the first stays") == b"the first stays"
        with pytest.raises(gls.NotFound, match="add") as failure:
            first.call(1, "missing")
        assert failure.value.detail["function"] == "missing"
        with pytest.raises(gls.InvalidArgument, match="rank"):
            first.call(2, "add")
        with pytest.raises(TypeError, match="bytes, not str"):
            first.call(1, "echo", "text")
        with pytest.raises(TypeError, match="callable"):
            first.function("five", 5)  # type: ignore[call-overload]
        with pytest.raises(gls.InvalidArgument):
            first.function("", add)


def test_what_a_function_raises_reaches_the_caller() -> None:
    with members(2) as (first, second):

        def fail(call: gls.Call) -> Any:
            if call.data == b"value":
                raise ValueError("wrong \0 é")
            if call.data == b"own":
                raise gls.NotFound("no such thing")
            if call.data == b"exit":
                raise SystemExit(3)
            return 5

        second.function("fail", fail)
        with pytest.raises(
            gls.InvalidArgument, match='function "fail" of rank 1.*ValueError: wrong   é'
        ):
            first.call(1, "fail", b"value")
        with pytest.raises(gls.NotFound, match="NotFound: no such thing"):
            first.call(1, "fail", b"own")
        with pytest.raises(gls.InvalidArgument, match="SystemExit: 3"):
            first.call(1, "fail", b"exit")
        with pytest.raises(gls.InvalidArgument, match="it returned a int, expected bytes"):
            first.call(1, "fail")
        with pytest.raises(gls.InvalidArgument, match="ValueError"):  # also of this process
            second.call(1, "fail", b"value")


def test_functions_run_side_by_side_and_call_others() -> None:
    with members(2, num_threads=3) as groups:
        both = threading.Barrier(3)

        def meet(call: gls.Call) -> bytes:
            return str(both.wait(30)).encode()

        groups[1].function("meet", meet)
        answers = [groups[0].call_async(1, "meet", timeout=30) for _ in range(3)]
        assert sorted(answer.result(30) for answer in answers) == [b"0", b"1", b"2"]

        def descend(call: gls.Call) -> bytes:
            """Each calls the other one until there is nothing left."""
            here = groups[1] if call.rank == 0 else groups[0]
            left = call.data[1:]
            other = 1 - here.rank
            return call.data[:1] + (here.call(other, "down", left, timeout=30) if left else b"")

        for group in groups:
            group.function("down", descend)
        assert groups[0].call(1, "down", b"abcde", timeout=30) == b"abcde"


def test_a_future_keeps_no_thread() -> None:
    with members(2, num_threads=1) as (first, second):
        waiting: List["Future[bytes]"] = []

        def later(call: gls.Call) -> "Future[bytes]":
            waiting.append(Future())
            return waiting[-1]

        second.function("later", later)
        second.function("now", lambda call: b"now")
        answers = [first.call_async(1, "later", timeout=30) for _ in range(4)]
        soon(lambda: len(waiting) == 4)
        assert first.call(1, "now", timeout=30) == b"now"
        assert not any(answer.done() for answer in answers)
        waiting[0].set_result(b"here")
        waiting[1].set_exception(gls.Unsupported("not today"))
        waiting[2].cancel()
        assert answers[0].result(30) == b"here"
        with pytest.raises(gls.Unsupported, match="not today"):
            answers[1].result(30)
        with pytest.raises(gls.Error, match="CancelledError"):
            answers[2].result(30)
        assert not answers[3].done()
        waiting[3].set_result(b"")
        assert answers[3].result(30) == b""


def test_deadlines_and_cancelling() -> None:
    with members(2, num_threads=4) as (first, second):
        seen: List[gls.Call] = []
        go_on = threading.Event()

        def slow(call: gls.Call) -> bytes:
            seen.append(call)
            go_on.wait(30)
            return b"too late"

        second.function("slow", slow)
        try:
            with pytest.raises(gls.TimedOut, match='function "slow" of rank 1'):
                first.call(1, "slow", timeout=0.1)
            answer = first.call_async(1, "slow", timeout=math.inf)
            soon(lambda: len(seen) == 2)
            assert not seen[1].canceled
            answer.cancel()
            with pytest.raises(gls.Canceled):
                answer.result(30)
            soon(lambda: seen[1].canceled)
            del answer
            answer = first.call_async(1, "slow", timeout=30)
            soon(lambda: len(seen) == 3)
            del answer  # nobody holds it
            gc.collect()
            soon(lambda: seen[2].canceled)
            with pytest.raises(gls.TimedOut):
                first.call(1, "slow", timeout=0)  # polls
            with pytest.raises(gls.TimedOut):
                first.barrier(timeout=0)
        finally:
            go_on.set()


def test_in_an_event_loop() -> None:
    with members(2) as (first, second):
        first.function("twice", lambda call: call.data * 2)

        async def use() -> None:
            assert await second.call_async(0, "twice", b"ab") == b"abab"
            answers = await asyncio.gather(
                *(second.call_async(0, "twice", str(i).encode()) for i in range(50))
            )
            assert answers == [str(i).encode() * 2 for i in range(50)]
            _, gathered = await asyncio.gather(
                first.all_gather_async(b"0", 30), second.all_gather_async(b"1", 30)
            )
            assert gathered == [b"0", b"1"]
            with pytest.raises(gls.NotFound):
                await second.call_async(0, "missing")
            barrier = first.barrier_async(30)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(wrap(barrier), 0.1)
            await asyncio.gather(wrap(barrier), wrap(second.barrier_async(30)))

        async def wrap(answer: "gls.Future[None]") -> None:
            await answer

        asyncio.run(asyncio.wait_for(use(), 60))


def test_leaving_lets_calls_end_and_closing_ends_functions() -> None:
    with members(2) as (first, second):
        started, go_on = threading.Event(), threading.Event()

        def slow(call: gls.Call) -> bytes:
            started.set()
            go_on.wait(30)
            return b"done"

        second.function("slow", slow)
        answer = first.call_async(1, "slow", timeout=30)
        assert started.wait(30)
        timer = threading.Timer(0.2, go_on.set)
        timer.start()
        second.leave(30)
        assert answer.result(30) == b"done"
        second.close()
        assert not [t for t in threading.enumerate() if t.name == "gls-function"]
        second.close()
        with pytest.raises((gls.IoError, gls.InvalidState)):
            first.call(1, "slow", timeout=5)


def test_a_function_may_close_its_group() -> None:
    with members(2) as (first, second):
        second.function("end", lambda call: second.close())
        with pytest.raises(gls.IoError, match="rank 1"):
            first.call(1, "end", timeout=30)
        with pytest.raises(gls.InvalidState, match="closed"):
            second.barrier(5)


def test_what_nobody_uses_is_let_go() -> None:
    class Given:
        def __call__(self, call: gls.Call) -> bytes:
            return b"x"

    given = Given()
    gone = weakref.ref(given)
    group = gls.Group(context=context())
    group.function("given", given)
    assert group.call(0, "given") == b"x"
    del group, given  # not closed
    gc.collect()

    def let_go() -> bool:
        gc.collect()
        return gone() is None

    soon(let_go)
    with pytest.raises(TypeError, match="join it in each process"):
        pickle.dumps(gls.Group(context=context()))


# ---- functions of servers ----------------------------------------------------------------------


def test_functions_of_servers(shop: gls.Dataset, tmp_path: Path) -> None:
    shop.partition(tmp_path / "parts", 2, method="random")
    own = context()
    with gls.Server(tmp_path / "parts", parts=[0], context=own) as first:
        with gls.Server(
            tmp_path / "parts", parts=[1], servers=[first.address], context=own
        ) as second:
            for name, server in (("first", first), ("second", second)):

                @server.function("who")
                def who(call: gls.Call, name: str = name) -> bytes:
                    assert call.rank is None
                    return f"{name} {call.part} {call.data.decode()}".encode()

            first.function("fail", lambda call: 1 / 0)  # type: ignore[arg-type, return-value]
            with gls.Dataset.open(f"gls://{second.address}", context=own) as far:
                assert far.call(0, "who", b"x", timeout=30) == b"first 0 x"
                assert far.call(1, "who", b"y", idempotent=True) == b"second 1 y"
                assert far.call_async(1, "who").result(30) == b"second 1 "
                with pytest.raises(gls.InvalidArgument, match="ZeroDivisionError"):
                    far.call(0, "fail", timeout=30)
                with pytest.raises(gls.NotFound, match="who"):
                    far.call(1, "fail", timeout=30)
                with pytest.raises(gls.InvalidArgument, match="part"):
                    far.call(2, "who")
            with pytest.raises(gls.Unsupported, match="is not served"):
                shop.call(0, "who")
    with pytest.raises(gls.InvalidState):
        first.function("late", lambda call: None)
