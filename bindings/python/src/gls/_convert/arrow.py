"""from_arrow: tables as datasets."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from gls._core.context import Context
from gls._data.builder import DatasetBuilder
from gls._data.dataset import Dataset
from gls.errors import invalid
from gls.types import ArrowData, EdgeType

TypedArrow = Union[ArrowData, Tuple[ArrowData, Mapping[str, Any]]]


def from_arrow(
    nodes: Mapping[str, TypedArrow],
    edges: Mapping[EdgeType, TypedArrow],
    *,
    layouts: Union[str, Sequence[str]] = "csc",
    context: Optional[Context] = None,
) -> Dataset:
    """A dataset in memory of tables of Arrow: one for each node type, and one for each edge type::

        gls.from_arrow(
            {"paper": (papers, {"key": "id"})},
            {("paper", "cites", "paper"): (cites, {"source": "from", "target": "to"})},
        )

    Tables are read once and copied into columns.

    Args:
        nodes: By type, data with ``__arrow_c_stream__``, or a pair of them and options. Options are
            arguments of :meth:`DatasetBuilder.add_nodes_arrow`, and `num_nodes` and `ids` of
            :meth:`DatasetBuilder.add_node_type`.
        edges: By edge type, the same with arguments of :meth:`DatasetBuilder.add_edges_arrow`.
        layouts: "csc", "csr" or both: which directions can be sampled.
        context: None: the default one.

    Raises:
        InvalidArgument: No Arrow data, or unknown fields or options.
        CorruptData: A value cannot be used; the text names row and field.
    """
    builder = DatasetBuilder(context=context)
    for type, given in nodes.items():
        data, options = _split(given, "nodes")
        declared = {name: options.pop(name) for name in ("num_nodes", "ids") if name in options}
        if declared:
            builder.add_node_type(type, **declared)
        builder.add_nodes_arrow(type, data, **options)
    for edge_type, given in edges.items():
        data, options = _split(given, "edges")
        builder.add_edges_arrow(edge_type, data, **options)
    return builder.build(layouts=layouts)


def _split(given: Any, argument: str) -> Tuple[ArrowData, Dict[str, Any]]:
    if not isinstance(given, tuple):
        return given, {}
    if len(given) != 2 or not isinstance(given[1], Mapping):
        raise invalid(argument, "a tuple is not Arrow data and a mapping of options")
    return given[0], dict(given[1])
