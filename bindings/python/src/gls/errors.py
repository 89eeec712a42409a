"""What a failed call raises.

Every error of the library is an :class:`Error`. Its subclasses tell a program how to react. Each
subclass is also the built-in exception that Python programs expect in its place.
"""

from __future__ import annotations

from typing import Dict, Mapping, Optional, Type

from gls._core.own_names import own_words
from gls._low import glslow as low

__all__ = [
    "AlreadyExists",
    "Canceled",
    "CorruptData",
    "Error",
    "FileExists",
    "FileNotFound",
    "InternalError",
    "InvalidArgument",
    "InvalidState",
    "IoError",
    "NotFound",
    "OutOfMemory",
    "TimedOut",
    "Unsupported",
]


class Error(Exception):
    """A call that failed.

    Attributes:
        status: The number gls.h gives to this kind of failure; negative.
        detail: What the error is about, for programs: a subset of "argument", "file", "type",
            "column", "setting", "offset", "field", "line".
    """

    status: int = -11
    detail: Mapping[str, str]

    def __init__(
        self,
        message: str = "",
        status: Optional[int] = None,
        detail: Optional[Mapping[str, str]] = None,
    ) -> None:
        # Not super(): some of the built-in bases give meaning to the number of arguments.
        Exception.__init__(self, message)
        if status is not None:
            self.status = status
        self.detail = dict(detail or {})

    @property
    def status_name(self) -> str:
        """The name in gls.h, for example "GLS_ERR_IO"."""
        return low.status_name(self.status)

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class InvalidArgument(Error, ValueError):
    """The call is wrong: mend the call."""

    status = -1


class OutOfMemory(Error, MemoryError):
    """Memory, or a stated bound on it, does not suffice."""

    status = -2


class NotFound(Error, LookupError):
    """A type, column, set or key does not exist."""

    status = -3


class FileNotFound(NotFound, FileNotFoundError):
    """A file or folder does not exist."""


class Unsupported(Error, NotImplementedError):
    """Valid, but not by this build, machine or dataset."""

    status = -4


class InvalidState(Error, RuntimeError):
    """The right call at the wrong moment: after close(), in a forked child, while in use."""

    status = -5


class TimedOut(Error, TimeoutError):
    """A deadline passed."""

    status = -6


class Canceled(Error, RuntimeError):
    """cancel() was called."""

    status = -7


class IoError(Error, OSError):
    """The operating system refused: file, disk, permission."""

    status = -8


class CorruptData(Error, RuntimeError):
    """A file or array is damaged or inconsistent."""

    status = -9


class AlreadyExists(Error):
    """The thing to be created is there already."""

    status = -10


class FileExists(AlreadyExists, FileExistsError):
    """A file or folder is there already."""


class InternalError(Error, RuntimeError):
    """A fault of the library: please report it."""

    status = -11


_CLASSES: Dict[int, Type[Error]] = {
    cls.status: cls
    for cls in (
        InvalidArgument,
        OutOfMemory,
        NotFound,
        Unsupported,
        InvalidState,
        TimedOut,
        Canceled,
        IoError,
        CorruptData,
        AlreadyExists,
        InternalError,
    )
}


def from_status(status: int, message: str, detail: Mapping[str, str]) -> Error:
    """The exception for a failed call of the library."""
    message, detail = own_words(message, detail)
    cls = _CLASSES.get(status, InternalError)
    if "file" in detail and cls in (NotFound, AlreadyExists):
        cls = FileNotFound if cls is NotFound else FileExists
    return cls(message, status, detail)


def invalid(argument: str, message: str) -> InvalidArgument:
    """The error of a check made here, before the library is called."""
    return InvalidArgument(f"{argument}: {message}", detail={"argument": argument})


low.set_error_factory(from_status)
