"""One of several trainers; prints the batches that are its own."""

from __future__ import annotations

import json
import sys

import torch.distributed
from conftest import Graph

import gls


def main(rank: int, world_size: int, place: str) -> None:
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{place}", rank=rank, world_size=world_size
    )
    loader = gls.NeighborLoader(Graph().build(), [3], "train", batch_size=8, shuffle=True)
    out = [[batch.number, batch.node.tolist()] for batch in loader]
    counts = torch.tensor([len(out)])
    torch.distributed.all_reduce(counts)
    print(json.dumps({"rank": rank, "batches": out, "all": int(counts)}))
    torch.distributed.destroy_process_group()


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
