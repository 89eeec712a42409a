"""Sampler: batches on demand, and the options that loaders share with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Optional

from gls._batch.batch import Batch
from gls._core.check import (
    check_process,
    closed,
    fork_generation,
    not_picklable,
    whole_number,
)
from gls._core.devices import device_name
from gls._core.inputs import to_low
from gls._core.naming import SAMPLER_OPTIONS, naming
from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._low import glslow as low
from gls._sampling.anchors import labels_in_order
from gls._sampling.sampler_options import SAMPLER_DEFAULTS, SamplerOptions, sampler_options
from gls._sampling.seed_sets import edge_sets, link_set, seed_sets, seeds_with_times
from gls._sampling.walk import walk_types
from gls.types import (
    AnchorLabels,
    ArrayLike,
    Exclude,
    Links,
    NumNeighbors,
    Seeds,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


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

    @takes(SamplerOptions, SAMPLER_DEFAULTS)
    def __init__(
        self,
        dataset: Dataset,
        num_neighbors: NumNeighbors = (),
        **options: Unpack[SamplerOptions],
    ) -> None:
        self._generation = fork_generation()
        self._schema = dataset._schema
        wanted = sampler_options(dataset._schema, num_neighbors, options)
        self._supervisions = options["supervisions"]
        with naming(SAMPLER_OPTIONS):
            self._handle: Optional[low.Sampler] = low.Sampler(dataset._low, wanted)
        walk, direction = options["walk"], options["direction"]
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
        sets = seed_sets(self._schema, seeds)
        for node_type, ids, own_times in seeds_with_times(self._schema, sets, times):
            request.add_seeds(node_type, ids, own_times)
        for rows in labels_in_order(self._schema, self._supervisions, labels):
            request.add_labels(rows)
        request.set_epoch(whole_number("epoch", epoch, 0, 64))
        request.set_batch(whole_number("batch", batch, 0, 64))
        for edge_type, edges in edge_sets(self._schema, exclude):
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
        for excluded_type, excluded in edge_sets(self._schema, exclude):
            request.add_exclude(excluded_type, excluded)
        with naming(SAMPLER_OPTIONS):
            handle = self._low.sample(request)
        return Batch(handle, self._schema, edge_type)

    def close(self) -> None:
        """Lets go of the sampler. Batches made by it stay usable."""
        self._handle = None

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Sampler", "pickle the dataset, and make a sampler of it there")
