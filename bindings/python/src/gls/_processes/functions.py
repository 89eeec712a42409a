"""Runs the functions that other processes call."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Union

from gls._core.calls import Call, to_payload
from gls._core.check import text
from gls._core.context import Context
from gls._low import glslow as low
from gls.errors import Error, InvalidArgument, words_of
from gls.types import BytesLike

if TYPE_CHECKING:
    from concurrent.futures import Future

Function = Callable[[Call], Union[None, BytesLike, "Future[Any]"]]
"""What is called: it returns the answer, or a future of it."""


class Functions:
    """The library's threads put calls into a queue, and Python threads take them out. So no thread
    of the library ever enters the interpreter. The interpreter may have ended, or its lock may
    belong to a thread that waits for the library.
    """

    def __init__(
        self, most_threads: int, at_exit: "Optional[weakref.WeakMethod[Callable[[], None]]]" = None
    ) -> None:
        self._queue = low.CallQueue()
        self._most_threads = most_threads
        self._functions: Dict[str, Function] = {}
        self._lock = threading.Lock()
        self._threads: List[threading.Thread] = []
        self._idle = 0  # of these
        self._at_exit = at_exit
        _running.add(self)

    def add(
        self, name: str, function: Function, register: Callable[[str, low.CallQueue], None]
    ) -> None:
        """`register` is the library's part of it."""
        if not callable(function):
            raise TypeError(f"function must be callable, not {type(function).__name__}")
        with self._lock:
            # A second one of a name is refused there, and the first stays.
            register(text("name", name), self._queue)
            self._functions[name] = function
            if not self._threads:
                self._add_thread()

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name="gls-function", daemon=True)
        self._idle += 1  # soon; it must not seem that there is none
        try:
            thread.start()
        except BaseException:
            self._idle -= 1
            raise
        self._threads.append(thread)

    def _serve(self) -> None:
        # The thread refers to this and not to the group or server: when the library lets go of that,
        # the queue is closed.
        while True:
            task = self._queue.next(-1)
            with self._lock:
                self._idle -= 1
                if task is None:
                    return
                # One more thread for the next call, up to the limit.
                if self._idle == 0 and len(self._threads) < self._most_threads:
                    try:
                        self._add_thread()
                    except RuntimeError:  # the system has no more threads
                        pass
                function = self._functions[task.function()]
            self._run(task, function)
            del task, function
            with self._lock:
                self._idle += 1

    def _run(self, task: low.CallTask, function: Function) -> None:
        from concurrent.futures import Future

        try:
            result = function(Call(task))
            if isinstance(result, Future):
                result.add_done_callback(lambda future: _answer_later(task, future))
            else:
                _reply(task, result)
        except BaseException as error:  # whatever it is, it is for the caller
            _fail(task, error)

    def end(self) -> None:
        """When the interpreter ends."""
        stop = None if self._at_exit is None else self._at_exit()
        if stop is not None:
            stop()
        self.close(1.0)

    def close(self, most_seconds: Union[None, float] = None) -> None:
        """Fails calls that no thread has taken, and waits for running ones."""
        self._queue.close()
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            if thread is not threading.current_thread():  # a function may close its own group
                thread.join(most_seconds)


def threads_of(context: Context) -> int:
    """As many as the library's own."""
    return int(context.get("threads")) or len(os.sched_getaffinity(0))


def _reply(task: low.CallTask, result: Any) -> None:
    try:
        payload = None if result is None else to_payload("the answer", result)
    except TypeError:
        raise InvalidArgument(
            f"it returned a {type(result).__name__}, expected bytes, None or a future of these"
        ) from None
    task.reply(payload)


def _answer_later(task: low.CallTask, future: Future[Any]) -> None:
    try:
        _reply(task, future.result())
    except BaseException as error:  # also that it was cancelled
        _fail(task, error)


def _fail(task: low.CallTask, error: BaseException) -> None:
    # As for a transform: an unknown exception is the fault of the caller that passed the function.
    status = error.status if isinstance(error, Error) else InvalidArgument.status
    try:
        task.fail(status, words_of(error))
    except Error:  # it was answered, or memory is short, which the caller gets as an error
        pass


_running: "weakref.WeakSet[Functions]" = weakref.WeakSet()


@atexit.register
def _finish() -> None:
    # While the interpreter ends its threads stop where they are. One that goes on for long is left
    # behind.
    for functions in list(_running):
        functions.end()


def _forget() -> None:
    """In a forked child, where the threads are not."""
    global _running
    _running = weakref.WeakSet()


os.register_at_fork(after_in_child=_forget)
