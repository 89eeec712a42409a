"""What a failed call raises.

Every error of the library is an :class:`Error`. Its subclasses tell a program how to react. Each
subclass is also the built-in exception that Python programs expect in its place.
"""

from __future__ import annotations

import re
from typing import Dict, Mapping, Optional, Tuple, Type

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


def words_of(error: BaseException) -> str:
    try:
        words = f"{type(error).__name__}: {error}"
    except BaseException:  # of its own code
        words = type(error).__name__
    # As the library takes it: UTF-8 without zeros.
    return words.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


# ---- names of gls.h in messages ----

_FLAGS = {
    "GLS_SAMPLE_EDGE_IDS": "with_edge_ids",
    "GLS_SAMPLE_DISJOINT": "disjoint",
    "GLS_SAMPLE_TOWARD_SEEDS": "toward_seeds",
    "GLS_SAMPLE_INT32": "int32",
    "GLS_SAMPLE_TIME_STRICT": "time_strict",
    "GLS_SAMPLE_EXCLUDE_LINKS": "exclude_links",
    "GLS_SAMPLE_LAYER_DEPENDENT": "layer_dependent",
    "GLS_NEGATIVE_IN_TIME": "in_time",
    "GLS_NEGATIVE_OLDEST": "oldest",
    "GLS_LOADER_SHUFFLE": "shuffle",
    "GLS_LOADER_DROP_LAST": "drop_last",
    "GLS_SUPERVISION_SAMPLED": "sampled",
    "GLS_STORE_EDGE_IDS": "edge_ids",
    "GLS_TABLE_MEAN": "mean",
    "GLS_TABLE_ROW_STEPS": "row_steps",
    "GLS_EDGES_ADD_REVERSE": "add_reverse",
    "GLS_LINK_SPLIT_UNDIRECTED": "undirected",
}
_WORDS = {
    **_FLAGS,
    "GLS_EXCLUDE_REVERSE_ID": '"reverse_id"',
    "GLS_EXCLUDE_REVERSE_TYPES": '"reverse_types"',
    "GLS_LAW_DEGREE": '"degree"',
    "GLS_LAW_INVERSE_DEGREE": '"inverse_degree"',
    "GLS_LAYOUT_CSC": '"csc"',
    "GLS_LAYOUT_CSR": '"csr"',
    "GLS_MADE_BY_SERVERS": '"servers"',
    "GLS_NEGATIVE_NONE": "None",
    "GLS_SEEDS_DRAW": "DrawnSeeds",
    "GLS_SEEDS_CLUSTER": "ClusteredSeeds",
    "GLS_SUBGRAPH_BIDIRECTIONAL": '"bidirectional"',
    "GLS_BATCH_NODE_COLUMN": "node column",
    "GLS_BATCH_EDGE_COLUMN": "edge column",
    "GLS_BATCH_NUM_NODES": "num_sampled_nodes",
    "GLS_BATCH_NUM_EDGES": "num_sampled_edges",
    "GLS_BATCH_INPUT": "input_id",
}
# Other arrays of a batch are properties of the same name.
_ARRAY = re.compile(r"GLS_BATCH_[A-Z_]+")
_CONSTANT = re.compile(r"\bGLS_[A-Z0-9_]+\b")


def _constant(match: "re.Match[str]") -> str:
    name = match[0]
    if name in _WORDS:
        return _WORDS[name]
    return name[len("GLS_BATCH_") :].lower() if _ARRAY.fullmatch(name) else name


def own_words(message: str, detail: Mapping[str, str]) -> Tuple[str, Dict[str, str]]:
    """A message and its details with names of gls.h in this package's words."""
    flags = [_FLAGS[name] for name in _CONSTANT.findall(message) if name in _FLAGS]
    out = dict(detail)
    if flags and out.get("argument") == "flags":
        out["argument"] = flags[0]
    return _CONSTANT.sub(_constant, message), out


low.set_error_factory(from_status)
