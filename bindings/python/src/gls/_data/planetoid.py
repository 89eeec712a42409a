"""read_planetoid: the files of Cora, CiteSeer and PubMed, as arrays."""

from __future__ import annotations

import io
import itertools
import os
import pickle
import pickletools
import re
from typing import TYPE_CHECKING, Any, NamedTuple, Tuple

from gls._core.check import text
from gls._core.packages import need_numpy
from gls._data.builder import DatasetBuilder
from gls.errors import CorruptData, FileNotFound, IoError, OutOfMemory
from gls.types import Path

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PlanetoidGraph(NamedTuple):
    """The arrays of a Planetoid graph; see :func:`read_planetoid`."""

    edges: NDArray[Any]
    """int64 [2, edges]: sources and targets. Both directions of each edge, in ascending order,
    without self-loops and repetitions."""
    x: NDArray[Any]
    """float32 [nodes, features]."""
    y: NDArray[Any]
    """int64 [nodes]: the class of each node; -1: unknown."""
    train: NDArray[Any]
    """int64: the nodes for training of the public split."""
    valid: NDArray[Any]
    """int64: the nodes for validation."""
    test: NDArray[Any]
    """int64: the nodes for test."""

    def add_to(self, builder: DatasetBuilder) -> None:
        """Adds the graph to a builder.

        The node type is "node", with the columns "x" and "y" and the id sets "train", "valid" and
        "test". The edge type is "node__to__node".
        """
        builder.add_edges("node__to__node", self.edges)
        builder.add_node_column("node", "x", self.x)
        builder.add_node_column("node", "y", self.y, role="label")
        builder.add_id_set("node", "train", self.train)
        builder.add_id_set("node", "valid", self.valid)
        builder.add_id_set("node", "test", self.test)


def read_planetoid(folder: Path, name: str) -> PlanetoidGraph:
    """Reads a graph of the Planetoid project: the eight files "ind.NAME.x", "ind.NAME.graph", ...

    The files are pickles. This function reads lists, dicts, NumPy arrays and SciPy CSR matrices from
    them, and runs no code that a pickle names. It does not need SciPy::

        builder = gls.DatasetBuilder()
        gls.read_planetoid("planetoid/data", "cora").add_to(builder)
        builder.write("cora")

    Args:
        folder: The folder of the files.
        name: "cora", "citeseer" or "pubmed".

    Raises:
        FileNotFound, IoError, CorruptData, OutOfMemory
    """
    np = need_numpy("gls.read_planetoid()")
    prefix = os.path.join(os.fspath(folder), f"ind.{text('name', name)}.")
    x, tx, allx = (_Matrix.read(np, prefix + part) for part in ("x", "tx", "allx"))
    if not x.columns == tx.columns == allx.columns:
        raise _damaged(
            allx.path, f"{allx.columns} features, but {x.columns} in x and {tx.columns} in tx"
        )
    if x.rows > allx.rows:
        raise _damaged(x.path, f"{x.rows} rows, but {allx.rows} in allx")
    order = _read_test_index(np, prefix + "test.index", tx.rows, allx.rows)
    nodes = int(max([allx.rows, *(order + 1)]))
    try:
        features = np.zeros((nodes, allx.columns), np.float32)
    except (MemoryError, ValueError) as error:
        raise OutOfMemory(
            f"{allx.path}: {nodes} nodes with {allx.columns} features each do not fit in memory",
            detail={"file": allx.path},
        ) from error
    allx.add_to(np, features, np.arange(allx.rows))
    tx.add_to(np, features, order)
    _read_classes(np, prefix + "y", x.rows)
    labels = np.full(nodes, -1, np.int64)
    labels[: allx.rows] = _read_classes(np, prefix + "ally", allx.rows)
    labels[order] = _read_classes(np, prefix + "ty", tx.rows)
    return PlanetoidGraph(
        _read_edges(np, prefix + "graph", nodes),
        features,
        labels,
        np.arange(x.rows),
        # The public split has the 500 nodes after those for training.
        np.arange(x.rows, min(x.rows + 500, allx.rows)),
        np.sort(order),
    )


# ---- pickles ----


class _Record:
    """Stands for an object of a class that a pickle names: keeps its arguments and its state."""

    args: Tuple[Any, ...] = ()
    state: Any = None

    def __init__(self, *args: Any) -> None:
        self.args = args

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Dict(dict):  # type: ignore[type-arg]
    """Stands for collections.defaultdict."""

    def __init__(self, *_: Any) -> None:
        super().__init__()


_STAND_INS = {
    "numpy.core.multiarray._reconstruct": _Record,
    "numpy._core.multiarray._reconstruct": _Record,
    "numpy.ndarray": _Record,
    "numpy.dtype": _Record,
    "scipy.sparse.csr.csr_matrix": _Record,
    "scipy.sparse._csr.csr_matrix": _Record,
    "copy_reg._reconstructor": _Record,
    "copyreg._reconstructor": _Record,
    "__builtin__.object": _Record,
    "builtins.object": _Record,
    "__builtin__.list": _Record,
    "builtins.list": _Record,
    "collections.defaultdict": _Dict,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        stand_in = _STAND_INS.get(f"{module}.{name}")
        if stand_in is None:
            raise pickle.UnpicklingError(
                f"it names {f'{module}.{name}'!r}, expected only lists, dicts, NumPy arrays and "
                "SciPy CSR matrices"
            )
        # A pickle can set attributes of a class, so each use has a class of its own.
        return type("StandIn", (stand_in,), {})


def _damaged(path: str, why: str) -> CorruptData:
    return CorruptData(f"{path}: {why}", detail={"file": path})


def _read_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise FileNotFound(f"there is no file {path}", detail={"file": path}) from error
    except OSError as error:
        raise IoError(f"cannot read {path}: {error.strerror}", detail={"file": path}) from error


def _read_pickle(path: str) -> Any:
    return _unpickle(path, _read_bytes(path))


def _unpickle(path: str, data: bytes) -> Any:
    try:
        for operation, argument, _ in pickletools.genops(data):
            # pickle allocates memory for all numbers up to the largest one.
            if "PUT" in operation.name and not 0 <= int(argument or 0) <= len(data):
                raise ValueError(f"memo entry {argument} in a file of {len(data)} bytes")
        # Python 2 wrote the published files. Its strings hold bytes.
        return _Unpickler(io.BytesIO(data), encoding="latin1").load()
    except Exception as error:  # a damaged pickle raises errors of many kinds
        raise _damaged(path, f"the pickle cannot be read: {error}") from error


def _array(np: Any, path: str, what: str, value: Any, dims: int) -> Any:
    """The array that a record describes; its state is (version, shape, dtype, Fortran, bytes)."""
    try:
        _, shape, dtype, fortran, data = value.state
        byte_order, name = dtype.state[1], dtype.args[0]
        if re.fullmatch("[<>=|][iuf][1248]", byte_order + name) is None:
            raise TypeError(f"its type is {byte_order + name!r}, expected numbers")
        if len(shape) != dims or not all(type(extent) is int and extent >= 0 for extent in shape):
            raise TypeError(f"its shape is {shape}, expected {dims} dimensions")
        content = data.encode("latin1") if isinstance(data, str) else data
        flat = np.frombuffer(content, byte_order + name) if content else np.zeros(0, name)
        return flat.reshape(shape, order="F" if fortran else "C")
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise _damaged(path, f"{what} is not an array of {dims} dimensions: {error}") from error


class _Matrix(NamedTuple):
    """A CSR matrix."""

    path: str
    rows: int
    columns: int
    row: Any
    column: Any
    value: Any

    @classmethod
    def read(cls, np: Any, path: str) -> _Matrix:
        root = _read_pickle(path)
        state = getattr(root, "state", None)
        if not isinstance(state, dict) or not {"_shape", "indptr", "indices", "data"} <= set(state):
            raise _damaged(path, "it is not a CSR matrix")
        shape = state["_shape"]
        if not isinstance(shape, tuple) or [type(n) for n in shape] != [int, int] or min(shape) < 0:
            raise _damaged(path, f"the shape of the matrix is {shape}, expected (rows, columns)")
        rows, columns = shape
        indptr, indices, data = (
            _array(np, path, name, state[name], 1) for name in ("indptr", "indices", "data")
        )
        if indptr.dtype.kind == "f" or indices.dtype.kind == "f":
            raise _damaged(path, "the indices of the matrix are not integers")
        if len(indptr) != rows + 1 or len(indices) != len(data):
            raise _damaged(path, "the arrays of the matrix do not have the lengths of its shape")
        ends = indptr.astype(np.int64)
        if ends[0] != 0 or (np.diff(ends) < 0).any() or ends[-1] > len(indices):
            raise _damaged(path, "indptr of the matrix does not ascend from 0 to its entries")
        column = indices[: ends[-1]].astype(np.int64)
        outside = np.flatnonzero((column < 0) | (column >= columns))
        if len(outside):
            at = outside[0]
            raise _damaged(
                path, f"indices[{at}] of the matrix is {column[at]}, expected [0, {columns})"
            )
        row = np.repeat(np.arange(rows), np.diff(ends))
        return cls(path, rows, columns, row, column, data[: ends[-1]])

    def add_to(self, np: Any, dense: Any, nodes: Any) -> None:
        """Adds row i to row nodes[i]. Repeated entries add up, as in SciPy."""
        np.add.at(dense, (nodes[self.row], self.column), self.value.astype(np.float32))


def _read_classes(np: Any, path: str, rows: int) -> Any:
    """The column that is set in each row of a matrix; -1: no column is set."""
    labels = _array(np, path, "the content", _read_pickle(path), 2)
    if len(labels) != rows:
        raise _damaged(path, f"{len(labels)} rows of classes, expected {rows}")
    given = (labels != 0).sum(axis=1)
    if (given > 1).any():
        raise _damaged(path, f"row {np.flatnonzero(given > 1)[0]} has more than one class")
    return np.where(given, (labels != 0).argmax(axis=1), -1) if labels.size else given - 1


# Larger gaps between the ids of test nodes are damage, and allocate no memory.
_LARGEST_GAP = 1 << 20


def _read_test_index(np: Any, path: str, rows: int, first: int) -> Any:
    """The nodes that the rows of tx describe. CiteSeer leaves some numbers out."""
    words = _read_bytes(path).split()
    if len(words) != rows:
        raise _damaged(path, f"{len(words)} entries, but tx has {rows} rows")
    for number, word in enumerate(words):
        known = re.fullmatch(rb"[0-9]{1,18}", word) is not None
        if not known or not 0 <= int(word) - first <= _LARGEST_GAP + 2 * rows:
            given = word.decode("latin1")
            raise _damaged(
                path, f"entry {number} is {given!r}, expected the id of a node from {first} on"
            )
    order = np.array([int(word) for word in words], np.int64)
    ids, counts = np.unique(order, return_counts=True)
    if (counts > 1).any():
        raise _damaged(path, f"node {ids[counts > 1][0]} occurs twice")
    return order


def _read_edges(np: Any, path: str, nodes: int) -> Any:
    """Both directions of each edge once. A dict of lists names an edge from either end, or both."""
    data = _read_bytes(path)
    graph = _unpickle(path, data)
    if not isinstance(graph, dict) or not all(isinstance(row, list) for row in graph.values()):
        raise _damaged(path, "it is not a dict of lists")
    # Each entry takes a byte of the file, unless lists are shared to exhaust memory.
    entries = sum(map(len, graph.values()))
    if entries > len(data):
        raise _damaged(
            path, f"its lists have {entries} entries, but the file has {len(data)} bytes"
        )
    pairs = [*itertools.chain.from_iterable(zip(itertools.repeat(a), graph[a]) for a in graph)]
    for a, b in pairs:
        if type(a) is not int or type(b) is not int or not (0 <= a < nodes and 0 <= b < nodes):
            raise _damaged(path, f"an edge is from {a!r} to {b!r}, expected nodes in [0, {nodes})")
    a, b = np.array(pairs, np.int64).reshape(-1, 2).T
    a, b = a[a != b], b[a != b]
    both = np.unique(np.concatenate([a * nodes + b, b * nodes + a]))
    return np.stack([both // nodes, both % nodes]) if nodes else both.reshape(2, 0)
