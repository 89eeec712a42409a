"""The event loop that runs the coroutines of a store, on a thread of its own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Awaitable, Optional

from gls._data.fetch_errors import logger
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
        from concurrent.futures import Future

        # Not the future of asyncio: that makes another exception of some, without its traceback.
        answer: Future[Any] = Future()
        limited = _limited(awaitable, None if remaining_ms < 0 else remaining_ms / 1000, answer)
        try:
            asyncio.run_coroutine_threadsafe(limited, self._started())
        except BaseException:
            limited.close()
            _close(awaitable)
            raise
        return answer

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


async def _limited(
    awaitable: Awaitable[Any], seconds: Optional[float], answer: "Future[Any]"
) -> None:
    import asyncio

    try:
        await asyncio.wait_for(_answered(awaitable, answer), seconds)
    except asyncio.TimeoutError:
        _refuse(answer, TimedOut("no answer before the deadline"))
    except BaseException as error:  # it was cancelled
        _refuse(answer, error)
        raise
    finally:
        _close(awaitable)  # it may not have begun


async def _answered(awaitable: Awaitable[Any], answer: "Future[Any]") -> None:
    import asyncio

    try:
        result = await awaitable
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # such as SystemExit, which would end the loop
        _refuse(answer, error)
    else:
        answer.set_result(result)


def _refuse(answer: "Future[Any]", error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)


def is_awaitable(result: object) -> bool:
    import inspect

    return inspect.isawaitable(result)


def _close(awaitable: Awaitable[Any]) -> None:
    import inspect

    if inspect.iscoroutine(awaitable):  # which warns if it never ran
        awaitable.close()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        while True:
            try:
                loop.run_forever()
                break
            except BaseException:  # of a task that the caller's code made
                logger().exception("the event loop of a store goes on after an error")
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
