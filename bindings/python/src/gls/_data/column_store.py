"""ColumnStore: a column that the caller's code answers."""

from __future__ import annotations

import math
from typing import (
    TYPE_CHECKING,
    Any,
    Awaitable,
    Callable,
    Iterable,
    List,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from gls._core.check import choice, join_edge_type, text, whole_number
from gls._core.context import Context
from gls._core.packages import need_numpy
from gls._core.tensor import DTYPE_NUMBERS, Tensor
from gls._data.fetch_threads import wrong_answer
from gls._data.storage import ROLES
from gls._data.store import Store, store_options
from gls._low import glslow as low
from gls.types import EdgeType

if TYPE_CHECKING:
    from concurrent.futures import Future

    from numpy.typing import NDArray

RowFetch = Callable[["NDArray[Any]", "NDArray[Any]"], Union[None, "Future[None]", Awaitable[None]]]
"""Answers a question; see :meth:`ColumnStore.fetch`."""


class ColumnStore(Store):
    """A column whose rows your code reads from a database, a service, or files of its own.

    Derive a class with a method :meth:`fetch`, or give a function. A dataset gets the column by
    :meth:`Dataset.with_stores`. The page "Stores" shows one.

    Python threads of the store call :meth:`fetch`, several at once. An object of the class may be
    used by several datasets; they share its cache. Subclasses call ``super().__init__()`` first, and
    keep what they use in attributes.

    The threads hold `fetch`. A bound method or closure that refers to this object keeps it, and the
    threads, until :meth:`close`. The object is a context manager, which closes it.

    Args:
        type: The node type, or the edge type; None: the only node type.
        name: The column's name.
        dtype: "float32", "int64", "bfloat16", "bool", ...
        shape: Of one row; () for a single number.
        role: As of :meth:`DatasetBuilder.add_node_column`.
        fetch: Called in place of the method.
        max_fetches: Questions in work at once; others wait for their turn, in order. A loader
            without `num_workers` makes at least as many batches at once, up to 32.
        max_ids: Ids of one question; longer ones are divided. 0: 2^20.
        deadline: Seconds for an answer. Also how long the store may answer no question at all while
            others wait for a turn. Then the batch fails with :class:`TimedOut`. None: without limit.
        cache_bytes: Memory for rows that the library keeps; 0: none. Rows must not change then.
        context: None: the default one.
    """

    def __init__(
        self,
        type: Optional[EdgeType] = None,
        name: str = "x",
        *,
        dtype: str = "float32",
        shape: Union[int, Sequence[int]] = (),
        role: str = "feature",
        fetch: Optional[RowFetch] = None,
        max_fetches: int = 16,
        max_ids: int = 0,
        deadline: Optional[float] = 30.0,
        cache_bytes: int = 0,
        context: Optional[Context] = None,
    ) -> None:
        of = None if type is None else join_edge_type(type, "type")
        code, bits = choice_of_dtype(dtype)
        number = choice("role", role, ROLES)
        extents = row_extents(shape)
        row = low.RowShape()
        for extent in extents:
            row.add(extent)
        options = store_options(max_fetches, max_ids, deadline, cache_bytes)
        column = text("name", name)

        def create(
            used: low.Context, options: low.StoreOptions, queue: low.FetchQueue
        ) -> low.Store:
            return low.Store.column(used, of, column, number, code, bits, row, options, queue)

        def arguments(task: low.FetchTask) -> Tuple[Any, ...]:
            return question(task, dtype, extents)

        if fetch is None and _is_missing(self):
            raise TypeError(f"{self.__class__.__name__} has no method fetch, and none is given")
        self._start(fetch, arguments, _rows_done, options, max_fetches, context, create)

    def fetch(
        self, ids: "NDArray[Any]", rows: "NDArray[Any]"
    ) -> "Union[None, Future[None], Awaitable[None]]":
        """Reads the rows of some nodes or edges. Threads of the store call it.

        What it raises becomes the error of the batch that asked. An :class:`Error` keeps its class.
        All others become :class:`InvalidArgument` with their names, texts and places. The logger
        "gls.store" gets tracebacks at the level "debug".

        It may be an ``async def``, or return another awaitable. Those of a store run in an event loop
        on a thread of their own. They are cancelled when the deadline passes.

        It must not use a dataset that has this store: the question would wait for itself.

        Args:
            ids: int64 [ids], a read-only copy.
            rows: [ids, ...] of the dtype and shape of the column, to be filled. It has zeros. It must
                not be kept after the answer, as it is memory of the batch. NumPy has no bfloat16, so
                such rows are shown as uint16, their bits.

        Returns:
            None when all rows are filled; or a :class:`concurrent.futures.Future` that is done when
            they are, whose result is None.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"gls.{self.__class__.__name__}()"


def _is_missing(store: ColumnStore) -> bool:
    return store.__class__.fetch is ColumnStore.fetch


def choice_of_dtype(dtype: str) -> "tuple[int, int]":
    choice("dtype", dtype, {name: 0 for name in DTYPE_NUMBERS})
    return DTYPE_NUMBERS[dtype]


def row_extents(shape: Any) -> List[int]:
    """An integer, or several."""
    several = isinstance(shape, Iterable) and getattr(shape, "ndim", 1) > 0
    extents = list(shape) if several else [shape]
    for extent in extents:
        if isinstance(extent, bool) or str(getattr(extent, "dtype", "")) == "bool":
            raise TypeError("shape must be an integer or integers, not bool")
    return [whole_number("shape", extent, 0, 31) for extent in extents]


def question_ids(task: low.FetchTask) -> "NDArray[Any]":
    """A copy, as the library's own array keeps the question."""
    ids: NDArray[Any] = need_numpy("a store").array(Tensor(task.ids()).numpy())
    ids.setflags(write=False)
    return ids


def question(
    task: low.FetchTask, dtype: str, extents: Sequence[int]
) -> "tuple[NDArray[Any], NDArray[Any]]":
    """The ids, and where their rows belong."""
    numpy = need_numpy("a store")
    ids = question_ids(task)
    kind = numpy.dtype("uint16" if dtype == "bfloat16" else dtype)
    shape = (len(ids), *extents)
    if math.prod(extents) == 0:
        return ids, numpy.empty(shape, kind)
    rows = Tensor(task.rows()).numpy()
    rows.fill(0)  # what is not written must not be another batch's memory
    return ids, rows.view(kind).reshape(shape)


def _rows_done(task: low.FetchTask, result: Any) -> None:
    if result is not None:
        raise wrong_answer(result, "None: it writes to `rows`")
    task.rows_done()
