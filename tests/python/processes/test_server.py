"""Servers of parts of a graph, and the graph opened from them."""

from __future__ import annotations

import logging
import math
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator, List, Tuple

import numpy as np
import pytest
from images import image

import gls

KEY = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLS_NET_KEY", KEY)


@pytest.fixture()
def parts(shop: gls.Dataset, tmp_path: Path) -> Path:
    shop.partition(tmp_path / "parts", 2, method="random")
    return tmp_path / "parts"


@pytest.fixture(params=["network", "same host"])
def servers(parts: Path, request: pytest.FixtureRequest) -> Iterator[Tuple[gls.Server, gls.Server]]:
    context = gls.Context(num_threads=1)
    context.set("cluster.same_host", str(request.param == "same host").lower())
    with gls.Server(parts, parts=[0], context=context) as first:
        with gls.Server(
            parts, parts=[1], servers=[first.address], name="the second", context=context
        ) as second:
            yield first, second


def eventually(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def same(near: gls.Dataset, far: gls.Dataset, made_by: str = "here") -> int:
    """Compares an epoch of both; how many batches it has."""
    loaders = [
        gls.NeighborLoader(
            dataset, [3, 2], ("user", "train"), batch_size=7, shuffle=True, made_by=by
        )
        for dataset, by in ((near, "here"), (far, made_by))
    ]
    images = [[image(batch) for batch in loader] for loader in loaders]
    assert images[0] == images[1]
    return len(images[0])


def test_the_same_batches(
    shop: gls.Dataset, servers: Tuple[gls.Server, gls.Server], parts: Path
) -> None:
    first, second = servers
    far = gls.Dataset.open(f"gls://{second.address}")
    assert far.node_types == shop.node_types and far.edge_types == shop.edge_types
    assert [far.num_nodes(name) for name in far.node_types] == [
        shop.num_nodes(name) for name in shop.node_types
    ]
    assert same(shop, far) > 1
    assert same(gls.Dataset.open(parts), far) > 1
    info = first.info
    assert (info.parts, info.graph_parts, info.clients, info.failures) == (1, 2, 1, 0)
    # The second one says to the first where it is.
    assert info.requests > 0 and info.admitted == info.accepted <= 2
    again = pickle.loads(pickle.dumps(far))
    assert again.num_nodes("item") == shop.num_nodes("item")
    assert second.info.clients == 2


def test_batches_made_by_servers(
    shop: gls.Dataset, servers: Tuple[gls.Server, gls.Server], parts: Path
) -> None:
    first, second = servers
    far = gls.Dataset.open(f"gls://{second.address}")
    before = second.info.requests
    assert same(shop, far, "servers") > 1
    # It makes all of them, as the first one does not know it.
    assert second.info.requests > before
    links = [
        gls.LinkNeighborLoader(
            dataset, [2], "user__buys__item", batch_size=16, made_by=by, pad=True, num_workers=3
        )
        for dataset, by in ((shop, "here"), (far, "servers"))
    ]
    assert [image(batch) for batch in links[0]] == [image(batch) for batch in links[1]]
    with pytest.raises(gls.Unsupported, match="made_by"):
        gls.NeighborLoader(shop, [3], ("user", "train"), made_by="servers")
    own, remote, served = (
        gls.NeighborLoader(dataset, [3, 2], ("user", "train"), batch_size=8, made_by=by)
        for dataset, by in ((shop, "here"), (far, "here"), (far, "servers"))
    )
    here, there = own.plan(3), remote.plan(3)
    for counted in ("batches", "seeds", "nodes", "edges"):
        assert there[counted] == here[counted]
    with pytest.raises(gls.Unsupported, match="servers make"):
        served.plan(3)
    with pytest.raises(gls.InvalidArgument, match="made_by"):
        gls.NeighborLoader(far, [3], ("user", "train"), made_by="anybody")


def test_questions_about_edges(
    shop: gls.Dataset, servers: Tuple[gls.Server, gls.Server], parts: Path
) -> None:
    buys = "user__buys__item"
    ids = list(range(0, shop.num_edges(buys), 3))
    ends = [end.tolist() for end in shop.find_edges(ids, buys)]
    for far in (gls.Dataset.open(f"gls://{servers[1].address}"), gls.Dataset.open(parts)):
        assert [end.tolist() for end in far.find_edges(ids, buys)] == ends
        assert all(far.has_edges(*ends, buys).tolist())
        backwards = [list(reversed(ends[0])), ends[1]]
        assert far.has_edges(*backwards, buys).tolist() == shop.has_edges(*backwards, buys).tolist()
        for direction in ("in", "out"):
            found = far.degrees(type=buys, direction=direction)
            assert found.tolist() == shop.degrees(type=buys, direction=direction).tolist()
        with pytest.raises(gls.InvalidArgument, match="edge id"):
            far.find_edges([shop.num_edges(buys)], buys)


def test_one_server_alone(parts: Path) -> None:
    with gls.Server(parts, parts=[1], name="the second") as server:
        probe = gls.Server.probe(server.address)
        assert probe == ("the second", gls.__version__, probe.graph, (1,), 2)
        assert probe.graph == gls.Partition.open(parts).graph
        with gls.Context(num_threads=1) as context:
            context.set("net.key_variable", "")
            with pytest.raises(gls.InvalidArgument, match="net.key_file"):
                gls.Server.probe(server.address, context=context)
        with pytest.raises(gls.TimedOut):
            gls.Server.probe(server.address, timeout=0)
        assert gls.Server.probe(server.address, timeout=math.inf) == probe
        for wrong in (-1, -0.0001, math.nan, -math.inf):
            with pytest.raises(gls.InvalidArgument, match="timeout"):
                gls.Server.probe(server.address, timeout=wrong)
            with pytest.raises(gls.InvalidArgument, match="timeout"):
                server.stop(wrong)
        server.stop(math.inf)
        with pytest.raises(gls.IoError):
            gls.Server.probe(server.address, timeout=None)


def test_rows_and_owners(
    shop: gls.Dataset, servers: Tuple[gls.Server, gls.Server], parts: Path
) -> None:
    book = gls.Partition.open(parts)
    for far in (gls.Dataset.open(f"gls://{servers[1].address}"), gls.Dataset.open(parts)):
        for name in far.node_types:
            ids = [*range(0, far.num_nodes(name), 3), 0]
            owners = far.owners(ids, name).tolist()
            assert owners == book.owners(ids, name).tolist() and set(owners) == {0, 1}
            assert shop.owners(ids, name).tolist() == [0] * len(ids)
        for kind in [*far.node_types, *far.edge_types]:
            for column in far.columns(kind):
                wanted = shop.rows(column, [2, 0, 2], kind).tolist()
                assert far.rows(column, [2, 0, 2], kind).tolist() == wanted
        edges = range(far.num_edges("user__buys__item"))
        targets = far.find_edges(edges, "user__buys__item")[1]
        of_targets = far.owners(targets, "item").tolist()
        assert far.owners(edges, "user__buys__item").tolist() == of_targets
        with pytest.raises(gls.InvalidArgument, match="ids: node"):
            far.rows("x", [far.num_nodes("user")], "user")


def test_parts_at_hand(parts: Path, shop: gls.Dataset, tmp_path: Path) -> None:
    """Of servers of another process, and of one of this process and another."""
    shop.save(tmp_path / "uncut")

    def at_hand(address: str, same_host: bool) -> gls.Parts:
        context = gls.Context(num_threads=1)
        context.set("cluster.same_host", str(same_host).lower())
        with gls.Dataset.open(f"gls://{address}", context=context) as far:
            return far.parts

    for served, expected in ((parts, (2, (0, 1))), (tmp_path / "uncut", (1, (0,)))):
        with child(SERVES, str(served)) as other:
            there = line(other)
            assert at_hand(there, True) == expected
            assert at_hand(there, False) == (expected[0], ())
    # The other process gives no files.
    with child(SERVES_PART_1, str(parts)) as other:
        there = line(other)
        with gls.Server(parts, parts=[0], servers=[there], num_threads=1) as here:
            assert at_hand(f"{here.address},{there}", True) == (2, (0,))
            assert at_hand(f"{here.address},{there}", False) == (2, ())


def test_shares_of_seeds(
    shop: gls.Dataset, servers: Tuple[gls.Server, gls.Server], parts: Path
) -> None:
    whole = gls.Dataset.open(parts)
    far = gls.Dataset.open(f"gls://{servers[1].address}")
    for kind in (*far.node_types, *far.edge_types):
        shares = [far.share_ids(type=kind, rank=rank, world_size=2).tolist() for rank in (0, 1)]
        for rank, share in enumerate(shares):
            assert share == whole.share_ids(type=kind, rank=rank, world_size=2).tolist()
        count = far.num_nodes(kind) if kind in far.node_types else far.num_edges(kind)
        assert sorted(shares[0] + shares[1]) == list(range(count))


def test_batches_of_a_share_are_of_its_server(tmp_path: Path) -> None:
    """Of a graph of two circles, each of which is a part."""
    nodes = np.arange(200)
    circles = gls.Dataset.from_arrays(np.stack([nodes, (nodes + 2) % 200]), x=nodes.reshape(-1, 1))
    circles.partition(tmp_path / "parts", 2, method="given", owners=nodes % 2)
    context = gls.Context(num_threads=1)
    context.set("cluster.same_host", "false")
    with gls.Server(tmp_path / "parts", parts=[0], context=context) as first:
        with gls.Server(
            tmp_path / "parts", parts=[1], servers=[first.address], context=context
        ) as second:
            far = gls.Dataset.open(f"gls://{second.address}")
            for rank in (0, 1):
                seeds = far.share_ids(nodes[::-1], rank=rank, world_size=2)
                before = first.info.requests, second.info.requests
                with gls.NeighborLoader(
                    far, [2, 2], seeds, batch_size=9, shuffle=True, rank=0, world_size=1
                ) as loader:
                    found = [x for batch in loader for x in batch.x.numpy()[batch.seed.numpy(), 0]]
                assert sorted(found) == list(range(rank, 200, 2))
                now = first.info.requests, second.info.requests
                # Of 12 batches with hops and rows; samplers are opened at both, which are also asked
                # what they have.
                assert now[rank] > before[rank] + 12 and now[1 - rank] <= before[1 - rank] + 4


def test_a_server_that_is_started_again(
    shop: gls.Dataset, servers: Tuple[gls.Server, gls.Server], parts: Path
) -> None:
    first, second = servers
    far = gls.Dataset.open(f"gls://{first.address},{second.address}")
    address = first.address
    assert same(shop, far) > 1
    first.stop(5)
    assert first.address == address and first.info.clients == 0
    first.close()
    with pytest.raises(gls.InvalidState):
        first.address
    with gls.Server(parts, parts=[0], listen=address):
        assert same(shop, far) > 1


def test_serve_ends_when_it_is_stopped(parts: Path) -> None:
    with gls.Server(parts) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        time.sleep(0.05)
        assert thread.is_alive()
        server.stop(None)
        thread.join(20)
        assert not thread.is_alive()


def test_errors(parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(gls.InvalidArgument, match="parts: 2, expected 0 to 1"):
        gls.Server(parts, parts=[2])
    with pytest.raises(gls.InvalidArgument, match="host:port"):
        gls.Server(parts, listen="somewhere")
    with pytest.raises(gls.InvalidArgument, match="host:port"):
        gls.Server(parts, servers=["somewhere"])
    with pytest.raises(TypeError):
        gls.Server(parts, servers="127.0.0.1:1")
    with pytest.raises(gls.InvalidArgument):
        gls.Server(parts, num_threads=0)
    with pytest.raises(gls.FileNotFound):
        gls.Server(tmp_path)
    server = gls.Server(parts)
    with pytest.raises(gls.AlreadyExists):
        gls.Server(parts, listen=server.address)
    with pytest.raises(TypeError, match="process that serves"):
        pickle.dumps(server)
    with pytest.raises(gls.Unsupported):
        gls.Dataset.open(f"gls://{server.address}", residency="all")
    monkeypatch.delenv("GLS_NET_KEY")
    with pytest.raises(gls.InvalidArgument, match="GLS_NET_KEY_FILE"):
        gls.Server(parts)
    with pytest.raises(gls.InvalidArgument, match="GLS_NET_KEY_FILE"):
        gls.Dataset.open(f"gls://{server.address}")
    server.close()


def test_who_is_not_there_is_told_of_once() -> None:
    lines: List[Tuple[int, str, str]] = []
    context = gls.Context(1, log=lambda *line: lines.append(line), log_level="info")
    context.set("cluster.open_timeout_ms", "1500")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        with pytest.raises(gls.TimedOut):
            gls.Dataset.open(f"gls://127.0.0.1:{taken.getsockname()[1]}", context=context)
    levels = [line[0] for line in lines if "Connection refused" in line[2]]
    assert levels.count(logging.WARNING) == 1 and levels.count(logging.INFO) > 1, lines


def test_opening_can_be_stopped(parts: Path) -> None:
    """As by Ctrl-C: what the progress function raises ends the waiting."""

    class Enough(Exception):
        pass

    seen = []

    def progress(stage: str, done: int, total: int, unit: str) -> None:
        seen.append((stage, done, total, unit))
        if len(seen) == 3:
            raise Enough

    with gls.Server(parts, parts=[0]) as server:
        with pytest.raises(Enough):
            gls.Dataset.open(f"gls://{server.address}", progress=progress)
    assert seen[-1] == ("finding servers", 1, 2, "parts")


def test_settings_of_a_context(
    parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GLS_NET_KEY")
    file = tmp_path / "key"
    file.write_text(KEY)
    file.chmod(0o600)
    context = gls.Context(num_threads=1)
    context.set("net.key_file", str(file))
    with gls.Server(parts, context=context) as server:
        place = f"gls://{server.address}"
        gls.Dataset.open(place, context=context).close()
    context.set("cluster.open_timeout_ms", "200")
    with pytest.raises(gls.TimedOut, match="127.0.0.1"):
        gls.Dataset.open(place, context=context)


def test_a_server_with_another_key(parts: Path, tmp_path: Path) -> None:
    """It is not tried again; and where others have all parts, it is not needed."""
    contexts = []
    for number in range(2):
        file = tmp_path / f"key {number}"
        file.write_text(KEY.replace("c", "de"[number]))
        file.chmod(0o600)
        contexts.append(gls.Context(num_threads=1))
        contexts[-1].set("net.key_file", str(file))
        contexts[-1].set("cluster.open_timeout_ms", "100000")
    with gls.Server(parts, context=contexts[0]) as one, gls.Server(
        parts, context=contexts[1]
    ) as other:
        with pytest.raises(gls.InvalidArgument, match="is the key the same on both sides"):
            gls.Dataset.open(f"gls://{other.address}", context=contexts[0])
        both = f"gls://{other.address},{one.address}"
        gls.Dataset.open(both, context=contexts[0]).close()


# ---- leaving while a server is lost ------------------------------------------------------------

LEAVING = """
import signal, sys
import gls

how, place, folder = sys.argv[1:]
context = gls.Context(num_threads=2)
context.set("cluster.same_host", "false")
context.set("cluster.request_timeout_ms", "0")  # questions have no time limit
far = gls.Dataset.open(place, context=context)
loader = gls.NeighborLoader(far, [3, 2], ("user", "train"), batch_size=1, num_workers=2, prefetch=2)
batches = iter(loader)
for _ in range(3):
    next(batches)
if how == "feed":
    feed = gls.Feed(loader, folder + "/feed")
    batches = iter(gls.attach(folder + "/feed"))
    next(batches)
print("ready", flush=True)
assert sys.stdin.readline() == "gone\\n"


class Enough(Exception):
    pass


def enough(*_):
    raise Enough


if how != "ctrl_c":
    signal.signal(signal.SIGALRM, enough)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
print("waiting", flush=True)
try:
    for _ in batches:
        pass
except Enough:
    pass
if how == "close":
    loader.close()
elif how == "del":
    del batches, loader
elif how == "feed":
    feed.close()
print("left", flush=True)
"""


@pytest.mark.parametrize("how", ["close", "del", "end", "feed", "ctrl_c"])
def test_leaving_waits_for_no_server(parts: Path, tmp_path: Path, how: str) -> None:
    with gls.Server(parts, parts=[0]) as first:
        second = gls.Server(parts, parts=[1])
        place = f"gls://{first.address},{second.address}"
        with subprocess.Popen(
            [sys.executable, "-c", LEAVING, how, place, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdin is not None and process.stdout is not None
                assert process.stdout.readline() == "ready\n"
                second.close()
                process.stdin.write("gone\n")
                process.stdin.flush()
                if how == "ctrl_c":
                    assert process.stdout.readline() == "waiting\n"
                    time.sleep(0.5)  # so that it waits
                    process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=60)
            finally:
                process.kill()
    if how == "ctrl_c":
        assert process.returncode == -signal.SIGINT and "KeyboardInterrupt" in err, err
    else:
        assert (process.returncode, out) == (0, "waiting\nleft\n"), err


# ---- functions, and who goes while they wait ---------------------------------------------------


@contextmanager
def child(code: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        give_up = threading.Timer(90, process.kill)
        give_up.start()
        try:
            yield process
        finally:
            give_up.cancel()
            process.kill()


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip()


ASKS_MUCH = """
import sys, gls
dataset = gls.Dataset.open(sys.argv[1])
answers = [dataset.call_async(0, "slow", b"much", timeout=60) for _ in range(200)]
print("asked", flush=True)
sys.stdin.read()
"""


def test_calls_of_a_client_that_is_gone_are_not_run(parts: Path) -> None:
    gate = threading.Event()
    ran: List[bytes] = []
    with gls.Server(parts, num_threads=1) as server:

        @server.function("slow")
        def slow(call: gls.Call) -> bytes:
            ran.append(bytes(call.data))
            assert gate.wait(60)
            return b"done"

        with child(ASKS_MUCH, f"gls://{server.address}") as other:
            assert line(other) == "asked"
            eventually(lambda: len(ran) == 1)
            other.kill()
        eventually(lambda: server.info.clients == 0)
        dataset = gls.Dataset.open(f"gls://{server.address}")
        answer = dataset.call_async(0, "slow", b"one", timeout=60)
        gate.set()
        assert answer.result(60) == b"done"
        assert ran == [b"much", b"one"]


def test_clients_take_turns_with_functions(parts: Path) -> None:
    ran: List[bytes] = []
    with gls.Server(parts, num_threads=1) as server:

        @server.function("slow")
        def slow(call: gls.Call) -> bytes:
            ran.append(bytes(call.data))
            time.sleep(0.02)
            return b"done"

        first, second = (gls.Dataset.open(f"gls://{server.address}") for _ in range(2))
        many = [first.call_async(0, "slow", b"many", timeout=60) for _ in range(150)]
        eventually(lambda: len(ran) > 0)
        assert second.call(0, "slow", b"one", timeout=60) == b"done"
        assert ran.index(b"one") < 75
        assert [answer.result(60) for answer in many] == [b"done"] * 150


SERVES = """
import sys, threading, gls
server = gls.Server(sys.argv[1], num_threads=1)

@server.function("who")
def who(call):
    return b"child"

@server.function("slow")
def slow(call):
    threading.Event().wait(0.5)
    return b"child"

print(server.address, flush=True)
sys.stdin.read()
"""


SERVES_PART_1 = """
import sys, gls
context = gls.Context(num_threads=1)
context.set("cluster.same_host", "false")
server = gls.Server(sys.argv[1], parts=[1], context=context)
print(server.address, flush=True)
sys.stdin.read()
"""


def test_calls_that_wait_go_to_another_server_when_one_ends(parts: Path) -> None:
    """The process ends with calls in its queue, and nothing is closed before."""
    with gls.Server(parts, num_threads=1) as here, child(SERVES, str(parts)) as other:
        here.function("who", lambda call: b"here")
        here.function("slow", lambda call: b"here")
        there = line(other)
        until = time.monotonic() + 60
        while True:  # a client asks one of those that have a part
            dataset = gls.Dataset.open(f"gls://{there},{here.address}")
            if dataset.call(0, "who") == b"child":
                break
            assert time.monotonic() < until
        answers = [dataset.call_async(0, "slow", timeout=60, idempotent=True) for _ in range(20)]
        assert answers[0].result(60) == b"child"
        assert other.stdin is not None
        other.stdin.close()
        said = [answer.result(60) for answer in answers]
        assert set(said) == {b"child", b"here"} and said[-1] == b"here"
        assert other.wait(60) == 0
