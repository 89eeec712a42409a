"""Seeds in the order of a sampler of PyTorch: `sampler` and `batch_sampler` of a loader."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple

import torch
from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler

from gls.errors import Unsupported, invalid
from gls.pyg.types import DeliveringLoader

_RUNS = 1 << 32  # epochs of the native loaders of one epoch are so far apart


class _Run(NamedTuple):
    """Batches of one size, the last of which may be smaller."""

    positions: torch.Tensor
    batch_size: int
    drop_last: bool


class Order:
    """Which seeds each batch has, by their positions among those of the loader.

    An epoch takes all positions from the sampler first. A native loader then makes the batches ahead of
    the caller; with `batch_sampler`, one for each run of batches of the same size.
    """

    def __init__(
        self,
        sampler: Optional[Iterable[int]],
        batch_sampler: Optional[Iterable[List[int]]],
        batch_size: int,
        drop_last: bool,
    ) -> None:
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.batch_size, self.drop_last = batch_size, drop_last
        self.epoch = 0

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)  # type: ignore[arg-type]
        batches = len(self.sampler) / self.batch_size  # type: ignore[arg-type]
        return math.floor(batches) if self.drop_last else math.ceil(batches)

    def batches(self, loader: DeliveringLoader) -> Iterator[Any]:
        """The batches of the epoch that is due."""
        self.epoch += 1
        return self._batches(loader, self.epoch - 1)

    def _batches(self, loader: DeliveringLoader, epoch: int) -> Iterator[Any]:
        for number, run in enumerate(self._runs()):
            count = loader.native.num_seeds
            positions = run.positions
            if (
                positions.numel() > 0
                and not 0 <= int(positions.min()) <= int(positions.max()) < count
            ):
                outside = positions[(positions < 0) | (positions >= count)][0]
                name = "sampler" if self.batch_sampler is None else "batch_sampler"
                raise invalid(name, f"position {int(outside)} is outside 0 .. {count - 1}")
            options = dict(batch_size=run.batch_size, drop_last=run.drop_last, shuffle=False)
            with loader._words:
                native = loader._native(positions, **options)
            native.set_epoch(number * _RUNS + epoch)
            own = loader._delivered(positions)
            batches = iter(native)
            while True:
                with loader._words:
                    batch = next(batches, None)
                if batch is None:
                    break
                yield loader._finish(batch, _rows(own, batch))

    def _runs(self) -> Iterator[_Run]:
        if self.batch_sampler is None:
            assert self.sampler is not None
            positions = torch.as_tensor([int(position) for position in self.sampler]).long()
            if positions.numel() > 0:
                yield _Run(positions, self.batch_size, self.drop_last)
            return
        batches = [torch.as_tensor(one, dtype=torch.long).view(-1) for one in self.batch_sampler]
        sizes = [one.numel() for one in batches]
        if 0 in sizes:
            raise invalid("batch_sampler", "a batch has no positions, expected at least one")
        begin = 0
        for end in range(1, len(batches) + 1):
            last = end == len(batches) - 1 and sizes[end] < sizes[begin]  # may be of the run
            if end == len(batches) or (sizes[end] != sizes[begin] and not last):
                yield _Run(torch.cat(batches[begin:end]), sizes[begin], False)
                begin = end


def _rows(positions: torch.Tensor, batch: Any) -> torch.Tensor:
    """Positions of a batch's seeds; -1 where they are padding."""
    at = batch.input_id.torch()
    if batch.padding == "none":
        return positions[at]
    return positions[at.clamp(min=0)].masked_fill_(at < 0, -1)


def samplers_of(order: Optional[Order], num_seeds: int, loading: Dict[str, Any]) -> Tuple[Any, Any]:
    """The attributes `sampler` and `batch_sampler` of a loader, which trainers look at."""
    sampler = None if order is None else order.sampler
    if order is not None and order.batch_sampler is not None:
        return sampler, order.batch_sampler
    if sampler is None:
        positions = range(num_seeds)
        in_order = not loading["shuffle"] or num_seeds == 0
        sampler = SequentialSampler(positions) if in_order else RandomSampler(positions)
    return sampler, BatchSampler(sampler, loading["batch_size"], loading["drop_last"])


def order_of(options: Mapping[str, Any], batch_size: int, shuffle: bool) -> Optional[Order]:
    """What `sampler` and `batch_sampler` among the options say; None where neither is given."""
    sampler, batch_sampler = options["sampler"], options["batch_sampler"]
    if sampler is None and batch_sampler is None:
        return None
    name = "sampler" if batch_sampler is None else "batch_sampler"
    if sampler is not None and batch_sampler is not None:
        raise invalid("batch_sampler", "given with sampler; expected one of the two")
    if shuffle:
        raise invalid("shuffle", f"given with {name}, which chooses the order; leave it out")
    if batch_sampler is not None and (batch_size != 1 or options["drop_last"]):
        raise invalid(
            "batch_sampler", "given with batch_size or drop_last, which it chooses; leave them out"
        )
    if options.get("seed_rule") is not None:
        raise invalid("seed_rule", f"given with {name}; expected one of the two")
    if (
        options["rank"] is None
        or isinstance(options["rank"], str)
        or options["world_size"] not in (None, 1)
    ):
        raise Unsupported(
            f"{name}: it chooses the seeds of one trainer, so rank and world_size have no meaning; give "
            "each trainer a sampler of its own, such as a DistributedSampler",
            detail={"argument": name},
        )
    return Order(sampler, batch_sampler, batch_size, options["drop_last"])
