"""Batch: what was sampled and gathered."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NoReturn, Optional

from gls._batch.array_numbers import ATTACHED, EDGE_COLUMN, NEGATIVE, NODE_COLUMN, POSITIVE
from gls._batch.arrays import Content
from gls._batch.blocks import Block
from gls._batch.by_type import ByType
from gls._batch.edge_arrays import EdgeArrays
from gls._batch.node_arrays import NodeArrays
from gls._core.check import choice
from gls._core.devices import stream_handle
from gls._core.inputs import to_low
from gls._core.packages import need_numpy
from gls._core.schema import Schema
from gls._core.tensor import Tensor
from gls._low import glslow as low
from gls.errors import Error, InvalidArgument, NotFound, invalid
from gls.types import EdgeType

_PADDING = ("none", "fits", "overflow")


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
        self._content = Content(handle)
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
        return self._labels(POSITIVE)

    @property
    def negatives(self) -> Dict[str, Tensor]:
        """As :attr:`positives`, of the negative labels."""
        return self._labels(NEGATIVE)

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
        labels = self._labels(choice("role", role, {"positive": POSITIVE, "negative": NEGATIVE}))
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
                return Tensor(self._content.low.tensor(ATTACHED, None, name))
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
            name: Tensor(self._content.low.tensor(ATTACHED, None, name))
            for array, _, name, _ in self._content.arrays()
            if name is not None and array == ATTACHED
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
