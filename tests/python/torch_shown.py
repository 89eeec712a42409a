"""What torch.from_dlpack would show of memory of a GPU, shown of the plugin's that needs none: PyTorch has no CUDA
here, but that "device" is memory of the host."""

from __future__ import annotations

import ctypes
from typing import Any, List

import torch
from gpu import look_into

import gls

STREAM = 0x7F00  # of PyTorch, as if it were the current one


class Shown:
    def __init__(self) -> None:
        self.devices: List[Any] = []
        self.recorded: List[int] = []

    def __call__(self, source: Any) -> torch.Tensor:
        """As torch.from_dlpack: asks an object for its device, then for a capsule for a stream."""
        if not isinstance(source, gls.Tensor):
            shown: torch.Tensor = torch.from_dlpack(source)
            return shown
        self.devices.append(source.__dlpack_device__())
        capsule = source.__dlpack__(stream=STREAM)
        exported = look_into(capsule)
        size = len(exported.bytes())
        memory = (ctypes.c_char * size).from_address(exported.data) if size else bytearray()
        dtype = getattr(torch, source.dtype)
        if size == 0:
            return torch.zeros(exported.shape, dtype=dtype)
        tensor = torch.frombuffer(memory, dtype=dtype).view(exported.shape)
        tensor.capsule = capsule  # type: ignore[attr-defined]
        return tensor
