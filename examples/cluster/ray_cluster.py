"""Servers and trainers as actors of Ray.

    python examples/cluster/ray_cluster.py PARTS [--trainers 2] [--epochs 20]

PARTS is a folder of parts (prepare.py) that every machine of the cluster sees. A server for each part is spread
over the machines; trainers meet by torch.distributed. With no cluster, Ray starts one on this machine.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import secrets
import socket
import sys
from pathlib import Path
from typing import Any, List

import ray

HERE = Path(__file__).resolve().parent


@ray.remote(num_cpus=0, scheduling_strategy="SPREAD")
class PartServer:
    """Serves one part until it is killed. Ray starts it again on the same address, if it can."""

    def __init__(self, parts: str, number: int, key: str, known: List[str]) -> None:
        import gls

        os.environ["GLS_NET_KEY"] = key  # of this process alone
        host = ray.util.get_node_ip_address()
        self._server = gls.Server(parts, parts=[number], listen=f"{host}:0", servers=known)

    def address(self) -> str:
        return self._server.address

    def requests(self) -> int:
        return self._server.info.requests

    def stop(self) -> None:
        self._server.close()


@ray.remote(num_cpus=1)
class Trainer:
    def place(self) -> str:
        """Where rank 0 is met: an address of this machine, and a port that is free."""
        while True:
            port = random.randrange(10000, 32768)  # below those that Linux gives to connections
            with socket.socket() as probe:
                try:
                    probe.bind(("", port))
                    return f"{ray.util.get_node_ip_address()}:{port}"
                except OSError as error:
                    if error.errno != errno.EADDRINUSE:
                        raise

    def train(self, graph: str, key: str, rank: int, world: int, master: str, epochs: int) -> Any:
        host, _, port = master.rpartition(":")
        os.environ.update(
            GLS_NET_KEY=key,
            RANK=str(rank),
            WORLD_SIZE=str(world),
            MASTER_ADDR=host,
            MASTER_PORT=port,
        )
        sys.path.insert(0, str(HERE))
        sys.argv = ["train.py", graph, "--epochs", str(epochs)]
        import train

        return train.main()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts")
    parser.add_argument("--trainers", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    folder = Path(args.parts).resolve()
    # Only these actors know the key. It goes to them as an argument, so protect Ray itself, too.
    key = secrets.token_hex(32)
    if "RAY_ADDRESS" in os.environ:
        ray.init()
    else:  # a cluster of this machine alone, on which all trainers are to fit
        ray.init(num_cpus=max(os.cpu_count() or 1, args.trainers))
    servers: List[ray.actor.ActorHandle] = []
    known: List[str] = []
    for number in range(len(list(folder.glob("part-*")))):
        server = PartServer.remote(str(folder), number, key, known)
        servers.append(server)
        known = known + [ray.get(server.address.remote())]
    trainers = [Trainer.remote() for _ in range(args.trainers)]
    master = ray.get(trainers[0].place.remote())
    reached = ray.get(
        [
            trainer.train.remote(
                f"gls://{known[-1]}", key, rank, args.trainers, master, args.epochs
            )
            for rank, trainer in enumerate(trainers)
        ]
    )
    counts = ray.get([server.requests.remote() for server in servers])
    ray.get([server.stop.remote() for server in servers])
    print("requests", counts)
    print(f"accuracy {reached[0]:.3f}")
    ray.shutdown()


if __name__ == "__main__":
    main()
