"""The examples run, and learn what they should."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from conftest import ROOT


def run(example: str, *arguments: str) -> str:
    out = subprocess.run(
        [sys.executable, str(ROOT / "examples" / example), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},  # the models are small
    )
    assert out.returncode == 0, out.stderr
    return out.stdout


def accuracy(output: str) -> float:
    found = re.search(r"^accuracy (\S+)", output, re.MULTILINE)
    assert found is not None, output
    return float(found[1])


def test_quickstart() -> None:
    assert accuracy(run("quickstart.py")) > 0.74


def test_graphsage_numpy() -> None:
    """One seed and fewer epochs than the example's own, which reach 0.83 in the mean."""
    output = run("graphsage_numpy/train.py", "--seeds", "1", "--epochs", "40")
    assert "GB/s of features" in output and "waiting for batches" in output
    summary = json.loads(output.splitlines()[-1])
    assert set(summary) == {"accuracy", "edges_per_s", "seconds"}
    assert summary["accuracy"] > 0.79
    assert summary["edges_per_s"] > 0


def test_tutorial(tmp_path: Path) -> None:
    ratings = str(ROOT / "examples" / "tutorial" / "ratings.csv")
    output = run("tutorial/python/tutorial.py", ratings, str(tmp_path / "ratings"))
    assert output.splitlines()[-1].startswith("digest ")


def test_examples_are_documented() -> None:
    for path in (ROOT / "examples").rglob("*.py"):
        if not path.name.startswith("test_"):
            assert Path(path).read_text().startswith('"""')
