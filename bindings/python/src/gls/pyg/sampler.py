"""PyG's ``NeighborSampler`` on GLS, for PyG's ``NodeLoader`` and ``LinkLoader``."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Union

import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import BaseSampler
from torch_geometric.sampler import NumNeighbors as PygNumNeighbors
from torch_geometric.sampler.neighbor_sampler import edge_sample

from gls._core.options import takes
from gls._sampling.sampler import Sampler
from gls.errors import Unsupported
from gls.pyg.graph.dataset import StorePair, is_pair, make_source
from gls.pyg.graph.ids import as_ids
from gls.pyg.graph.output import output_of, without_hops_of
from gls.pyg.graph.repeats import with_repeats
from gls.pyg.graph.source import Source
from gls.pyg.loader import PygLoader
from gls.pyg.native_options import exclusion, time_limits
from gls.pyg.options import LOADER_DEFAULTS, NEIGHBOR_DEFAULTS, NeighborOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class NeighborSampler(BaseSampler):  # type: ignore[misc]
    """A sampler that PyG's own ``NodeLoader``, ``LinkLoader``, ``LightningNodeData`` and
    ``LightningLinkData`` take as `node_sampler` or `link_sampler`.

    The loaders are then PyG's: order, attributes, negatives and transforms are theirs. Batches are made
    in the calling thread; :class:`NeighborLoader` makes them ahead. Worker processes are not supported:
    give the loader ``num_workers=0``. Seeds that occur twice in one batch are two nodes, as in PyG.

    Each call has the next random numbers, so the batches of an epoch depend on all calls before.

    Args:
        data, num_neighbors, subgraph_type, replace, disjoint: See :class:`NeighborLoader`.
        temporal_strategy, time_attr, weight_attr, directed: See :class:`NeighborLoader`.
        is_sorted, share_memory: Accepted; they make no difference.
        seed, context, exclude, exclude_mode, reverse_column: See :class:`NeighborLoader`.
        reverse_types, time_strict, time_window: See :class:`NeighborLoader`.
        pick, batch_dependency, layer_dependent: See :class:`gls.Sampler`.
    """

    @takes(NeighborOptions, NEIGHBOR_DEFAULTS)
    def __init__(
        self,
        data: Union[Data, HeteroData, StorePair],
        num_neighbors: Any,
        subgraph_type: Any = "directional",
        replace: bool = False,
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
        time_attr: Optional[str] = None,
        weight_attr: Optional[str] = None,
        is_sorted: bool = False,
        share_memory: bool = False,
        directed: bool = True,
        **options: Unpack[NeighborOptions],
    ) -> None:
        if not isinstance(data, (Data, HeteroData)) and not is_pair(data):
            raise Unsupported(
                f"data: a {type(data).__name__} is not Data, HeteroData or a pair of FeatureStore and "
                "GraphStore, which a loader of PyG takes attributes from"
            )
        loader = PygLoader()
        loader._prepare(
            make_source(
                data, options["context"], of_edges=(weight_attr, options["reverse_column"])
            ),
            num_neighbors,
            {**LOADER_DEFAULTS, **options, "device": "cpu"},
            replace=replace,
            subgraph_type=subgraph_type,
            directed=directed,
            disjoint=disjoint,
            temporal_strategy=temporal_strategy,
            time_attr=time_attr,
            weight_attr=weight_attr,
            reverse_types=options["reverse_types"],
        )
        loader._take_no_hops()
        loader._options.update(
            exclusion(loader._source, options),
            **time_limits(time_attr, options),
        )
        self._take(loader, time_attr)

    def _take(self, loader: PygLoader, time_attr: Optional[str]) -> None:
        """Samples as the loader does."""
        self._source: Source = loader._source
        self._options, self._no_hops = loader._options, loader._no_hops
        self._num_neighbors = loader._num_neighbors
        self._time_attr = time_attr
        self._sampler = Sampler(self._source.dataset, loader._fanouts, **self._options)
        self._numbers = itertools.count()

    @property
    def num_neighbors(self) -> PygNumNeighbors:
        """Neighbours per hop, as PyG has them."""
        given = self._num_neighbors
        if isinstance(given, PygNumNeighbors):
            return given
        if not isinstance(given, Mapping):
            return PygNumNeighbors(list(given))
        named = {key: list(values) for key, values in given.items() if key is not None}
        return PygNumNeighbors(named, default=given.get(None))

    @property
    def edge_permutation(self) -> None:
        """None: ids of edges are those of the data."""
        return None

    def sample_from_nodes(self, index: Any, **_: Any) -> Any:
        """What is sampled for some nodes: PyG's ``SamplerOutput`` or ``HeteroSamplerOutput``."""
        time = index.time
        node_type = self._source.nodes[0].name if index.input_type is None else index.input_type
        if self._time_attr is not None and time is None:
            own = self._source.values(node_type, self._time_attr)
            time = None if own is None else own[index.node]
        out = self._sample({node_type: index.node}, None if time is None else {node_type: time})
        out.metadata = (index.input_id, time)
        return out

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> Any:
        """What is sampled for the ends of some links, and for the negatives that PyG draws."""

        def sample(seeds: Any, times: Any) -> Any:
            if self._source.hetero:
                return self._sample(seeds, times)
            node_type = self._source.nodes[0].name
            return self._sample({node_type: seeds}, None if times is None else {node_type: times})

        sizes = {kind.key: self._source.dataset.num_nodes(kind.name) for kind in self._source.nodes}
        node_time: Optional[Dict[Any, Any]] = None
        if "node_time" in self._options and self._time_attr is not None:
            found = {
                k.key: self._source.values(k.name, self._time_attr) for k in self._source.nodes
            }
            node_time = {key: value for key, value in found.items() if value is not None}
        hetero = self._source.hetero
        return edge_sample(
            index,
            sample,
            sizes if hetero else sizes[self._source.nodes[0].key],
            self._options["disjoint"] or self._time_attr is not None,
            node_time if hetero or node_time is None else node_time[self._source.nodes[0].key],
            neg_sampling,
        )

    def _sample(
        self, seeds: Mapping[str, torch.Tensor], times: Optional[Mapping[str, torch.Tensor]]
    ) -> Any:
        given: Dict[str, torch.Tensor] = {name: as_ids(ids) for name, ids in seeds.items()}
        batch = self._sampler.sample(
            given,
            times=None if times is None else {name: as_ids(own) for name, own in times.items()},
            batch=next(self._numbers),
        )
        output = output_of(self._source, batch)
        if self._no_hops:
            without_hops_of(output)
        if hasattr(next(iter(batch.nodes.values())), "batch"):
            return output  # trees of their own: each seed has one
        return with_repeats(self._source, batch, output, self._options["subgraph"])


def node_sampler_of(loader: PygLoader, time_attr: Optional[str]) -> NeighborSampler:
    """A sampler of PyG's kind with the options of a loader."""
    sampler = NeighborSampler.__new__(NeighborSampler)
    sampler._take(loader, time_attr)
    return sampler
