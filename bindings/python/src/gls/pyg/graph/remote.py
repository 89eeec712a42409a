"""What the FeatureStore and the GraphStore of a dataset share."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, NoReturn, Optional, Tuple

import torch

from gls._core.check import fork_generation, join_edge_type
from gls._core.tensor import Tensor
from gls._data.dataset import Dataset
from gls.errors import Unsupported


class Remote:
    """A dataset that PyG asks. Worker processes that were forked open it again, if it was opened."""

    def __init__(self, dataset: Dataset) -> None:
        if not isinstance(dataset, Dataset):
            raise TypeError(f"dataset must be a gls.Dataset, not {type(dataset).__name__}")
        self._dataset = dataset
        self._generation = fork_generation()
        self._again: Optional[Tuple[Any, ...]] = None
        try:
            self._again = dataset.__reduce__()
        except TypeError:  # it was made in memory
            pass

    @property
    def dataset(self) -> Dataset:
        """What it was made of."""
        if self._again is not None and self._generation != fork_generation():
            self._dataset = _opened_again(self._dataset, self._again)
            self._generation = fork_generation()
        return self._dataset

    @property
    def typed(self) -> bool:
        """Whether types have names for PyG."""
        dataset = self.dataset
        return len(dataset.node_types) > 1 or len(dataset.edge_types) > 1

    def joined(self, key: Any) -> Optional[str]:
        """The dataset's name of a type of PyG; None: the only one."""
        return join_edge_type(tuple(key), "type") if isinstance(key, (tuple, list)) else key

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self._dataset,)


# What a forked process opened in place of a dataset of its parent, for all stores of that.
_again: "weakref.WeakKeyDictionary[Dataset, weakref.ref[Dataset]]" = weakref.WeakKeyDictionary()
_again_lock = threading.Lock()


def _opened_again(dataset: Dataset, reduced: Tuple[Any, ...]) -> Dataset:
    with _again_lock:
        known = _again.get(dataset)
        found = known() if known is not None else None
        if found is None:
            make, arguments = reduced
            found = make(*arguments)
            _again[dataset] = weakref.ref(found)
        return found


def _forget() -> None:
    """In a forked child."""
    global _again, _again_lock
    _again, _again_lock = weakref.WeakKeyDictionary(), threading.Lock()


os.register_at_fork(after_in_child=_forget)


def in_place(tensor: Tensor) -> torch.Tensor:
    """An array of a dataset for PyG, which reads it."""
    shown: torch.Tensor = torch.from_dlpack(tensor._low.dlpack(False, True))
    return shown


def refuse_change(what: str) -> NoReturn:
    raise Unsupported(f"{what}: a gls.Dataset does not change; make another with a DatasetBuilder")
