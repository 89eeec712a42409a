"""Context: worker threads, recycled memory, settings and the log."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from types import TracebackType
from typing import List, NamedTuple, NoReturn, Optional, Type

from gls._core.check import (
    check_process,
    choice,
    closed,
    fork_generation,
    not_picklable,
    text,
    whole_number,
)
from gls._low import glslow as low
from gls.types import LogSink


_LOG_LEVELS = {"error": 1, "warn": 2, "info": 3, "debug": 4, "trace": 5}
_TO_LOGGING = {1: 40, 2: 30, 3: 20, 4: 10, 5: 5}  # numbers of the logging module
_LOG_CAPACITY = 65536


class Context:
    """What everything made from it shares: worker threads, recycled memory, settings, log.

    Most programs need none: objects made without a context share a default one, which
    :func:`configure` describes.

    Args:
        num_threads: Worker threads; 0: one for each core this process may use.
        log: Where log lines go: None to standard error; a :class:`logging.Logger`; or a function
            called with (level, component, text), level being a number of the logging module.
            Lines are delivered by a thread of their own, a moment after they were written.
        log_level: Most verbose kind of line: "error", "warn", "info", "debug" or "trace"; None: the
            setting "log.level".
    """

    def __init__(
        self,
        num_threads: int = 0,
        *,
        log: Optional[LogSink] = None,
        log_level: Optional[str] = None,
    ) -> None:
        threads = whole_number("num_threads", num_threads, 0, 32)
        level = 0 if log_level is None else choice("log_level", log_level, _LOG_LEVELS)
        queue = None if log is None else low.LogQueue(_LOG_CAPACITY)
        self._generation = fork_generation()
        self._handle: Optional[low.Context] = low.Context(threads, level, queue)
        if queue is not None and log is not None:
            _deliver(queue, log)

    @property
    def _low(self) -> low.Context:
        check_process(self._generation)
        handle = self._handle
        if handle is None:
            raise closed("context")
        return handle

    def set(self, key: str, value: object) -> None:
        """Changes a setting for objects made from now on; see :func:`settings`."""
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        self._low.set(text("key", key), shown)

    def get(self, key: str) -> str:
        """The value of a setting that is in force."""
        return self._low.get(text("key", key))

    def close(self) -> None:
        """Lets go of the context. It ends when the last object made from it does."""
        self._handle = None

    def __enter__(self) -> "Context":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Context", "make one in each process")


_default_lock = threading.Lock()
_default: Optional[Context] = None


def default_context() -> Context:
    """The context of objects made without one."""
    global _default, _default_lock
    current = _default
    if current is not None and current._generation == fork_generation():
        return current
    if current is not None:  # a forked child: the lock may be held by a thread that is not here
        _default_lock = threading.Lock()
    with _default_lock:
        if _default is None or _default._generation != fork_generation():
            _default = Context()
        return _default


def configure(
    *,
    num_threads: int = 0,
    log: Optional[LogSink] = None,
    log_level: Optional[str] = None,
) -> Context:
    """Makes a new default context, for objects made from now on, and returns it.

    The arguments are those of :class:`Context`. Objects made before keep theirs.
    """
    global _default
    context = Context(num_threads, log=log, log_level=log_level)
    _default = context
    return context


class Setting(NamedTuple):
    """A tunable of the library."""

    key: str
    type: str
    default: str
    env: str
    """Environment variable that is read when a context is made."""
    help: str


def settings() -> List[Setting]:
    """All settings that :meth:`Context.set` knows, in alphabetical order."""
    infos = (low.SettingInfo(index) for index in range(low.SettingInfo.count()))
    return [Setting(i.key(), i.type(), i.default_value(), i.env(), i.help()) for i in infos]


# ---- the log: the library appends to a queue, a thread empties it --------------------------------

_queues: "weakref.WeakSet[low.LogQueue]" = weakref.WeakSet()
_threads: "weakref.WeakSet[threading.Thread]" = weakref.WeakSet()


def _deliver(queue: low.LogQueue, sink: LogSink) -> None:
    thread = threading.Thread(target=_run, args=(queue, sink), name="gls-log", daemon=True)
    _queues.add(queue)
    _threads.add(thread)
    thread.start()


def _run(queue: low.LogQueue, sink: LogSink) -> None:
    dropped = 0
    while True:
        line = queue.next(-1)
        if line is None:
            if queue.closed():
                return
            continue
        _emit(sink, line.level(), line.component(), line.text())
        if queue.dropped() > dropped:
            now = queue.dropped()
            _emit(sink, 2, "log", f"{now - dropped} lines dropped, the sink is too slow")
            dropped = now


def _emit(sink: LogSink, level: int, component: str, line: str) -> None:
    import logging

    number = _TO_LOGGING.get(level, logging.INFO)
    try:
        if isinstance(sink, logging.Logger):
            sink.log(number, "%s: %s", component, line)
        else:
            sink(number, component, line)
    except Exception:  # the sink's fault, reported where Python reports those of handlers
        logging.getLogger(__name__).exception("the log function raised")


@atexit.register
def _finish_logs() -> None:
    for queue in list(_queues):
        queue.close()
    for thread in list(_threads):
        thread.join(1.0)


def _forget_logs() -> None:
    """In a forked child, where the threads are not and the queues may be locked."""
    global _queues, _threads
    _queues, _threads = weakref.WeakSet(), weakref.WeakSet()


os.register_at_fork(after_in_child=_forget_logs)
