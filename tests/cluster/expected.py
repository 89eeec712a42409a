"""What batches there are."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from recipes import RECIPES, digests
from worker import Job

import gls


class Expected:
    """The batches of one process that has the whole graph, as its folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "graph"
        self.dataset = gls.Dataset.open(self.path)
        self._known: Dict[Tuple[str, int, int, int], List[str]] = {}

    def batches(
        self,
        recipes: Sequence[str],
        epochs: Sequence[int],
        rounds: int = 1,
        rank: int = 0,
        world_size: int = 1,
    ) -> List[Tuple[str, int, str]]:
        """As Client.batches, of one trainer of so many."""
        return [
            (recipe, epoch, found)
            for _ in range(rounds)
            for recipe in recipes
            for epoch in epochs
            for found in self.digests(recipe, epoch, rank, world_size)
        ]

    def of(self, job: Job) -> List[Tuple[str, int, str]]:
        """All batches of a worker."""
        rank, world_size = job.common.get("rank", 0), job.common.get("world_size", 1)
        return self.batches(job.recipes, job.epochs, job.rounds, rank, world_size)

    def digests(self, recipe: str, epoch: int, rank: int = 0, world_size: int = 1) -> List[str]:
        """Of each batch."""
        key = (recipe, epoch, rank, world_size)
        if key not in self._known:
            loader = RECIPES[recipe](self.dataset, rank=rank, world_size=world_size)
            self._known[key] = digests(loader, epoch)
        return self._known[key]

    def digest(self, recipe: str, epoch: int) -> str:
        """Of the epoch, as a worker says it."""
        whole = hashlib.blake2b(digest_size=12)
        for found in self.digests(recipe, epoch):
            whole.update(found.encode())
        return whole.hexdigest()
