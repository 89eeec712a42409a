"""Processes that torchrun starts, which train with DistributedDataParallel on batches that loaders deliver on a GPU of
their own, and one that does the same on the host. On GPUs, or ("emulated") on the plugin that needs none, whose memory
is that of the host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, List, Optional

import torch
import torch.distributed
from conftest import Graph
from torch.nn.parallel import DistributedDataParallel

import gls
import gls._core.tensor

EPOCHS = 2


def make_loader(device: Optional[str]) -> gls.NeighborLoader:
    return gls.NeighborLoader(
        Graph().build(),
        [3, 3],
        "train",
        batch_size=8,
        shuffle=True,
        seed=5,
        even="drop",
        device=device,
    )


class Model(torch.nn.Module):
    """What a node's neighbours have on average, beside its own."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.own, self.near = torch.nn.Linear(12, 5), torch.nn.Linear(12, 5)

    def forward(self, x: torch.Tensor, row: torch.Tensor, col: torch.Tensor) -> torch.Tensor:
        total = torch.zeros_like(x).index_add_(0, col, x[row])
        count = torch.zeros_like(x[:, :1]).index_add_(0, col, torch.ones_like(x[:, :1])[row])
        out: torch.Tensor = self.own(x) + self.near(total / count.clamp(min=1))
        return out


def loss_of(model: Any, batch: gls.Batch) -> torch.Tensor:
    out = model(batch.x.torch(), batch.row.torch(), batch.col.torch())[: batch.batch_size]
    return torch.nn.functional.cross_entropy(out, batch.y.torch()[: batch.batch_size])


def step(optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> List[torch.Tensor]:
    """The gradients of the step."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    return [p.grad.cpu().clone() for p in parameters]


def train(kind: str, processes: int, folder: Path) -> List[List[str]]:
    """The devices that each process had batches on. Its gradients are those of one process."""
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*launch, f"--nproc-per-node={processes}", __file__, kind, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    trained = [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in range(processes)]
    gradients = alone(processes)
    close = {} if kind == "emulated" else {"rtol": 1e-3, "atol": 1e-4}
    for found in trained:
        assert len(found) == len(gradients) > 4
        for one, other in zip(found, gradients):
            torch.testing.assert_close(one, other, **close)  # type: ignore[arg-type]
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(processes)]


def alone(processes: int) -> List[List[torch.Tensor]]:
    """The gradients of one process, on the host, that takes the batches of so many together."""
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = make_loader(None)
    gradients = []
    for _ in range(EPOCHS):
        batches = list(loader)
        for first in range(0, len(batches) - processes + 1, processes):
            losses = [loss_of(model, batch) for batch in batches[first : first + processes]]
            gradients.append(step(optimizer, torch.stack(losses).mean()))
    assert all(gradient.abs().max() > 0 for gradient in gradients[-1])
    return gradients


def main(kind: str, folder: str) -> None:
    rank = int(os.environ["LOCAL_RANK"])
    compute = torch.device("cuda", rank)
    if kind == "emulated":
        from torch_shown import Shown

        compute = torch.device("cpu")
        gls._core.tensor._from_dlpack = Shown()
        torch.distributed.init_process_group("gloo")
    else:
        torch.cuda.set_device(compute)
        torch.distributed.init_process_group("nccl", device_id=compute)
    loader = make_loader("cuda")
    model = DistributedDataParallel(Model().to(compute))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    devices, gradients = set(), []
    for _ in range(EPOCHS):
        for batch in loader:
            devices.add(batch.device)
            gradients.append(step(optimizer, loss_of(model, batch)))
    torch.distributed.destroy_process_group()
    torch.save(gradients, Path(folder) / f"{rank}.pt")
    (Path(folder) / f"{rank}.json").write_text(json.dumps(sorted(devices)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
