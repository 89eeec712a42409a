"""A graph that is served, by programs in several languages: clients get the bytes of the folder.

The programs are named by GLS_TOOL, GLS_DIGEST_JAVA, GLS_DIGEST_RUST, GLS_SERVE_JAVA and GLS_SERVE_RUST
(scripts/cross.sh sets them).
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Tuple

import numpy as np
import pytest
from ports import free_place
from security import Certificates, Key, Security
from test_cross import FANOUTS, OPTIONS, digests

import gls

PARTS = 2
LIMIT_S = 120
BEGUN = 12  # batches before a server is killed
LATER_S = 0.5
BATCHES, BATCH_SIZE = 57, 20
FLAGS = f"--fanouts 4,3 --batch-size {BATCH_SIZE} --seed 7 --shuffle --edge-ids".split()
CLIENTS = ("python", "java", "rust")
SERVERS = ("tool", "python", "java", "rust")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: Any) -> Path:
    """A graph, whole and in parts."""
    made = Path(tmp_path_factory.mktemp("served"))
    rng, nodes = np.random.default_rng(2), BATCHES * BATCH_SIZE
    builder = gls.DatasetBuilder()
    builder.add_node_type("paper", nodes)
    builder.add_edges(("paper", "cites", "paper"), rng.integers(0, nodes, (2, 8000)))
    builder.add_node_column("paper", "x", rng.random((nodes, 6)).astype(np.float32))
    builder.add_node_column("paper", "y", rng.integers(0, 7, nodes), role="label")
    builder.write(made / "whole")
    gls.Dataset.open(made / "whole").partition(made / "parts", PARTS, method="hash")
    return made


@pytest.fixture(scope="session")
def whole(folder: Path) -> Dict[str, str]:
    """The digest of the epoch that each language gets from the folder, which are two kinds."""
    dataset = gls.Dataset.open(folder / "whole")
    options = {**OPTIONS, "batch_size": BATCH_SIZE}
    java, rust = digests(gls.NeighborLoader(dataset, FANOUTS, **options))
    return {"python": rust, "java": java, "rust": rust}


class ThisHost(NamedTuple):
    address: str = "127.0.0.1"


def environment(security: Security, **settings: str) -> Dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GLS_")}
    of_network = security.of(ThisHost()).items()
    named = {f"GLS_{name.upper().replace('.', '_')}": str(value) for name, value in of_network}
    return {**kept, **named, **settings}


def of_language(kind: str, language: str) -> List[str]:
    if language == "python":
        return [sys.executable, str(Path(__file__).parent / f"{kind}.py")]
    return shlex.split(os.environ[f"GLS_{kind.upper()}_{language.upper()}"])


class Child:
    """A program that says lines, for a limited time."""

    def __init__(self, command: List[str], env: Dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._limit = threading.Timer(LIMIT_S, self.process.kill)
        self._limit.daemon = True  # else the tests would end when it does
        self._limit.start()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def end(self) -> List[str]:
        """What it says until then; it must have gone well."""
        out, _ = self.process.communicate(timeout=LIMIT_S)
        self._limit.cancel()
        assert self.process.returncode == 0
        return out.splitlines()

    def kill(self) -> None:
        self._limit.cancel()
        self.process.kill()
        self.process.communicate()


class Served:
    """Servers of a part each, which know each other, at ports that they keep."""

    def __init__(self, parts: Path, security: Security) -> None:
        self._parts = parts
        self._security = security
        self.addresses = [free_place() for _ in range(PARTS)]
        self.place = "gls://" + ",".join(self.addresses)
        self.children: List[Child] = []

    def start(self, part: int, language: str, same_host: bool = True) -> Child:
        address = self.addresses[part]
        if language == "tool":
            command = [os.environ["GLS_TOOL"], "serve", str(self._parts), "--json"]
            command += ["--listen", address, "--part", str(part)]
            command += [word for other in self.addresses for word in ("--server", other)]
        else:
            command = of_language("serve", language)
            command += [str(self._parts), address, str(part), *self.addresses]
        child = Child(command, self._environment(same_host))
        self.children.append(child)
        assert json.loads(child.line())["address"] == address
        return child

    def digest(self, language: str, *flags: str, same_host: bool = False) -> Child:
        """A client, who asks the servers, or maps their files."""
        command = [*of_language("digest", language), self.place, *FLAGS, *flags]
        return Child(command, self._environment(same_host))

    def _environment(self, same_host: bool) -> Dict[str, str]:
        return environment(self._security, GLS_CLUSTER_SAME_HOST=str(same_host).lower())


@pytest.fixture(scope="session", params=["key"])
def security(request: Any, tmp_path_factory: Any) -> Security:
    kinds: Dict[str, Callable[[Path], Security]] = {"key": Key, "certificates": Certificates}
    return kinds[request.param](Path(tmp_path_factory.mktemp("security")))


@pytest.fixture()
def served(folder: Path, security: Security) -> Iterator[Served]:
    made = Served(folder / "parts", security)
    yield made
    for child in made.children:
        child.kill()


def result(lines: List[str]) -> Tuple[int, str]:
    """How many batches, and their digest."""
    last = json.loads(next(line for line in reversed(lines) if '"digest"' in line))
    return last["batches"], last["digest"]


@pytest.mark.parametrize("security", ["key", "certificates"], indirect=True)
@pytest.mark.parametrize("server", SERVERS)
def test_the_same_bytes(server: str, served: Served, whole: Dict[str, str]) -> None:
    """Each language gets them from the servers of each, made here, by servers, and of mapped files."""
    for part in range(PARTS):
        served.start(part, server)
    for client in CLIENTS:
        for flags, same_host in ((["--made-by", "servers"], False), ([], False), ([], True)):
            got = served.digest(client, *flags, same_host=same_host).end()
            assert result(got) == (BATCHES, whole[client]), (client, flags, same_host)
    for child in served.children:
        if server == "tool":
            child.process.send_signal(signal.SIGTERM)
        child.end()


@pytest.mark.parametrize("made_by", ["here", "servers"])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_is_killed_in_the_middle_of_an_epoch(
    client: str, made_by: str, served: Served, whole: Dict[str, str]
) -> None:
    """And started again."""
    first = served.start(0, "tool", same_host=False)
    served.start(1, "tool", same_host=False)
    reader = served.digest(client, "--made-by", made_by, "--pace-ms", "20", "--prefetch", "2")
    begun = [reader.line() for _ in range(BEGUN)]
    assert all('"batch' in line for line in begun), begun
    first.kill()
    time.sleep(LATER_S)
    again = served.start(0, "tool", same_host=False)
    assert result(reader.end()) == (BATCHES, whole[client])
    again.process.send_signal(signal.SIGTERM)
    assert json.loads(again.end()[-1])["requests"] > 0
