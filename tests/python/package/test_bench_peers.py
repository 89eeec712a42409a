"""The driver of the benchmarks against peers prints results after each round, when a signal stops it, and when
its time is up."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

import pytest

ROOT = Path(__file__).resolve().parents[3]
PEERS = ROOT / "bench" / "peers"


@pytest.fixture()
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, which is a script with its neighbours beside it."""
    monkeypatch.syspath_prepend(str(PEERS))
    import run as module

    yield module
    for name in [path.stem for path in PEERS.glob("*.py")]:
        sys.modules.pop(name, None)


def entry(run: Any, name: str, on_round: Callable[[int], None]) -> Any:
    """A contestant that takes no time, with twice the rate for gls.pyg."""
    made = run.Entry(name, [], {"versions": {}, "semantics": "", "seconds": None})

    def result(number: int, options: argparse.Namespace) -> Optional[Dict[str, float]]:
        on_round(number)
        rate = 2.0 if name.endswith("gls.pyg") else 1.0
        keys = ("edges_per_s", "batches_per_s", "edges_per_cpu_s", "other_cores")
        return {key: rate for key in keys}

    made.run = result
    return made


def options(seconds: float, rounds: int) -> argparse.Namespace:
    return argparse.Namespace(
        rounds=rounds,
        minutes=seconds / 60,
        end=time.monotonic() + seconds,
        stopped=False,
        level="loader",
        retries=0,
        quiet=1e9,
        wait=0,
        seconds=1,
    )


def ratios(text: str) -> List[Dict[str, Any]]:
    """The lines of JSON."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


NAMES = ("hetero/gls", "hetero/gls.pyg", "hetero/pyg-lib")


def test_each_round_is_shown(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    entries = [entry(run, name, lambda number: None) for name in NAMES]
    kept = run.run_rounds(entries, options(60, 3), {})
    shown = ratios(capsys.readouterr().out)
    assert [line["round"] for line in shown] == [1, 2, 3]
    assert shown[0]["ratios"] == {"hetero_vs_pyg": 2, "hetero_vs_native": 2}
    assert [len(one.rounds) for one in kept] == [3, 3, 3]


def test_a_signal_leaves_the_rounds_that_were_made(
    run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(number: int) -> None:
        if number == 2:
            run.stop()

    entries = [
        entry(run, "hetero/gls.pyg", lambda number: None),
        entry(run, "hetero/pyg-lib", stop),
    ]
    given = options(60, 5)
    kept = run.run_rounds(entries, given, {})
    assert given.stopped and len(kept) == 2
    assert [len(one.rounds) for one in kept] == [2, 1]
    assert run.ratios(kept, "edges_per_s")["hetero/gls.pyg"]["hetero/pyg-lib"] == 2
    assert "stopped" in capsys.readouterr().out


def test_one_that_was_stopped_before_its_first_round_is_named(run: Any) -> None:
    def stop(number: int) -> None:
        if number == 1:
            run.stop()

    entries = [entry(run, NAMES[0], lambda number: None), entry(run, NAMES[1], stop)]
    unavailable: Dict[str, str] = {}
    kept = run.run_rounds(entries, options(60, 5), unavailable)
    assert [one.name for one in kept] == [NAMES[0]]
    assert list(unavailable) == [NAMES[1]]


def test_no_round_begins_when_the_time_is_up(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    entries = [entry(run, NAMES[0], lambda number: None)]
    kept = run.run_rounds(entries, options(0, 7), {})
    assert [len(one.rounds) for one in kept] == [1]
    assert "1 of 7 rounds" in capsys.readouterr().out


def test_the_contestants_share_the_time(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that is never quiet, waiting and repeated tries fit into the time."""
    now = [1000.0]
    monkeypatch.setattr(run.time, "monotonic", lambda: now[0])

    def wait(cores: float, patience: float) -> None:
        assert 0 <= patience <= 5
        now[0] += patience

    monkeypatch.setattr(run, "wait_until_quiet", wait)

    class Busy(run.Entry):  # type: ignore[misc, name-defined]
        tries = 0

        def run(self, number: int, given: argparse.Namespace) -> Dict[str, float]:
            now[0] += given.seconds + 2
            self.tries += 1
            keys = ("edges_per_s", "batches_per_s", "edges_per_cpu_s")
            return {"other_cores": 3.0, **{key: 1.0 for key in keys}}

    opened = {"versions": {}, "semantics": "", "seconds": None}
    entries = [Busy(f"graph{number}/gls", [], opened) for number in range(12)]
    given = options(270, 7)
    given.retries, given.quiet, given.wait, given.seconds = 3, 0.15, 5, 4
    given.end = now[0] + 270
    kept = run.run_rounds(entries, given, {})
    assert kept == entries and now[0] <= given.end
    assert min(entry.tries for entry in entries) >= 2  # of the warm-up and a round
    assert max(entry.tries for entry in entries) > 2


def parsed(run: Any, monkeypatch: pytest.MonkeyPatch, *words: str) -> argparse.Namespace:
    monkeypatch.setattr(sys, "argv", ["run.py", "--graph", "g", *words])
    return run.parse_arguments()  # type: ignore[no-any-return]


def test_arguments(
    run: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def parse(*words: str) -> argparse.Namespace:
        return parsed(run, monkeypatch, *words)

    assert (parse().minutes, parse().rounds) == (5, 7)
    assert parse("--minutes", "0.5", "--rounds", "2").minutes == 0.5
    for words in (["--minutes", "0"], ["--minutes", "inf"], ["--rounds", "0"]):
        with pytest.raises(SystemExit):
            parse(*words)
        assert f"{words[0]} is {words[1]}, expected" in capsys.readouterr().err


# run.py with workers of its own. They stop answering at one step: in the second round, when asked for
# their memory, or at their start. They send the signal that is named, if any.
STUCK = """
import os, signal, sys, time
import run

def stick(step):
    if step == os.environ["STEP"]:
        if os.environ["SIGNAL"]:
            signal.raise_signal(signal.Signals[os.environ["SIGNAL"]])
        time.sleep(60)

class Worker:
    def __init__(self, python, config):
        self.told = {}
        stick("start")
    def tell(self, **command):
        self.told = command
    def ask(self, **command):
        stick(command["do"])
        return {"ok": True, "versions": {}, "semantics": "", "seconds": None}
    def answer(self):
        if self.told["number"] > 1:
            stick("round")
        keys = ("edges", "nodes", "batches", "cpu", "busy", "steal")
        return {"ok": True, "seconds": 0.1, "details": {}, **{key: 1 for key in keys}}
    def stop(self):
        print("a worker is stopped", flush=True)

class Graph:
    def __init__(self, *words):
        pass
    def info(self):
        return {"name": "graph", "nodes": 1, "edges": 1}

run.Process, run.Graph = Worker, Graph
run.wanted = lambda options: ["hetero/gls.pyg", "hetero/pyg-lib"]
run.main()
"""


@contextlib.contextmanager
def stuck(
    tmp_path: Path, step: str, by_worker: Optional[signal.Signals] = None
) -> Iterator["subprocess.Popen[str]"]:
    """Killed after a minute, so that reading its output ends."""
    command = [sys.executable, "-c", STUCK, "--graph", "g", "--level", "loader", "--rounds", "2"]
    command += ["--quiet", "1000", "--output", str(tmp_path / "all")]
    environment = {**os.environ, "STEP": step, "SIGNAL": by_worker.name if by_worker else ""}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=PEERS,
        env=environment,
    ) as process:
        timer = threading.Timer(60, process.kill)
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
            process.kill()


@pytest.mark.parametrize(
    "number, said",
    [
        (signal.SIGINT, "stopped"),
        (signal.SIGTERM, "stopped"),
        (signal.SIGALRM, "the time is up (--minutes is 5)"),
    ],
)
def test_what_is_stopped_prints_its_results(
    number: signal.Signals, said: str, tmp_path: Path
) -> None:
    # The end of the time is a SIGALRM, which the worker sends when it is stuck.
    by_worker = number if number == signal.SIGALRM else None
    with stuck(tmp_path, "round", by_worker) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith('{"round": 1') and by_worker is None:
                process.send_signal(number)
                process.send_signal(number)
        assert process.wait(60) == 0
    text = "".join(lines)
    assert f"{said}: these are the rounds until then" in text and "a worker is stopped" in text
    assert json.loads(lines[-1]) == {"bench": "loader", "ratios": {"hetero_vs_pyg": 1}}
    result = json.loads((tmp_path / "all").read_text())
    assert result["stopped"] and result["brief"] == {"hetero_vs_pyg": 1}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGALRM])
def test_a_worker_that_does_not_tell_its_memory_costs_no_result(
    number: signal.Signals, tmp_path: Path
) -> None:
    with stuck(tmp_path, "memory", number) as process:
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    lines = output.splitlines()
    assert "after the last round" in output and "a worker is stopped" in output
    assert json.loads(lines[-1]) == {"bench": "loader", "ratios": {"hetero_vs_pyg": 1}}
    result = json.loads((tmp_path / "all").read_text())
    assert result["stopped"] and result["huge_page_bytes"] == []
    assert {one["rounds"] for one in result["contestants"].values()} == {2}


@pytest.mark.parametrize("step", ["start", "open"])
def test_a_signal_before_the_first_round_ends_without_a_traceback(
    step: str, tmp_path: Path
) -> None:
    with stuck(tmp_path, step, signal.SIGINT) as process:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 1
    assert errors == "stopped before the first round\n"


def test_the_script_tells_how_to_bound_its_time(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    script = ROOT / "scripts" / "bench.sh"
    shown = subprocess.run(
        [script, "--help"], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    for words in ("-- --rounds 3 ", "-- --minutes 20 ", "Ctrl-C and SIGTERM"):
        assert words in shown
    given = parsed(run, monkeypatch)
    defaults = dict(re.findall(r"-- --(\w+) \d+ .*; default (.+)", shown))
    assert defaults == {"rounds": f"{given.rounds:g}", "minutes": f"{given.minutes:g}"}
    assert f"the contestants share {given.minutes:g} minutes" in shown
