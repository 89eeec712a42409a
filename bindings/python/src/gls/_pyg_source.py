"""How PyG's objects become a dataset, and batches become PyG's objects."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import torch
from torch_geometric.data import Data, HeteroData

from gls.batch import EDGE, EDGE_INDEX, EDGE_MASK, NODE, NODE_MASK, TREE, Batch
from gls.builder import DatasetBuilder
from gls.context import Context
from gls.dataset import Dataset
from gls.errors import Unsupported, invalid
from gls.loader import ColumnRequest

HOMOGENEOUS_EDGES = ("node", "to", "node")
_DTYPES = {
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


_NUMPY_DTYPES = (_DTYPES - {torch.bfloat16}) | {torch.complex64, torch.complex128}


class Attribute(NamedTuple):
    """An attribute with a row for each node or edge of a type."""

    name: str
    column: Optional[str]  # gathered by GLS under this name; None: by PyTorch
    value: Optional[torch.Tensor]  # what PyTorch indexes
    dim: int


class TypeMap(NamedTuple):
    """A node or edge type: as GLS calls it, as PyG does, and its attributes."""

    name: str
    key: Any
    attributes: List[Attribute]


class NodeColumn(NamedTuple):
    """A column that no attribute has."""

    type: str
    name: str
    value: torch.Tensor


class Source:
    """A dataset, and how its batches become PyG's objects."""

    def __init__(self, dataset: Dataset, template: Any, built: bool) -> None:
        self.dataset = dataset
        self.template = template
        self.passed_on = template  # what batches begin with
        self.built = built
        self.hetero = isinstance(template, HeteroData)
        self.nodes: List[TypeMap] = []
        self.edges: List[TypeMap] = []

    @property
    def requests(self) -> List[ColumnRequest]:
        return [
            ColumnRequest(attribute.column, kind.name, "all")
            for kind in self.nodes + self.edges
            for attribute in kind.attributes
            if attribute.column is not None
        ]

    @property
    def data(self) -> Any:
        """What the loader was given."""
        return self.template if self.built else self.dataset

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
        columns = {a.column for kind in kinds for a in kind.attributes if a.name == name}
        if not columns or None in columns:
            raise invalid(argument, f"{name!r} is not an attribute with a number for each {what}")
        if len(columns) > 1:
            raise invalid(argument, f"{name!r} differs between {what} types")
        return columns.pop()

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
            for column in {a.column for kind in kinds for a in kind.attributes if a.name == name}:
                if self.built:
                    if column is None:
                        raise invalid("time_attr", f"{name!r} is not one integer per row")
                    found[argument] = column
        if len(found) != 1:
            where = "of both nodes and edges" if found else "neither of nodes nor of edges"
            raise invalid("time_attr", f"{name!r} is an attribute {where}")
        return found

    def deliver_on(self, device: torch.device) -> None:
        """Puts tensors that are passed on as they are where batches lie, but not those of rows."""
        template = copy.copy(self.template)
        rows = {kind.key: {a.name for a in kind.attributes} for kind in self.nodes + self.edges}
        alone = set().union(*rows.values())
        for store in template.stores:
            own = rows.get(store._key, set()) if self.hetero else alone
            for name, value in store.items():
                if isinstance(value, torch.Tensor) and name not in own and name != "edge_index":
                    store[name] = value.to(device)
        self.passed_on = template

    @property
    def reverse_types(self) -> List[Tuple[str, str]]:
        """Edge types that PyG takes for each other's reverse, by their names."""
        if not self.hetero:
            return []
        names = {kind.key: kind.name for kind in self.edges}
        reverse = {key: (key[2], f"rev_{key[1]}", key[0]) for key in names}
        return [(name, names[reverse[key]]) for key, name in names.items() if reverse[key] in names]

    def values(self, node_type: str, name: str) -> Optional[torch.Tensor]:
        """An attribute of all nodes of a type."""
        for kind in self.nodes:
            for attribute in kind.attributes:
                if kind.name == node_type and attribute.name == name:
                    return attribute.value
        return None

    def collate(self, batch: Batch, gathered: bool) -> Any:
        """`gathered`: whether the batch has the columns of the requests.

        What a store has is set in its mapping, as PyG does in places: a copy has no cache that
        ``store[name] = value`` would clear, and with many types that look takes most of the time.
        """
        out = copy.copy(self.passed_on)
        padded = batch.padding != "none"
        trees = hasattr(next(iter(batch.nodes.values()), None), "batch")  # of all types or none
        for kind in self.nodes:
            arrays = batch.nodes[kind.name]
            own = self.store_of(out, kind)._mapping
            ids = arrays._in_torch(NODE)
            _fill(own, arrays if gathered else None, kind.attributes, ids, padded)
            if padded:
                own["node_mask"] = arrays._in_torch(NODE_MASK)
            if "num_nodes" in own:
                own["num_nodes"] = ids.numel()
            own.setdefault("n_id", ids)
            if trees:
                own["batch"] = arrays._in_torch(TREE)
            else:
                own.pop("batch", None)
            own["num_sampled_nodes"] = arrays.num_sampled_nodes
        for kind in self.edges:
            edge_arrays = batch.edges[kind.name]
            own = self.store_of(out, kind)._mapping
            edge_ids = edge_arrays._in_torch(EDGE)
            own["edge_index"] = edge_arrays._in_torch(EDGE_INDEX)
            _fill(own, edge_arrays if gathered else None, kind.attributes, edge_ids, padded)
            if padded:
                own["edge_mask"] = edge_arrays._in_torch(EDGE_MASK)
            own.setdefault("e_id", edge_ids)
            own["num_sampled_edges"] = edge_arrays.num_sampled_edges
        return out

    def store(self, out: Any, name: Optional[str]) -> Any:
        """Where `out` has what belongs to a node or edge type."""
        if not self.hetero:
            return out._store
        return self.store_of(
            out, next(kind for kind in self.nodes + self.edges if kind.name == name)
        )

    def store_of(self, out: Any, kind: TypeMap) -> Any:
        """The same of a type that is known. Found by its key, as `out[key]` looks through all types."""
        if not self.hetero:
            return out._store
        by_edge = isinstance(kind.key, tuple)
        return out.get_edge_store(*kind.key) if by_edge else out.get_node_store(kind.key)


def rows_of(value: torch.Tensor, dim: int, ids: torch.Tensor, padded: bool) -> torch.Tensor:
    """Rows by their ids; where these are -1, of padding, zeros."""
    if value.device != ids.device:  # what GLS does not gather stays where it is
        return rows_of(value, dim, ids.to(value.device), padded).to(ids.device)
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


def _fill(
    own: Dict[str, Any], arrays: Any, attributes: List[Attribute], ids: torch.Tensor, padded: bool
) -> None:
    """Sets the attributes of a type; `arrays` None: nothing was gathered."""
    for attribute in attributes:
        if attribute.column is not None and arrays is not None:
            own[attribute.name] = arrays._in_torch(arrays._column_array, attribute.column)
        elif attribute.value is not None:
            own[attribute.name] = rows_of(attribute.value, attribute.dim, ids, padded)


def make_source(
    data: Any,
    context: Optional[Context],
    extra: Sequence[NodeColumn] = (),
    layouts: Sequence[str] = ("csc",),
) -> Source:
    """`extra`: columns for the sampler, which batches do not have; `layouts`: of what is built."""
    if isinstance(data, Dataset):
        if extra:
            raise Unsupported(
                f"{extra[0].name}: a tensor; the weights of a gls.Dataset are columns, which "
                "gls.NegativeSampling names"
            )
        return _from_dataset(data)
    if isinstance(data, (Data, HeteroData)):
        return _from_data(data, context, extra, layouts)
    raise Unsupported(
        f"data: a {type(data).__name__} is not Data, HeteroData or gls.Dataset; a pair of "
        "FeatureStore and GraphStore is not supported"
    )


def _from_dataset(dataset: Dataset) -> Source:
    hetero = len(dataset.node_types) > 1 or len(dataset.edge_types) > 1
    source = Source(dataset, HeteroData() if hetero else Data(), built=False)
    for name in dataset.node_types:
        source.nodes.append(TypeMap(name, name, _stored(dataset.node_columns(name))))
    for key in dataset.edge_types:
        source.edges.append(TypeMap("__".join(key), key, _stored(dataset.edge_columns(key))))
    return source


def _stored(columns: Mapping[str, Any]) -> List[Attribute]:
    wanted = [c for c in columns.values() if c.role in ("feature", "label")]
    return [Attribute(column.name, column.name, None, 0) for column in wanted]


def _from_data(
    data: Any, context: Optional[Context], extra: Sequence[NodeColumn], layouts: Sequence[str]
) -> Source:
    builder = DatasetBuilder(context=context)
    hetero = isinstance(data, HeteroData)
    nodes: List[TypeMap] = []
    edges: List[TypeMap] = []
    columns: Dict[Tuple[str, str], str] = {}

    def column(kind: str, name: str) -> str:
        # Attributes may have any name, columns may not. One name, one column: weights are found so.
        return columns.setdefault((kind, name), f"{kind}{len(columns)}")

    node_stores = [(s._key, s) for s in data.node_stores] if hetero else [("node", data._store)]
    edge_stores = (
        [(s._key, s) for s in data.edge_stores] if hetero else [(HOMOGENEOUS_EDGES, data._store)]
    )
    for key, store in node_stores:
        builder.add_node_type(key, int(store.num_nodes or 0))
    for key, store in edge_stores:
        if "edge_index" not in store:
            raise Unsupported(
                f"data: edges {key} have no edge_index; adj and adj_t are not supported"
            )
        builder.add_edges(key, plain(store.edge_index, f"edge_index of {key}"))
    for key, store in node_stores:
        kind = TypeMap(key, key, [])
        for name in store.keys():
            if name != "edge_index" and store.is_node_attr(name):
                value, dim = _value(store, name)
                if _gathers(value, dim):
                    named = column("n", name)
                    builder.add_node_column(key, named, value)
                    kind.attributes.append(Attribute(name, named, value, dim))
                else:
                    kind.attributes.append(Attribute(name, None, value, dim))
        nodes.append(kind)
    for key, store in edge_stores:
        kind = TypeMap("__".join(key), key, [])
        for name in store.keys():
            if name != "edge_index" and store.is_edge_attr(name):
                value, dim = _value(store, name)
                if _gathers(value, dim):
                    named = column("e", name)
                    builder.add_edge_column(key, named, value)
                    kind.attributes.append(Attribute(name, named, value, dim))
                else:
                    kind.attributes.append(Attribute(name, None, value, dim))
        edges.append(kind)
    for added in extra:
        builder.add_node_column(added.type, added.name, plain(added.value, added.name))
    source = Source(builder.build(layouts=layouts), data, built=True)
    source.nodes, source.edges = nodes, edges
    return source


def plain(value: Any, what: str) -> torch.Tensor:
    tensor: torch.Tensor = value.as_tensor() if hasattr(value, "as_tensor") else value
    if tensor.device.type != "cpu":
        raise Unsupported(f"data: {what} is on {tensor.device}; GLS gathers from CPU memory")
    return tensor


def _value(store: Any, name: str) -> Tuple[torch.Tensor, int]:
    """An attribute as tensor, and the dimension that counts nodes or edges."""
    value = store[name]
    dim = store._parent().__cat_dim__(name, value, store)
    if not isinstance(value, torch.Tensor):
        if not hasattr(value, "__array__"):
            raise Unsupported(
                f"data: attribute {name!r} is a {type(value).__name__} with an entry for each node or "
                "edge; make it a tensor"
            )
        value = torch.from_numpy(value)
    value = plain(value.detach(), f"attribute {name!r}")
    # Not in place where PyTorch keeps a negation as a mark: GLS would see the values without it.
    return value.resolve_neg() if value.is_neg() else value, dim % value.dim()


def _gathers(value: torch.Tensor, dim: int) -> bool:
    """Whether GLS can gather it from where it lies; PyTorch does the rest, so nothing is copied."""
    if value.layout != torch.strided or value.dtype not in _DTYPES or dim != 0:
        return False
    if value.dim() > 1 and value.shape[0] > 0 and not value[0].is_contiguous():
        return False
    return bool(value.shape[0] <= 1 or value.stride(0) >= value[0].numel())
