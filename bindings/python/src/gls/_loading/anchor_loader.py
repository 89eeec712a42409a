"""AnchorLoader: an epoch of anchors with their labels, sampled and gathered ahead of the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.loader import Loader
from gls._loading.loader_options import NEIGHBOR_LOADER_DEFAULTS, NeighborLoaderOptions
from gls._loading.seed_list import one_node_seeds, seeds_of_type
from gls._sampling.anchors import Supervisions, anchor_type, labels_in_order
from gls.types import AnchorLabels, ArrayLike, InputNodes, NumNeighbors

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AnchorLoader(Loader):
    """Iterates over mini-batches of anchors: seeds whose links are to be predicted.

    As :class:`NeighborLoader`, but each batch has the labels of its seeds, which are seeds, too, after
    the anchors: ``positives`` and ``negatives``, the local ids of labels in a row for each anchor, and
    ``anchors``, those of the anchors; see :class:`Batch`.

    Args:
        dataset: The graph.
        num_neighbors: Neighbours to take per hop, [15, 10]; or by edge type; -1 takes all. Edge types
            that are for labels only need none.
        supervisions: Where labels come from: an edge type, a :class:`Supervision`, or a list of them.
        input_nodes: The anchors, as for :class:`NeighborLoader`; None: all nodes of the type at which
            the supervisions begin. Ids, a mask or the name of an id set are of that type.
        labels: Labels that are given: by the name of their supervision an array of node ids, a row for
            each anchor, -1 where there is none.
        batch_size: Anchors per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, with_edge_ids: See :class:`NeighborLoader`.
        pad: See :class:`NeighborLoader`. Edge types that labels are found in need `max_labels`.
        times: See :class:`NeighborLoader`. Labels have the time of their anchor.
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
        supervisions: Supervisions,
        input_nodes: InputNodes = None,
        *,
        labels: Optional[AnchorLabels] = None,
        times: Optional[ArrayLike] = None,
        **options: Unpack[NeighborLoaderOptions],
    ) -> None:
        first = anchor_type(dataset._schema, supervisions)
        if first is not None:
            input_nodes = seeds_of_type(first, dataset, input_nodes)
        seeds = one_node_seeds(dataset, input_nodes, times)
        given = labels_in_order(dataset._schema, supervisions, labels)
        self._open(
            dataset,
            seeds._replace(anchor_labels=given),
            num_neighbors,
            options,
            supervisions=supervisions,
        )
