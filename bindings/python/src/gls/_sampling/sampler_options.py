"""The options of samplers, which loaders take, too."""

from __future__ import annotations

import operator
from typing import Dict, List, Mapping, Optional, Sequence, Tuple, Union

from gls._core.check import choice, optional_text, whole_number
from gls._core.devices import device_of
from gls._core.schema import Schema
from gls._data.storage import DIRECTIONS
from gls._low import glslow as low
from gls._sampling.anchors import Supervisions, add_supervisions
from gls._sampling.hgt import HGT, hgt_options
from gls._sampling.importance import PPR, Importance, importance_options, ppr_options
from gls._sampling.negative_sampling import Negatives, negative_options
from gls._sampling.seed_sets import edge_sets, pairs
from gls._sampling.walk import Walk, walk_options
from gls.errors import invalid
from gls.types import Device, Exclude, NumNeighbors, TypePairs

_REPLACE: Dict[Union[bool, str], int] = {
    False: 0,
    "never": 0,
    "above": 1,
    True: 2,
    "always": 2,
}
_EXCLUDE_MODES = {"self": 0, "reverse_id": 1, "reverse_types": 2}
_TIME_STRATEGIES = {"uniform": 0, "last": 1}
_SUBGRAPHS = {"sampled": 0, "induced": 1, "bidirectional": 2}
_PICKS = {"independent": 0, "layer": 1}
_EDGE_IDS, _DISJOINT, _TOWARD_SEEDS, _INT32, _TIME_STRICT, _EXCLUDE_LINKS = 1, 2, 4, 8, 16, 32
_LAYER_DEPENDENT = 64


def sampler_options(
    schema: Schema,
    num_neighbors: NumNeighbors,
    *,
    direction: str,
    replace: Union[bool, str],
    disjoint: bool,
    weight_attr: Optional[str],
    seed: int,
    with_edge_ids: bool,
    toward_seeds: bool,
    int32: bool,
    exclude: Optional[Exclude],
    exclude_mode: str,
    reverse_column: Optional[str],
    reverse_types: Optional[TypePairs],
    node_time: Optional[str],
    edge_time: Optional[str],
    time_strategy: str,
    time_strict: bool,
    time_window: int,
    subgraph: str,
    contract: int,
    neg_sampling: Negatives = None,
    exclude_links: bool = False,
    supervisions: Optional[Supervisions] = None,
    walk: Optional[Walk] = None,
    pick: str = "independent",
    batch_dependency: int = 0,
    layer_dependent: bool = False,
    importance: Optional[Importance] = None,
    ppr: Optional[PPR] = None,
    hgt: Optional[HGT] = None,
    device: Device = None,
) -> low.SamplerOptions:
    options = low.SamplerOptions()
    options.set_device(*device_of(device))
    for edge_type, fanouts in _fanouts(schema, num_neighbors):
        options.add_fanouts(edge_type)
        for fanout in fanouts:
            options.add_hop(fanout)
    options.set_seed(whole_number("seed", seed, 0, 64))
    options.set_direction(choice("direction", direction, DIRECTIONS))
    options.set_replace(choice("replace", replace, _REPLACE))
    options.set_flags(
        (_EDGE_IDS if with_edge_ids else 0)
        | (_DISJOINT if disjoint else 0)
        | (_TOWARD_SEEDS if toward_seeds else 0)
        | (_INT32 if int32 else 0)
        | (_TIME_STRICT if time_strict else 0)
        | (_EXCLUDE_LINKS if exclude_links else 0)
        | (_LAYER_DEPENDENT if layer_dependent else 0)
    )
    options.set_weight(optional_text("weight_attr", weight_attr))
    for edge_type, edges in edge_sets(schema, exclude):
        options.add_exclude(edge_type, edges)
    options.set_exclude_mode(choice("exclude_mode", exclude_mode, _EXCLUDE_MODES))
    options.set_reverse_column(optional_text("reverse_column", reverse_column))
    for one, other in pairs(reverse_types or ()) or ():
        options.add_reverse_types(
            schema.edge_type(one, "reverse_types"), schema.edge_type(other, "reverse_types")
        )
    options.set_times(optional_text("node_time", node_time), optional_text("edge_time", edge_time))
    options.set_time_strategy(choice("time_strategy", time_strategy, _TIME_STRATEGIES))
    options.set_time_window(whole_number("time_window", time_window, 0, 63))
    options.set_subgraph(choice("subgraph", subgraph, _SUBGRAPHS))
    options.set_pick(choice("pick", pick, _PICKS))
    options.set_batch_dependency(whole_number("batch_dependency", batch_dependency, 0, 32))
    if neg_sampling is not None:
        options.set_negatives(negative_options(neg_sampling))
    if supervisions is not None:
        add_supervisions(schema, supervisions, options)
    if walk is not None:
        options.set_walk(walk_options(schema, walk))
    if importance is not None:
        options.set_importance(importance_options(schema, importance))
    if ppr is not None:
        options.set_ppr(ppr_options(schema, ppr))
    if hgt is not None:
        options.set_hgt(hgt_options(schema, hgt))
    options.set_contract(whole_number("contract", contract, 0, 32))
    return options


def _fanouts(schema: Schema, num_neighbors: NumNeighbors) -> List[Tuple[Optional[str], List[int]]]:
    if isinstance(num_neighbors, Mapping):
        return [
            (
                None if edge_type is None else schema.edge_type(edge_type, "num_neighbors"),
                _per_hop(fanouts),
            )
            for edge_type, fanouts in num_neighbors.items()
        ]
    per_hop = _per_hop(num_neighbors)
    return [(None, per_hop)] if per_hop else []


def _per_hop(fanouts: Sequence[int]) -> List[int]:
    try:
        numbers = [operator.index(fanout) for fanout in fanouts]
    except TypeError:
        raise TypeError(
            "num_neighbors must be a sequence of integers, one per hop, or a mapping from edge "
            f"types to such sequences, not {fanouts!r}"
        ) from None
    for number in numbers:
        if not -1 <= number < 1 << 63:
            raise invalid("num_neighbors", f"a fanout is {number}, expected -1 or more")
    return numbers
