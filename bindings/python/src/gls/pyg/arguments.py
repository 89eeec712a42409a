"""Arguments of PyG's loaders and of DataLoader: which are refused, and what others mean."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

import torch
from torch_geometric.sampler import NumNeighbors as PygNumNeighbors

from gls.errors import Unsupported
from gls.pyg.graph.warn import warn

_REFUSED = {
    "neighbor_sampler": "this loader has its own sampler",
    "collate_fn": "batches are made by GLS",
    "custom_cls": "batches are made by GLS",
}
# Of loaders whose seeds are not those that a sampler could choose.
_OF_SEEDS = ("sampler", "batch_sampler")
# Arguments of DataLoader for its worker processes, and the values that ask for nothing.
_IGNORED: Dict[str, Tuple[Any, ...]] = {
    "in_order": (True,),
    "multiprocessing_context": (),
    "pin_memory_device": ("",),
    "timeout": (0,),
    "worker_init_fn": (),
}


def refuse(loader: str, options: Mapping[str, Any], *, of_seeds: bool = True) -> None:
    """Refuses options that GLS has no place for, and warns of those without a meaning.

    Args:
        of_seeds: Whether a sampler of PyTorch may choose the seeds of the loader's batches.
    """
    for name, why in _REFUSED.items():
        if options.get(name) is not None:
            raise Unsupported(f"{name}: {why}", detail={"argument": name})
    for name in () if of_seeds else _OF_SEEDS:
        if options[name] is not None:
            why = "batches of this loader are not of seeds"
            raise Unsupported(f"{name}: {why}", detail={"argument": name})
    ignored = [
        name
        for name, nothing in _IGNORED.items()
        if options[name] is not None and options[name] not in nothing
    ]
    if ignored:
        warn(
            f"{loader} ignores {', '.join(sorted(ignored))}: batches are made by threads of this "
            "process, in order; leave the arguments out"
        )


def seed_of(generator: Optional[torch.Generator], *, shared: bool) -> int:
    """The seed of a loader that was given none; `shared`: other processes must come to it, too."""
    if shared:
        first = torch.initial_seed() if generator is None else generator.initial_seed()
        return int(first) & (2**64 - 1)
    device = "cpu" if generator is None else generator.device
    drawn = torch.empty((), dtype=torch.int64, device=device).random_(generator=generator)
    return int(drawn.item())


def has_hops(fanouts: Any) -> bool:
    """Whether there is any."""
    per_type = fanouts.values() if isinstance(fanouts, Mapping) else [fanouts]
    return any(not hasattr(numbers, "__len__") or len(numbers) > 0 for numbers in per_type)


def no_neighbors(fanouts: Any) -> Any:
    """One hop to no neighbours, for fanouts that have none."""
    return {key: [0] for key in fanouts} if isinstance(fanouts, Mapping) else [0]


def rows_at(value: Optional[torch.Tensor], positions: Optional[torch.Tensor]) -> Any:
    """Some rows of what may be missing; `positions` None: all."""
    return value if value is None or positions is None else value[positions]


def fanouts_of(num_neighbors: Any) -> Any:
    if isinstance(num_neighbors, PygNumNeighbors):
        if not isinstance(num_neighbors.values, dict):
            return num_neighbors.values
        fanouts: Dict[Any, Any] = dict(num_neighbors.values)
        if num_neighbors.default is not None:
            fanouts[None] = num_neighbors.default
        return fanouts
    return num_neighbors
