"""The driver of the benchmarks against peers: it shows what it has after each round, when it is stopped, and
when its time is up."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import pytest

PEERS = Path(__file__).resolve().parents[3] / "bench" / "peers"


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
