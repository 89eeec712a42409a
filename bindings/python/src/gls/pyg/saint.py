"""GraphSAINT's samplers and Cluster-GCN's loader as PyG has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Tuple, Union

import torch
from torch_geometric.data import Data

from gls._batch.batch import Batch
from gls._core.check import whole_number
from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.link_loader import LinkNeighborLoader as NativeLinkLoader
from gls._loading.loader import Loader
from gls._loading.neighbor_loader import NeighborLoader as NativeNeighborLoader
from gls._loading.seed_rules import ClusteredSeeds, DrawnSeeds
from gls._loading.walk_loader import WalkLoader
from gls._sampling.sampler import Sampler
from gls._sampling.walk import Walk
from gls.errors import Unsupported, invalid
from gls.pyg.arguments import refuse
from gls.pyg.graph.attributes import rows_of
from gls.pyg.graph.dataset import make_source
from gls.pyg.graph.source import Source
from gls.pyg.graph.words import OF_SUBGRAPHS
from gls.pyg.loader import PygLoader
from gls.pyg.native_options import EXCLUSION, exclusion
from gls.pyg.options import LOADER_DEFAULTS, LoaderOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _Subgraphs(PygLoader):
    """Batches that are induced subgraphs of a homogeneous graph."""

    _argument_names = OF_SUBGRAPHS

    def _prepare_subgraphs(
        self,
        source: Source,
        options: Mapping[str, Any],
        batch_size: int,
        shuffle: bool,
        transform: Optional[Callable[[Any], Any]],
    ) -> None:
        refuse(type(self).__name__, options, of_seeds=False)
        if source.hetero:
            raise Unsupported("data: expected a graph of one node and one edge type")
        self._prepare(
            source,
            [],
            options,
            batch_size=batch_size,
            shuffle=shuffle,
            subgraph_type="induced",
            transform=transform,
        )
        self._options.update(exclusion(source, options, with_types=True))

    def _sample(self, sampler: Sampler, positions: torch.Tensor, number: int) -> Batch:
        raise Unsupported(f"{type(self).__name__} is not callable: its batches are not of seeds")

    def _add_seeds(self, out: Any, batch: Batch, input_id: torch.Tensor) -> None:
        pass


class GraphSAINTSampler(_Subgraphs):
    """What GraphSAINT's samplers share.

    Batches are ``Data`` with the attributes of `data` for their nodes and edges, ``n_id`` and ``e_id``,
    and with `sample_coverage` ``node_norm`` and ``edge_norm``. Nodes are in the order in which they were
    met, where PyG sorts them.

    Args:
        data: ``Data`` in CPU memory with ``edge_index``, or a :class:`gls.Dataset`, of one node type and
            one edge type.
        batch_size: Draws of a batch: nodes, edges, or roots of walks. They are with replacement.
        num_steps: Batches of an epoch.
        sample_coverage: Count until so many times the nodes were in batches, and give the norms that
            follow. 0: no norms. The edge's norm is that of the paper: its target over the edge. PyG
            counts the source, which is the same where edges go both ways.
        save_dir, log: Accepted; nothing is saved or shown.
        options: As those of ``DataLoader`` that :class:`NeighborLoader` takes, and `seed`, `rank`,
            `world_size`, `even`, `prefetch_bytes`, `made_by`, `device`, `pad`, `context`, `exclude` and its modes.
            ``shuffle`` is accepted: there is no order.
    """

    node_norm: Optional[torch.Tensor] = None
    edge_norm: Optional[torch.Tensor] = None

    @takes(LoaderOptions, LOADER_DEFAULTS)
    def __init__(
        self,
        data: Union[Data, Dataset],
        batch_size: int,
        num_steps: int = 1,
        sample_coverage: float = 0,
        save_dir: Optional[str] = None,
        log: bool = True,
        *,
        shuffle: bool = False,
        transform: Optional[Callable[[Any], Any]] = None,
        **options: Unpack[LoaderOptions],
    ) -> None:
        if isinstance(data, Data):
            if any(name in data for name in ("node_norm", "edge_norm")):
                raise invalid("data", "it has a node_norm or edge_norm of its own")
        self._num_steps = whole_number("num_steps", num_steps, 1, 32)
        source = make_source(data, options["context"], num_workers=options["num_workers"])
        self._prepare_subgraphs(source, options, batch_size, False, transform)
        self._start(None, "nodes")
        if sample_coverage > 0:
            norms = self.native.saint_norms(coverage=sample_coverage)
            assert norms.edge is not None
            node, edge = norms.node.torch(), norms.edge.torch()
            self.node_norm, self.edge_norm = self._delivered(node), self._delivered(edge)

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        raise TypeError("GraphSAINTSampler is what samplers share; make one of those")

    def _add_seeds(self, out: Any, batch: Batch, input_id: torch.Tensor) -> None:
        if self.node_norm is not None and self.edge_norm is not None:
            padded = batch.padding != "none"
            out.node_norm = rows_of(self.node_norm, 0, batch.node.torch(), padded)
            out.edge_norm = rows_of(self.edge_norm, 0, batch.edge.torch(), padded)


class GraphSAINTNodeSampler(GraphSAINTSampler):
    """Nodes drawn in proportion to the edges that leave them, and all edges between them; see
    :class:`GraphSAINTSampler`."""

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        return NativeNeighborLoader(
            self._source.dataset,
            [],
            seed_rule=DrawnSeeds(self._num_steps, "degree"),
            **self._options,
            **self._loading,
        )


class GraphSAINTEdgeSampler(GraphSAINTSampler):
    """Edges drawn in proportion to 1 / deg(source) + 1 / deg(target), and all edges between their ends;
    see :class:`GraphSAINTSampler`."""

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        return NativeLinkLoader(
            self._source.dataset,
            [],
            seed_rule=DrawnSeeds(self._num_steps, "inverse_degree"),
            **self._options,
            **self._loading,
        )


class GraphSAINTRandomWalkSampler(GraphSAINTSampler):
    """Walks from nodes drawn uniformly, and all edges between the nodes they met; see
    :class:`GraphSAINTSampler`. A step goes from an edge's target to its source, as all sampling here; in
    PyG it goes along the edge."""

    @takes(LoaderOptions, LOADER_DEFAULTS)
    def __init__(
        self,
        data: Union[Data, Dataset],
        batch_size: int,
        walk_length: int,
        num_steps: int = 1,
        sample_coverage: float = 0,
        save_dir: Optional[str] = None,
        log: bool = True,
        *,
        shuffle: bool = False,
        transform: Optional[Callable[[Any], Any]] = None,
        **options: Unpack[LoaderOptions],
    ) -> None:
        self.walk_length = whole_number("walk_length", walk_length, 1, 32)
        super().__init__(
            data,
            batch_size,
            num_steps,
            sample_coverage,
            save_dir,
            log,
            transform=transform,
            **options,
        )

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        names = ("seed", "with_edge_ids", "subgraph", *EXCLUSION)
        options = {name: self._options[name] for name in names}
        return WalkLoader(
            self._source.dataset,
            Walk(self.walk_length),
            seed_rule=DrawnSeeds(self._num_steps),
            **options,
            **self._loading,
        )


class ClusterLoader(_Subgraphs):
    """All nodes of some clusters, and all edges between them, as PyG's loader of this name gives them.

    Args:
        cluster_data: PyG's ``ClusterData``; or a graph as :class:`NeighborLoader` takes it, and `cluster`.
        cluster: The cluster of each node, below the number of nodes; negative: in no batch. Of a
            :class:`gls.Dataset` also the name of a column.
        options: Those of ``DataLoader`` that :class:`NeighborLoader` takes: `batch_size` (1) counts
            clusters, `shuffle` and `drop_last` are of clusters. And `transform`, `seed`, `rank`,
            `world_size`, `even`, `prefetch_bytes`, `made_by`, `device`, `pad`, `context`, `exclude` and its
            modes.
    """

    @takes(LoaderOptions, LOADER_DEFAULTS)
    def __init__(
        self,
        cluster_data: Any,
        cluster: Any = None,
        *,
        batch_size: int = 1,
        shuffle: bool = False,
        transform: Optional[Callable[[Any], Any]] = None,
        **options: Unpack[LoaderOptions],
    ) -> None:
        data, edge_index = cluster_data, None
        if hasattr(cluster_data, "partition"):
            if cluster is not None:
                raise invalid("cluster", "ClusterData has clusters of its own")
            edge_index, cluster = _unpacked(cluster_data)
            data = cluster_data.data
        if cluster is None:
            raise invalid("cluster", "needed, as the data is not a ClusterData")
        self.cluster_data = cluster_data
        source = make_source(
            data,
            options["context"],
            edge_index=edge_index,
            num_workers=options["num_workers"],
        )
        self._prepare_subgraphs(source, options, batch_size, shuffle, transform)
        self._cluster = cluster
        self._start(None, "nodes")

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        return NativeNeighborLoader(
            self._source.dataset,
            [],
            seed_rule=ClusteredSeeds(self._cluster),
            **self._options,
            **self._loading,
        )


def _unpacked(cluster_data: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    """The edges of a ClusterData, in its own order of nodes and edges, and the cluster of each node."""
    parts = cluster_data.partition
    counts = parts.indptr[1:] - parts.indptr[:-1]
    ends = torch.repeat_interleave(torch.arange(counts.numel()), counts)
    by_row = getattr(parts, "sparse_format", "csr") == "csr"
    edge_index = torch.stack([ends, parts.index] if by_row else [parts.index, ends])
    sizes = parts.partptr[1:] - parts.partptr[:-1]
    return edge_index, torch.repeat_interleave(torch.arange(sizes.numel()), sizes)
