"""Checks of arguments that the library would see too late or explain badly."""

from __future__ import annotations

import operator
import os
import threading
from typing import Any, Dict, Optional, TypeVar

from gls._low import glslow as low
from gls.errors import InvalidState, invalid
from gls.types import EdgeType

_Chosen = TypeVar("_Chosen")

# Bumped in every forked child, where objects of the parent are of no use.
_generation = 0


def _enter_child() -> None:
    global _generation
    _generation += 1
    low.set_main_thread(threading.get_ident())  # the thread that forked is the only one


os.register_at_fork(after_in_child=_enter_child)
low.set_main_thread(threading.main_thread().ident or 0)  # the one that runs handlers of signals


def fork_generation() -> int:
    return _generation


def check_process(generation: int) -> None:
    if generation != _generation:
        raise InvalidState(
            "this object was made before a fork and cannot be used in the child process; make it "
            "after the fork, or start workers with spawn"
        )


def closed(what: str) -> InvalidState:
    return InvalidState(f"the {what} is closed")


def not_picklable(what: str, instead: str) -> TypeError:
    return TypeError(f"cannot pickle or copy a gls.{what}: {instead}")


def whole_number(argument: str, value: Any, least: int, bits: int) -> int:
    """`value` as an int from `least` to the largest unsigned number of so many bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{argument} must be an integer, not {type(value).__name__}") from None
    if not least <= number < 1 << bits:
        raise invalid(argument, f"{number} is not within {least} .. 2^{bits} - 1")
    return number


def choice(argument: str, value: Any, choices: Dict[Any, _Chosen]) -> _Chosen:
    """What one of several names stands for, such as a number of the library."""
    try:
        return choices[value]
    except (KeyError, TypeError):
        known = ", ".join(repr(name) for name in choices)
        raise invalid(argument, f"{value!r} is not one of {known}") from None


def field_name(argument: str, field: Any) -> str:
    """What the library calls a field of a file or stream: its name, or its number as "#2"."""
    if isinstance(field, str):
        return text(argument, field)
    return f"#{whole_number(argument, field, 0, 31)}"


def text(argument: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a str, not {type(value).__name__}")
    if not value:
        raise invalid(argument, "the name is empty")
    return value


def optional_text(argument: str, value: Any) -> Optional[str]:
    return None if value is None else text(argument, value)


def join_edge_type(edge_type: EdgeType, argument: str = "edge_type") -> str:
    """The name of an edge type as the library writes it."""
    if isinstance(edge_type, str):
        return text(argument, edge_type)
    if (
        isinstance(edge_type, tuple)
        and len(edge_type) == 3
        and all(isinstance(part, str) for part in edge_type)
    ):
        for part in edge_type:
            if "__" in part or part.startswith("_") or part.endswith("_"):
                raise invalid(
                    argument,
                    f"the edge type {edge_type!r} has a name {part!r}, which contains '__' or begins "
                    "or ends with '_', as they stand between the three names; rename it",
                )
        return "__".join(edge_type)
    raise invalid(argument, f"{edge_type!r} is neither a name nor (source, relation, target)")
