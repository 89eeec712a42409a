"""A model with an embedding, and one of several trainers that train it with DistributedDataParallel."""

from __future__ import annotations

import sys
from typing import List, Tuple

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

import gls
from gls.nn import Embedding, SparseOptimizer

NODES, WIDTH = 40, 5


class Model(torch.nn.Module):
    def __init__(self, embedding: torch.nn.Module) -> None:
        super().__init__()
        torch.manual_seed(4)
        self.embedding = embedding
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(2 * WIDTH, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)
        )

    def forward(self, pairs: torch.Tensor) -> torch.Tensor:
        """Two at once, and their first ones once more: gradients come from several calls."""
        rows = self.embedding(pairs).flatten(1)
        rows = rows + 0.1 * self.embedding(pairs[:, 0].to(torch.int32)).repeat(1, 2)
        out: torch.Tensor = self.layers(rows)
        return out.squeeze(1)


def train(
    model: torch.nn.Module,
    sparse: torch.optim.Optimizer,
    layers: torch.nn.Module,
    trainer: Tuple[int, int] = (0, 1),
) -> List[float]:
    """The loss of each step, on this trainer's share of each batch."""
    dense = torch.optim.Adam(layers.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(sparse, 10, gamma=0.5)
    generator = torch.Generator().manual_seed(3)
    losses = []
    for _ in range(30):
        pairs = torch.randint(0, NODES, (64, 2), generator=generator)[trainer[0] :: trainer[1]]
        wanted = (pairs.sum(dim=1) < NODES).float()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(pairs), wanted)
        sparse.zero_grad()
        dense.zero_grad()
        loss.backward()
        sparse.step()
        dense.step()
        schedule.step()
        losses.append(loss.item())
    assert sparse.param_groups[0]["lr"] == 0.05 / 8
    return losses


def make_table(dataset: gls.Dataset) -> gls.Table:
    return dataset.table("ddp", width=WIDTH, low=-0.5, high=0.5, seed=7, optimizer="adam")


def main(rank: int, world_size: int, place: str, address: str) -> None:
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{place}", rank=rank, world_size=world_size
    )
    table = make_table(gls.Dataset.open(address))
    assert (table.rank, table.world_size) == (rank, world_size)
    model = Model(Embedding(table))
    sparse = SparseOptimizer([model.embedding], lr=0.05)
    train(DistributedDataParallel(model), sparse, model.layers, (rank, world_size))
    assert table.num_steps == 30
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4])
