"""The event loop that runs the coroutines of a store, on a thread of its own."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Awaitable, Optional

from gls.errors import InvalidState, TimedOut

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

_CANCEL_SECONDS = 1.0  # for tasks that are cancelled at the end


class FetchLoop:
    """It starts with the first coroutine."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._thread: Optional[threading.Thread] = None
        self._stopped = False

    def submit(self, awaitable: Awaitable[Any], remaining_ms: int) -> "Future[Any]":
        """Runs something for so long; negative: without limit."""
        import asyncio

        limited = _limited(awaitable, None if remaining_ms < 0 else remaining_ms / 1000)
        try:
            return asyncio.run_coroutine_threadsafe(limited, self._started())
        except BaseException:
            limited.close()
            close = getattr(awaitable, "close", None)  # a coroutine warns if it never ran
            if close is not None:
                close()
            raise

    def _started(self) -> asyncio.AbstractEventLoop:
        import asyncio

        with self._lock:
            if self._stopped:
                raise InvalidState("the store has ended")
            if self._loop is None:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=_run, args=(loop,), name="gls-store-loop", daemon=True
                )
                try:
                    thread.start()
                except BaseException:
                    loop.close()
                    raise
                self._loop, self._thread = loop, thread
            return self._loop

    def stop(self) -> None:
        """Its tasks are cancelled."""
        with self._lock:
            if self._loop is not None and not self._stopped:
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._stopped = True

    def join(self, seconds: float) -> None:
        thread = self._thread
        if thread is not None:
            thread.join(seconds)


async def _limited(awaitable: Awaitable[Any], seconds: Optional[float]) -> Any:
    import asyncio

    began = time.monotonic()
    try:
        return await asyncio.wait_for(awaitable, seconds)
    except asyncio.TimeoutError:
        if seconds is None or time.monotonic() - began < seconds:  # its own
            raise
        raise TimedOut("no answer before the deadline") from None


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        _cancel_tasks(loop)
    finally:
        loop.close()


def _cancel_tasks(loop: asyncio.AbstractEventLoop) -> None:
    import asyncio

    loop.run_until_complete(asyncio.sleep(0))  # the last ones that were submitted begin
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        done, _ = loop.run_until_complete(asyncio.wait(tasks, timeout=_CANCEL_SECONDS))
        for task in done:
            if not task.cancelled():
                task.exception()  # seen, so that it is not reported
    loop.run_until_complete(loop.shutdown_asyncgens())
