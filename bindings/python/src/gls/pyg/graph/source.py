"""How batches become PyG's objects."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

import torch
from torch_geometric.data import Data, HeteroData

from gls._batch.array_numbers import EDGE, EDGE_INDEX, EDGE_MASK, NODE, NODE_MASK, TREE
from gls._batch.batch import Batch
from gls._data.dataset import Dataset
from gls._loading.columns import ColumnRequest
from gls.errors import Unsupported, invalid
from gls.pyg.graph.adj import Adjacency, set_adjacency
from gls.pyg.graph.attributes import Attribute, RowRule, TypeMap, rows_of, tensor_of
from gls.pyg.graph.warn import warn
from gls.pyg.graph.words import Words


class Source:
    """A dataset, and how its batches become PyG's objects."""

    def __init__(self, dataset: Dataset, template: Any, built: bool) -> None:
        self.dataset = dataset
        self.template = (
            template  # what the caller gave; an empty object where that is a gls.Dataset
        )
        self.built = built
        self.given: Any = dataset  # where it is no object of PyG
        self.hetero = isinstance(template, HeteroData)
        self.nodes: List[TypeMap] = []
        self.edges: List[TypeMap] = []
        self.adjacency: Dict[Any, Adjacency] = {}  # of edges that are given so, by key
        self.edge_index: Optional[
            torch.Tensor
        ] = None  # where that of `template` is not the graph's
        self.gathered: Set[Tuple[Any, str]] = set()  # types and columns that batches of GLS have
        self.without_ids: Set[Any] = set()  # edge types of whose edges batches have no ids
        self.device: Optional[torch.device] = None  # None: memory of the host
        self._kinds: Dict[Optional[str], TypeMap] = {}  # by the names of types of the library
        self._graph: Dict[Any, torch.Tensor] = {}  # the edge_index that each edge type was made of
        self._seen: Dict[Any, Any] = {}  # that of the caller's object when it was last compared
        self._warned: Set[Any] = set()  # types that the graph does not have
        self._moved: Dict[Tuple[Any, str], Tuple[Any, Any]] = {}  # tensors, and they on `device`

    @property
    def requests(self) -> List[ColumnRequest]:
        return [
            ColumnRequest(attribute.column, kind.name, "all")
            for kind in self.nodes + self.edges
            for attribute in kind.attributes.values()
            if attribute.column is not None
        ]

    @property
    def requests_now(self) -> List[ColumnRequest]:
        """The requests whose columns are still attributes of the caller's object."""
        if not self.built:
            return self.requests
        current, wanted = self.current(), []
        owned = self._owned(current)
        for kind in self.nodes + self.edges:
            own = owned.get(kind.key, {}) if self.hetero else current._store
            for name, known in kind.attributes.items():
                if known.column is not None and own.get(name) is known.given:
                    wanted.append(ColumnRequest(known.column, kind.name, "all"))
        return wanted

    @property
    def what(self) -> str:
        """What the loader was given, where that is not one of PyG's graphs, for errors."""
        pair = isinstance(self.given, (tuple, list))
        return "a FeatureStore and GraphStore" if pair else "a gls.Dataset"

    @property
    def data(self) -> Any:
        """What the loader was given."""
        return self.template if self.built else self.given

    @data.setter
    def data(self, data: Any) -> None:
        if not self.built:
            raise Unsupported(f"data: a loader of {self.what} keeps it; make a loader of the other")
        if isinstance(data, HeteroData) != self.hetero or not isinstance(data, (Data, HeteroData)):
            expected = "HeteroData" if self.hetero else "Data"
            raise invalid("data", f"it is a {type(data).__name__}, expected {expected}")
        self.template = data

    def current(self) -> Any:
        """The caller's object as it is now, with the graph's edges."""
        if self.edge_index is None:
            return self.template
        data = copy.copy(self.template)
        data.edge_index = self.edge_index
        return data

    def words(
        self, arguments: Mapping[str, str], weight: Optional[str] = None, time: Optional[str] = None
    ) -> Words:
        """The names that errors of the library use."""
        columns = {
            known.column: name
            for kind in self.nodes + self.edges
            for name, known in kind.attributes.items()
            if known.column is not None and known.column != name
        }
        return Words(
            arguments,
            hetero=self.hetero or not self.built,
            edge_types={kind.name: kind.key for kind in self.edges} if self.built else {},
            columns=columns,
            weight=weight,
            time=time,
        )

    def edge_column(self, name: Optional[str], argument: str) -> Optional[str]:
        """What GLS calls the column of an attribute of edges."""
        return self._column(self.edges, name, argument, "edge")

    def node_column(self, name: Optional[str], argument: str) -> Optional[str]:
        """What GLS calls the column of an attribute of nodes."""
        return self._column(self.nodes, name, argument, "node")

    def _column(
        self, kinds: List[TypeMap], name: Optional[str], argument: str, what: str
    ) -> Optional[str]:
        if name is None or not self.built:
            return name
        columns = {k.attributes[name].column for k in kinds if name in k.attributes}
        if not columns or None in columns:
            held = self._described(name)
            raise invalid(
                argument, f"{name!r} is not an attribute with a number for each {what}, but {held}"
            )
        if len(columns) > 1:
            raise invalid(argument, f"{name!r} differs between {what} types")
        return columns.pop()

    def _described(self, name: str) -> str:
        """What the caller's object holds under a name, for errors."""
        kinds = [(kind, what) for what in ("node", "edge") for kind in getattr(self, f"{what}s")]
        for kind, what in kinds:
            if name in kind.attributes:
                value = kind.attributes[name].value
                assert value is not None
                of = f"{what}s of type {kind.key!r}" if self.hetero else f"{what}s"
                return f"one of {of}, {value.dtype} of shape {list(value.shape)}"
        if any(name in store for store in self.template.stores):
            return "one of neither nodes nor edges"
        return "none of the data at all"

    def times(self, name: str) -> Dict[str, str]:
        """The sampler's argument for times in the attribute `name`, and the column they are in."""
        found: Dict[str, str] = {}
        if not self.built:
            dataset = self.dataset
            if any(name in dataset.node_columns(t) for t in dataset.node_types):
                found["node_time"] = name
            if any(name in dataset.edge_columns(t) for t in dataset.edge_types):
                found["edge_time"] = name
        for argument, kinds in (("node_time", self.nodes), ("edge_time", self.edges)):
            for column in {k.attributes[name].column for k in kinds if name in k.attributes}:
                if self.built:
                    if column is None:
                        raise invalid("time_attr", f"{name!r} is not one integer per row")
                    found[argument] = column
        if len(found) != 1:
            where = "of both nodes and edges" if found else "neither of nodes nor of edges"
            raise invalid("time_attr", f"{name!r} is an attribute {where}")
        rule = self.nodes[0].rule
        told = self.hetero or rule is None or not rule.tied or "node" in name or "edge" in name
        if not told and "node_time" in found:
            warn(
                f"time_attr: {name!r} has as many entries as there are nodes and as there are edges. "
                "It is read as an attribute of nodes, as PyG reads it; call it "
                f"'node_{name}' or 'edge_{name}' to say which it is"
            )
        return found

    def edge_index_of(self, key: Any) -> Optional[torch.Tensor]:
        """The edges that an edge type was made of; None for a gls.Dataset."""
        return self._graph.get(key)

    def values(self, node_type: str, name: str) -> Optional[torch.Tensor]:
        """An attribute of all nodes of a type, as it was when the loader was made."""
        for kind in self.nodes:
            if kind.name == node_type and name in kind.attributes:
                return kind.attributes[name].value
        return None

    def collate(self, batch: Batch, gathered: bool) -> Any:
        """What PyG makes of the caller's object as it is now and the nodes and edges of a batch.
        `gathered`: whether the batch has the columns of the requests.

        What a store has is set in its mapping, as PyG does in places: a copy has no cache that
        ``store[name] = value`` would clear, and with many types that look takes most of the time.
        """
        current = self.current()
        out = copy.copy(current)
        owned = self._owned(current)
        if self.built:
            self._compare_edges(current, owned)
        if self.hetero and self.built:
            self._empty_unknown(current, out)
        if self.device is not None:
            self._move_others(current, out)
        padded = batch.padding != "none"
        trees = hasattr(next(iter(batch.nodes.values()), None), "batch")  # of all types or none
        for kind in self.nodes:
            arrays = batch.nodes[kind.name]
            own = owned.get(kind.key, {}) if self.hetero else current._store
            store = self.store_of(out, kind)._mapping
            ids = arrays._in_torch(NODE)
            self._fill(own, store, kind, arrays if gathered else None, ids, padded)
            if padded:
                store["node_mask"] = arrays._in_torch(NODE_MASK)
            if "num_nodes" in store:
                store["num_nodes"] = ids.numel()
            store.setdefault("n_id", ids)
            if trees:
                store["batch"] = arrays._in_torch(TREE)
            else:
                store.pop("batch", None)
            store["num_sampled_nodes"] = arrays.num_sampled_nodes
        for kind in self.edges:
            edge_arrays = batch.edges[kind.name]
            own = owned.get(kind.key, {}) if self.hetero else current._store
            store = self.store_of(out, kind)._mapping
            edge_ids = edge_arrays._in_torch(EDGE)
            if kind.key in self.without_ids:
                self._drop_rows(own, store, kind)
            else:
                self._fill(own, store, kind, edge_arrays if gathered else None, edge_ids, padded)
            if not self.built or "edge_index" in store:
                ends = edge_arrays._in_torch(EDGE_INDEX)
                store["edge_index"] = self._beside(ends, store.get("edge_index"))
            if padded:
                store["edge_mask"] = edge_arrays._in_torch(EDGE_MASK)
            if kind.key not in self.without_ids:
                store.setdefault("e_id", edge_ids)
            store["num_sampled_edges"] = edge_arrays.num_sampled_edges
        if self.adjacency:
            set_adjacency(self.adjacency, out, batch)
        return out

    def _owned(self, current: Any) -> Dict[Any, Any]:
        """What the caller's object holds, by type; a type that only its edges name has nothing."""
        return {store._key: store for store in current.stores} if self.hetero else {}

    def deliver_on(self, device: torch.device) -> None:
        """Has tensors that are passed on as they are put where batches lie."""
        self.device = device

    def _fill(
        self, own: Any, store: Any, kind: TypeMap, arrays: Any, ids: torch.Tensor, padded: bool
    ) -> None:
        """Sets the attributes of a type; `arrays` None: nothing was gathered."""
        of = "edge" if isinstance(kind.key, tuple) else "node"
        if kind.rule is not None:
            kind.rule.forget_missing(own)
        for name in list(own.keys()):
            if kind.rule is not None and kind.rule.kind_of(own, name) != of:
                continue
            known = kind.attributes.get(name)
            if known is None or known.given is not own[name]:  # set after the loader was made
                known = Attribute(None, own[name], *tensor_of(own, name))
            if arrays is not None and (kind.name, known.column) in self.gathered:
                assert known.column is not None
                store[name] = arrays._in_torch(arrays._column_array, known.column)
            else:
                assert known.value is not None
                rows = rows_of(known.value, known.dim, ids, padded)
                store[name] = rows if self.device is None else rows.to(ids.device)
        if not self.built and arrays is not None:
            for name, known in kind.attributes.items():
                store[name] = arrays._in_torch(arrays._column_array, known.column)

    def _drop_rows(self, own: Any, store: Any, kind: TypeMap) -> None:
        for name in list(own.keys()):
            if kind.rule is not None and kind.rule.kind_of(own, name) is not None:
                del store[name]

    def _beside(self, ends: torch.Tensor, given: Any) -> torch.Tensor:
        """The edges of a batch on the device of the caller's edges, as in PyG."""
        moves = self.device is None and isinstance(given, torch.Tensor)
        return ends.to(given.device) if moves else ends

    def _move_others(self, current: Any, out: Any) -> None:
        """Puts tensors that are passed on as they are where batches lie, but not those of rows."""
        rules = {kind.key: kind.rule for kind in self.nodes + self.edges}
        before, self._moved = self._moved, {}
        for own, store in zip(current.stores, out.stores):
            key = own._key if self.hetero else self.nodes[0].key
            rule = rules.get(key)
            for name, value in own.items():
                if not isinstance(value, torch.Tensor) or name == "edge_index":
                    continue
                if rule is not None and rule.kind_of(own, name) is not None:
                    continue
                known, moved = before.get((key, name), (None, None))
                if known is not value:
                    moved = value.to(self.device)
                self._moved[key, name] = value, moved
                store[name] = moved

    def _empty_unknown(self, current: Any, out: Any) -> None:
        """Types that the caller's object got after the loader was made: the graph has none of them."""
        known = {kind.key for kind in self.nodes + self.edges}
        for own in current.node_stores + current.edge_stores:
            if own._key in known or len(own) == 0:
                continue
            if own._key not in self._warned:
                self._warned.add(own._key)
                _warn_of(f"the type {own._key!r} was added", "batches have nothing of it")
            store, rule, none = out[own._key], RowRule(None, None), torch.empty(0, dtype=torch.long)
            for name in list(own.keys()):
                if name == "num_nodes":
                    store[name] = 0
                elif name == "edge_index":
                    store[name] = own[name][:, :0]
                elif rule.kind_of(own, name) is not None:
                    store[name] = rows_of(*tensor_of(own, name), none, padded=False)

    def _compare_edges(self, current: Any, owned: Mapping[Any, Any]) -> None:
        """Warns of edges that are not those of the graph; `owned`: stores by their types."""
        for kind in self.edges:
            own = owned.get(kind.key, {}) if self.hetero else current._store
            given = own.get("edge_index")
            if given is None or given is self._seen[kind.key]:
                continue
            self._seen[kind.key] = given
            made_of = self._graph[kind.key]
            if given.shape != made_of.shape or not torch.equal(given.to(made_of.device), made_of):
                what = f"edge_index of {kind.key}" if self.hetero else "edge_index"
                _warn_of(f"{what} was replaced", "batches are of the edges that it was made with")

    def watch(self, graph: Dict[Any, torch.Tensor]) -> None:
        """Keeps the edges that the dataset was made of, to tell when they are replaced."""
        self._graph, self._seen = graph, dict(graph)

    def store(self, out: Any, name: Optional[str]) -> Any:
        """Where `out` has what belongs to a node or edge type."""
        if not self.hetero:
            return out._store
        if not self._kinds:
            self._kinds = {kind.name: kind for kind in self.nodes + self.edges}
        return self.store_of(out, self._kinds[name])

    def store_of(self, out: Any, kind: TypeMap) -> Any:
        """The same of a type that is known. Found by its key, as `out[key]` looks through all types."""
        if not self.hetero:
            return out._store
        by_edge = isinstance(kind.key, tuple)
        return out.get_edge_store(*kind.key) if by_edge else out.get_node_store(kind.key)


def _warn_of(change: str, so: str) -> None:
    warn(f"data: {change} after the loader was made, so {so}; make the loader anew to sample it")
