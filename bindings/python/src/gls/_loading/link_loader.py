"""LinkNeighborLoader: an epoch of batches around links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.loader import Loader
from gls._loading.loader_options import NEIGHBOR_LOADER_DEFAULTS, NeighborLoaderOptions
from gls._loading.seed_list import link_seeds
from gls._loading.seed_rules import SeedRule
from gls._sampling.negative_sampling import Negatives
from gls.types import EdgeLabelIndex, NumNeighbors, OfTypes

if TYPE_CHECKING:
    from typing_extensions import Unpack


class LinkNeighborLoader(Loader):
    """Iterates over mini-batches of links: both ends of each are seeds.

    As :class:`NeighborLoader`, but for the links, and what is drawn for them. Batches have
    ``link_source`` and ``link_target``, the local ids of the ends; see :class:`EdgeArrays`.

    Args:
        dataset: The graph.
        num_neighbors: Neighbours to take per hop, [15, 10]; or by edge type; -1 takes all.
        edge_label_index: The links. Edge ids [n]; sources and targets [2, n], which need not be edges;
            None: all edges of the only type; or (edge type, one of these). Links of several types are a
            mapping from the edge type to one of these. A batch then has `batch_size` links in all.
            Their arrays are by type, ``batch.edges[type].link_source``.
        edge_label: A number, or a row of numbers, for each link [links, ...]. None: 1 and, for negative
            pairs, 0. For links of several types a mapping.
        edge_label_time: The time of each link, where the sampler goes by times. For links of several types a
            mapping.
        neg_sampling: None; "binary" or "triplet"; or :class:`NegativeSampling`, with more said.
        exclude_links: Links of a batch are not used for it, nor those that `exclude_mode` adds to them.
        batch_size: Links per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, with_edge_ids: See :class:`NeighborLoader`.
        seed_rule, pad: See :class:`NeighborLoader`.
        direction, replace, disjoint, weight_attr, seed, toward_seeds: See :class:`Sampler`.
        int32, exclude, exclude_mode, reverse_column, reverse_types, contract: See :class:`Sampler`.
        node_time, edge_time, time_strategy, time_strict, time_window: See :class:`Sampler`.
        subgraph, pick, batch_dependency, layer_dependent: See :class:`Sampler`.
    """

    @takes(NeighborLoaderOptions, NEIGHBOR_LOADER_DEFAULTS)
    def __init__(
        self,
        dataset: Dataset,
        num_neighbors: NumNeighbors,
        edge_label_index: EdgeLabelIndex = None,
        edge_label: OfTypes = None,
        edge_label_time: OfTypes = None,
        neg_sampling: Negatives = None,
        *,
        exclude_links: bool = False,
        seed_rule: Optional[SeedRule] = None,
        **options: Unpack[NeighborLoaderOptions],
    ) -> None:
        self._open(
            dataset,
            link_seeds(dataset, edge_label_index, edge_label, edge_label_time),
            num_neighbors,
            options,
            neg_sampling=neg_sampling,
            exclude_links=exclude_links,
            seed_rule=seed_rule,
        )
