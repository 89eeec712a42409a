"""EdgeArrays: what a batch holds of one edge type."""

from __future__ import annotations

from typing import List

from gls._batch.array_numbers import (
    COL,
    EDGE,
    EDGE_COLUMN,
    EDGE_INDEX,
    EDGE_MASK,
    INPUT,
    LINK_LABEL,
    LINK_MASK,
    LINK_NEGATIVE,
    LINK_NEGATIVE_MASK,
    LINK_SOURCE,
    LINK_TARGET,
    NUM_EDGES,
    ROW,
)
from gls._batch.arrays import Arrays
from gls._core.devices import CPU
from gls._core.tensor import Tensor
from gls._low import glslow as low
from gls.errors import Unsupported


class EdgeArrays(Arrays):
    """What a batch holds of one edge type. Columns are attributes and items."""

    __slots__ = ()

    _column_array = EDGE_COLUMN
    _kind = "edge"

    @property
    def row(self) -> Tensor:
        """Local id of each edge's source [E]."""
        return self._tensor(ROW)

    @property
    def col(self) -> Tensor:
        """Local id of each edge's target [E]."""
        return self._tensor(COL)

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
        return self._optional(LINK_SOURCE, "link_source")

    @property
    def link_target(self) -> Tensor:
        """Local id of each link's target, then those of negative pairs [L]; where links are seeds."""
        return self._optional(LINK_TARGET, "link_target")

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
        return self._optional(LINK_NEGATIVE, "link_negative")

    @property
    def link_label(self) -> Tensor:
        """Label of each link [L, ...]: those given, or 1; 0 for negative pairs."""
        return self._optional(LINK_LABEL, "link_label")

    @property
    def input_id(self) -> Tensor:
        """Position of each link in the loader's list of links [links]."""
        return self._optional(INPUT, "input_id")

    @property
    def link_mask(self) -> Tensor:
        """Which are links, or negative pairs, and no padding: bool [L]; of a loader with `pad`. The first
        `batch_size` are links, the others negative pairs."""
        return self._optional(LINK_MASK, "link_mask")

    @property
    def link_negative_mask(self) -> Tensor:
        """Which targets were drawn: bool [links, amount]; of a loader with `pad`."""
        return self._optional(LINK_NEGATIVE_MASK, "link_negative_mask")

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
