"""The programs of examples/cluster that one machine can run; the form of the others."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Dict, Tuple

import pytest
from conftest import ROOT

import gls

EXAMPLES = ROOT / "examples" / "cluster"
KEY = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"


def launch(count: int, *command: str, **variables: str) -> Tuple[int, str, str]:
    """Ends with all of its processes, whatever becomes of it."""
    environment: Dict[str, str] = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    with subprocess.Popen(
        [sys.executable, str(EXAMPLES / "launch.py"), str(count), *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=180)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, out, err


def accuracy(output: str) -> float:
    found = re.search(r"^accuracy (\S+) of 1000$", output, re.MULTILINE)
    assert found is not None, output
    return float(found[1])


def test_collocated(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    results = []
    for listen in ("127.0.0.1", "0.0.0.0"):
        code, out, err = launch(
            3, str(EXAMPLES / "collocated.py"), "--parts", str(parts), "--listen", listen
        )
        assert code == 0, err
        assert accuracy(out) > 0.77
        for rank in range(3):
            assert f"rank {rank} of 3: 60 batches" in out  # 140 papers: 3 batches of 20 for each
        counts = re.search(r"^papers of each label, by part: (.*)$", out, re.MULTILINE)
        assert counts is not None
        assert sum(map(sum, json.loads(counts[1]))) == 2708
        results.append(sorted(out.splitlines()))
    assert results[0] == results[1]


def test_workers_of_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLS_NET_KEY", KEY)
    prepare = [sys.executable, str(EXAMPLES / "prepare.py"), str(tmp_path / "parts")]
    subprocess.run(prepare, check=True, timeout=60)
    with gls.Server(tmp_path / "parts", parts=[0]) as first:
        with gls.Server(tmp_path / "parts", parts=[1], servers=[first.address]) as second:
            code, out, err = launch(
                2, str(EXAMPLES / "worker.py"), f"gls://{second.address}", "--epochs", "10"
            )
    assert code == 0, err
    assert accuracy(out) > 0.75


def test_a_process_that_fails_ends_all(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys, gls\n"
        "group = gls.Group(timeout=60)\n"
        "if group.rank == 1:\n"
        "    os._exit(3)\n"
        "group.barrier(60)\n"
    )
    code, _, err = launch(3, str(program), GLS_NET_PEER_TIMEOUT_MS="2000")
    assert code in (1, 3)  # of who was looked at first
    assert "rank 1" in err
