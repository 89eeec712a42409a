"""Cases of order.json and plan.json: orders of an epoch, batches of trainers."""

from __future__ import annotations

from typing import Any, Optional

Json = dict[str, Any]

BIG = 2**32


def _order(
    n: int, seed: int, epoch: int, about: str, positions: Optional[list[int]] = None
) -> Json:
    case: Json = {
        "name": f"n {n} seed {seed} epoch {epoch}",
        "about": about,
        "kind": "order",
        "n": n,
        "seed": str(seed),
        "epoch": str(epoch),
    }
    if positions is not None:
        case["positions"] = positions
    return case


def order_cases() -> list[Json]:
    cases = [
        _order(n, 0, 0, "a whole permutation")
        for n in list(range(0, 21)) + [31, 32, 33, 63, 64, 65, 127, 128, 129]
    ]
    for seed, epoch in [
        (0, 1),
        (1, 0),
        (BIG, 0),
        (0, BIG),
        (BIG + 1, 3 * BIG + 2),
        (2**64 - 1, 2**64 - 1),
    ]:
        for n in (5, 16, 17, 40):
            cases.append(_order(n, seed, epoch, "the order depends on seed and epoch"))
    for n in (1000, 65536, 65537, 2**20 + 1, 2**31, BIG, BIG + 7, 2**40 - 3, 2**52):
        positions = [0, 1, 2, 3, n // 2 - 1, n // 2, n - 2, n - 1]
        cases.append(_order(n, 11, 5, "some places of a long order", positions))
    return cases


def _plan(about: str, n: int, batch_size: int, world: int, rank: int, **more: Any) -> Json:
    case: Json = {
        "name": "",
        "about": about,
        "kind": "plan",
        "n": n,
        "batch_size": batch_size,
        "world": world,
        "rank": rank,
    }
    case.update(more)
    case.setdefault("show", 2)
    extras = [f"{key} {value}" for key, value in more.items() if key != "show"]
    case["name"] = ", ".join([f"n {n} by {batch_size}, rank {rank} of {world}"] + extras)
    return case


def plan_cases() -> list[Json]:
    cases: list[Json] = []
    for n in (0, 1, 9, 10, 11, 20):
        for drop_last in (False, True):
            about = "one trainer"
            cases.append(_plan(about, n, 10, 1, 0, drop_last=drop_last, show=3))
    for even in ("none", "drop", "repeat"):
        for n, batch_size, world in [(50, 5, 4), (47, 5, 4), (7, 5, 5), (12, 4, 3), (0, 4, 2)]:
            for rank in range(world):
                about = "trainers share an epoch"
                cases.append(_plan(about, n, batch_size, world, rank, even=even))
    for rank in range(3):
        cases.append(
            _plan(
                "the last, not full batch is left out before the rest is made even",
                23,
                4,
                3,
                rank,
                drop_last=True,
                even="repeat",
            )
        )
    for seed, epoch in ((0, 0), (0, 1), (BIG + 5, BIG + 9)):
        for rank in range(2):
            cases.append(
                _plan(
                    "shuffled",
                    23,
                    5,
                    2,
                    rank,
                    shuffle=True,
                    seed=str(seed),
                    epoch=str(epoch),
                    even="repeat",
                    show=3,
                )
            )
    return cases + _resumed_cases()


def _resumed_cases() -> list[Json]:
    cases: list[Json] = []
    about = "resumed after done_steps steps of done_world trainers: the new ones share the rest"
    for even in ("none", "drop", "repeat"):
        for done_steps, done_world, world in [(1, 4, 3), (2, 2, 4), (4, 1, 1), (5, 2, 2)]:
            for rank in range(world):
                cases.append(
                    _plan(
                        about,
                        50,
                        5,
                        world,
                        rank,
                        even=even,
                        done_steps=done_steps,
                        done_world=done_world,
                    )
                )
    for rank in range(2):
        cases.append(
            _plan(
                "the trainers before had to repeat batches: more were handed out than there are",
                50,
                5,
                2,
                rank,
                even="repeat",
                done_steps=3,
                done_world=4,
            )
        )
    return cases
