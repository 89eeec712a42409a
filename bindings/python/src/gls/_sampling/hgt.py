"""HGT: the options of samplers that draw nodes of each type from budgets, and their loader."""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Optional, Sequence, Tuple

from gls._core.check import whole_number
from gls._core.schema import Schema
from gls._low import glslow as low
from gls.errors import invalid
from gls.types import NumSamples


class HGT(NamedTuple):
    """Samples nodes by budgets, as HGT (Hu, Dong, Wang, Sun: Heterogeneous Graph Transformer, WWW
    2020). Every node of the batch distributes 1 evenly among its neighbours of each edge type. A
    node's budget is the sum of what it received. Each hop draws nodes of each type, without
    replacement, in proportion to the square of their budget.
    """

    num_samples: NumSamples
    """Nodes of each type to draw, per hop."""
    most_neighbors: int = 50
    """How many neighbours of a node, along one edge type, share its 1. If it has more, this many
    are drawn uniformly. Edges to these are reported, or with `subgraph` "induced" all edges between
    nodes of the batch."""


def hgt_options(schema: Schema, hgt: HGT) -> low.HgtOptions:
    wanted = HGT(*hgt)
    options = low.HgtOptions()
    for node_type, per_hop in _entries(wanted.num_samples):
        options.add_samples(
            None if node_type is None else schema.node_type(node_type, "num_samples")
        )
        for count in per_hop:
            options.add_hop(whole_number("num_samples", count, -1, 63))
    options.set_most_neighbors(whole_number("most_neighbors", wanted.most_neighbors, 1, 32))
    return options


def _entries(given: NumSamples) -> List[Tuple[Optional[str], Sequence[int]]]:
    if isinstance(given, Mapping):
        return [(name, list(per_hop)) for name, per_hop in given.items()]
    if isinstance(given, (str, bytes)):
        raise invalid("num_samples", f"{given!r} is no list of numbers")
    return [(None, list(given))]
