"""The seeds of a loader: nodes or links in the forms that callers give them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from gls._core.check import text
from gls._core.inputs import ids_or_mask, to_low
from gls._data.dataset import Dataset
from gls._low import glslow as low
from gls._sampling.seed_sets import names_edge_type
from gls.errors import invalid
from gls.types import ArrayLike, EdgeLabelIndex, EdgeType, InputNodes, OfTypes


def seeds_of_type(first: str, dataset: Dataset, input_nodes: Any) -> InputNodes:
    """The seeds with their type, which is the first of the path if they name none."""
    named = isinstance(input_nodes, tuple) and len(input_nodes) == 2
    if named and isinstance(input_nodes[0], str):
        return input_nodes  # type: ignore[no-any-return]
    if isinstance(input_nodes, str) and len(dataset._schema.node_types) > 1:
        if input_nodes in dataset._schema.node_types:
            return input_nodes
    seeds: Union[None, str, ArrayLike] = input_nodes
    return first, seeds


class SeedList(NamedTuple):
    links: bool
    type: str
    id_set: Optional[str] = None
    ids: Optional[low.Tensor] = None
    times: Optional[low.Tensor] = None
    labels: Optional[low.Tensor] = None
    anchor_labels: Sequence[Optional[low.Tensor]] = ()


def _vector(value: Optional[ArrayLike], argument: str) -> Optional[low.Tensor]:
    return None if value is None else to_low(value, argument, vector=True)


def node_seeds(
    dataset: Dataset, input_nodes: InputNodes, times: OfTypes
) -> Union[SeedList, List[SeedList]]:
    if isinstance(input_nodes, Mapping):
        own = _by_type(dataset._schema.node_type, input_nodes, times, "input_nodes", "times")
        return [
            one_node_seeds(dataset, (name, input_nodes[key]), own.get(name))
            for key, name in _typed(dataset._schema.node_type, input_nodes, "input_nodes")
        ]
    return one_node_seeds(dataset, input_nodes, _plain(times, "times"))


def one_node_seeds(dataset: Dataset, input_nodes: Any, times: Optional[ArrayLike]) -> SeedList:
    node_type, id_set, ids = _nodes(dataset, input_nodes)
    return SeedList(False, node_type, id_set=id_set, ids=ids, times=_vector(times, "times"))


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


def link_seeds(
    dataset: Dataset, given: EdgeLabelIndex, labels: OfTypes, times: OfTypes
) -> Union[SeedList, List[SeedList]]:
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
) -> SeedList:
    edge_type: Optional[EdgeType] = None
    links: Any = given
    if names_edge_type(links):
        edge_type, links = links, None
    elif isinstance(links, tuple) and len(links) == 2 and names_edge_type(links[0]):
        edge_type, links = links
    return SeedList(
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
    ids, _ = ids_or_mask(chosen, "input_nodes", lambda: dataset.num_nodes(node_type))
    return node_type, None, ids
