"""Runs the functions that change batches before they are handed out."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from typing import Callable, Dict, List, Mapping, Optional, Tuple, Union

from gls._batch.batch import Batch
from gls._core.inputs import to_low
from gls._low import glslow as low
from gls.errors import Error, InvalidArgument, invalid, words_of
from gls.types import ArrayLike

_MOST_FAILURES = 1024

Transform = Callable[[Batch], Union[None, Batch, Mapping[str, ArrayLike]]]
"""Called with each batch before it is handed out. It may write into the arrays, and returns None, or
arrays to attach by name, or the batch itself."""


class Transformer:
    """The library's threads put their batches into a queue and wait there, without the
    interpreter's lock; Python threads take them out. So no thread of the library ever enters the
    interpreter. The interpreter may have ended, or its lock may belong to a thread that waits for
    the library.
    """

    def __init__(self, function: Transform, wrap: Callable[[low.Batch], Batch]) -> None:
        if not callable(function):
            raise invalid("transform", f"a {type(function).__name__} cannot be called")
        self.queue = low.TransformQueue()
        self._function = function
        self._wrap = wrap
        self._lock = threading.Lock()
        self._threads: List[threading.Thread] = []
        # What was raised, by epoch and batch, until the library reports it.
        self._failures: Dict[Tuple[str, str], BaseException] = {}

    def start(self) -> None:
        _running.add(self)
        self._add_thread()

    def _add_thread(self) -> None:
        """Adds a thread if needed: one for each batch in progress, and one for the next batch."""
        if not self.queue.wants_thread():
            return
        with self._lock:
            thread = threading.Thread(target=self._serve, name="gls-transform", daemon=True)
            try:
                thread.start()
            except BaseException:
                self.queue.lost_thread()
                raise
            self._threads.append(thread)

    def _serve(self) -> None:
        # The thread refers to this and not to the loader: when that is gone, the queue is closed.
        while True:
            task = self.queue.next(-1)
            if task is None:
                return
            try:
                self._add_thread()
            except RuntimeError:  # there are none to be had, as when the interpreter ends
                pass
            self._run(task)
            del task

    def _run(self, task: low.TransformTask) -> None:
        handle = task.batch()
        number = str(handle.epoch()), str(handle.number())
        try:
            batch = self._wrap(handle)
            result = self._function(batch)
            if result is not None and result is not batch:
                if not isinstance(result, Mapping):
                    raise InvalidArgument(
                        f"transform: returned a {type(result).__name__}, expected None or arrays by "
                        "name",
                        detail={"argument": "transform"},
                    )
                for name, array in result.items():
                    task.attach(name, to_low(array, str(name)))
        except BaseException as error:  # whatever it is, it is for the caller of the loader
            if len(self._failures) < _MOST_FAILURES:  # those of dropped batches are never asked for
                self._failures[number] = error
            status = error.status if isinstance(error, Error) else InvalidArgument.status
            task.finish(status, words_of(error))
        else:
            task.finish(0, None)

    def take_failure(self, error: Error) -> Optional[BaseException]:
        """What the function raised, if that is what the library reports."""
        epoch, batch = error.detail.get("epoch"), error.detail.get("batch")
        return None if epoch is None or batch is None else self._failures.pop((epoch, batch), None)

    def forget_failures(self) -> None:
        """The batches made so far are dropped."""
        self._failures.clear()

    def close(self) -> None:
        """Waits for the calls that are running. Later batches fail."""
        self.queue.close()
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join()


_running: "weakref.WeakSet[Transformer]" = weakref.WeakSet()


@atexit.register
def _finish() -> None:
    # While the interpreter ends its threads stop where they are, and what waits for them would wait
    # for ever.
    for transformer in list(_running):
        transformer.close()


def _forget() -> None:
    """In a forked child, where the threads are not."""
    global _running
    _running = weakref.WeakSet()


os.register_at_fork(after_in_child=_forget)
