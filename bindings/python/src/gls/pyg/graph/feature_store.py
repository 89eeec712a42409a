"""PyG's FeatureStore on a dataset."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import torch
from torch_geometric.data import FeatureStore as PygFeatureStore
from torch_geometric.data import TensorAttr

from gls._data.dataset import Column, Dataset
from gls.errors import NotFound, Unsupported, invalid
from gls.pyg.graph.ids import as_ids
from gls.pyg.graph.remote import Remote, in_place, refuse_change

_ROLES = ("feature", "label", "time")


class FeatureStore(Remote, PygFeatureStore):  # type: ignore[misc]
    """The columns of a :class:`gls.Dataset` as PyG's ``FeatureStore``, to be given with a
    :class:`GraphStore`.

    PyG's own loaders take the pair as `data`: rows come from the folder, parts, servers or columns in
    stores of the dataset, and the graph is in memory. :class:`NeighborLoader` of :mod:`gls.pyg` takes it, too,
    and samples as of the dataset itself.

    The group of an attribute is the node type, or the edge type as (source, relation, target). It is
    None for a dataset of one node type and one edge type, as for ``Data``. Listed are columns with the
    roles "feature", "label" and "time". Those of edges are listed only where types have names, as PyG
    would take their rows by nodes. ``get_tensor()`` gives all columns.

    ``get_tensor()`` of a whole column shows the dataset's own array, if it has one. That tensor must
    not be written: the dataset would change, or the process end where the array is a mapped file.

    Args:
        dataset: One that was opened can be used in worker processes.
    """

    def __init__(self, dataset: Dataset) -> None:
        Remote.__init__(self, dataset)
        PygFeatureStore.__init__(self)

    def get_all_tensor_attrs(self) -> List[TensorAttr]:
        """The columns that batches have."""
        dataset = self.dataset
        found = [
            TensorAttr(name if self.typed else None, column)
            for name in dataset.node_types
            for column, info in dataset.node_columns(name).items()
            if info.role in _ROLES
        ]
        for edge_type in dataset.edge_types if self.typed else ():
            columns = dataset.edge_columns(edge_type).values()
            found += [TensorAttr(edge_type, info.name) for info in columns if info.role in _ROLES]
        return found

    def _column(self, attr: TensorAttr) -> Tuple[Optional[str], Column]:
        of = self.joined(attr.group_name)
        columns = self.dataset.columns(of)
        if attr.attr_name not in columns:
            known = ", ".join(columns) or "none"
            raise NotFound(f"there is no column {attr.attr_name!r}; there are: {known}")
        return of, columns[attr.attr_name]

    def _get_tensor(self, attr: TensorAttr) -> torch.Tensor:
        of, column = self._column(attr)
        index, count = attr.index, column.shape[0]
        if index is None or (isinstance(index, slice) and index == slice(None)):
            whole = self._whole(of, column)
            if whole is not None:
                return whole
            index = slice(None)
        if isinstance(index, slice):
            return self._rows(of, column, torch.arange(*index.indices(count)))
        ids = torch.as_tensor(index)
        if ids.dim() == 0:
            return self._rows(of, column, as_ids(ids.view(1)))[0]
        if ids.dtype == torch.bool:
            if list(ids.shape) != [count]:
                raise invalid("index", f"a mask of shape {list(ids.shape)}, expected [{count}]")
            ids = ids.nonzero().view(-1)
        return self._rows(of, column, as_ids(ids))

    def _rows(self, of: Optional[str], column: Column, ids: torch.Tensor) -> torch.Tensor:
        return self.dataset.rows(column.name, ids, of).torch()

    def _whole(self, of: Optional[str], column: Column) -> Optional[torch.Tensor]:
        """The column in place; None where it has to be gathered."""
        dataset = self.dataset
        if column.bits:
            return None
        of_nodes = of is None or of in dataset.node_types
        try:
            array = dataset.node_column if of_nodes else dataset.edge_column
            return in_place(array(column.name, of))
        except Unsupported:  # it is in parts, on servers or in a store
            return None

    def _get_tensor_size(self, attr: TensorAttr) -> Optional[Tuple[int, ...]]:
        try:
            return self._column(attr)[1].shape
        except NotFound:
            return None

    def _put_tensor(self, tensor: Any, attr: TensorAttr) -> bool:
        refuse_change("put_tensor")

    def _remove_tensor(self, attr: TensorAttr) -> bool:
        refuse_change("remove_tensor")

    def __repr__(self) -> str:
        return f"gls.pyg.FeatureStore({self.dataset!r})"
