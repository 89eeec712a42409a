"""PyG's objects as datasets on their own, without a loader; see :func:`gls.from_pyg`."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Union

import torch
from torch_geometric.data import Data, HeteroData

from gls._core.context import Context
from gls._data.attributes import add_edge_attributes, add_node_attributes
from gls._data.builder import DatasetBuilder
from gls._data.dataset import Dataset
from gls.pyg.graph.attributes import DTYPES, tensor_of
from gls.pyg.graph.structure import Typed, add_structure, plain


def dataset_of(
    data: Any, layouts: Union[str, Sequence[str]], context: Optional[Context]
) -> Dataset:
    """A dataset of Data or HeteroData."""
    if not isinstance(data, (Data, HeteroData)):
        raise TypeError(f"data must be Data or HeteroData of PyG, not {type(data).__name__}")
    builder = DatasetBuilder(context=context)
    structure = add_structure(builder, data)
    for typed in structure.nodes:
        add_node_attributes(builder, typed.key, _rows(typed, "node"), "data")
    for typed in structure.edges:
        rows = _rows(typed, "edge")
        adjacency = structure.adjacency.get(typed.key)
        value = None if adjacency is None else adjacency.value
        if value is not None and not bool((value == 1).all()):
            rows.setdefault("edge_weight", value)
        add_edge_attributes(builder, typed.key, rows, "data")
    return builder.build(layouts=layouts)


def _rows(typed: Typed, what: str) -> Dict[str, torch.Tensor]:
    """The attributes with a row for each node or edge that can be columns."""
    out: Dict[str, torch.Tensor] = {}
    for name in list(typed.store.keys()):
        given = typed.store[name]
        if not isinstance(given, torch.Tensor) and not hasattr(given, "__array__"):
            continue
        if typed.rule.kind_of(typed.store, name) != what:
            continue
        value, dim = tensor_of(typed.store, name)
        value = plain(value, f"attribute {name!r}")
        if dim == 0 and value.layout == torch.strided and value.dtype in DTYPES:
            out[name] = value
    return out
