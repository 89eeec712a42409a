"""PyG's loaders on GLS: batches are ``torch_geometric.data.Data`` and ``HeteroData``.

A script written for PyG changes one import::

    from gls.pyg import NeighborLoader, LinkNeighborLoader

What differs from PyG, always:

- Sampling and gathering run on native threads of this process; there are no worker processes.
- Random choices are those of the GLS sampling contract: the same seed gives the same batches with any
  number of threads. They are not those of PyG. The seed is drawn from PyTorch's generator once, when
  the loader is made, so ``torch.manual_seed`` makes a run repeatable.
- Neighbours are visited in the order of edge ids. PyG's order within a neighbourhood is that of its
  sort. With sorted edges and ``is_sorted=True``, batches of whole neighbourhoods are equal to
  PyG's, byte for byte.
- Seeds that occur twice in one batch share a node: ``batch_size`` counts
  distinct seeds. ``seed``, the local id of each seed, and ``input_id`` have an entry for each given
  seed. So ``out[batch.seed]`` and ``y[batch.input_id]`` belong together. (With ``disjoint=True``
  nothing is shared, as in PyG, and neither is it where a `sampler` chooses the seeds of a
  :class:`NeighborLoader`.)
- Sampling by weight never picks an edge of weight 0; PyG may add such
  edges. Without replacement, neighbours are in the order of the draws.
- Epochs are numbered, and
  their number is part of the random key: iterating again gives new batches, and no other random
  number is drawn for them.
"""

from gls._core.packages import need

need("torch", "gls.pyg")
need("torch_geometric", "gls.pyg")

from gls.pyg.graph.feature_store import FeatureStore
from gls.pyg.graph.graph_store import GraphStore
from gls.pyg.hgt_loader import HGTLoader
from gls.pyg.lightning import LightningLinkData, LightningNodeData
from gls.pyg.link_loader import LinkNeighborLoader
from gls.pyg.anchor_loader import AnchorLoader
from gls.pyg.neighbor_loader import NeighborLoader
from gls.pyg.saint import (
    ClusterLoader,
    GraphSAINTEdgeSampler,
    GraphSAINTNodeSampler,
    GraphSAINTRandomWalkSampler,
    GraphSAINTSampler,
)
from gls.pyg.sampler import NeighborSampler

__all__ = [
    "AnchorLoader",
    "ClusterLoader",
    "FeatureStore",
    "GraphSAINTEdgeSampler",
    "GraphSAINTNodeSampler",
    "GraphSAINTRandomWalkSampler",
    "GraphSAINTSampler",
    "GraphStore",
    "HGTLoader",
    "LightningLinkData",
    "LightningNodeData",
    "LinkNeighborLoader",
    "NeighborLoader",
    "NeighborSampler",
]
