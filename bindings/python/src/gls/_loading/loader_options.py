"""The options of loaders, beside those of what they sample."""

from __future__ import annotations

from typing import Optional, TypedDict, Union

from gls._loading.columns import Columns
from gls._loading.pad import Pad
from gls._loading.transform import Transform
from gls._sampling.sampler_options import (
    COMMON_DEFAULTS,
    NEIGHBOR_DEFAULTS,
    CommonOptions,
    NeighborOptions,
)
from gls.types import Device


class LoadingOptions(TypedDict, total=False):
    """Options of all loaders that are not options of their sampler."""

    batch_size: int
    shuffle: bool
    drop_last: bool
    columns: Optional[Columns]
    num_workers: Optional[int]
    prefetch: Optional[int]
    prefetch_bytes: Optional[int]
    made_by: str
    device: Device
    rank: Union[None, int, str]
    world_size: Optional[int]
    even: str
    transform: Optional[Transform]
    pad: Union[bool, Pad, None]


LOADING_DEFAULTS: LoadingOptions = {
    "batch_size": 1024,
    "shuffle": False,
    "drop_last": False,
    "columns": None,
    "num_workers": None,
    "prefetch": None,
    "prefetch_bytes": None,
    "made_by": "here",
    "device": None,
    "rank": None,
    "world_size": None,
    "even": "none",
    "transform": None,
    "pad": None,
}


class LoaderOptions(LoadingOptions, CommonOptions, total=False):
    """Options of all loaders."""


LOADER_DEFAULTS: LoaderOptions = {**LOADING_DEFAULTS, **COMMON_DEFAULTS}


class NeighborLoaderOptions(LoadingOptions, NeighborOptions, total=False):
    """Options of loaders of neighbourhoods."""

    with_edge_ids: Optional[bool]


NEIGHBOR_LOADER_DEFAULTS: NeighborLoaderOptions = {
    **LOADING_DEFAULTS,
    **NEIGHBOR_DEFAULTS,
    "with_edge_ids": None,
}
