"""WalkLoader: an epoch of random walks, walked and gathered ahead of the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.loader import Loader
from gls._loading.loader_options import LOADER_DEFAULTS, LoaderOptions
from gls._loading.seed_list import node_seeds, seeds_of_type
from gls._loading.seed_rules import SeedRule
from gls._sampling.walk import Walk, walk_types
from gls.types import InputNodes

if TYPE_CHECKING:
    from typing_extensions import Unpack


class WalkLoader(Loader):
    """Iterates over mini-batches of random walks.

    As :class:`NeighborLoader`, but for what is sampled. Batches have ``walk``, the local ids of the
    nodes of each walk, ``walks``, their dataset ids, and with edge ids ``walk_edge``; see
    :class:`NodeArrays`. Columns of nodes are gathered for the nodes that were met, those of edges for
    none.

    Args:
        dataset: The graph.
        walk: How to walk; see :class:`Walk`.
        input_nodes: The seeds, as for :class:`NeighborLoader`; None: all nodes of the type at which
            walks begin. Ids, a mask or the name of an id set are of that type.
        batch_size: Seeds per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, seed_rule, pad: See :class:`NeighborLoader`.
        subgraph: "induced": batches also have all edges between the nodes met.
        with_edge_ids: Batches have the array ``walk_edge``.
        direction, weight_attr, seed, int32, contract: See :class:`Sampler`.
        exclude, exclude_mode, reverse_column, reverse_types: See :class:`Sampler`.
    """

    @takes(LoaderOptions, LOADER_DEFAULTS)
    def __init__(
        self,
        dataset: Dataset,
        walk: Walk,
        input_nodes: InputNodes = None,
        *,
        weight_attr: Optional[str] = None,
        with_edge_ids: bool = False,
        subgraph: str = "sampled",
        seed_rule: Optional[SeedRule] = None,
        **options: Unpack[LoaderOptions],
    ) -> None:
        first = walk_types(dataset._schema, walk, options["direction"])[0]
        self._open(
            dataset,
            node_seeds(dataset, seeds_of_type(first, dataset, input_nodes), None),
            (),
            options,
            walk=walk,
            weight_attr=weight_attr,
            with_edge_ids=with_edge_ids,
            subgraph=subgraph,
            seed_rule=seed_rule,
        )
