"""Data that go beside the connections, over lanes of UCX or libfabric, between machines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Dict

import pytest
from cluster import CLIENT, Client, Cluster
from expected import Expected
from machines import INTERFACE

SOME = ["columns", "walks", "strict negatives", "long"]
PARTS = 2
UCX = {"net__data": "ucx", "net__data_transports": "tcp"}
OFI = {"net__data": "ofi", "net__data_transports": "net,tcp"}
LANES: Dict[str, Dict[str, str]] = {
    "ucx": UCX,
    "ofi": OFI,
    "ofi, one-sided": {**OFI, "net__one_sided": "on"},
}
Make = Callable[..., Cluster]
Parts = Callable[[int], Path]


def lanes(cluster: Make, name: str) -> Cluster:
    """Processes that find plugins: beside the tool, as the package has none of these."""
    plugins = Path(os.environ["GLS_TOOL"]).resolve().parent.parent / "src"
    data = {"net__data_devices": INTERFACE, **LANES[name]}
    return cluster(plugin_path=plugins, log__level="info", **data)


def said(client: Client, text: str) -> int:
    """In how many lines."""
    return sum(text in line for line in client.log)


@pytest.mark.parametrize("by", ["here", "servers"])
@pytest.mark.parametrize("name", LANES)
def test_batches(name: str, by: str, cluster: Make, parts: Parts, expected: Expected) -> None:
    made = lanes(cluster, name)
    made.spread(parts(PARTS), PARTS, known=True)
    common: Dict[str, Any] = {"made_by": by}
    client = made.client(CLIENT, recipes=SOME, epochs=[2], common=common)
    client.wait()
    assert client.batches == expected.batches(SOME, [2])
    kind = LANES[name]["net__data"]
    assert said(client, f"data over {kind}") >= PARTS, client.log
    if "net__one_sided" in LANES[name]:
        assert said(client, "are read where it shares them") >= PARTS, client.log
    assert sum(server.drain()["failures"] for server in made.servers) == 0
