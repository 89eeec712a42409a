"""Ids as PyG's scripts give them: of any integer type, and maybe as a column."""

from __future__ import annotations

import torch

# Unsigned integers that PyTorch cannot index, and those of the same bits that it can. Old PyTorch has none.
SIGNED = {
    getattr(torch, f"uint{bits}"): getattr(torch, f"int{bits}")
    for bits in (16, 32, 64)
    if hasattr(torch, f"uint{bits}")
}
_OTHER = {torch.int8, torch.uint8, torch.int16, *SIGNED}


def widened(ids: torch.Tensor) -> torch.Tensor:
    """Integers of other types than int32 and int64 as int64; all else as it is."""
    return ids.long() if ids.dtype in _OTHER else ids


def as_ids(ids: torch.Tensor) -> torch.Tensor:
    """Ids [n] or [n, 1] on the host, as a vector that GLS reads in place."""
    if ids.dim() == 2 and ids.shape[1] == 1:
        ids = ids.view(-1) if ids.is_contiguous() else ids.reshape(-1)
    if ids.numel() == 0:
        ids = ids.long()  # an empty list has no numbers to tell their kind by
    return widened(ids).cpu().contiguous()
