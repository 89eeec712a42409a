"""Ways to set up servers and clients: what data go over, and who makes the batches."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Sequence

from cluster import CLIENT, PORT, Client, Cluster
from machines import INTERFACE

UCX = {"net__data": "ucx", "net__data_transports": "tcp", "net__data_devices": INTERFACE}
OFI = {"net__data": "ofi", "net__data_transports": "net,tcp", "net__data_devices": INTERFACE}
# Reads are emulated here, which takes processors: a busy machine is not to be taken for a lost one.
ONE_SIDED = {"net__one_sided": "on", "net__peer_timeout_ms": 30000}
READ = "are read where it shares them"
# Of a client who maps the files of servers, or is on a host with them, and asks all the same.
SHARED_MEMORY = {**UCX, "net__data_transports": "shm,tcp", "cluster__same_host": False}


@dataclass(frozen=True)
class Way:
    """What data go over."""

    security: str = "key"
    settings: Mapping[str, object] = field(default_factory=dict)
    said: Sequence[str] = ()
    """What a client says of each server that it asks: each of these texts."""
    one_machine: bool = False
    """All processes are on one."""

    def cluster(self, make: Callable[..., Cluster], **more: object) -> Cluster:
        """`more` are settings that count more than those of the way."""
        return make(self.security, **{**self.settings_of_processes(), **more})

    def settings_of_processes(self) -> Dict[str, object]:
        """With the plugins: beside the tool, as the package has none of lanes."""
        if not self.said:
            return dict(self.settings)
        plugins = Path(os.environ["GLS_TOOL"]).resolve().parent.parent / "src"
        return {"plugin_path": plugins, "log__level": "info", **self.settings}

    def machine(self, number: int) -> int:
        """Of the process of that number."""
        return 0 if self.one_machine else number

    def port(self, number: int) -> int:
        """Of the server of that number."""
        return PORT + number if self.one_machine else PORT

    def address(self, cluster: Cluster, number: int) -> str:
        return f"{cluster.machines[self.machine(number)].address}:{self.port(number)}"


WAYS: Dict[str, Way] = {
    "plain": Way("plain"),
    "key": Way("key"),
    "certificates": Way("certificates"),
    "ucx": Way("key", UCX, ["data over ucx: tcp"]),
    "ucx, shared memory": Way("plain", SHARED_MEMORY, ["data over ucx: "], one_machine=True),
    "ucx, one-sided": Way("key", {**UCX, **ONE_SIDED}, ["data over ucx: tcp", READ]),
    "ofi, one-sided": Way("key", {**OFI, **ONE_SIDED}, ["data over ofi", READ]),
    "ofi": Way("key", OFI, ["data over ofi"]),
    "mapped": Way("key", {}, ["is mapped from the files of"], one_machine=True),
}
MODES = ["here", "servers", "collocated"]


def serve_all(cluster: Cluster, way: Way, folder: Path, count: int) -> None:
    """Servers of a part each, which know each other."""
    addresses = [way.address(cluster, number) for number in range(count)]
    for number in range(count):
        machine, port = way.machine(number), way.port(number)
        cluster.serve(machine, folder, [number], others=addresses, port=port)


def train(cluster: Cluster, way: Way, made_by: str, **job: Any) -> Client:
    """A client of these servers."""
    machine = 0 if way.one_machine else CLIENT
    return cluster.client(machine, common={"made_by": made_by}, **job)


def train_collocated(
    cluster: Cluster, way: Way, folder: Path, count: int, **job: Any
) -> List[Client]:
    """Processes that serve a part each, and train on their shares of each epoch."""
    addresses = [way.address(cluster, number) for number in range(count)]
    clients = []
    for number, address in enumerate(addresses):
        serve = {"path": str(folder), "listen": address, "parts": [number], "servers": addresses}
        common = {"rank": number, "world_size": count}
        where = {"common": common, "serve": serve}
        clients.append(cluster.client(way.machine(number), f"gls://{address}", **where, **job))
    return clients
