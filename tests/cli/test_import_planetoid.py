"""gls import planetoid, on files made here in the published form."""

import pickle
import sys
import types
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
from conftest import Tool
from folder import Folder

FEATURES = 4
CLASSES = 3


class csr_matrix:  # pylint: disable=invalid-name
    """Pickles under the name that scipy gives its own, so that scipy is not needed."""

    __module__ = "scipy.sparse.csr"


def dump(value: object, file: BinaryIO) -> None:
    """Pickles as Python 2 did, which made the published files: byte strings are a kind of text."""

    def save_bytes(pickler: Any, data: bytes) -> None:
        pickler.write(b"T" + len(data).to_bytes(4, "little") + data)
        pickler.memoize(data)

    pickler: Any = pickle._Pickler(file, protocol=2)
    pickler.dispatch = {**pickler.dispatch, bytes: save_bytes}
    pickler.dump(value)


@pytest.fixture(autouse=True)
def scipy_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """What pickle looks the class up in."""
    for name in ("scipy", "scipy.sparse", "scipy.sparse.csr"):
        module = types.ModuleType(name)
        module.csr_matrix = csr_matrix  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)


def sparse(dense: np.ndarray) -> object:
    rows, columns = np.nonzero(dense)
    matrix = csr_matrix()
    matrix.__dict__.update(
        _shape=dense.shape,
        data=dense[rows, columns].astype(np.float32),
        indices=columns.astype(np.int32),
        indptr=np.searchsorted(rows, np.arange(len(dense) + 1)).astype(np.int32),
    )
    return matrix


def save_files(folder: Path, x: np.ndarray, y: np.ndarray) -> None:
    """Six nodes: two of training, four in allx, then tests 5 and 4 in this order."""
    onehot = np.eye(CLASSES, dtype=np.int32)[y]
    graph = {0: [1, 1, 0], 1: [0, 4], 2: [5], 3: [], 4: [1], 5: [2]}
    parts = {
        "x": sparse(x[:2]),
        "tx": sparse(x[[5, 4]]),
        "allx": sparse(x[:4]),
        "y": onehot[:2],
        "ty": onehot[[5, 4]],
        "ally": onehot[:4],
        "graph": graph,
    }
    for name, value in parts.items():
        with open(folder / f"ind.cora.{name}", "wb") as file:
            dump(value, file)
    (folder / "ind.cora.test.index").write_text("5\n4\n")


def test_import(gls: Tool) -> None:
    x = np.random.default_rng(1).integers(0, 2, (6, FEATURES)).astype(np.float32)
    y = np.array([0, 2, 1, 1, 2, 0])
    save_files(gls.folder, x, y)
    gls.run("import", "planetoid", ".", "--name", "cora", "-o", "out", "--layout", "both")
    gls.run("verify", "out")
    folder = Folder(gls.folder / "out")
    assert sorted(folder.edges()) == [(0, 1), (1, 0), (1, 4), (2, 5), (4, 1), (5, 2)]
    assert np.array_equal(folder.node_column("x")[1], x)
    assert folder.node_column("y")[1].tolist() == y.tolist()
    assert folder.id_set("train") == [0, 1]
    assert folder.id_set("valid") == [2, 3]
    assert folder.id_set("test") == [4, 5]


def test_missing_files(gls: Tool) -> None:
    assert "ind.cora.x" in gls.error("import", "planetoid", ".", "--name", "cora", "-o", "out")
    gls.error("import", "planetoid", ".", "-o", "out", code=2)
