"""What all loaders share: epochs, order, state, the way to the library."""

from __future__ import annotations

import json
import threading
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Dict,
    Iterator,
    List,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
    cast,
)

from gls._batch.batch import Batch
from gls._core.calls import SLICE_MS
from gls._core.check import (
    check_process,
    choice,
    closed,
    fork_generation,
    not_picklable,
    text,
    whole_number,
)
from gls._core.naming import LINK_LOADER_OPTIONS, NODE_LOADER_OPTIONS, naming
from gls._core.ready import ready
from gls._core.tensor import Tensor
from gls._core.trainer import trainer
from gls._data.dataset import Dataset
from gls._data.storage import check_progress
from gls._loading.columns import column_request
from gls._loading.loader_options import LOADING_DEFAULTS
from gls._loading.pad import set_padding
from gls._loading.seed_list import SeedList
from gls._loading.seed_rules import SaintNorms, SeedRule, set_seed_rule
from gls._loading.stats import LoaderStats
from gls._loading.transform import Transformer
from gls._low import glslow as low
from gls._sampling.sampler_options import SamplerOptions, sampler_options
from gls._sampling.walk import walk_types
from gls.errors import Error, InvalidState, invalid
from gls.types import (
    EdgeType,
    NumNeighbors,
    Progress,
)

if TYPE_CHECKING:
    import asyncio

_OK, _END = 0, 2
_SHUFFLE, _DROP_LAST, _NO_COLUMNS = 1, 2, 4
_EVEN = {"none": 0, "drop": 1, "repeat": 2}
_MADE_BY = {"here": 0, "servers": 1}
_EPOCHS = 1 << 64


_L = TypeVar("_L", bound="Loader")


class Loader:
    """What loaders of nodes, of links, of anchors and of walks share."""

    def _open(
        self,
        dataset: Dataset,
        given: "Union[SeedList, List[SeedList]]",
        num_neighbors: NumNeighbors,
        options: Mapping[str, Any],
        *,
        seed_rule: Optional[SeedRule] = None,
        **sampling: Any,
    ) -> None:
        """`options`: those of :class:`LoadingOptions`, and of the sampler. `sampling`: more of the sampler."""
        loading: Dict[str, Any] = {}
        for name, value in options.items():
            (loading if name in LOADING_DEFAULTS else sampling)[name] = value
        columns, pad, transform = loading["columns"], loading["pad"], loading["transform"]
        self._generation = fork_generation()
        self._lock = threading.RLock()
        self._dataset = dataset
        self._schema = dataset._schema
        requests = (
            None if columns is None else [column_request(dataset, column) for column in columns]
        )
        if sampling.get("with_edge_ids", False) is None:
            sampling["with_edge_ids"] = any(request.of_edges for request in requests or [])
        sets = given if isinstance(given, list) else [given]
        seeds = sets[0]
        names = LINK_LOADER_OPTIONS if seeds.links else NODE_LOADER_OPTIONS
        with naming(names):
            wanted = sampler_options(
                dataset._schema,
                num_neighbors,
                cast(SamplerOptions, {**sampling, "device": loading["device"]}),
            )
            sampler = low.Sampler(dataset._low, wanted)
        low_options = low.LoaderOptions()
        self._input_type: Optional[str] = seeds.type if len(sets) == 1 else None
        self._walk_types: Optional[List[str]] = None
        if sampling.get("walk") is not None:
            walk, direction = sampling["walk"], sampling["direction"]
            self._walk_types = walk_types(dataset._schema, walk, direction)
        if len(sets) > 1:
            for one in sets:
                low_options.add_seed_set(*one[:6])
        elif seeds.links:
            low_options.set_edge_type(seeds.type)
        else:
            low_options.set_node_type(seeds.type)
        if len(sets) == 1:
            low_options.set_id_set(seeds.id_set)
            low_options.set_times(seeds.times)
            low_options.set_labels(seeds.labels)
        for rows in seeds.anchor_labels:
            low_options.add_anchor_labels(rows)
        low_options.set_batch_size(whole_number("batch_size", loading["batch_size"], 1, 32))
        low_options.set_flags(
            (_SHUFFLE if loading["shuffle"] else 0)
            | (_DROP_LAST if loading["drop_last"] else 0)
            | (_NO_COLUMNS if requests is not None else 0)
        )
        low_options.set_trainer(*trainer(loading["rank"], loading["world_size"]))
        low_options.set_even(choice("even", loading["even"], _EVEN))
        low_options.set_num_workers(_or_zero("num_workers", loading["num_workers"], 32))
        low_options.set_prefetch(_or_zero("prefetch", loading["prefetch"], 32))
        low_options.set_prefetch_bytes(_or_zero("prefetch_bytes", loading["prefetch_bytes"], 64))
        low_options.set_made_by(choice("made_by", loading["made_by"], _MADE_BY))
        for request in requests or []:
            low_options.add_column(*request.low)
        set_padding(low_options, dataset._schema, pad)
        self._padded = bool(pad)
        self._transformer: Optional[Transformer] = None
        if transform is not None:
            arguments = self._schema, self._input_type, self._walk_types
            self._transformer = Transformer(transform, lambda handle: Batch(handle, *arguments))
            low_options.set_transform(self._transformer.queue)
        set_seed_rule(low_options, seed_rule)
        with naming(names):
            self._start(low.Loader(sampler, seeds.ids if len(sets) == 1 else None, low_options))
        if self._transformer is not None:
            self._transformer.start()

    def _start(self, handle: low.Loader) -> None:
        self._handle: Optional[low.Loader] = handle
        self._iteration = 0  # of the iterator that may go on
        self._next_epoch = 0
        self._resumes = False  # the next iter() goes on where a restored loader stood
        self._finished = False  # the epoch was seen to be over

    @property
    def _low(self) -> low.Loader:
        check_process(self._generation)
        handle = self._handle
        if handle is None:
            raise closed("loader")
        return handle

    # ---- iteration ----

    def __iter__(self) -> Iterator[Batch]:
        return _Epoch(self, self._begin())

    def __aiter__(self) -> AsyncIterator[Batch]:
        """As ``iter()``, for ``async for``: while a batch is made, the event loop runs other tasks.
        No thread waits for it."""
        return _AsyncEpoch(self, self._begin())

    def _begin(self) -> int:
        """Goes to the epoch that is due; the number of its iterator."""
        with self._locked() as handle:
            if self._resumes:
                self._resumes = False
            else:
                if self._next_epoch == _EPOCHS:
                    raise InvalidState("there is no epoch after 2^64 - 1: set_epoch() to another")
                self._seek(handle, self._next_epoch)
            self._next_epoch = handle.epoch() + 1
            self._finished = False
            self._iteration += 1
            return self._iteration

    def _seek(self, handle: low.Loader, epoch: int) -> None:
        handle.seek(epoch)
        if self._transformer is not None:
            self._transformer.forget_failures()

    def __repr__(self) -> str:
        name = type(self).__name__
        handle = self._handle
        if handle is None:
            return f"{name}(closed)"
        return (
            f"{name}(epoch={handle.epoch()}, batches={handle.num_batches()}, "
            f"batch_size={handle.batch_size()}, seeds={handle.num_seeds()})"
        )

    def __len__(self) -> int:
        """Batches of this trainer in a whole epoch."""
        return self._low.num_batches()

    def _next(self, iteration: int, timeout_ms: int) -> Union[Batch, int]:
        """A state instead of a batch: there was none in time, or the epoch is over."""
        with self._lock:
            handle = self._low
            if iteration != self._iteration:
                raise InvalidState(
                    "this iterator is over: the loader was asked for another, or set to another "
                    "epoch or state"
                )
            try:
                state = handle.next(timeout_ms)
            except Error as error:
                self._raise(error)
            if state == _OK:
                return self._batch(handle.take())
            if state == _END:
                self._finished = True
            return state

    def _batch(self, handle: low.Batch) -> Batch:
        return Batch(handle, self._schema, self._input_type, self._walk_types)

    def _raise(self, error: Error) -> NoReturn:
        """Raises what the transform of a batch raised, if that is why there is none."""
        own = None if self._transformer is None else self._transformer.take_failure(error)
        if own is not None:
            raise own from None
        raise error

    def _notify(self, queue: low.ReadyQueue, number: int) -> bool:
        with self._locked() as handle:
            return handle.notify(queue, number)

    def _locked(self) -> "_Locked":
        check_process(self._generation)  # first: in a forked child the lock may be held for ever
        return _Locked(self)

    @property
    def epoch(self) -> int:
        """The epoch that is being iterated, or will be by the next ``iter()`` before the first."""
        return self._low.epoch()

    def set_epoch(self, epoch: int) -> None:
        """Makes the next ``iter()`` start this epoch; also ends the iterator in use.

        After :meth:`load_state_dict`, setting the epoch of the state has no effect. So a loop that
        sets the epoch each time resumes in the middle.
        """
        number = whole_number("epoch", epoch, 0, 64)
        with self._locked() as handle:
            if self._resumes and number == handle.epoch():
                return
            self._seek(handle, number)
            self._next_epoch = number
            self._resumes = False
            self._finished = False
            self._iteration += 1

    def cancel(self) -> None:
        """Makes a waiting and all later calls for a batch raise :class:`Canceled`, until the next
        ``iter()`` or :meth:`set_epoch`. For any thread."""
        self._low.cancel()

    def sample(self, epoch: int, batch: int) -> Batch:
        """Any batch of any epoch by its number, the same bytes that iterating gives.

        It is made on the calling thread, and nothing before it is. Iteration, :attr:`stats` and
        the state are not touched. For any number of threads at once.

        Args:
            epoch: 0 or more.
            batch: Its number among those of all trainers, below :attr:`num_global_batches`.
        """
        numbers = whole_number("epoch", epoch, 0, 64), whole_number("batch", batch, 0, 64)
        try:
            handle = self._low.sample(*numbers)
        except Error as error:
            self._raise(error)
        return self._batch(handle)

    def saint_norms(
        self,
        *,
        batches: int = 0,
        coverage: float = 0,
        epoch: int = 0,
        node_type: Optional[str] = None,
        edge_type: Optional[EdgeType] = None,
        of_edges: bool = True,
        progress: Optional[Progress] = None,
    ) -> SaintNorms:
        """GraphSAINT's normalisation, estimated by making batches on the context's threads and counting
        how often each node and edge is in them.

        The batches are far from those that are trained on. The loader is not touched.

        Args:
            batches: How many are counted; with `coverage`: at most. 0: those of one epoch, or as many
                as coverage needs.
            coverage: Count until so many times the nodes of the type were in batches. 0: no such goal.
            epoch: Counting begins with epoch 2**63 + `epoch`.
            node_type, edge_type: Of the norms; None: the only one.
            of_edges: Norms of edges, too; the loader then needs ``with_edge_ids=True``.
            progress: Called now and then; see :meth:`Dataset.verify`.
        """
        found = self._low.saint_norms(
            self._schema.node_type(node_type),
            self._schema.edge_type(edge_type) if of_edges else None,
            whole_number("epoch", epoch, 0, 64),
            whole_number("batches", batches, 0, 64),
            float(coverage),
            True,
            of_edges,
            check_progress(progress),
        )
        node, edge = found.node(), found.edge()
        assert node is not None
        return SaintNorms(Tensor(node), None if edge is None else Tensor(edge))

    def plan(
        self,
        epoch: int = 0,
        *,
        batches: Optional[int] = None,
        memory: Optional[Sequence[int]] = None,
        progress: Optional[Progress] = None,
    ) -> Dict[str, Any]:
        """Plans an epoch before it runs, by sampling its batches on the context's threads.

        The numbers of nodes, edges and rows are exact. For each size of memory the plan says what is
        read from disk, and predicts the time. No row is read, and the loader is not touched. It takes
        as long as sampling, and some seconds for the sizes of memory.

        Args:
            epoch: The epoch to plan.
            batches: How many of this trainer's batches are planned, from the first one on; None: all.
            memory: Sizes of memory to compare, in bytes, for all that a loader uses, as the setting
                ``storage.memory``. None: 10, 25, 50 and 75 % of topology and columns, and the setting
                if the loader plans its reads.
            progress: Called now and then; see :meth:`Dataset.verify`.

        Returns:
            The plan as plain data; "The plan of an epoch" in the reference lists its fields.

        Raises:
            InvalidArgument: The epoch has no batches or fewer than `batches`, or `memory` has a 0.
            Unsupported: Other processes make the batches.
        """
        options = low.PlanOptions()
        options.set_epoch(whole_number("epoch", epoch, 0, 64))
        options.set_batches(_or_zero("batches", batches, 64))
        for size in memory if memory is not None else ():
            options.add_memory(whole_number("memory", size, 1, 64))
        plan: Dict[str, Any] = json.loads(self._low.plan(options, check_progress(progress)))
        return plan

    # ---- state ----

    def state_dict(self) -> Dict[str, Any]:
        """The position after the batches handed out so far, and what it depends on; plain data.

        A loader with other numbers of threads or trainers may resume from it.
        """
        with self._locked() as handle:
            return {"version": 1, "loader": handle.save(), "finished": self._finished}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next ``iter()`` continue from a saved position. Ends the iterator in use.

        If the state was saved after the end of an epoch, the next ``iter()`` is the next epoch. If
        it was saved in the body of the last step, the next ``iter()`` is the empty rest of that
        epoch.

        Raises:
            InvalidArgument: The state is of another dataset, seeds, seed, batch size, order or
                contract.
        """
        if not isinstance(state, Mapping) or state.get("version") != 1:
            raise invalid("state", "not what state_dict() gave")
        saved = text("state", state.get("loader"))
        with self._locked() as handle:
            handle.restore(saved)
            self._next_epoch = handle.epoch() + 1
            self._resumes = not state.get("finished")
            self._finished = bool(state.get("finished"))
            self._iteration += 1

    @property
    def stats(self) -> LoaderStats:
        """Totals since the loader was made."""
        stats = self._low.stats()
        return LoaderStats(*(getattr(stats, name) for name in LoaderStats._fields))

    @property
    def num_global_batches(self) -> int:
        """Batches of all trainers in a whole epoch, without repeats."""
        return self._low.num_global_batches()

    @property
    def pad_sizes(self) -> Dict[str, int]:
        """Rows to which the arrays of each node and edge type are padded; empty without `pad`."""
        types = [*self._schema.node_types, *self._schema.edge_types] if self._padded else []
        return {type: self._low.pad_size(type) for type in types}

    @property
    def num_seeds(self) -> int:
        """In the list that batches take or draw them from."""
        return self._low.num_seeds()

    @property
    def batch_size(self) -> int:
        """Seeds per batch; the last one of an epoch may have fewer."""
        return self._low.batch_size()

    @property
    def dataset(self) -> Dataset:
        """The graph it was made from."""
        return self._dataset

    # ---- end ----

    def close(self) -> None:
        """Stops the work in progress. A thread that waits for a batch gets an error.

        Batches handed out stay usable.
        """
        handle = self._handle  # which another thread may be about to take away
        if handle is None or self._generation != fork_generation():
            self._handle = None
            return
        handle.cancel()
        with self._lock:
            self._handle = None

    def __enter__(self: _L) -> _L:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable(
            type(self).__name__,
            "pickle the dataset and state_dict(), and make a loader of them there",
        )


class _Epoch:
    """An iterator over the rest of an epoch."""

    __slots__ = ("_loader", "_iteration")

    def __init__(self, loader: Loader, iteration: int) -> None:
        self._loader = loader
        self._iteration = iteration

    def __iter__(self) -> "_Epoch":
        return self

    def __next__(self) -> Batch:
        loader = self._loader
        while True:
            batch = loader._next(self._iteration, SLICE_MS)
            if isinstance(batch, Batch):
                return batch
            if batch == _END:
                raise StopIteration


class _AsyncEpoch(_Epoch):
    """The same for asyncio."""

    __slots__ = ("_turn",)

    _turn: "asyncio.Lock"

    def __aiter__(self) -> "_AsyncEpoch":
        return self

    async def __anext__(self) -> Batch:
        loader = self._loader
        if not hasattr(self, "_turn"):
            import asyncio

            self._turn = asyncio.Lock()
        async with self._turn:  # several tasks may share the iterator; one of them waits
            while True:
                batch = loader._next(self._iteration, 0)
                if isinstance(batch, Batch):
                    return batch
                if batch == _END:
                    raise StopAsyncIteration
                await ready(loader._notify)


class _Locked:
    """Holds a loader's lock and gives its handle, if it is open."""

    __slots__ = ("_loader",)

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def __enter__(self) -> low.Loader:
        self._loader._lock.acquire()
        try:
            return self._loader._low
        except BaseException:
            self._loader._lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._loader._lock.release()


def _or_zero(argument: str, value: Optional[int], bits: int) -> int:
    return 0 if value is None else whole_number(argument, value, 1, bits)
