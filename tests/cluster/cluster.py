"""Servers and clients of one test."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type

from machines import Machine, Machines
from processes import READY_S, Event, Process, settings, until
from security import Security
from worker import Job

PORT = 4711
MACHINES = 9
CLIENT = MACHINES - 1  # a machine that serves nothing
HERE = Path(__file__).parent


class Server:
    """`gls serve` on a machine, again and again at one address."""

    def __init__(
        self,
        cluster: Cluster,
        machine: Machine,
        folder: Path,
        parts: Sequence[int],
        others: Sequence[str],
        port: int,
    ) -> None:
        self.machine = machine
        self.parts = list(parts)
        self.address = f"{machine.address}:{port}"
        self._cluster = cluster
        self._command = [cluster.tool, "serve", str(folder), "--json", "--listen", self.address]
        self._command += [word for part in parts for word in ("--part", str(part))]
        self._command += [word for other in others for word in ("--server", other)]
        self.process = self.start()

    def start(self, wait: bool = True) -> Process:
        self.process = self._cluster.start(self.machine, self._command, f"server {self.address}")
        if wait:
            self.wait_until_ready()
        return self.process

    def wait_until_ready(self) -> None:
        ready = self.process.wait_for(lambda event: "address" in event, "address")
        assert ready["address"] == self.address and ready["parts"] == len(self.parts)

    def kill(self) -> None:
        self.process.end()

    def drain(self) -> Event:
        """Ends it in order; what it says of itself."""
        self.process.signal(signal.SIGTERM)
        code = self.process.wait()
        assert code == 0, self.process.complaints
        return self.process.events[-1]


class Client:
    """A worker and what it said."""

    def __init__(self, process: Process, job: Job) -> None:
        self.process = process
        self.job = job

    def of(self, event: str) -> List[Event]:
        return [said for said in self.process.events if said["event"] == event]

    @property
    def batches(self) -> List[Tuple[str, int, str]]:
        """(recipe, epoch, digest) of those it took."""
        return [(said["recipe"], said["epoch"], said["digest"]) for said in self.of("batch")]

    @property
    def log(self) -> List[str]:
        return [said["text"] for said in self.of("log")]

    def wait_for_batches(self, count: int) -> None:
        until(lambda: len(self.of("batch")) >= count or not self.process.alive, f"batch {count}")
        assert len(self.of("batch")) >= count, self.process.events[-3:]

    def wait_for_log(self, text: str, since: float = 0, timeout_s: float = READY_S) -> Event:
        """The first line with this text after a time."""

        def wanted(said: Event) -> bool:
            return said["event"] == "log" and text in said["text"] and said["t"] >= since

        return self.process.wait_for(wanted, f'line with "{text}"', timeout_s)

    def wait(self, timeout_s: float = READY_S * 2) -> None:
        """Until it took all batches."""
        code = self.process.wait(timeout_s)
        assert code == 0, (self.process.events[-3:], self.process.complaints[-2000:])

    @property
    def longest_wait_s(self) -> float:
        """For a batch, after the first."""
        times: List[float] = [said["t"] for said in self.of("batch")]
        gaps = [after - before for before, after in zip(times, times[1:])]
        return max(gaps) - self.job.pace_ms / 1000

    def wait_for_error(self, timeout_s: float = READY_S) -> Event:
        return self.process.wait_for(lambda said: said["event"] == "error", "error", timeout_s)


class Cluster:
    """Starts processes on machines, and sees that none is left."""

    def __init__(
        self,
        machines: Machines,
        folder: Path,
        security: Security,
        values: Optional[Mapping[str, object]] = None,
    ) -> None:
        self.machines = machines
        self.settings = dict(values or {})
        self.security = security
        self.tool = os.path.abspath(os.environ["GLS_TOOL"])
        self.servers: List[Server] = []
        self._folder = folder
        self._processes: List[Process] = []

    def env(self, machine: Machine) -> Dict[str, str]:
        # Threads of all processes share the cores of one machine.
        return settings({"threads": 2, **self.security.of(machine), **self.settings})

    def start(self, machine: Machine, command: Sequence[str], name: str) -> Process:
        errors = self._folder / f"{name}.err"
        process = Process(machine, command, self.env(machine), errors)
        self._processes.append(process)
        return process

    def serve(
        self,
        machine: int,
        folder: Path,
        parts: Sequence[int],
        *,
        others: Sequence[str] = (),
        port: int = PORT,
    ) -> Server:
        server = Server(self, self.machines[machine], folder, parts, others, port)
        self.servers.append(server)
        return server

    def spread(
        self, folder: Path, parts: int, machines: int = 0, known: bool = False
    ) -> List[Server]:
        """Serves all parts, from so many machines in turn; each knows the one before, or all."""
        count = machines or parts
        for number in range(count):
            others = [self.servers[-1].address] if self.servers else []
            if known:
                others = [self.address(other) for other in range(count)]
            self.serve(number, folder, range(number, parts, count), others=others)
        return self.servers

    def address(self, machine: int) -> str:
        """Of the server on a machine, also of one that is still to come."""
        return f"{self.machines[machine].address}:{PORT}"

    @property
    def place(self) -> str:
        """Names all servers."""
        return "gls://" + ",".join(server.address for server in self.servers)

    def client(self, machine: int, place: str = "", **job: Any) -> Client:
        given = Job(place or self.place, **job)
        command = [sys.executable, str(HERE / "worker.py"), given.text()]
        number = len(self._processes)
        name = f"client {number}"
        return Client(self.start(self.machines[machine], command, name), given)

    def close(self) -> None:
        for process in self._processes:
            process.end()
        for machine in self.machines:
            machine.plug()
        left = [pid for machine in self.machines for pid in machine.processes()]
        assert left == [], f"processes are left: {left}"

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()
