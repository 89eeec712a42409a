"""HGTLoader with the interface of PyG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import torch
from torch_geometric import loader
from torch_geometric.data import Data, HeteroData

from gls._batch.batch import Batch
from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.hgt_loader import HGTLoader as NativeHGTLoader
from gls._loading.loader import Loader
from gls._sampling.hgt import HGT
from gls._sampling.sampler import Sampler
from gls.errors import invalid
from gls.pyg.arguments import refuse
from gls.pyg.graph.dataset import StorePair, make_source
from gls.pyg.graph.inputs import input_nodes_of
from gls.pyg.loader import PygLoader
from gls.pyg.native_options import EXCLUSION, exclusion
from gls.pyg.options import LOADER_DEFAULTS, LoaderOptions
from gls.pyg.order import order_of
from gls.types import NumSamples

if TYPE_CHECKING:
    from typing_extensions import Unpack

_TAKEN = ("seed", "with_edge_ids", "subgraph", "hgt", *EXCLUSION)


class HGTLoader(PygLoader, loader.HGTLoader):  # type: ignore[misc]
    """Mini-batches of nodes that are drawn from budgets, as PyG's loader of this name gives them.

    In each hop a number of nodes of each type is drawn, by how much of the batch they are next to; see
    :class:`gls.HGT`. Batches are as those of :class:`NeighborLoader`, with one number of edges in each
    ``num_sampled_edges``: edges have no hops. A graph of one node type and one edge type is taken,
    too.

    What differs from PyG: for a node with more than `most_neighbors` neighbours, batches report the
    edges by which nodes were drawn. PyG draws other edges, and gives them the ids of the first 50.

    Seeds that occur twice in one batch share a node, also those that a `sampler` draws.

    Args:
        data: As for :class:`NeighborLoader`.
        num_samples: Nodes to draw per hop: of every node type, or by node type, as in PyG.
        input_nodes: As for :class:`NeighborLoader`.
        is_sorted, filter_per_worker: Accepted; they have no meaning here.
        transform, transform_sampler_output: See :class:`NeighborLoader`.
        sampler, batch_sampler: See :class:`NeighborLoader`.
        most_neighbors: Of a node along one edge type, as in PyG; a larger number reports more edges.
        subgraph_type: "directional", or "induced": all edges between the nodes of a batch.
        batch_size, shuffle, drop_last, num_workers, prefetch_factor: See :class:`NeighborLoader`.
        pin_memory, persistent_workers, generator, input_id: See :class:`NeighborLoader`.
        seed, rank, world_size, even, prefetch_bytes, made_by, device, pad, context: See :class:`NeighborLoader`.
        exclude, exclude_mode, reverse_column, reverse_types: See :class:`NeighborLoader`.
    """

    @takes(LoaderOptions, LOADER_DEFAULTS)
    def __init__(
        self,
        data: Union[Data, HeteroData, Dataset, StorePair],
        num_samples: NumSamples,
        input_nodes: Any = None,
        is_sorted: bool = False,
        transform: Optional[Callable[[Any], Any]] = None,
        transform_sampler_output: Optional[Callable[[Any], Any]] = None,
        filter_per_worker: Optional[bool] = None,
        *,
        most_neighbors: int = 50,
        subgraph_type: Any = "directional",
        batch_size: int = 1,
        shuffle: bool = False,
        input_id: Optional[torch.Tensor] = None,
        **options: Unpack[LoaderOptions],
    ) -> None:
        self._order = order_of(options, batch_size, shuffle)
        kind = getattr(subgraph_type, "value", subgraph_type)
        if kind not in ("directional", "induced"):
            raise invalid("subgraph_type", f"{kind!r} is not one of 'directional', 'induced'")
        refuse("HGTLoader", options)
        self._prepare(
            make_source(data, options["context"], num_workers=options["num_workers"]),
            (),
            options,
            batch_size=batch_size,
            shuffle=shuffle,
            subgraph_type=subgraph_type,
            transform=transform,
        )
        self._options.update(
            exclusion(self._source, options, with_types=True),
            hgt=HGT(num_samples, most_neighbors),
        )
        self._seeds, input_id = input_nodes_of(self._source, input_nodes, input_id)
        self._transform_output_by(transform_sampler_output)
        self._start(input_id, "nodes")

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        options = {name: self._options[name] for name in _TAKEN if name in self._options}
        return NativeHGTLoader(
            self._source.dataset,
            input_nodes=self._seeds_at(positions),
            **options,
            **{**self._loading, **loading},
        )

    def _sample(self, sampler: Sampler, positions: torch.Tensor, number: int) -> Batch:
        node_type, nodes = self._seeds
        ids = positions if nodes is None else nodes[positions]
        return sampler.sample((node_type, ids), batch=number)

    def _add_seeds(self, out: Any, batch: Batch, input_id: torch.Tensor) -> None:
        self._add_nodes(out, batch, input_id)
