"""NeighborStore: neighbours that the caller's code answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Awaitable, Callable, Optional, Tuple, Union

from gls._core.check import choice, join_edge_type, whole_number
from gls._core.context import Context
from gls._core.packages import need_numpy
from gls._data.column_store import question_ids
from gls._data.fetch_threads import wrong_answer
from gls._data.storage import LAYOUTS
from gls._data.store import Store, store_options
from gls._low import glslow as low
from gls.errors import invalid
from gls.types import ArrayLike, EdgeType

if TYPE_CHECKING:
    from concurrent.futures import Future

    from numpy.typing import NDArray

Lists = Union[Tuple[ArrayLike, ArrayLike], Tuple[ArrayLike, ArrayLike, ArrayLike]]
"""Numbers of neighbours, the neighbours, and with edge ids these."""
NeighborFetch = Callable[["NDArray[Any]"], Union[Lists, "Future[Lists]", Awaitable[Lists]]]
"""Answers a question; see :meth:`NeighborStore.fetch`."""


class NeighborStore(Store):
    """The neighbours of an edge type, which your code reads from a database or a service.

    Derive a class with a method :meth:`fetch`, or give a function. A dataset gets the edge type by
    :meth:`Dataset.with_stores`. A question asks for all neighbours of some nodes; the library picks
    from them. Two stores may have both layouts of one edge type.

    Args:
        edge_type: Its name; the dataset has its node types.
        num_edges: Edge ids are below it; without edge ids an estimate above 0.
        layout: "csc": in-neighbours of targets; "csr": out-neighbours of sources.
        edge_ids: Whether answers have edge ids. Without them there are no edge ids in batches, no
            columns of edges, and no excluded edges by id.
        fetch, max_fetches, max_ids, deadline, cache_bytes, context: As of :class:`ColumnStore`.
    """

    def __init__(
        self,
        edge_type: EdgeType,
        num_edges: int,
        layout: str = "csc",
        *,
        edge_ids: bool = False,
        fetch: Optional[NeighborFetch] = None,
        max_fetches: int = 16,
        max_ids: int = 0,
        deadline: Optional[float] = 30.0,
        cache_bytes: int = 0,
        context: Optional[Context] = None,
    ) -> None:
        joined = join_edge_type(edge_type)
        edges = whole_number("num_edges", num_edges, 0, 63)
        number = choice("layout", layout, LAYOUTS)
        with_ids = bool(edge_ids)
        options = store_options(max_fetches, max_ids, deadline, cache_bytes)

        def create(
            used: low.Context, options: low.StoreOptions, queue: low.FetchQueue
        ) -> low.Store:
            return low.Store.neighbors(used, joined, edges, number, with_ids, options, queue)

        def arguments(task: low.FetchTask) -> Tuple[Any, ...]:
            return (question_ids(task),)

        def reply(task: low.FetchTask, result: Any) -> None:
            _reply(task, result, with_ids)

        if fetch is None and type(self).fetch is NeighborStore.fetch:
            raise TypeError(f"{type(self).__name__} has no method fetch, and none is given")
        self._start(fetch, arguments, reply, options, max_fetches, context, create)

    def fetch(self, nodes: "NDArray[Any]") -> "Union[Lists, Future[Lists], Awaitable[Lists]]":
        """Reads the neighbours of some nodes. Threads of the store call it.

        A node's neighbours need a fixed order: the same order makes the same batches. What it raises,
        awaitables, and what it must not use, are as for :meth:`ColumnStore.fetch`.

        Args:
            nodes: int64 [nodes], a read-only copy.

        Returns:
            A count for each node, and the neighbours of all nodes, those of the first one first. With
            edge ids also these, as a third vector. Or a :class:`concurrent.futures.Future` of this
            tuple.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"gls.{type(self).__name__}()"


def _reply(task: low.FetchTask, result: Any, with_ids: bool) -> None:
    names = ("counts", "neighbors", "edge_ids") if with_ids else ("counts", "neighbors")
    if not isinstance(result, (tuple, list)) or len(result) != len(names):
        raise wrong_answer(result, f"({', '.join(names)})")
    arrays = [_integers(value, name) for name, value in zip(names, result)]
    task.neighbors(arrays[0], arrays[1], arrays[2] if with_ids else None)


def _integers(value: Any, name: str) -> low.Tensor:
    numpy = need_numpy("a store")
    try:
        array = numpy.asarray(value)
    except ValueError as error:  # lists of different lengths
        raise invalid(name, str(error)) from None
    if array.ndim != 1 or (array.size > 0 and array.dtype.kind not in "iu"):
        shape = list(array.shape)
        raise invalid(name, f"{array.dtype} of shape {shape}, expected a vector of integers")
    whole = numpy.ascontiguousarray(array, numpy.int64)
    handle = low.tensor_from_buffer(whole, True)
    assert handle is not None
    return handle
