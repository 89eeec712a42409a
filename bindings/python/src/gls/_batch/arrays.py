"""What the arrays of node types and of edge types share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NoReturn, Optional, Tuple

from gls._batch.array_numbers import EDGE_COLUMN, NODE_COLUMN
from gls._core.check import not_picklable
from gls._core.tensor import Tensor, in_torch
from gls._low import glslow as low
from gls.errors import NotFound

if TYPE_CHECKING:
    import torch

_WHY_MISSING = {
    "edge": "the sampler was made without with_edge_ids",
    "e_id": "the sampler was made without with_edge_ids",
    "batch": "the sampler was made without disjoint or times",
    "seed_time": "the sampler does not go by times",
    "link_source": "its seeds are not links of this type",
    "link_target": "its seeds are not links of this type",
    "link_negative": "its seeds are not links of this type with triplets drawn for them",
    "link_label": "its seeds are not links of this type with labels or negative pairs",
    "walk": "no walks of the sampler begin at this type",
    "walk_edge": "no walks begin at this type, or the sampler was made without with_edge_ids",
    "node_mask": "its loader does not pad batches",
    "edge_mask": "its loader does not pad batches",
    "seed_mask": "its loader does not pad batches, or its seeds are of another type",
    "link_mask": "its loader does not pad batches, or its seeds are not links of this type",
    "link_negative_mask": "its loader does not pad batches, or draws no triplets for this type",
    "walk_mask": "its loader does not pad batches, or no walks begin at this type",
    "near_mask": "its loader does not pad batches, or finds no neighbours of this type",
    "anchor_mask": "its loader does not pad batches, or its seeds are not anchors of this type",
    "near_seed": "the sampler finds no importance or PPR neighbours of this type",
    "near_node": "the sampler finds no importance or PPR neighbours of this type",
    "near_score": "the sampler finds no importance or PPR neighbours of this type",
    "input_id": "only batches of a loader have it, for the type of the seeds",
}


class Content:
    """The library's batch, and the list of its arrays once that was asked for.

    The arrays of a type refer to this and not to the Batch that refers to them: without a circle, a
    batch is gone at once when it is let go, and need not wait for the garbage collector.
    """

    __slots__ = ("low", "_listed", "_columns")

    def __init__(self, handle: low.Batch) -> None:
        self.low = handle
        self._listed: Optional[List[Tuple[int, str, Optional[str], int]]] = None
        self._columns: Optional[Dict[Tuple[int, str], List[str]]] = None

    def arrays(self) -> List[Tuple[int, str, Optional[str], int]]:
        """(array, type, column, rows) of each array."""
        if self._listed is None:
            self._listed = self.low.arrays()
        return self._listed

    def columns(self, array: int, type: str) -> List[str]:
        """Names of the columns of one type. All arrays are looked through once for all types."""
        columns = self._columns
        if columns is None:
            columns = {}
            for kind, owner, name, _ in self.arrays():
                if name is not None and kind in (NODE_COLUMN, EDGE_COLUMN):
                    columns.setdefault((kind, owner), []).append(name)
            self._columns = columns
        return columns.get((array, type), [])

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Batch", "take the arrays that are needed, as .numpy() or .torch()")


class Arrays:
    """The arrays of one node or edge type; each is exported when it is first asked for."""

    __slots__ = ("_content", "_type", "_cache")

    _column_array: int
    _kind: str

    def __init__(self, content: Content, type: str) -> None:
        self._content = content
        self._type = type
        self._cache: Dict[Tuple[int, Optional[str]], Tensor] = {}

    def _tensor(self, array: int, name: Optional[str] = None) -> Tensor:
        key = (array, name)
        tensor = self._cache.get(key)
        if tensor is None:
            tensor = Tensor(self._content.low.tensor(array, self._type, name))
            self._cache[key] = tensor
        return tensor

    def _in_torch(self, array: int, name: Optional[str] = None) -> torch.Tensor:
        """An array for PyTorch alone, which is asked for once."""
        return in_torch(self._content.low.tensor(array, self._type, name))

    def _counts(self, array: int) -> List[int]:
        return self._content.low.tensor(array, self._type, None).int_list()

    def _optional(self, array: int, name: str) -> Tensor:
        try:
            return self._tensor(array)
        except NotFound:
            raise AttributeError(f"the batch has no {name!r}: {_WHY_MISSING[name]}") from None

    @property
    def columns(self) -> List[str]:
        """Names of the columns that were gathered."""
        return list(self._content.columns(self._column_array, self._type))

    def __getitem__(self, name: str) -> Tensor:
        return self._tensor(self._column_array, name)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getattr__(self, name: str) -> Tensor:
        if name.startswith("__") or (name in _WHY_MISSING and hasattr(type(self), name)):
            return super().__getattribute__(name)  # type: ignore[no-any-return]
        try:
            return self[name]
        except NotFound:
            known = ", ".join(self.columns) or "none"
            raise AttributeError(
                f"{self._kind} type {self._type!r} of this batch has no column {name!r}; "
                f"gathered were: {known}"
            ) from None

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self.columns})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._type!r}, columns={self.columns})"
