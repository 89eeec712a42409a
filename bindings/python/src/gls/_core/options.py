"""Options that several classes take, declared once: types in a TypedDict, defaults in a dictionary of it."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def takes(kind: type, defaults: Mapping[str, Any]) -> Callable[[F], F]:
    """Gives a method the options of a TypedDict as keyword arguments with their defaults.

    The method is declared with ``**options: Unpack[kind]``, which type checkers and editors read. At its
    first use it becomes a function with a plain signature. So ``help()``, :mod:`inspect` and Python's own
    errors name each option, and `options` always has all of them.

    Args:
        kind: The TypedDict.
        defaults: A value for each of its keys.
    """

    def decorate(function: F) -> F:
        return cast(F, _Method(function, kind, defaults))

    return decorate


class _Method:
    """Stands in its class for the method that is made at the first use, as most programs need few."""

    def __init__(self, function: Any, kind: type, defaults: Mapping[str, Any]) -> None:
        self._arguments = function, kind, defaults

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: Optional[type] = None) -> Any:
        method = _with_options(*self._arguments)
        setattr(self._owner, self._name, method)
        return method.__get__(instance, owner)


def _with_options(function: Any, kind: type, defaults: Mapping[str, Any]) -> Any:
    code, given = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    keywords = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    values: Dict[str, Any] = dict(zip(positional[len(positional) - len(given) :], given))
    values.update(function.__kwdefaults__ or {})
    values.update(defaults)
    named = [*keywords, *(name for name in defaults if name not in keywords)]
    parameters = [f"{n}=_value[{n!r}]" if n in values else n for n in (*positional, "*", *named)]
    passed = [*positional, *(f"{name}={name}" for name in named)]
    name = function.__name__
    source = (
        f"def _make(_call, _value):\n"
        f"    def {name}({', '.join(parameters)}):\n"
        f"        return _call({', '.join(passed)})\n"
        f"    return {name}\n"
    )
    scope: Dict[str, Any] = {}
    where = f"<options of {function.__qualname__}>"
    exec(compile(source, where, "exec"), function.__globals__, scope)
    made: Any = scope["_make"](function, values)
    annotations = {key: _text(value) for key, value in kind.__annotations__.items()}
    annotations.update(function.__annotations__)
    order = (*positional[1:], *named, "return")
    made.__annotations__ = {key: annotations[key] for key in order}
    made.__doc__, made.__qualname__ = function.__doc__, function.__qualname__
    return made


def _text(annotation: Any) -> Any:
    """An annotation of a TypedDict as it was written."""
    return getattr(annotation, "__forward_arg__", annotation)
