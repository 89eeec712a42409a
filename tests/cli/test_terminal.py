"""Pipes, terminals and signals."""

import json
import os
import pty
import signal
import subprocess
import time
from pathlib import Path
from typing import List

import numpy as np
import pytest
from conftest import TIMEOUT, Tool

GENERATE = ["generate", "--preset", "tiny", "-o", "g"]


def on_terminal(gls: Tool, *arguments: object) -> str:
    """What the command writes to standard error when that is a terminal."""
    leader, follower = pty.openpty()
    try:
        with subprocess.Popen(
            gls.command(*arguments), cwd=gls.folder, stdout=subprocess.DEVNULL, stderr=follower
        ) as process:
            os.close(follower)
            said = b""
            while True:
                try:
                    chunk = os.read(leader, 4096)
                except OSError:  # how Linux reports that the other side is closed
                    break
                if not chunk:
                    break
                said += chunk
            assert process.wait(TIMEOUT) == 0
    finally:
        os.close(leader)
    return said.decode()


def test_quiet_in_a_pipe(gls: Tool) -> None:
    assert gls.run(*GENERATE).stderr == ""


def test_progress_in_a_pipe_is_plain_lines(gls: Tool) -> None:
    done = gls.run(*GENERATE, "--progress")
    assert "\r" not in done.stderr and "\x1b" not in done.stderr
    lines = done.stderr.splitlines()
    assert any(line.startswith("generating edges") for line in lines)
    assert any(line.startswith("generating features") for line in lines)
    assert any("/s" in line for line in lines)


def test_bar_on_a_terminal(gls: Tool) -> None:
    said = on_terminal(gls, *GENERATE)
    assert "\rgenerating edges" in said and "[" in said and "\x1b" not in said
    assert said.endswith("\n")


def test_quiet_on_a_terminal(gls: Tool) -> None:
    assert on_terminal(gls, *GENERATE, "--quiet") == ""


def big_edges(folder: Path) -> List[str]:
    """An import that takes long enough to be stopped: zeros that take no room on the disk."""
    for name in ("src.npy", "dst.npy"):
        array = np.lib.format.open_memmap(
            folder / name, mode="w+", dtype=np.int32, shape=(1 << 27,)
        )
        array.flush()
    return ["import", "numpy", "--edges", "src.npy", "dst.npy", "-o", "out", "--progress"]


def stop_when_running(gls: Tool, arguments: List[str], number: int) -> "tuple[int, str]":
    """Sends a signal once work has begun; the exit status and the rest of standard error."""
    with subprocess.Popen(
        gls.command(*arguments),
        cwd=gls.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() != ""
        process.send_signal(number)
        _, said = process.communicate(timeout=TIMEOUT)
        return process.returncode, said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_import_leaves_nothing(gls: Tool, number: int) -> None:
    arguments = big_edges(gls.folder)
    code, said = stop_when_running(gls, arguments, number)
    assert code == 128 + number, said
    assert said.splitlines()[-1] == "gls: interrupted"
    assert sorted(path.name for path in gls.folder.iterdir()) == ["dst.npy", "src.npy"]


def test_an_interrupted_generate_leaves_nothing(gls: Tool) -> None:
    arguments = ["generate", "--preset", "arxiv-like", "--edges", "20000000", "-o", "out"]
    code, said = stop_when_running(gls, [*arguments, "--progress"], signal.SIGINT)
    assert code == 130, said
    assert list(gls.folder.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_partition_leaves_nothing(gls: Tool, number: int) -> None:
    gls.run("generate", "--preset", "arxiv-like", "--edges", "1000000", "-o", "g")
    arguments = ["partition", "g", "out", "--parts", "16", "--method", "random", "--progress"]
    code, said = stop_when_running(gls, arguments, number)
    assert code == 128 + number, said
    assert [path.name for path in gls.folder.iterdir()] == ["g"]


def test_an_import_whose_messages_are_not_read_leaves_nothing(gls: Tool) -> None:
    """As of "gls import ... 2>&1 | head -1": writing to it raises no signal."""
    arguments = big_edges(gls.folder)
    with subprocess.Popen(
        gls.command(*arguments), cwd=gls.folder, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() != ""
        process.stderr.close()
        time.sleep(2)  # a line comes each second
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT) == 128 + signal.SIGTERM
    assert sorted(path.name for path in gls.folder.iterdir()) == ["dst.npy", "src.npy"]


def test_what_nohup_starts_outlives_its_terminal(gls: Tool) -> None:
    gls.run(*GENERATE)
    with subprocess.Popen(
        gls.command("bench", "g", "--seconds", "600000", "--progress"),
        cwd=gls.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() != ""
        process.send_signal(signal.SIGHUP)
        assert process.stderr.readline() != ""
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT)
        assert process.returncode == 128 + signal.SIGTERM


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_reader_that_is_gone_ends_a_command_without_a_word(gls: Tool, flags: List[str]) -> None:
    gls.run(*GENERATE)
    commands: List[List[str]] = [
        ["settings"],
        [
            "sample",
            "g",
            "--seeds",
            ",".join(map(str, range(500))),
            "--fanout",
            "9,9",
            "--limit",
            "0",
        ],
    ]
    for command in commands:
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            gls.command(*command, *flags),
            cwd=gls.folder,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT,
        )
        os.close(writer)
        assert (done.returncode, done.stderr) == (0, ""), command


def test_an_interrupted_bench_ends_at_once(gls: Tool) -> None:
    gls.run(*GENERATE)
    # It would go on for a week.
    code, said = stop_when_running(
        gls, ["bench", "g", "--seconds", "600000", "--progress"], signal.SIGINT
    )
    assert code == 130, said


def stopped_at_once(gls: Tool, *arguments: object) -> "tuple[int, str]":
    """SIGINT waits already when the command begins to hear it."""

    def send() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.kill(os.getpid(), signal.SIGINT)

    done = subprocess.run(
        gls.command(*arguments),
        cwd=gls.folder,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=send,
        timeout=TIMEOUT,
    )
    return done.returncode, done.stdout


def test_an_interrupted_sample(gls: Tool) -> None:
    gls.run(*GENERATE)
    arguments = ["sample", "g", "--seeds", "1,2,3", "--fanout", "5,5"]
    assert stopped_at_once(gls, *arguments) == (130, "")
    assert stopped_at_once(gls, *arguments, "-o", "out") == (130, "")
    assert not (gls.folder / "out").exists()
    code, said = stopped_at_once(gls, *arguments, "--json")
    assert code == 130
    assert json.loads(said)["error"]["status"] == "GLS_ERR_CANCELED"


def test_a_killed_import_leaves_nothing_that_opens(gls: Tool) -> None:
    arguments = big_edges(gls.folder)
    code, _ = stop_when_running(gls, arguments, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert not (gls.folder / "out").exists()
    for path in gls.folder.iterdir():
        if path.is_dir():
            gls.run("inspect", path.name, code=1)
    # What is left does not stand in the way.
    gls.save("e.npy", [[0], [1]])
    gls.run("import", "numpy", "--edges", "e.npy", "-o", "out")
    gls.run("verify", "out")


def test_help_and_wrong_usage(gls: Tool) -> None:
    commands = "import inspect verify sample bench generate settings version".split()
    text = gls.run("--help").stdout
    assert all(f"\n  {command} " in text for command in commands)
    for command in commands:
        assert "Usage: gls " + command in gls.run(command, "--help").stdout
    for source in ("numpy", "text"):
        assert "--output" in gls.run("import", source, "--help").stdout
    gls.error(code=2)
    gls.error("import2", code=2)
    gls.error("inspect", code=2)
    gls.error("inspect", "a", "b", code=2)
    gls.error("inspect", "a", "--colour", code=2)


def test_a_full_disk_under_standard_output(gls: Tool) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            gls.command("settings"), stdout=full, stderr=subprocess.PIPE, timeout=TIMEOUT
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"gls: cannot write")


def test_messages_of_the_library_are_lines_of_this_program(gls: Tool) -> None:
    gls.run(*GENERATE)
    done = gls.run("inspect", "g", env=dict(os.environ, GLS_LOG_LEVEL="trace"))
    assert all(line.startswith("gls: ") for line in done.stderr.splitlines())


@pytest.mark.parametrize(
    "arguments, meant",
    [
        (["imporrt", "text"], "import"),
        (["import", "txt"], "text"),
        (["import", "text", "--egdes", "e.csv", "-o", "out"], "--edges"),
        (["import", "text", "--edges", "e.csv", "-o", "out", "--header_", "no"], "--header"),
        (["import", "numpy", "--edges=e.npy", "-o", "out", "--undirect"], "--undirected"),
        (["sample", "g", "--seed", "1", "--fanuot=10"], "--fanout"),
        (["partition", "g", "p", "--parts", "2", "--methd", "hash"], "--method"),
        (["bench", "g", "--batchsize", "3"], "--batch-size"),
        (["verify", "g", "--jsn"], "--json"),
    ],
)
def test_misspelt_options_tell_the_nearest(gls: Tool, arguments: List[str], meant: str) -> None:
    assert f'did you mean "{meant}"?' in gls.error(*arguments, code=2)
