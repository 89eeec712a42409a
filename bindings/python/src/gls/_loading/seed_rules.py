"""Which of its seeds a loader's batch has, and what GraphSAINT makes of that."""

from __future__ import annotations

from typing import NamedTuple, Optional, Union

from gls._core.check import choice, text, whole_number
from gls._core.inputs import to_low
from gls._core.tensor import Tensor
from gls._low import glslow as low
from gls.types import ArrayLike

_LAWS = {"uniform": 0, "degree": 1, "inverse_degree": 2}


class DrawnSeeds(NamedTuple):
    """Each batch has `batch_size` seeds that are drawn anew, with replacement.

    There is no order to shuffle, and every batch is full.
    """

    batches: int = 0
    """Of an epoch, over all trainers; 0: as many as if each seed were taken once."""
    law: str = "uniform"
    """"uniform". "degree", for nodes: in proportion to the number of edges of all types from the
    node, as GraphSAINT's node sampler. "inverse_degree", for links given as edge ids: 1 / (edges
    from the source) + 1 / (edges to the target), as its edge sampler."""
    weight: Optional[str] = None
    """Instead of a law: a column of non-negative numbers, of the nodes or of the edges."""


class ClusteredSeeds(NamedTuple):
    """Each batch has all seeds in `batch_size` clusters of nodes; shuffling is of clusters."""

    clusters: Union[str, ArrayLike]
    """A node column, or the cluster of each node: whole numbers below the number of nodes. A node whose
    cluster is negative is in no batch."""


SeedRule = Union[DrawnSeeds, ClusteredSeeds]
"""Which seeds make a batch."""


class SaintNorms(NamedTuple):
    """GraphSAINT's norms: float32."""

    node: Tensor
    """Of each node: weighs its loss."""
    edge: Optional[Tensor]
    """Of each edge, by its id: weighs its message."""


def set_seed_rule(options: low.LoaderOptions, rule: Optional[SeedRule]) -> None:
    if rule is None:
        return
    if isinstance(rule, DrawnSeeds):
        options.set_drawn(
            choice("law", rule.law, _LAWS),
            None if rule.weight is None else text("weight", rule.weight),
            whole_number("batches", rule.batches, 0, 64),
        )
    elif isinstance(rule, ClusteredSeeds):
        if isinstance(rule.clusters, str):
            options.set_clusters(rule.clusters, None)
        else:
            options.set_clusters(None, to_low(rule.clusters, "clusters", vector=True))
    else:
        kind = type(rule).__name__
        raise TypeError(f"seed_rule must be DrawnSeeds or ClusteredSeeds, not {kind}")
