"""Wakes event loops when loaders have something: one thread for all of them."""

from __future__ import annotations

import atexit
import itertools
import os
import threading
from typing import Callable, Dict, Optional

from gls._low import glslow as low


Notify = Callable[[low.ReadyQueue, int], bool]
"""As notify() of a loader."""


class _Waker:
    """The library's threads only append to a queue, so they never wait for the interpreter."""

    def __init__(self) -> None:
        self._queue = low.ReadyQueue()
        self._numbers = itertools.count(1)
        self._calls: Dict[int, Callable[[], None]] = {}
        self._thread = threading.Thread(target=self._run, name="gls-ready", daemon=True)
        self._thread.start()

    def ask(self, notify: Notify, call: Callable[[], None]) -> bool:
        """True: there is something now. False: `call` will be made, by the thread here."""
        number = next(self._numbers)
        self._calls[number] = call
        now = True
        try:
            now = notify(self._queue, number)
        finally:
            if now:  # or interrupted, maybe after a promise: then its number finds no call
                self._calls.pop(number, None)
        return now

    def _run(self) -> None:
        while True:
            number = self._queue.next(-1)
            if number == 0:
                return
            call = self._calls.pop(number, None)
            if call is not None:
                call()

    def close(self) -> None:
        self._queue.close()
        self._thread.join(1.0)


_lock = threading.Lock()
_waker: Optional[_Waker] = None


async def ready(notify: Notify) -> None:
    """Returns when the loader asked has something, or was cancelled, moved or closed."""
    import asyncio

    loop = asyncio.get_running_loop()
    future: "asyncio.Future[None]" = loop.create_future()

    def finish() -> None:
        if not future.done():
            future.set_result(None)

    def wake() -> None:
        try:
            loop.call_soon_threadsafe(finish)
        except Exception:  # the loop is closed: no caller waits any more
            pass

    global _waker
    with _lock:
        if _waker is None:
            _waker = _Waker()
    if not _waker.ask(notify, wake):
        await future


@atexit.register
def _finish() -> None:
    global _waker
    with _lock:
        waker, _waker = _waker, None
    if waker is not None:
        waker.close()


def _forget() -> None:
    """In a forked child, where the thread is not and the queue may be locked."""
    global _lock, _waker
    _lock, _waker = threading.Lock(), None


os.register_at_fork(after_in_child=_forget)
