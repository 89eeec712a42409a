"""How PyG's objects become a dataset."""

from __future__ import annotations

import copy
import re
from typing import Any, Dict, FrozenSet, Mapping, NamedTuple, Optional, Sequence, Tuple

import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.data import FeatureStore as PygFeatureStore
from torch_geometric.data import GraphStore as PygGraphStore

from gls._core.check import join_edge_type
from gls._core.context import Context
from gls._data.builder import DatasetBuilder
from gls._data.dataset import Dataset
from gls.errors import Unsupported, invalid
from gls.pyg.graph.attributes import Attribute, RowRule, TypeMap, gathers, tensor_of
from gls.pyg.graph.feature_store import FeatureStore
from gls.pyg.graph.from_stores import source_of_stores
from gls.pyg.graph.graph_store import GraphStore
from gls.pyg.graph.source import Source
from gls.pyg.graph.structure import add_structure, plain
from gls.pyg.graph.words import OF_NODES, Words

StorePair = Tuple[PygFeatureStore, PygGraphStore]
_NAME = re.compile("[A-Za-z0-9]+(_[A-Za-z0-9]+)*")  # of attributes whose columns have their name


class NodeColumn(NamedTuple):
    """A column that no attribute has."""

    type: str
    name: str
    value: torch.Tensor


def make_source(
    data: Any,
    context: Optional[Context],
    extra: Sequence[NodeColumn] = (),
    layouts: Sequence[str] = ("csc",),
    of_edges: Sequence[Optional[str]] = (),
    edge_index: Optional[torch.Tensor] = None,
    num_workers: int = 0,
) -> Source:
    """A dataset of `data`, and what its batches are made of.

    Args:
        extra: Columns for the sampler, which batches do not have.
        layouts: Of what is built.
        of_edges: Attributes that the caller named as attributes of edges.
        edge_index: The edges, where `data` does not have them.
        num_workers: Threads that call a FeatureStore at once; 0: one.
    """
    if isinstance(data, Dataset):
        if extra:
            raise Unsupported(
                f"{extra[0].name}: a tensor; the weights of a gls.Dataset are columns, which "
                "gls.NegativeSampling names"
            )
        return _from_dataset(data)
    if isinstance(data, (Data, HeteroData)):
        named = frozenset(name for name in of_edges if name is not None)
        hetero = isinstance(data, HeteroData)
        types = {"__".join(store._key): store._key for store in data.edge_stores} if hetero else {}
        with Words(OF_NODES, hetero=hetero, edge_types=types, columns={}):
            return _from_data(data, context, extra, layouts, named, edge_index)
    if is_pair(data):
        if extra:
            raise Unsupported(
                f"{extra[0].name}: a tensor, given with a FeatureStore and GraphStore"
            )
        features, graph = data
        if isinstance(features, FeatureStore) and isinstance(graph, GraphStore):
            if features.dataset is graph.dataset:
                return _from_dataset(features.dataset, data)
        return source_of_stores(data, context, layouts, num_workers)
    raise Unsupported(
        f"data: a {type(data).__name__} is not Data, HeteroData, gls.Dataset or a pair of "
        "FeatureStore and GraphStore"
    )


def is_pair(data: Any) -> bool:
    """Whether it is a FeatureStore and a GraphStore."""
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        return False
    return isinstance(data[0], PygFeatureStore) and isinstance(data[1], PygGraphStore)


def _from_dataset(dataset: Dataset, given: Any = None) -> Source:
    hetero = len(dataset.node_types) > 1 or len(dataset.edge_types) > 1
    source = Source(dataset, HeteroData() if hetero else Data(), built=False)
    source.given = dataset if given is None else given
    for name in dataset.node_types:
        source.nodes.append(TypeMap(name, name, _stored(dataset.node_columns(name))))
    for key in dataset.edge_types:
        source.edges.append(TypeMap(join_edge_type(key), key, _stored(dataset.edge_columns(key))))
    return source


def _stored(columns: Mapping[str, Any]) -> Dict[str, Attribute]:
    wanted = [c for c in columns.values() if c.role in ("feature", "label")]
    return {column.name: Attribute(column.name) for column in wanted}


def _from_data(
    data: Any,
    context: Optional[Context],
    extra: Sequence[NodeColumn],
    layouts: Sequence[str],
    of_edges: FrozenSet[str],
    edge_index: Optional[torch.Tensor],
) -> Source:
    template = data
    if edge_index is not None:
        data = copy.copy(template)
        data.edge_index = edge_index
    builder = DatasetBuilder(context=context)
    structure = add_structure(builder, data, of_edges)
    hetero, counts = isinstance(data, HeteroData), structure.counts
    columns: Dict[Tuple[str, str], str] = {}

    def type_map(what: str, key: Any, store: Any, rule: RowRule) -> TypeMap:
        kind = TypeMap(join_edge_type(key) if what == "edge" else key, key, {}, rule)
        for name in list(store.keys()):
            if rule.kind_of(store, name) != what:
                continue
            value, dim = tensor_of(store, name)
            plain(value, f"attribute {name!r}")
            column = None
            if gathers(value, dim):
                # Attributes may have any name, columns may not.
                column = name if _NAME.fullmatch(name) else f"attribute {len(columns)}"
                column = columns.setdefault((what, name), column)
                add = builder.add_edge_column if what == "edge" else builder.add_node_column
                add(key, column, value)
            kind.attributes[name] = Attribute(column, store[name], value, dim)
        return kind

    nodes = [type_map("node", *typed) for typed in structure.nodes]
    edges = [type_map("edge", *typed) for typed in structure.edges]
    ends = dict.fromkeys(end for key in structure.edge_index for end in (key[0], key[2]))
    alone = [end for end in ends if end not in counts]  # node types that edges alone name
    nodes += [TypeMap(end, end, {}, RowRule(None, None)) for end in alone]
    for added in extra:
        weights = plain(torch.as_tensor(added.value), added.name)
        if counts.get(added.type, 0) not in (0, weights.shape[0]):
            raise invalid(
                "neg_sampling",
                f"{added.name} has {weights.shape[0]} numbers for {counts[added.type]} nodes",
            )
        builder.add_node_column(added.type, added.name, weights)
    source = Source(builder.build(layouts=layouts), template, built=True)
    source.nodes, source.edges = nodes, edges
    for kind in nodes if hetero else []:  # edges may have said how many nodes there are
        assert kind.rule is not None
        kind.rule.set_counts(source.dataset.num_nodes(kind.name), None)
    source.edge_index, source.adjacency = edge_index, structure.adjacency
    source.watch(structure.edge_index)
    return source
