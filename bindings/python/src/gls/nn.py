"""Modules of PyTorch on tables: rows that are learned, wherever they are.

::

    from gls.nn import Embedding, SparseOptimizer

    table = dataset.table("h", width=64, low=-0.1, high=0.1, optimizer="adam")
    embedding = Embedding(table)
    sparse = SparseOptimizer([embedding], lr=0.01)
    for batch in loader:
        loss = model(embedding(batch.n_id), batch.edge_index)
        sparse.zero_grad()
        loss.backward()
        sparse.step()
"""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterable, List, Optional, Tuple

from gls._needs import need

need("torch", "gls.nn")
import torch

from gls.errors import invalid
from gls.table import Table

__all__ = ["Embedding", "SparseOptimizer"]


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


class SparseOptimizer(torch.optim.Optimizer):  # type: ignore[misc]
    """Takes the steps of several embeddings, with learning rates that schedulers of PyTorch can change.

    How a step changes rows is the matter of each table. Every trainer calls :meth:`step` as often as the others.

    With a gradient scaler of ``torch.amp``, all trainers leave out the same steps, and :meth:`step` gets the scale.
    The scaler itself cannot call it, because the gradients are not those of parameters::

        scaler = torch.amp.GradScaler()
        for batch in loader:
            with torch.autocast("cuda", torch.float16):
                loss = model(embedding(batch.n_id), batch.edge_index)
            dense.zero_grad()
            sparse.zero_grad()
            scaler.scale(loss).backward()
            scale = scaler.get_scale()
            scaler.step(dense)
            scaler.update()
            if scaler.get_scale() >= scale and sparse.all_finite():
                sparse.step(scale=scale)

    With several trainers, add up the condition of all of them (``torch.distributed.all_reduce``) before the last line:
    a trainer that leaves out a step alone keeps the others waiting.

    Args:
        embeddings: In the same order for all trainers. Each is a parameter group, with an `lr` of its own.
        lr: The learning rate of all, at first.
    """

    def __init__(self, embeddings: Iterable[Embedding], lr: float) -> None:
        self._embeddings = list(embeddings)
        # Schedulers take nothing but an Optimizer, and that no group without a tensor.
        groups = [{"params": [torch.empty(0)]} for _ in self._embeddings]
        super().__init__(groups, {"lr": lr})
        self._taken = 0  # of the tables, before one failed

    def step(self, closure: Optional[Callable[[], Any]] = None, *, scale: float = 1.0) -> Any:
        """Takes a step of each table. With a closure, first calls it, and returns what it gives. After an
        error it may be called again: a step that was taken is not taken twice.

        Args:
            closure: Computes gradients, and returns the loss.
            scale: The factor of the loss, by which gradients are divided: that of a gradient scaler.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for embedding, group in list(zip(self._embeddings, self.param_groups))[self._taken :]:
            embedding.step(group["lr"], scale=scale)
            self._taken += 1
        self._taken = 0
        return loss

    def all_finite(self) -> bool:
        """Whether all gradients since the last step are finite. A step with others is an error."""
        return all(embedding.all_finite() for embedding in self._embeddings)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients that came since the last step."""
        for embedding in self._embeddings:
            embedding.forget()
