"""Which of several trainers a process is."""

from __future__ import annotations

import os
import sys
from typing import Optional, Tuple, Union

from gls._core.check import whole_number
from gls.errors import InvalidState, invalid


def trainer(rank: Union[None, int, str], world_size: Optional[int]) -> Tuple[int, int]:
    """Which trainer this is, and of how many."""
    if isinstance(rank, int):
        if world_size is None:
            raise invalid("world_size", "needed, as rank is given")
        return (
            whole_number("rank", rank, 0, 32),
            whole_number("world_size", world_size, 1, 32),
        )
    if world_size is not None:
        raise invalid("rank", "needed as a number, as world_size is given")
    if rank is None:
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_available():
            return 0, 1
        if not distributed.is_initialized():
            return 0, 1
        return distributed.get_rank(), distributed.get_world_size()
    if rank != "env":
        raise invalid("rank", f"{rank!r} is neither a number, nor 'env', nor None")
    try:
        given = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    except (KeyError, ValueError):
        raise InvalidState(
            "rank is 'env', but the environment variables RANK and WORLD_SIZE are not both numbers"
        ) from None
    return whole_number("RANK", given[0], 0, 32), whole_number("WORLD_SIZE", given[1], 1, 32)
