"""Supervision: where the labels of anchors come from."""

from __future__ import annotations

from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from gls._core.check import choice, optional_text, whole_number
from gls._core.inputs import to_low
from gls._core.schema import Schema
from gls._low import glslow as low
from gls.errors import invalid
from gls.types import AnchorLabels, EdgeType

_ROLES = {"positive": 0, "negative": 1}
_SAMPLED = 1


class Supervision(NamedTuple):
    """Labels of anchors: the seeds whose links are to be predicted."""

    edge_type: Optional[EdgeType] = None
    """Labels are the targets of an anchor's edges of this type, in stored order. The direction,
    times and exclusions of the sampler do not matter. Needs the layout "csr". None: labels are
    given with the anchors."""
    max_labels: int = 0
    """Labels of an anchor, at most. From more labels, this many are drawn anew for each batch, and
    rows of labels always have this length. 0: all, in rows as long as the longest."""
    role: str = "positive"
    """"positive" or "negative"; the library treats both alike."""
    sampled: bool = False
    """The edge type is also sampled. A batch then does not use the edges from its anchors to their
    labels, nor edges that `exclude_mode` adds to them. Without it the type is for labels only and
    is never sampled."""
    name: Optional[str] = None
    """What batches call the labels. None: the name of the edge type."""
    node_type: Optional[str] = None
    """Type of labels that are given. None: the only one."""


Supervisions = Union[EdgeType, Supervision, Sequence[Union[EdgeType, Supervision]]]
"""Edge types of labels, by name or with more said; a list of several."""


def each(supervisions: Supervisions) -> Iterator[Supervision]:
    if isinstance(supervisions, Supervision):
        yield supervisions
    elif isinstance(supervisions, (str, tuple)):
        yield Supervision(supervisions)
    else:
        for one in supervisions:
            yield one if isinstance(one, Supervision) else Supervision(one)


def name_of(schema: Schema, one: Supervision) -> str:
    if one.name is not None:
        return one.name
    return "" if one.edge_type is None else schema.edge_type(one.edge_type, "supervisions")


def add_supervisions(
    schema: Schema, supervisions: Supervisions, options: low.SamplerOptions
) -> None:
    for one in each(supervisions):
        options.add_supervision(
            None if one.edge_type is None else schema.edge_type(one.edge_type, "supervisions"),
            optional_text("node_type", one.node_type),
            optional_text("name", one.name),
            choice("role", one.role, _ROLES),
            _SAMPLED if one.sampled else 0,
            whole_number("max_labels", one.max_labels, 0, 32),
        )


def anchor_type(schema: Schema, supervisions: Supervisions) -> Optional[str]:
    """The node type of the anchors, if an edge type says it."""
    for one in each(supervisions):
        if one.edge_type is not None:
            return schema.edge_tuples[schema.edge_type(one.edge_type, "supervisions")][0]
    return None


def labels_in_order(
    schema: Schema, supervisions: Optional[Supervisions], labels: Optional[AnchorLabels]
) -> List[Optional[low.Tensor]]:
    """Labels of each supervision, None where its edge type has them; [] if none are given."""
    if not labels:
        return []
    wanted = list(each(supervisions or ()))
    names = [name_of(schema, one) for one in wanted]
    for name in labels:
        if name not in names:
            raise invalid("labels", f"there is no supervision {name!r}")
    rows: List[Tuple[str, Any]] = [(name, labels.get(name)) for name in names]
    return [None if given is None else to_low(given, "labels") for _, given in rows]
