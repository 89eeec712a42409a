"""Cases of seed_sets.json: seeds of several types in one order."""

from __future__ import annotations

from typing import Any

from cases.common import Json
from cases.walks import FOLLOWS, I2U, U2I, two_way


def some(kind: str, ids: list[int]) -> Json:
    return {"type": kind, "ids": ids}


def seed_sets_file() -> Json:
    cases: list[Json] = []

    def add(name: str, sets: list[Json], batch_size: int, **more: Any) -> None:
        case = {"name": name, "about": "several types", "kind": "seed_sets", "graph": "two way"}
        cases.append({**case, "sets": sets, "batch_size": batch_size, **{"show": [0], **more}})

    users, items, tags = {"type": "user"}, {"type": "item"}, {"type": "tag"}
    shuffled = {"shuffle": True, "seed": "5", "epoch": "3"}
    add("two types", [users, items], 16, show=[0, 1, 2, 3])
    add("two types, shuffled", [users, items], 16, **shuffled, show=[0, 1, 2, 3])
    add("given in another order", [items, users], 16, **shuffled, show=[0, 1, 2, 3])
    add("three types", [items, tags, users], 7, **shuffled, show=[0, 3, 7])
    add("of some", [some("item", [5, 3, 5, 19]), some("user", [29, 0])], 4, show=[0, 1])
    add("of some, shuffled", [some("item", [5, 3, 5, 19]), some("user", [29, 0])], 4,
        **shuffled, show=[0, 1])  # fmt: skip
    add("without the last", [users, items], 16, **shuffled, drop_last=True, show=[0, 1, 2])
    add("one of them empty", [some("item", []), users], 8, **shuffled, show=[0, 3])
    add("one type", [items], 8, **shuffled, show=[0, 1, 2])
    links = [{"type": I2U}, some(FOLLOWS, [89, 0, 7]), {"type": U2I}]
    add("links", links, 100, links=True, show=[0, 1, 2, 3])
    add("links, shuffled", links, 100, links=True, **shuffled, show=[0, 3])
    add("a type twice", [users, users], 4)
    add("out of range", [users, some("item", [20])], 4)
    return {"graphs": [two_way()], "cases": cases}
