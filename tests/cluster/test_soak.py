"""A short form of soak.py."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

from cluster import Cluster
from expected import Expected
from soak import PARTS, SETTINGS, Soak

SECONDS = 20


def test_random_kills(
    cluster: Callable[..., Cluster], parts: Callable[[int], Path], expected: Expected
) -> None:
    made = cluster(**SETTINGS)
    report = Soak(made, parts(PARTS), expected, clients=4, seed=1).run(SECONDS)
    assert report.faults(most_growth_mib=32) == []
    assert report.servers_killed > 0 and report.clients_killed > 0 and report.epochs > 20, report
