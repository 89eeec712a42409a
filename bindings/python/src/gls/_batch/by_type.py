"""What there is of each type of a batch."""

from __future__ import annotations

from typing import Dict, Generic, Iterator, Mapping, TypeVar

from gls.errors import NotFound
from gls.types import EdgeType

_A = TypeVar("_A")


class ByType(Mapping[EdgeType, _A], Generic[_A]):
    """The types of a batch, by name; edge types also by tuple."""

    def __init__(self, arrays: Dict[str, _A]) -> None:
        self._by_name = arrays

    def __getitem__(self, type: EdgeType) -> _A:
        name = type if isinstance(type, str) else "__".join(type)
        try:
            return self._by_name[name]
        except KeyError:
            known = ", ".join(self._by_name)
            raise NotFound(
                f"the batch has no type {name!r}; there are: {known}", detail={"type": name}
            ) from None

    def __contains__(self, type: object) -> bool:
        name = "__".join(type) if isinstance(type, tuple) else type
        return name in self._by_name

    def __iter__(self) -> Iterator[EdgeType]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)
