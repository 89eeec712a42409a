"""Iterators over epochs: several of one loader at once, as PyTorch's loaders have them."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional

from gls.pyg.types import DeliveringLoader


class Epoch:
    """An iterator over the rest of an epoch.

    The native loader has one iterator. When the loader begins another epoch, an unfinished iterator
    continues from its position with its own native loader.
    """

    def __init__(self, loader: DeliveringLoader) -> None:
        self._loader = loader
        self._source = loader.native
        self._batches: Optional[Iterator[Any]] = iter(self._source)
        self._number = self._source._iteration
        self._state: Dict[str, Any] = {}
        self._over = False

    def move_away(self) -> None:
        """The native loader is about to begin another epoch."""
        if self._over or self._batches is None or self._source is not self._loader.native:
            return
        if self._source._iteration == self._number:  # else set_epoch() or another state ended it
            self._state, self._batches = self._source.state_dict(), None

    def __iter__(self) -> "Epoch":
        return self

    def __next__(self) -> Any:
        if self._batches is None:
            self._source = self._loader._native()
            self._source.load_state_dict(self._state)
            self._batches = iter(self._source)
        try:
            with self._loader._words:
                batch = next(self._batches)
        except StopIteration:
            self._over = True
            raise
        return self._loader._finish(batch)
