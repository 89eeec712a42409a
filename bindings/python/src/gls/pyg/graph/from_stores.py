"""PyG's pair of FeatureStore and GraphStore as a dataset: the edges in memory, the attributes in stores."""

from __future__ import annotations

import copy
import re
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch_geometric.data import Data, HeteroData

from gls._core.check import join_edge_type
from gls._core.context import Context
from gls._data.builder import DatasetBuilder
from gls._data.column_store import ColumnStore
from gls.errors import InvalidArgument, Unsupported, invalid
from gls.pyg.graph.attributes import DTYPES, Attribute, RowRule, TypeMap
from gls.pyg.graph.ids import widened
from gls.pyg.graph.source import Source
from gls.pyg.graph.structure import HOMOGENEOUS_EDGES
from gls.pyg.graph.words import NODE

_NAME = re.compile("[A-Za-z0-9]+(_[A-Za-z0-9]+)*")
_BITS = {torch.bfloat16: torch.int16}  # NumPy has no such numbers


def source_of_stores(
    given: Any,
    context: Optional[Context],
    layouts: Sequence[str],
    num_workers: int,
) -> Source:
    """The dataset of a pair, and what its batches are made of.

    Args:
        given: The pair.
        num_workers: Threads that call the FeatureStore at once; 0: one.
    """
    feature_store, graph_store = given
    edges = _best_layouts(graph_store)
    hetero = None not in edges
    if not hetero and len(edges) > 1:
        raise invalid("data", "the GraphStore has edges with a type, and edges without one")
    attrs = [
        attr
        for attr in feature_store.get_all_tensor_attrs()
        if isinstance(_group(attr), str) or (not hetero and not isinstance(_group(attr), tuple))
    ]
    types = [_group(attr) if hetero else NODE for attr in attrs]
    counts = _counts(feature_store, edges, list(zip(types, attrs)), hetero)
    builder = DatasetBuilder(context=context)
    for node_type, count in counts.items():
        builder.add_node_type(node_type, count)
    keys = {edge_type: edge_type or HOMOGENEOUS_EDGES for edge_type in edges}
    for edge_type, attr in edges.items():
        _add_edges(builder, keys[edge_type], attr, graph_store.get_edge_index(attr), layouts)
    base = builder.build(layouts=layouts)

    turns = threading.BoundedSemaphore(max(num_workers, 1))
    source = Source(base, HeteroData() if hetero else Data(), built=False)
    source.given = given
    rule = RowRule(None, None)  # of the template, nothing has rows
    maps = {name: TypeMap(name, name, {}, rule) for name in base.node_types}
    stores: List[ColumnStore] = []
    for node_type, attr in zip(types, attrs):
        name = attr.attr_name
        column = name if _NAME.fullmatch(name) else f"attribute {len(stores)}"
        maps[node_type].attributes[name] = Attribute(column)
        most = max(num_workers, 1)
        stores.append(
            _Rows(feature_store, attr, turns, node_type, column, base.num_nodes(node_type), most)
        )
    for node_type in set(types):  # which PyG's batches count there
        template = source.template[node_type] if hetero else source.template
        template.num_nodes = 0
    source.dataset = base.with_stores(*stores) if stores else base
    source.nodes = list(maps.values())
    source.edges = [TypeMap(join_edge_type(key), key, {}, rule) for key in base.edge_types]
    return source


def _group(attr: Any) -> Any:
    """The type that an attribute is of; classes of attributes may have none."""
    return getattr(attr, "group_name", None)


def _best_layouts(graph_store: Any) -> Dict[Any, Any]:
    """For each edge type what GLS reads: ids of edges are positions in it, as in PyG."""
    preferred = ("csc", "coo", "csr")
    found: Dict[Any, Any] = {}
    for attr in graph_store.get_all_edge_attrs():
        known = found.get(attr.edge_type)
        place = preferred.index(attr.layout.value)
        if known is None or place < preferred.index(known.layout.value):
            found[attr.edge_type] = attr
    if not found:
        raise invalid("data", "the GraphStore has no edges")
    return found


def _counts(
    feature_store: Any, edges: Dict[Any, Any], attrs: List[Tuple[str, Any]], hetero: bool
) -> Dict[str, int]:
    """Nodes of each type; 0: the edges have to tell."""
    counts = {node_type: 0 for node_type, _ in attrs}
    for node_type, attr in attrs:
        size = feature_store.get_tensor_size(copy.copy(attr))
        if size is not None:
            counts[node_type] = max(counts[node_type], int(size[0]))
    for edge_type, attr in edges.items():
        ends = (edge_type[0], edge_type[2]) if hetero else (NODE, NODE)
        for end, size in zip(ends, attr.size or (0, 0)):
            counts[end] = max(counts.get(end, 0), int(size or 0))
    return counts


def _add_edges(
    builder: DatasetBuilder, key: Any, attr: Any, edge_index: Any, layouts: Sequence[str]
) -> None:
    joined, layout = join_edge_type(key, "data"), attr.layout.value
    row, col = (_ids(part, f"the edges of {key}") for part in edge_index)
    if layout == "csc" and "csc" in layouts:
        builder.add_topology(joined, "csc", col, row)
        return
    if layout == "csr":
        row = torch.repeat_interleave(torch.arange(row.numel() - 1), row.diff())
    elif layout == "csc":
        col = torch.repeat_interleave(torch.arange(col.numel() - 1), col.diff())
    builder.add_edges(joined, row, col)


def _ids(value: Any, what: str) -> torch.Tensor:
    tensor = _tensor(value, what)
    return widened(tensor).contiguous()


def _tensor(value: Any, what: str) -> torch.Tensor:
    if value is None:
        raise invalid("data", f"the store has nothing for {what}")
    if hasattr(value, "__array_interface__"):
        value = torch.from_numpy(value)
    if not isinstance(value, torch.Tensor):
        raise invalid("data", f"{what}: a {type(value).__name__}, expected a tensor")
    return value.detach().cpu()


class _Rows(ColumnStore):
    """A tensor of a FeatureStore."""

    def __init__(
        self,
        feature_store: Any,
        attr: Any,
        turns: "threading.BoundedSemaphore",
        node_type: str,
        column: str,
        count: int,
        most: int,
    ) -> None:
        self.feature_store, self.attr, self.turns = feature_store, attr, turns
        self.what = f"the tensor {attr.attr_name!r} of a FeatureStore"
        # What it has is not known before it gives a row.
        first = self.get(torch.arange(min(count, 1)))
        if first.dtype not in DTYPES:
            raise Unsupported(f"data: {self.what} is {first.dtype}, which GLS does not have")
        self.kind, self.extents = first.dtype, list(first.shape[1:])
        super().__init__(
            node_type,
            column,
            dtype=str(first.dtype).split(".")[-1],
            shape=self.extents,
            max_fetches=most,
            deadline=None,  # the caller's store has its own
        )

    def get(self, index: torch.Tensor) -> torch.Tensor:
        """Some rows."""
        attr = copy.copy(self.attr)
        attr.index = index
        with self.turns:
            return _tensor(self.feature_store.get_tensor(attr), self.what)

    def fetch(self, ids: Any, rows: Any) -> None:
        found = self.get(torch.from_numpy(ids.copy()))
        expected = [len(ids), *self.extents]
        if found.dtype != self.kind or list(found.shape) != expected:
            raise InvalidArgument(
                f"data: {self.what} is {found.dtype} of shape {list(found.shape)}, expected "
                f"{self.kind} of shape {expected}"
            )
        bits = _BITS.get(self.kind)
        if bits is not None:
            found, rows = found.contiguous().view(bits), rows.view("int16")
        torch.from_numpy(rows).copy_(found)
