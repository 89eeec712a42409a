"""Clients come and go; servers keep nothing of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

import pytest
from cluster import CLIENT, Cluster, Server
from expected import Expected
from machines import Machines
from processes import until
from ways import WAYS

MIB = 1 << 20
WAVES = 4


def quiet(server: Server) -> int:
    """Sockets of a server whose last client has gone."""
    counts = []
    for _ in range(20):
        counts.append(server.process.sockets())
        time.sleep(0.05)
    return min(counts)


@pytest.mark.parametrize("way", ["key", "ucx", "ofi"])
def test_servers_keep_nothing_of_clients(
    way: str, cluster: Callable[..., Cluster], parts: Callable[[int], Path], expected: Expected
) -> None:
    """Of each wave one client ends in order, one is killed, and one hangs until it is lost."""
    made = WAYS[way].cluster(cluster, net__peer_timeout_ms=600)
    server = made.serve(0, parts(2), [0, 1])
    made.client(CLIENT, recipes=["neighbours"]).wait()  # lanes have sockets from the first one on
    before = quiet(server)
    memory = []
    for wave in range(WAVES):
        calm = made.client(CLIENT, recipes=["neighbours", "links", "long"], rounds=2)
        killed, hangs = (made.client(machine, pace_ms=10) for machine in (1, 2))
        for client in (killed, hangs):
            client.wait_for_batches(5)
        killed.process.end()
        hangs.process.freeze()
        calm.wait()
        assert calm.batches == expected.batches(calm.job.recipes, [0], 2)
        if way == "ucx":  # which keeps a socket of one that hangs until it ends
            gone = 1 + 3 * (wave + 1)
            until(lambda: server.process.complaints.count(" is gone: ") >= gone, "its end")
            hangs.process.end()
        until(lambda: server.process.sockets() == before, "end of all connections")
        hangs.process.end()
        memory.append(server.process.memory())
    half = WAVES // 2
    assert max(memory[half:]) < max(memory[:half]) + 8 * MIB, memory
    end = server.drain()
    assert end["failures"] == 0 and end["connections"] == 3 * WAVES + 1, end


def test_a_client_keeps_nothing_of_graphs_it_closed(
    cluster: Callable[..., Cluster], parts: Callable[[int], Path]
) -> None:
    made = cluster()
    made.spread(parts(2), 2)
    client = made.client(CLIENT, recipes=["neighbours"], rounds=0, reopen=True, brief=True)
    sockets, memory = [], []
    for rounds in (5, 15, 25):
        until(lambda: len(client.of("round")) >= rounds, f"round {rounds}")
        client.process.freeze()
        sockets.append(client.process.sockets())
        memory.append(client.process.memory())
        client.process.thaw()
    assert max(sockets) <= 2 * len(made.servers) + 4, sockets
    assert memory[2] < memory[0] + 8 * MIB, memory
    assert client.log == []


def test_a_client_does_not_take_itself_for_a_server() -> None:
    """Where nobody listens, TCP connects a client to itself when its own port is that one."""
    ports = "echo 40000 40000 > /proc/sys/net/ipv4/ip_local_port_range"
    ask = (
        "import gls\n"
        "context = gls.Context(log_level='error')\n"
        "context.set('cluster.open_timeout_ms', '2000')\n"
        "gls.Dataset.open('gls://127.0.0.1:40000', context=context)\n"
    )
    with Machines(1) as machines:
        subprocess.run(machines[0].command("sh", "-c", ports), timeout=30, check=True)
        done = subprocess.run(
            machines[0].command(sys.executable, "-c", ask),
            env={**os.environ, "GLS_NET_KEY": 32 * "5a"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1 and "Connection refused" in done.stderr, done.stderr
