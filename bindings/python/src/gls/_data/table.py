"""Table: rows that training changes, with their optimiser."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Optional, Tuple, Type, Union

from gls._core.calls import call_milliseconds
from gls._core.check import (
    check_process,
    choice,
    closed,
    fork_generation,
    not_picklable,
    whole_number,
)
from gls._core.inputs import to_low
from gls._core.packages import need_numpy
from gls._core.tensor import DTYPE_NUMBERS, Tensor, dtype_name
from gls._core.trainer import trainer
from gls._low import glslow as low_level
from gls.errors import invalid
from gls.types import ArrayLike

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gls.types import Path

_OPTIMIZERS = {
    None: low_level.OPTIMIZER_NONE,
    "sgd": low_level.OPTIMIZER_SGD,
    "adagrad": low_level.OPTIMIZER_ADAGRAD,
    "adam": low_level.OPTIMIZER_ADAM,
}
_OPTIMIZER_NAMES = {number: name for name, number in _OPTIMIZERS.items()}


def _or_none(argument: str, value: float) -> float:
    """As the library has it, for which 0 is the default, and a negative number none."""
    if not value >= 0:
        raise invalid(argument, f"{value} is not at least 0")
    return value if value > 0 else -1.0


def table_options(
    *,
    width: int,
    dtype: str,
    low: float,
    high: float,
    seed: int,
    optimizer: Optional[str],
    mean: bool,
    row_steps: bool,
    epsilon: Optional[float],
    betas: Optional[Tuple[float, float]],
    rank: Union[None, int, str],
    world_size: Optional[int],
) -> low_level.TableOptions:
    if dtype not in DTYPE_NUMBERS:
        raise invalid("dtype", f"{dtype!r} is not one of {', '.join(map(repr, DTYPE_NUMBERS))}")
    options = low_level.TableOptions(whole_number("width", width, 1, 63))
    options.set_dtype(*DTYPE_NUMBERS[dtype])
    options.set_range(float(low), float(high))
    options.set_seed(whole_number("seed", seed, 0, 64))
    options.set_optimizer(choice("optimizer", optimizer, _OPTIMIZERS))
    options.set_flags(
        (low_level.TABLE_MEAN if mean else 0) | (low_level.TABLE_ROW_STEPS if row_steps else 0)
    )
    if epsilon is not None:
        options.set_epsilon(_or_none("epsilon", float(epsilon)))
    if betas is not None:
        options.set_beta1(_or_none("betas", float(betas[0])))
        options.set_beta2(_or_none("betas", float(betas[1])))
    options.set_trainer(*trainer(rank, world_size))
    return options


def open_table(
    dataset: low_level.Dataset,
    type: str,
    name: str,
    options: Optional[low_level.TableOptions],
) -> Table:
    return Table(low_level.Table.open(dataset, type, name, options))


class Table:
    """A named table with a row of numbers for each node or edge of a type, with an optimiser. It
    can hold embeddings of nodes without features, for example. Made by :meth:`Dataset.table`.

    For a dataset in this process the rows are in its memory, as long as the dataset exists. For a
    graph on servers the rows are in the memory of the servers (see `table_bytes` of
    :class:`Server`). They live until the table is dropped or a server ends, and several trainers
    change them together.

    Several threads may read and write rows; steps, saving and loading run one thread at a time.
    :class:`gls.nn.Embedding` uses the rows in a PyTorch model. Example::

        table = dataset.table("h", width=16, low=-0.1, high=0.1, optimizer="adam")

        rows = table.rows(ids)                     # gls.Tensor [ids, 16]
                table.step(ids, gradients, 0.01)           # the gradients of these rows

        table[:3] = numpy.zeros((3, 16), numpy.float32)
        table[[7, 5]]                              # a NumPy array
    """

    def __init__(self, handle: low_level.Table) -> None:
        """Not for users: see Dataset.table()."""
        self._handle: Optional[low_level.Table] = handle
        self._generation = fork_generation()
        self._lock = threading.Lock()
        self._info = handle.info()

    @property
    def _low(self) -> low_level.Table:
        check_process(self._generation)
        handle = self._handle
        if handle is None:
            raise closed("table")
        return handle

    # ---- what it is ----

    @property
    def name(self) -> str:
        """As it was opened by."""
        return self._info.name()

    @property
    def type(self) -> str:
        """The node or edge type that has a row each: "paper", or "author__writes__paper"."""
        return self._info.type()

    @property
    def num_rows(self) -> int:
        """As many as the type has nodes or edges; also ``len(table)``."""
        return self._info.rows()

    def __len__(self) -> int:
        return self._info.rows()

    @property
    def width(self) -> int:
        """Numbers of a row."""
        return self._info.width()

    @property
    def dtype(self) -> str:
        """Of the numbers: "float32"."""
        return dtype_name(self._info.dtype_code(), self._info.dtype_bits())

    @property
    def optimizer(self) -> Optional[str]:
        """What a step does: "sgd", "adagrad" or "adam"; None: there are no steps."""
        return _OPTIMIZER_NAMES[self._info.optimizer()]

    @property
    def mean(self) -> bool:
        """Whether a row's gradient is the mean of those that a step has for it, and not their sum."""
        return bool(self._info.flags() & low_level.TABLE_MEAN)

    @property
    def row_steps(self) -> bool:
        """Whether Adam counts the steps of each row, and not those of the table."""
        return bool(self._info.flags() & low_level.TABLE_ROW_STEPS)

    @property
    def rank(self) -> int:
        """Of this trainer among those that take steps together."""
        return self._info.rank()

    @property
    def world_size(self) -> int:
        """How many trainers take steps together."""
        return self._info.world_size()

    @property
    def num_steps(self) -> int:
        """How many were taken, as far as this object knows: it learns of them by :meth:`step` and
        :meth:`load`."""
        return self._low.info().step()

    @property
    def nbytes(self) -> int:
        """Of all its rows, with what the optimiser keeps, wherever they are."""
        return self._info.bytes()

    # ---- rows ----

    def rows(self, ids: ArrayLike) -> Tensor:
        """Rows by id: [ids, width], in memory of their own.

        A row is read before or after a step or a write, never in the middle of it. One call may
        read some rows before a step and other rows after it.

        Args:
            ids: [ids] nodes or edges, int32 or int64, in any order, repeated ids allowed.

        Raises:
            InvalidArgument: An id is out of range.
            InvalidState: A server lost the table, or it was dropped.
            IoError, TimedOut
        """
        return Tensor(self._low.rows(to_low(ids, "ids", vector=True)))

    def write(self, ids: ArrayLike, rows: ArrayLike) -> None:
        """Writes rows. If an id occurs several times, its last row counts.

        Args:
            ids: [ids] nodes or edges.
            rows: [ids, width] of the table's :attr:`dtype`.

        Raises:
            InvalidArgument: An id is out of range; shape or dtype of `rows`.
            InvalidState, IoError, TimedOut: As of :meth:`rows`; some rows may be written.
        """
        given = self._numbers("rows", rows, self.dtype)
        self._low.write(to_low(ids, "ids", vector=True), given)

    def __getitem__(self, ids: Union[slice, ArrayLike]) -> NDArray[Any]:
        """:meth:`rows`, also of a slice of the ids, as a NumPy array."""
        return self.rows(self._ids(ids)).numpy()

    def __setitem__(self, ids: Union[slice, ArrayLike], rows: ArrayLike) -> None:
        self.write(self._ids(ids), rows)

    def _ids(self, index: Union[slice, ArrayLike]) -> ArrayLike:
        if not isinstance(index, slice):
            return index
        numpy = need_numpy("a slice of a table")
        ids: ArrayLike = numpy.arange(*index.indices(len(self)))
        return ids

    def _numbers(self, argument: str, value: ArrayLike, dtype: str) -> low_level.Tensor:
        """Numbers of Python are of the type that is needed; arrays are of the one they have."""
        if isinstance(value, (list, tuple)):
            numpy = need_numpy(f"a {type(value).__name__} as {argument}")
            try:
                array: Any = numpy.asarray(value, dtype)
            except (TypeError, ValueError) as error:
                raise invalid(argument, str(error)) from None
            value = array.reshape(0, self.width) if array.size == 0 else array
        return to_low(value, argument, vector=True)

    # ---- steps ----

    def step(
        self,
        ids: ArrayLike,
        gradients: ArrayLike,
        learning_rate: float,
        timeout: Optional[float] = None,
    ) -> None:
        """Takes a step of the optimiser together with all trainers: waits until each trainer has
        sent its gradients, and returns when the rows are changed. Ctrl-C ends the waiting.

        Each trainer sums a row's gradients in the order of `ids`. These sums are then added in the
        order of the ranks, and the row is changed once. So the result depends neither on the order
        of arrival nor on the parts.

        After an error, or Ctrl-C, the step was not taken, with two exceptions: the connection to a
        server was lost, or another trainer ended in the middle of it. Then some parts may have
        taken the step, and the next call must have the same arguments. A step is never taken twice.
        Several tables may have steps at the same time.

        Args:
            ids: [ids] nodes or edges, in any order, repeated ids allowed. A trainer without
                gradients passes none: ``table.step([], [], rate)``.
            gradients: float32 [ids, width], all finite: one that is NaN or infinite would stay in its row.
            learning_rate: Equal in all trainers.
            timeout: How many seconds to wait for the others. None: the setting
                "cluster.request_timeout_ms"; ``math.inf``: without limit.

        Raises:
            InvalidArgument: An id is out of range; shape or dtype of `gradients`, or more than 1
                GiB of them for a part. A gradient, or the sum for an id, is not finite; the message
                names the row. The learning rate is not finite, or differs from that of the others.
                The world size differs from that of the others, or another trainer has this rank.
            TimedOut: The message says which ranks are missing.
            InvalidState: The table has no optimiser, or was opened without a width. It was dropped
                or lost, or is being loaded. A trainer ended in the middle of a step, or this object
                is behind: load the table.
            OutOfMemory: Also of a server's memory for tables, which includes gradients that wait
                for others.
            IoError: A server is not there.
        """
        given = self._numbers("gradients", gradients, "float32")
        which, rate = to_low(ids, "ids", vector=True), float(learning_rate)
        handle = self._low
        with self._lock:
            handle.step(which, given, rate, call_milliseconds(timeout))

    # ---- files ----

    def save(self, path: Path) -> None:
        """Saves this trainer's share of the rows, with what the optimiser keeps. Every trainer calls it
        after the same step, and nothing is written to the table meanwhile; no trainer waits for another. A step
        that is taken while rows are read makes it fail.

        The files say nothing of parts: they can be loaded with others, or by another number of trainers.

        Args:
            path: A folder; it is made where it is not there. What all trainers save goes into one folder, or
                into one of each that are put together before they are loaded.

        Raises:
            AlreadyExists: This share was saved there, or something else: another table or step, or by another
                number of trainers.
            InvalidState: A step was taken meanwhile, or parts are at different steps.
            IoError
        """
        handle = self._low
        with self._lock:
            handle.save(path)

    def load(self, path: Path, timeout: Optional[float] = None) -> None:
        """Loads a saved table: this trainer loads its share, and the call returns when all trainers
        have loaded theirs. Steps continue from the saved step. Every trainer calls it. Files are
        checked before the first row is written. From then on no step is taken until a load has
        succeeded. Ctrl-C ends the waiting.

        Args:
            path: A folder with all that was saved at one step, by any number of trainers.
            timeout: As of :meth:`step`.

        Raises:
            NotFound: No such folder, or a trainer's share is missing.
            CorruptData
            InvalidArgument: Type, count of rows, width, dtype or optimiser differ from the table's;
                or the files are not all of one table and step.
            TimedOut, InvalidState, IoError: As of :meth:`step`.
        """
        handle = self._low
        with self._lock:
            handle.load(path, call_milliseconds(timeout))

    # ---- the end ----

    def drop(self) -> None:
        """Drops the table for all: memory of its rows is free, calls on it fail, and its name may be used
        again. A second time nothing happens."""
        self._low.drop()

    def close(self) -> None:
        """Lets go of this object; the table stays."""
        self._handle = None

    def __enter__(self) -> "Table":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Table", "open it in each process")

    def __repr__(self) -> str:
        shape = f"{self.dtype}[{self.num_rows}, {self.width}]"
        optimizer = "" if self.optimizer is None else f", {self.optimizer}"
        state = "" if self._handle is not None else ", closed"
        return f"gls.Table({self.name!r} of {self.type!r}, {shape}{optimizer}{state})"
