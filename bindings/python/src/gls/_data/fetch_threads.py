"""Python threads that answer the questions of a store."""

from __future__ import annotations

import atexit
import os
import threading
import types
import weakref
from typing import TYPE_CHECKING, Any, Callable, List, Optional

from gls._low import glslow as low
from gls.errors import Error, InvalidArgument, IoError, words_of

if TYPE_CHECKING:
    import asyncio

Ask = Callable[[low.FetchTask], Any]
"""Calls the store's function. It returns the answer, a future of it, or a coroutine."""
Reply = Callable[[low.FetchTask, Any], None]
"""Checks an answer and hands it to the library."""


class FetchThreads:
    """The library's threads put questions into a queue, and Python threads take them out. So no
    thread of the library ever enters the interpreter.

    Threads refer to this and to what answers, but not to the handle of the store. The queue closes
    when the library has let go of the store, and the threads end.
    """

    def __init__(self, most_threads: int, ask: Ask, reply: Reply) -> None:
        self.queue = low.FetchQueue()
        self._most_threads = most_threads
        self._ask = ask
        self._reply = reply
        self._lock = threading.Lock()
        self._threads: List[threading.Thread] = []
        self._idle = 0  # of these
        # Questions without an answer. A future that is dropped drops its question, which then fails.
        self._open: "weakref.WeakSet[low.FetchTask]" = weakref.WeakSet()
        self._loop: Optional[asyncio.AbstractEventLoop] = None

    def start(self) -> None:
        """Called when a dataset has the store. Later calls do nothing."""
        with self._lock:
            if not self._threads:
                _running.add(self)
                self._add_thread()

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name="gls-store", daemon=True)
        self._idle += 1  # soon; it must not seem that there is none
        try:
            thread.start()
        except BaseException:
            self._idle -= 1
            raise
        self._threads.append(thread)

    def _serve(self) -> None:
        while True:
            task = self.queue.next(-1)
            with self._lock:
                self._idle -= 1
                if task is None:
                    self._threads.remove(threading.current_thread())
                    if not self._threads and self._loop is not None:
                        self._loop.call_soon_threadsafe(self._loop.stop)
                    return
                self._open.add(task)
                # One more thread for the next question, up to the limit.
                if self._idle == 0 and len(self._threads) < self._most_threads:
                    try:
                        self._add_thread()
                    except RuntimeError:  # the system has no more threads
                        pass
            self._run(task)
            del task
            with self._lock:
                self._idle += 1

    def _run(self, task: low.FetchTask) -> None:
        from concurrent.futures import Future

        try:
            result = self._ask(task)
            if isinstance(result, types.CoroutineType):
                import asyncio

                result = asyncio.run_coroutine_threadsafe(result, self._event_loop())
            if isinstance(result, Future):
                result.add_done_callback(lambda future: self._answer(task, future.result))
                return
        except BaseException as error:  # whatever it is, it is for the batch
            self._fail(task, error)
            return
        self._answer(task, lambda: result)

    def _answer(self, task: low.FetchTask, result: Callable[[], Any]) -> None:
        try:
            self._reply(task, result())
        except BaseException as error:  # also that a future was cancelled
            self._fail(task, error)
            return
        with self._lock:
            self._open.discard(task)

    def _fail(self, task: low.FetchTask, error: BaseException) -> None:
        # As for a transform: an unknown exception is the fault of the caller that made the store.
        status = error.status if isinstance(error, Error) else InvalidArgument.status
        try:
            task.fail(status, words_of(error))
        except Error:  # it was answered
            pass
        # Its frames have the question, which keeps the store; what answers may keep the error.
        error.__traceback__ = None
        with self._lock:
            self._open.discard(task)

    def _event_loop(self) -> asyncio.AbstractEventLoop:
        """One for all coroutines of the store, on a thread of its own."""
        import asyncio

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=_run_loop, args=(self._loop,), name="gls-store-loop", daemon=True
                ).start()
            return self._loop

    def end(self, most_seconds: float) -> None:
        """When the interpreter ends: questions without an answer get an error."""
        self.queue.close()
        while True:
            task = self.queue.next(0)
            if task is None:
                break
            self._fail(task, IoError("the process ends"))
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(most_seconds)
        with self._lock:
            left = list(self._open)
        for task in left:  # its thread stops where it is
            self._fail(task, IoError("the process ends"))


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def wrong_answer(result: object, expected: str) -> InvalidArgument:
    size = f" of {len(result)}" if isinstance(result, (tuple, list)) else ""
    return InvalidArgument(f"fetch returned a {type(result).__name__}{size}, expected {expected}")


_running: "weakref.WeakSet[FetchThreads]" = weakref.WeakSet()


@atexit.register
def _finish() -> None:
    for threads in list(_running):
        threads.end(1.0)


def _forget() -> None:
    """In a forked child, where the threads are not."""
    global _running
    _running = weakref.WeakSet()


os.register_at_fork(after_in_child=_forget)
