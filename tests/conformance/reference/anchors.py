"""Section 10 of docs/contract.md: anchors and their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Protocol

from reference.philox import RowDraws
from reference.picks import ALL, NEVER, ContractError, pick_uniform

POSITIVE = "positive"
NEGATIVE = "negative"

LABEL_HOP = 255

MAX_LABELS = 2**28


@dataclass
class Supervision:
    """Labels are the targets of an edge type, or are given with the anchors."""

    edge_type: Optional[str] = None
    node_type: Optional[str] = None
    name: Optional[str] = None
    role: str = POSITIVE
    sampled: bool = False
    max_labels: int = 0

    @property
    def array(self) -> tuple[str, str]:
        """What tells its array from others."""
        return (self.name or self.edge_type or "", self.role)


class EdgeType(Protocol):
    name: str
    source: list[int]
    target: list[int]
    source_type: str
    target_type: str


def invalid(message: str) -> ContractError:
    return ContractError("GLS_ERR_INVALID_ARGUMENT", message)


def check(
    supervisions: list[Supervision], types: dict[str, EdgeType], negatives: Optional[str]
) -> None:
    if supervisions and negatives is not None:
        raise invalid("negatives are for links")
    arrays = [supervision.array for supervision in supervisions]
    if len(set(arrays)) != len(arrays):
        raise invalid("two arrays of one name")
    for supervision in supervisions:
        if not 0 <= supervision.max_labels <= MAX_LABELS:
            raise invalid(f"{supervision.max_labels} labels at most")
        if supervision.edge_type is None:
            if supervision.name is None or supervision.sampled or supervision.max_labels:
                raise invalid("labels that are given have a name and no options")
        elif supervision.node_type is not None:
            raise invalid("an edge type has its node type")
    sources = {types[s.edge_type].source_type for s in supervisions if s.edge_type in types}
    if len(sources) > 1:
        raise invalid(f"anchors of several types: {sources}")


def find(edge_type: EdgeType, number: int, anchor: int, most: int, key: int) -> list[int]:
    """Labels of one anchor: targets of its edges in the order of their ids, or some of those."""
    row = [e for e, source in enumerate(edge_type.source) if source == anchor]
    draws = RowDraws(key, number, LABEL_HOP, anchor, len(row))
    picks = pick_uniform(draws, len(row), most or ALL, NEVER)
    return [edge_type.target[row[position]] for position in picks]


def padded(rows: list[list[int]], width: int) -> list[list[int]]:
    width = width or max((len(row) for row in rows), default=0)
    return [row + [-1] * (width - len(row)) for row in rows]
