"""Ctrl-C while a call waits for a server that is silent. No question has a time limit here, so that a
process ends only because of the signal."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Iterator

import pytest

import gls

KEY = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"

SERVE = """
import sys
import gls

others = sys.argv[3:]
server = gls.Server(sys.argv[1], parts=[int(sys.argv[2])], servers=others, table_bytes=1 << 20)


@server.function("never")
def never(call):
    import time

    time.sleep(600)


print(server.address, flush=True)
sys.stdin.read()
"""

CLIENT = """
import os, signal, sys
import numpy as np
import gls

# A shell that runs the tests in the background may ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
how, place, silent = sys.argv[1:]
context = gls.Context(num_threads=2)
context.set("cluster.same_host", "false")
context.set("cluster.request_timeout_ms", "0")
context.set("cluster.open_timeout_ms", "0")
far = gls.Dataset.open(place, context=context)
users = np.arange(far.num_nodes("user"))


def loader(**options):
    return gls.NeighborLoader(far, [3, 2], ("user", "train"), batch_size=1, num_workers=2, **options)


def stop_server():
    print("stop", flush=True)
    assert sys.stdin.readline() == "stopped\\n"


def waiting():
    print("waiting", flush=True)


if how in ("next", "next again"):
    batches = iter(loader(prefetch=2))
    numbers = [next(batches).number for _ in range(3)]
    stop_server()
    waiting()
    try:
        while True:
            numbers.append(next(batches).number)
    except KeyboardInterrupt:
        if how == "next":
            raise
    print("interrupted", flush=True)
    assert sys.stdin.readline() == "goes on\\n"
    numbers += [batch.number for batch in batches]
    assert numbers == list(range(len(numbers))), numbers
    print(len(numbers), flush=True)
elif how == "made by servers":
    batches = iter(loader(prefetch=2, made_by="servers"))
    next(batches)
    stop_server()
    waiting()
    for _ in batches:
        pass
elif how == "sample":
    given = loader()
    stop_server()
    waiting()
    given.sample(0, 1)
elif how == "rows":
    stop_server()
    waiting()
    far.rows("x", users, "user")
elif how == "function":
    waiting()
    far.call(0, "never")
elif how == "answer":
    answer = far.call_async(0, "never")
    waiting()
    answer.result()
elif how == "table":
    table = far.table("t", "user", width=3, optimizer="sgd", rank=0, world_size=2)
    waiting()
    table.step([0], np.ones((1, 3), np.float32), 0.1)
elif how == "table rows":
    table = far.table("t", "user", width=3)
    stop_server()
    waiting()
    table.rows(users)
elif how == "open silent":
    waiting()
    gls.Dataset.open("gls://" + silent, context=context)
elif how == "open stopped":
    stop_server()
    waiting()
    gls.Dataset.open(place, context=context)
elif how == "group":
    waiting()
    gls.Group(rank=1, world_size=2, rendezvous=silent, context=context)
elif how == "handler":  # what a handler raises comes out, and one that raises nothing ends nothing
    seen = []

    class Enough(Exception):
        pass

    def handler(number, frame):
        seen.append(number)
        assert far.num_nodes("user") == len(users)  # it may call the library
        if number == signal.SIGUSR2:
            raise Enough

    signal.signal(signal.SIGUSR1, handler)
    signal.signal(signal.SIGUSR2, handler)
    stop_server()
    waiting()
    try:
        far.rows("x", users, "user")
    except Enough:
        print(*[signal.Signals(number).name for number in seen], flush=True)
elif how == "forked":  # the thread that forks is the main one of its child
    import threading

    stop_server()

    def fork():
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            own = gls.Context(num_threads=1)
            own.set("cluster.open_timeout_ms", "0")
            print(os.getpid(), "waiting", flush=True)
            try:
                gls.Dataset.open(place, context=own)
            except KeyboardInterrupt:
                print("interrupted", flush=True)
                os._exit(0)
            os._exit(1)
        os.waitpid(child, 0)

    thread = threading.Thread(target=fork)
    thread.start()
    thread.join()
"""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLS_NET_KEY", KEY)


@contextmanager
def python(code: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def say(process: "subprocess.Popen[str]", text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text + "\n")
    process.stdin.flush()


class Waits:
    """A client that waits in a call, and the server that it waits for."""

    def __init__(
        self, client: "subprocess.Popen[str]", server: "subprocess.Popen[str]", said: str
    ) -> None:
        self.client = client
        self.server = server
        self.said = said

    def end(self) -> str:
        """What the client wrote to standard error."""
        return self.client.communicate(timeout=60)[1]


@contextmanager
def waits(shop: gls.Dataset, tmp_path: Path, how: str) -> Iterator[Waits]:
    parts = tmp_path / "parts"
    shop.partition(parts, 2, method="random")
    with ExitStack() as stack:
        silent = stack.enter_context(socket.socket())
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        silent_place = f"127.0.0.1:{silent.getsockname()[1]}"
        address = line(stack.enter_context(python(SERVE, str(parts), "0")))
        second = stack.enter_context(python(SERVE, str(parts), "1", address))
        place = f"gls://{address},{line(second)}"
        with python(CLIENT, how, place, silent_place) as client:
            said = line(client)
            if said == "stop":
                second.send_signal(signal.SIGSTOP)
                os.waitpid(second.pid, os.WUNTRACED)  # until all its threads have stopped
                say(client, "stopped")
                said = line(client)
            try:
                assert said.split()[-1:] == ["waiting"], client.communicate(timeout=60)
                time.sleep(0.5)  # so that it waits
                yield Waits(client, second, said.split()[0])
            finally:
                second.send_signal(signal.SIGCONT)


@pytest.mark.parametrize(
    "how",
    [
        "next",
        "made by servers",
        "sample",
        "rows",
        "function",
        "answer",
        "table",
        "table rows",
        "open silent",
        "open stopped",
        "group",
    ],
)
def test_ctrl_c_ends_waiting(shop: gls.Dataset, tmp_path: Path, how: str) -> None:
    with waits(shop, tmp_path, how) as waiting:
        waiting.client.send_signal(signal.SIGINT)
        err = waiting.end()
        assert waiting.client.returncode == -signal.SIGINT, err
        assert err.strip().endswith("KeyboardInterrupt"), err


def test_no_batch_is_lost(shop: gls.Dataset, tmp_path: Path) -> None:
    with waits(shop, tmp_path, "next again") as waiting:
        waiting.client.send_signal(signal.SIGINT)
        assert line(waiting.client) == "interrupted"
        waiting.server.send_signal(signal.SIGCONT)
        say(waiting.client, "goes on")
        assert line(waiting.client) == "30"
        assert waiting.client.wait(60) == 0, waiting.end()


def test_handlers_of_other_signals(shop: gls.Dataset, tmp_path: Path) -> None:
    with waits(shop, tmp_path, "handler") as waiting:
        waiting.client.send_signal(signal.SIGUSR1)
        time.sleep(0.5)
        assert waiting.client.poll() is None
        waiting.client.send_signal(signal.SIGUSR2)
        assert line(waiting.client) == "SIGUSR1 SIGUSR2"
        assert waiting.client.wait(60) == 0, waiting.end()


def test_of_a_forked_thread(shop: gls.Dataset, tmp_path: Path) -> None:
    with waits(shop, tmp_path, "forked") as waiting:
        os.kill(int(waiting.said), signal.SIGINT)
        assert line(waiting.client) == "interrupted"
        assert waiting.client.wait(60) == 0, waiting.end()
