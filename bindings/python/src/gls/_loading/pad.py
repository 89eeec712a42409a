"""Batches of one shape."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Optional, Union

from gls._core.check import whole_number
from gls._core.schema import Schema
from gls._low import glslow as low
from gls.errors import invalid
from gls.types import EdgeType


class Pad(NamedTuple):
    """Pads the arrays of all batches to one size for each type, for programs that are compiled for
    fixed shapes: CUDA graphs, ``torch.compile``, XLA.

    Padding nodes have the id -1 and zeros in all columns. Padding edges go from and to the first
    padding node, so no message of theirs reaches a node of the batch. Seeds, and both ends of
    links, are padded to the batch size with that node; padding links have labels of zeros. Negative
    pairs begin after `batch_size` links. Padding walks end at once. Padding neighbours are that
    node with a score of 0. Padding labels of anchors are rows of -1; the edge types of anchors then
    need `max_labels`.

    The masks ``node_mask``, ``edge_mask``, ``seed_mask``, ``link_mask``, ``link_negative_mask``,
    ``walk_mask``, ``near_mask`` and ``anchor_mask`` mark the real rows. These rows, in their order,
    are the batch of a loader that does not pad (rows of ``link_negative`` follow the first entries
    of ``link_mask``). A batch that is too large keeps its own shapes, and its ``batch.padding`` is
    "overflow".
    """

    sizes: Optional[Mapping[EdgeType, int]] = None
    """Rows by node or edge type; a node type needs one more than it has nodes. Sizes of all other
    types are estimated."""
    batches: int = 16
    """Batches of epoch 0, evenly spread, that the new loader samples for estimates."""
    multiple: int = 64
    """Estimates are rounded up to a multiple of this."""
    sigma: float = 3
    """An estimate is the mean and this many standard deviations."""


def set_padding(options: low.LoaderOptions, schema: Schema, pad: Union[bool, Pad, None]) -> None:
    if pad is None or pad is False:
        return
    if pad is not True and not isinstance(pad, tuple):
        raise TypeError(f"pad must be a bool or a gls.Pad, not {type(pad).__name__}")
    wanted = Pad() if pad is True else Pad(*pad)
    sigma = float(wanted.sigma)
    if not sigma > 0:  # of 0 the library makes its default
        raise invalid("pad", f"sigma is {wanted.sigma}, expected a number above 0")
    options.set_pad(
        whole_number("batches", wanted.batches, 1, 32),
        whole_number("multiple", wanted.multiple, 1, 32),
        sigma,
    )
    for kind, rows in (wanted.sizes or {}).items():
        name = kind if isinstance(kind, str) else schema.edge_type(kind, "pad")
        options.add_pad_size(name, whole_number("pad", rows, 1, 31))
