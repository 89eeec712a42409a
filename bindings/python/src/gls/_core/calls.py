"""Calls of functions in other processes: what they are given, and what comes of them."""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Generator, Generic, NoReturn, Optional, TypeVar

from gls._core.check import check_process, fork_generation, not_picklable, text, whole_number
from gls._core.ready import ready
from gls._low import glslow as low
from gls.errors import Error, TimedOut, invalid
from gls.types import BytesLike

SLICE_MS = 100  # how long a signal may have to wait
_TIMEOUT_DEFAULT = -(1 << 63)  # GLS_TIMEOUT_DEFAULT


T_co = TypeVar("T_co", covariant=True)


class Future(Generic[T_co]):
    """The result of an asynchronous operation: a call, a barrier, an all-gather.

    Wait with :meth:`result`, or in an event loop with ``await``, which occupies no thread. It is
    cancelled when its last reference is gone.
    """

    def __init__(self, handle: low.Future, convert: Callable[[low.Future], T_co]) -> None:
        """Not for users."""
        self._handle = handle
        self._convert = convert
        self._generation = fork_generation()

    @property
    def _low(self) -> low.Future:
        check_process(self._generation)
        return self._handle

    def done(self) -> bool:
        """Whether the operation is over, with or without success."""
        try:
            return self._low.is_over(0)
        except Error:
            return True

    def result(self, timeout: Optional[float] = None) -> T_co:
        """Waits until the operation is over, and returns its result. Ctrl-C ends the waiting.

        Args:
            timeout: How many seconds this call waits. None, and ``math.inf``: without limit; 0: not
                at all.

        Raises:
            TimedOut: The operation is not over and goes on, or has timed out itself.
            InvalidArgument: `timeout` is negative.
            Error: The operation failed.
        """
        handle = self._low
        if not wait_in_slices(handle.is_over, timeout):
            raise TimedOut(f"nothing has come within {timeout} s")
        return self._convert(handle)

    def cancel(self) -> None:
        """Ends it with :class:`Canceled`, if it is not over. A function that runs is not stopped, but
        can see it."""
        self._low.cancel()

    def __await__(self) -> Generator[Any, None, T_co]:
        handle = self._low
        while not handle.is_over(0):
            yield from ready(handle.notify).__await__()
        return self._convert(handle)

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Future", "its result() can be")

    def __repr__(self) -> str:
        return f"gls.Future({'done' if self.done() else 'under way'})"


class Call:
    """What a function was called with; see :meth:`Group.function`."""

    __slots__ = ("_task", "_data")

    def __init__(self, task: low.CallTask) -> None:
        """Not for users."""
        self._task = task
        self._data = task.to_bytes()

    @property
    def data(self) -> bytes:
        """What the caller gave."""
        return self._data

    @property
    def function(self) -> str:
        """The name it was called by."""
        return self._task.function()

    @property
    def caller(self) -> str:
        """The name of the process that calls, and where it is."""
        return self._task.caller()

    @property
    def rank(self) -> Optional[int]:
        """Rank of the caller in the group. None: the caller is a client of a server."""
        rank = self._task.rank()
        return rank if rank >= 0 else None

    @property
    def part(self) -> Optional[int]:
        """Part of the graph that the call is for. None: called as a process of a group."""
        part = self._task.part()
        return part if part >= 0 else None

    @property
    def canceled(self) -> bool:
        """Whether the caller no longer waits for the answer."""
        return self._task.canceled()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Call", "its data can be")

    def __repr__(self) -> str:
        return f"gls.Call({self.function!r}, {len(self._data)} bytes, from {self.caller!r})"


# ---- for the modules that have calls -------------------------------------------------------------


def to_milliseconds(seconds: Optional[float], argument: str = "timeout") -> int:
    """None, and more than the library can count: without limit. 0 polls."""
    if seconds is None or seconds > (1 << 62) / 1000:
        return -1
    if not seconds >= 0:
        raise invalid(argument, f"{seconds} is not at least 0")
    return math.ceil(seconds * 1000)


def deadline(seconds: Optional[float]) -> Optional[float]:
    """The end of a timeout, on the clock of time.monotonic(). None: it has no limit."""
    if seconds is None or to_milliseconds(seconds) < 0:
        return None
    return time.monotonic() + seconds


def wait_in_slices(is_over: Callable[[int], bool], timeout: Optional[float]) -> bool:
    """Calls `is_over` with short waits until it returns True. Between them Ctrl-C is seen.

    False: `timeout` has passed, in seconds. None: without limit.
    """
    end = deadline(timeout)
    while True:
        left = SLICE_MS if end is None else math.ceil((end - time.monotonic()) * 1000)
        if is_over(max(0, min(left, SLICE_MS))):
            return True
        if left <= 0:
            return False


def call_milliseconds(timeout: Optional[float]) -> int:
    """None: the default of the library, which is a setting."""
    return _TIMEOUT_DEFAULT if timeout is None else to_milliseconds(timeout)


def to_payload(argument: str, data: BytesLike) -> Optional[low.Tensor]:
    """The memory of bytes that are given; None where there are none."""
    try:
        view = memoryview(data)
    except TypeError:
        raise TypeError(f"{argument} must be bytes, not {type(data).__name__}") from None
    if view.nbytes == 0:
        return None
    flat = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
    return low.tensor_from_buffer(flat, True)


def begin_call(
    call: Callable[[int, str, Optional[low.Tensor], int, bool], low.Future],
    argument: str,
    number: int,
    function: str,
    data: BytesLike,
    timeout: Optional[float],
    idempotent: bool,
) -> Future[bytes]:
    """Checks the arguments of a call, and begins it; `argument` names the number of its target."""
    handle = call(
        whole_number(argument, number, 0, 32),
        text("function", function),
        to_payload("data", data),
        call_milliseconds(timeout),
        bool(idempotent),
    )
    return Future(handle, _first_item)


def _first_item(future: low.Future) -> bytes:
    return future.item(0).to_bytes()


def finished(future: Future[T_co]) -> T_co:
    """The result of a future, which is cancelled if the waiting is interrupted."""
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
