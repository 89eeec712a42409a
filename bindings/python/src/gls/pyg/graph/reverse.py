"""Which edge types are each other's reverse."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Tuple

import torch

from gls.errors import invalid
from gls.pyg.graph.source import Source
from gls.pyg.graph.warn import warn
from gls.types import TypePairs

Pairs = List[Tuple[str, str]]


def reverse_types_of(source: Source, given: Optional[TypePairs], bidirectional: bool) -> Any:
    """What the sampler takes as `reverse_types`.

    Args:
        given: The caller's pairs. None: of a bidirectional subgraph, the pairs that PyG finds.
    """
    if given is not None or not bidirectional:
        return given
    return _found(source) if source.hetero else None


def only_for_bidirectional(given: Optional[TypePairs], subgraph: str) -> None:
    """Refuses `reverse_types` of a loader that has no other use for them."""
    if given is not None and subgraph != "bidirectional":
        raise invalid("reverse_types", "given, but subgraph_type is not 'bidirectional'")


def forget_joined_ids(source: Source, pairs: Any) -> None:
    """Has batches without the ids of edges, and without their attributes, where these are not known.

    An edge that is joined from the reverse type has the id that it has there. That is the id of the
    reverse edge only where edge e of one type is edge e of the other with its ends exchanged."""
    by_name = {kind.name: kind for kind in source.edges}
    schema = source.dataset._schema
    for one, other in pairs.items() if hasattr(pairs, "items") else pairs or ():
        kinds = [by_name[schema.edge_type(name, "reverse_types")] for name in (one, other)]
        ends = [source.edge_index_of(kind.key) for kind in kinds]
        if ends[0] is None or ends[1] is None or torch.equal(ends[0].flip(0), ends[1]):
            continue
        source.without_ids.update(kind.key for kind in kinds)


def _found(source: Source) -> Pairs:
    """By the prefix ``rev_`` of the relation, else the only type that leads back."""
    names: Dict[Any, str] = {kind.key: kind.name for kind in source.edges}
    pairs: Pairs = []
    paired: Set[Any] = set()
    for key in names:
        reverse = (key[2], f"rev_{key[1]}", key[0])
        if reverse in names and not paired & {key, reverse}:
            paired |= {key, reverse}
            pairs += _checked(source, key, reverse)
    for key in names:
        if key in paired or key[0] == key[2]:
            continue  # edges within a node type are their own reverse
        there = [other for other in names if (other[0], other[2]) == (key[0], key[2])]
        back = [other for other in names if (other[0], other[2]) == (key[2], key[0])]
        if len(there) == len(back) == 1:
            paired |= {key, back[0]}
            pairs += _checked(source, key, back[0])
            continue
        listed = ", ".join(map(str, back)) or "none"
        _warn_of(
            f"the edge type {key} has no reverse that can be told: there are {len(there)} types from "
            f"{key[0]!r} to {key[2]!r}, and back there are: {listed}"
        )
    return pairs


def _checked(source: Source, one: Any, other: Any) -> Pairs:
    names = {kind.key: kind.name for kind in source.edges}
    counts = [source.dataset.num_edges(names[key]) for key in (one, other)]
    if counts[0] != counts[1]:
        _warn_of(
            f"the edge types {one} and {other} have {counts[0]} and {counts[1]} edges, expected as "
            "many, each edge of one having its reverse in the other"
        )
        return []
    return [(names[one], names[other])]


def _warn_of(why: str) -> None:
    warn(
        f"Cannot convert to bidirectional: {why}. Batches have its edges one way; name pairs in "
        "reverse_types"
    )
