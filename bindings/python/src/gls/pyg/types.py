"""Interfaces between the modules of gls.pyg."""

from __future__ import annotations

from typing import Any, ContextManager, Optional, Protocol

import torch

from gls._batch.batch import Batch
from gls._loading.loader import Loader


class DeliveringLoader(Protocol):
    """A loader of gls.pyg, for what decides the order of its batches."""

    native: Loader

    @property
    def _words(self) -> ContextManager[Any]:
        """Errors of the library within it are in the caller's words."""

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        """A native loader of all seeds, or of those at some positions."""

    def _delivered(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor on the device of the batches."""

    def _finish(self, batch: Batch, positions: Optional[torch.Tensor] = None) -> Any:
        """The batch as an object of PyG."""
