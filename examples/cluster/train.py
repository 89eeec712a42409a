"""GraphSAGE in several processes, on a graph that servers have.

    torchrun --nproc-per-node 2 examples/cluster/train.py gls://HOST:PORT [--epochs 20]

Rank and world size come from the launcher, by torch.distributed; loaders take them from there. Each
rank gets its share of every epoch, and with one rank the batches are those of one process with the
whole graph. One address of a server is enough.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Optional

import torch
import torch.distributed as dist
import torch.nn.functional as F

import gls

sys.path.insert(0, str(Path(__file__).parents[1]))
from torch_graphsage import GraphSAGE, accuracy  # noqa: E402


def average_gradients(model: torch.nn.Module) -> None:
    """What DistributedDataParallel does, in one message."""
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    for gradient, mean in zip(gradients, flat.split([g.numel() for g in gradients])):
        gradient.copy_(mean.view_as(gradient))


def train(graph: str, epochs: int, batch_size: int) -> Optional[float]:
    """Rank 0 returns the accuracy."""
    dataset = gls.Dataset.open(graph)
    # As many batches in each rank, so that none waits for a gradient that never comes.
    loader = gls.NeighborLoader(
        dataset, [10, 10], "train", batch_size=batch_size, shuffle=True, even="repeat"
    )
    torch.manual_seed(0)  # the same parameters everywhere
    model = GraphSAGE([dataset.node_columns()["x"].shape[1], 64, 7])
    torch.manual_seed(dist.get_rank())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
    for epoch in range(epochs):
        model.train()
        for batch in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(batch), batch.y.torch())
            loss.backward()
            average_gradients(model)
            optimizer.step()
        if dist.get_rank() == 0 and epoch % 10 == 9:
            print(f"epoch {epoch + 1:3d}  loss {loss.item():.3f}", flush=True)
    if dist.get_rank() != 0:
        return None
    test = gls.NeighborLoader(dataset, [-1, -1], "test", batch_size=500, rank=0, world_size=1)
    return accuracy(model, test)


def main() -> Optional[float]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", help="gls://HOST:PORT, or a folder")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=32, help="of each rank")
    args = parser.parse_args()
    os.environ.setdefault("RANK", "0")
    os.environ.setdefault("WORLD_SIZE", "1")
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29500")
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    try:
        reached = train(args.graph, args.epochs, args.batch_size)
    finally:
        dist.destroy_process_group()
    if reached is not None:
        print(f"accuracy {reached:.3f}", flush=True)
    return reached


if __name__ == "__main__":
    main()
