"""Every way for data, with each number of parts, each way to make batches and every method.

Not all of them at once: each pair of a way, a number of parts, a mode and a method occurs.
"""

from __future__ import annotations

import logging
from itertools import combinations, product
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Set, Tuple

import pytest
from cluster import Client, Cluster
from expected import Expected
from processes import READY_S
from recipes import OF_SAMPLERS, SHORT
from ways import MODES, WAYS, Way, serve_all, train, train_collocated

COUNTS = [1, 2, 4, 8]
EPOCH = 4
END_S = 2 * READY_S
Row = Tuple[str, int]  # name of a way, number of parts
ROWS: List[Row] = list(product(WAYS, COUNTS))


def mode_of(row: Row) -> str:
    """One process alone asks nobody, so the one part is never collocated."""
    way, count = list(WAYS).index(row[0]), COUNTS.index(row[1])
    return MODES[way % 2] if count == 0 else MODES[(way + count) % 3]


def recipes_by_row() -> Dict[Row, List[str]]:
    """Each method once with each way, at another number of parts each time; samplers always."""
    out: Dict[Row, List[str]] = {
        row: [] if mode_of(row) == "servers" else list(OF_SAMPLERS) for row in ROWS
    }
    loaders = [recipe for recipe in SHORT if recipe not in OF_SAMPLERS]
    for (number, recipe), (turn, way) in product(enumerate(loaders), enumerate(WAYS)):
        out[way, COUNTS[(number + turn) % len(COUNTS)]].append(recipe)
    return out


def pairs(*values: object) -> Set[Tuple[object, object]]:
    return set(combinations(values, 2))


def test_every_pair_occurs() -> None:
    occur: Set[Tuple[object, object]] = set()
    for row, recipes in recipes_by_row().items():
        for recipe in recipes:
            occur |= pairs(*row, mode_of(row), recipe)
    impossible = {("servers", recipe) for recipe in OF_SAMPLERS} | {(1, "collocated")}
    wanted: Set[Tuple[object, object]] = set()
    sides: List[Sequence[object]] = [list(WAYS), COUNTS, MODES, SHORT]
    for some, others in combinations(sides, 2):
        wanted |= set(product(some, others))
    assert wanted - impossible == occur


@pytest.mark.parametrize("name, count", ROWS)
def test_batches(
    name: str,
    count: int,
    cluster: Callable[..., Cluster],
    cuts: Callable[[int], Path],
    expected: Expected,
) -> None:
    way, mode = WAYS[name], mode_of((name, count))
    made = way.cluster(cluster)
    job = {"recipes": recipes_by_row()[name, count], "epochs": [EPOCH]}
    if mode == "collocated":
        clients = train_collocated(made, way, cuts(count), count, **job)
        for client in clients:
            client.process.wait_for(lambda said: said["event"] in ("end", "error"), "end", END_S)
        for client in clients:
            client.process.finish()
        asked = count - 1
    else:
        serve_all(made, way, cuts(count), count)
        clients = [train(made, way, mode, **job)]
        asked = count
    for client in clients:
        client.wait()
        assert client.batches == expected.of(client.job)
        check_way(client, way, asked)
    if mode != "collocated":
        assert [said for said in clients[0].of("log") if said["level"] >= logging.WARNING] == []
        assert sum(server.drain()["failures"] for server in made.servers) == 0


def check_way(client: Client, way: Way, asked: int) -> None:
    """Data went over what they should."""
    for text in way.said:
        assert sum(text in line for line in client.log) >= asked, (text, client.log)
    if way is WAYS["ucx, shared memory"]:
        lanes = [line for line in client.log if "data over ucx: " in line]
        assert all("posix/memory" in lane or "sysv/memory" in lane for lane in lanes), lanes
