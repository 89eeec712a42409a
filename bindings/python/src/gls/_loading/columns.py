"""Which columns a loader gathers."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

from gls._core.check import choice, join_edge_type, text
from gls._core.tensor import DTYPE_NUMBERS
from gls._data.dataset import Dataset
from gls.errors import invalid
from gls.types import EdgeType

_ROWS = {"auto": 0, "all": 1, "seeds": 2}


class ColumnRequest(NamedTuple):
    """A column to gather."""

    name: str
    type: Optional[EdgeType] = None
    """Node or edge type; None: every type that has the column."""
    rows: str = "auto"
    """For which nodes: "all", "seeds", or "auto": labels for the seeds, all else for all."""
    dtype: Optional[str] = None
    """None: as stored. float16 and bfloat16 can be widened to "float32"."""


Columns = Sequence[Union[str, ColumnRequest]]
"""Columns to gather, by name or with more said."""


class LowRequest(NamedTuple):
    low: Tuple[Optional[str], str, int, int, int]
    of_edges: bool


def column_request(dataset: Dataset, column: Union[str, ColumnRequest]) -> LowRequest:
    request = ColumnRequest(column) if isinstance(column, str) else ColumnRequest(*column)
    name = text("columns", request.name)
    code, bits = 0, 0
    if request.dtype is not None:
        if request.dtype not in DTYPE_NUMBERS:
            raise invalid("columns", f"{request.dtype!r} is not a dtype")
        code, bits = DTYPE_NUMBERS[request.dtype]
    kind: Optional[str] = None
    if request.type is not None:
        kind = request.type if isinstance(request.type, str) else join_edge_type(request.type)
    rows = choice("columns", request.rows, _ROWS)
    edge_types: List[str] = list(dataset._schema.edge_types) if kind is None else [kind]
    of_edges = any(
        edge_type in dataset._schema.edge_types and name in dataset.edge_columns(edge_type)
        for edge_type in edge_types
    )
    return LowRequest((kind, name, rows, code, bits), of_edges)
