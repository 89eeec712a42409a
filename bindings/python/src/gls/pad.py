"""Batches of one shape."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Optional, Union

from gls._check import EdgeType, whole_number
from gls._low import glslow as low
from gls._schema import Schema
from gls.errors import invalid


class Pad(NamedTuple):
    """Fills up the arrays of all batches to one size for each type, for programs that are compiled for
    fixed shapes: CUDA graphs, ``torch.compile``, XLA.

    Padding nodes have the id -1 and zeros in all columns. Padding edges go from and to the first
    padding node, so that no message of theirs reaches a node of the batch. Seeds are filled up to the
    batch size with that node, and so are links, on both ends; their labels are zeros. Negative pairs
    begin after `batch_size` links. Walks are filled up with some that ended at once, neighbours with that
    node and a score of 0, labels of anchors with rows of -1; the edge types of anchors then need
    `max_labels`. ``node_mask``, ``edge_mask``, ``seed_mask``, ``link_mask``, ``link_negative_mask``,
    ``walk_mask``, ``near_mask`` and ``anchor_mask`` tell what is real: what they leave, in its order, is
    the batch of a loader that does not pad (rows of ``link_negative`` go by the first entries of
    ``link_mask``). ``batch.padding`` is "overflow" for a batch that is too large,
    which keeps its own shapes.
    """

    sizes: Optional[Mapping[EdgeType, int]] = None
    """Rows by node or edge type; a node type needs one more than it has nodes. Types that are not here
    are estimated."""
    batches: int = 16
    """Batches of epoch 0, evenly spread, that estimates are made from, when the loader is made."""
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
