"""What the driver asks of each contestant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple

from graph import Graph


class Unavailable(Exception):
    """This contestant cannot run here; the text says why, and is reported instead of a figure."""


@dataclass
class Options:
    fanouts: List[int] = field(default_factory=lambda: [15, 10, 5])
    batch_size: int = 1024
    seed: int = 1


class Contestant:
    """One way of making batches. `setup` is not timed, `step` is.

    name       unique; what the tables show
    level      "sampler", "methods", "loader" or "gather"
    semantics  what a batch of this contestant is, as far as it differs between contestants
    seconds    of a round at most; None: as the options say
    """

    name = ""
    level = "sampler"
    semantics = ""
    seconds: Optional[float] = None

    def __init__(self, options: Options) -> None:
        self.options = options

    def versions(self) -> Dict[str, str]:
        """Versions of what is measured. Raises Unavailable when it is not there."""
        raise NotImplementedError

    def setup(self, graph: Graph) -> None:
        raise NotImplementedError

    def begin_round(self) -> None:
        """Called before the clock of a round starts."""

    def step(self, batch: int) -> Tuple[int, int]:
        """Makes one batch and drops it; returns its numbers of (edges, nodes)."""
        raise NotImplementedError

    def end_round(self) -> None:
        """Called after the clock of a round stopped."""

    def details(self) -> Dict[str, float]:
        """What else a round told, if it did."""
        return {}


class LoaderContestant(Contestant):
    """A loader with its own order of seeds. Each round starts a new iterator and first takes the
    batches that the loader may have made ahead, so that a round measures the steady rate and an
    idle loader does not work during the others' rounds."""

    level = "loader"
    num_workers = 0

    def new_iterator(self) -> Iterator[Any]:
        raise NotImplementedError

    def count(self, batch: Any) -> Tuple[int, int]:
        """Checks that features and labels arrived; returns (edges, nodes)."""
        raise NotImplementedError

    def begin_round(self) -> None:
        self._iterator = self.new_iterator()
        for _ in range(2 * self.num_workers + 2):
            next(self._iterator)

    def step(self, batch: int) -> Tuple[int, int]:
        try:
            item = next(self._iterator)
        except StopIteration:
            self._iterator = self.new_iterator()
            item = next(self._iterator)
        return self.count(item)

    def end_round(self) -> None:
        del self._iterator


def check_rows(what: str, expected: int, actual: int) -> None:
    if expected != actual:
        raise RuntimeError(f"{what}: expected {expected} rows, got {actual}")
