"""Attributes of nodes and edges, as other packages name them: columns with roles, and id sets."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, Iterable, Mapping, Optional

from gls._data.builder_inputs import BuilderInputs
from gls.errors import Unsupported, invalid
from gls.types import EdgeType

_ID_SETS = {"train_mask": "train", "val_mask": "valid", "test_mask": "test"}
_LABELS = ("y", "label", "labels")
_WEIGHTS = ("weight", "weights", "w", "edge_weight", "edge_weights")
_TIMES = ("time", "timestamp", "timestamps")


def clean_names(
    names: Iterable[str], argument: str, known: Optional[Mapping[str, str]] = None
) -> Dict[str, str]:
    """What the library calls each name: it has no "__", no "_" at an end and no control characters.

    Args:
        argument: That the names are of, for errors.
        known: Names with a meaning, and what they become.

    Raises:
        InvalidArgument: Two names become one, or nothing is left of a name.
    """
    out: Dict[str, str] = {}
    origins: Dict[str, str] = {}
    for name in names:
        cleaned = (known or {}).get(name) or re.sub(r"[\x00-\x1f\x7f_]+", "_", name).strip("_")
        if not cleaned:
            raise invalid(argument, f"nothing is left of the name {name!r} without '_'; rename it")
        other = origins.setdefault(cleaned, name)
        if other != name:
            raise invalid(
                argument, f"the names {other!r} and {name!r} both become {cleaned!r}; rename one"
            )
        out[name] = cleaned
    return out


def add_node_attributes(
    builder: BuilderInputs, type: str, attributes: Mapping[str, Any], argument: str
) -> None:
    """Adds arrays with a row for each node. Masks of a split become id sets, all else columns.

    Args:
        argument: That the attributes are of, for errors.
    """
    names = clean_names(attributes, argument, {"_ID": "orig_id"})
    for name, value in attributes.items():
        value = on_host(value, name, argument)
        if name in _ID_SETS and _is_mask(value):
            builder.add_id_set(type, _ID_SETS[name], value != 0)
            continue
        role = "label" if name in _LABELS else _time_or_feature(name, value)
        builder.add_node_column(type, names[name], value, role=role)


def add_edge_attributes(
    builder: BuilderInputs, edge_type: EdgeType, attributes: Mapping[str, Any], argument: str
) -> None:
    """Adds arrays with a row for each edge, as :func:`add_node_attributes`. Weights have their role
    if sampling can use them."""
    names = clean_names(attributes, argument, {"_ID": "orig_id"})
    for name, value in attributes.items():
        value = on_host(value, name, argument)
        role = "label" if name in _LABELS else _time_or_feature(name, value)
        if name in _WEIGHTS and are_weights(value):
            role = "weight"
        builder.add_edge_column(edge_type, names[name], value, role=role)


def are_weights(value: Any) -> bool:
    """Whether an array of NumPy or PyTorch has one number a row, none negative, all finite."""
    if len(value.shape) != 1 or "complex" in str(value.dtype):
        return False
    return bool(((value >= 0) & (value < math.inf)).all())


def on_host(value: Any, name: str, argument: str) -> Any:
    """An array that the library can use in place; without its gradient, where it has one.

    Raises:
        Unsupported: It is not in memory of the host.
    """
    kind = getattr(getattr(value, "device", None), "type", "cpu")
    if kind != "cpu":
        raise Unsupported(f"{argument}: {name!r} is on {value.device}; move the graph to the CPU")
    return value.detach() if getattr(value, "requires_grad", False) else value


def _dtype(value: Any) -> str:
    return str(getattr(value, "dtype", "")).split(".")[-1]


def _is_mask(value: Any) -> bool:
    """Files of DGL have masks as uint8."""
    return len(value.shape) == 1 and _dtype(value) in ("bool", "uint8")


def _time_or_feature(name: str, value: Any) -> str:
    is_time = name in _TIMES and _dtype(value) == "int64" and len(value.shape) == 1
    return "time" if is_time else "feature"
