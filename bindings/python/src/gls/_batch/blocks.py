"""Blocks: what each layer of a model computes."""

from __future__ import annotations

from typing import Dict, Mapping, NoReturn, Optional, Tuple

from gls._batch.by_type import ByType
from gls._core.check import not_picklable
from gls._core.schema import Schema
from gls._core.tensor import Tensor
from gls._low import glslow as low
from gls.errors import NotFound
from gls.types import EdgeType

# GLS_BLOCK_*
_SRC_NODE, _DST_NODE, _SRC, _DST, _INDPTR, _EDGE = range(6)


class _Part:
    """The arrays of a type in a block; each is exported when it is first asked for."""

    __slots__ = ("_batch", "_layer", "_type", "_cache")

    def __init__(self, batch: low.Batch, layer: int, type: str) -> None:
        self._batch = batch
        self._layer = layer
        self._type = type
        self._cache: Dict[int, Tensor] = {}

    def _tensor(self, array: int) -> Tensor:
        tensor = self._cache.get(array)
        if tensor is None:
            tensor = Tensor(self._batch.block_tensor(self._layer, array, self._type))
            self._cache[array] = tensor
        return tensor

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Block", "take the arrays that are needed, as .numpy() or .torch()")


class BlockNodes(_Part):
    """The nodes of one type in a block: the outputs are the first of the inputs."""

    __slots__ = ()

    @property
    def input_nodes(self) -> Tensor:
        """Dataset ids of the nodes whose features the layer reads [num_src]: the beginning of ``node``."""
        return self._tensor(_SRC_NODE)

    @property
    def output_nodes(self) -> Tensor:
        """Dataset ids of the nodes that the layer computes [num_dst]: the beginning of the same."""
        return self._tensor(_DST_NODE)

    @property
    def num_src(self) -> int:
        """Number of input nodes."""
        return len(self.input_nodes)

    @property
    def num_dst(self) -> int:
        """Number of output nodes."""
        return len(self.output_nodes)


class BlockEdges(_Part):
    """The edges of one type in a block. Messages go from ``src`` to ``dst``, toward the seeds: with
    ``direction="out"`` that is against the edges, and `src` are nodes of the type of their targets.
    """

    __slots__ = ()

    @property
    def src(self) -> Tensor:
        """Local id of each edge's input node [E]."""
        return self._tensor(_SRC)

    @property
    def dst(self) -> Tensor:
        """Local id of each edge's output node [E], ascending."""
        return self._tensor(_DST)

    @property
    def indptr(self) -> Tensor:
        """Where the edges to each output node begin, and where the last end [num_dst + 1]."""
        return self._tensor(_INDPTR)

    @property
    def edge(self) -> Tensor:
        """Dataset id of each edge [E]; only with edge ids."""
        try:
            return self._tensor(_EDGE)
        except NotFound:
            raise AttributeError(
                "the batch has no 'edge': the sampler was made without with_edge_ids"
            ) from None

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return len(self.src)

    def coo(self) -> Tuple[Tensor, Tensor]:
        """:attr:`src` and :attr:`dst`."""
        return self.src, self.dst

    def csc(self) -> Tuple[Tensor, Tensor]:
        """:attr:`indptr` and the indices, which are :attr:`src`."""
        return self.indptr, self.src


class Block:
    """What one layer of a model computes: the states of the output nodes, from those of the input nodes.

    With L hops there are blocks l = 0 .. L-1. The outputs of block l are the seeds and the nodes of
    the first L-1-l hops. Its inputs have one hop more, in the order of the batch. So the outputs
    are the first of the inputs, and the outputs of one block are the inputs of the next. All arrays
    except `indptr` are views of the batch's arrays. Each node's edges were sampled once, at its
    first visit, and are the same in all blocks that compute it. Padding is omitted.

    With one node type and one edge type, this object has the attributes of :class:`BlockNodes` and
    :class:`BlockEdges`. With several types, use ``nodes["paper"]`` and
    ``edges["author__writes__paper"]``.
    """

    __slots__ = ("_batch", "_schema", "_layer", "_nodes", "_edges")

    def __init__(self, batch: low.Batch, schema: Schema, layer: int) -> None:
        """Not for users: blocks come from Batch.blocks()."""
        self._batch = batch
        self._schema = schema
        self._layer = layer
        self._nodes: Optional[ByType[BlockNodes]] = None
        self._edges: Optional[ByType[BlockEdges]] = None

    @property
    def layer(self) -> int:
        """Number of the layer; 0 is computed first, and has the most nodes."""
        return self._layer

    @property
    def nodes(self) -> Mapping[EdgeType, BlockNodes]:
        """The nodes of each type."""
        if self._nodes is None:
            types = self._schema.node_types
            self._nodes = ByType({t: BlockNodes(self._batch, self._layer, t) for t in types})
        return self._nodes

    @property
    def edges(self) -> Mapping[EdgeType, BlockEdges]:
        """The edges of each type, by "source__relation__target" or by tuple."""
        if self._edges is None:
            types = self._schema.edge_types
            self._edges = ByType({t: BlockEdges(self._batch, self._layer, t) for t in types})
        return self._edges

    def _node(self, name: str) -> BlockNodes:
        only = self._schema.only_node_type
        if only is None:
            raise AttributeError(f"there are several node types: use block.nodes[type].{name}")
        return self.nodes[only]

    def _edge(self, name: str) -> BlockEdges:
        only = self._schema.only_edge_type
        if only is None:
            raise AttributeError(f"there are several edge types: use block.edges[type].{name}")
        return self.edges[only]

    @property
    def input_nodes(self) -> Tensor:
        """See :attr:`BlockNodes.input_nodes`."""
        return self._node("input_nodes").input_nodes

    @property
    def output_nodes(self) -> Tensor:
        """See :attr:`BlockNodes.output_nodes`."""
        return self._node("output_nodes").output_nodes

    @property
    def num_src(self) -> int:
        """Number of input nodes, over all types."""
        return sum(nodes.num_src for nodes in self.nodes.values())

    @property
    def num_dst(self) -> int:
        """Number of output nodes, over all types."""
        return sum(nodes.num_dst for nodes in self.nodes.values())

    @property
    def num_edges(self) -> int:
        """Number of edges, over all types."""
        return sum(edges.num_edges for edges in self.edges.values())

    @property
    def src(self) -> Tensor:
        """See :attr:`BlockEdges.src`."""
        return self._edge("src").src

    @property
    def dst(self) -> Tensor:
        """See :attr:`BlockEdges.dst`."""
        return self._edge("dst").dst

    @property
    def indptr(self) -> Tensor:
        """See :attr:`BlockEdges.indptr`."""
        return self._edge("indptr").indptr

    @property
    def edge(self) -> Tensor:
        """See :attr:`BlockEdges.edge`."""
        return self._edge("edge").edge

    def coo(self) -> Tuple[Tensor, Tensor]:
        """See :meth:`BlockEdges.coo`."""
        return self._edge("coo()").coo()

    def csc(self) -> Tuple[Tensor, Tensor]:
        """See :meth:`BlockEdges.csc`."""
        return self._edge("csc()").csc()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Block", "take the arrays that are needed, as .numpy() or .torch()")

    def __repr__(self) -> str:
        return (
            f"gls.Block(layer={self.layer}, num_src={self.num_src}, num_dst={self.num_dst}, "
            f"num_edges={self.num_edges})"
        )
