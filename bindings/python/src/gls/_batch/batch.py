"""Batch: what was sampled and gathered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NoReturn, Optional, Tuple

from gls._batch.blocks import Block
from gls._batch.by_type import ByType
from gls._core.check import choice, not_picklable
from gls._core.devices import CPU, stream_handle
from gls._core.inputs import to_low
from gls._core.packages import need_numpy
from gls._core.schema import Schema
from gls._core.tensor import Tensor, in_torch
from gls._low import glslow as low
from gls.errors import Error, InvalidArgument, NotFound, Unsupported, invalid
from gls.types import EdgeType

if TYPE_CHECKING:
    import torch

# GLS_BATCH_*
NODE, _ROW, _COL, EDGE, TREE, NUM_NODES, NUM_EDGES, _SEED, _INPUT = range(9)
NODE_COLUMN, EDGE_COLUMN, _SEED_TIME = 9, 10, 11
_LINK_SOURCE, _LINK_TARGET, _LINK_NEGATIVE, _LINK_LABEL = 12, 13, 14, 15
_WALK, _WALK_EDGE = 16, 17
NODE_MASK, EDGE_MASK, _SEED_MASK = 24, 25, 26
_LINK_MASK, _LINK_NEGATIVE_MASK, _WALK_MASK, _NEAR_MASK, _ANCHOR_MASK = 27, 28, 29, 30, 31
_PADDING = ("none", "fits", "overflow")
_ATTACHED = 23
_POSITIVE, _NEGATIVE = 21, 22
_NEAR_SEED, _NEAR_NODE, _NEAR_SCORE = 18, 19, 20
EDGE_INDEX = 32

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


class _Content:
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


class _Arrays:
    """The arrays of one node or edge type; each is exported when it is first asked for."""

    __slots__ = ("_content", "_type", "_cache")

    _column_array: int
    _kind: str

    def __init__(self, content: _Content, type: str) -> None:
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


class NodeArrays(_Arrays):
    """What a batch holds of one node type. Columns are attributes and items: ``nodes.x``."""

    __slots__ = ()

    _column_array = NODE_COLUMN
    _kind = "node"

    @property
    def node(self) -> Tensor:
        """Dataset ids [N]: distinct seeds first, then in the order they were met."""
        return self._tensor(NODE)

    n_id = node

    @property
    def seed(self) -> Tensor:
        """Local id of each seed as given [B]; repeated seeds share one, unless disjoint."""
        return self._tensor(_SEED)

    @property
    def batch(self) -> Tensor:
        """Position of the seed in whose tree a node is [N]; only when sampled disjoint."""
        return self._optional(TREE, "batch")

    @property
    def input_id(self) -> Tensor:
        """Position of each seed in the loader's list of seeds [B]."""
        return self._optional(_INPUT, "input_id")

    @property
    def seed_time(self) -> Tensor:
        """Time of each seed as given [B]; where the sampler goes by times."""
        return self._optional(_SEED_TIME, "seed_time")

    @property
    def walk(self) -> Tensor:
        """Local ids of the nodes of each walk [seeds * walks, length + 1], those of a seed together, the
        seed first; -1 after the end. The columns have the node types that the path gives them."""
        return self._optional(_WALK, "walk")

    @property
    def walk_edge(self) -> Tensor:
        """Dataset id of the edge of each step [seeds * walks, length]; -1 where none was followed."""
        return self._optional(_WALK_EDGE, "walk_edge")

    @property
    def node_mask(self) -> Tensor:
        """Which are nodes of the batch, and no padding: bool [N]; of a loader with `pad`."""
        return self._optional(NODE_MASK, "node_mask")

    @property
    def seed_mask(self) -> Tensor:
        """Which are seeds, and no padding: bool [B]; of a loader with `pad`."""
        return self._optional(_SEED_MASK, "seed_mask")

    @property
    def walk_mask(self) -> Tensor:
        """Which rows are walks, and no padding: bool [seeds * walks]; of a loader with `pad`."""
        return self._optional(_WALK_MASK, "walk_mask")

    @property
    def near_mask(self) -> Tensor:
        """Which are neighbours, and no padding: bool [K]; of a loader with `pad`."""
        return self._optional(_NEAR_MASK, "near_mask")

    @property
    def anchor_mask(self) -> Tensor:
        """Which are anchors, and no padding: bool [anchors]; of a loader with `pad`."""
        return self._optional(_ANCHOR_MASK, "anchor_mask")

    @property
    def near_seed(self) -> Tensor:
        """Of the samplers :class:`Importance` and :class:`PPR`: local id [K], in the seeds' type, of the node
        whose neighbour each is."""
        return self._optional(_NEAR_SEED, "near_seed")

    @property
    def near_node(self) -> Tensor:
        """Local id of each neighbour [K]."""
        return self._optional(_NEAR_NODE, "near_node")

    @property
    def near_score(self) -> Tensor:
        """float32 [K, 2]. Importance: the share of the node's visits that the neighbour has, and their
        number. PPR: the score, and 1 / (1 + steps from the seed); with C channels [K, 2 + 3 * C], see
        :attr:`PPR.channels`."""
        return self._optional(_NEAR_SCORE, "near_score")

    @property
    def num_sampled_nodes(self) -> List[int]:
        """Distinct seeds, then new nodes of each hop; of walks and PPR, the seeds and all others."""
        return self._counts(NUM_NODES)

    @property
    def batch_size(self) -> int:
        """Number of distinct seeds, which are the first nodes."""
        return self.num_sampled_nodes[0]

    @property
    def num_nodes(self) -> int:
        """Number of nodes N, padding included."""
        return len(self.node)


class EdgeArrays(_Arrays):
    """What a batch holds of one edge type. Columns are attributes and items."""

    __slots__ = ()

    _column_array = EDGE_COLUMN
    _kind = "edge"

    @property
    def row(self) -> Tensor:
        """Local id of each edge's source [E]."""
        return self._tensor(_ROW)

    @property
    def col(self) -> Tensor:
        """Local id of each edge's target [E]."""
        return self._tensor(_COL)

    @property
    def edge(self) -> Tensor:
        """Dataset id of each edge [E]; only with edge ids."""
        return self._optional(EDGE, "edge")

    @property
    def e_id(self) -> Tensor:
        """As :attr:`edge`, under PyG's name."""
        return self._optional(EDGE, "e_id")

    @property
    def edge_index(self) -> Tensor:
        """Both ends of each edge [2, E], contiguous: :attr:`row` and :attr:`col` are its two rows, in the
        same memory."""
        return self._tensor(EDGE_INDEX)

    @property
    def link_source(self) -> Tensor:
        """Local id of each link's source, then those of negative pairs [L]; where links are seeds."""
        return self._optional(_LINK_SOURCE, "link_source")

    @property
    def link_target(self) -> Tensor:
        """Local id of each link's target, then those of negative pairs [L]; where links are seeds."""
        return self._optional(_LINK_TARGET, "link_target")

    @property
    def link_index(self) -> Tensor:
        """:attr:`link_source` and :attr:`link_target` as [2, L]. A copy, made each time it is asked for, of
        batches in memory of the host."""
        source, target = self.link_source, self.link_target
        if source.__dlpack_device__() != CPU:
            raise Unsupported(
                f"link_index is a copy, which is not made on {source.device}: use "
                "torch.stack([link_source.torch(), link_target.torch()]), or that of batch.to_host()"
            )
        return Tensor(low.Tensor.stack(source._low, target._low))

    @property
    def link_negative(self) -> Tensor:
        """Local ids of the targets drawn for each link [links, amount]; -1 where there is none."""
        return self._optional(_LINK_NEGATIVE, "link_negative")

    @property
    def link_label(self) -> Tensor:
        """Label of each link [L, ...]: those given, or 1; 0 for negative pairs."""
        return self._optional(_LINK_LABEL, "link_label")

    @property
    def input_id(self) -> Tensor:
        """Position of each link in the loader's list of links [links]."""
        return self._optional(_INPUT, "input_id")

    @property
    def link_mask(self) -> Tensor:
        """Which are links, or negative pairs, and no padding: bool [L]; of a loader with `pad`. The first
        `batch_size` are links, the others negative pairs."""
        return self._optional(_LINK_MASK, "link_mask")

    @property
    def link_negative_mask(self) -> Tensor:
        """Which targets were drawn: bool [links, amount]; of a loader with `pad`."""
        return self._optional(_LINK_NEGATIVE_MASK, "link_negative_mask")

    @property
    def edge_mask(self) -> Tensor:
        """Which are edges of the batch, and no padding: bool [E]; of a loader with `pad`."""
        return self._optional(EDGE_MASK, "edge_mask")

    @property
    def num_sampled_edges(self) -> List[int]:
        """Edges of each hop; of an induced or bidirectional subgraph one number, of all."""
        return self._counts(NUM_EDGES)

    @property
    def num_edges(self) -> int:
        """Number of edges E, padding included."""
        return len(self.row)


class Batch:
    """One mini-batch: a sampled part of the graph and the columns gathered for it.

    Of a graph with one node type and one edge type all arrays are attributes here: ``node``,
    ``row``, ``col``, ``edge_index``, ``num_sampled_nodes``, ..., and so are the columns: ``x``,
    ``y``. Of a graph with several, they are attributes of ``nodes["paper"]`` and
    ``edges["author__writes__paper"]``; see :class:`NodeArrays` and :class:`EdgeArrays`.

    Every array is a :class:`Tensor` on memory of the batch; it stays valid when the batch is gone,
    and may be written. The arrays can be pickled, the batch cannot.
    """

    __slots__ = (
        "_content", "_schema", "_input_type", "_walk_types", "_nodes", "_edges", "_only_nodes", "_only_edges",
        "__weakref__",
    )  # fmt: skip

    def __init__(
        self,
        handle: low.Batch,
        schema: Schema,
        input_type: Optional[str],
        walk_types: Optional[List[str]] = None,
    ) -> None:
        """Not for users: batches come from Sampler and NeighborLoader."""
        self._content = _Content(handle)
        self._schema = schema
        self._input_type = input_type
        self._walk_types = walk_types
        self._nodes: Optional[ByType[NodeArrays]] = None
        self._edges: Optional[ByType[EdgeArrays]] = None
        # Those of the only type, which most graphs have, without a look into the above.
        self._only_nodes: Optional[NodeArrays] = None
        self._only_edges: Optional[EdgeArrays] = None

    # ---- by type ----

    @property
    def nodes(self) -> Mapping[EdgeType, NodeArrays]:
        """The arrays of each node type."""
        if self._nodes is None:
            only = self._schema.only_node_type
            self._nodes = ByType(
                {only: self._node("nodes")}
                if only is not None
                else {t: NodeArrays(self._content, t) for t in self._schema.node_types}
            )
        return self._nodes

    @property
    def edges(self) -> Mapping[EdgeType, EdgeArrays]:
        """The arrays of each edge type, by "source__relation__target" or by tuple."""
        if self._edges is None:
            only = self._schema.only_edge_type
            self._edges = ByType(
                {only: self._edge("edges")}
                if only is not None
                else {t: EdgeArrays(self._content, t) for t in self._schema.edge_types}
            )
        return self._edges

    @property
    def input_type(self) -> Optional[str]:
        """Node type of the seeds, or edge type where they are links; None when there are seeds of
        several types."""
        return self._input_type

    def _node(self, name: str) -> NodeArrays:
        arrays = self._only_nodes
        if arrays is None:
            only = self._schema.only_node_type
            if only is None:
                raise AttributeError(f"there are several node types: use batch.nodes[type].{name}")
            arrays = self._only_nodes = NodeArrays(self._content, only)
        return arrays

    def _edge(self, name: str) -> EdgeArrays:
        arrays = self._only_edges
        if arrays is None:
            only = self._schema.only_edge_type
            if only is None:
                raise AttributeError(f"there are several edge types: use batch.edges[type].{name}")
            arrays = self._only_edges = EdgeArrays(self._content, only)
        return arrays

    def _input(self, name: str) -> NodeArrays:
        if self._input_type is None:
            raise AttributeError(f"there are seeds of several types: use batch.nodes[type].{name}")
        if self._input_type in self._schema.edge_types:
            raise AttributeError(f"the seeds are links: use batch.nodes[type].{name}")
        return self.nodes[self._input_type]

    def _links(self, name: str) -> EdgeArrays:
        if self._input_type not in self._schema.edge_types:
            raise AttributeError(f"the batch has no {name!r}: its seeds are not links")
        return self.edges[self._input_type]

    # ---- of the only type ----

    @property
    def node(self) -> Tensor:
        """See :attr:`NodeArrays.node`."""
        return self._node("node").node

    @property
    def n_id(self) -> Tensor:
        """As :attr:`node`, under PyG's name."""
        return self._node("n_id").node

    @property
    def num_nodes(self) -> int:
        """Number of nodes, over all types."""
        return sum(arrays.num_nodes for arrays in self.nodes.values())

    @property
    def num_sampled_nodes(self) -> List[int]:
        """See :attr:`NodeArrays.num_sampled_nodes`."""
        return self._node("num_sampled_nodes").num_sampled_nodes

    @property
    def batch(self) -> Tensor:
        """See :attr:`NodeArrays.batch`."""
        return self._node("batch").batch

    @property
    def seed_time(self) -> Tensor:
        """See :attr:`NodeArrays.seed_time`."""
        return self._input("seed_time").seed_time

    @property
    def node_mask(self) -> Tensor:
        """See :attr:`NodeArrays.node_mask`."""
        return self._node("node_mask").node_mask

    @property
    def seed_mask(self) -> Tensor:
        """See :attr:`NodeArrays.seed_mask`."""
        return self._input("seed_mask").seed_mask

    @property
    def edge_mask(self) -> Tensor:
        """See :attr:`EdgeArrays.edge_mask`."""
        return self._edge("edge_mask").edge_mask

    @property
    def row(self) -> Tensor:
        """See :attr:`EdgeArrays.row`."""
        return self._edge("row").row

    @property
    def col(self) -> Tensor:
        """See :attr:`EdgeArrays.col`."""
        return self._edge("col").col

    @property
    def edge(self) -> Tensor:
        """See :attr:`EdgeArrays.edge`."""
        return self._edge("edge").edge

    @property
    def e_id(self) -> Tensor:
        """As :attr:`edge`, under PyG's name."""
        return self._edge("e_id").e_id

    @property
    def edge_index(self) -> Tensor:
        """See :attr:`EdgeArrays.edge_index`."""
        return self._edge("edge_index").edge_index

    @property
    def num_edges(self) -> int:
        """Number of edges, over all types."""
        return sum(arrays.num_edges for arrays in self.edges.values())

    @property
    def num_sampled_edges(self) -> List[int]:
        """See :attr:`EdgeArrays.num_sampled_edges`."""
        return self._edge("num_sampled_edges").num_sampled_edges

    # ---- of the seeds' type ----

    @property
    def seed(self) -> Tensor:
        """See :attr:`NodeArrays.seed`."""
        return self._input("seed").seed

    @property
    def input_id(self) -> Tensor:
        """See :attr:`NodeArrays.input_id`; where the seeds are links, :attr:`EdgeArrays.input_id`."""
        if self._input_type in self._schema.edge_types:
            return self._links("input_id").input_id
        return self._input("input_id").input_id

    @property
    def link_source(self) -> Tensor:
        """See :attr:`EdgeArrays.link_source`."""
        return self._links("link_source").link_source

    @property
    def link_target(self) -> Tensor:
        """See :attr:`EdgeArrays.link_target`."""
        return self._links("link_target").link_target

    @property
    def link_negative(self) -> Tensor:
        """See :attr:`EdgeArrays.link_negative`."""
        return self._links("link_negative").link_negative

    @property
    def link_label(self) -> Tensor:
        """See :attr:`EdgeArrays.link_label`."""
        return self._links("link_label").link_label

    @property
    def link_mask(self) -> Tensor:
        """See :attr:`EdgeArrays.link_mask`."""
        return self._links("link_mask").link_mask

    @property
    def link_negative_mask(self) -> Tensor:
        """See :attr:`EdgeArrays.link_negative_mask`."""
        return self._links("link_negative_mask").link_negative_mask

    @property
    def walk_mask(self) -> Tensor:
        """See :attr:`NodeArrays.walk_mask`."""
        return self._input("walk_mask").walk_mask

    @property
    def near_mask(self) -> Tensor:
        """See :attr:`NodeArrays.near_mask`."""
        return self._input("near_mask").near_mask

    @property
    def anchor_mask(self) -> Tensor:
        """See :attr:`NodeArrays.anchor_mask`."""
        return self._input("anchor_mask").anchor_mask

    @property
    def walk(self) -> Tensor:
        """See :attr:`NodeArrays.walk`."""
        return self._input("walk").walk

    @property
    def walk_edge(self) -> Tensor:
        """See :attr:`NodeArrays.walk_edge`."""
        return self._input("walk_edge").walk_edge

    @property
    def near_seed(self) -> Tensor:
        """See :attr:`NodeArrays.near_seed`; of the seeds' type, as the two below."""
        return self._input("near_seed").near_seed

    @property
    def near_node(self) -> Tensor:
        """See :attr:`NodeArrays.near_node`."""
        return self._input("near_node").near_node

    @property
    def near_score(self) -> Tensor:
        """See :attr:`NodeArrays.near_score`."""
        return self._input("near_score").near_score

    @property
    def walks(self) -> Tensor:
        """The walks as dataset ids [seeds * walks, length + 1], -1 after the end. A copy, made by NumPy
        each time it is asked for."""
        numpy = need_numpy("Batch.walks")
        local = self.walk.numpy()
        types = self._walk_types
        if types is None:  # the path is known to another process
            types = [self._schema.node_type(None)] * local.shape[1]
        nodes = {name: self.nodes[name].node.numpy() for name in set(types)}
        out = numpy.full_like(local, -1)
        for column, name in enumerate(types):
            met = local[:, column] >= 0
            out[met, column] = nodes[name][local[met, column]]
        return Tensor(to_low(out, "walks"))

    # ---- layers of a model ----

    def blocks(self) -> List[Block]:
        """A block for each layer of a model, the first layer first; see :class:`Block`. The model
        has as many layers as the batch has hops.

        Raises:
            Unsupported: The batch has none: its subgraph is induced or bidirectional, or its sampler
                takes walks, :class:`Importance` or :class:`PPR`.
        """
        made = [Block(self._content.low, self._schema, layer) for layer in range(self.num_hops)]
        for block in made[:1]:  # says why there are none
            for nodes in block.nodes.values():
                len(nodes.input_nodes)
        return made

    # ---- of anchors ----

    def _labels(self, array: int) -> Dict[str, Tensor]:
        return {
            str(name): self.nodes[type]._tensor(array, name)
            for kind, type, name, _ in self._content.arrays()
            if kind == array
        }

    @property
    def positives(self) -> Dict[str, Tensor]:
        """Local ids of the positive labels of each anchor [anchors, m], -1 where there are no more, by
        the name of their supervision. They are of the type of the labels."""
        return self._labels(_POSITIVE)

    @property
    def negatives(self) -> Dict[str, Tensor]:
        """As :attr:`positives`, of the negative labels."""
        return self._labels(_NEGATIVE)

    @property
    def anchors(self) -> Tensor:
        """Local id of each anchor as given [anchors]. A copy, made by NumPy each time it is asked for:
        the beginning of :attr:`seed`, which goes on with labels of the same type."""
        for labels in (*self.positives.values(), *self.negatives.values()):
            return Tensor(to_low(self.seed.numpy()[: labels.shape[0]].copy(), "anchors"))
        raise AttributeError("the batch has no 'anchors': the sampler has no supervisions")

    def label_index(self, name: str, role: str = "positive") -> Tensor:
        """The pairs of anchors and labels of one supervision [2, E]: local ids, anchor by anchor. A copy,
        made by NumPy each time it is asked for.

        Args:
            name: The supervision's: its edge type, unless it has another.
            role: "positive" or "negative".
        """
        numpy = need_numpy("Batch.label_index()")
        labels = self._labels(choice("role", role, {"positive": _POSITIVE, "negative": _NEGATIVE}))
        if name not in labels:
            known = ", ".join(labels) or "none"
            raise NotFound(f"the batch has no {role} labels {name!r}; there are: {known}")
        rows = labels[name].numpy()
        anchor, column = numpy.nonzero(rows >= 0)
        pairs = numpy.stack([self.seed.numpy()[anchor], rows[anchor, column]])
        return Tensor(to_low(pairs, "label_index"))

    @property
    def batch_size(self) -> int:
        """Number of distinct seeds, which are the first nodes of their type."""
        return self._input("batch_size").batch_size

    # ---- columns ----

    def _find(self, name: str) -> Tensor:
        """A column by name alone, of which there must be one; else an array that was attached."""
        try:
            return self._find_column(name)
        except NotFound:
            try:
                return Tensor(self._content.low.tensor(_ATTACHED, None, name))
            except Error:  # it has none of that name
                pass
            raise

    def _find_column(self, name: str) -> Tensor:
        if self._schema.only_node_type is not None and self._schema.only_edge_type is not None:
            try:
                return self._node(name)._tensor(NODE_COLUMN, name)
            except NotFound:
                return self._edge(name)._tensor(EDGE_COLUMN, name)
        owners = [
            (array, type)
            for array, type, column, _ in self._content.arrays()
            if column == name and array in (NODE_COLUMN, EDGE_COLUMN)
        ]
        if not owners:
            raise NotFound(f"no type of the batch has a column {name!r}", detail={"column": name})
        if len(owners) > 1:
            types = ", ".join(type for _, type in owners)
            raise invalid("name", f"several types have a column {name!r}: {types}")
        array, type = owners[0]
        return self.nodes[type][name] if array == NODE_COLUMN else self.edges[type][name]

    def __getitem__(self, name: str) -> Tensor:
        return self._find(name)

    def __getattr__(self, name: str) -> Tensor:
        if name in _ATTRIBUTES or name.startswith("__"):
            # A property raised: report its error, not that the column does not exist.
            return super().__getattribute__(name)  # type: ignore[no-any-return]
        try:
            return self._find(name)
        except NotFound:
            known = ", ".join([*self.columns, *self.attached]) or "none"
            raise AttributeError(
                f"the batch has no column {name!r}; gathered were: {known}"
            ) from None
        except InvalidArgument as error:  # several have it; hasattr() must not raise
            raise AttributeError(
                f"{error}: use batch.nodes[type].{name} or batch.edges[type].{name}"
            ) from None

    @property
    def columns(self) -> List[str]:
        """Names of the columns that were gathered, over all types."""
        return list(
            dict.fromkeys(
                str(name)
                for array, _, name, _ in self._content.arrays()
                if array in (NODE_COLUMN, EDGE_COLUMN)
            )
        )

    @property
    def attached(self) -> Mapping[str, Tensor]:
        """The arrays that the loader's transform returned, by name. Where no column has that name,
        they are items and attributes of the batch, too."""
        return {
            name: Tensor(self._content.low.tensor(_ATTACHED, None, name))
            for array, _, name, _ in self._content.arrays()
            if name is not None and array == _ATTACHED
        }

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self.columns, *self.attached})

    # ---- devices ----

    @property
    def device(self) -> str:
        """Where its arrays lie: "cpu", or "cuda:0". Numbers of nodes and edges are on the host always, as are
        arrays that a transform attached."""
        for arrays in self.nodes.values():
            return arrays.node.device
        return "cpu"

    def to_host(self) -> "Batch":
        """The same batch with its arrays in memory of the host: a copy of those that lie on a GPU. Waits for
        what is queued by now on streams that were recorded."""
        handle = self._content.low.to_host()
        return Batch(handle, self._schema, self._input_type, self._walk_types)

    def record_stream(self, stream: Any) -> None:
        """Names a stream that uses arrays on a GPU. Later batches reuse their memory only after the
        work that is queued on the stream when they are released. A stream that a consumer of DLPack
        names, such as the current one of PyTorch at ``.torch()``, is recorded automatically.
        PyTorch's own ``Tensor.record_stream`` does nothing for such memory.

        For a batch in pinned memory of a feed (``gls.attach(pin=...)``) always call it: nothing
        else records a stream that copies from the batch, as ``.to("cuda", non_blocking=True)``
        does.

        Args:
            stream: A ``torch.cuda.Stream``, an object with ``__cuda_stream__``, or a cudaStream_t
                as a number; 0 is the default stream. It must exist until the arrays are released.
        """
        self._content.low.record_stream(stream_handle(stream))

    # ---- about the batch ----

    @property
    def epoch(self) -> int:
        """The epoch it belongs to; with :attr:`number`, part of the random key."""
        return self._content.low.epoch()

    @property
    def number(self) -> int:
        """Number of the batch in its epoch, counted over all trainers."""
        return self._content.low.number()

    @property
    def num_hops(self) -> int:
        """Hops that were sampled: the length of `num_neighbors`, those of :class:`Importance`; else 1."""
        return self._content.low.num_hops()

    @property
    def padding(self) -> str:
        """Of a loader with `pad`: "fits", or "overflow" where there is more than fits and the arrays have
        their own sizes; else "none"."""
        return _PADDING[self._content.low.padding()]

    @property
    def nbytes(self) -> int:
        """Memory that the batch holds."""
        return self._content.low.bytes()

    @property
    def sample_ns(self) -> int:
        """Time a worker spent sampling it."""
        return self._content.low.sample_ns()

    @property
    def gather_ns(self) -> int:
        """Time a worker spent gathering its columns."""
        return self._content.low.gather_ns()

    def __copy__(self) -> "Batch":
        return Batch(self._content.low, self._schema, self._input_type, self._walk_types)

    def __reduce__(self) -> NoReturn:
        self._content.__reduce__()

    def __repr__(self) -> str:
        return (
            f"gls.Batch(epoch={self.epoch}, number={self.number}, num_nodes={self.num_nodes}, "
            f"num_edges={self.num_edges}, columns={self.columns})"
        )


_ATTRIBUTES = frozenset(dir(Batch))
