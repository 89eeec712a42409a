"""A process of a group, which meets the others again and again until one is lost. Run by faults.py."""

from __future__ import annotations

import sys
import time

from worker import say

import gls

LIMIT_S = 60


def main() -> None:
    place, rank, world_size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    # Rank 0 listens where the others look for it.
    own = f"10.0.0.{rank + 1}:0" if rank > 0 else None
    with gls.Group(
        "shop", rank=rank, world_size=world_size, rendezvous=place, listen=own, timeout=LIMIT_S
    ) as group:
        try:
            while True:
                names = group.all_gather(f"{rank}".encode(), LIMIT_S)
                assert names == [f"{other}".encode() for other in range(world_size)], names
                group.barrier(LIMIT_S)
                say("met")
                time.sleep(0.02)
        except gls.Error as error:
            say("error", kind=type(error).__name__, text=str(error))


if __name__ == "__main__":
    main()
