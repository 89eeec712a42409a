"""Seeds, links and edges in the forms that callers give them, read into arrays of the library."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple

from gls._core.inputs import to_low
from gls._core.schema import Schema
from gls._low import glslow as low
from gls.errors import invalid
from gls.types import EdgeType, Exclude, Links, Seeds


def names_edge_type(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, tuple) and bool(value) and all(isinstance(x, str) for x in value)
    )


def link_set(schema: Schema, links: Links, argument: str) -> Tuple[str, low.Tensor]:
    """The type of links, and their ids or pairs."""
    edge_type: Optional[EdgeType] = None
    if isinstance(links, tuple) and len(links) == 2 and names_edge_type(links[0]):
        edge_type, links = links
    return schema.edge_type(edge_type, argument), to_low(links, argument)


def pairs(value: Any) -> Optional[List[Tuple[Any, Any]]]:
    """Of a mapping its items, of a sequence of pairs the pairs; None for all else."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)) and all(
        isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], (str, tuple))
        for item in value
    ):
        return list(value)
    return None


def edge_sets(schema: Schema, exclude: Optional[Exclude]) -> List[Tuple[str, low.Tensor]]:
    if exclude is None:
        return []
    sets = pairs(exclude)
    if sets is None:
        sets = [(None, exclude)]
    return [(schema.edge_type(t, "exclude"), to_low(edges, "exclude")) for t, edges in sets]


def seeds_with_times(
    schema: Schema, sets: List[Tuple[str, low.Tensor]], times: Optional[Seeds]
) -> List[Tuple[str, low.Tensor, Optional[low.Tensor]]]:
    if times is None:
        return [(node_type, ids, None) for node_type, ids in sets]
    typed = isinstance(times, tuple) and len(times) == 2 and isinstance(times[0], str)
    if not typed and not pairs(times) and len(sets) == 1:
        times = (sets[0][0], times)
    given = seed_sets(schema, times, "times")
    types = [node_type for node_type, _ in sets]
    if [node_type for node_type, _ in given] != types:
        raise invalid("times", f"expected those of the seeds of {types}, in this order")
    return [(node_type, ids, own) for (node_type, ids), (_, own) in zip(sets, given)]


def seed_sets(
    schema: Schema, seeds: Seeds, argument: str = "seeds"
) -> List[Tuple[str, low.Tensor]]:
    if isinstance(seeds, tuple) and len(seeds) == 2 and isinstance(seeds[0], str):
        seeds = [seeds]
    sets = pairs(seeds)
    if sets is None or (not sets and schema.only_node_type is not None):
        sets = [(None, seeds)]
    return [
        (schema.node_type(name, argument), to_low(ids, argument, vector=True)) for name, ids in sets
    ]
