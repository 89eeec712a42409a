"""from_scipy: sparse matrices as datasets."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from gls._core.check import join_edge_type
from gls._core.context import Context
from gls._core.packages import need_numpy
from gls._data.attributes import add_node_attributes, are_weights
from gls._data.builder import DatasetBuilder
from gls._data.dataset import Dataset
from gls.errors import invalid
from gls.types import ArrayLike, EdgeType

_SQUARE, _OBLONG = "node__to__node", "row__to__column"


def from_scipy(
    matrix: Any,
    *,
    node_columns: Optional[Mapping[str, Union[ArrayLike, Mapping[str, ArrayLike]]]] = None,
    layouts: Union[str, Sequence[str]] = "csc",
    context: Optional[Context] = None,
) -> Dataset:
    """A dataset in memory of sparse matrices of SciPy: the entry (i, j) is an edge from i to j.

    A square matrix has the node type "node" and the edge type "node__to__node". Another has the
    node types "row" and "column", and the edge type "row__to__column".

    Every stored entry is an edge, also one that is 0 or repeated; of the blocks of BSR, those that
    are not 0. Values that are not all 1 become the edge column "weight" with their dtype. Its role
    is weight if all are finite and none is negative, else feature.

    The arrays of CSC and CSR are used in place, and edge ids are positions in them. Only `indptr`
    is copied, unless it is int64. Sources and targets of COO are sorted into a new topology, and
    edge ids are positions in COO. Other formats are converted to COO. Values of CSC, CSR and COO
    are used in place.

    Args:
        matrix: A sparse matrix or array with two dimensions. Or matrices by edge type, such as
            ``{("author", "writes", "paper"): matrix}``; their shapes must agree.
        node_columns: Arrays [nodes, ...] by name; where there are several node types, by type and
            name. They are used in place. "y", "label" and "labels" are labels; a time is one of
            int64; others are features. "train_mask", "val_mask" and "test_mask" [nodes] of bool
            become the id sets "train", "valid" and "test".
        layouts: "csc", "csr" or both: which directions can be sampled. What the matrix has is
            stored, too; a direction that it does not have is made by a copy.
        context: None: the default one.

    Raises:
        InvalidArgument: Shapes do not agree, or a dtype cannot be stored.
    """
    matrices = _by_type(matrix)
    sizes: Dict[str, int] = {}
    for joined, given in matrices.items():
        source, _, target = joined.split("__")
        for type, count in zip((source, target), given.shape):
            if sizes.setdefault(type, int(count)) != count:
                raise invalid(
                    "matrix",
                    f'edge type "{joined}" has {count} nodes of type "{type}" by its shape, but '
                    f"there are {sizes[type]}",
                )
    builder = DatasetBuilder(context=context)
    for type, count in sizes.items():
        builder.add_node_type(type, count)
    for joined, given in matrices.items():
        _add_edges(builder, joined, given)
    for type, columns in _columns_by_type(node_columns or {}, sizes).items():
        arrays = {name: _array(value) for name, value in columns.items()}
        for name, value in arrays.items():
            rows = value.shape[0] if len(value.shape) else None
            if rows != sizes[type]:
                raise invalid(
                    "node_columns",
                    f"{name!r} has shape {list(value.shape)}, but there are {sizes[type]} nodes of "
                    f'type "{type}"',
                )
        add_node_attributes(builder, type, arrays, "node_columns")
    return builder.build(layouts=layouts)


def _by_type(matrix: Any) -> Dict[str, Any]:
    """Matrices by the names of their edge types."""
    if hasattr(matrix, "tocoo"):  # old SciPy has matrices that are mappings
        rows, columns = _shape(matrix, "matrix")
        return {_SQUARE if rows == columns else _OBLONG: matrix}
    if not isinstance(matrix, Mapping):
        raise _no_matrix(matrix, "matrix")
    if not matrix:
        raise invalid("matrix", "there is no edge type")
    out: Dict[str, Any] = {}
    for key, given in matrix.items():
        joined = _edge_type(key)
        _shape(given, f'matrix["{joined}"]')
        out[joined] = given
    return out


def _edge_type(key: EdgeType) -> str:
    joined = join_edge_type(key, "matrix")
    if joined.count("__") != 2:
        raise invalid("matrix", f"{joined!r} is not source__relation__target")
    return joined


def _shape(matrix: Any, what: str) -> Tuple[int, int]:
    if not hasattr(matrix, "tocoo"):
        raise _no_matrix(matrix, what)
    if len(matrix.shape) != 2:
        raise invalid("matrix", f"{what} has shape {list(matrix.shape)}, expected two dimensions")
    rows, columns = matrix.shape
    return rows, columns


def _no_matrix(value: Any, what: str) -> TypeError:
    return TypeError(f"{what} must be a sparse matrix of SciPy, not {type(value).__name__}")


def _add_edges(builder: DatasetBuilder, joined: str, matrix: Any) -> None:
    numpy = need_numpy("gls.from_scipy")
    if matrix.dtype.kind not in "biuf" or matrix.dtype.itemsize > 8:
        raise invalid("matrix", f'edge type "{joined}" has values of {matrix.dtype}; convert them')
    if matrix.format in ("csc", "csr"):
        count = int(matrix.indptr[-1])  # the arrays may be longer
        indptr = matrix.indptr.astype(numpy.int64, copy=False)
        builder.add_topology(joined, matrix.format, indptr, matrix.indices[:count])
        values = matrix.data[:count]
    else:
        edges = matrix.tocoo()
        source, target, values = edges.row, edges.col, edges.data
        if matrix.format == "bsr":
            kept = values != 0
            source, target, values = source[kept], target[kept], values[kept]
        builder.add_edges(joined, source, target)
    if not (values == 1).all():
        role = "weight" if are_weights(values) else "feature"
        builder.add_edge_column(joined, "weight", values, role=role)


def _columns_by_type(given: Mapping[str, Any], sizes: Mapping[str, int]) -> Dict[str, Any]:
    if len(sizes) == 1:
        only = next(iter(sizes))
        named = set(given) == {only} and isinstance(given[only], Mapping)
        return dict(given) if named else {only: given}
    for type, columns in given.items():
        if type not in sizes or not isinstance(columns, Mapping):
            known = ", ".join(f'"{name}"' for name in sizes)
            raise invalid(
                "node_columns", f"expected arrays by name for each of the node types {known}"
            )
    return dict(given)


def _array(value: Any) -> Any:
    """Of a sequence, an array of NumPy."""
    return value if hasattr(value, "shape") else need_numpy("gls.from_scipy").asarray(value)
