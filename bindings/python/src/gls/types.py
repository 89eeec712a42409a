"""The types of arguments, for annotations of your own::

    from gls.types import InputNodes, NumNeighbors

Types that hold an option of GLS stand beside it, in :mod:`gls` itself: :data:`gls.Columns`,
:data:`gls.Negatives`, :data:`gls.SeedRule`, :data:`gls.Supervisions` and :data:`gls.Transform`.
"""

from __future__ import annotations

import os
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    Union,
)

if TYPE_CHECKING:
    import logging

    import torch
    from typing_extensions import Buffer

__all__ = [
    "AnchorLabels",
    "ArrayLike",
    "ArrowData",
    "BytesLike",
    "Device",
    "EdgeLabelIndex",
    "EdgeType",
    "Exclude",
    "Field",
    "InputNodes",
    "Links",
    "LogSink",
    "NumNeighbors",
    "NumSamples",
    "OfTypes",
    "Owners",
    "Path",
    "Progress",
    "Seeds",
    "SupportsArrowStream",
    "SupportsDLPack",
    "TextColumn",
    "TypePairs",
]

# ---- arrays, types of a graph, devices ----


class SupportsDLPack(Protocol):
    """Anything that exports itself through DLPack: torch.Tensor, jax.Array, cupy.ndarray, ..."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any:
        ...


ArrayLike = Union[SupportsDLPack, "Buffer", Sequence[Any]]
"""A NumPy array, a PyTorch tensor, any DLPack exporter, any buffer, or a sequence of numbers.

All but sequences are used in place and kept alive while they are in use: do not change them
meanwhile. A copy is made of sequences, and of arrays whose memory the library cannot read as it is:
vectors must be contiguous, and each row of a column must be; PyTorch tensors must not have the
negative bit.
"""


class SupportsArrowStream(Protocol):
    """Anything that exports itself through Arrow's PyCapsule interface as a stream."""

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        ...


ArrowData = SupportsArrowStream
"""Tables as record batches of Arrow: pyarrow.Table, pyarrow.RecordBatchReader, polars.DataFrame,
duckdb's relations, pandas.DataFrame, :meth:`gls.Dataset.nodes_to_arrow`, ... Nothing is copied before
it is read."""
EdgeType = Union[str, Tuple[str, str, str]]
"""An edge type: "author__writes__paper" or ("author", "writes", "paper")."""
EdgeTuple = Tuple[str, str, str]
Device = Union[None, str, "torch.device"]
"""Where datasets, samplers and loaders work. "cpu": in memory of the host. "cuda:1", or a
``torch.device``: on that GPU. "cuda", or a ``torch.device`` without an index, is the first of these
that exists: (1) PyTorch's current GPU, if PyTorch has initialised CUDA in this process, as
``torch.cuda.set_device()`` does. (2) The GPU numbered by the environment variable LOCAL_RANK, which
torchrun sets for each process of a machine. (3) The first GPU. None: where the dataset works, which
is the host unless it was opened with a device or :meth:`gls.Dataset.to` set one."""

# ---- datasets ----

Path = Union[str, "os.PathLike[str]"]
"""A file or folder."""
Progress = Callable[[str, int, int, str], object]
"""Called with (stage, done, total, unit); total is 0 while unknown. What it raises ends the call."""
Field = Union[str, int]
"""A field of a delimited file: its name in the header line, or its number from 0."""
TextColumn = Union[str, Tuple[str, str], Tuple[str, str, str]]
"""dtype, (dtype, role) or (dtype, role, name) of the column that a field becomes."""
Owners = Union[str, "os.PathLike[str]", ArrayLike, Mapping[str, ArrayLike]]
"""The part that owns each node, integers [nodes]: an array for the only node type, or one for each node
type by name. Or a file: .npy, or text with a number per line (as METIS writes it), of all nodes of all
types one after another."""

# ---- samplers ----

NumNeighbors = Union[Sequence[int], Mapping[Any, Sequence[int]]]
"""Fanouts per hop: for all edge types, or by edge type; the key None covers those not named. -1 takes
all neighbours."""
NumSamples = Union[Sequence[int], Mapping[Any, Sequence[int]]]
"""Nodes to draw per hop: of every node type, or by node type; the key None covers all other types.
-1 draws all available nodes."""
Seeds = Union[
    ArrayLike, Tuple[str, ArrayLike], Mapping[str, ArrayLike], Sequence[Tuple[str, ArrayLike]]
]
"""Node ids; (type, ids); or ids by type, as mapping or as pairs."""
Links = Union[ArrayLike, Tuple[EdgeType, ArrayLike]]
"""Edge ids [n], or sources and targets [2, n]; or (edge type, one of these)."""
Exclude = Union[ArrayLike, Mapping[EdgeType, ArrayLike], Sequence[Tuple[EdgeType, ArrayLike]]]
"""Edges: ids [n], or sources and targets [2, n]; by edge type where there are several, as mapping or
as pairs."""
TypePairs = Union[Mapping[EdgeType, EdgeType], Sequence[Tuple[EdgeType, EdgeType]]]
"""Pairs of edge types that are each other's reverse, as mapping or as pairs."""
AnchorLabels = Mapping[str, ArrayLike]
"""Labels that are given, by the name of their supervision: node ids [anchors, m], -1 where there is
none."""

# ---- loaders ----

OneOfNodes = Union[None, str, ArrayLike]
InputNodes = Union[OneOfNodes, Tuple[str, OneOfNodes], Mapping[str, OneOfNodes]]
"""Seeds: None for all nodes; node ids; a mask; the name of an id set; or (type, one of these). Where
there are several node types, a name alone is a type. Seeds of several types are a mapping, from the
type to one of these."""
EdgeLabelIndex = Union[
    None, EdgeType, Links, Tuple[EdgeType, None], Mapping[EdgeType, Optional[ArrayLike]]
]
"""Links: None for all edges; edge ids; sources and targets; or (edge type, one of these). Links of several
types are a mapping, from the edge type to one of these."""
OfTypes = Union[None, ArrayLike, Mapping[EdgeType, Optional[ArrayLike]]]
"""What belongs to each seed; where they are of several types, a mapping from the type."""

# ---- processes ----

BytesLike = Union[bytes, bytearray, memoryview, Any]
"""Bytes, or anything else with the buffer protocol, as an array of NumPy: its memory."""
LogFunction = Callable[[int, str, str], object]
LogSink = Union["logging.Logger", LogFunction]
"""A logger; or a function of (level, component, text), the level a number of the logging module."""
