"""Faults: each is done to a cluster in the middle of an epoch, and says what came of it.

test_faults.py checks that, and faults_table.py measures it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

from cluster import CLIENT, Client, Cluster, Server
from processes import Event, until

PARTS = 2
BEGUN = 12  # batches before something happens
LATER_S = 0.5  # between the moment that something was noticed and its end


@dataclass
class Outcome:
    """Of a fault."""

    noticed_s: float
    """From the fault to the moment that somebody on the other side says so."""
    said: str
    """By the one who noticed."""
    clients: List[Client] = field(default_factory=list)
    """Those that took all batches."""
    error_s: Optional[float] = None
    """From the fault to an error that ends a client, where there is no server left."""

    @property
    def longest_wait_s(self) -> float:
        return max(client.longest_wait_s for client in self.clients)


class Scene:
    """A cluster whose clients are in the middle of an epoch."""

    def __init__(self, cluster: Cluster, parts: Path) -> None:
        self.cluster = cluster
        self.clients: List[Client] = []
        self._parts = parts

    def begin(self, *, replicas: bool, clients: int = 1) -> None:
        """Two servers: of a part each, or both of both."""
        for number in range(PARTS):
            of = range(PARTS) if replicas else [number]
            self.cluster.serve(number, self._parts, of)
        for number in range(clients):
            self.clients.append(self.cluster.client(CLIENT - number, pace_ms=20))
        self._wait_until_begun()

    def begin_with_batches_of_servers(self) -> None:
        """Servers that make batches: two of a part each, which ask for the rest, and one of both."""
        places: List[Sequence[int]] = [[part] for part in range(PARTS)] + [range(PARTS)]
        others = [self.cluster.address(number) for number in range(len(places))]
        for number, of in enumerate(places):
            self.cluster.serve(number, self._parts, of, others=others)
        job: Dict[str, Any] = {"pace_ms": 20, "common": {"made_by": "servers"}}
        self.clients.append(self.cluster.client(CLIENT, **job))
        self._wait_until_begun()

    def _wait_until_begun(self) -> None:
        for client in self.clients:
            client.wait_for_batches(BEGUN)

    @property
    def servers(self) -> List[Server]:
        return self.cluster.servers

    @property
    def client(self) -> Client:
        return self.clients[0]

    def asked(self) -> Server:
        """The one that is asked most now."""
        before = [server.machine.received() for server in self.servers]
        self.client.wait_for_batches(len(self.client.batches) + 4)
        more = [server.machine.received() - bytes for server, bytes in zip(self.servers, before)]
        return self.servers[more.index(max(more))]

    def noticed(self, server: Server, since: float) -> Event:
        return self.client.wait_for_log(server.address, since)

    def replace(self, server: Server, known: Server, parts: Sequence[int] = ()) -> Server:
        """A server as this one on a machine that nobody knows, which knows one of the others."""
        number = len(self.servers)
        made = self.cluster.serve(
            number, self._parts, parts or server.parts, others=[known.address]
        )
        self.client.wait_for_log(f"{made.address} serves part")
        return made

    def end(self, since: float, said: Event) -> Outcome:
        """Waits for the clients."""
        for client in self.clients:
            client.wait()
        return Outcome(said["t"] - since, said["text"], self.clients)


def killed_and_started_again(scene: Scene) -> Outcome:
    scene.begin(replicas=False)
    server = scene.servers[0]
    since = time.monotonic()
    server.kill()
    said = scene.noticed(server, since)
    time.sleep(LATER_S)
    server.start()
    return scene.end(since, said)


def killed_with_replica(scene: Scene) -> Outcome:
    scene.begin(replicas=True)
    server = scene.asked()
    since = time.monotonic()
    server.kill()
    return scene.end(since, scene.noticed(server, since))


def maker_killed_with_replica(scene: Scene) -> Outcome:
    """The client and the other servers ask it."""
    scene.begin_with_batches_of_servers()
    server = scene.servers[-1]
    since = time.monotonic()
    server.kill()
    return scene.end(since, scene.noticed(server, since))


def both_replicas_killed(scene: Scene) -> Outcome:
    scene.begin(replicas=True)
    server = scene.asked()
    since = time.monotonic()
    for one in scene.servers:
        one.kill()
    said = scene.noticed(server, since)
    time.sleep(LATER_S)
    server.start()
    return scene.end(since, said)


def moved_with_replica(scene: Scene) -> Outcome:
    """One of two is started again on another machine, then the other one is gone for good."""
    scene.begin(replicas=True)
    stays = scene.asked()
    goes = next(server for server in scene.servers if server is not stays)
    since = time.monotonic()
    goes.kill()
    said = scene.noticed(goes, since)
    time.sleep(LATER_S)
    scene.replace(goes, stays)
    stays.kill()
    return scene.end(since, said)


def moved(scene: Scene) -> Outcome:
    """The only server of a part."""
    scene.begin(replicas=False)
    server, other = scene.servers
    since = time.monotonic()
    server.kill()
    said = scene.noticed(server, since)
    time.sleep(LATER_S)
    scene.replace(server, other)
    return scene.end(since, said)


def moved_makers(scene: Scene) -> Outcome:
    """Of servers that make batches, all but one, which asks them for the other part."""
    scene.begin_with_batches_of_servers()
    stays, *go = scene.servers
    since = time.monotonic()
    for server in go:
        server.kill()
    said = scene.noticed(go[0], since)
    time.sleep(LATER_S)
    scene.replace(go[0], stays)
    return scene.end(since, said)


def added_while_all_is_well(scene: Scene) -> Outcome:
    """A server of all parts that the client was not told of; then those that it knew are gone."""
    scene.begin(replicas=False)
    known = list(scene.servers)
    scene.replace(known[0], known[0], range(PARTS))
    since = time.monotonic()
    for server in known:
        server.kill()
    return scene.end(since, scene.noticed(known[0], since))


def killed_for_good(scene: Scene) -> Outcome:
    scene.begin(replicas=False)
    server = scene.servers[1]
    since = time.monotonic()
    server.kill()
    return _given_up(scene, server, since)


def frozen_and_thawed(scene: Scene) -> Outcome:
    scene.begin(replicas=False)
    server = scene.servers[0]
    since = time.monotonic()
    server.process.freeze()
    said = scene.noticed(server, since)
    time.sleep(LATER_S)
    server.process.thaw()
    return scene.end(since, said)


def frozen_with_replica(scene: Scene) -> Outcome:
    scene.begin(replicas=True)
    server = scene.asked()
    since = time.monotonic()
    server.process.freeze()
    outcome = scene.end(since, scene.noticed(server, since))
    server.process.thaw()
    return outcome


def frozen_for_good(scene: Scene) -> Outcome:
    scene.begin(replicas=False)
    server = scene.servers[1]
    since = time.monotonic()
    server.process.freeze()
    return _given_up(scene, server, since)


def unplugged_for_a_while(scene: Scene) -> Outcome:
    scene.begin(replicas=False)
    server = scene.servers[0]
    since = time.monotonic()
    server.machine.unplug()
    said = scene.noticed(server, since)
    time.sleep(LATER_S)
    server.machine.plug()
    return scene.end(since, said)


def unplugged_with_replica(scene: Scene) -> Outcome:
    scene.begin(replicas=True)
    server = scene.asked()
    since = time.monotonic()
    server.machine.unplug()
    return scene.end(since, scene.noticed(server, since))


def unplugged_for_good(scene: Scene) -> Outcome:
    scene.begin(replicas=False)
    server = scene.servers[1]
    since = time.monotonic()
    server.machine.unplug()
    return _given_up(scene, server, since)


def drained_with_replica(scene: Scene) -> Outcome:
    scene.begin(replicas=True)
    server = scene.asked()
    since = time.monotonic()
    end = server.drain()
    assert end["requests"] > 0, end
    said = scene.noticed(server, since)
    assert "goodbye" in said["text"], said
    return scene.end(since, said)


def all_servers_in_turn(scene: Scene) -> Outcome:
    """As for a new version of the program."""
    scene.begin(replicas=True)
    first = scene.asked()
    since = time.monotonic()
    for server in [first] + [other for other in scene.servers if other is not first]:
        server.drain()
        server.start()
    return scene.end(since, scene.noticed(first, since))


def client_killed(scene: Scene) -> Outcome:
    scene.begin(replicas=False, clients=3)
    server = scene.servers[0]
    before = server.process.sockets()
    since = time.monotonic()
    scene.clients.pop().process.end()
    return scene.end(since, _dropped(server, before))


def client_frozen_for_a_while(scene: Scene) -> Outcome:
    scene.begin(replicas=False)
    server = scene.servers[0]
    before = server.process.sockets()
    since = time.monotonic()
    scene.client.process.freeze()
    said = _dropped(server, before)
    assert "silent" in server.process.complaints
    time.sleep(LATER_S)
    scene.client.process.thaw()
    return scene.end(since, said)


def client_unplugged_for_a_while(scene: Scene) -> Outcome:
    scene.begin(replicas=False)
    server = scene.servers[0]
    before = server.process.sockets()
    since = time.monotonic()
    scene.client.process.machine.unplug()
    said = _dropped(server, before)
    assert "silent" in server.process.complaints
    time.sleep(LATER_S)
    scene.client.process.machine.plug()
    return scene.end(since, said)


def _given_up(scene: Scene, server: Server, since: float) -> Outcome:
    said = scene.noticed(server, since)
    error = scene.client.wait_for_error()
    assert server.address in error["text"] and "asked for" in error["text"], error
    assert "part 1 at" in error["text"], error
    return Outcome(said["t"] - since, error["text"], error_s=error["t"] - since)


def _dropped(server: Server, before: int) -> Event:
    """When a server has closed the socket of a client."""
    until(lambda: server.process.sockets() < before, "end of a connection")
    return {"t": time.monotonic(), "text": f"{server.address} has closed it"}


@dataclass(frozen=True)
class Fault:
    """Something to be done, and who notices it how soon."""

    run: Callable[[Scene], Outcome]
    what: str
    silent: bool
    """Nothing is sent when it happens: only net.peer_timeout_ms tells."""
    lost: str = "nothing"

    @property
    def fatal(self) -> bool:
        return self.lost != "nothing"


_EPOCH = "the rest of the epoch"

FAULTS: Dict[str, Fault] = {
    fault.run.__name__: fault
    for fault in (
        Fault(killed_and_started_again, "server killed (SIGKILL), started again", False),
        Fault(killed_with_replica, "server killed, another has its parts", False),
        Fault(
            maker_killed_with_replica,
            "server that makes batches killed, others make them and have its parts",
            False,
        ),
        Fault(both_replicas_killed, "both servers of a part killed, one started again", False),
        Fault(
            moved_with_replica,
            "one of two servers of all parts killed, started on another machine, then the other killed",
            False,
        ),
        Fault(moved, "server killed, started on another machine", False),
        Fault(
            moved_makers,
            "two of three servers that make batches killed, one started on another machine",
            False,
        ),
        Fault(added_while_all_is_well, "server added, then all that were known killed", False),
        Fault(killed_for_good, "the only server of a part killed", False, _EPOCH),
        Fault(frozen_and_thawed, "server hangs (SIGSTOP), then goes on", True),
        Fault(frozen_with_replica, "server hangs, another has its parts", True),
        Fault(frozen_for_good, "the only server of a part hangs", True, _EPOCH),
        Fault(unplugged_for_a_while, "network of a server gone, then back", True),
        Fault(unplugged_with_replica, "network of a server gone, another has its parts", True),
        Fault(unplugged_for_good, "network of the only server of a part gone", True, _EPOCH),
        Fault(drained_with_replica, "server ended (SIGTERM), another has its parts", False),
        Fault(all_servers_in_turn, "all servers ended and started again, in turn", False),
        Fault(client_killed, "one of three clients killed", False),
        Fault(client_frozen_for_a_while, "client hangs (SIGSTOP), then goes on", True),
        Fault(client_unplugged_for_a_while, "network of a client gone, then back", True),
    )
}
