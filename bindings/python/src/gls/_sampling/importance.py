"""Importance and PPR: the options of samplers that answer with neighbours that edges do not say."""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, cast

from gls._core.check import whole_number
from gls._core.schema import Schema
from gls._low import glslow as low
from gls.errors import invalid
from gls.types import EdgeType

_NO_TOP_UP = 1


class Importance(NamedTuple):
    """The nodes that short random walks from a node visit most, as PinSAGE's neighbours (Ying et al., KDD
    2018). The node at the end of each traversal of the path is a visit; the node that walks begin at
    counts as any other. Steps are those of :class:`Walk`, in proportion to `weight_attr` if it is given.
    """

    neighbors: int
    """Of each node, those of most visits; ties by lower id."""
    walks: int = 10
    """From each node."""
    traversals: int = 2
    """Of the path, by each walk. All walks of a node have at most 2^20."""
    stop: float = 0
    """Probability, before each traversal but the first, of ending the walk."""
    hops: int = 1
    """Neighbours of neighbours."""
    path: Optional[Sequence[EdgeType]] = None
    """Edge types to follow in turn, back to the node type at which the first begins. None: the only
    one."""


class PPR(NamedTuple):
    """The nodes of highest personalised PageRank of each seed, in each node type, by forward push
    (Andersen, Chung, Lang, FOCS 2006). Nothing is random, but for `row_limit`."""

    neighbors: int = 50
    """Of each seed in each node type, those of highest score; ties by lower id."""
    alpha: float = 0.5
    """Probability, at each step, that the walk ends; 1e-6 to 1."""
    epsilon: float = 1e-4
    """Nodes are pushed while their residual exceeds alpha * epsilon * degree; 1e-12 to 1. A seed
    reads about 1 / (alpha * epsilon) edges at most, besides its own."""
    top_up: bool = True
    """Where fewer than `neighbors` were pushed, others follow by their residual, and residuals are added
    to scores."""
    max_edges: int = 2**24
    """A seed's pushing ends when it has read so many edges, at most 2^31; its scores are then less
    exact."""
    row_limit: int = 0
    """Rows longer than this are sampled down to it, each edge type for itself; 0: none are."""
    edge_types: Optional[Sequence[EdgeType]] = None
    """Edge types to push along; None: all."""
    channels: Union[
        Mapping[Union[EdgeType, Tuple[EdgeType, ...]], float],
        Sequence[Tuple[Union[EdgeType, Tuple[EdgeType, ...]], float]],
        None,
    ] = None
    """Separate pushes: a mapping or a sequence of pairs of edge types and the share of `neighbors`
    that they get. The key is an edge type or a tuple of edge types (three strings are one edge
    type, unless each names one). At most 64 channels; shares add up to 1. A node belongs to the
    channel with its highest score, ties to the first. Each channel first fills its own places; the
    remaining places go to the highest scores of all. ``near_score`` has three more columns for each
    channel: score, hop proximity, and whether the channel found the neighbour. All three are 0 if
    it did not."""


def importance_options(schema: Schema, importance: Importance) -> low.ImportanceOptions:
    wanted = Importance(*importance)
    options = low.ImportanceOptions()
    options.set_neighbors(whole_number("neighbors", wanted.neighbors, 1, 32))
    options.set_walks(
        whole_number("walks", wanted.walks, 1, 32),
        whole_number("traversals", wanted.traversals, 1, 32),
    )
    options.set_hops(whole_number("hops", wanted.hops, 1, 32))
    options.set_stop(float(wanted.stop))
    for edge_type in wanted.path or ():
        options.add_path(schema.edge_type(edge_type))
    return options


def importance_type(schema: Schema, importance: Importance, direction: str) -> str:
    """The node type where walks begin."""
    wanted = Importance(*importance)
    if not wanted.path and schema.only_edge_type is None:
        known = ", ".join(schema.edge_types) or "none"
        raise invalid("path", f"needed, as there is not just one edge type: {known}")
    first = schema.edge_tuples[schema.edge_type((wanted.path or (None,))[0])]
    return first[2] if direction == "in" else first[0]


def ppr_options(schema: Schema, ppr: PPR) -> low.PprOptions:
    wanted = PPR(*ppr)
    options = low.PprOptions()
    options.set_neighbors(whole_number("neighbors", wanted.neighbors, 1, 32))
    alpha, epsilon = float(wanted.alpha), float(wanted.epsilon)
    if alpha == 0 or epsilon == 0:  # which the library takes for its default
        raise invalid("alpha" if alpha == 0 else "epsilon", "it is 0, expected a number above 0")
    options.set_alpha(alpha)
    options.set_epsilon(epsilon)
    options.set_flags(0 if wanted.top_up else _NO_TOP_UP)
    options.set_max_edges(whole_number("max_edges", wanted.max_edges, 1, 64))
    options.set_row_limit(whole_number("row_limit", wanted.row_limit, 0, 32))
    for edge_type in wanted.edge_types or ():
        options.add_edge_type(schema.edge_type(edge_type))
    channels = wanted.channels or ()
    for edge_types, share in channels.items() if isinstance(channels, Mapping) else channels:
        options.add_channel(float(share))
        for name in _channel_types(schema, edge_types):
            options.add_channel_type(name)
    return options


def _channel_types(schema: Schema, edge_types: Union[EdgeType, Tuple[EdgeType, ...]]) -> List[str]:
    """Three strings are one edge type, unless each of them is the name of one."""
    several: Sequence[EdgeType] = () if isinstance(edge_types, str) else edge_types
    strings = [part for part in several if isinstance(part, str)]
    if isinstance(edge_types, str) or (
        len(several) == len(strings) == 3 and not all(part in schema.edge_types for part in strings)
    ):
        several = [cast(EdgeType, edge_types)]
    return [schema.edge_type(name) for name in several]
