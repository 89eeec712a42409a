"""from_dgl: graphs of DGL as datasets."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

from gls._core.context import Context
from gls._data.attributes import add_edge_attributes, add_node_attributes, clean_names, on_host
from gls._data.builder import DatasetBuilder
from gls._data.dataset import Dataset
from gls.errors import Unsupported

_NEEDED = ("ntypes", "canonical_etypes", "num_nodes", "nodes", "edges")


def from_dgl(
    graph: Any,
    *,
    layouts: Union[str, Sequence[str]] = "csc",
    context: Optional[Context] = None,
) -> Dataset:
    """A dataset in memory of a ``dgl.DGLGraph`` with one or several node and edge types.

    Types keep their names; only "_N" and "_E" become "node" and "to". Ids of nodes and edges are
    those of DGL. Sources and targets are sorted into a new topology. A graph that is restricted to
    CSC or CSR gives its own, in place; only `indptr` is copied if it is int32.

    Tensors of nodes and edges become columns with their names, dtypes and shapes. They are used in
    place, if each row is contiguous, and must not be changed.

    - "y", "label" and "labels" are labels.
    - "weight", "w" and "edge_weight" of edges have the role weight if all are finite and none is
      negative.
    - "time" and "timestamp" of int64 have the role time; all else are features.
    - "train_mask", "val_mask" and "test_mask" of nodes, one bool or uint8 a node, become the id
      sets "train", "valid" and "test".
    - "_ID" of a subgraph is the column "orig_id".

    In other names, "__" becomes "_", and "_" at an end goes.

    Args:
        graph: The graph, in memory of the host.
        layouts: "csc", "csr" or both: which directions can be sampled.
        context: None: the default one.

    Raises:
        InvalidArgument: A dtype cannot be stored, or two names become one.
        Unsupported: The graph is on a GPU, or is a block of message passing.
    """
    if not all(hasattr(graph, name) for name in _NEEDED):
        raise TypeError(f"graph must be a graph of DGL, not {type(graph).__name__}")
    if getattr(graph, "is_block", False):
        raise Unsupported("graph: it is a block, whose node types have two sets of nodes")
    types = clean_names(graph.ntypes, "graph", {"_N": "node"})
    triples = list(graph.canonical_etypes)
    relations = clean_names(dict.fromkeys(key[1] for key in triples), "graph", {"_E": "to"})
    builder = DatasetBuilder(context=context)
    for name, cleaned in types.items():
        builder.add_node_type(cleaned, int(graph.num_nodes(name)))
    for key in triples:
        edge_type = (types[key[0]], relations[key[1]], types[key[2]])
        _add_edges(builder, edge_type, graph, key)
        add_edge_attributes(builder, edge_type, dict(graph.edges[key].data), "graph")
    for name, cleaned in types.items():
        add_node_attributes(builder, cleaned, dict(graph.nodes[name].data), "graph")
    return builder.build(layouts=layouts)


def _add_edges(
    builder: DatasetBuilder, edge_type: Tuple[str, str, str], graph: Any, key: Any
) -> None:
    layout = _only_layout(graph)
    if layout is None:
        ends = graph.edges(form="uv", order="eid", etype=key)
        source, target = (on_host(tensor, "edges", "graph") for tensor in ends)
        builder.add_edges(edge_type, source, target)
        return
    arrays = graph.adj_tensors(layout, etype=key)
    indptr, indices, ids = (on_host(tensor, "edges", "graph") for tensor in arrays)
    # DGL leaves out ids that are positions.
    ids = None if ids.shape[0] < indices.shape[0] else ids
    builder.add_topology(edge_type, layout, indptr.long(), indices, ids)


def _only_layout(graph: Any) -> Optional[str]:
    """The format of a graph that must not have its edges as pairs; None if it may have them."""
    found = graph.formats() if hasattr(graph, "formats") else {}
    allowed = [name for names in found.values() for name in names] or ["coo"]
    return None if "coo" in allowed else "csc" if "csc" in allowed else "csr"
