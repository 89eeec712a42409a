"""The options that several loaders of gls.pyg take, beside PyG's own arguments."""

from __future__ import annotations

from typing import Any, Optional, TypedDict, Union

import torch

from gls._core.context import Context
from gls._loading.pad import Pad
from gls._loading.seed_rules import SeedRule
from gls.types import Device, Exclude, TypePairs


class SamplingOptions(TypedDict, total=False):
    """Options of everything that samples."""

    seed: Optional[int]
    exclude: Optional[Exclude]
    exclude_mode: str
    reverse_column: Optional[str]
    reverse_types: Optional[TypePairs]
    context: Optional[Context]


SAMPLING_DEFAULTS: SamplingOptions = {
    "seed": None,
    "exclude": None,
    "exclude_mode": "self",
    "reverse_column": None,
    "reverse_types": None,
    "context": None,
}


class NeighborOptions(SamplingOptions, total=False):
    """Options of what samples neighbourhoods."""

    pick: str
    batch_dependency: int
    layer_dependent: bool
    time_strict: bool
    time_window: int


NEIGHBOR_DEFAULTS: NeighborOptions = {
    **SAMPLING_DEFAULTS,
    "pick": "independent",
    "batch_dependency": 0,
    "layer_dependent": False,
    "time_strict": False,
    "time_window": 0,
}


class LoadingOptions(TypedDict, total=False):
    """Options of all loaders that are not of sampling: those of ``DataLoader``, then those of GLS."""

    drop_last: bool
    num_workers: int
    prefetch_factor: Optional[int]
    pin_memory: bool
    persistent_workers: bool
    generator: Optional[torch.Generator]
    sampler: Any
    batch_sampler: Any
    collate_fn: Any
    custom_cls: Any
    worker_init_fn: Any
    timeout: float
    multiprocessing_context: Any
    pin_memory_device: str
    in_order: bool
    rank: Union[None, int, str]
    world_size: Optional[int]
    even: str
    prefetch_bytes: Optional[int]
    made_by: str
    device: Device
    pad: Union[bool, Pad, None]


LOADING_DEFAULTS: LoadingOptions = {
    "drop_last": False,
    "num_workers": 0,
    "prefetch_factor": None,
    "pin_memory": False,
    "persistent_workers": False,
    "generator": None,
    "sampler": None,
    "batch_sampler": None,
    "collate_fn": None,
    "custom_cls": None,
    "worker_init_fn": None,
    "timeout": 0,
    "multiprocessing_context": None,
    "pin_memory_device": "",
    "in_order": True,
    "rank": 0,
    "world_size": 1,
    "even": "none",
    "prefetch_bytes": None,
    "made_by": "here",
    "device": None,
    "pad": None,
}


class LoaderOptions(LoadingOptions, SamplingOptions, total=False):
    """Options of all loaders."""


LOADER_DEFAULTS: LoaderOptions = {**LOADING_DEFAULTS, **SAMPLING_DEFAULTS}


class NeighborLoaderOptions(LoadingOptions, NeighborOptions, total=False):
    """Options of loaders of neighbourhoods."""

    input_id: Optional[torch.Tensor]
    seed_rule: Optional[SeedRule]


NEIGHBOR_LOADER_DEFAULTS: NeighborLoaderOptions = {
    **LOADING_DEFAULTS,
    **NEIGHBOR_DEFAULTS,
    "input_id": None,
    "seed_rule": None,
}
