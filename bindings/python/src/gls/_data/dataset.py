"""Dataset: an immutable graph with its columns."""

from __future__ import annotations

import os
from types import TracebackType
from typing import (
    Any,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
)

from gls._core.calls import Future, begin_call, finished
from gls._core.check import (
    check_process,
    choice,
    closed,
    fork_generation,
    not_picklable,
    text,
    whole_number,
)
from gls._core.context import Context, default_context
from gls._core.devices import device_name, device_of
from gls._core.inputs import to_low
from gls._core.schema import Schema
from gls._core.tensor import Tensor, dtype_name
from gls._core.trainer import trainer
from gls._data.arrow import ArrowStream
from gls._data.builder_inputs import BuilderInputs
from gls._data.parts import GlobalIds, Part, Parts, partition_options
from gls._data.storage import (
    DIRECTIONS,
    LAYOUTS,
    RESIDENCY,
    ROLES,
    check_progress,
    choices_of,
    write_options,
)
from gls._data.store import Store
from gls._data.table import Table, open_table, table_options
from gls._low import glslow as low
from gls.errors import NotFound, invalid
from gls.types import ArrayLike, BytesLike, Device, EdgeType, Owners, Path, Progress

_ROLE_NAMES = {number: name for name, number in ROLES.items()}

# GLS_ARRAY_*
_NODE_COLUMN, _EDGE_COLUMN, _ID_SET = 0, 1, 2
_FIRST_ARRAY = {"csc": 3, "csr": 6}


class Column(NamedTuple):
    """A column of a node or edge type."""

    name: str
    role: str
    """What it is for: "feature", "label", "weight", "time" or "other"."""
    dtype: str
    shape: Tuple[int, ...]
    row_stride: int
    """Bytes from one row to the next, as stored."""
    bits: int = 0
    """Of each code of a quantised column, which is float32 to users; else 0."""
    codebook: Optional[Tuple[float, ...]] = None
    """What each code of a quantised column stands for; else None."""
    logical_type: Optional[str] = None
    """What the numbers stand for, as the format string of Arrow's C data interface for a timestamp,
    date, time or duration: "tsu:UTC" is a timestamp in microseconds. None: plain numbers."""


class Topology(NamedTuple):
    """Neighbours by node, as stored. See :meth:`Dataset.topology`."""

    indptr: Tensor
    indices: Tensor
    edge_ids: Optional[Tensor]
    """None when the id of an edge is its position in `indices`."""


class Dataset:
    """An immutable graph of one or several node and edge types, with columns and id sets.

    Made by :meth:`open`, :meth:`from_arrays` or :class:`DatasetBuilder`. Safe to use from several
    threads. Where there is only one node or edge type, its name may be left out everywhere.

    One that was opened can be pickled: unpickling opens its folder again, as :meth:`open` did, in the
    default context. One made in memory cannot; :meth:`save` writes it to a folder.
    """

    def __init__(self, handle: low.Dataset) -> None:
        """Not for users: see open(), from_arrays() and DatasetBuilder."""
        self._handle: Optional[low.Dataset] = handle
        self._opened: Optional[Tuple[str, str, bool]] = None  # arguments of open()
        self._has_stores = False
        self._generation = fork_generation()
        self._schema = Schema(handle)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        residency: str = "mapped",
        verify: bool = False,
        device: Device = None,
        progress: Optional[Progress] = None,
        context: Optional[Context] = None,
    ) -> "Dataset":
        """Opens a dataset folder, a folder of parts as the whole graph that was cut, or a graph that
        servers have.

        Args:
            path: The folder, which must not be changed while it is open. Or
                "gls://host:port,host:port" with addresses of some servers, which know the others;
                see :class:`Server`, also for the protection of connections. The call waits for
                servers that are not reachable yet (setting "cluster.open_timeout_ms").
            residency: "mapped": files are mapped, which takes no time and is shared with other
                processes; "topology": the topology is read into memory, for faster sampling; "all":
                columns are, too.
            verify: Reads every byte and compares checksums first. (:meth:`verify` checks more.)
            device: Where it works, as :meth:`to` says. None: on the host.
            progress: See :data:`gls.Progress`. Called while ``residency`` or ``verify`` reads
                files, and while the client searches for servers.
            context: None: the default one.

        Raises:
            FileNotFound, IoError, CorruptData, Unsupported
            TimedOut: Servers were not reached, or no server has a part; the message says which and
                why.
        """
        context = context or default_context()
        number = choice("residency", residency, RESIDENCY)
        dataset = cls(
            low.Dataset.open(context._low, path, number, bool(verify), check_progress(progress))
        )
        place = os.fspath(path)
        served = isinstance(place, str) and place.startswith("gls://")
        dataset._opened = (place if served else os.path.abspath(place), residency, bool(verify))
        return dataset if device is None else dataset.to(device)

    @classmethod
    def from_arrays(
        cls,
        edge_index: ArrayLike,
        *,
        num_nodes: int = 0,
        node_columns: Optional[Mapping[str, ArrayLike]] = None,
        edge_columns: Optional[Mapping[str, ArrayLike]] = None,
        id_sets: Optional[Mapping[str, ArrayLike]] = None,
        x: Optional[ArrayLike] = None,
        y: Optional[ArrayLike] = None,
        edge_attr: Optional[ArrayLike] = None,
        edge_weight: Optional[ArrayLike] = None,
        train_mask: Optional[ArrayLike] = None,
        val_mask: Optional[ArrayLike] = None,
        test_mask: Optional[ArrayLike] = None,
        add_reverse: bool = False,
        layouts: Union[str, Sequence[str]] = "csc",
        context: Optional[Context] = None,
    ) -> "Dataset":
        """A graph of one node type ("node") and one edge type ("node__to__node"), in memory.

        Columns are used where they lie, without a copy; see :data:`gls.ArrayLike`.

        Args:
            edge_index: [2, edges] sources and targets.
            num_nodes: 0: found from the edges and columns.
            node_columns: Features by name, [nodes, ...].
            edge_columns: Features of edges by name, [edges, ...].
            id_sets: Node ids, or masks [nodes] of bool, by name.
            x: The node column "x".
            y: The node column "y", a label: loaders give it for the seeds only.
            edge_attr: The edge column "edge_attr".
            edge_weight: The edge column "edge_weight", for sampling by weight.
            train_mask: The id set "train", as mask or ids. A mask must have an entry for each node.
            val_mask: The id set "valid".
            test_mask: The id set "test".
            add_reverse: Stores each edge turned round, too.
            layouts: "csc", "csr" or both: which directions can be sampled.
            context: None: the default one.
        """
        edge_type = ("node", "to", "node")
        builder = BuilderInputs(context=context)
        builder.add_node_type("node", num_nodes)
        builder.add_edges(edge_type, edge_index, add_reverse=add_reverse)
        columns: List[Tuple[str, Optional[ArrayLike], str]] = [("x", x, "feature")]
        columns += [("y", y, "label")]
        columns += [(name, data, "feature") for name, data in (node_columns or {}).items()]
        for name, data, role in columns:
            if data is not None:
                builder.add_node_column("node", name, data, role=role)
        columns = [("edge_attr", edge_attr, "feature"), ("edge_weight", edge_weight, "weight")]
        columns += [(name, data, "feature") for name, data in (edge_columns or {}).items()]
        for name, data, role in columns:
            if data is not None:
                builder.add_edge_column(edge_type, name, data, role=role)
        sets = {"train": train_mask, "valid": val_mask, "test": test_mask, **(id_sets or {})}
        for name, ids in sets.items():
            if ids is not None:
                builder.add_id_set("node", name, ids)
        return cls(builder._make(layouts=layouts, memory=0, progress=None))

    @property
    def _low(self) -> low.Dataset:
        check_process(self._generation)
        handle = self._handle
        if handle is None:
            raise closed("dataset")
        return handle

    # ---- devices ----

    def to(self, device: Device) -> "Dataset":
        """The same dataset, working on a device. Its samplers and loaders sample and deliver there,
        unless they set another device, and :meth:`rows` returns rows there. The call copies and
        reads nothing, and does not change this dataset. Everything else that a dataset returns
        stays on the host.

        Columns that :meth:`rows` was called for stay in memory of the device, shared with loaders,
        until all datasets that work there are released.

        Args:
            device: "cuda:0", "cpu", or a ``torch.device``; see :data:`gls.Device`. None: where it is.

        Raises:
            Unsupported: There is no such GPU, or GPUs cannot be used here; the text says why.
        """
        return self._like(self._low.on_device(*device_of(device)))

    def with_stores(self, *stores: Store) -> "Dataset":
        """The same graph with the columns and edge types of stores; this dataset does not change.

        Columns and types of stores follow those of this dataset, in the given order. Batches are those
        of arrays with the same contents. Nothing is asked before a batch needs it. Sampling works on
        the host; loaders may deliver to a GPU. Neither dataset needs the other.

        Such a dataset cannot be saved, verified, partitioned, exported or streamed as Arrow. Instead
        of a whole column of a store, :meth:`rows` gives rows of it.

        Args:
            stores: :class:`ColumnStore` and :class:`NeighborStore`.

        Raises:
            NotFound: A type that the dataset does not have.
            AlreadyExists: A column, or a layout of an edge type.
            InvalidArgument: Edge types whose numbers of edges differ.
            Unsupported: Neighbours in stores for a graph in parts or on servers; a part that is open
                by itself.
        """
        given = low.StoreList()
        for store in stores:
            if not isinstance(store, Store):
                raise TypeError(
                    f"stores must be ColumnStore or NeighborStore, not {type(store).__name__}"
                )
            given.add(store._low)
        dataset = Dataset(self._low.with_stores(given))
        for store in stores:
            store._answer()
        dataset._has_stores = True
        return dataset

    @property
    def device(self) -> str:
        """Where it works: "cpu", or "cuda:0"."""
        handle = self._low
        return device_name((handle.device_type(), handle.device_id()))

    # ---- what there is ----

    @property
    def node_types(self) -> List[str]:
        """Names of the node types, in the order that numbers them."""
        return list(self._schema.node_types)

    @property
    def edge_types(self) -> List[Tuple[str, str, str]]:
        """As (source, relation, target)."""
        return list(self._schema.edge_tuples.values())

    def metadata(self) -> Tuple[List[str], List[Tuple[str, str, str]]]:
        """Node types and edge types, as PyG's ``to_hetero`` takes them."""
        return self.node_types, self.edge_types

    def num_nodes(self, type: Optional[str] = None) -> int:
        """Number of nodes of a type; None: of the only one."""
        schema = self._schema
        return self._low.num_nodes(schema.node_types[schema.node_type(type)])

    def num_edges(self, type: Optional[EdgeType] = None) -> int:
        """Number of edges of a type; None: of the only one."""
        schema = self._schema
        return self._low.num_edges(schema.edge_types[schema.edge_type(type)])

    def node_columns(self, type: Optional[str] = None) -> Dict[str, Column]:
        """The columns of a node type, by name."""
        handle, index = self._low, self._schema.node_types[self._schema.node_type(type)]
        return _columns(handle.node_column(index, i) for i in range(handle.num_node_columns(index)))

    def edge_columns(self, type: Optional[EdgeType] = None) -> Dict[str, Column]:
        """The columns of an edge type, by name."""
        handle, index = self._low, self._schema.edge_types[self._schema.edge_type(type)]
        return _columns(handle.edge_column(index, i) for i in range(handle.num_edge_columns(index)))

    def columns(self, type: Optional[EdgeType] = None) -> Dict[str, Column]:
        """The columns of a node type or an edge type; None: of the only node type."""
        if type is None or (isinstance(type, str) and type in self._schema.node_types):
            return self.node_columns(type)
        return self.edge_columns(type)

    def id_sets(self, type: Optional[str] = None) -> Dict[str, int]:
        """The named sets of nodes of a type, and how many ids each holds."""
        handle, index = self._low, self._schema.node_types[self._schema.node_type(type)]
        return {
            handle.id_set_name(index, i): handle.id_set_size(index, i)
            for i in range(handle.num_id_sets(index))
        }

    def layouts(self, type: Optional[EdgeType] = None) -> List[str]:
        """Which topologies of an edge type are stored: "csc", "csr"."""
        index = self._schema.edge_types[self._schema.edge_type(type)]
        bits = self._low.layouts(index)
        return [name for name, bit in LAYOUTS.items() if bits & bit]

    # ---- arrays, in place and read-only ----

    def node_column(self, name: str, type: Optional[str] = None) -> Tensor:
        """A whole column of a node type: [nodes, ...]. Of a quantised one, its codes as stored."""
        return self._array(_NODE_COLUMN, self._schema.node_type(type), name)

    def edge_column(self, name: str, type: Optional[EdgeType] = None) -> Tensor:
        """A whole column of an edge type: [edges, ...], by edge id."""
        return self._array(_EDGE_COLUMN, self._schema.edge_type(type), name)

    def id_set(self, name: str, type: Optional[str] = None) -> Tensor:
        """The ids of a named set of nodes."""
        return self._array(_ID_SET, self._schema.node_type(type), name)

    def topology(self, layout: str = "csc", type: Optional[EdgeType] = None) -> Topology:
        """A stored topology: "csc" gives the sources of each target's edges, "csr" the targets of
        each source's."""
        joined = self._schema.edge_type(type)
        if layout not in _FIRST_ARRAY:
            raise invalid("layout", f"{layout!r} is not one of 'csc', 'csr'")
        first = _FIRST_ARRAY[layout]
        indptr = self._array(first, joined, None)
        try:
            edge_ids = self._array(first + 2, joined, None)
        except NotFound:
            edge_ids = None
        return Topology(indptr, self._array(first + 1, joined, None), edge_ids)

    def _array(self, array: int, type: str, name: Optional[str]) -> Tensor:
        return Tensor(self._low.tensor(array, type, name))

    # ---- questions ----

    def find_edges(
        self, edges: ArrayLike, type: Optional[EdgeType] = None
    ) -> Tuple[Tensor, Tensor]:
        """Sources and targets of edges, int64 [edges] each.

        The first call for a type whose edge ids are not positions reads all of them, and keeps 8
        bytes per edge with the dataset.

        Args:
            edges: [edges] edge ids.
            type: None: the only edge type.
        """
        joined = self._schema.edge_type(type)
        ends = self._low.find_edges(joined, to_low(edges, "edges", vector=True))
        return Tensor(ends.source()), Tensor(ends.target())

    def has_edges(
        self, source: ArrayLike, target: ArrayLike, type: Optional[EdgeType] = None
    ) -> Tensor:
        """Whether there is an edge from each source to its target: bool [pairs].

        Args:
            source: [pairs] nodes.
            target: [pairs] nodes.
            type: None: the only edge type.
        """
        joined = self._schema.edge_type(type)
        first = to_low(source, "source", vector=True)
        second = to_low(target, "target", vector=True)
        return Tensor(self._low.has_edges(joined, first, second))

    def degrees(
        self,
        nodes: Optional[ArrayLike] = None,
        type: Optional[EdgeType] = None,
        *,
        direction: str = "in",
    ) -> Tensor:
        """How many edges come in to targets, or go out from sources: int64 [nodes].

        Reads all edges where the layout that has them by node is not stored: "csc" for "in", "csr"
        for "out".

        Args:
            nodes: [nodes]; None: all at that end.
            type: None: the only edge type.
            direction: "in" or "out".
        """
        joined = self._schema.edge_type(type)
        number = choice("direction", direction, DIRECTIONS)
        ids = None if nodes is None else to_low(nodes, "nodes", vector=True)
        return Tensor(self._low.degrees(joined, number, ids))

    def rows(self, column: str, ids: ArrayLike, type: Optional[EdgeType] = None) -> Tensor:
        """Rows of a column by id: [ids, ...], in memory of their own, on the :attr:`device`.

        On a GPU rows are gathered as loaders gather them: the settings "device.*" choose where the
        column is, and the first call for it places it there. Rows of a graph on servers are moved
        to the GPU. For a graph in parts rows come from their owners, each once however often its id
        occurs. A quantised column is decoded.

        Args:
            column: Its name.
            ids: [ids] nodes or edges, in any order, repeated ids allowed.
            type: Node or edge type; None: the only node type.

        Raises:
            NotFound: No such column; or a part that is open by itself has no row for an id.
        """
        joined = self._schema.any_type(type)
        return Tensor(self._low.rows(joined, column, to_low(ids, "ids", vector=True)))

    def owners(self, ids: ArrayLike, type: Optional[EdgeType] = None) -> Tensor:
        """The part that owns each node or edge: int32 [ids].

        An edge is owned with its target where the layout "csc" is stored, else with its source. Of a
        dataset that is in no parts all are 0. Of a part that is open by itself, in ids of its own,
        it is the part's number, or -1 where another owns it.

        Args:
            ids: [ids] nodes or edges.
            type: Node or edge type; None: the only node type.
        """
        joined = self._schema.any_type(type)
        return Tensor(self._low.owners(joined, to_low(ids, "ids", vector=True)))

    def share_ids(
        self,
        ids: Optional[ArrayLike] = None,
        type: Optional[EdgeType] = None,
        *,
        rank: Union[None, int, str] = None,
        world_size: Optional[int] = None,
        rank_parts: Optional[ArrayLike] = None,
    ) -> Tensor:
        """This trainer's share of some ids, to be the seeds of its loader: int64, in the given order.

        Shares are even: their sizes differ by one id at most, and together they are all ids. Each
        has as many ids of the trainer's own part as fit. Every trainer computes its share from the
        same arguments, without communication. For a dataset that is not in parts, or a part that is
        open by itself, shares are runs of the given order.

        The seeds are shared then, so the loader's epochs are not: give it ``rank=0, world_size=1``
        where torch.distributed is initialised.

        Args:
            ids: [ids] nodes or edges, in any order; None: all of the type.
            type: Node or edge type; None: the only node type.
            rank: Which of `world_size` trainers this is, as for :class:`NeighborLoader`. None: as
                torch.distributed says, if that is imported and initialised, else the only one.
                "env": as the environment variables RANK and WORLD_SIZE say.
            world_size: Given exactly when `rank` is a number.
            rank_parts: [world_size] the part of each rank, the same for all trainers. None: the
                ranks of a part are consecutive, as launchers number the trainers of one machine.
                With more parts than ranks, the parts of a rank are consecutive.
        """
        joined = self._schema.any_type(type)
        place = trainer(rank, world_size)
        given = None if ids is None else to_low(ids, "ids", vector=True)
        parts = None if rank_parts is None else to_low(rank_parts, "rank_parts", vector=True)
        return Tensor(self._low.share_ids(joined, given, *place, parts))

    # ---- original ids ----

    def has_keys(self, type: Optional[str] = None) -> bool:
        """Whether the ids that nodes had when they were imported were kept."""
        return self._low.has_keys(self._schema.node_types[self._schema.node_type(type)])

    def find_node(self, key: Union[str, int], type: Optional[str] = None) -> int:
        """The node that was called `key` when the data was imported.

        Raises:
            NotFound: There was no such node.
            Unsupported: The type kept no original ids.
        """
        if isinstance(key, bool) or not isinstance(key, (str, int)):
            raise TypeError(f"key must be a str or an int, not {key.__class__.__name__}")
        return self._low.find_node(self._schema.node_type(type), str(key))

    def node_key(self, node: int, type: Optional[str] = None) -> str:
        """What a node was called when the data was imported."""
        number = whole_number("node", node, 0, 63)
        return self._low.node_key(self._schema.node_type(type), number)

    # ---- parts ----

    @property
    def part(self) -> Optional[Part]:
        """Which part of a graph this is; None: it is no part."""
        handle = self._low
        graph = handle.part_graph()
        return None if graph is None else Part(handle.part_number(), handle.num_parts(), graph)

    @property
    def parts(self) -> Parts:
        """How many parts the graph has, and which of them are local.

        A part is local if this process reads its rows without a request to a server. All parts of a
        folder that is open as a whole are local. For a graph on servers, parts of servers in this
        process are local, and parts mapped from the files of servers on this host. There may be
        none. A dataset that is not in parts is part 0 of one. A part that is open by itself has the
        number of parts of its graph, and its own number. The value is fixed when the dataset is
        opened.
        """
        found = self._low.parts()
        return Parts(found.count(), tuple(Tensor(found.here()).tolist()))

    def global_ids(self, type: Optional[EdgeType] = None) -> GlobalIds:
        """The global ids of a part.

        Columns with role "feature" or "label" have rows for the first ids only, at least for the
        owned ids. A request for other rows is an error.

        Args:
            type: Node or edge type; None: the only node type.

        Raises:
            Unsupported: The dataset is no part.
        """
        found = self._low.global_ids(self._schema.any_type(type))
        return GlobalIds(Tensor(found.ids()), found.owned())

    # ---- rows that training changes ----

    def table(
        self,
        name: str,
        type: Optional[EdgeType] = None,
        *,
        width: Optional[int] = None,
        dtype: str = "float32",
        low: float = 0.0,
        high: float = 0.0,
        seed: int = 0,
        optimizer: Optional[str] = None,
        mean: bool = False,
        row_steps: bool = False,
        epsilon: Optional[float] = None,
        betas: Optional[Tuple[float, float]] = None,
        rank: Union[None, int, str] = None,
        world_size: Optional[int] = None,
    ) -> Table:
        """Makes a table with a row for each node or edge of a type. If a table of this type and
        name exists, attaches to it; the arguments must then be equal.

        A table of a dataset in this process lives as long as the dataset, also after the table is
        closed. A table on servers lives until it is dropped, or a server ends: then open it again
        and load it (:meth:`Table.load`).

        Args:
            name: As that of a column.
            type: Node or edge type; None: the only node type.
            width: Numbers of a row, 1 to 2^20. None: the table exists, and this process takes no
                steps.
            dtype: Of the numbers; an optimiser needs "float32".
            low, high: First value of each number: random in [low, high), or `low` if both are
                equal. Only "float32" tables take other values than 0.
            seed: Of the random first values, together with `name`, id and position in the row. They
                do not depend on the number of parts.
            optimizer: What a step does. "sgd"; "adagrad", as ``torch.optim.Adagrad``; "adam", for
                the rows of a step only, as ``torch.optim.SparseAdam``. None: no steps; only
                :meth:`Table.write` changes rows.
            mean: A row's gradient is the mean of those that a step has for it, and not their sum.
            row_steps: Adam counts the steps of each row, as DGL's ``SparseAdam``, and not those of the table.
            epsilon: None: 1e-10 for Adagrad, 1e-8 for Adam.
            betas: Of Adam; None: (0.9, 0.999).
            rank: Which of `world_size` trainers, that take steps together, this is, as for
                :class:`NeighborLoader`. None: as torch.distributed says, if that is imported and
                initialised, else the only one. "env": as the environment variables RANK and WORLD_SIZE say.
            world_size: Given exactly when `rank` is a number.

        Raises:
            NotFound: No such type; without `width`: no such table.
            AlreadyExists: It exists with another width, dtype, first values or optimiser, which the
                message names.
            InvalidArgument: An argument; several trainers of a dataset that is not served.
            OutOfMemory: Of this process, or of a server's memory for tables.
            Unsupported: No server of a part holds tables, or two of them do. The dataset is a part
                that is open by itself. Edges without columns of a graph in parts. An optimiser for
                another dtype than float32.
            IoError, TimedOut: A server cannot be reached.
        """
        joined, handle = self._schema.any_type(type), self._low
        options = None
        if width is not None:
            options = table_options(
                width=width,
                dtype=dtype,
                low=low,
                high=high,
                seed=seed,
                optimizer=optimizer,
                mean=mean,
                row_steps=row_steps,
                epsilon=epsilon,
                betas=betas,
                rank=rank,
                world_size=world_size,
            )
        elif optimizer is not None or rank is not None or world_size is not None:
            raise invalid("width", "needed with optimizer, rank or world_size")
        return open_table(handle, joined, text("name", name), options)

    # ---- functions of its servers ----

    def call(
        self,
        part: int,
        function: str,
        data: BytesLike = b"",
        *,
        timeout: Optional[float] = None,
        idempotent: bool = False,
    ) -> bytes:
        """Calls a function of a server that has this part, see :meth:`Server.function`, and waits for the
        answer. Ctrl-C ends the waiting.

        Among several servers it calls a connected one. If the server is lost, the client waits for
        it until the time is over. It calls another server instead if nothing was sent yet, or with
        `idempotent`.

        Args:
            part: Of the graph, which was opened by "gls://...".
            function, data, timeout, idempotent: As of :meth:`Group.call`.

        Raises:
            Unsupported: The dataset is not on servers.
            NotFound, TimedOut, IoError, Error: As of :meth:`Group.call`.
        """
        return finished(
            self.call_async(part, function, data, timeout=timeout, idempotent=idempotent)
        )

    def call_async(
        self,
        part: int,
        function: str,
        data: BytesLike = b"",
        *,
        timeout: Optional[float] = None,
        idempotent: bool = False,
    ) -> Future[bytes]:
        """:meth:`call` without waiting: for ``await``, or :meth:`Future.result`."""
        return begin_call(self._low.call, "part", part, function, data, timeout, idempotent)

    # ---- long calls ----

    def verify(self, *, progress: Optional[Progress] = None) -> None:
        """Reads everything and checks that it is sound; stops at the first fault.

        Raises:
            CorruptData: Naming file, position and value.
        """
        self._low.verify(check_progress(progress))

    def nodes_to_arrow(self, type: Optional[str] = None) -> ArrowStream:
        """The nodes of a type for consumers of Arrow, one node a row, ascending.

        The first field is "_key", the original id, or "_id" for types without. The others are the
        columns, with their logical types; quantised ones are decoded. Id sets are not in it.

        Raises:
            Unsupported: The graph is in parts or on servers, or has a column of bfloat16.
        """
        of = self._schema.node_type(type)
        handle = self._low
        return ArrowStream(lambda: handle.nodes_arrow(of))

    def edges_to_arrow(self, type: Optional[EdgeType] = None) -> ArrowStream:
        """The edges of a type for consumers of Arrow, one edge a row, in ascending order of edge ids.

        The first fields are "_source" and "_target": the original ids of the ends, or node ids for
        types without. Otherwise as :meth:`nodes_to_arrow`.
        """
        of = self._schema.edge_type(type)
        handle = self._low
        return ArrowStream(lambda: handle.edges_arrow(of))

    def save(
        self,
        path: Path,
        *,
        overwrite: bool = False,
        layouts: Union[str, Sequence[str]] = (),
        row_padding: bool = True,
        progress: Optional[Progress] = None,
    ) -> None:
        """Writes the dataset to a new folder, which appears complete or not at all.

        Args:
            path: The folder.
            overwrite: Replaces an existing dataset atomically.
            layouts: Which topologies to store; empty: those it has.
            row_padding: Pads rows of columns to cache lines.
            progress: See :data:`gls.Progress`.

        Raises:
            FileExists, IoError
        """
        options = write_options(layouts=layouts, overwrite=overwrite, row_padding=row_padding)
        self._low.save(path, options, check_progress(progress))

    def export(
        self,
        format: str,
        path: Path,
        *,
        overwrite: bool = False,
        progress: Optional[Progress] = None,
        **choices: object,
    ) -> None:
        """Writes the dataset as files of another system, in bounded memory. Needs the plugin
        libgls_formats.so.

        :meth:`Recipe.of_format` reads them back, with the same ids, order of edges, dtypes and bits.
        Files appear under their names when all of them are complete::

            dataset.export("parquet", "tables")

        Args:
            format: "parquet", "pyg", "dgl" or "graphbolt"; the page "Datasets of other systems" says
                what each of them has no place for.
            path: A folder; for "pyg", and for "dgl" with ``form="graph"``, a file.
            overwrite: Replaces what `path` names.
            progress: See :data:`gls.Progress`.
            choices: As the format documents; bools, and lists of names, too.

        Raises:
            InvalidArgument: The format, or a choice.
            Unsupported: The plugin is missing. The graph is in parts, on servers or has stores. The
                dataset has something that the format cannot have; the message names it.
            FileExists, IoError
        """
        given = choices_of(choices)
        self._low.export_to(
            text("format", format), path, given, bool(overwrite), check_progress(progress)
        )

    def partition(
        self,
        path: Path,
        parts: int,
        *,
        method: Optional[str] = None,
        owners: Optional[Owners] = None,
        seed: int = 0,
        balance_sets: Union[str, Sequence[str]] = (),
        imbalance: Optional[float] = None,
        balance_edges: bool = False,
        halo_hops: int = 0,
        hot_rows: int = 0,
        hot_fraction: float = 0,
        hot_id_set: Optional[str] = None,
        hot_fanouts: Optional[Sequence[int]] = None,
        hot_max_seeds: Optional[int] = None,
        overwrite: bool = False,
        row_padding: bool = True,
        progress: Optional[Progress] = None,
    ) -> None:
        """Verifies the dataset and writes its parts to a new folder, which appears complete or not at
        all; :meth:`Partition.open` opens it.

        An edge belongs to the owner of its target where "csc" is stored, else to the owner of its
        source.

        Args:
            path: The folder.
            parts: 1 to 65535.
            method: How owners of nodes are chosen. "stream": fewer edges between parts than at
                random, by passes over the mapped graph; "metis": few edges between parts; needs the
                plugin libgls_metis.so, and memory for several copies of the edges; "random":
                exactly even; "hash": by hash of the id and the seed alone; "given": by `owners`.
                None: "given" with `owners`, else "stream".
            owners: See :data:`gls.types.Owners`.
            seed: Other seeds, other parts.
            balance_sets: Names of id sets to distribute evenly, too.
            imbalance: How much more than the mean a part may have, for each balanced quantity; more
                than 0. None: 0.05.
            balance_edges: Distributes in-degrees evenly, too.
            halo_hops: A part also has complete rows of nodes up to this many hops from those that
                it owns. With hops - 1 it can sample for its own nodes alone. A trainer that has the
                part open sends fewer requests to servers of the others.
            hot_rows: How many nodes of each type that a part does not own have rows in its features
                and labels: those at the ends of most of its edges.
            hot_fraction: `hot_rows` as a fraction of the nodes that the part owns; one of the two
                is 0.
            hot_id_set: Measures which nodes are hot: samples some batches of a part's own nodes in
                this id set, and takes the nodes that they request most. None: samples all own nodes
                if `hot_fanouts` is given, else counts ends of edges.
            hot_fanouts: Neighbours of each hop of these batches, for all edge types; -1: all of them.
                None: 15 and 10.
            hot_max_seeds: How many of a part's own nodes of each type are sampled at most, chosen
                by `seed`. None: all those in `hot_id_set`, or 1048576 of all.
            overwrite: Replaces an existing partition.
            row_padding: Pads rows of columns to cache lines.
            progress: See :data:`gls.Progress`.

        Raises:
            NotFound: No such id set.
            Unsupported: METIS is not installed, or the dataset is too large for it; the dataset is
                a part.
            CorruptData: The dataset is damaged.
            FileExists, IoError, OutOfMemory
        """
        options = partition_options(
            self._schema,
            parts=parts,
            method=method,
            owners=owners,
            seed=seed,
            balance_sets=balance_sets,
            imbalance=imbalance,
            balance_edges=balance_edges,
            halo_hops=halo_hops,
            hot_rows=hot_rows,
            hot_fraction=hot_fraction,
            hot_id_set=hot_id_set,
            hot_fanouts=hot_fanouts,
            hot_max_seeds=hot_max_seeds,
            overwrite=overwrite,
            row_padding=row_padding,
        )
        self._low.partition(path, options, check_progress(progress))

    def close(self) -> None:
        """Lets go of the dataset. Samplers, loaders and arrays made from it stay usable."""
        self._handle = None

    def __enter__(self) -> "Dataset":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __copy__(self) -> "Dataset":
        return self._like(self._low)

    def _like(self, handle: low.Dataset) -> "Dataset":
        dataset = Dataset(handle)
        dataset._opened, dataset._has_stores = self._opened, self._has_stores
        return dataset

    def __reduce__(self) -> Tuple[Any, ...]:
        if self._handle is None:
            raise closed("dataset")
        if self._has_stores:
            raise not_picklable("Dataset", "this one has stores; make them in each process")
        if self._opened is None:
            raise not_picklable(
                "Dataset", "this one was made in memory; save() it to a folder and open() that"
            )
        device = self.device
        return _open_again, self._opened if device == "cpu" else (*self._opened, device)

    def __repr__(self) -> str:
        if self._handle is None:
            return "gls.Dataset(closed)"
        nodes = ", ".join(f"{name}: {self.num_nodes(name)}" for name in self._schema.node_types)
        edges = ", ".join(f"{name}: {self.num_edges(name)}" for name in self._schema.edge_types)
        return f"gls.Dataset(nodes={{{nodes}}}, edges={{{edges}}})"


def _open_again(path: str, residency: str, verify: bool, device: str = "cpu") -> Dataset:
    """What was pickled."""
    return Dataset.open(path, residency=residency, verify=verify, device=device)


def _columns(infos: Any) -> Dict[str, Column]:
    out: Dict[str, Column] = {}
    for info in infos:
        out[info.name()] = Column(
            info.name(),
            _ROLE_NAMES.get(info.role(), "other"),
            dtype_name(info.dtype_code(), info.dtype_bits()),
            tuple(info.dim(d) for d in range(info.ndim())),
            info.row_stride(),
            info.bits(),
            tuple(info.code_value(c) for c in range(1 << info.bits())) if info.bits() else None,
            info.logical_type() or None,
        )
    return out
