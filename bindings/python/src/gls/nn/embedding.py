"""Embedding: the rows of a table as a module."""

from __future__ import annotations

import itertools
from typing import List, Optional, Tuple

import torch

from gls._data.table import Table
from gls.errors import invalid


class Embedding(torch.nn.Module):  # type: ignore[misc]
    """The rows of a table, as ``torch.nn.Embedding`` gives those of a parameter.

    The table is no parameter: other optimisers, ``DistributedDataParallel`` and ``state_dict()`` leave it alone.
    :meth:`step`, or a :class:`SparseOptimizer`, hands over the gradients that came with ``backward()``, and
    :meth:`gls.Table.save` saves it.

    Args:
        table: Of float32. Without an optimiser it can be read, and not trained.
        average: Gradients are divided by the number of trainers, as ``DistributedDataParallel`` takes the mean
            of those of parameters. False: the table has the sum of all trainers. Without a meaning where the
            table takes the mean itself.
    """

    def __init__(self, table: Table, *, average: bool = True) -> None:
        super().__init__()
        if table.dtype != "float32":
            raise invalid("table", f"its dtype is {table.dtype}, expected float32")
        self.table = table
        self._share = table.world_size if average and not table.mean else 1
        # What backward() brought: of which forward(), ids, gradients.
        self._arrived: List[Tuple[int, torch.Tensor, torch.Tensor]] = []
        self._forwards = itertools.count()

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Rows by id: float32 of the shape of the ids and the width, on their device. They have a gradient in
        training, unless gradients are disabled.

        Args:
            ids: int32 or int64 of any shape, more than once, too.
        """
        flat = ids.detach().reshape(-1).cpu()
        rows = self.table.rows(flat).torch().to(ids.device)
        if self.training and torch.is_grad_enabled() and self.table.optimizer is not None:
            rows.requires_grad_()
            number, arrived = next(self._forwards), self._arrived

            def take(leaf: torch.Tensor) -> None:
                if leaf.grad is not None:
                    arrived.append((number, flat, leaf.grad.detach()))
                    leaf.grad = None  # what a second backward() brings comes for itself

            rows.register_post_accumulate_grad_hook(take)
        return rows.view(*ids.shape, self.table.width)

    def step(
        self, learning_rate: float, timeout: Optional[float] = None, *, scale: float = 1.0
    ) -> None:
        """Takes a step of the table with the gradients that came since the last one, together with all
        trainers: each calls it, also with none. After an error they are kept, so that it can be called
        again; see :meth:`gls.Table.step`.

        Args:
            learning_rate: The same of all trainers.
            timeout: How many seconds to wait for the others; see :meth:`gls.Table.step`.
            scale: The factor of the loss, by which gradients are divided: that of a gradient scaler.
        """
        # Engines of several devices finish in any order, and sums are in the order of ids.
        arrived = sorted(self._arrived, key=lambda item: item[0])
        ids = torch.cat([torch.empty(0, dtype=torch.int64), *(ids for _, ids, _ in arrived)])
        none = torch.empty(0, self.table.width, dtype=torch.float32)
        gradients = torch.cat([none, *(gradient.cpu() for _, _, gradient in arrived)])
        self.table.step(ids, gradients.div_(self._share * scale), learning_rate, timeout)
        self.forget()

    def all_finite(self) -> bool:
        """Whether all gradients since the last step are finite. A step with others is an error."""
        return all(bool(gradient.isfinite().all()) for _, _, gradient in self._arrived)

    def forget(self) -> None:
        """Drops the gradients that came since the last step."""
        self._arrived.clear()

    def extra_repr(self) -> str:
        """What ``repr()`` says: the table."""
        return repr(self.table)
