"""HGTLoader: epochs of nodes drawn from budgets, found and gathered ahead of the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.loader import Loader
from gls._loading.loader_options import LOADER_DEFAULTS, LoaderOptions
from gls._loading.seed_list import node_seeds
from gls._sampling.hgt import HGT
from gls.types import InputNodes

if TYPE_CHECKING:
    from typing_extensions import Unpack


class HGTLoader(Loader):
    """Iterates over mini-batches of nodes that are drawn from budgets.

    As :class:`NeighborLoader`, but for what is sampled. Each ``num_sampled_edges`` has one number, of all
    edges of the type.

    Args:
        dataset: The graph.
        hgt: How many nodes of each type; see :class:`HGT`.
        input_nodes: The seeds, as for :class:`NeighborLoader`.
        batch_size: Seeds per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, pad: See :class:`NeighborLoader`.
        direction, seed, with_edge_ids, int32, contract: See :class:`Sampler`.
        subgraph: "sampled" or "induced"; see :class:`HGT`.
        exclude, exclude_mode, reverse_column, reverse_types: See :class:`Sampler`.
    """

    @takes(LoaderOptions, LOADER_DEFAULTS)
    def __init__(
        self,
        dataset: Dataset,
        hgt: HGT,
        input_nodes: InputNodes = None,
        *,
        with_edge_ids: bool = False,
        subgraph: str = "sampled",
        **options: Unpack[LoaderOptions],
    ) -> None:
        self._open(
            dataset,
            node_seeds(dataset, input_nodes, None),
            (),
            options,
            hgt=hgt,
            with_edge_ids=with_edge_ids,
            subgraph=subgraph,
        )
