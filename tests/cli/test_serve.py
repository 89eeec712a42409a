"""gls serve, and the other commands on a graph that is served."""

import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest
from conftest import TIMEOUT, Tool

KEY = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"


@pytest.fixture(name="env")
def env_fixture(gls: Tool) -> Dict[str, str]:
    gls.run("generate", "--preset", "tiny", "--layout", "both", "-o", "g")
    gls.run("partition", "g", "p", "--parts", 3, "--method", "hash")
    return {**os.environ, "GLS_NET_KEY": KEY, "GLS_CLUSTER_SAME_HOST": "false"}


class Served:
    """A server of its own process."""

    def __init__(
        self, gls: Tool, env: Dict[str, str], *arguments: object, folder: str = "p"
    ) -> None:
        self.process = subprocess.Popen(
            gls.command("serve", folder, "--json", *arguments),
            cwd=gls.folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate(timeout=TIMEOUT)[1]
        self.ready = json.loads(line)
        self.address = self.ready["address"]

    def stop(self, number: int = signal.SIGTERM) -> Dict[str, int]:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=TIMEOUT)
        assert (self.process.returncode, err) == (0, "")
        (line,) = out.splitlines()
        return json.loads(line)


@pytest.fixture(name="servers")
def servers_fixture(gls: Tool, env: Dict[str, str]) -> Iterator[List[Served]]:
    first = Served(gls, env, "--part", 1)
    made = [first, Served(gls, env, "--part", 0, "--part", 2, "--server", first.address)]
    yield made
    for server in made:
        server.process.kill()
        server.process.communicate(timeout=TIMEOUT)


def test_the_whole_from_its_servers(gls: Tool, env: Dict[str, str], servers: List[Served]) -> None:
    first, second = servers
    assert (first.ready["parts"], first.ready["graph_parts"]) == (1, 3)
    assert second.ready["parts"] == 2
    place = f"gls://{second.address}"
    flags = ["--seeds", "7,3,11", "--fanout", "4,3", "--edge-ids", "--json"]
    far = json.loads(gls.run("sample", place, *flags, env=env).stdout)
    near = json.loads(gls.run("sample", "g", *flags).stdout)
    assert far["nodes"] == near["nodes"] and far["edges"] == near["edges"]
    whole = json.loads(gls.run("inspect", "g", "--json").stdout)
    seen = json.loads(gls.run("inspect", place, "--json", env=env).stdout)
    for kind in ("node_types", "edge_types"):
        assert [type["name"] for type in seen[kind]] == [type["name"] for type in whole[kind]]
    bench = json.loads(
        gls.run("bench", place, "--fanout", "3,2", "--seconds", "0.2", "--json", env=env).stdout
    )
    assert bench
    ends = [first.stop(), second.stop(signal.SIGINT)]
    for end, connections in zip(ends, (4, 3)):  # the second one is connected to the first one, too
        assert end["requests"] > 0 and end["failures"] == 0 and end["connections"] == connections


def test_a_graph_that_was_not_cut(gls: Tool, env: Dict[str, str]) -> None:
    served = Served(gls, env, folder="g")
    assert (served.ready["parts"], served.ready["graph_parts"]) == (1, 1)
    place = f"gls://{served.address}"
    flags = ["--seeds", "7,3,11", "--fanout", "4,3", "--edge-ids", "--json"]
    near = json.loads(gls.run("sample", "g", *flags).stdout)
    for same_host in ("false", "true"):
        there = {**env, "GLS_CLUSTER_SAME_HOST": same_host}
        far = json.loads(gls.run("sample", place, *flags, env=there).stdout)
        assert far["nodes"] == near["nodes"] and far["edges"] == near["edges"]
    end = served.stop()
    assert end["requests"] > 0 and end["failures"] == 0


def test_one_server_alone(gls: Tool, env: Dict[str, str]) -> None:
    served = Served(gls, env, "--part", 2, "--part", 0, "--name", "the only one")
    place = f"gls://{served.address}"
    ask = ["inspect", place, "--server"]
    seen = json.loads(gls.run(*ask, "--json", env=env).stdout)
    assert (seen["address"], seen["name"]) == (served.address, "the only one")
    assert (seen["parts"], seen["graph_parts"]) == ([0, 2], 3)
    line = gls.run(*ask, "--timeout", "10", env=env).stdout
    assert line.startswith(f"the only one ({seen['version']}) at {served.address} serves part 0, 2")
    assert line.endswith(f"of 3 of graph {seen['graph']}\n")
    gls.run(*ask, code=1, env={**env, "GLS_NET_KEY": KEY.replace("c", "d")})
    gls.run("inspect", "p", "--server", code=2, env=env)
    gls.run("inspect", f"{place},{served.address}", "--server", code=2, env=env)
    gls.run("inspect", place, "--timeout", "3", code=2, env=env)
    gls.run(*ask, "--degrees", code=2, env=env)
    served.stop()
    done = gls.run(*ask, code=1, env=env)
    assert served.address in done.stderr


def test_for_people(gls: Tool, env: Dict[str, str]) -> None:
    with subprocess.Popen(
        gls.command("serve", "p", "--part", 2),
        cwd=gls.folder,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("serving 1 of 3 parts of p at 127.0.0.1:")
        process.terminate()
        rest = process.communicate(timeout=TIMEOUT)[0]
        assert process.returncode == 0
        assert rest == "stopped after 0 requests (0 failed) on 0 connections\n"


def test_errors(gls: Tool, env: Dict[str, str]) -> None:
    assert "GLS_NET_KEY_FILE" in gls.error("serve", "p")  # nothing protects it
    env_key = {**env, "GLS_NET_KEY": "short"}
    short = gls.run("serve", "p", code=1, env=env_key).stderr
    assert "GLS_NET_KEY" in short and "short" not in short.replace("too short", "")
    done = gls.run("serve", "nothing", code=1, env=env)
    assert "neither a folder of parts nor a dataset" in done.stderr
    done = gls.run("serve", "p/part-1", code=1, env=env)
    assert "is part 1 of 3 of a graph" in done.stderr
    done = gls.run("serve", "g", "--part", 1, code=1, env=env)
    assert "parts: 1, expected 0 to 0" in done.stderr
    done = gls.run("serve", "p", "--part", 3, code=1, env=env)
    assert "parts: 3, expected 0 to 2" in done.stderr
    done = gls.run("serve", "p", "--listen", "here", code=1, env=env)
    assert "host:port" in done.stderr
    gls.run("serve", "p", "--residency", "some", code=2, env=env)
    gls.run("serve", code=2, env=env)
    # Nobody there, and somebody who lacks parts.
    quick = ["--setting", "cluster.open_timeout_ms=1500"]
    place = "gls://127.0.0.1:1"
    flags = ["--seeds", "0", "--fanout", "1"]
    done = gls.run("sample", place, *flags, *quick, code=1, env=env)
    assert "127.0.0.1:1" in done.stderr
    server = Served(gls, env, "--part", 1)
    done = gls.run("sample", f"gls://{server.address}", *flags, *quick, code=1, env=env)
    assert "nobody serves part 0, 2 of 3" in done.stderr
    server.stop()


# ---- how it ends, and what does not end it -----------------------------------------------------


def start(gls: Tool, env: Dict[str, str], stderr: int, **options: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        gls.command("serve", "p", "--json"),
        cwd=gls.folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        **options,
    )


def test_a_reader_of_standard_error_that_stalls(gls: Tool, env: Dict[str, str]) -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    with start(gls, {**env, "GLS_LOG_LEVEL": "info"}, writer) as process:
        os.close(writer)
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        host, port = address.rsplit(":", 1)
        for _ in range(200):  # each is a line of the log, and there is room for some forty
            with socket.create_connection((host, int(port))) as stranger:
                stranger.sendall(b"GET / HTTP/1.1")
                while stranger.recv(100):
                    pass
        gls.run("inspect", f"gls://{address}", env=env)
        process.terminate()
        end = json.loads(process.communicate(timeout=TIMEOUT)[0])
        assert process.returncode == 0
        assert end["requests"] > 0 and end["dropped_log_lines"] > 100
    with open(reader, encoding="utf-8") as rest:
        lines = rest.read().splitlines()
    assert 10 < len(lines) < 100 and all(line.startswith("gls: ") for line in lines)


def test_what_was_dropped_is_said_when_it_is_read_again(gls: Tool, env: Dict[str, str]) -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    with start(gls, {**env, "GLS_LOG_LEVEL": "info"}, writer) as process:
        os.close(writer)
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        host, port = address.rsplit(":", 1)

        def knock() -> None:
            with socket.create_connection((host, int(port))) as stranger:
                stranger.sendall(b"GET / HTTP/1.1")
                while stranger.recv(100):
                    pass

        for _ in range(200):
            knock()
        with open(reader, encoding="utf-8") as log:
            line = log.readline()
            while "lines of the log were dropped" not in line:
                knock()
                line = log.readline()
            process.terminate()
            process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0


def test_a_reader_of_standard_output_that_is_gone(gls: Tool, env: Dict[str, str]) -> None:
    """As of "gls serve p | head -1"."""
    with start(gls, env, subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        address = json.loads(process.stdout.readline())["address"]
        process.stdout.close()
        gls.run("inspect", f"gls://{address}", env=env)
        process.terminate()
        assert process.stderr.read() == ""
        assert process.wait(TIMEOUT) == 0


def test_a_terminal_that_is_closed_ends_it_in_order(gls: Tool, env: Dict[str, str]) -> None:
    served = Served(gls, env)
    gls.run("inspect", f"gls://{served.address}", env=env)
    assert served.stop(signal.SIGHUP)["failures"] == 0


def test_strangers_who_say_nothing_do_not_take_the_last_descriptors(
    gls: Tool, env: Dict[str, str]
) -> None:
    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

    with start(gls, env, subprocess.PIPE, preexec_fn=few) as process, ExitStack() as strangers:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        host, port = address.rsplit(":", 1)
        for _ in range(100):
            strangers.enter_context(socket.create_connection((host, int(port))))
        for _ in range(3):  # each one of them has 5 seconds to greet
            gls.run("inspect", f"gls://{address}", "--server", "--timeout", "4", env=env)
        process.terminate()
        _, err = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0
        # Whoever reaches the port could fill the log.
        assert len(err.splitlines()) <= 1, err


def test_reading_into_memory_shows_progress(gls: Tool, env: Dict[str, str]) -> None:
    server = Served(gls, env, "--residency", "all", "--drain", "0")
    assert server.stop()["requests"] == 0


def test_a_key_that_others_can_read(gls: Tool, env: Dict[str, str]) -> None:
    path = Path(gls.folder / "key")
    path.write_text(KEY)
    path.chmod(0o644)
    refused = {**os.environ, "GLS_NET_KEY_FILE": str(path)}
    assert "key" in gls.run("serve", "p", code=1, env=refused).stderr
    path.chmod(0o600)
    server = Served(gls, refused)
    done = gls.run("inspect", f"gls://{server.address}", env=refused)
    assert KEY not in done.stdout + done.stderr
    server.stop()
