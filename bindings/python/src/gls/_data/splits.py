"""Splits into training, validation and test."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence, Union

from gls._core.check import whole_number
from gls._core.inputs import to_low
from gls._core.tensor import Tensor
from gls._data.dataset import Dataset
from gls._low import glslow as low
from gls.errors import invalid
from gls.types import ArrayLike, EdgeType

_UNDIRECTED = 1


class LinkPart(NamedTuple):
    """One part of a split of links."""

    links: Tensor
    """[links] ids of the edges that are its links: seeds for a :class:`LinkNeighborLoader`, whose
    `neg_sampling` draws the negatives."""
    exclude: Tensor
    """[edges] ids of the edges not to be sampled for it: ``exclude`` of that loader."""


class LinkSplit(NamedTuple):
    """A split of links; see :func:`split_links`."""

    train: LinkPart
    valid: LinkPart
    test: LinkPart


def split_links(
    dataset: Dataset,
    edge_type: Optional[EdgeType] = None,
    *,
    valid: Union[int, float] = 0.1,
    test: Union[int, float] = 0.2,
    supervision: Union[int, float] = 0,
    undirected: bool = False,
    seed: int = 0,
) -> LinkSplit:
    """Splits the edges of a type at random, in exact numbers, as PyG's RandomLinkSplit does.

    The edges are not copied: each part says which are its links, and which a loader must exclude, so
    that no link is seen before its time. Sampling for training sees neither validation nor test
    links; for validation it sees those for training, for test all others.

    Takes 9 bytes per edge while it runs, 41 if undirected.

    Args:
        dataset: The graph.
        edge_type: None: the only one.
        valid: Links for validation: a share (float below 1, rounded down), or how many.
        test: Links for test.
        supervision: Of the links for training, those that are labels only and not sampled: PyG's
            `disjoint_train_ratio`. 0: all of them are both.
        undirected: Opposite edges between two nodes are one link, which is the edge from the lower to
            the higher node. Where the reverse edges are of a type of their own, with the same ids,
            this is False and the loader's `exclude_mode` "reverse_types".
        seed: Other seeds, other splits.

    Raises:
        InvalidArgument: None would be left for training.
    """
    joined = dataset._schema.edge_type(edge_type)
    sizes = _size("valid", valid), _size("test", test), _size("supervision", supervision)
    number = whole_number("seed", seed, 0, 64)
    flags = _UNDIRECTED if undirected else 0

    def part(number_of_part: int) -> LinkPart:
        found = dataset._low.split_links(joined, number, *sizes, flags, number_of_part)
        return LinkPart(Tensor(found.links()), Tensor(found.exclude()))

    return LinkSplit(part(0), part(1), part(2))


def _size(name: str, value: Union[int, float]) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be an int or a float, not {type(value).__name__}")
    if isinstance(value, float) and value >= 1:
        raise invalid(name, f"{value} is no share below 1; a number of links is an int")
    return float(value)


def split_ids(ids: ArrayLike, shares: Sequence[float], *, seed: int = 0) -> Tensor:
    """The part of each id, uint8 [ids], by hash: ``split_ids(range(n), [0.8, 0.1, 0.1])``.

    An id's part depends on nothing but the id and the seed, so it stays when others come or go. Parts
    have about their shares. ``numpy.flatnonzero(parts.numpy() == 0)`` are the positions of the first.

    Args:
        ids: [ids] any whole numbers.
        shares: What each part gets, relative to their sum.
        seed: Other seeds, other splits.
    """
    given = low.SplitShares()
    for share in shares:
        given.add(float(share))
    tensor = to_low(ids, "ids", vector=True)
    return Tensor(given.split(tensor, whole_number("seed", seed, 0, 64)))
