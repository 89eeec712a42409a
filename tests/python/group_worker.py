"""What the tests of groups run in other processes: each joins as its environment says."""

from __future__ import annotations

import sys
import time
from typing import Callable, Dict

import gls


def talk(group: gls.Group) -> None:
    """Everything once, and what came of it."""
    group.function("who", lambda call: f"{group.rank} was asked by {call.rank}".encode())
    group.barrier(30)
    names = [item.decode() for item in group.all_gather(f"from {group.rank}".encode(), 30)]
    answers = [group.call(rank, "who", timeout=30).decode() for rank in range(group.world_size)]
    group.barrier(30)
    print(group.launcher, group.local_rank, names, answers, flush=True)


def two_groups(own: gls.Group) -> None:
    """Servers or trainers, as the launcher started them, and all of them in one world."""
    kind, first, world_size, place = sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]
    world = gls.Group(
        "world", rank=first + own.rank, world_size=world_size, rendezvous=place, timeout=30
    )
    world.function("who", lambda call: f"{kind} {own.rank}".encode())
    world.barrier(30)
    all_names = world.all_gather(f"{kind} {own.rank}".encode(), 30)
    own_names = own.all_gather(f"{kind} {own.rank}".encode(), 30)
    told = world.call((world.rank + 1) % world_size, "who", timeout=30)
    world.barrier(30)
    names = [[name.decode() for name in each] for each in (all_names, own_names, [told])]
    print(world.rank, names, flush=True)


def wait(group: gls.Group) -> None:
    """In a barrier that rank 0 does not come to, until somebody is killed or interrupts it."""

    def hang(call: gls.Call) -> None:
        time.sleep(60)

    group.function("hang", hang)
    group.barrier(30)
    print("waiting", flush=True)
    if group.rank == 0:
        time.sleep(60)
    try:
        if group.rank == 2:
            group.call(0, "hang", timeout=50)
        group.barrier(50)
    except gls.IoError as error:
        print(error, flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)


def leave_open(group: gls.Group) -> None:
    """Ends without closing anything, while functions run."""
    started = []

    def hang(call: gls.Call) -> None:
        started.append(call)
        time.sleep(60)

    group.function("hang", hang)
    kept = [group.call_async(0, "hang"), group.call_async(0, "missing")]
    while not started:
        time.sleep(0.01)
    print(kept, flush=True)


if __name__ == "__main__":
    roles: Dict[str, Callable[[gls.Group], None]] = {
        "talk": talk,
        "two_groups": two_groups,
        "wait": wait,
        "leave_open": leave_open,
    }
    print("joining", flush=True)
    try:
        group = gls.Group(timeout=float(sys.argv[2]) if len(sys.argv) > 2 else 30)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(0)
    roles[sys.argv[1]](group)
