"""Attributes of PyG's objects, cut to the nodes and edges of a batch."""

from __future__ import annotations

import copy
from typing import Any, Dict, FrozenSet, NamedTuple, Optional, Tuple

import torch
from torch_geometric.typing import TensorFrame

from gls.errors import Unsupported
from gls.pyg.graph.ids import SIGNED

DTYPES = {
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
}
_NUMPY_DTYPES = (DTYPES - {torch.bfloat16}) | {torch.complex64, torch.complex128}


class Attribute(NamedTuple):
    """An attribute that had a row for each node or edge of a type when the loader was made."""

    column: Optional[str]  # gathered by GLS under this name; None: by PyTorch
    given: Any = None  # what the caller's object held; None: a column of a gls.Dataset
    value: Optional[torch.Tensor] = None  # the same as a tensor
    dim: int = 0  # the dimension of it that counts nodes or edges


class TypeMap(NamedTuple):
    """A node or edge type: as GLS calls it, as PyG does, and its attributes by their names."""

    name: str
    key: Any
    attributes: Dict[str, Attribute]
    rule: Optional["RowRule"] = None  # None: of a gls.Dataset


class RowRule:
    """Which attributes of a store have a row for each node or edge: PyG's rule, by the graph's counts.

    PyG derives the number of nodes from the existing attributes, so deleting one may change it. The
    number of the graph does not change.

    Args:
        num_nodes: Of the graph; None for a store of edges alone, and where PyG has to find it.
        num_edges: Of the graph; None for a store of nodes alone, and where PyG has to find it.
        of_edges: Attributes that the caller named as attributes of edges. It decides where a graph has
            as many nodes as edges, so that lengths do not tell.
    """

    def __init__(
        self,
        num_nodes: Optional[int],
        num_edges: Optional[int],
        of_edges: FrozenSet[str] = frozenset(),
    ) -> None:
        self._of_edges = of_edges
        self.set_counts(num_nodes, num_edges)

    def set_counts(self, num_nodes: Optional[int], num_edges: Optional[int]) -> None:
        counts = {"num_nodes": num_nodes, "num_edges": num_edges}
        self._counts = {name: count for name, count in counts.items() if count is not None}
        self._known: Dict[str, Tuple[Any, Optional[str]]] = {}  # by name: a value and its kind

    def kind_of(self, store: Any, name: str) -> Optional[str]:
        """What an attribute has rows for: "node", "edge", or None where it is passed on as it is."""
        value = store[name]
        known = self._known.get(name)
        if known is None or known[0] is not value:
            known = self._known[name] = value, self._find(store, name)
        return known[1]

    def forget_missing(self, store: Any) -> None:
        """Lets go of the values of attributes that were deleted."""
        for name in [name for name in self._known if name not in store]:
            del self._known[name]

    @property
    def tied(self) -> bool:
        """Whether the graph has as many nodes as edges."""
        return len(set(self._counts.values())) < len(self._counts)

    def _find(self, store: Any, name: str) -> Optional[str]:
        if name in ("edge_index", "adj_t", "num_nodes", "num_edges"):
            return None
        probe = copy.copy(store)  # without what PyG remembers of its attributes
        for count, number in self._counts.items():
            probe[count] = number
        if probe.is_edge_attr(name):
            return "edge"
        if probe.is_node_attr(name):
            return "edge" if self.tied and name in self._of_edges else "node"
        return None


def tensor_of(store: Any, name: str) -> Tuple[torch.Tensor, int]:
    """An attribute as tensor, and the dimension that counts nodes or edges."""
    value = store[name]
    if isinstance(value, TensorFrame):
        return value, 0  # PyTorch Frame takes its rows
    dim = store._parent().__cat_dim__(name, value, store)
    if not isinstance(value, torch.Tensor):
        if not hasattr(value, "__array__"):
            raise Unsupported(
                f"data: attribute {name!r} is a {type(value).__name__} with an entry for each node or "
                "edge; make it a tensor"
            )
        value = torch.from_numpy(value)
    value = value.detach()
    # Not in place where PyTorch keeps a negation as a mark: GLS would see the values without it.
    return value.resolve_neg() if value.is_neg() else value, dim % value.dim()


def gathers(value: torch.Tensor, dim: int) -> bool:
    """Whether GLS can gather it from where it lies; PyTorch does the rest, so nothing is copied."""
    if (
        isinstance(value, TensorFrame)
        or value.layout != torch.strided
        or value.dtype not in DTYPES
        or dim != 0
    ):
        return False
    if value.dim() > 1 and value.shape[0] > 0 and not value[0].is_contiguous():
        return False
    return bool(value.shape[0] <= 1 or value.stride(0) >= value[0].numel())


def rows_of(value: torch.Tensor, dim: int, ids: torch.Tensor, padded: bool) -> torch.Tensor:
    """Rows by their ids; where these are -1, of padding, zeros."""
    if isinstance(value, TensorFrame):
        if padded:
            raise Unsupported("pad: a TensorFrame has no rows of zeros to be padded with")
        return value[ids.to(value.device)]
    if value.dtype in SIGNED:
        return rows_of(value.view(SIGNED[value.dtype]), dim, ids, padded).view(value.dtype)
    if value.device != ids.device:  # what GLS does not gather stays where it is
        ids = ids.to(value.device)
    if not padded:
        return _selected(value, dim, ids)
    if value.shape[dim] == 0:  # there is no row to take in place of one
        shape = list(value.shape)
        shape[dim] = ids.numel()
        return value.new_zeros(shape)
    rows = _selected(value, dim, ids.clamp(min=0))
    # By a mask, not by numbers of rows: how many there are, the program would wait for the GPU to know.
    shape = [1] * rows.dim()
    shape[dim] = ids.numel()
    return rows.masked_fill_((ids < 0).view(shape), 0)


def _selected(value: torch.Tensor, dim: int, ids: torch.Tensor) -> torch.Tensor:
    """``value.index_select(dim, ids)``, on this thread alone where NumPy can: the threads that PyTorch
    would start take the cores of those that make the next batches."""
    as_it_is = value.layout == torch.strided and not value.is_conj() and not value.is_neg()
    if value.device.type != "cpu" or not as_it_is or value.dtype not in _NUMPY_DTYPES:
        return value.index_select(dim, ids)
    return torch.from_numpy(value.detach().numpy().take(ids.numpy(), axis=dim))
