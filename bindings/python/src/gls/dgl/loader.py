"""A loader whose batches are objects of DGL."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator

from gls._batch.batch import Batch
from gls._core.check import choice
from gls._loading.loader import Loader
from gls.dgl.blocks import to_blocks, to_link_blocks
from gls.dgl.content import BatchContent
from gls.dgl.minibatch import to_minibatch
from gls.dgl.subgraph import to_subgraph


def _blocks(batch: Batch) -> Any:
    return to_link_blocks(batch) if BatchContent(batch).links else to_blocks(batch)


_FORMS: Dict[str, Callable[[Batch], Any]] = {
    "blocks": _blocks,
    "subgraph": to_subgraph,
    "minibatch": to_minibatch,
}


class DataLoader:
    """Batches of a loader of GLS as objects of DGL. ``iter()`` begins an epoch, and ``len()`` is the
    number of its batches.

    Options, the state and the end of the loader are those of its attribute `loader`.

    Args:
        loader: Any loader of GLS, such as :class:`gls.NeighborLoader`, but not those of ``gls.pyg``.
        form: "blocks" yields what :func:`to_blocks` returns, and :func:`to_link_blocks` where links
            are seeds. "subgraph" is :func:`to_subgraph`, and "minibatch" :func:`to_minibatch`.

    Raises:
        InvalidArgument: There is no such form.
    """

    def __init__(self, loader: Loader, form: str = "blocks") -> None:
        if not isinstance(loader, Loader):
            raise TypeError(f"loader must be a loader of gls, not {type(loader).__name__}")
        self.loader = loader
        self._convert: Callable[[Batch], Any] = choice("form", form, _FORMS)

    def __iter__(self) -> Iterator[Any]:
        return map(self._convert, self.loader)

    def __len__(self) -> int:
        return len(self.loader)
