"""The options of samplers, which loaders take, too."""

from __future__ import annotations

import operator
from typing import Dict, List, Mapping, Optional, Sequence, Tuple, TypedDict, Union

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


class CommonOptions(TypedDict, total=False):
    """Options of everything that samples."""

    direction: str
    seed: int
    int32: bool
    exclude: Optional[Exclude]
    exclude_mode: str
    reverse_column: Optional[str]
    reverse_types: Optional[TypePairs]
    contract: int


COMMON_DEFAULTS: CommonOptions = {
    "direction": "in",
    "seed": 0,
    "int32": False,
    "exclude": None,
    "exclude_mode": "self",
    "reverse_column": None,
    "reverse_types": None,
    "contract": 0,
}


class NeighborOptions(CommonOptions, total=False):
    """Options of what samples neighbourhoods."""

    replace: Union[bool, str]
    disjoint: bool
    weight_attr: Optional[str]
    toward_seeds: bool
    node_time: Optional[str]
    edge_time: Optional[str]
    time_strategy: str
    time_strict: bool
    time_window: int
    subgraph: str
    pick: str
    batch_dependency: int
    layer_dependent: bool


NEIGHBOR_DEFAULTS: NeighborOptions = {
    **COMMON_DEFAULTS,
    "replace": False,
    "disjoint": False,
    "weight_attr": None,
    "toward_seeds": False,
    "node_time": None,
    "edge_time": None,
    "time_strategy": "uniform",
    "time_strict": False,
    "time_window": 0,
    "subgraph": "sampled",
    "pick": "independent",
    "batch_dependency": 0,
    "layer_dependent": False,
}


class SamplerOptions(NeighborOptions, total=False):
    """Options of a :class:`gls.Sampler`."""

    with_edge_ids: bool
    neg_sampling: Negatives
    exclude_links: bool
    supervisions: Optional[Supervisions]
    walk: Optional[Walk]
    importance: Optional[Importance]
    ppr: Optional[PPR]
    hgt: Optional[HGT]
    device: Device


SAMPLER_DEFAULTS: SamplerOptions = {
    **NEIGHBOR_DEFAULTS,
    "with_edge_ids": False,
    "neg_sampling": None,
    "exclude_links": False,
    "supervisions": None,
    "walk": None,
    "importance": None,
    "ppr": None,
    "hgt": None,
    "device": None,
}


def sampler_options(
    schema: Schema, num_neighbors: NumNeighbors, given: SamplerOptions
) -> low.SamplerOptions:
    """The options as the library takes them. What is not given has its default."""
    wanted: SamplerOptions = {**SAMPLER_DEFAULTS, **given}
    options = low.SamplerOptions()
    options.set_device(*device_of(wanted["device"]))
    for edge_type, fanouts in _fanouts(schema, num_neighbors):
        options.add_fanouts(edge_type)
        for fanout in fanouts:
            options.add_hop(fanout)
    options.set_seed(whole_number("seed", wanted["seed"], 0, 64))
    options.set_direction(choice("direction", wanted["direction"], DIRECTIONS))
    options.set_replace(choice("replace", wanted["replace"], _REPLACE))
    options.set_flags(
        (_EDGE_IDS if wanted["with_edge_ids"] else 0)
        | (_DISJOINT if wanted["disjoint"] else 0)
        | (_TOWARD_SEEDS if wanted["toward_seeds"] else 0)
        | (_INT32 if wanted["int32"] else 0)
        | (_TIME_STRICT if wanted["time_strict"] else 0)
        | (_EXCLUDE_LINKS if wanted["exclude_links"] else 0)
        | (_LAYER_DEPENDENT if wanted["layer_dependent"] else 0)
    )
    options.set_weight(optional_text("weight_attr", wanted["weight_attr"]))
    for edge_type, edges in edge_sets(schema, wanted["exclude"]):
        options.add_exclude(edge_type, edges)
    options.set_exclude_mode(choice("exclude_mode", wanted["exclude_mode"], _EXCLUDE_MODES))
    options.set_reverse_column(optional_text("reverse_column", wanted["reverse_column"]))
    for one, other in pairs(wanted["reverse_types"] or ()) or ():
        options.add_reverse_types(
            schema.edge_type(one, "reverse_types"), schema.edge_type(other, "reverse_types")
        )
    options.set_times(
        optional_text("node_time", wanted["node_time"]),
        optional_text("edge_time", wanted["edge_time"]),
    )
    options.set_time_strategy(choice("time_strategy", wanted["time_strategy"], _TIME_STRATEGIES))
    options.set_time_window(whole_number("time_window", wanted["time_window"], 0, 63))
    options.set_subgraph(choice("subgraph", wanted["subgraph"], _SUBGRAPHS))
    options.set_pick(choice("pick", wanted["pick"], _PICKS))
    dependency = whole_number("batch_dependency", wanted["batch_dependency"], 0, 32)
    options.set_batch_dependency(dependency)
    if wanted["neg_sampling"] is not None:
        options.set_negatives(negative_options(wanted["neg_sampling"]))
    if wanted["supervisions"] is not None:
        add_supervisions(schema, wanted["supervisions"], options)
    if wanted["walk"] is not None:
        options.set_walk(walk_options(schema, wanted["walk"]))
    if wanted["importance"] is not None:
        options.set_importance(importance_options(schema, wanted["importance"]))
    if wanted["ppr"] is not None:
        options.set_ppr(ppr_options(schema, wanted["ppr"]))
    if wanted["hgt"] is not None:
        options.set_hgt(hgt_options(schema, wanted["hgt"]))
    options.set_contract(whole_number("contract", wanted["contract"], 0, 32))
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
