"""Walk: the options of random walks."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence

from gls._core.check import whole_number
from gls._core.schema import Schema
from gls._low import glslow as low
from gls.errors import invalid
from gls.types import EdgeType


class Walk(NamedTuple):
    """Random walks from each seed. A step follows one edge of the current node: uniformly, or in
    proportion to the sampler's `weight_attr`. A walk ends where there is no edge.

    `p` and `q` are those of node2vec (Grover and Leskovec, KDD 2016).
    """

    length: int = 0
    """Steps; 0: as many as `path` has."""
    walks: int = 1
    """From each seed."""
    p: float = 1
    """A step back to the previous node weighs 1/p."""
    q: float = 1
    """A step to a node that no edge leads to from the node before, in the direction of the walk, weighs
    1/q. With `p` or `q` other than 1 there is one edge type, between nodes of one type."""
    restart: float = 0
    """Probability, before each step, of going back to the seed instead, where the path begins again.
    Only within one node type."""
    stop: float = 0
    """Probability, before each step, of ending."""
    path: Optional[Sequence[EdgeType]] = None
    """Edge types to follow in turn, each beginning at the node type where the one before ends. None:
    the only one."""


def walk_options(schema: Schema, walk: Walk) -> low.WalkOptions:
    wanted = Walk(*walk)
    options = low.WalkOptions()
    options.set_length(whole_number("length", wanted.length, 0, 32))
    options.set_walks(whole_number("walks", wanted.walks, 1, 32))
    p, q = float(wanted.p), float(wanted.q)
    if p == 0 or q == 0:  # which the library takes for its default
        raise invalid("p" if p == 0 else "q", "it is 0, expected a finite number above 0")
    options.set_biases(p, q)
    options.set_restart(float(wanted.restart))
    options.set_stop(float(wanted.stop))
    for edge_type in wanted.path or ():
        options.add_path(schema.edge_type(edge_type))
    return options


def walk_types(schema: Schema, walk: Walk, direction: str) -> List[str]:
    """The node type of each column of the walks, as far as a path of known types goes."""
    wanted = Walk(*walk)
    if not wanted.path and schema.only_edge_type is None:
        known = ", ".join(schema.edge_types) or "none"
        raise invalid("path", f"needed, as there is not just one edge type: {known}")
    path = [schema.edge_tuples[schema.edge_type(t)] for t in wanted.path or (None,)]
    steps = [(t[2], t[0]) if direction == "in" else (t[0], t[2]) for t in path]
    length = wanted.length or len(steps)
    return [steps[0][0]] + [steps[i % len(steps)][1] for i in range(length)]
