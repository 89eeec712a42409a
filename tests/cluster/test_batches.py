"""Servers on machines of their own give the batches that one process gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from cluster import CLIENT, Client, Cluster
from expected import Expected
from recipes import OF_SAMPLERS, SHORT

SOME = ["neighbours", "columns", "times", "links"]
Make = Callable[..., Cluster]
Parts = Callable[[int], Path]


def check(client: Client, expected: Expected) -> None:
    client.wait()
    assert client.batches == expected.of(client.job)
    assert client.log == []


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_every_method(count: int, cluster: Make, parts: Parts, expected: Expected) -> None:
    made = cluster()
    made.spread(parts(count), count)
    client = made.client(CLIENT, recipes=SHORT, epochs=[3], whole=str(expected.path))
    check(client, expected)
    assert client.of("described") != []
    assert sum(server.drain()["failures"] for server in made.servers) == 0


def test_every_method_made_by_servers(cluster: Make, parts: Parts, expected: Expected) -> None:
    made = cluster()
    made.spread(parts(2), 2, known=True)
    recipes = [name for name in SHORT if name not in OF_SAMPLERS]
    job: Dict[str, Any] = {"recipes": recipes, "epochs": [3], "common": {"made_by": "servers"}}
    check(made.client(CLIENT, **job), expected)
    for server in made.servers:
        end = server.drain()
        # Servers that make batches are clients themselves.
        assert end["failures"] == 0 and end["connections"] >= 2, end


def test_several_parts_on_each_machine(cluster: Make, parts: Parts, expected: Expected) -> None:
    made = cluster()
    servers = made.spread(parts(8), 8, machines=3)
    assert [server.parts for server in servers] == [[0, 3, 6], [1, 4, 7], [2, 5]]
    clients = [made.client(machine, recipes=SOME) for machine in (CLIENT, 0, 2)]
    for client in clients:
        check(client, expected)


def test_one_address_is_enough(cluster: Make, parts: Parts, expected: Expected) -> None:
    """Each server knows the one before it, and the client the last."""
    made = cluster()
    last = made.spread(parts(4), 4)[-1]
    check(made.client(CLIENT, f"gls://{last.address}", recipes=SOME), expected)


@pytest.mark.parametrize("security", ["plain", "certificates"])
def test_protections(security: str, cluster: Make, parts: Parts, expected: Expected) -> None:
    made = cluster(security)
    made.spread(parts(2), 2)
    for client in [made.client(machine, recipes=SOME) for machine in (CLIENT, 1)]:
        check(client, expected)


@pytest.mark.parametrize(
    "server, client", [("key", "plain"), ("plain", "key"), ("certificates", "key")]
)
def test_others_are_not_let_in(server: str, client: str, cluster: Make, parts: Parts) -> None:
    made = cluster(server)
    made.spread(parts(1), 1)
    other = cluster(client, cluster__open_timeout_ms=2000)
    stranger = other.client(CLIENT, made.place)
    error = stranger.wait_for_error()
    assert error["kind"] in ("TimedOut", "IoError", "InvalidArgument")
    assert made.servers[0].address in error["text"]
    stranger.process.wait()
    assert made.servers[0].drain()["requests"] == 0


def test_servers_may_come_later(cluster: Make, parts: Parts, expected: Expected) -> None:
    made = cluster()
    first, second = (f"10.0.0.{number}:4711" for number in (1, 2))
    client = made.client(CLIENT, f"gls://{first},{second}", recipes=SOME)
    client.wait_for_log(f"{second} is gone: Connection refused")
    made.serve(1, parts(2), [1])
    made.serve(0, parts(2), [0])
    client.wait()
    assert client.batches == expected.batches(SOME, [0])


def test_trainers_that_serve(cluster: Make, parts: Parts, expected: Expected) -> None:
    """Each process serves a part and trains on its share of each epoch, as in a training job."""
    made = cluster()
    count = 3
    addresses = [made.address(number) for number in range(count)]
    clients: List[Client] = []
    for number in range(count):
        serve = {
            "path": str(parts(count)),
            "listen": addresses[number],
            "parts": [number],
            "servers": addresses,
        }
        common = {"rank": number, "world_size": count}
        job = {"recipes": SOME, "epochs": [0, 1], "common": common, "serve": serve}
        clients.append(made.client(number, f"gls://{addresses[number]}", **job))
    for client in clients:
        client.process.wait_for(lambda said: said["event"] in ("end", "error"), "end")
    for client in clients:
        client.process.finish()
        client.wait()
    taken = [batch for client in clients for batch in client.batches]
    assert sorted(taken) == sorted(expected.batches(SOME, [0, 1]))
