"""One loader in Python, Java and Rust: the same bytes, and a state saved by one resumes in another.

The programs are named by GLS_DIGEST_JAVA and GLS_DIGEST_RUST (scripts/cross.sh sets them). Each
feeds FNV-1a in a form of its own, described in its source; here both are computed in Python.
"""

from __future__ import annotations

import gzip
import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np
import pytest

import gls

ROOT = Path(__file__).resolve().parents[2]
CORA = ROOT / "examples" / "data" / "cora"
OPTIONS: Dict[str, Any] = {"batch_size": 48, "seed": 7, "shuffle": True, "with_edge_ids": True}
FANOUTS = [4, 3]
FLAGS = "--fanouts 4,3 --id-set train --batch-size 48 --seed 7 --shuffle --edge-ids".split()
PRIME, START, MASK = 1099511628211, 14695981039346656037, (1 << 64) - 1


class Fnv:
    def __init__(self) -> None:
        self.value = START

    def add(self, data: bytes) -> None:
        value = self.value
        for byte in data:
            value = (value ^ byte) * PRIME & MASK
        self.value = value

    def number(self, number: int) -> None:
        self.add(number.to_bytes(8, "little"))

    def text(self, text: str) -> None:
        self.add(text.encode() + b"\0")

    def hex(self) -> str:
        return f"{self.value:016x}"


# (number in gls.h, type, column or "", array) of a batch, as the library lists them.
Array = Tuple[int, str, str, np.ndarray]


def arrays_of(batch: gls.Batch) -> List[Array]:
    content = batch._content
    return [
        (kind, type, name or "", gls.Tensor(content.low.tensor(kind, type, name)).numpy())
        for kind, type, name, _ in content.arrays()
    ]


CODES = {"i": 0, "u": 1, "f": 2, "b": 6}


def add_as_java(digest: Fnv, arrays: List[Array]) -> None:
    for _, _, _, array in arrays:
        digest.add(array.tobytes())


def add_as_rust(digest: Fnv, epoch: int, number: int, arrays: List[Array]) -> None:
    digest.number(epoch)
    digest.number(number)
    for kind, type, name, array in sorted(arrays, key=lambda entry: entry[:3]):
        digest.number(kind)
        digest.text(type)
        digest.text(name)
        digest.number(CODES[array.dtype.kind])
        digest.number(array.dtype.itemsize * 8)
        digest.number(array.ndim)
        for extent in array.shape:
            digest.number(extent)
        digest.add(array.tobytes())


@pytest.fixture(scope="session")
def cora(tmp_path_factory: Any) -> Path:
    folder = tmp_path_factory.mktemp("cora") / "cora"
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.load(CORA / "edges.npy"))
    builder.add_node_column("node", "x", np.load(gzip.open(CORA / "x.npy.gz")))
    builder.add_node_column("node", "y", np.load(CORA / "y.npy"), role="label")
    for name in ("train", "valid", "test"):
        builder.add_id_set("node", name, np.load(CORA / f"{name}.npy"))
    builder.write(folder)
    return folder


def loader_of(cora: Path) -> gls.NeighborLoader:
    return gls.NeighborLoader(gls.Dataset.open(cora), FANOUTS, "train", **OPTIONS)


def state_of(loader: gls.NeighborLoader) -> str:
    return str(loader.state_dict()["loader"])


def resumed(cora: Path, state: str) -> gls.NeighborLoader:
    loader = loader_of(cora)
    loader.load_state_dict({"version": 1, "loader": state, "finished": False})
    return loader


def digests(loader: gls.NeighborLoader) -> Tuple[str, str]:
    java, rust = Fnv(), Fnv()
    for batch in loader:
        arrays = arrays_of(batch)
        add_as_java(java, arrays)
        add_as_rust(rust, batch.epoch, batch.number, arrays)
    return java.hex(), rust.hex()


def run(language: str, cora: Path, *arguments: str) -> List[str]:
    command = shlex.split(os.environ[f"GLS_DIGEST_{language.upper()}"])
    out = subprocess.run(
        [*command, str(cora), *FLAGS, *arguments], capture_output=True, text=True, timeout=300
    )
    assert out.returncode == 0, out.stderr
    return out.stdout.splitlines()


def run_java(cora: Path, *arguments: str) -> Tuple[str, str]:
    """The digest, and the state if it was asked for."""
    lines = run("java", cora, *arguments)
    return json.loads(lines[0])["digest"], lines[-1]


def run_rust(cora: Path, *arguments: str) -> Tuple[str, str]:
    lines = run("rust", cora, *arguments)
    summary = next(line for line in lines if '"batches"' in line and '"digest"' in line)
    return json.loads(summary)["digest"], lines[-1]


def test_the_same_bytes(cora: Path) -> None:
    java, rust = digests(loader_of(cora))
    assert run_java(cora)[0] == java
    assert run_rust(cora)[0] == rust


def test_a_state_resumes_anywhere(cora: Path, tmp_path: Path) -> None:
    """One batch by the first language, the rest of the epoch by the others."""
    first = loader_of(cora)
    next(iter(first))
    java, rust = digests(resumed(cora, state_of(first)))
    for language, runner in (("java", run_java), ("rust", run_rust)):
        _, state = runner(cora, "--stop-after", "1")
        saved = tmp_path / language
        saved.write_text(state)
        assert digests(resumed(cora, state)) == (java, rust), f"{language} to Python"
        assert run_java(cora, "--resume", f"@{saved}")[0] == java, f"{language} to Java"
        assert run_rust(cora, "--resume", str(saved))[0] == rust, f"{language} to Rust"
    saved = tmp_path / "python"
    saved.write_text(state_of(first))
    assert run_java(cora, "--resume", f"@{saved}")[0] == java
    assert run_rust(cora, "--resume", str(saved))[0] == rust
