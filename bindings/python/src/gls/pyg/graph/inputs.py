"""Input nodes as PyG's scripts name them."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

import torch

from gls.errors import invalid
from gls.pyg.graph.attributes import DTYPES
from gls.pyg.graph.ids import SIGNED, as_ids
from gls.pyg.graph.source import Source


def tensor_from(value: Any, argument: str) -> torch.Tensor:
    """Numbers that the caller gave, as tensor."""
    try:
        tensor = torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError) as error:
        kind = type(value).__name__
        raise invalid(argument, f"expected a tensor or numbers, not {kind}: {error}") from None
    if tensor.dtype in SIGNED:
        tensor = tensor.long()
    if tensor.dtype not in DTYPES:
        raise invalid(argument, f"dtype is {tensor.dtype}, expected whole or floating numbers")
    return tensor


def only_of(seeds: Any, others: List[Any]) -> Tuple[Any, List[Any]]:
    """Seeds that a mapping names as those of one type, and what belongs to them, without mappings."""
    if not isinstance(seeds, Mapping) or len(seeds) != 1:
        return seeds, others
    (key, value), found = next(iter(seeds.items())), []
    for other in others:
        found.append(other.get(key) if isinstance(other, Mapping) else other)
    return (key, value), found


def seeds_by_type(
    source: Source, input_nodes: Mapping[str, Any]
) -> Tuple[Dict[str, Any], Dict[str, Optional[torch.Tensor]]]:
    """The same for seeds of several types: both by type."""
    seeds: Dict[str, Any] = {}
    input_ids: Dict[str, Optional[torch.Tensor]] = {}
    if source.built and not source.hetero:
        raise invalid("input_nodes", "expected nodes alone, as Data has nodes of one type")
    if not input_nodes:
        raise invalid("input_nodes", "a mapping without a type, expected at least one")
    for node_type, nodes in input_nodes.items():
        (_, seeds[node_type]), input_ids[node_type] = input_nodes_of(
            source, (node_type, nodes), None
        )
    return seeds, input_ids


def input_nodes_of(
    source: Source, input_nodes: Any, input_id: Any
) -> Tuple[Any, Optional[torch.Tensor]]:
    """Seeds for the native loader, and what `input_id` is of each position; None: the position."""
    if input_id is not None:
        input_id = tensor_from(input_id, "input_id").view(-1)
    types = source.dataset.node_types
    typed = isinstance(input_nodes, (list, tuple)) and len(input_nodes) == 2
    if typed and isinstance(input_nodes[0], str):
        if source.built and not source.hetero:
            raise invalid("input_nodes", "expected nodes alone, as Data has nodes of one type")
        node_type, nodes = input_nodes
    elif len(types) == 1 and not (source.built and source.hetero):
        node_type, nodes = types[0], input_nodes
        if isinstance(nodes, str) and nodes == node_type and nodes not in source.dataset.id_sets():
            nodes = None  # the type, as PyG's scripts name it
    elif isinstance(input_nodes, str):
        node_type, nodes = input_nodes, None
    else:
        raise invalid("input_nodes", "expected a node type, or (node type, nodes)")
    if source.built and isinstance(nodes, str):
        kind = "HeteroData" if source.hetero else "Data"
        raise invalid(
            "input_nodes", f"{nodes!r} is the name of an id set, which {kind} does not have"
        )
    if nodes is None or isinstance(nodes, str):
        return (node_type, nodes), input_id
    ids = tensor_from(nodes, "input_nodes")
    if ids.dim() != 1 and not (ids.dim() == 2 and ids.shape[1] == 1):
        raise invalid("input_nodes", f"the shape is {list(ids.shape)}, expected [n] or [n, 1]")
    if ids.dtype == torch.bool:
        count = source.dataset.num_nodes(node_type)
        if list(ids.shape) not in ([count], [count, 1]):
            raise invalid("input_nodes", f"a mask of shape {list(ids.shape)}, expected [{count}]")
        ids = ids.reshape(-1).nonzero().view(-1)
        if input_id is None:
            input_id = ids.cpu()  # a mask names nodes, so they are named by their ids
    return (node_type, as_ids(ids)), input_id
