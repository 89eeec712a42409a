"""The links of a loader, their labels and negatives, as PyG's callers give them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import NegativeSampling as PygNegativeSampling

from gls._sampling.negative_sampling import NegativeSampling
from gls._sampling.seed_sets import names_edge_type
from gls.errors import Unsupported, invalid
from gls.pyg.graph.dataset import NodeColumn
from gls.pyg.graph.ids import as_ids, widened
from gls.pyg.graph.inputs import tensor_from
from gls.pyg.graph.source import Source
from gls.pyg.graph.structure import HOMOGENEOUS_EDGES, plain


def links_of(data: Any, given: Any) -> Tuple[Any, Optional[torch.Tensor]]:
    """The edge type, None for the only one; and pairs or ids, None for all edges."""
    edge_type: Any = None
    named = isinstance(given, (list, tuple)) and len(given) > 0
    if named and all(isinstance(part, str) for part in given):
        edge_type, links = tuple(given), None
    elif named and len(given) == 2 and (given[0] is None or names_edge_type(_tuple(given[0]))):
        edge_type, links = _tuple(given[0]), given[1]
    elif isinstance(given, str):
        edge_type, links = given, None
    else:
        links = given
    if isinstance(data, Data) and edge_type is not None:
        raise invalid("edge_label_index", "expected links alone, as Data has edges of one type")
    if isinstance(data, HeteroData):
        if edge_type is None:
            raise invalid("edge_label_index", "expected an edge type, or (edge type, links)")
        edge_type = data._to_canonical(*((edge_type,) if isinstance(edge_type, str) else edge_type))
    if links is None:
        return edge_type, None
    links = plain(tensor_from(links, "edge_label_index").cpu(), "edge_label_index")
    pairs = links.dim() == 2 and links.shape[0] == 2
    links = widened(links if links.numel() > 0 else links.long()) if pairs else as_ids(links)
    if links.dim() != 1 and (links.dim() != 2 or links.shape[0] != 2):
        raise invalid("edge_label_index", f"the shape is {list(links.shape)}, expected [2, n]")
    return edge_type, links.contiguous()


def links_by_type(data: Any, given: Mapping[Any, Any]) -> Tuple[None, Dict[Any, Any]]:
    """Links of several edge types, by their tuples."""
    if not given:
        raise invalid("edge_label_index", "a mapping without a type, expected at least one")
    if isinstance(data, Data):
        raise invalid("edge_label_index", "expected links alone, as Data has edges of one type")
    found: Dict[Any, Any] = {}
    for key, own in given.items():
        edge_type, links = links_of(data, (key, own))
        if isinstance(edge_type, str):  # of a gls.Dataset
            edge_type = tuple(edge_type.split("__"))
        found[edge_type] = links
    return None, found


def each(
    several: bool, given: Any, argument: str, read: Callable[[Any], Optional[torch.Tensor]]
) -> Any:
    """What is given for links, read; where they are of several types, by type."""
    if not several:
        return None if given is None else read(given)
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise invalid(argument, "expected a mapping by type, as edge_label_index is one")
    return {
        key if isinstance(key, tuple) else tuple(key.split("__")): read(own)
        for key, own in given.items()
    }


def joined(edge_type: Tuple[str, str, str]) -> str:
    return "__".join(edge_type)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Negatives(NamedTuple):
    options: Optional[NegativeSampling]
    weights: List[NodeColumn]  # the tensors among them
    of_pyg: bool = False  # said in PyG's words


def negatives_of(
    given: Any, ratio: Union[None, int, float], data: Any, edge_type: Any, several: bool
) -> Negatives:
    if ratio:
        given = {"mode": "binary", "amount": ratio}
    if isinstance(given, NegativeSampling):
        return Negatives(given, [])
    try:
        wanted = PygNegativeSampling.cast(given)
    except (TypeError, ValueError) as error:
        raise invalid("neg_sampling", str(error)) from None
    if wanted is None:
        return Negatives(None, [])
    mode = wanted.mode.value
    if several and (wanted.src_weight is not None or wanted.dst_weight is not None):
        raise Unsupported("neg_sampling: weights are of links of one type; give names of columns")
    source, _, target = HOMOGENEOUS_EDGES if isinstance(data, Data) else edge_type or ("", "", "")
    weights = []
    # PyG keeps the sources of triplets, so their weights say nothing.
    if wanted.src_weight is not None and mode == "binary":
        weights.append(NodeColumn(source, "src_weight", wanted.src_weight))
    if wanted.dst_weight is not None:
        weights.append(NodeColumn(target, "dst_weight", wanted.dst_weight))
    names = {column.name: column.name for column in weights}
    options = NegativeSampling(
        mode,
        wanted.amount,
        source_weight=names.get("src_weight"),
        target_weight=names.get("dst_weight"),
    )
    return Negatives(options, weights, True)


def with_columns(
    drawn: Negatives, source: Source, edge_types: List[Any], node_time: Optional[str]
) -> Optional[NegativeSampling]:
    """The options with the names that GLS has for columns of weights, and with what PyG does about
    nodes that are younger than a link."""
    options = drawn.options
    if options is None:
        return None
    if drawn.of_pyg and node_time is not None:
        schema, timed = source.dataset._schema, []
        for one in edge_types:
            ends = schema.edge_tuples[schema.edge_type(one, "edge_label_index")]
            types = {ends[2]} if options.mode == "triplet" else {ends[0], ends[2]}
            timed.append(any(node_time in source.dataset.node_columns(name) for name in types))
        if any(timed) and not all(timed):
            raise Unsupported(
                "neg_sampling: nodes of some of the links' types have times, and those of others have "
                "none; give a gls.NegativeSampling, which says whether negatives are in time"
            )
        if all(timed):
            options = options._replace(in_time=True, oldest=True)
    if drawn.weights:
        return options
    return options._replace(
        source_weight=source.node_column(options.source_weight, "neg_sampling"),
        target_weight=source.node_column(options.target_weight, "neg_sampling"),
    )


def labels_of(given: Any, drawn: Optional[NegativeSampling]) -> Optional[torch.Tensor]:
    """With negative pairs, 0 is their label, as in PyG."""
    if given is None:
        return None
    if drawn is not None and drawn.mode == "triplet":
        raise invalid(
            "edge_label",
            "there are none with triplets: src_index, dst_pos_index and "
            "dst_neg_index say which is which",
        )
    labels = tensor_from(given, "edge_label").cpu()
    if drawn is not None and labels.numel() > 0 and labels.min() == 0:
        labels = labels + 1
    return labels
