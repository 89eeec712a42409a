"""How datasets are stored: layouts, roles of columns, options of writing."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence, Union

from gls._core.check import choice, whole_number
from gls._low import glslow as low
from gls.types import Progress

RESIDENCY = {"mapped": 0, "topology": 1, "all": 2}
LAYOUTS = {"csc": 1, "csr": 2}
DIRECTIONS = {"in": 0, "out": 1}
ROLES = {"feature": 0, "label": 1, "weight": 2, "time": 3, "other": 4}


def _layout_bits(layouts: Union[str, Sequence[str]]) -> int:
    names = [layouts] if isinstance(layouts, str) else list(layouts)
    bits = 0
    for name in names:
        bits |= choice("layouts", name, LAYOUTS)
    return bits


def write_options(
    *,
    layouts: Union[str, Sequence[str]],
    memory: int = 0,
    overwrite: bool = False,
    row_padding: bool = True,
) -> low.WriteOptions:
    options = low.WriteOptions()
    options.set_memory(whole_number("memory", memory, 0, 64))
    options.set_layouts(_layout_bits(layouts))
    options.set_overwrite(bool(overwrite))
    options.set_row_padding(bool(row_padding))
    return options


def choices_of(choices: Mapping[str, object]) -> low.Choices:
    """What a caller chooses of a format of another system."""
    given = low.Choices()
    for name, value in choices.items():
        given.add(f"{name}={choice_text(value)}")
    return given


def choice_text(value: object) -> str:
    """As the plugins of formats write it: "true" and "false", and lists with commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(choice_text(one) for one in value)
    return str(value)


def check_progress(progress: Optional[Progress]) -> Optional[Progress]:
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable, not {type(progress).__name__}")
    return progress
