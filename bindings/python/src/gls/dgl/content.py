"""What a batch holds, as DGL names it and without padding."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Tuple

import torch

from gls._batch.array_numbers import EDGE_COLUMN, LINK_SOURCE, NEAR_SEED, NODE_COLUMN, WALK
from gls._batch.batch import Batch
from gls._batch.edge_arrays import EdgeArrays
from gls.types import EdgeTuple

# What the library answers for GLS_GATHER_SEEDS.
_SEEDS_ONLY = 2


class NodeKind(NamedTuple):
    """A node type, its name in DGL, and names of its columns."""

    name: str
    key: str
    of_all: List[str]
    """Columns with a row for each node."""
    of_seeds: List[str]
    """Columns with a row for each distinct seed."""


class EdgeKind(NamedTuple):
    """An edge type, its name in DGL, and names of its columns."""

    name: str
    ends: Tuple[str, str]
    """Node types of source and target."""
    key: EdgeTuple
    columns: List[str]


class BatchContent:
    """The types and columns of a batch."""

    def __init__(self, batch: Any) -> None:
        if not isinstance(batch, Batch):
            raise TypeError(f"batch must be a gls.Batch, not {type(batch).__name__}")
        self.batch = batch
        schema = batch._schema
        # As for PyG, the graph has no types to speak of.
        self.plain = schema.only_node_type is not None and schema.only_edge_type is not None
        nodes: Dict[str, Tuple[List[str], List[str]]] = {t: ([], []) for t in schema.node_types}
        edges: Dict[str, List[str]] = {t: [] for t in schema.edge_types}
        self._listed = set()
        for array, owner, column, rows in batch._content.arrays():
            self._listed.add((array, owner))
            if array == NODE_COLUMN and column is not None:
                nodes[owner][rows == _SEEDS_ONLY].append(column)
            elif array == EDGE_COLUMN and column is not None:
                edges[owner].append(column)
        self.node_types = [NodeKind(t, self._node_key(t), *columns) for t, columns in nodes.items()]
        self.edge_types = []
        for name, columns in edges.items():
            source, relation, target = schema.edge_tuples[name]
            relation = "_E" if self.plain and relation == "to" else relation
            key = self._node_key(source), relation, self._node_key(target)
            self.edge_types.append(EdgeKind(name, (source, target), key, columns))

    def _node_key(self, name: str) -> str:
        return "_N" if self.plain and name == "node" else name

    def has(self, array: int, type: str) -> bool:
        """Whether there is an array of the type."""
        return (array, type) in self._listed

    def has_any(self, array: int) -> bool:
        """Whether there is an array of any type."""
        return any(array == listed for listed, _ in self._listed)

    @property
    def walks(self) -> bool:
        """Whether the sampler takes walks."""
        return self.has_any(WALK)

    @property
    def near(self) -> bool:
        """Whether the sampler is Importance or PPR."""
        return self.has_any(NEAR_SEED)

    @property
    def links(self) -> List[EdgeKind]:
        """The edge types whose links are seeds."""
        return [kind for kind in self.edge_types if self.has(LINK_SOURCE, kind.name)]

    def all_seed_columns(self) -> List[str]:
        """Names of columns with rows for the seeds alone, with their types."""
        return [f"{kind.name}.{name}" for kind in self.node_types for name in kind.of_seeds]


class Links(NamedTuple):
    """Pairs of local ids, without padding."""

    source: torch.Tensor
    target: torch.Tensor


def given_links(arrays: EdgeArrays) -> Tuple[Links, torch.Tensor]:
    """The links and the pairs of binary negatives [L, 2], and which rows of the batch's arrays they are."""
    source, target = arrays.link_source.torch(), arrays.link_target.torch()
    if not hasattr(arrays, "link_mask"):
        return Links(source, target), torch.ones_like(source, dtype=torch.bool)
    mask = arrays.link_mask.torch()
    return Links(source[mask], target[mask]), mask


def drawn_pairs(arrays: EdgeArrays) -> Tuple[Links, torch.Tensor]:
    """The pairs of triplets, and for each the number of its link."""
    drawn = arrays.link_negative.torch()
    found = drawn >= 0
    if hasattr(arrays, "link_negative_mask"):
        found &= arrays.link_negative_mask.torch()
    link, column = found.nonzero(as_tuple=True)
    return Links(arrays.link_source.torch()[link], drawn[link, column]), link
