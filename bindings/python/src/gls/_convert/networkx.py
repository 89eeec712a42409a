"""from_networkx: graphs of NetworkX as datasets."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from gls._core.check import text
from gls._core.context import Context
from gls._core.packages import need_numpy
from gls._data.attributes import add_edge_attributes, add_node_attributes
from gls._data.builder import DatasetBuilder
from gls._data.dataset import Dataset
from gls.errors import invalid

_EDGES = ("node", "to", "node")


def from_networkx(
    graph: Any,
    *,
    node_attributes: Optional[Sequence[str]] = None,
    edge_attributes: Optional[Sequence[str]] = None,
    float_dtype: str = "float32",
    layouts: Union[str, Sequence[str]] = "csc",
    context: Optional[Context] = None,
) -> Dataset:
    """A dataset in memory of a ``networkx.Graph``, ``DiGraph``, ``MultiGraph`` or ``MultiDiGraph``.

    The types are "node" and "node__to__node". Nodes have the numbers of their places in the graph:
    ``list(graph)`` has the name of each, which the dataset does not keep.

    Edges have the order of ``graph.edges``. Of an undirected graph, the same edges turned round
    follow, with equal attributes; a loop is stored once. Everything is copied.

    Attributes are numbers, or sequences and arrays of equal shape. They become columns
    [nodes, ...] or [edges, ...] of int64, bool or `float_dtype`; numbers of NumPy keep their dtype.

    - "y", "label" and "labels" are labels.
    - "weight", "w" and "edge_weight" of edges have the role weight if all are finite and none is
      negative.
    - "time" and "timestamp" of whole numbers have the role time; all else are features.
    - "train_mask", "val_mask" and "test_mask" of nodes, if bool, become the id sets "train",
      "valid" and "test".

    In names, "__" becomes "_", and "_" at an end goes.

    Args:
        graph: The graph.
        node_attributes: Which attributes of nodes are taken. None: all with numbers that every node
            has; others are left out.
        edge_attributes: The same of edges.
        float_dtype: Of Python's floats: "float32" or "float64".
        layouts: "csc", "csr" or both: which directions can be sampled.
        context: None: the default one.

    Raises:
        InvalidArgument: A named attribute is missing at some node or edge, or is not of numbers.
    """
    if not hasattr(graph, "is_directed") or not hasattr(graph, "edges"):
        raise TypeError(f"graph must be a graph of NetworkX, not {type(graph).__name__}")
    if float_dtype not in ("float32", "float64"):
        raise invalid("float_dtype", f'{float_dtype!r} is neither "float32" nor "float64"')
    numpy = need_numpy("gls.from_networkx")
    numbers = {name: number for number, name in enumerate(graph)}
    edges = list(graph.edges(data=True))
    source = numpy.fromiter((numbers[edge[0]] for edge in edges), numpy.int64, len(edges))
    target = numpy.fromiter((numbers[edge[1]] for edge in edges), numpy.int64, len(edges))
    of_nodes = [attributes for _, attributes in graph.nodes(data=True)]
    of_edges = [edge[2] for edge in edges]
    nodes = _arrays(of_nodes, node_attributes, "node_attributes", float_dtype)
    columns = _arrays(of_edges, edge_attributes, "edge_attributes", float_dtype)
    if not graph.is_directed():
        turned = numpy.flatnonzero(source != target)
        source, target = (
            numpy.concatenate([source, target[turned]]),
            numpy.concatenate([target, source[turned]]),
        )
        columns = {
            name: numpy.concatenate([array, array[turned]]) for name, array in columns.items()
        }
    builder = DatasetBuilder(context=context)
    builder.add_node_type("node", len(numbers))
    builder.add_edges(_EDGES, source, target)
    add_node_attributes(builder, "node", nodes, "node_attributes")
    add_edge_attributes(builder, _EDGES, columns, "edge_attributes")
    return builder.build(layouts=layouts)


def _arrays(
    rows: List[Mapping[Any, Any]], wanted: Optional[Sequence[str]], argument: str, floats: str
) -> Dict[str, Any]:
    """Attributes as arrays with a row for each node or edge."""
    if isinstance(wanted, str):
        raise TypeError(f"{argument} must be a sequence of names, not str")
    if wanted is None:
        names = [name for name in (rows[0] if rows else ()) if isinstance(name, str)]
        names = [name for name in names if all(name in row for row in rows)]
    else:
        names = [text(argument, name) for name in wanted]
    out: Dict[str, Any] = {}
    for name in names:
        missing = sum(name not in row for row in rows)
        if missing:
            raise invalid(argument, f"{missing} of {len(rows)} do not have {name!r}")
        array = _numbers([row[name] for row in rows], floats)
        if array is not None:
            out[name] = array
        elif wanted is not None:
            raise invalid(argument, f"{name!r} is not of numbers, or of arrays of one shape")
    return out


def _numbers(values: List[Any], floats: str) -> Any:
    """Values as one array; None where they are not numbers."""
    numpy = need_numpy("gls.from_networkx")
    try:
        array = numpy.asarray(values)
    except (TypeError, ValueError, OverflowError):
        return None
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        return None
    typed = any(hasattr(value, "dtype") for value in values)
    return array.astype(floats) if array.dtype == numpy.float64 and not typed else array
