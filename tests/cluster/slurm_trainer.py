"""Stands for train.py of the examples, without torch: reads its share of an epoch and says what it was.

    slurm_trainer.py gls://HOST:PORT
"""

from __future__ import annotations

import json
import os
import sys

import gls


def main() -> None:
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    with gls.Dataset.open(sys.argv[1]) as dataset:
        loader = gls.NeighborLoader(
            dataset, [3, 2], "train", batch_size=7, rank=rank, world_size=world_size
        )
        seeds = [int(seed) for batch in loader for seed in batch.n_id[: batch.batch_size]]
    told = {"rank": rank, "of": world_size, "local": os.environ["LOCAL_RANK"], "seeds": seeds}
    print(json.dumps(told) + "\n", end="", flush=True)


if __name__ == "__main__":
    main()
