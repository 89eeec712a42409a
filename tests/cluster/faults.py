"""Faults: each is done to a cluster in the middle of an epoch, and says what came of it.

test_faults.py checks that, and faults_table.py measures it.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from cluster import CLIENT, HERE, Client, Cluster, Server
from processes import Event, Process, until
from ways import WAYS, Way

PARTS = 2
MEMBERS = 3  # of a group
BEGUN = 12  # batches before something happens
LATER_S = 0.5  # between the moment that something was noticed and its end


@dataclass(frozen=True)
class Conditions:
    """Under which it happens."""

    way: str = "key"
    """Of WAYS: what data go over."""
    recipe: str = "long"
    made_by: str = "here"
    parts: int = PARTS

    @property
    def over(self) -> Way:
        return WAYS[self.way]


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

    def __init__(self, cluster: Cluster, parts: Path, under: Conditions) -> None:
        self.cluster = cluster
        self.clients: List[Client] = []
        self._parts = parts
        self._under = under
        self._way = under.over

    def begin(self, *, replicas: bool, clients: int = 1) -> None:
        """As many servers as parts: of one each, or of two, so that each part has two servers."""
        parts = self._under.parts
        each = 2 if replicas else 1
        self._serve([sorted({n, (n + each - 1) % parts}) for n in range(parts)])
        for number in range(clients):
            machine = 0 if self._way.one_machine else CLIENT - number
            self.clients.append(self.cluster.client(machine, **self._job()))
        self._wait_until_begun()

    def begin_with_makers(self) -> None:
        """Servers that make batches: two of a part each, which ask for the rest, and one of both."""
        self._serve([[part] for part in range(PARTS)] + [range(PARTS)])
        self.clients.append(self.cluster.client(CLIENT, **self._job()))
        self._wait_until_begun()

    def begin_collocated(self, parts: Sequence[int]) -> None:
        """Trainers that serve a part each."""
        addresses = [self._way.address(self.cluster, number) for number in range(len(parts))]
        for rank, part in enumerate(parts):
            serve = {"path": str(self._parts), "listen": addresses[rank], "parts": [part]}
            self.clients.append(self.train(rank, {**serve, "servers": addresses}, told=True))
        for client in self.clients:  # which learn of replicas while they open the graph
            client.process.wait_for(lambda said: said["event"] == "ready", "ready")
        for client in self.clients:
            client.process.tell("open")
        self._wait_until_begun()

    def begin_group(self) -> List[Process]:
        """Three processes of a group, which have met a few times."""
        members = []
        for rank in range(MEMBERS):
            place = self.cluster.address(0)
            command = [sys.executable, str(HERE / "member.py"), place, str(rank), str(MEMBERS)]
            machine = self.cluster.machines[rank]
            members.append(self.cluster.start(machine, command, f"member {rank}"))
        for member in members:
            until(lambda: len(member.events) >= BEGUN or not member.alive, "members have met")
            assert member.alive, member.complaints
        return members

    def train(self, rank: int, serve: Dict[str, Any], told: bool = False) -> Client:
        """Starts one of them."""
        common = {"rank": rank, "world_size": len(serve["servers"])}
        job = {**self._job(), "common": common, "serve": serve, "epochs": [0, 1], "told": told}
        return self.cluster.client(self._way.machine(rank), f"gls://{serve['listen']}", **job)

    def _serve(self, places: Sequence[Sequence[int]]) -> None:
        """Servers of these parts; those that make batches know each other."""
        others: List[str] = []
        if self._under.made_by == "servers":
            others = [self._way.address(self.cluster, number) for number in range(len(places))]
        for number, of in enumerate(places):
            machine, port = self._way.machine(number), self._way.port(number)
            self.cluster.serve(machine, self._parts, of, others=others, port=port)

    def _job(self) -> Dict[str, Any]:
        common = {"made_by": self._under.made_by}
        return {"recipes": [self._under.recipe], "pace_ms": 20, "common": common}

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

    def kill_trainer(self, number: int) -> Tuple[float, Event, Client]:
        """When, what the first of the others said, and who it was."""
        killed = self.clients.pop(number)
        since = time.monotonic()
        killed.process.end()
        return since, self.client.wait_for_log(killed.job.serve["listen"], since), killed

    def end_collocated(self, since: float, said: Event) -> Outcome:
        """Each serves until all have what they wanted."""
        for client in self.clients:
            client.process.wait_for(lambda event: event["event"] in ("end", "error"), "end")
        for client in self.clients:
            client.process.finish()
        return self.end(since, said)

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
    scene.begin_with_makers()
    server = scene.servers[-1]
    since = time.monotonic()
    server.kill()
    return scene.end(since, scene.noticed(server, since))


def server_of_this_host_killed(scene: Scene) -> Outcome:
    """The client has its files, and asks nobody."""
    scene.begin(replicas=False)
    server = scene.servers[0]
    since = time.monotonic()
    server.kill()
    return scene.end(since, scene.noticed(server, since))


def trainer_killed_with_replica(scene: Scene) -> Outcome:
    """One of four, each with one of two parts; its share of the epoch is lost, the others' is not."""
    scene.begin_collocated([0, 1, 0, 1])
    return scene.end_collocated(*scene.kill_trainer(1)[:2])


def trainer_killed_and_started_again(scene: Scene) -> Outcome:
    """One of two, which begins its share of the epoch again."""
    scene.begin_collocated([0, 1])
    since, said, killed = scene.kill_trainer(1)
    time.sleep(LATER_S)
    scene.clients.append(scene.train(1, killed.job.serve))
    return scene.end_collocated(since, said)


def member_killed(scene: Scene) -> Outcome:
    return _member_lost(scene, 2, Process.kill)


def member_frozen(scene: Scene) -> Outcome:
    return _member_lost(scene, 2, Process.freeze)


def first_member_killed(scene: Scene) -> Outcome:
    return _member_lost(scene, 0, Process.kill)


def first_member_frozen(scene: Scene) -> Outcome:
    return _member_lost(scene, 0, Process.freeze)


def _member_lost(scene: Scene, rank: int, lose: Callable[[Process], None]) -> Outcome:
    """The others wait for it in a barrier or an all-gather, and are told who it was."""
    members = scene.begin_group()
    lost = members.pop(rank)
    since = time.monotonic()
    lose(lost)
    errors = [member.wait_for(lambda said: said["event"] == "error", "error") for member in members]
    for error, member in zip(errors, members):
        assert error["kind"] == "IoError" and f"rank {rank}" in error["text"], error
        assert member.wait() == 0, member.complaints
    times = [error["t"] - since for error in errors]
    return Outcome(min(times), errors[0]["text"], error_s=max(times))


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
    scene.begin_with_makers()
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
    silent: bool = False
    """Nothing is sent when it happens: only net.peer_timeout_ms tells."""
    lost: str = "nothing"
    under: Conditions = Conditions()
    in_table: bool = True
    """It is a row of docs/reliability.md."""

    @property
    def name(self) -> str:
        if self.under == Conditions():
            return self.run.__name__
        of = [self.under.way, self.under.made_by, self.under.recipe]
        of += [f"{self.under.parts} parts"] if self.under.parts != PARTS else []
        return f"{self.run.__name__}, {', '.join(of)}"

    @property
    def fatal(self) -> bool:
        return self.lost in (_EPOCH, _GROUP)


_EPOCH = "the rest of the epoch"
_GROUP = "what the group does together"
_MADE = Conditions(made_by="servers")
_UCX, _OFI, _SHARED = Conditions("ucx"), Conditions("ofi"), Conditions("ucx, shared memory")
_ALL = [
    Fault(killed_and_started_again, "server killed (SIGKILL), started again"),
    Fault(killed_with_replica, "server killed, another has its parts"),
    Fault(both_replicas_killed, "both servers of a part killed, one started again"),
    Fault(
        moved_with_replica,
        "one of two servers of all parts killed, started on another machine, then the other killed",
    ),
    Fault(moved, "server killed, started on another machine"),
    Fault(
        moved_makers,
        "two of three servers that make batches killed, one started on another machine",
        under=_MADE,
    ),
    Fault(added_while_all_is_well, "server added, then all that were known killed"),
    Fault(killed_for_good, "the only server of a part killed", lost=_EPOCH),
    Fault(frozen_and_thawed, "server hangs (SIGSTOP), then goes on", True),
    Fault(frozen_with_replica, "server hangs, another has its parts", True),
    Fault(frozen_for_good, "the only server of a part hangs", True, _EPOCH),
    Fault(unplugged_for_a_while, "network of a server gone, then back", True),
    Fault(unplugged_with_replica, "network of a server gone, another has its parts", True),
    Fault(unplugged_for_good, "network of the only server of a part gone", True, _EPOCH),
    Fault(drained_with_replica, "server ended (SIGTERM), another has its parts"),
    Fault(all_servers_in_turn, "all servers ended and started again, in turn"),
    Fault(client_killed, "one of three clients killed"),
    Fault(client_frozen_for_a_while, "client hangs (SIGSTOP), then goes on", True),
    Fault(client_unplugged_for_a_while, "network of a client gone, then back", True),
    # Data over lanes.
    Fault(killed_and_started_again, "server killed, started again; over UCX", under=_UCX),
    Fault(killed_and_started_again, "the same over libfabric", under=_OFI),
    Fault(killed_and_started_again, "the same over UCX' shared memory", under=_SHARED),
    Fault(killed_with_replica, "server killed, another has its parts; over UCX", under=_UCX),
    Fault(killed_with_replica, "the same over libfabric", under=_OFI),
    Fault(frozen_with_replica, "server hangs, another has its parts; over UCX", True, under=_UCX),
    Fault(frozen_with_replica, "the same over libfabric", True, under=_OFI),
    Fault(drained_with_replica, "server ended, another has its parts; over UCX", under=_UCX),
    Fault(drained_with_replica, "the same over libfabric", under=_OFI),
    Fault(client_killed, "one of three clients killed; over UCX", under=_UCX),
    Fault(client_killed, "the same over libfabric", under=_OFI),
    # Batches made by servers.
    Fault(
        maker_killed_with_replica,
        "server that makes batches killed, others make them and have its parts",
        under=_MADE,
    ),
    Fault(killed_and_started_again, "server that makes batches killed, started again", under=_MADE),
    Fault(frozen_with_replica, "such a server hangs, another has its parts", True, under=_MADE),
    Fault(
        unplugged_with_replica,
        "network of such a server gone, another has its parts",
        True,
        under=_MADE,
    ),
    # Processes that train and serve, and files that a client has mapped.
    Fault(
        trainer_killed_with_replica,
        "one of four trainers that serve killed, others have its part",
        lost="its own share of the epoch",
    ),
    Fault(trainer_killed_and_started_again, "one of two trainers that serve killed, begins again"),
    Fault(
        server_of_this_host_killed,
        "server on the host of a client killed, its files are mapped",
        under=Conditions("mapped"),
    ),
    # Groups, whose processes wait for each other.
    Fault(member_killed, "a process of a group killed", lost=_GROUP),
    Fault(member_frozen, "a process of a group hangs", True, _GROUP),
    Fault(first_member_killed, "rank 0 of a group killed", lost=_GROUP),
    Fault(first_member_frozen, "rank 0 of a group hangs", True, _GROUP),
]


def _more(
    run: Callable[[Scene], Outcome], *under: Tuple[str, str, str], parts: int = PARTS
) -> None:
    """Tests of the same fault under other conditions."""
    known = next(fault for fault in _ALL if fault.run is run)
    for conditions in under:
        _ALL.append(replace(known, under=Conditions(*conditions, parts), in_table=False))


# Each method that reads rows or asks for edges, under most of what happens to servers.
_more(
    killed_and_started_again,
    ("key", "long page rank", "here"),
    ("ofi", "long walks", "here"),
    ("ucx", "long anchors", "servers"),
)
_more(
    killed_with_replica,
    ("ucx", "long budgets", "here"),
    ("key", "long induced", "here"),
    ("ofi", "long links", "servers"),
)
_more(
    frozen_with_replica,
    ("ucx", "long page rank", "here"),
    ("ofi", "long anchors", "here"),
    ("key", "long walks", "servers"),
)
_more(
    drained_with_replica,
    ("ucx", "long walks", "here"),
    ("ofi", "long induced", "here"),
    ("key", "long budgets", "servers"),
)
_more(
    unplugged_with_replica,
    ("ucx", "long links", "here"),
    ("ofi", "long budgets", "here"),
    ("key", "long page rank", "servers"),
)
_more(
    all_servers_in_turn,
    ("key", "long anchors", "here"),
    ("ucx", "long induced", "servers"),
    ("ofi", "long page rank", "here"),
)
_more(client_killed, ("ucx", "long links", "servers"), ("certificates", "long walks", "here"))
# More servers.
for run in (killed_and_started_again, killed_with_replica, frozen_with_replica):
    _more(run, ("key", "long", "here"), ("ofi", "long", "servers"), parts=4)
    _more(run, ("ucx", "long", "here"), ("key", "long", "servers"), parts=8)
_more(killed_for_good, ("key", "long", "here"), parts=8)
_more(drained_with_replica, ("key", "long", "here"), parts=8)
# Rows are read out of the servers' memory.
for run in (killed_and_started_again, killed_with_replica):
    _more(run, ("ofi, one-sided", "long", "here"))

FAULTS: Dict[str, Fault] = {fault.name: fault for fault in _ALL}
assert len(FAULTS) == len(_ALL), "two faults have one name"
