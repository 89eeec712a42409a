"""SparseOptimizer: the steps of several embeddings."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Optional

import torch

from gls.nn.embedding import Embedding


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
