"""Python threads that answer the questions of a store."""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Callable, List, Tuple

from gls._data.fetch_errors import clear_frames, logger, status_of, words_with_place
from gls._data.fetch_loop import FetchLoop, is_awaitable
from gls._low import glslow as low
from gls.errors import Error, InvalidArgument, IoError

if TYPE_CHECKING:
    from concurrent.futures import Future

Arguments = Callable[[low.FetchTask], Tuple[Any, ...]]
"""What the store's function is called with. It returns the answer, a future, or an awaitable."""
Reply = Callable[[low.FetchTask, Any], None]
"""Checks an answer and hands it to the library."""

_END_SECONDS = 1.0  # for the threads of all stores together, when the interpreter ends


class FetchThreads:
    """The library's threads put questions into a queue, and Python threads take them out. So no
    thread of the library ever enters the interpreter.

    Threads refer to this and to what answers, but not to the handle of the store. The queue closes
    when the library has let go of the store, and the threads end.
    """

    def __init__(
        self, most_threads: int, function: Callable[..., Any], arguments: Arguments, reply: Reply
    ) -> None:
        self.queue = low.FetchQueue()
        self._most_threads = most_threads
        self._function = function
        self._arguments = arguments
        self._reply = reply
        self._lock = threading.Lock()
        self._threads: List[threading.Thread] = []
        self._idle = 0  # of these
        # Questions without an answer. A future that is dropped drops its question, which then fails.
        self._open: "weakref.WeakSet[low.FetchTask]" = weakref.WeakSet()
        self._loop = FetchLoop()

    def start(self) -> None:
        """Called when a dataset has the store. Later calls do nothing."""
        with self._lock:
            if not self._threads:
                _running.add(self)
                self._add_thread()

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name="gls-store", daemon=True)
        self._threads.append(thread)
        self._idle += 1  # soon; it must not seem that there is none
        try:
            thread.start()
        except BaseException:
            self._idle -= 1
            self._threads.remove(thread)
            raise

    def _try_to_add_thread(self) -> None:
        try:
            self._add_thread()
        except RuntimeError:  # the system has no more threads, or the interpreter ends
            pass

    def _serve(self) -> None:
        try:
            while True:
                task = self.queue.next(-1)
                if task is None:
                    return
                try:
                    self._begin(task)
                    self._run(task)
                except BaseException:  # not of the question: that has it as its error
                    logger().exception("a thread of a store goes on after an error")
                del task
                with self._lock:
                    self._idle += 1
        finally:
            self._end_thread()

    def _begin(self, task: low.FetchTask) -> None:
        with self._lock:
            self._idle -= 1
            self._open.add(task)
            # One more thread for the next question, up to the limit.
            if self._idle == 0 and len(self._threads) < self._most_threads:
                self._try_to_add_thread()

    def _end_thread(self) -> None:
        with self._lock:
            self._idle -= 1
            self._threads.remove(threading.current_thread())
            if self._threads:
                return
            if self.queue.closed():
                self._loop.stop()
            else:  # this thread was ended from outside
                self._try_to_add_thread()

    def _run(self, task: low.FetchTask) -> None:
        # A kept exception keeps the frames that it passed. So they lose the question at their end.
        try:
            from concurrent.futures import Future

            result = self._function(*self._arguments(task))
            if result is not None and is_awaitable(result):
                result = self._loop.submit(result, task.remaining_ms())
            if not isinstance(result, Future):
                self._answer(task, result)
                return
            held = [task]  # a future keeps what it calls also when it is done
            result.add_done_callback(lambda future: self._answer_later(held.pop(), future))
        except BaseException as error:  # whatever it is, it is for the batch
            self._fail(task, error)
        finally:
            del task

    def _answer(self, task: low.FetchTask, result: Any) -> None:
        try:
            self._reply(task, result)
            with self._lock:
                self._open.discard(task)
        finally:
            del task

    def _answer_later(self, task: low.FetchTask, future: "Future[Any]") -> None:
        from concurrent.futures import CancelledError

        try:
            error = CancelledError() if future.cancelled() else future.exception()
            if error is not None:
                self._fail(task, error)
                return
            self._answer(task, future.result())
        except BaseException as raised:
            self._fail(task, raised)
        finally:
            del task

    def _fail(self, task: low.FetchTask, error: BaseException) -> None:
        status, words = status_of(error), words_with_place(error)
        try:
            logger().debug(
                "a store failed: %s", words, exc_info=(type(error), error, error.__traceback__)
            )
        except BaseException:  # the handler's fault, or that of an attribute
            pass
        try:
            task.fail(status, words)
        except Error:  # it was answered
            pass
        except BaseException:  # such as an async exception; the batch still needs an error
            task.fail(InvalidArgument.status, "the store failed")
        finally:
            with self._lock:
                self._open.discard(task)
        try:
            clear_frames(error)
        except BaseException:  # as above
            pass

    # ---- the end of the interpreter ----

    def close(self) -> None:
        """Questions without an answer get an error."""
        self.queue.close()
        with self._lock:
            left = list(self._open)
        for task in left:
            self._fail(task, IoError("the process ends"))
        self._loop.stop()

    def join(self, end: float) -> None:
        """Waits for the threads, up to a time of :func:`time.monotonic`."""
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(end - time.monotonic(), 0))
        self._loop.join(max(end - time.monotonic(), 0))


def wrong_answer(result: object, expected: str) -> InvalidArgument:
    size = f" of {len(result)}" if isinstance(result, (tuple, list)) else ""
    return InvalidArgument(f"fetch returned a {type(result).__name__}{size}, expected {expected}")


_running: "weakref.WeakSet[FetchThreads]" = weakref.WeakSet()


@atexit.register
def _finish() -> None:
    stores = list(_running)
    for threads in stores:
        threads.close()
    end = time.monotonic() + _END_SECONDS
    for threads in stores:
        threads.join(end)


def _forget() -> None:
    """In a forked child, where the threads are not."""
    global _running
    _running = weakref.WeakSet()


os.register_at_fork(after_in_child=_forget)
