"""GLS: graph loading and sampling for training graph neural networks on mini-batches.

A :class:`Dataset` is a graph, opened from a folder or made of arrays by :class:`DatasetBuilder`. A
:class:`NeighborLoader` iterates over its mini-batches, made ahead by native threads; a
:class:`Sampler` makes single ones. Every array of a :class:`Batch` is a :class:`Tensor`, which NumPy,
PyTorch and any DLPack consumer see in place::

    import gls

    dataset = gls.Dataset.open("cora")
    loader = gls.NeighborLoader(dataset, [10, 10], "train", batch_size=64, shuffle=True)
    for batch in loader:
        x, y = batch.x.numpy(), batch.y.numpy()
        row, col = batch.row.numpy(), batch.col.numpy()

:mod:`gls.pyg` gives PyG's ``Data`` instead, and :mod:`gls.dgl` objects of DGL. :mod:`gls.nn` has modules
of PyTorch. :mod:`gls.types` names the types of arguments. ``import gls`` imports neither PyTorch nor NumPy.
"""

from gls._batch.batch import Batch
from gls._batch.blocks import Block, BlockEdges, BlockNodes
from gls._batch.edge_arrays import EdgeArrays
from gls._batch.node_arrays import NodeArrays
from gls._convert.arrow import from_arrow
from gls._convert.dgl import from_dgl
from gls._convert.networkx import from_networkx
from gls._convert.pyg import from_pyg
from gls._convert.scipy import from_scipy
from gls._core.calls import Future, Call
from gls._core.context import Context, Setting, configure, default_context, settings
from gls._core.devices import DeviceInfo, device_info, devices
from gls._core.tensor import Tensor
from gls._data.arrow import ArrowColumn, ArrowColumns, ArrowStream
from gls._data.builder import DatasetBuilder
from gls._data.codes import Codes, quantize
from gls._data.column_store import ColumnStore
from gls._data.dataset import Column, Dataset, Topology
from gls._data.neighbor_store import NeighborStore
from gls._data.partition import Partition
from gls._data.parts import GlobalIds, Part, Parts
from gls._data.planetoid import PlanetoidGraph, read_planetoid
from gls._data.recipe import Recipe
from gls._data.splits import LinkPart, LinkSplit, split_ids, split_links
from gls._data.store import StoreStats
from gls._data.table import Table
from gls._loading.anchor_loader import AnchorLoader
from gls._loading.columns import ColumnRequest, Columns
from gls._loading.hgt_loader import HGTLoader
from gls._loading.importance_loader import ImportanceLoader, PPRLoader
from gls._loading.link_loader import LinkNeighborLoader
from gls._loading.neighbor_loader import NeighborLoader
from gls._loading.pad import Pad
from gls._loading.seed_rules import ClusteredSeeds, DrawnSeeds, SaintNorms, SeedRule
from gls._loading.stats import LoaderStats
from gls._loading.transform import Transform
from gls._loading.walk_loader import WalkLoader
from gls._low.glslow import library_version
from gls._processes.feed import AttachedLoader, Feed, FeedInfo, SamplingProcesses, attach
from gls._processes.group import Group, Member
from gls._processes.server import Server, ServerInfo, ServerProbe
from gls._sampling.anchors import Supervision, Supervisions
from gls._sampling.hgt import HGT
from gls._sampling.importance import PPR, Importance
from gls._sampling.negative_sampling import Negatives, NegativeSampling
from gls._sampling.sampler import Sampler
from gls._sampling.walk import Walk
from gls.errors import (
    AlreadyExists,
    Canceled,
    CorruptData,
    Error,
    FileExists,
    FileNotFound,
    InternalError,
    InvalidArgument,
    InvalidState,
    IoError,
    NotFound,
    OutOfMemory,
    TimedOut,
    Unsupported,
)
from gls.types import ArrayLike, Device, EdgeType, Progress

__version__ = library_version()

__all__ = [
    "AlreadyExists",
    "AnchorLoader",
    "ArrayLike",
    "ArrowColumn",
    "ArrowColumns",
    "ArrowStream",
    "AttachedLoader",
    "Batch",
    "Block",
    "BlockEdges",
    "BlockNodes",
    "Call",
    "Canceled",
    "ClusteredSeeds",
    "Codes",
    "Column",
    "ColumnRequest",
    "ColumnStore",
    "Columns",
    "Context",
    "CorruptData",
    "Dataset",
    "DatasetBuilder",
    "Device",
    "DeviceInfo",
    "DrawnSeeds",
    "EdgeArrays",
    "EdgeType",
    "Error",
    "Feed",
    "FeedInfo",
    "FileExists",
    "FileNotFound",
    "Future",
    "GlobalIds",
    "Group",
    "HGT",
    "HGTLoader",
    "Importance",
    "ImportanceLoader",
    "InternalError",
    "InvalidArgument",
    "InvalidState",
    "IoError",
    "LinkNeighborLoader",
    "LinkPart",
    "LinkSplit",
    "LoaderStats",
    "Member",
    "NegativeSampling",
    "Negatives",
    "NeighborLoader",
    "NeighborStore",
    "NodeArrays",
    "NotFound",
    "OutOfMemory",
    "PPR",
    "PPRLoader",
    "Pad",
    "Part",
    "Partition",
    "Parts",
    "PlanetoidGraph",
    "Progress",
    "Recipe",
    "SaintNorms",
    "Sampler",
    "SamplingProcesses",
    "SeedRule",
    "Server",
    "ServerInfo",
    "ServerProbe",
    "Setting",
    "StoreStats",
    "Supervision",
    "Supervisions",
    "Table",
    "Tensor",
    "TimedOut",
    "Topology",
    "Transform",
    "Unsupported",
    "Walk",
    "WalkLoader",
    "attach",
    "configure",
    "default_context",
    "device_info",
    "devices",
    "from_arrow",
    "from_dgl",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "quantize",
    "read_planetoid",
    "settings",
    "split_ids",
    "split_links",
]
