"""NeighborLoader: an epoch of batches, sampled and gathered ahead of the caller."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    NoReturn,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
)

from gls._batch.batch import Batch
from gls._core.check import (
    check_process,
    choice,
    closed,
    fork_generation,
    join_edge_type,
    not_picklable,
    text,
    whole_number,
)
from gls._core.inputs import to_low
from gls._core.own_names import LINK_LOADER_OPTIONS, NODE_LOADER_OPTIONS, naming
from gls._core.packages import need_numpy
from gls._core.ready import ready
from gls._core.tensor import DTYPE_NUMBERS, Tensor
from gls._core.trainer import trainer
from gls._data.dataset import Dataset, check_progress
from gls._loading.pad import Pad, set_padding
from gls._loading.seed_rules import SaintNorms, SeedRule, set_seed_rule
from gls._loading.transform import Transformer
from gls._low import glslow as low
from gls._sampling.sampler import Negatives, names_edge_type, sampler_options
from gls._sampling.walk import walk_types
from gls.errors import Error, InvalidState, invalid
from gls.types import (
    ArrayLike,
    Device,
    EdgeLabelIndex,
    EdgeType,
    Exclude,
    InputNodes,
    NumNeighbors,
    OfTypes,
    Progress,
    TypePairs,
)

if TYPE_CHECKING:
    import asyncio

_OK, _END = 0, 2
_SHUFFLE, _DROP_LAST, _NO_COLUMNS = 1, 2, 4
_EVEN = {"none": 0, "drop": 1, "repeat": 2}
_MADE_BY = {"here": 0, "servers": 1}
_ROWS = {"auto": 0, "all": 1, "seeds": 2}
_EPOCHS = 1 << 64
_SLICE_MS = 100  # how long a signal may have to wait


_L = TypeVar("_L", bound="_Loader")


class ColumnRequest(NamedTuple):
    """A column to gather."""

    name: str
    type: Optional[EdgeType] = None
    """Node or edge type; None: every type that has the column."""
    rows: str = "auto"
    """For which nodes: "all", "seeds", or "auto": labels for the seeds, all else for all."""
    dtype: Optional[str] = None
    """None: as stored. float16 and bfloat16 can be widened to "float32"."""


Columns = Sequence[Union[str, ColumnRequest]]
"""Columns to gather, by name or with more said."""


Transform = Callable[[Batch], Union[None, Batch, Mapping[str, ArrayLike]]]
"""Called with each batch before it is handed out. It may write into the arrays, and returns None, or
arrays to attach by name, or the batch itself."""


class LoaderStats(NamedTuple):
    """Totals since the loader was made. Times of workers are summed over workers."""

    batches: int
    """Handed out; so are seeds, nodes, edges and gathered rows."""
    seeds: int
    nodes: int
    edges: int
    gathered_rows: int
    gathered_bytes: int
    sample_ns: int
    """Workers: in sampling."""
    gather_ns: int
    """Workers: in gathering."""
    worker_wait_ns: int
    """Workers: there was work, but as much was ready as may be."""
    caller_wait_ns: int
    """Caller: waiting for a batch."""
    wall_ns: int
    """From the first batch of each epoch being asked for to the last."""
    ready_batches: int
    """Now; so are ready bytes."""
    ready_bytes: int
    peak_bytes: int
    """Most bytes in work or ready at once."""
    device_rows: int
    """Of gathered rows, those read in memory of a GPU."""
    pinned_rows: int
    """Read by a GPU in memory of the host."""
    host_rows: int
    """Read by the processor, or from files straight into memory of a GPU."""
    remote_rows: int
    """Asked from servers, other parts or other processes."""
    peer_rows: int
    """Read by a GPU in memory of others of its group."""


class _Loader:
    """What loaders of nodes, of links, of anchors and of walks share."""

    def _open(
        self,
        dataset: Dataset,
        given: "Union[_Seeds, List[_Seeds]]",
        sampling: Dict[str, Any],
        *,
        batch_size: int,
        shuffle: bool,
        drop_last: bool,
        columns: Optional[Columns],
        num_workers: Optional[int],
        prefetch: Optional[int],
        prefetch_bytes: Optional[int],
        made_by: str,
        device: Device,
        rank: Union[None, int, str],
        world_size: Optional[int],
        even: str,
        transform: Optional[Transform],
        seed_rule: Optional[SeedRule] = None,
        pad: Union[bool, Pad, None] = None,
    ) -> None:
        self._generation = fork_generation()
        self._lock = threading.RLock()
        self._dataset = dataset
        self._schema = dataset._schema
        requests = None if columns is None else [_column(dataset, column) for column in columns]
        if sampling["with_edge_ids"] is None:
            sampling["with_edge_ids"] = any(request.of_edges for request in requests or [])
        sets = given if isinstance(given, list) else [given]
        seeds = sets[0]
        names = LINK_LOADER_OPTIONS if seeds.links else NODE_LOADER_OPTIONS
        with naming(names):
            sampler = low.Sampler(
                dataset._low, sampler_options(dataset._schema, device=device, **sampling)
            )
        options = low.LoaderOptions()
        self._input_type: Optional[str] = seeds.type if len(sets) == 1 else None
        self._walk_types: Optional[List[str]] = None
        if sampling.get("walk") is not None:
            walk, direction = sampling["walk"], sampling["direction"]
            self._walk_types = walk_types(dataset._schema, walk, direction)
        if len(sets) > 1:
            for one in sets:
                options.add_seed_set(*one[:6])
        elif seeds.links:
            options.set_edge_type(seeds.type)
        else:
            options.set_node_type(seeds.type)
        if len(sets) == 1:
            options.set_id_set(seeds.id_set)
            options.set_times(seeds.times)
            options.set_labels(seeds.labels)
        for rows in seeds.anchor_labels:
            options.add_anchor_labels(rows)
        options.set_batch_size(whole_number("batch_size", batch_size, 1, 32))
        options.set_flags(
            (_SHUFFLE if shuffle else 0)
            | (_DROP_LAST if drop_last else 0)
            | (_NO_COLUMNS if requests is not None else 0)
        )
        options.set_trainer(*trainer(rank, world_size))
        options.set_even(choice("even", even, _EVEN))
        options.set_num_workers(_or_zero("num_workers", num_workers, 32))
        options.set_prefetch(_or_zero("prefetch", prefetch, 32))
        options.set_prefetch_bytes(_or_zero("prefetch_bytes", prefetch_bytes, 64))
        options.set_made_by(choice("made_by", made_by, _MADE_BY))
        for request in requests or []:
            options.add_column(*request.low)
        set_padding(options, dataset._schema, pad)
        self._padded = bool(pad)
        self._transformer: Optional[Transformer] = None
        if transform is not None:
            arguments = self._schema, self._input_type, self._walk_types
            self._transformer = Transformer(transform, lambda handle: Batch(handle, *arguments))
            options.set_transform(self._transformer.queue)
        set_seed_rule(options, seed_rule)
        with naming(names):
            self._start(low.Loader(sampler, seeds.ids if len(sets) == 1 else None, options))
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


class NeighborLoader(_Loader):
    """Iterates over mini-batches of a graph; each ``iter()`` is the next epoch.

    The context's threads make batches ahead, in this process. The batches do not depend on the
    number of threads.

    Args:
        dataset: The graph.
        num_neighbors: Neighbours to take per hop, [15, 10]; or by edge type; -1 takes all.
        input_nodes: The seeds. None: all nodes; node ids; a mask of bool; the name of an id set,
            "train"; or (type, one of these). Where there are several node types, a name alone
            is a type. Seeds of several types are a mapping from the type to one of these. A batch
            then has `batch_size` seeds in all, and ``batch.nodes[type]`` has ``seed`` and ``input_id``.
        batch_size: Seeds per batch.
        shuffle: A new order each epoch, a function of `seed` and the epoch's number.
        drop_last: Omits a last batch that is not full.
        direction, replace, disjoint, weight_attr, seed, toward_seeds: See :class:`Sampler`.
        int32, exclude, exclude_mode, reverse_column, reverse_types, contract: See :class:`Sampler`.
        node_time, edge_time, time_strategy, time_strict, time_window: See :class:`Sampler`.
        subgraph, pick, batch_dependency, layer_dependent: See :class:`Sampler`.
        times: The time of each seed, if the sampler uses times. None: its row of the column
            `node_time`.
        with_edge_ids: Batches have the array ``edge``. None: if `columns` has a column of edges.
        columns: Columns to gather, by name or :class:`ColumnRequest`; [] for none. None: columns of
            role "feature" for all nodes (and edges, given their ids), labels for the seeds.
        num_workers: Batches in progress at once; None: as many as the context has threads, or at
            most 3 where a GPU samples.
        prefetch: Finished batches to keep ready, at most; None: two per worker, or 4 where a GPU
            samples and `num_workers` is None.
        prefetch_bytes: Bytes of batches in progress or ready, at most; None: 1 GiB, or a quarter of
            the memory available to the process if that is less.
        made_by: "here": on the context's threads. "servers": by the servers of a graph opened as
            "gls://host:port". They sample and gather; this process pads and transforms. A batch is
            one request, and `num_workers` is the number of requests in progress at once, 8 by
            default. The batches are equal.
        device: Where batches are delivered. "cpu": in memory of the host; "cuda:1", or a
            ``torch.device``: on that GPU; "cuda": on PyTorch's current one, else on that of
            LOCAL_RANK; see :data:`gls.Device`. The GPU also samples if it can. The batches are
            equal. None: where the dataset works.
        rank: Which of `world_size` trainers this is; they share each epoch. None: as
            torch.distributed says, if that is imported and initialised, else the only one. "env": as
            the environment variables RANK and WORLD_SIZE say.
        world_size: Given exactly when `rank` is a number.
        even: What to do about trainers having different numbers of batches: "none"; "drop" the last
            ones; "repeat" the first ones.
        pad: Batches of one shape: :class:`Pad`, or True for ``Pad()``.
        transform: A function that is called with each batch before delivery, on its own threads,
            ahead of the caller and for several batches at once. It may write into the arrays. It
            returns None or arrays to attach, by name: see :attr:`Batch.attached`. An exception is
            raised in place of the batch, and the next call returns the next batch. The batch ends
            with the call; its arrays may be kept. The function must not request batches from the
            loader.
        seed_rule: :class:`DrawnSeeds`: drawn anew for each batch. :class:`ClusteredSeeds`: the
            seeds of some clusters of nodes. None: each seed once in an epoch.
    """

    def __init__(
        self,
        dataset: Dataset,
        num_neighbors: NumNeighbors,
        input_nodes: InputNodes = None,
        *,
        batch_size: int = 1024,
        shuffle: bool = False,
        drop_last: bool = False,
        replace: Union[bool, str] = False,
        direction: str = "in",
        disjoint: bool = False,
        weight_attr: Optional[str] = None,
        seed: int = 0,
        with_edge_ids: Optional[bool] = None,
        toward_seeds: bool = False,
        int32: bool = False,
        exclude: Optional[Exclude] = None,
        exclude_mode: str = "self",
        reverse_column: Optional[str] = None,
        reverse_types: Optional[TypePairs] = None,
        node_time: Optional[str] = None,
        edge_time: Optional[str] = None,
        time_strategy: str = "uniform",
        time_strict: bool = False,
        time_window: int = 0,
        times: OfTypes = None,
        subgraph: str = "sampled",
        pick: str = "independent",
        batch_dependency: int = 0,
        layer_dependent: bool = False,
        contract: int = 0,
        columns: Optional[Columns] = None,
        num_workers: Optional[int] = None,
        prefetch: Optional[int] = None,
        prefetch_bytes: Optional[int] = None,
        made_by: str = "here",
        device: Device = None,
        rank: Union[None, int, str] = None,
        world_size: Optional[int] = None,
        even: str = "none",
        pad: Union[bool, Pad, None] = None,
        transform: Optional[Transform] = None,
        seed_rule: Optional[SeedRule] = None,
    ) -> None:
        self._open(
            dataset,
            _node_seeds(dataset, input_nodes, times),
            dict(
                num_neighbors=num_neighbors,
                direction=direction,
                replace=replace,
                disjoint=disjoint,
                weight_attr=weight_attr,
                seed=seed,
                with_edge_ids=with_edge_ids,
                toward_seeds=toward_seeds,
                int32=int32,
                exclude=exclude,
                exclude_mode=exclude_mode,
                reverse_column=reverse_column,
                reverse_types=reverse_types,
                node_time=node_time,
                edge_time=edge_time,
                time_strategy=time_strategy,
                time_strict=time_strict,
                time_window=time_window,
                subgraph=subgraph,
                pick=pick,
                batch_dependency=batch_dependency,
                layer_dependent=layer_dependent,
                contract=contract,
            ),
            batch_size=batch_size,
            shuffle=shuffle,
            drop_last=drop_last,
            columns=columns,
            num_workers=num_workers,
            prefetch=prefetch,
            prefetch_bytes=prefetch_bytes,
            made_by=made_by,
            device=device,
            rank=rank,
            world_size=world_size,
            even=even,
            pad=pad,
            transform=transform,
            seed_rule=seed_rule,
        )


class LinkNeighborLoader(_Loader):
    """Iterates over mini-batches of links: both ends of each are seeds.

    As :class:`NeighborLoader`, but for the links, and what is drawn for them. Batches have
    ``link_source`` and ``link_target``, the local ids of the ends; see :class:`EdgeArrays`.

    Args:
        dataset: The graph.
        num_neighbors: Neighbours to take per hop, [15, 10]; or by edge type; -1 takes all.
        edge_label_index: The links. Edge ids [n]; sources and targets [2, n], which need not be edges;
            None: all edges of the only type; or (edge type, one of these). Links of several types are a
            mapping from the edge type to one of these. A batch then has `batch_size` links in all.
            Their arrays are by type, ``batch.edges[type].link_source``.
        edge_label: A number, or a row of numbers, for each link [links, ...]. None: 1 and, for negative
            pairs, 0. For links of several types a mapping.
        edge_label_time: The time of each link, where the sampler goes by times. For links of several types a
            mapping.
        neg_sampling: None; "binary" or "triplet"; or :class:`NegativeSampling`, with more said.
        exclude_links: Links of a batch are not used for it, nor those that `exclude_mode` adds to them.
        batch_size: Links per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, with_edge_ids: See :class:`NeighborLoader`.
        seed_rule, pad: See :class:`NeighborLoader`.
        direction, replace, disjoint, weight_attr, seed, toward_seeds: See :class:`Sampler`.
        int32, exclude, exclude_mode, reverse_column, reverse_types, contract: See :class:`Sampler`.
        node_time, edge_time, time_strategy, time_strict, time_window: See :class:`Sampler`.
        subgraph, pick, batch_dependency, layer_dependent: See :class:`Sampler`.
    """

    def __init__(
        self,
        dataset: Dataset,
        num_neighbors: NumNeighbors,
        edge_label_index: EdgeLabelIndex = None,
        edge_label: OfTypes = None,
        edge_label_time: OfTypes = None,
        neg_sampling: Negatives = None,
        *,
        exclude_links: bool = False,
        batch_size: int = 1024,
        shuffle: bool = False,
        drop_last: bool = False,
        replace: Union[bool, str] = False,
        direction: str = "in",
        disjoint: bool = False,
        weight_attr: Optional[str] = None,
        seed: int = 0,
        with_edge_ids: Optional[bool] = None,
        toward_seeds: bool = False,
        int32: bool = False,
        exclude: Optional[Exclude] = None,
        exclude_mode: str = "self",
        reverse_column: Optional[str] = None,
        reverse_types: Optional[TypePairs] = None,
        node_time: Optional[str] = None,
        edge_time: Optional[str] = None,
        time_strategy: str = "uniform",
        time_strict: bool = False,
        time_window: int = 0,
        subgraph: str = "sampled",
        pick: str = "independent",
        batch_dependency: int = 0,
        layer_dependent: bool = False,
        contract: int = 0,
        columns: Optional[Columns] = None,
        num_workers: Optional[int] = None,
        prefetch: Optional[int] = None,
        prefetch_bytes: Optional[int] = None,
        made_by: str = "here",
        device: Device = None,
        rank: Union[None, int, str] = None,
        world_size: Optional[int] = None,
        even: str = "none",
        transform: Optional[Transform] = None,
        seed_rule: Optional[SeedRule] = None,
        pad: Union[bool, Pad, None] = None,
    ) -> None:
        self._open(
            dataset,
            _link_seeds(dataset, edge_label_index, edge_label, edge_label_time),
            dict(
                num_neighbors=num_neighbors,
                direction=direction,
                replace=replace,
                disjoint=disjoint,
                weight_attr=weight_attr,
                seed=seed,
                with_edge_ids=with_edge_ids,
                toward_seeds=toward_seeds,
                int32=int32,
                exclude=exclude,
                exclude_mode=exclude_mode,
                reverse_column=reverse_column,
                reverse_types=reverse_types,
                node_time=node_time,
                edge_time=edge_time,
                time_strategy=time_strategy,
                time_strict=time_strict,
                time_window=time_window,
                subgraph=subgraph,
                pick=pick,
                batch_dependency=batch_dependency,
                layer_dependent=layer_dependent,
                contract=contract,
                neg_sampling=neg_sampling,
                exclude_links=exclude_links,
            ),
            batch_size=batch_size,
            shuffle=shuffle,
            drop_last=drop_last,
            columns=columns,
            num_workers=num_workers,
            prefetch=prefetch,
            prefetch_bytes=prefetch_bytes,
            made_by=made_by,
            device=device,
            rank=rank,
            world_size=world_size,
            even=even,
            transform=transform,
            seed_rule=seed_rule,
            pad=pad,
        )


class _Epoch:
    """An iterator over the rest of an epoch."""

    __slots__ = ("_loader", "_iteration")

    def __init__(self, loader: _Loader, iteration: int) -> None:
        self._loader = loader
        self._iteration = iteration

    def __iter__(self) -> "_Epoch":
        return self

    def __next__(self) -> Batch:
        loader = self._loader
        while True:
            batch = loader._next(self._iteration, _SLICE_MS)
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

    def __init__(self, loader: _Loader) -> None:
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


class _Request(NamedTuple):
    low: Tuple[Optional[str], str, int, int, int]
    of_edges: bool


def _column(dataset: Dataset, column: Union[str, ColumnRequest]) -> _Request:
    request = ColumnRequest(column) if isinstance(column, str) else ColumnRequest(*column)
    name = text("columns", request.name)
    code, bits = 0, 0
    if request.dtype is not None:
        if request.dtype not in DTYPE_NUMBERS:
            raise invalid("columns", f"{request.dtype!r} is not a dtype")
        code, bits = DTYPE_NUMBERS[request.dtype]
    kind: Optional[str] = None
    if request.type is not None:
        kind = request.type if isinstance(request.type, str) else join_edge_type(request.type)
    rows = choice("columns", request.rows, _ROWS)
    edge_types: List[str] = list(dataset._schema.edge_types) if kind is None else [kind]
    of_edges = any(
        edge_type in dataset._schema.edge_types and name in dataset.edge_columns(edge_type)
        for edge_type in edge_types
    )
    return _Request((kind, name, rows, code, bits), of_edges)


class _Seeds(NamedTuple):
    links: bool
    type: str
    id_set: Optional[str] = None
    ids: Optional[low.Tensor] = None
    times: Optional[low.Tensor] = None
    labels: Optional[low.Tensor] = None
    anchor_labels: Sequence[Optional[low.Tensor]] = ()


def _vector(value: Optional[ArrayLike], argument: str) -> Optional[low.Tensor]:
    return None if value is None else to_low(value, argument, vector=True)


def _node_seeds(
    dataset: Dataset, input_nodes: InputNodes, times: OfTypes
) -> Union[_Seeds, List[_Seeds]]:
    if isinstance(input_nodes, Mapping):
        own = _by_type(dataset._schema.node_type, input_nodes, times, "input_nodes", "times")
        return [
            _one_node_seeds(dataset, (name, input_nodes[key]), own.get(name))
            for key, name in _typed(dataset._schema.node_type, input_nodes, "input_nodes")
        ]
    return _one_node_seeds(dataset, input_nodes, _plain(times, "times"))


def _one_node_seeds(dataset: Dataset, input_nodes: Any, times: Optional[ArrayLike]) -> _Seeds:
    node_type, id_set, ids = _nodes(dataset, input_nodes)
    return _Seeds(False, node_type, id_set=id_set, ids=ids, times=_vector(times, "times"))


def _typed(
    name_of: Callable[[Any, str], str], given: Mapping[Any, Any], argument: str
) -> List[Tuple[Any, str]]:
    """The keys of a mapping and the types that they name."""
    if not given:
        raise invalid(argument, "a mapping without a type, expected at least one")
    return [(key, name_of(key, argument)) for key in given]


def _by_type(
    name_of: Callable[[Any, str], str],
    seeds: Mapping[Any, Any],
    given: OfTypes,
    seeds_argument: str,
    argument: str,
) -> Dict[str, Optional[ArrayLike]]:
    """What is given for seeds of several types, by the names of the types."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise invalid(argument, f"an array, expected a mapping by type, as {seeds_argument} is one")
    names = {name for _, name in _typed(name_of, seeds, seeds_argument)}
    found = {name: given[key] for key, name in _typed(name_of, given, argument)}
    for name in found:
        if name not in names:
            raise invalid(argument, f"there are no seeds of type {name!r}")
    return found


def _plain(given: OfTypes, argument: str) -> Optional[ArrayLike]:
    if isinstance(given, Mapping):
        raise invalid(argument, "a mapping by type, but the seeds are of one type")
    return given


def _link_seeds(
    dataset: Dataset, given: EdgeLabelIndex, labels: OfTypes, times: OfTypes
) -> Union[_Seeds, List[_Seeds]]:
    if not isinstance(given, Mapping):
        return _one_link_seeds(
            dataset, given, _plain(labels, "edge_label"), _plain(times, "edge_label_time")
        )
    name_of = dataset._schema.edge_type
    own_labels, own_times = (
        _by_type(name_of, given, one, "edge_label_index", argument)
        for one, argument in ((labels, "edge_label"), (times, "edge_label_time"))
    )
    return [
        _one_link_seeds(dataset, (name, given[key]), own_labels.get(name), own_times.get(name))
        for key, name in _typed(name_of, given, "edge_label_index")
    ]


def _one_link_seeds(
    dataset: Dataset,
    given: Any,
    labels: Optional[ArrayLike],
    times: Optional[ArrayLike],
) -> _Seeds:
    edge_type: Optional[EdgeType] = None
    links: Any = given
    if names_edge_type(links):
        edge_type, links = links, None
    elif isinstance(links, tuple) and len(links) == 2 and names_edge_type(links[0]):
        edge_type, links = links
    return _Seeds(
        True,
        dataset._schema.edge_type(edge_type, "edge_label_index"),
        ids=None if links is None else to_low(links, "edge_label_index"),
        times=_vector(times, "edge_label_time"),
        labels=None if labels is None else to_low(labels, "edge_label"),
    )


def _nodes(
    dataset: Dataset, input_nodes: InputNodes
) -> Tuple[str, Optional[str], Optional[low.Tensor]]:
    """Type of the seeds, and the name of an id set or the ids; neither for all nodes."""
    schema = dataset._schema
    chosen: Any = input_nodes
    node_type: Optional[str] = None
    if isinstance(chosen, tuple) and len(chosen) == 2 and isinstance(chosen[0], str):
        node_type, chosen = chosen
    elif isinstance(chosen, str) and schema.only_node_type is None:
        node_type, chosen = chosen, None
    node_type = schema.node_type(node_type, "input_nodes")
    if chosen is None:
        return node_type, None, None
    if isinstance(chosen, str):
        return node_type, text("input_nodes", chosen), None
    tensor = to_low(chosen, "input_nodes", vector=True)
    if tensor.dtype_code() != DTYPE_NUMBERS["bool"][0]:
        return node_type, None, tensor
    nodes = dataset.num_nodes(node_type)
    if tensor.ndim() != 1 or tensor.dim(0) != nodes:
        shape = list(tensor.describe()[3])
        raise invalid("input_nodes", f"a mask of shape {shape}, expected [{nodes}]")
    numpy = need_numpy("a mask as input_nodes")
    return node_type, None, to_low(numpy.flatnonzero(Tensor(tensor).numpy()), "input_nodes")
