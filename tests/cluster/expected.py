"""What batches there are."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from recipes import RECIPES, digests

import gls


class Expected:
    """The batches of one process that has the whole graph, as its folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "graph"
        self.dataset = gls.Dataset.open(self.path)
        self._known: Dict[Tuple[str, int], List[str]] = {}

    def batches(
        self, recipes: Sequence[str], epochs: Sequence[int], rounds: int = 1
    ) -> List[Tuple[str, int, str]]:
        """As Client.batches."""
        return [
            (recipe, epoch, found)
            for _ in range(rounds)
            for recipe in recipes
            for epoch in epochs
            for found in self.digests(recipe, epoch)
        ]

    def digests(self, recipe: str, epoch: int) -> List[str]:
        """Of each batch."""
        key = (recipe, epoch)
        if key not in self._known:
            self._known[key] = digests(RECIPES[recipe](self.dataset), epoch)
        return self._known[key]

    def digest(self, recipe: str, epoch: int) -> str:
        """Of the epoch, as a worker says it."""
        whole = hashlib.blake2b(digest_size=12)
        for found in self.digests(recipe, epoch):
            whole.update(found.encode())
        return whole.hexdigest()
