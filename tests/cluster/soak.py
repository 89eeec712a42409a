"""Clients that train while servers and clients are killed at random and started again.

    GLS_TOOL=build/release/tools/gls python tests/cluster/soak.py --minutes 15

Every epoch is compared with that of one process. Prints a JSON document on one line at its end; fails if
an epoch was different, a client got an error, or the memory of those who were never killed grew.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

from cluster import Client, Cluster, Server
from expected import Expected
from graph import cut, write_graph
from machines import Machines
from recipes import OF_SAMPLERS
from recipes import RECIPES as ALL_RECIPES
from security import Key
from ways import WAYS

MACHINES = 8
SERVERS = PARTS = 4  # each part has two servers
# All that work for a while. Samplers make batches where they are asked only.
RECIPES = [name for name in ALL_RECIPES if name not in OF_SAMPLERS]
EPOCHS = [0, 1, 2]
# What is kept for reuse is soon as much as may be, so that whatever else grows is seen.
SETTINGS = {"net.peer_timeout_ms": 2000, "cluster.batch_memory": "16M", "memory.pool": "8M"}
KEPT_CLIENTS = 2  # that are never killed; nor is the first server
MIB = 1 << 20


@dataclass
class Report:
    """What came of it."""

    seconds: float = 0
    epochs: int = 0
    batches: int = 0
    different: int = 0
    errors: List[str] = field(default_factory=list)
    servers_killed: int = 0
    clients_killed: int = 0
    memory: Dict[str, Tuple[float, float]] = field(default_factory=dict)
    """MiB of those who were never killed: most in the second quarter of the time, most in the last."""

    def faults(self, most_growth_mib: float) -> List[str]:
        """What is wrong."""
        out = list(self.errors)
        if self.different:
            out.append(f"{self.different} epochs are different")
        for name, (before, after) in self.memory.items():
            if after > before + most_growth_mib:
                out.append(f"{name} grew from {before} to {after} MiB")
        return out


class Soak:
    """One run."""

    def __init__(
        self, cluster: Cluster, parts: Path, expected: Expected, clients: int, seed: int
    ) -> None:
        self._cluster = cluster
        self._expected = expected
        self._random = random.Random(seed)
        self._report = Report()
        self._due: List[Tuple[float, Callable[[], object]]] = []
        self._memory: Dict[str, List[int]] = {}
        self._seen: Dict[int, int] = {}
        servers = [cluster.address(number) for number in range(SERVERS)]
        for number in range(SERVERS):
            cluster.serve(number, parts, [number, (number + 1) % PARTS], others=servers)
        self._clients = [self._start_client(number) for number in range(clients)]

    def run(self, seconds: float) -> Report:
        begun = time.monotonic()
        end = begun + seconds
        next_kill = begun + 2
        while time.monotonic() < end:
            time.sleep(0.25)
            now = time.monotonic()
            for client in self._clients:
                self._look_at(client)
            self._weigh()
            for entry in [entry for entry in self._due if entry[0] <= now]:
                self._due.remove(entry)
                entry[1]()
            if now > next_kill:
                next_kill = now + self._random.uniform(1.5, 4)
                self._kill()
        self._report.seconds = round(time.monotonic() - begun, 1)
        for name, sizes in self._memory.items():
            quarter = max(1, len(sizes) // 4)
            second, last = max(sizes[quarter : 2 * quarter] or sizes), max(sizes[-quarter:])
            self._report.memory[name] = (round(second / MIB, 1), round(last / MIB, 1))
        return self._report

    def _start_client(self, number: int) -> Client:
        machine = SERVERS + number % (MACHINES - SERVERS)
        # Each begins somewhere else; for every other one the servers make the batches.
        first = self._random.randrange(len(RECIPES))
        recipes = RECIPES[first:] + RECIPES[:first]
        common = {"made_by": ["here", "servers"][number % 2]}
        job: Dict[str, Any] = {"recipes": recipes, "epochs": EPOCHS, "rounds": 0, "brief": True}
        return self._cluster.client(machine, common=common, **job)

    def _look_at(self, client: Client) -> None:
        """Compares what it took since the last time."""
        process = client.process
        new = process.events_from(self._seen.get(process.pid, 0))
        self._seen[process.pid] = self._seen.get(process.pid, 0) + len(new)
        for said in new:
            if said["event"] == "epoch":
                self._report.epochs += 1
                self._report.batches += said["batches"]
                right = self._expected.digest(said["recipe"], said["epoch"])
                self._report.different += said["digest"] != right
            elif said["event"] == "error":
                self._report.errors.append(said["text"])

    def _weigh(self) -> None:
        kept = {"server": self._cluster.servers[0].process}
        for number, client in enumerate(self._clients[:KEPT_CLIENTS]):
            kept[f"client {number}"] = client.process
        for name, process in kept.items():
            if process.alive:
                self._memory.setdefault(name, []).append(process.memory())
            else:
                self._report.errors.append(f"{name} ended")

    def _kill(self) -> None:
        if self._random.random() < 0.6:
            self._kill_server(self._random.choice(self._cluster.servers[1:]))
        else:
            self._kill_client(self._random.randrange(KEPT_CLIENTS, len(self._clients)))

    def _kill_server(self, server: Server) -> None:
        if not server.process.alive:
            return  # and not started again yet
        server.kill()
        self._report.servers_killed += 1
        self._later(lambda: server.start(wait=False))

    def _kill_client(self, number: int) -> None:
        client = self._clients[number]
        if not client.process.alive:
            return
        client.process.end()
        self._look_at(client)
        self._report.clients_killed += 1

        def start() -> None:
            self._clients[number] = self._start_client(number)

        self._later(start)

    def _later(self, what: Callable[[], object]) -> None:
        due = time.monotonic() + self._random.uniform(0.1, 2)
        self._due.append((due, what))


def main() -> int:
    parser = argparse.ArgumentParser(description="A long run with random kills.")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    ways = [name for name, way in WAYS.items() if way.security == "key" and not way.one_machine]
    parser.add_argument("--way", choices=ways, default="key", help="what data go over")
    parser.add_argument("--most-growth-mib", type=float, default=16)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, Machines(MACHINES) as machines:
        folder = Path(name)
        write_graph(folder)
        expected = Expected(folder)
        key = Key(folder / "key")
        over = {k.replace("__", "."): v for k, v in WAYS[given.way].settings_of_processes().items()}
        with Cluster(machines, folder, key, {**SETTINGS, **over}) as cluster:
            soak = Soak(cluster, cut(folder, PARTS), expected, given.clients, given.seed)
            report = soak.run(given.minutes * 60)
    faults = report.faults(given.most_growth_mib)
    said = {**asdict(report), "way": given.way, "seed": given.seed, "faults": faults}
    print(json.dumps(said))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
