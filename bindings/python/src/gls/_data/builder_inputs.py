"""What a dataset is built of: node types, edges, columns and id sets, from arrays and from files."""

from __future__ import annotations

import threading
from typing import Dict, List, Mapping, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

from gls._core.check import (
    check_process,
    choice,
    field_name,
    fork_generation,
    join_edge_type,
    not_picklable,
    optional_text,
    text,
    whole_number,
)
from gls._core.context import Context, default_context
from gls._core.naming import naming
from gls._core.inputs import ids_or_mask, to_low, to_low_pair
from gls._data.arrow import ArrowColumns, arrow_options, stream_of
from gls._data.codes import Codes
from gls._data.storage import LAYOUTS, ROLES, check_progress, write_options
from gls._low import glslow as low
from gls.errors import InvalidState, invalid
from gls.types import ArrayLike, ArrowData, EdgeType, Field, Path, Progress, TextColumn

_IDS = {"dense": 0, "integer": 1, "string": 2}
_HEADER: Dict[Optional[bool], int] = {None: 0, True: 1, False: 2}
_ADD_REVERSE = 1
_RAGGED = 2
_ENCODINGS = {None: 0, "utf-8": 1, "latin-1": 2, "utf-16": 3}


class BuilderInputs:
    """The inputs of a :class:`gls.DatasetBuilder`."""

    def __init__(self, *, context: Optional[Context] = None) -> None:
        used = (context or default_context())._low
        self._start(low.Builder(used), used)

    def _start(self, builder: low.Builder, context: low.Context) -> None:
        self._generation = fork_generation()
        self._lock = threading.Lock()
        self._context = context
        self._builder = builder
        self._counts: Dict[str, int] = {}  # nodes of each type named so far; -1: not yet known
        self._masks: List[Mask] = []

    def _exclusive(self) -> "_Exclusive":
        check_process(self._generation)
        return _Exclusive(self)

    def add_node_type(self, type: str, num_nodes: int = 0, *, ids: str = "dense") -> None:
        """Declares a node type; needed only to say one of these things, and then first.

        Args:
            type: Its name.
            num_nodes: 0: found from edges, columns and id sets. Where only the largest id tells, far
                more nodes than ids are an error; declare the number to have them all.
            ids: What text files call nodes. "dense": 0 .. num_nodes-1; "integer" and "string":
                anything, numbered in ascending order, the originals kept as keys.
        """
        count = whole_number("num_nodes", num_nodes, 0, 63)
        with self._exclusive() as builder:
            builder.add_node_type(text("type", type), count, choice("ids", ids, _IDS))
            self._meet(type, count or -1)

    def add_edges(
        self,
        edge_type: EdgeType,
        source: ArrayLike,
        target: Optional[ArrayLike] = None,
        *,
        add_reverse: bool = False,
    ) -> None:
        """Adds an edge type given as edge list: edge i goes from source[i] to target[i].

        Args:
            edge_type: Its name.
            source: int32 or int64 [edges]; or [2, edges], when `target` is not given.
            target: The same.
            add_reverse: Also stores each edge turned round: within one node type as edges E .. 2E-1
                of this type; between two as the type "target__rev_relation__source" with equal ids.
        """
        if target is None:
            sources, targets = to_low_pair(source, "source")
        else:
            sources = to_low(source, "source", vector=True)
            targets = to_low(target, "target", vector=True)
        flags = _ADD_REVERSE if add_reverse else 0
        with self._exclusive() as builder:
            joined = join_edge_type(edge_type)
            builder.add_edges(joined, sources, targets, flags)
            self._meet_ends(joined)

    def add_topology(
        self,
        edge_type: EdgeType,
        layout: str,
        indptr: ArrayLike,
        indices: ArrayLike,
        edge_ids: Optional[ArrayLike] = None,
    ) -> None:
        """Adds an edge type given as a ready topology, which is used as it is.

        Args:
            edge_type: Its name. Give it twice to store both layouts.
            layout: "csc": rows are targets, indices sources; "csr": the other way round.
            indptr: int64 [nodes + 1].
            indices: int32 or int64 [edges].
            edge_ids: int32 or int64 [edges]; None: the id of an edge is its position.
        """
        number = choice("layout", layout, LAYOUTS)
        pointers = to_low(indptr, "indptr", vector=True)
        neighbors = to_low(indices, "indices", vector=True)
        ids = None if edge_ids is None else to_low(edge_ids, "edge_ids", vector=True)
        with self._exclusive() as builder:
            joined = join_edge_type(edge_type)
            builder.add_topology(joined, number, pointers, neighbors, ids)
            self._meet_ends(joined)
            self._meet(joined.split("__")[-1 if layout == "csc" else 0], pointers.dim(0) - 1)

    def add_edges_text(
        self,
        edge_type: EdgeType,
        path: Path,
        *,
        source: Field = 0,
        target: Field = 1,
        columns: Optional[Mapping[Field, TextColumn]] = None,
        delimiter: Optional[str] = None,
        comment: Optional[str] = None,
        header: Optional[bool] = None,
        encoding: Optional[str] = None,
        ragged: bool = False,
        add_reverse: bool = False,
    ) -> None:
        """Adds an edge type given as delimited text: one edge a line, plain or compressed
        with gzip, zstd or bzip2.

        The file is read by :meth:`build` or :meth:`write`, which raise :class:`CorruptData` naming file
        and line where one is damaged.

        Args:
            edge_type: Its name.
            path: The file.
            source: The field with the source.
            target: The field with the target.
            columns: Which other fields become columns, as what: ``{"weight": "float32"}``,
                ``{2: ("float32", "weight")}``, ``{2: ("float32", "weight", "w")}``.
            delimiter: None: the first of tab, comma, semicolon, pipe that ends the first field, else
                blanks.
            comment: Lines beginning with it are skipped; None: "#" and "%"; "": no lines.
            header: Whether there is a header line; None: found out.
            encoding: "utf-8", "latin-1" or "utf-16"; None: UTF-8, or UTF-16 where the file begins with
                its byte order mark.
            ragged: Whether lines may have more or fewer fields than the first.
            add_reverse: As for :meth:`add_edges`.
        """
        options = _text_options(columns, delimiter, comment, header, encoding)
        options.set_source_field(field_name("source", source))
        options.set_target_field(field_name("target", target))
        options.set_flags((_ADD_REVERSE if add_reverse else 0) | (_RAGGED if ragged else 0))
        with self._exclusive() as builder:
            joined = join_edge_type(edge_type)
            builder.add_edges_text(joined, path, options)
            self._meet_ends(joined)

    def add_nodes_text(
        self,
        type: str,
        path: Path,
        *,
        key: Field = 0,
        columns: Optional[Mapping[Field, TextColumn]] = None,
        delimiter: Optional[str] = None,
        comment: Optional[str] = None,
        header: Optional[bool] = None,
        encoding: Optional[str] = None,
        ragged: bool = False,
    ) -> None:
        """Adds the nodes of a type given as delimited text: one node a line, numbered in this order.

        Args:
            type: Its name. With `ids` "dense" the list must be 0, 1, 2, ... in this order.
            path: The file.
            key: The field with what edges call the node.
            columns, delimiter, comment, header, encoding, ragged: As for :meth:`add_edges_text`.
        """
        options = _text_options(columns, delimiter, comment, header, encoding)
        options.set_source_field(field_name("key", key))
        options.set_flags(_RAGGED if ragged else 0)
        with self._exclusive() as builder:
            builder.add_nodes_text(text("type", type), path, options)
            self._meet(type)

    def add_edges_arrow(
        self,
        edge_type: EdgeType,
        data: ArrowData,
        *,
        source: Field = 0,
        target: Field = 1,
        columns: Optional[ArrowColumns] = None,
        add_reverse: bool = False,
        label: Optional[str] = None,
    ) -> None:
        """Adds an edge type given as Arrow data: row i is edge i.

        Args:
            edge_type: Its name.
            data: As for :meth:`add_nodes_arrow`.
            source: The field with the source: integers, text or binary.
            target: The field with the target.
            columns, label: As for :meth:`add_nodes_arrow`.
            add_reverse: As for :meth:`add_edges`.
        """
        options = arrow_options(columns, label)
        options.set_source_field(field_name("source", source))
        options.set_target_field(field_name("target", target))
        options.add_flags(_ADD_REVERSE if add_reverse else 0)
        stream = stream_of(data)
        with self._exclusive() as builder:
            joined = join_edge_type(edge_type)
            with naming({"source_field": "source", "target_field": "target"}):
                builder.add_edges_arrow(joined, low.arrow_stream(stream), options)
            self._meet_ends(joined)

    def add_nodes_arrow(
        self,
        type: str,
        data: ArrowData,
        *,
        key: Optional[Field] = None,
        columns: Optional[ArrowColumns] = None,
        id_sets: Optional[Mapping[Field, str]] = None,
        split: Optional[Field] = None,
        label: Optional[str] = None,
    ) -> None:
        """Adds the nodes of a type given as Arrow data: one node a row, numbered in this order.

        Numbers, bool, half floats, timestamps, dates, and lists of equal length of these become
        columns. Timestamps and dates become the integers that Arrow stores, and keep their unit; see
        :attr:`gls.Column.logical_type`. Types without :meth:`add_node_type` get string ids where text
        names their nodes.

        The data are read by :meth:`build` or :meth:`write`, in bounded memory, and only once. These
        raise :class:`CorruptData` naming row and field where a value cannot be used.

        Args:
            type: Its name.
            data: A table, data frame or reader of pyarrow, polars, duckdb or pandas; see
                :data:`gls.types.ArrowData`.
            key: The field with what edges call the node: integers, text or binary. None: row i is
                node i.
            columns: Which fields become columns: ``["age"]``, ``{"age": "label"}``,
                ``{"age": gls.ArrowColumn(dtype="float32", fill=0)}``. None: all that no other
                argument names.
            id_sets: Bool fields that become id sets: ``{"train_mask": "train"}``.
            split: A field of text that becomes an id set for each text, such as "train" and "valid", at
                most 64. Nodes without text are in no set.
            label: What errors call the data, such as the name of a file.
        """
        options = arrow_options(columns, label, id_sets, split)
        if key is not None:
            options.set_source_field(field_name("key", key))
        stream = stream_of(data)
        with self._exclusive() as builder:
            with naming({"source_field": "key"}):
                builder.add_nodes_arrow(text("type", type), low.arrow_stream(stream), options)
            self._meet(type)

    def add_node_column(
        self,
        type: Optional[str],
        name: str,
        data: Union[ArrayLike, Codes],
        *,
        role: str = "feature",
    ) -> None:
        """Adds a column of a node type: row i is node i.

        Args:
            type: The node type; None: the only one.
            name: The column's name.
            data: [nodes, ...]; the rows must each be contiguous, else they are copied. Or :class:`Codes`:
                then they are stored, and decoded to float32 when they are gathered.
            role: What it is for, which chooses what loaders gather by default: "feature" for every
                sampled node, "label" for the seeds, "weight", "time" and "other" not at all.
        """
        tensor = data._low if isinstance(data, Codes) else to_low(data, "data")
        number = choice("role", role, ROLES)
        with self._exclusive() as builder:
            of, named = optional_text("type", type), text("name", name)
            if isinstance(data, Codes):
                builder.add_node_codes(of, named, number, tensor, data._quantization())
            else:
                builder.add_node_column(of, named, number, tensor)
            self._meet(self._only(type), tensor.dim(0))

    def add_edge_column(
        self,
        edge_type: Optional[EdgeType],
        name: str,
        data: Union[ArrayLike, Codes],
        *,
        role: str = "feature",
    ) -> None:
        """Adds a column of an edge type: row e belongs to edge e. As :meth:`add_node_column`."""
        number = choice("role", role, ROLES)
        joined = None if edge_type is None else join_edge_type(edge_type)
        if isinstance(data, Codes):
            with self._exclusive() as builder:
                quantization = data._quantization()
                builder.add_edge_codes(joined, text("name", name), number, data._low, quantization)
            return
        tensor = to_low(data, "data")
        with self._exclusive() as builder:
            builder.add_edge_column(joined, text("name", name), number, tensor)

    def add_id_set(self, type: Optional[str], name: str, ids: ArrayLike) -> None:
        """Adds a named set of nodes.

        Args:
            type: The node type; None: the only one.
            name: The set's name.
            ids: The nodes, in the order given; or a mask of bool with an entry for each node of the
                type, which selects nodes. :meth:`build` and :meth:`write` raise
                :class:`InvalidArgument` if the length of a mask is not the number of nodes.
        """
        tensor, length = ids_or_mask(ids, "ids")
        with self._exclusive() as builder:
            builder.add_id_set(optional_text("type", type), text("name", name), tensor)
            self._meet(self._only(type))
            if length is not None:
                self._masks.append(Mask(self._only(type), name, length))

    def _make(
        self, *, layouts: Union[str, Sequence[str]], memory: int, progress: Optional[Progress]
    ) -> low.Dataset:
        """Makes the dataset in memory; the builder is empty afterwards."""
        options = write_options(layouts=layouts, memory=memory)
        with self._exclusive() as builder:
            masks = self._check_masks()
            made = builder.build(options, check_progress(progress))
            self._forget()
            check_lengths(masks, made)
            return made

    # ---- masks: the library knows ids only, so their lengths are compared here ----

    def _only(self, type: Optional[str]) -> str:
        """The name of a node type; None stands for the only one, as the library found."""
        return next(iter(self._counts)) if type is None else type

    def _meet(self, type: str, count: int = -1) -> None:
        if self._counts.get(type, -1) < 0:
            self._counts[type] = count

    def _meet_ends(self, edge_type: str) -> None:
        source, *_, target = edge_type.split("__")
        self._meet(source)
        self._meet(target)

    def _check_masks(self) -> "List[Mask]":
        """Those that could not be checked yet, as only edges or files say how many nodes there are."""
        unknown = []
        for mask in self._masks:
            count = self._counts[mask.type]
            if count < 0:
                unknown.append(mask)
            else:
                mask.check(count)
        return unknown

    def _forget(self) -> None:
        self._counts, self._masks = {}, []

    def __reduce__(self) -> NoReturn:
        raise not_picklable("DatasetBuilder", "make it where it is used")


class Mask(NamedTuple):
    """A mask that was given for an id set."""

    type: str
    id_set: str
    length: int

    def check(self, num_nodes: int, hint: str = "") -> None:
        if self.length != num_nodes:
            raise invalid(
                "ids",
                f'the mask of id set "{self.id_set}" has {self.length} entries, but node type '
                f'"{self.type}" has {num_nodes} nodes{hint}',
            )


def check_lengths(masks: List[Mask], dataset: low.Dataset) -> None:
    """Compares masks with the numbers of nodes that only edges or files gave."""
    counts = {dataset.node_type(i): dataset.num_nodes(i) for i in range(dataset.num_node_types())}
    for mask in masks:
        mask.check(counts[mask.type], "; declare num_nodes if there are more")


class _Exclusive:
    """Gives a builder's handle to one call at a time; also a progress callback must not use it."""

    __slots__ = ("_builder",)

    def __init__(self, builder: BuilderInputs) -> None:
        self._builder = builder

    def __enter__(self) -> low.Builder:
        if not self._builder._lock.acquire(blocking=False):
            raise InvalidState("the builder is in use by another call")
        return self._builder._builder

    def __exit__(self, *_: object) -> None:
        self._builder._lock.release()


def _character(argument: str, value: Optional[str]) -> str:
    if value is None:
        return "\0"
    if len(text(argument, value).encode()) != 1:
        raise invalid(argument, f"{value!r} is not one ASCII character")
    return value


def _text_options(
    columns: Optional[Mapping[Field, TextColumn]],
    delimiter: Optional[str],
    comment: Optional[str],
    header: Optional[bool],
    encoding: Optional[str],
) -> low.TextOptions:
    options = low.TextOptions()
    options.set_delimiter(_character("delimiter", delimiter))
    # A line cannot begin with a line's end, which is how the library says "none".
    options.set_comment("\n" if comment == "" else _character("comment", comment))
    options.set_header(choice("header", header, _HEADER))
    options.set_encoding(choice("encoding", encoding, _ENCODINGS))
    for field, spec in (columns or {}).items():
        dtype, role, name = _column(spec)
        options.add_column(field_name("columns", field), name, dtype, choice("role", role, ROLES))
    return options


def _column(spec: TextColumn) -> Tuple[str, str, Optional[str]]:
    parts = (spec,) if isinstance(spec, str) else tuple(spec)
    if not 1 <= len(parts) <= 3:
        raise invalid("columns", f"{spec!r} is not dtype, (dtype, role) or (dtype, role, name)")
    dtype = text("columns", parts[0])
    role = parts[1] if len(parts) > 1 else "feature"
    return dtype, role, optional_text("columns", parts[2] if len(parts) > 2 else None)
