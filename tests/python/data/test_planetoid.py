"""gls.read_planetoid, on files in the published form: those of Python 2."""

from __future__ import annotations

import gzip
import os
import pickle
import random
import sys
import types
from pathlib import Path
from typing import Any, BinaryIO, Dict, List

import numpy as np
import pytest
from conftest import ROOT

import gls

PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")


class csr_matrix:  # pylint: disable=invalid-name
    """Pickles under the name that SciPy gives its own, so that SciPy is not needed."""

    __module__ = "scipy.sparse.csr"


def dump(value: object, file: BinaryIO) -> None:
    """Pickles as Python 2 did: byte strings are a kind of text."""

    def save_bytes(pickler: Any, data: bytes) -> None:
        pickler.write(b"T" + len(data).to_bytes(4, "little") + data)
        pickler.memoize(data)

    pickler: Any = pickle._Pickler(file, protocol=2)  # type: ignore[attr-defined]
    pickler.dispatch = {**pickler.dispatch, bytes: save_bytes}
    pickler.dump(value)


@pytest.fixture(autouse=True)
def scipy_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names that pickle looks the class up by."""
    for name in ("scipy", "scipy.sparse", "scipy.sparse.csr"):
        module = types.ModuleType(name)
        module.csr_matrix = csr_matrix  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)


def sparse(dense: np.ndarray) -> Any:
    rows, columns = np.nonzero(dense)
    matrix = csr_matrix()
    matrix.__dict__.update(
        _shape=dense.shape,
        data=dense[rows, columns],
        indices=columns.astype(np.int32),
        indptr=np.searchsorted(rows, np.arange(len(dense) + 1)).astype(np.int32),
    )
    return matrix


def one_hot(classes: List[int], count: int = 3) -> np.ndarray:
    """-1: no class."""
    return np.vstack([np.eye(count, dtype=np.int32), np.zeros(count, np.int32)])[classes]


ALL = np.array([[1, 0, 0, 0], [0, 2, 0, 0], [0.5, 0, 3, 0], [0, 0, 0, 0], [0, 0, 0, 5]], np.float32)
TESTED = np.array([[70, 0, 0, 0], [0, 50, 0, 0], [0, 0, 80, 0]], np.float32)


def tiny() -> Dict[str, Any]:
    """Two nodes for training, three more, and test nodes 7, 5, 8 in this order. No row describes node 6."""
    return {
        "x": sparse(ALL[:2]),
        "allx": sparse(ALL),
        "tx": sparse(TESTED),
        "y": one_hot([0, 2]),
        "ally": np.asfortranarray(one_hot([0, 2, 1, -1, 2])),
        "ty": one_hot([2, 1, 0]),
        "graph": {0: [1, 1, 0], 1: [0, 8], 5: [7], 6: []},
        "test.index": b"7\n5\n8\n",
    }


def save(folder: Path, **changed: Any) -> None:
    for name, value in {**tiny(), **changed}.items():
        with open(folder / f"ind.tiny.{name}", "wb") as file:
            if isinstance(value, bytes):
                file.write(value)
            else:
                dump(value, file)


def test_the_standard_graph(tmp_path: Path) -> None:
    save(tmp_path)
    graph = gls.read_planetoid(tmp_path, "tiny")
    expected = [(0, 1), (1, 0), (1, 8), (5, 7), (7, 5), (8, 1)]
    assert graph.edges.dtype == np.int64 and graph.edges.T.tolist() == [*map(list, expected)]
    assert graph.x.dtype == np.float32
    assert np.array_equal(graph.x[:5], ALL)
    assert np.array_equal(graph.x[5:], [TESTED[1], [0, 0, 0, 0], TESTED[0], TESTED[2]])
    assert graph.y.tolist() == [0, 2, 1, -1, 2, 1, -1, 2, 0]
    assert [ids.tolist() for ids in graph[3:]] == [[0, 1], [2, 3, 4], [5, 7, 8]]

    builder = gls.DatasetBuilder()
    graph.add_to(builder)
    dataset = builder.build()
    assert dataset.num_nodes() == 9 and dataset.num_edges() == 6
    assert np.array_equal(dataset.node_column("x").numpy(), graph.x)
    assert dataset.id_set("valid").numpy().tolist() == [2, 3, 4]


def test_repeated_entries_add_up(tmp_path: Path) -> None:
    matrix = sparse(ALL)
    matrix.__dict__.update(
        data=np.array([1.0, 2.0, 0.5, 3.0, 5.0]), indices=np.int64([0, 1, 2, 2, 3])
    )
    save(tmp_path, allx=matrix)
    assert gls.read_planetoid(tmp_path, "tiny").x[2].tolist() == [0, 0, 3.5, 0]


def test_cora_is_that_of_the_examples(tmp_path: Path) -> None:
    """The published files hold these arrays in this form."""
    folder = ROOT / "examples" / "data" / "cora"
    x, y = np.load(gzip.open(folder / "x.npy.gz")), np.load(folder / "y.npy")
    edges, test = np.load(folder / "edges.npy"), np.load(folder / "test.npy")
    assert test.tolist() == list(range(1708, 2708))
    order = np.random.default_rng(1).permutation(test)
    graph: Dict[int, List[int]] = {int(node): [] for node in order}
    for source, target in edges.T.tolist():
        graph.setdefault(source, []).append(target)
    parts = {
        "x": sparse(x[:140]),
        "allx": sparse(x[:1708]),
        "tx": sparse(x[order]),
        "y": one_hot(y[:140], 7),
        "ally": one_hot(y[:1708], 7),
        "ty": one_hot(y[order], 7),
        "graph": graph,
        "test.index": "\n".join(map(str, order)).encode(),
    }
    save(tmp_path, **parts)
    read = gls.read_planetoid(tmp_path, "tiny")
    names = ("train", "valid", "test")
    expected = [edges, x, y, *(np.load(folder / f"{name}.npy") for name in names)]
    assert all(np.array_equal(*pair) for pair in zip(read, expected))
    assert np.bincount(y[read.train]).tolist() == [20] * 7


class Hostile:
    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("part", PARTS[:-1])
def test_no_code_of_a_pickle_runs(tmp_path: Path, part: str) -> None:
    mark = tmp_path / "ran"
    for hostile in (
        Hostile(os.system, f"touch {mark}"),
        Hostile(eval, f"open({str(mark)!r}, 'w')"),
        Hostile(np.save, str(mark), np.zeros(1)),
        Hostile(getattr, np.ndarray, "tofile"),
        [Hostile(os.mkdir, str(mark))],
    ):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            save(tmp_path, **{part: pickle.dumps(hostile, protocol)})
            with pytest.raises(
                gls.CorruptData, match=r"it names '.*', expected only lists"
            ) as caught:
                gls.read_planetoid(tmp_path, "tiny")
            assert f"ind.tiny.{part}" in str(caught.value)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("ran")]


def test_a_pickle_changes_no_class_of_the_reader(tmp_path: Path) -> None:
    """A state of two dicts sets attributes of what it belongs to, which may be a class."""
    attack = b"\x80\x02cnumpy\nndarray\nN}X\x0c\x00\x00\x00__setstate__cnumpy\ndtype\ns\x86b."
    save(tmp_path, x=attack)
    with pytest.raises(gls.CorruptData):
        gls.read_planetoid(tmp_path, "tiny")
    save(tmp_path)
    assert gls.read_planetoid(tmp_path, "tiny").x[1].tolist() == [0, 2, 0, 0]


def changed(part: str, **attributes: Any) -> Any:
    matrix = tiny()[part]
    matrix.__dict__.update(attributes)
    return matrix


@pytest.mark.parametrize(
    "part, value, message",
    [
        ("x", sparse(np.ones((6, 4))), "6 rows, but 5 in allx"),
        ("allx", {0: [1]}, "it is not a CSR matrix"),
        ("allx", sparse(np.ones((5, 5))), "5 features, but 4 in x and 4 in tx"),
        ("allx", changed("allx", _shape=(5, "4")), "the shape of the matrix is"),
        ("allx", changed("allx", _shape=(4, 4)), "do not have the lengths of its shape"),
        ("allx", changed("allx", indptr=np.int32([0, 1, 2, 4, 3, 5])), "does not ascend"),
        ("allx", changed("allx", indptr=np.int32([0, 1, 2, 4, 4, 6])), "does not ascend"),
        ("allx", changed("allx", indptr=np.zeros(6)), "are not integers"),
        (
            "allx",
            changed("allx", indices=np.int32([0, 7, 0, 2, 3])),
            r"indices\[1\] .* is 7, .* 4\)",
        ),
        ("allx", changed("allx", data=np.array(["a"] * 5)), "its type is '<U1', expected numbers"),
        ("allx", changed("allx", data=np.array([[]] * 5, object)), "data is not an array"),
        ("y", sparse(ALL), "the content is not an array of 2 dimensions"),
        ("y", np.ones(5, np.int32), r"its shape is \(5,\), expected 2 dimensions"),
        ("ty", one_hot([2, 1]), "2 rows of classes, expected 3"),
        ("ally", np.ones((5, 2), np.int32), "row 0 has more than one class"),
        ("graph", [1], "it is not a dict of lists"),
        ("graph", {0: 1}, "it is not a dict of lists"),
        ("graph", {0: [9]}, r"an edge is from 0 to 9, expected nodes in \[0, 9\)"),
        ("graph", {-1: [0]}, "an edge is from -1 to 0"),
        ("graph", {0: [0.5]}, "an edge is from 0 to 0.5"),
        ("graph", {0: [1 << 80]}, "an edge is from 0 to 12089"),
        (
            "graph",
            dict.fromkeys(range(9), [0] * 50),
            "its lists have 450 entries, but the file has",
        ),
        ("graph", b"\x80\x02]r\xff\xff\xff\xff.", "memo entry 4294967295 in a file of 9 bytes"),
        ("graph", b"", "the pickle cannot be read"),
        ("test.index", b"7\n5\n", "2 entries, but tx has 3 rows"),
        ("test.index", b"7\n5\n5\n", "node 5 occurs twice"),
        ("test.index", b"7\n5\n4\n", "entry 2 is '4', expected the id of a node from 5 on"),
        ("test.index", b"7 5 900000000000", "entry 2 is '900000000000'"),
        ("test.index", b"7 5 one", "entry 2 is 'one'"),
    ],
)
def test_errors_name_the_file(tmp_path: Path, part: str, value: Any, message: str) -> None:
    save(tmp_path, **{part: value})
    with pytest.raises(gls.CorruptData, match=message) as caught:
        gls.read_planetoid(tmp_path, "tiny")
    assert caught.value.detail == {"file": str(tmp_path / f"ind.tiny.{part}")}
    assert str(caught.value).startswith(caught.value.detail["file"])


@pytest.mark.parametrize("part", PARTS)
def test_files_that_cannot_be_opened(tmp_path: Path, part: str) -> None:
    save(tmp_path)
    file = tmp_path / f"ind.tiny.{part}"
    file.unlink()
    with pytest.raises(gls.FileNotFound, match=f"there is no file {file}"):
        gls.read_planetoid(tmp_path, "tiny")
    file.mkdir()
    with pytest.raises(gls.IoError, match=f"cannot read {file}: "):
        gls.read_planetoid(str(tmp_path), "tiny")


def test_too_many_features(tmp_path: Path) -> None:
    wide = {part: changed(part, _shape=(rows, 1 << 58)) for part, rows in zip(PARTS, (2, 3, 5))}
    save(tmp_path, **wide)
    with pytest.raises(gls.OutOfMemory, match="9 nodes with 288230376151711744 features each"):
        gls.read_planetoid(tmp_path, "tiny")


def test_any_damage_is_an_error_of_gls(tmp_path: Path) -> None:
    save(tmp_path)
    draw = random.Random(1)
    failures = 0
    for part in PARTS:
        file = tmp_path / f"ind.tiny.{part}"
        whole = file.read_bytes()
        for turn in range(150):
            damaged = bytearray(whole)
            if turn % 3 == 0:
                del damaged[draw.randrange(len(whole)) :]
            else:
                for _ in range(turn % 3):
                    damaged[draw.randrange(len(whole))] = draw.randrange(256)
            file.write_bytes(damaged)
            try:
                gls.read_planetoid(tmp_path, "tiny")
            except (gls.CorruptData, gls.OutOfMemory) as error:
                assert error.detail["file"].startswith(str(tmp_path))
                failures += 1
        file.write_bytes(whole)
    assert failures > 400
