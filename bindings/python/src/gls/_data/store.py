"""What stores share: how they are asked, and what became of it."""

from __future__ import annotations

import weakref
from types import TracebackType
from typing import Any, Callable, NamedTuple, NoReturn, Optional, Type, TypeVar

from gls._core.calls import to_milliseconds
from gls._core.check import (
    check_process,
    closed,
    fork_generation,
    not_picklable,
    whole_number,
)
from gls._core.context import Context, default_context
from gls._data.fetch_threads import Arguments, FetchThreads, Reply
from gls._low import glslow as low
from gls.errors import InvalidState, invalid


class StoreStats(NamedTuple):
    """What a store was asked since it was made."""

    fetches: int
    """Questions that it got."""
    ids: int
    """Ids in them."""
    cached_ids: int
    """Ids that the cache answered."""
    failures: int
    """Questions that ended with an error, without those canceled."""
    fetch_ns: int
    """Time from question to answer, summed."""
    wait_ns: int
    """Time that questions waited for their turn, summed."""
    cache_bytes: int
    """Memory that cached answers take."""


_Same = TypeVar("_Same", bound="Store")


class Store:
    """What :class:`ColumnStore` and :class:`NeighborStore` share."""

    # Beside the attributes of subclasses: what the threads call has those, but not `_owned`.
    __slots__ = ("__dict__", "__weakref__", "_owned", "_found", "_threads", "_generation")

    _owned: Optional[low.Store]  # None: closed
    _found: "weakref.ref[low.Store]"
    _threads: FetchThreads
    _generation: int

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        for name, instead in (
            ("__del__", "give it to an object that the store has as attribute"),
            ("__slots__", "use plain attributes"),
        ):
            # Empty slots, as of typing.Generic, do no harm.
            bases = [base for base in cls.__mro__ if base not in Store.__mro__]
            if any(base.__dict__.get(name) for base in bases):
                raise TypeError(f"the store {cls.__name__} cannot have {name}: {instead}")

    def _start(
        self,
        given: Optional[Callable[..., Any]],
        arguments: Arguments,
        reply: Reply,
        options: low.StoreOptions,
        most_threads: int,
        context: Optional[Context],
        create: Callable[[low.Context, low.StoreOptions, low.FetchQueue], low.Store],
    ) -> None:
        """Makes the store of the library.

        Args:
            given: What answers; None: the method `fetch`.
            arguments: What it is called with.
        """
        if given is not None and not callable(given):
            raise TypeError(f"fetch must be callable, not {type(given).__name__}")
        twin = self._twin()
        threads = FetchThreads(
            most_threads, twin.fetch if given is None else given, arguments, reply
        )
        self._owned = create((context or default_context())._low, options, threads.queue)
        self._threads = threads
        for one in (self, twin):
            one._found = weakref.ref(self._owned)
            one._generation = fork_generation()

    def _twin(self) -> Any:
        """An object with the same attributes, which the threads hold. It does not own the store. So
        the threads end when the caller's object and all datasets with the store are gone."""
        twin = object.__new__(type(self))
        twin.__dict__ = self.__dict__
        return twin

    @property
    def _low(self) -> low.Store:
        try:
            check_process(self._generation)
        except AttributeError:
            name = type(self).__name__
            raise TypeError(f"{name}.__init__() must call super().__init__() first") from None
        found = self._found()
        if found is None and hasattr(self, "_owned"):
            raise closed("store")
        if found is None:  # in `fetch`
            raise InvalidState(
                "the object that made the store is gone, and with it what it counted"
            )
        return found

    def _answer(self) -> None:
        """Starts to answer questions, as a dataset has the store."""
        self._threads.start()

    @property
    def stats(self) -> StoreStats:
        """What the store was asked since it was made."""
        handle = self._low
        return StoreStats(*(getattr(handle, name)() for name in StoreStats._fields))

    def close(self) -> None:
        """Lets go of the store. Datasets that have it stay usable. When the last of them is gone, the
        threads end. In `fetch` it does nothing."""
        self._owned = None

    def __enter__(self: _Same) -> _Same:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable(type(self).__name__, "make it in the process that uses it")


def store_options(
    max_fetches: int, max_ids: int, deadline: Optional[float], cache_bytes: int
) -> low.StoreOptions:
    options = low.StoreOptions()
    options.set_max_fetches(whole_number("max_fetches", max_fetches, 1, 32))
    options.set_max_ids(whole_number("max_ids", max_ids, 0, 32))
    options.set_cache_bytes(whole_number("cache_bytes", cache_bytes, 0, 64))
    if deadline is not None and not deadline > 0:
        raise invalid("deadline", f"{deadline} is not more than 0")
    options.set_deadline_ms(to_milliseconds(deadline, "deadline"))
    return options
