"""ImportanceLoader and PPRLoader: epochs of neighbours that edges do not say, found and gathered ahead of the
caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.loader import Loader
from gls._loading.loader_options import LOADER_DEFAULTS, LoaderOptions
from gls._loading.seed_list import node_seeds, seeds_of_type
from gls._sampling.importance import PPR, Importance, importance_type
from gls.types import InputNodes

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ImportanceLoader(Loader):
    """Iterates over mini-batches of importance neighbours.

    As :class:`NeighborLoader`, but for what is sampled. Batches have ``near_seed``, ``near_node`` and
    ``near_score``; see :class:`NodeArrays`. Columns of nodes are gathered for the nodes that were met,
    those of edges for none.

    Args:
        dataset: The graph.
        importance: Which neighbours; see :class:`Importance`.
        input_nodes: The seeds, as for :class:`NeighborLoader`; None: all nodes of the type at which
            walks begin. Ids, a mask or the name of an id set are of that type.
        batch_size: Seeds per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, pad: See :class:`NeighborLoader`.
        direction, weight_attr, seed, int32, contract: See :class:`Sampler`.
        exclude, exclude_mode, reverse_column, reverse_types: See :class:`Sampler`.
    """

    @takes(LoaderOptions, LOADER_DEFAULTS)
    def __init__(
        self,
        dataset: Dataset,
        importance: Importance,
        input_nodes: InputNodes = None,
        *,
        weight_attr: Optional[str] = None,
        **options: Unpack[LoaderOptions],
    ) -> None:
        first = importance_type(dataset._schema, importance, options["direction"])
        seeds = node_seeds(dataset, seeds_of_type(first, dataset, input_nodes), None)
        self._open(dataset, seeds, (), options, importance=importance, weight_attr=weight_attr)


class PPRLoader(Loader):
    """Iterates over mini-batches of the nodes of highest personalised PageRank.

    As :class:`NeighborLoader`, but for what is sampled. Batches have ``near_seed``, ``near_node`` and
    ``near_score`` for every node type; see :class:`NodeArrays`. Columns of nodes are gathered for the
    nodes that were met, those of edges for none.

    Args:
        dataset: The graph.
        ppr: Which nodes; see :class:`PPR`.
        input_nodes: The seeds, as for :class:`NeighborLoader`.
        batch_size: Seeds per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, pad: See :class:`NeighborLoader`.
        direction, seed, int32, contract: See :class:`Sampler`. The seed matters to rows beyond
            `row_limit`, and to shuffling.
        exclude, exclude_mode, reverse_column, reverse_types: See :class:`Sampler`.
    """

    @takes(LoaderOptions, LOADER_DEFAULTS)
    def __init__(
        self,
        dataset: Dataset,
        ppr: PPR = PPR(),
        input_nodes: InputNodes = None,
        **options: Unpack[LoaderOptions],
    ) -> None:
        self._open(dataset, node_seeds(dataset, input_nodes, None), (), options, ppr=ppr)
