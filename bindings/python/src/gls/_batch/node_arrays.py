"""NodeArrays: what a batch holds of one node type."""

from __future__ import annotations

from typing import List

from gls._batch.array_numbers import (
    ANCHOR_MASK,
    INPUT,
    NEAR_MASK,
    NEAR_NODE,
    NEAR_SCORE,
    NEAR_SEED,
    NODE,
    NODE_COLUMN,
    NODE_MASK,
    NUM_NODES,
    SEED,
    SEED_MASK,
    SEED_TIME,
    TREE,
    WALK,
    WALK_EDGE,
    WALK_MASK,
)
from gls._batch.arrays import Arrays
from gls._core.tensor import Tensor


class NodeArrays(Arrays):
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
        return self._tensor(SEED)

    @property
    def batch(self) -> Tensor:
        """Position of the seed in whose tree a node is [N]; only when sampled disjoint."""
        return self._optional(TREE, "batch")

    @property
    def input_id(self) -> Tensor:
        """Position of each seed in the loader's list of seeds [B]."""
        return self._optional(INPUT, "input_id")

    @property
    def seed_time(self) -> Tensor:
        """Time of each seed as given [B]; where the sampler goes by times."""
        return self._optional(SEED_TIME, "seed_time")

    @property
    def walk(self) -> Tensor:
        """Local ids of the nodes of each walk [seeds * walks, length + 1], those of a seed together, the
        seed first; -1 after the end. The columns have the node types that the path gives them."""
        return self._optional(WALK, "walk")

    @property
    def walk_edge(self) -> Tensor:
        """Dataset id of the edge of each step [seeds * walks, length]; -1 where none was followed."""
        return self._optional(WALK_EDGE, "walk_edge")

    @property
    def node_mask(self) -> Tensor:
        """Which are nodes of the batch, and no padding: bool [N]; of a loader with `pad`."""
        return self._optional(NODE_MASK, "node_mask")

    @property
    def seed_mask(self) -> Tensor:
        """Which are seeds, and no padding: bool [B]; of a loader with `pad`."""
        return self._optional(SEED_MASK, "seed_mask")

    @property
    def walk_mask(self) -> Tensor:
        """Which rows are walks, and no padding: bool [seeds * walks]; of a loader with `pad`."""
        return self._optional(WALK_MASK, "walk_mask")

    @property
    def near_mask(self) -> Tensor:
        """Which are neighbours, and no padding: bool [K]; of a loader with `pad`."""
        return self._optional(NEAR_MASK, "near_mask")

    @property
    def anchor_mask(self) -> Tensor:
        """Which are anchors, and no padding: bool [anchors]; of a loader with `pad`."""
        return self._optional(ANCHOR_MASK, "anchor_mask")

    @property
    def near_seed(self) -> Tensor:
        """Of the samplers :class:`Importance` and :class:`PPR`: local id [K], in the seeds' type, of the node
        whose neighbour each is."""
        return self._optional(NEAR_SEED, "near_seed")

    @property
    def near_node(self) -> Tensor:
        """Local id of each neighbour [K]."""
        return self._optional(NEAR_NODE, "near_node")

    @property
    def near_score(self) -> Tensor:
        """float32 [K, 2]. Importance: the share of the node's visits that the neighbour has, and their
        number. PPR: the score, and 1 / (1 + steps from the seed); with C channels [K, 2 + 3 * C], see
        :attr:`PPR.channels`."""
        return self._optional(NEAR_SCORE, "near_score")

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
