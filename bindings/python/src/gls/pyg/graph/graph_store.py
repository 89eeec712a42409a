"""PyG's GraphStore on a dataset."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import torch
from torch_geometric.data import EdgeAttr
from torch_geometric.data import GraphStore as PygGraphStore

from gls._core.check import join_edge_type
from gls._data.dataset import Dataset, Topology
from gls.errors import Unsupported
from gls.pyg.graph.remote import Remote, in_place, refuse_change

_MOST_EDGES = 1 << 22  # of one question to servers
Edges = Tuple[torch.Tensor, torch.Tensor]


class GraphStore(Remote, PygGraphStore):  # type: ignore[misc]
    """The edges of a :class:`gls.Dataset` as PyG's ``GraphStore``; see :class:`FeatureStore`.

    Each edge type has one layout. Edge ids of PyG, which are positions in it, are those of the
    dataset. So a topology is shown in place where its edge ids are positions and its indices are
    int64. Others are copied, and those with edge ids of their own become "coo".

    Args:
        dataset: One that was opened can be used in worker processes. Its columns may be in stores, but
            not its neighbours.

    Raises:
        Unsupported: An edge type is in a store.
    """

    def __init__(self, dataset: Dataset) -> None:
        Remote.__init__(self, dataset)
        PygGraphStore.__init__(self)
        self._layouts: Dict[str, str] = {}
        if dataset._has_stores:
            for key in dataset.edge_types:
                self._refuse_stored(join_edge_type(key))

    def _refuse_stored(self, joined: str) -> None:
        layouts = self.dataset.layouts(joined)
        if any(self._topology(layout, joined) is not None for layout in layouts):
            return
        try:
            self.dataset.find_edges(torch.empty(0, dtype=torch.long), joined)
        except Unsupported:  # neither arrays, parts nor servers
            raise Unsupported(
                f"dataset: the neighbours of {joined!r} are in a store, which does not list all edges; "
                "gls.pyg.NeighborLoader samples such a dataset"
            ) from None

    def get_all_edge_attrs(self) -> List[EdgeAttr]:
        """The edge types, each in one layout."""
        dataset = self.dataset
        return [
            EdgeAttr(
                key if self.typed else None,
                self._layout(join_edge_type(key)),
                size=(dataset.num_nodes(key[0]), dataset.num_nodes(key[2])),
            )
            for key in dataset.edge_types
        ]

    def _layout(self, joined: str) -> str:
        if joined not in self._layouts:
            found = [
                layout
                for layout in self.dataset.layouts(joined)
                if getattr(self._topology(layout, joined), "edge_ids", 0) is None
            ]
            self._layouts[joined] = found[0] if found else "coo"
        return self._layouts[joined]

    def _topology(self, layout: str, joined: str) -> Optional[Topology]:
        """None: it is in parts, on servers or in a store."""
        try:
            return self.dataset.topology(layout, joined)
        except Unsupported:
            return None

    def _get_edge_index(self, edge_attr: EdgeAttr) -> Optional[Edges]:
        dataset, layout = self.dataset, edge_attr.layout.value
        key = edge_attr.edge_type
        if key is None and self.typed:
            return None
        joined = join_edge_type(dataset.edge_types[0] if key is None else tuple(key), "edge_type")
        if joined not in dataset._schema.edge_types:
            return None
        if layout == "coo":
            return self._pairs(joined)
        if layout != self._layout(joined):
            return None
        found = self._topology(layout, joined)
        assert found is not None
        starts, others = in_place(found.indptr), in_place(found.indices).long()
        return (others, starts) if layout == "csc" else (starts, others)

    def _pairs(self, joined: str) -> Edges:
        """Sources and targets, by edge id."""
        for layout in self.dataset.layouts(joined):
            found = self._topology(layout, joined)
            if found is None:
                continue
            starts, others = in_place(found.indptr), in_place(found.indices).long()
            nodes = torch.repeat_interleave(torch.arange(starts.numel() - 1), starts.diff())
            if found.edge_ids is not None:
                place = torch.argsort(in_place(found.edge_ids))
                nodes, others = nodes[place], others[place]
            return (others, nodes) if layout == "csc" else (nodes, others)
        ends: List[Any] = []
        count = self.dataset.num_edges(joined)
        for first in range(0, max(count, 1), _MOST_EDGES):
            ids = torch.arange(first, min(first + _MOST_EDGES, count))
            ends.append([end.torch() for end in self.dataset.find_edges(ids, joined)])
        source, target = (torch.cat(parts) for parts in zip(*ends))
        return source, target

    def _put_edge_index(self, edge_index: Any, edge_attr: EdgeAttr) -> bool:
        refuse_change("put_edge_index")

    def _remove_edge_index(self, edge_attr: EdgeAttr) -> bool:
        refuse_change("remove_edge_index")

    def __repr__(self) -> str:
        return f"gls.pyg.GraphStore({self.dataset!r})"
