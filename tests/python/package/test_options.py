"""Options that are declared once reach signatures, errors and calls."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Dict, Optional, Type, TypedDict

import pytest

import gls
from gls._core.options import takes
from gls._loading import loader_options
from gls._sampling import sampler_options

if TYPE_CHECKING:
    from typing_extensions import Unpack


def declared(module: Any) -> Dict[str, Any]:
    """The TypedDicts of a module and their defaults, by name."""
    return {
        name: (kind, getattr(module, f"{snake_case(name[: -len('Options')]).upper()}_DEFAULTS"))
        for name, kind in vars(module).items()
        if name.endswith("Options")
    }


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)


DECLARED = {**declared(sampler_options), **declared(loader_options)}


@pytest.mark.parametrize("name", DECLARED)
def test_each_option_has_a_type_and_a_default(name: str) -> None:
    kind, defaults = DECLARED[name]
    assert set(kind.__annotations__) == set(defaults)


class Colors(TypedDict, total=False):
    ink: str
    paper: Optional[str]


DEFAULTS: Colors = {"ink": "black", "paper": None}


class Print:
    @takes(Colors, DEFAULTS)
    def __init__(self, text: str, size: int = 12, *, bold: bool, **options: Unpack[Colors]) -> None:
        """Prints."""
        self.given = text, size, bold, options


class Poster(Print):
    @takes(Colors, DEFAULTS)
    def __init__(self, text: str, **options: Unpack[Colors]) -> None:
        super().__init__(text, 72, bold=True, **options)


def test_the_body_gets_all_options() -> None:
    black: Dict[str, Any] = {"ink": "black", "paper": None}
    assert Print("a", bold=False).given == ("a", 12, False, black)
    assert Print("a", 9, bold=True, ink="red").given == ("a", 9, True, {**black, "ink": "red"})
    assert Poster(text="b", paper="white").given == ("b", 72, True, {**black, "paper": "white"})
    first, second = Print("a", bold=True).given[3], Print("a", bold=True).given[3]
    assert first is not second and first is not DEFAULTS


def test_a_signature_has_all_options() -> None:
    assert str(inspect.signature(Print)) == (
        "(text: 'str', size: 'int' = 12, *, bold: 'bool', ink: 'str' = 'black', "
        "paper: 'Optional[str]' = None) -> 'None'"
    )
    assert str(inspect.signature(Poster.__init__)) == (
        "(self, text: 'str', *, ink: 'str' = 'black', paper: 'Optional[str]' = None) -> 'None'"
    )
    assert Print.__init__.__doc__ == "Prints." and Print.__init__.__module__ == __name__


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"inc": "red"}, "unexpected keyword argument 'inc'"),
        ({"text": "b"}, "multiple values for argument 'text'"),
        ({}, "missing 1 required keyword-only argument: 'bold'"),
    ],
    ids=["unknown", "twice", "missing"],
)
def test_errors_are_those_of_python(arguments: Dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Print("a", **arguments)


LOADERS = (
    gls.NeighborLoader,
    gls.LinkNeighborLoader,
    gls.AnchorLoader,
    gls.WalkLoader,
    gls.ImportanceLoader,
    gls.PPRLoader,
    gls.HGTLoader,
)


@pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.__name__)
def test_loaders_have_the_common_options_in_text_and_signature(loader: Type[Any]) -> None:
    parameters = inspect.signature(loader).parameters
    assert set(loader_options.LOADER_DEFAULTS) <= set(parameters)
    assert all(one.kind is not one.VAR_KEYWORD for one in parameters.values())
    described = set(inspect.getdoc(loader).replace(",", " ").replace(":", " ").split())  # type: ignore[union-attr]
    assert set(parameters) <= described
    with pytest.raises(TypeError, match="unexpected keyword argument 'batchsize'"):
        loader(None, None, batchsize=5)
