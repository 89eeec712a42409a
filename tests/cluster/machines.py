"""Machines of a network: each a network namespace of its own, joined by a bridge in another one.

Nothing of it is in the network of the system, so addresses cannot collide with those that are there.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from types import TracebackType
from typing import Iterator, List, Optional, Type

NEEDED = (
    "tests/cluster make network namespaces: run them as root (or with CAP_SYS_ADMIN and "
    "CAP_NET_ADMIN), with iproute2 installed"
)
TIMEOUT_S = 20
INTERFACE = "net"  # of each machine, to all others
_networks = itertools.count()


class NoMachines(RuntimeError):
    """Namespaces cannot be made here."""


class Machine:
    """One of them."""

    def __init__(self, tool: str, namespace: str, address: str) -> None:
        self.namespace = namespace
        self.address = address
        self._tool = tool

    def command(self, *words: str) -> List[str]:
        """A command on this machine. It is killed when the thread that starts it ends."""
        enter = [self._tool, "netns", "exec", self.namespace]
        return [*enter, "setpriv", "--pdeathsig", "KILL", "--", *words]

    def unplug(self) -> None:
        self._link("down")

    def plug(self) -> None:
        self._link("up")

    def received(self) -> int:
        """Bytes that came to it so far."""
        said = _run(
            [self._tool, "-n", self.namespace, "-s", "-j", "link", "show", "dev", INTERFACE]
        )
        return int(json.loads(said)[0]["stats64"]["rx"]["bytes"])

    def processes(self) -> List[int]:
        """Ids of those that run on it."""
        return [int(word) for word in _run([self._tool, "netns", "pids", self.namespace]).split()]

    def _link(self, state: str) -> None:
        _run([self._tool, "-n", self.namespace, "link", "set", "dev", INTERFACE, state])


class Machines:
    """`count` machines with the addresses 10.0.0.1, 10.0.0.2 and so on."""

    def __init__(self, count: int, tool: str = "ip") -> None:
        self._tool = tool
        self._prefix = f"gls-{os.getpid()}-{next(_networks)}"
        self._namespaces: List[str] = []
        self._machines: List[Machine] = []
        try:
            self._make_bridge()
            for number in range(count):
                self._add(number)
        except (NoMachines, OSError, subprocess.SubprocessError) as error:
            self.close()
            raise NoMachines(f"{NEEDED}: {error}") from None

    def __getitem__(self, number: int) -> Machine:
        return self._machines[number]

    def __len__(self) -> int:
        return len(self._machines)

    def __iter__(self) -> Iterator[Machine]:
        return iter(self._machines)

    def close(self) -> None:
        """Removes them, and with them their interfaces. Processes must have ended."""
        while self._namespaces:
            subprocess.run(
                [self._tool, "netns", "delete", self._namespaces.pop()],
                timeout=TIMEOUT_S,
                check=False,
            )

    def __enter__(self) -> Machines:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def _make_bridge(self) -> None:
        self._bridge = self._make_namespace("bridge")
        self._in_bridge("link", "add", "bridge", "type", "bridge")
        self._in_bridge("link", "set", "dev", "bridge", "up")

    def _add(self, number: int) -> None:
        machine = Machine(self._tool, self._make_namespace(str(number)), f"10.0.0.{number + 1}")
        port = f"port{number}"
        ends = ["type", "veth", "peer", "name", INTERFACE, "netns", machine.namespace]
        self._in_bridge("link", "add", port, *ends)
        self._in_bridge("link", "set", "dev", port, "master", "bridge", "up")
        enter = [self._tool, "-n", machine.namespace]
        _run([*enter, "address", "add", f"{machine.address}/24", "dev", INTERFACE])
        for interface in ("lo", INTERFACE):
            _run([*enter, "link", "set", "dev", interface, "up"])
        self._machines.append(machine)

    def _make_namespace(self, name: str) -> str:
        full = f"{self._prefix}-{name}"
        _run([self._tool, "netns", "add", full])
        self._namespaces.append(full)
        return full

    def _in_bridge(self, *words: str) -> None:
        _run([self._tool, "-n", self._bridge, *words])


def _run(command: List[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise NoMachines(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
