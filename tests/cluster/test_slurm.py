"""The scripts of the examples, run by Slurm itself on machines that are network namespaces."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest
from machines import Machines
from slurm import Slurm

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples" / "cluster"
# As many cores as these ask for are not needed.
ONE_CORE = ("--cpus-per-task=1",)


@pytest.fixture(scope="module")
def slurm(machines: Machines, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    folder = tmp_path_factory.mktemp("slurm")
    folder.chmod(0o755)
    key = folder / "gls.key"
    key.write_text(secrets.token_hex(32))
    key.chmod(0o600)
    examples = folder / "examples"
    examples.mkdir()
    shutil.copy(Path(__file__).parent / "slurm_trainer.py", examples / "train.py")
    tools = [Path(sys.executable).parent, Path(os.environ["GLS_TOOL"]).resolve().parent]
    variables = {
        "PATH": ":".join([*map(str, tools), os.environ["PATH"]]),
        "GLS_NET_KEY_FILE": str(key),
        "GLS_EXAMPLES": str(examples),
        "SLURM_SUBMIT_DIR": str(ROOT),
    }
    with Slurm(list(machines)[:4], folder, variables) as made:
        yield made


def test_collocated(slurm: Slurm) -> None:
    """A process on each of four machines, which meet by what Slurm tells them."""
    wrote = slurm.run(EXAMPLES / "collocated.sbatch", options=(*ONE_CORE, f"--chdir={ROOT}"))
    for rank in range(4):
        assert f"rank {rank} of 4" in wrote
    assert float(wrote.partition("accuracy ")[2].split()[0]) > 0.7


def test_servers_and_trainers(slurm: Slurm, tmp_path: Path) -> None:
    """A server and two trainers on each of two machines; servers end when the trainers have."""
    parts = str(tmp_path / "parts")
    subprocess.run([sys.executable, str(EXAMPLES / "prepare.py"), parts], check=True, timeout=60)
    wrote = slurm.run(EXAMPLES / "slurm.sbatch", parts, options=ONE_CORE)
    told = [json.loads(line) for line in wrote.splitlines() if line.startswith('{"rank"')]
    assert sorted((one["rank"], one["of"], one["local"]) for one in told) == [
        (rank, 4, str(rank % 2)) for rank in range(4)
    ]
    assert wrote.count("stopped after") == 2  # servers drained
    seeds = sorted(seed for one in told for seed in one["seeds"])
    assert seeds == list(range(140))
