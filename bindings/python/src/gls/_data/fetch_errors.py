"""What the library gets to know of an exception that a store's code raised."""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Iterator, Optional, Tuple

from gls.errors import Error, InvalidArgument, words_of

if TYPE_CHECKING:
    import logging


def logger() -> logging.Logger:
    """That of stores."""
    import logging

    return logging.getLogger("gls.store")


def status_of(error: BaseException) -> int:
    """As for a transform: an unknown exception is the fault of the caller that made the store."""
    status = InvalidArgument.status
    try:
        if isinstance(error, Error) and isinstance(error.status, int) and error.status < 0:
            status = error.status
    except BaseException:  # a subclass that computes it
        pass
    return status


def words_with_place(error: BaseException) -> str:
    """Its name and text. Those of an unknown exception end with the innermost place of its traceback."""
    words = words_of(error)
    try:
        place = None if isinstance(error, Error) else _place(error)
    except BaseException:  # attributes that raise
        place = None
    if place is None:
        return words
    return f"{words} at {place}".encode("utf-8", "replace").decode("utf-8")


def _place(error: BaseException) -> Optional[str]:
    place = None
    for frame, line in _frames(error):
        code = frame.f_code
        place = f"{code.co_filename}:{line} in {code.co_name}"
    return place


def _frames(error: BaseException) -> Iterator[Tuple[FrameType, int]]:
    """With lines, the innermost last, without those of the package's threads."""
    part = error.__traceback__
    while part is not None:
        if part.tb_frame.f_globals.get("__name__") not in _OWN:
            yield part.tb_frame, part.tb_lineno
        part = part.tb_next


_OWN = ("gls._data.fetch_threads", "gls._data.fetch_loop")


def clear_frames(error: BaseException) -> None:
    """Empties the finished functions of a traceback: their `rows` keep the question and its store,
    and what answers may keep the error. Places stay. Suspended coroutines would end, and are left.
    """
    import inspect

    suspendable = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    for frame, _ in list(_frames(error)):
        if not frame.f_code.co_flags & suspendable:
            try:
                frame.clear()
            except RuntimeError:  # it runs
                pass
