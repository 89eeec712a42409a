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

:mod:`gls.pyg` gives PyG's ``Data`` instead, and :mod:`gls.nn` has modules of PyTorch. Nothing here imports
PyTorch, and NumPy only when one of its arrays is asked for.
"""

from gls._batch.batch import Batch, EdgeArrays, NodeArrays
from gls._batch.blocks import Block, BlockEdges, BlockNodes
from gls._core.calls import Answer, Call
from gls.types import EdgeType
from gls._core.context import Context, Setting, configure, default_context, settings
from gls.types import Device
from gls._core.devices import DeviceInfo, device_info, devices
from gls.types import ArrayLike
from gls._core.tensor import Tensor
from gls._data.builder import DatasetBuilder
from gls._data.codes import Codes, quantize
from gls._data.dataset import Column, Dataset, Topology
from gls.types import Progress
from gls._data.partition import Partition
from gls._data.parts import Part, Parts, WholeIds
from gls._data.splits import LinkPart, LinkSplit, split_ids, split_links
from gls._data.table import Table
from gls._loading.anchor_loader import AnchorLoader
from gls._loading.hgt_loader import HGTLoader
from gls._loading.importance_loader import ImportanceLoader, PPRLoader
from gls._loading.loader import ColumnRequest, LinkNeighborLoader, LoaderStats, NeighborLoader
from gls._loading.pad import Pad
from gls._loading.seed_rules import ClusteredSeeds, DrawnSeeds, SaintNorms
from gls._loading.walk_loader import WalkLoader
from gls._low.glslow import library_version
from gls._processes.feed import AttachedLoader, Feed, FeedInfo, SamplingProcesses, attach
from gls._processes.group import Group, Member
from gls._processes.server import Server, ServerInfo, ServerProbe
from gls._sampling.anchors import Supervision
from gls._sampling.hgt import HGT
from gls._sampling.importance import PPR, Importance
from gls._sampling.sampler import NegativeSampling, Sampler
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

__version__ = library_version()

__all__ = [
    "AlreadyExists",
    "AnchorLoader",
    "Answer",
    "ArrayLike",
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
    "NeighborLoader",
    "NodeArrays",
    "NotFound",
    "OutOfMemory",
    "PPR",
    "PPRLoader",
    "Pad",
    "Part",
    "Partition",
    "Parts",
    "Progress",
    "SaintNorms",
    "Sampler",
    "SamplingProcesses",
    "Server",
    "ServerInfo",
    "ServerProbe",
    "Setting",
    "Supervision",
    "Table",
    "Tensor",
    "TimedOut",
    "Topology",
    "Unsupported",
    "Walk",
    "WalkLoader",
    "WholeIds",
    "attach",
    "configure",
    "default_context",
    "device_info",
    "devices",
    "quantize",
    "settings",
    "split_ids",
    "split_links",
]
