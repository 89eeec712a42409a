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

from gls._check import EdgeType
from gls._inputs import ArrayLike
from gls._low.glslow import library_version
from gls.anchor_loader import AnchorLoader
from gls.anchors import Supervision
from gls.batch import Batch, EdgeArrays, NodeArrays
from gls.blocks import Block, BlockEdges, BlockNodes
from gls.builder import DatasetBuilder
from gls.calls import Call, Future
from gls.codes import Codes, quantize
from gls.context import Context, Setting, configure, default_context, settings
from gls.dataset import Column, Dataset, Progress, Topology
from gls.devices import Device, DeviceInfo, device_info, devices
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
from gls.feed import AttachedLoader, Feed, FeedInfo, SamplingProcesses, attach
from gls.group import Group, Member
from gls.hgt import HGT
from gls.hgt_loader import HGTLoader
from gls.loader import ColumnRequest, LinkNeighborLoader, LoaderStats, NeighborLoader
from gls.near import PPR, Importance
from gls.near_loader import ImportanceLoader, PPRLoader
from gls.pad import Pad
from gls.partition import Partition
from gls.parts import GlobalIds, Part, Parts
from gls.sampler import NegativeSampling, Sampler
from gls.seeds import ClusteredSeeds, DrawnSeeds, SaintNorms
from gls.server import Server, ServerInfo, ServerProbe
from gls.splits import LinkPart, LinkSplit, split_ids, split_links
from gls.table import Table
from gls.tensor import Tensor
from gls.walk import Walk
from gls.walk_loader import WalkLoader

__version__ = library_version()

__all__ = [
    "AlreadyExists",
    "AnchorLoader",
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
