"""Sampler: batches on demand, and the options that loaders share with it."""

from __future__ import annotations

import operator
from typing import Any, Dict, List, Mapping, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

from gls._batch.batch import Batch
from gls._core.check import (
    check_process,
    choice,
    closed,
    fork_generation,
    not_picklable,
    optional_text,
    whole_number,
)
from gls._core.devices import device_name, device_of
from gls._core.inputs import to_low
from gls._core.own_names import SAMPLER_OPTIONS, naming
from gls._core.schema import Schema
from gls._data.dataset import DIRECTIONS, Dataset
from gls._low import glslow as low
from gls._sampling.anchors import Supervisions, add_supervisions, labels_in_order
from gls._sampling.hgt import HGT, hgt_options
from gls._sampling.importance import PPR, Importance, importance_options, ppr_options
from gls._sampling.walk import Walk, walk_options, walk_types
from gls.errors import invalid
from gls.types import (
    AnchorLabels,
    ArrayLike,
    Device,
    EdgeType,
    Exclude,
    Links,
    NumNeighbors,
    Seeds,
    TypePairs,
)

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
_NEGATIVES = {"binary": 1, "triplet": 2}
_STRICT, _ALLOW_SHORT, _IN_TIME, _OLDEST = 1, 2, 4, 8


class NegativeSampling(NamedTuple):
    """What is drawn for links: nodes of their two types, from the whole graph."""

    mode: str
    """"binary": `amount` pairs of nodes per link, both ends drawn; "triplet": `amount` targets for each
    link, whose source is kept."""
    amount: float = 1
    """Per link. A whole number for triplets; rounded up over all links of a batch for pairs."""
    strict: bool = False
    """No edge of the dataset is drawn."""
    allow_short: bool = False
    """Where `tries` draws found no strict negative, there is none (-1 in triplets); else that is an
    error."""
    degree_power: float = 0
    """Nodes are drawn in proportion to their degree to this power, a multiple of 0.25 up to 2; 0:
    uniformly."""
    source_weight: Optional[str] = None
    """Or in proportion to a node column of non-negative numbers; only of pairs."""
    target_weight: Optional[str] = None
    tries: int = 64
    """Draws for each strict negative."""
    in_time: bool = False
    """Only nodes are drawn that exist at the time of their link: those whose `node_time` is at most that
    time, or below it with `time_strict`. If none exists, that is an error, unless `oldest` or
    `allow_short`."""
    oldest: bool = False
    """With `in_time`: where no node exists at the time of the link, the oldest is drawn."""


Negatives = Union[None, str, NegativeSampling]
"""Negatives for links: None, "binary", "triplet", or with more said."""


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
    for edge_type, edges in _edge_sets(schema, exclude):
        options.add_exclude(edge_type, edges)
    options.set_exclude_mode(choice("exclude_mode", exclude_mode, _EXCLUDE_MODES))
    options.set_reverse_column(optional_text("reverse_column", reverse_column))
    for one, other in _pairs(reverse_types or ()) or ():
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
        options.set_negatives(_negatives(neg_sampling))
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


class Sampler:
    """Samples neighbourhoods, or random walks, one batch a call. Safe to use from several threads.

    A batch is a function of the dataset, the options, `seed`, `epoch` and `batch` alone.

    Args:
        dataset: The graph.
        num_neighbors: Neighbours to pick per hop, [15, 10]; or by edge type; -1 picks all. Not for
            walks.
        direction: "in": from targets to their sources, as PyG; needs the layout "csc". "out": from
            sources to their targets; needs "csr".
        replace: False: distinct edges; True: always `num_neighbors` draws with replacement; "above":
            draws with replacement only where there are more neighbours than that.
        disjoint: Each seed grows its own tree; batches then have the array ``batch``.
        weight_attr: Edge column of non-negative numbers to sample in proportion to.
        seed: The same seed gives the same batches.
        with_edge_ids: Batches then have the array ``edge``.
        toward_seeds: ``col`` is the end nearer to the seed, also when `direction` is "out".
        int32: Ids as int32; every count must fit.
        exclude: Edges that are never used.
        exclude_mode: "self"; "reverse_id": also the edges whose ids `reverse_column` gives;
            "reverse_types": also those of equal id of the type paired in `reverse_types`. Applies
            to the edges excluded per call, too. Loaders, and requests for links, refuse other modes
            than "self" if they exclude no edges.
        reverse_column: Edge column of int64 with the id of each edge's reverse.
        reverse_types: Pairs of edge types that reverse each other.
        node_time: Node column of integers: a seed of time t uses only neighbours whose time is at
            most t. Each seed then needs a time and grows its own tree; types without the column are
            always early enough.
        edge_time: Edge column, used like `node_time`; with both, both must be early enough.
        time_strategy: "uniform": any neighbours that are early enough; "last": the latest of them.
        time_strict: Times must be below that of the seed, not equal to it.
        time_window: Above 0: times below that of the seed minus this are too early.
        neg_sampling: Negatives to draw for the links of :meth:`sample_links`; see
            :class:`NegativeSampling`.
        exclude_links: A batch does not use the links that are its seeds, nor edges that
            `exclude_mode` adds to them.
        supervisions: Seeds are anchors, whose labels are seeds after them: an edge type, a
            :class:`Supervision`, or a list of them. Batches then have ``positives`` and ``negatives``.
        subgraph: "sampled": the picked edges. "induced": all edges between the sampled nodes (of
            one tree, when disjoint); `num_neighbors` may then be [], for the seeds alone.
            "bidirectional": the picked edges and their reverses, each pair of nodes once, in order
            of their targets; `reverse_types` names types that reverse each other.
        pick: "independent": each row has its own random numbers. "layer" (LABOR-0): each neighbour
            has one random number for all rows, and a row picks those with the smallest numbers. So
            rows pick the same nodes, and a batch has fewer nodes. With `weight_attr`, picks are
            only nearly in proportion to it. Excludes `replace` and the strategy "last".
        batch_dependency: With "layer", how many consecutive batches a node keeps its number. One
            node in this many gets a new number with each batch. 0 or 1: all nodes do.
        layer_dependent: With "layer", a node has the same number in all hops.
        walk: Random walks instead of neighbourhoods; see :class:`Walk`. Batches then have ``walk``
            and ``walk_edge``, and no other edges. Of the other options these apply to walks:
            `direction`, `weight_attr`, `seed`, `with_edge_ids`, `int32`, those of excluded edges
            and `contract`.
        importance: The nodes that random walks visit most; see :class:`Importance`. Batches then
            have ``near_seed``, ``near_node`` and ``near_score``, and no other edges. The same
            options apply as to walks, except `with_edge_ids`.
        ppr: The nodes of highest personalised PageRank; see :class:`PPR`. The same options apply as
            to `importance`, except `weight_attr`. Seeds are of one node type.
        hgt: Nodes of each type drawn from budgets, instead of neighbourhoods; see :class:`HGT`. Of
            the other options these apply: `direction`, `seed`, `with_edge_ids`, `int32`, `subgraph`
            ("sampled" and "induced"), those of excluded edges and `contract`.
        device: Where batches are sampled and stored: "cuda:1", or a ``torch.device``; see
            :data:`gls.Device`. If a GPU cannot sample with these options, the CPU samples and the
            batch is moved, unless the setting "device.sampling" forbids it. The batches are equal.
            None: where the dataset works.
        contract: Version of the sampling contract; 0: the newest.
    """

    def __init__(
        self,
        dataset: Dataset,
        num_neighbors: NumNeighbors = (),
        *,
        direction: str = "in",
        replace: Union[bool, str] = False,
        disjoint: bool = False,
        weight_attr: Optional[str] = None,
        seed: int = 0,
        with_edge_ids: bool = False,
        toward_seeds: bool = False,
        int32: bool = False,
        exclude: Optional[Exclude] = None,
        exclude_mode: str = "self",
        reverse_column: Optional[str] = None,
        reverse_types: Optional[TypePairs] = None,
        node_time: Optional[str] = None,
        edge_time: Optional[str] = None,
        time_strategy: str = "uniform",
        time_strict: bool = False,
        time_window: int = 0,
        subgraph: str = "sampled",
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
        contract: int = 0,
    ) -> None:
        self._generation = fork_generation()
        self._schema = dataset._schema
        options = sampler_options(
            dataset._schema,
            num_neighbors,
            direction=direction,
            replace=replace,
            disjoint=disjoint,
            weight_attr=weight_attr,
            seed=seed,
            with_edge_ids=with_edge_ids,
            toward_seeds=toward_seeds,
            int32=int32,
            exclude=exclude,
            exclude_mode=exclude_mode,
            reverse_column=reverse_column,
            reverse_types=reverse_types,
            node_time=node_time,
            edge_time=edge_time,
            time_strategy=time_strategy,
            time_strict=time_strict,
            time_window=time_window,
            subgraph=subgraph,
            contract=contract,
            neg_sampling=neg_sampling,
            exclude_links=exclude_links,
            supervisions=supervisions,
            walk=walk,
            pick=pick,
            batch_dependency=batch_dependency,
            layer_dependent=layer_dependent,
            importance=importance,
            ppr=ppr,
            hgt=hgt,
            device=device,
        )
        self._supervisions = supervisions
        with naming(SAMPLER_OPTIONS):
            self._handle: Optional[low.Sampler] = low.Sampler(dataset._low, options)
        self._walk_types = None if walk is None else walk_types(self._schema, walk, direction)

    @property
    def device(self) -> str:
        """Where its batches lie: "cpu", or "cuda:0"."""
        handle = self._low
        return device_name((handle.device_type(), handle.device_id()))

    @property
    def _low(self) -> low.Sampler:
        check_process(self._generation)
        handle = self._handle
        if handle is None:
            raise closed("sampler")
        return handle

    def sample(
        self,
        seeds: Seeds,
        *,
        times: Optional[Seeds] = None,
        labels: Optional[AnchorLabels] = None,
        epoch: int = 0,
        batch: int = 0,
        exclude: Optional[Exclude] = None,
    ) -> Batch:
        """Samples one batch, on the calling thread; no columns are gathered.

        Args:
            seeds: Node ids, int32 or int64; by type where there are several.
            times: The time of each seed, in the form of `seeds`, where the sampler goes by times.
            labels: Labels of anchors that are given: by the name of their supervision an array of
                node ids, a row for each seed, -1 where there is none.
            epoch: With `batch`, part of the random key.
            batch: See `epoch`.
            exclude: Edges not to be used for this batch.
        """
        request = low.SampleRequest()
        sets = _seed_sets(self._schema, seeds)
        for node_type, ids, own_times in _with_times(self._schema, sets, times):
            request.add_seeds(node_type, ids, own_times)
        for rows in labels_in_order(self._schema, self._supervisions, labels):
            request.add_labels(rows)
        request.set_epoch(whole_number("epoch", epoch, 0, 64))
        request.set_batch(whole_number("batch", batch, 0, 64))
        for edge_type, edges in _edge_sets(self._schema, exclude):
            request.add_exclude(edge_type, edges)
        input_type = sets[0][0] if len(sets) == 1 else None
        with naming(SAMPLER_OPTIONS):
            handle = self._low.sample(request)
        return Batch(handle, self._schema, input_type, self._walk_types)

    def sample_links(
        self,
        links: Links,
        *,
        labels: Optional[ArrayLike] = None,
        times: Optional[ArrayLike] = None,
        epoch: int = 0,
        batch: int = 0,
        exclude: Optional[Exclude] = None,
    ) -> Batch:
        """Samples one batch around links, each end of which is a seed.

        Args:
            links: Edge ids [n], or sources and targets [2, n], which need not be edges; or (edge
                type, one of these).
            labels: A number, or a row of numbers, for each link. None: 1 and, for negative pairs, 0.
            times: The time of each link, where the sampler goes by times.
            epoch: With `batch`, part of the random key.
            batch: See `epoch`.
            exclude: Edges not to be used for this batch.
        """
        edge_type, edges = link_set(self._schema, links, "links")
        request = low.SampleRequest()
        request.set_links(
            edge_type,
            edges,
            None if times is None else to_low(times, "times", vector=True),
            None if labels is None else to_low(labels, "labels"),
        )
        request.set_epoch(whole_number("epoch", epoch, 0, 64))
        request.set_batch(whole_number("batch", batch, 0, 64))
        for excluded_type, excluded in _edge_sets(self._schema, exclude):
            request.add_exclude(excluded_type, excluded)
        with naming(SAMPLER_OPTIONS):
            handle = self._low.sample(request)
        return Batch(handle, self._schema, edge_type)

    def close(self) -> None:
        """Lets go of the sampler. Batches made by it stay usable."""
        self._handle = None

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Sampler", "pickle the dataset, and make a sampler of it there")


def _negatives(given: Union[str, NegativeSampling]) -> low.NegativeOptions:
    wanted = NegativeSampling(given) if isinstance(given, str) else NegativeSampling(*given)
    options = low.NegativeOptions()
    options.set_mode(choice("neg_sampling", wanted.mode, _NEGATIVES))
    options.set_flags(
        (_STRICT if wanted.strict else 0)
        | (_ALLOW_SHORT if wanted.allow_short else 0)
        | (_IN_TIME if wanted.in_time else 0)
        | (_OLDEST if wanted.oldest else 0)
    )
    amount = float(wanted.amount)
    if amount == 0:  # which the library takes for its default
        raise invalid("neg_sampling", "the amount is 0")
    options.set_amount(amount)
    options.set_degree_power(float(wanted.degree_power))
    options.set_weights(
        optional_text("source_weight", wanted.source_weight),
        optional_text("target_weight", wanted.target_weight),
    )
    options.set_tries(whole_number("tries", wanted.tries, 1, 32))
    return options


def names_edge_type(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, tuple) and bool(value) and all(isinstance(x, str) for x in value)
    )


def link_set(schema: Schema, links: Links, argument: str) -> Tuple[str, low.Tensor]:
    """The type of links, and their ids or pairs."""
    edge_type: Optional[EdgeType] = None
    if isinstance(links, tuple) and len(links) == 2 and names_edge_type(links[0]):
        edge_type, links = links
    return schema.edge_type(edge_type, argument), to_low(links, argument)


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


def _pairs(value: Any) -> Optional[List[Tuple[Any, Any]]]:
    """Of a mapping its items, of a sequence of pairs the pairs; None for all else."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)) and all(
        isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], (str, tuple))
        for item in value
    ):
        return list(value)
    return None


def _edge_sets(schema: Schema, exclude: Optional[Exclude]) -> List[Tuple[str, low.Tensor]]:
    if exclude is None:
        return []
    sets = _pairs(exclude)
    if sets is None:
        sets = [(None, exclude)]
    return [(schema.edge_type(t, "exclude"), to_low(edges, "exclude")) for t, edges in sets]


def _with_times(
    schema: Schema, sets: List[Tuple[str, low.Tensor]], times: Optional[Seeds]
) -> List[Tuple[str, low.Tensor, Optional[low.Tensor]]]:
    if times is None:
        return [(node_type, ids, None) for node_type, ids in sets]
    typed = isinstance(times, tuple) and len(times) == 2 and isinstance(times[0], str)
    if not typed and not _pairs(times) and len(sets) == 1:
        times = (sets[0][0], times)
    given = _seed_sets(schema, times, "times")
    types = [node_type for node_type, _ in sets]
    if [node_type for node_type, _ in given] != types:
        raise invalid("times", f"expected those of the seeds of {types}, in this order")
    return [(node_type, ids, own) for (node_type, ids), (_, own) in zip(sets, given)]


def _seed_sets(
    schema: Schema, seeds: Seeds, argument: str = "seeds"
) -> List[Tuple[str, low.Tensor]]:
    if isinstance(seeds, tuple) and len(seeds) == 2 and isinstance(seeds[0], str):
        seeds = [seeds]
    sets = _pairs(seeds)
    if sets is None or (not sets and schema.only_node_type is not None):
        sets = [(None, seeds)]
    return [
        (schema.node_type(name, argument), to_low(ids, argument, vector=True)) for name, ids in sets
    ]
