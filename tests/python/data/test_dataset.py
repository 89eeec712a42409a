"""Datasets: what they hold, folders, original ids, long calls with progress."""

from __future__ import annotations

import json
import math
import mmap
import os
import resource
import shutil
import signal
from pathlib import Path
from typing import Any, List, Tuple

import numpy as np
import pytest

import gls


def test_types_and_counts(shop: gls.Dataset) -> None:
    assert shop.node_types == ["user", "item", "shop"]
    assert shop.edge_types[0] == ("user", "buys", "item")
    assert shop.metadata() == (shop.node_types, shop.edge_types)
    assert [shop.num_nodes(name) for name in shop.node_types] == [60, 90, 7]
    assert shop.num_edges("user__buys__item") == shop.num_edges(("user", "buys", "item")) == 400
    assert shop.layouts(("user", "buys", "item")) == ["csc", "csr"]
    assert "user: 60" in repr(shop)


def test_types_may_be_left_out_where_there_is_one(dataset: gls.Dataset, graph: Any) -> None:
    assert dataset.num_nodes() == dataset.num_nodes("node") == graph.num_nodes
    assert dataset.num_edges() == dataset.num_edges("node__to__node") == 2000


def test_types_are_needed_where_there_are_several(shop: gls.Dataset) -> None:
    with pytest.raises(gls.InvalidArgument, match="user, item, shop"):
        shop.num_nodes()
    with pytest.raises(gls.InvalidArgument, match="user__buys__item"):
        shop.num_edges()
    with pytest.raises(gls.NotFound, match="no node type 'users'"):
        shop.num_nodes("users")
    with pytest.raises(gls.NotFound, match="no edge type"):
        shop.num_edges(("user", "sells", "item"))
    with pytest.raises(gls.InvalidArgument, match="neither"):
        shop.num_edges(("user", "item"))  # type: ignore[arg-type]


def test_columns_and_id_sets(shop: gls.Dataset, dataset: gls.Dataset) -> None:
    column = dataset.columns()["x"]
    assert (column.role, column.dtype, column.shape) == ("feature", "float32", (200, 12))
    assert column.row_stride == 48
    assert dataset.node_columns()["y"].role == "label"
    assert dataset.edge_columns()["w"].role == "weight"
    assert list(shop.columns("item")) == ["x", "price"]
    assert list(shop.columns(("user", "buys", "item"))) == ["stars"]
    assert shop.columns("shop") == {}
    assert shop.id_sets("user") == {"train": 30}
    assert shop.id_sets("item") == {}


def test_arrays_are_those_given(dataset: gls.Dataset, graph: Any) -> None:
    np.testing.assert_array_equal(dataset.node_column("x").numpy(), graph.x)
    np.testing.assert_array_equal(dataset.edge_column("w").numpy(), graph.weight)
    np.testing.assert_array_equal(dataset.id_set("train").numpy(), graph.train)


@pytest.mark.parametrize("layout", ["csc", "csr"])
def test_topology_describes_the_edges(dataset: gls.Dataset, graph: Any, layout: str) -> None:
    near, far = (1, 0) if layout == "csc" else (0, 1)
    topology = dataset.topology(layout)
    indptr, indices = topology.indptr.numpy(), topology.indices.numpy()
    order = np.argsort(graph.edge_index[near], kind="stable")
    np.testing.assert_array_equal(
        np.diff(indptr), np.bincount(graph.edge_index[near], minlength=200)
    )
    np.testing.assert_array_equal(indices, graph.edge_index[far][order])
    assert topology.edge_ids is not None
    np.testing.assert_array_equal(topology.edge_ids.numpy(), order)


def test_missing_arrays(dataset: gls.Dataset) -> None:
    for look in (
        lambda: dataset.node_column("z"),
        lambda: dataset.edge_column("x"),
        lambda: dataset.id_set("validation"),
        lambda: gls.Dataset.from_arrays([[0], [0]]).topology("csr"),
    ):
        with pytest.raises(gls.NotFound):
            look()
    with pytest.raises(gls.InvalidArgument, match="layout"):
        dataset.topology("coo")


# ---- folders -----------------------------------------------------------------------------------


@pytest.mark.parametrize("residency", ["mapped", "topology", "all"])
def test_save_and_open(dataset: gls.Dataset, graph: Any, tmp_path: Path, residency: str) -> None:
    folder = tmp_path / "saved é"
    dataset.save(folder)
    opened = gls.Dataset.open(folder, residency=residency, verify=True)
    np.testing.assert_array_equal(opened.node_column("x").numpy(), graph.x)
    opened.verify()
    a = gls.Sampler(dataset, [4, 4], seed=5).sample(range(10))
    b = gls.Sampler(gls.Dataset.open(str(folder)), [4, 4], seed=5).sample(range(10))
    assert a.node.tolist() == b.node.tolist() and a.row.tolist() == b.row.tolist()


def test_save_is_careful(dataset: gls.Dataset, tmp_path: Path) -> None:
    dataset.save(tmp_path / "d")
    with pytest.raises(gls.FileExists) as caught:
        dataset.save(tmp_path / "d")
    assert isinstance(caught.value, FileExistsError)
    dataset.save(tmp_path / "d", overwrite=True, layouts="csc", row_padding=False)
    assert gls.Dataset.open(tmp_path / "d").layouts() == ["csc"]
    (tmp_path / "file").write_text("")
    with pytest.raises(gls.IoError) as refused:
        dataset.save(tmp_path / "file" / "d")
    assert isinstance(refused.value, OSError)


def test_open_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(gls.FileNotFound) as caught:
        gls.Dataset.open(tmp_path / "none")
    assert isinstance(caught.value, FileNotFoundError) and isinstance(caught.value, LookupError)
    assert "none" in caught.value.detail["file"]
    with pytest.raises(gls.InvalidArgument, match="residency"):
        gls.Dataset.open(tmp_path, residency="everywhere")
    with pytest.raises((TypeError, ValueError)):
        gls.Dataset.open("a\0b")
    with pytest.raises(TypeError):
        gls.Dataset.open(None)  # type: ignore[arg-type]


def test_damage_is_found(dataset: gls.Dataset, tmp_path: Path) -> None:
    dataset.save(tmp_path / "d")
    damaged = max((tmp_path / "d").rglob("*.npy"), key=lambda path: path.stat().st_size)
    content = bytearray(damaged.read_bytes())
    content[-1] ^= 0xFF
    damaged.write_bytes(content)
    with pytest.raises(gls.CorruptData) as caught:
        gls.Dataset.open(tmp_path / "d", verify=True)
    assert damaged.name in caught.value.detail["file"]
    with pytest.raises(gls.CorruptData):
        gls.Dataset.open(tmp_path / "d").verify()


# ---- original ids ------------------------------------------------------------------------------


def test_keys(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("who,whom,weight\nann,bob,0.5\nbob,cäsar,1.5\n")
    builder = gls.DatasetBuilder()
    builder.add_node_type("person", ids="string")
    builder.add_edges_text(
        ("person", "knows", "person"),
        tmp_path / "edges.csv",
        source="who",
        target="whom",
        columns={"weight": ("float32", "weight")},
    )
    dataset = builder.build()
    assert dataset.has_keys()
    assert [dataset.node_key(node) for node in range(3)] == ["ann", "bob", "cäsar"]
    assert dataset.find_node("cäsar") == 2
    assert dataset.edge_column("weight").tolist() == [0.5, 1.5]
    with pytest.raises(gls.NotFound):
        dataset.find_node("dora")
    with pytest.raises(gls.InvalidArgument):
        dataset.node_key(3)
    with pytest.raises(TypeError):
        dataset.find_node(1.5)  # type: ignore[arg-type]


def test_integer_keys(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("# a comment\n1000 7\n7 -3\n")
    builder = gls.DatasetBuilder()
    builder.add_node_type("n", ids="integer")
    builder.add_edges_text("n__to__n", tmp_path / "edges.txt", header=False)
    dataset = builder.build()
    assert [dataset.node_key(node) for node in range(3)] == ["-3", "7", "1000"]
    assert dataset.find_node(1000) == dataset.find_node("1000") == 2


def test_no_keys(dataset: gls.Dataset) -> None:
    assert not dataset.has_keys()
    with pytest.raises(gls.Unsupported):
        dataset.find_node("7")


# ---- opening -----------------------------------------------------------------------------------


def pretend(path: Path, dtype: str, shape: Tuple[int, ...]) -> None:
    """Makes the array at `path` as large as that, of zeros that nobody wrote."""
    with open(path, "wb") as out:
        header = {"descr": dtype, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(out, header)
        out.truncate(out.tell() + math.prod(shape) * np.dtype(dtype).itemsize)


def test_opening_reads_nothing_of_the_arrays(tmp_path: Path) -> None:
    """A thousand nodes or a hundred million: the same few pages are touched."""
    small, large = tmp_path / "small", tmp_path / "large"
    edges = np.zeros((2, 1000), np.int64)
    gls.Dataset.from_arrays(edges, num_nodes=1000, x=np.zeros((1000, 16), np.float32)).save(small)
    shutil.copytree(small, large)
    nodes, count = 100_000_000, 1_000_000_000
    manifest = json.loads((large / "manifest.json").read_text())
    del manifest["xxh3"]  # of the file as it was written
    node, edge = manifest["node_types"][0], manifest["edge_types"][0]
    node["count"], edge["count"] = nodes, count
    for array, length in (
        (node["columns"][0]["array"], nodes),
        (edge["csc"]["indptr"], nodes + 1),
        (edge["csc"]["indices"], count),
    ):
        dtype = np.dtype(array["dtype"]).str
        array["shape"][0] = length
        pretend(large / array["file"], dtype, tuple(array["shape"]))
    (large / "manifest.json").write_text(json.dumps(manifest))
    with open(large / edge["csc"]["indptr"]["file"], "r+b") as indptr:
        indptr.seek(-8, os.SEEK_END)
        indptr.write(count.to_bytes(8, "little"))

    def pages_touched(folder: Path) -> int:
        before = resource.getrusage(resource.RUSAGE_SELF)
        with gls.Dataset.open(folder) as dataset:
            assert dataset.num_nodes() in (1000, nodes)
        after = resource.getrusage(resource.RUSAGE_SELF)
        return after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt

    pages_touched(small)  # code that runs for the first time is read, too
    assert pages_touched(large) <= pages_touched(small) + 64


# ---- progress ----------------------------------------------------------------------------------


def test_progress_is_reported(dataset: gls.Dataset, tmp_path: Path) -> None:
    seen: List[Tuple[str, int, int, str]] = []
    dataset.verify(progress=lambda *arguments: seen.append(arguments))
    dataset.save(tmp_path / "d", progress=lambda *arguments: seen.append(arguments))
    assert seen
    for stage, done, total, unit in seen:
        assert isinstance(stage, str) and isinstance(unit, str)
        assert 0 <= done and (total == 0 or done <= total)


class Stop(Exception):
    pass


def stop(*_: Any) -> None:
    raise Stop("enough")


def test_progress_may_raise(dataset: gls.Dataset, tmp_path: Path) -> None:
    with pytest.raises(Stop, match="enough"):
        dataset.verify(progress=stop)
    with pytest.raises(Stop):
        dataset.save(tmp_path / "d", progress=stop)
    assert not (tmp_path / "d").exists()
    dataset.save(tmp_path / "opened")
    with pytest.raises(Stop):
        gls.Dataset.open(tmp_path / "opened", verify=True, progress=stop)
    with pytest.raises(Stop):
        gls.Dataset.open(tmp_path / "opened", residency="all", progress=stop)
    gls.Dataset.open(tmp_path / "opened", progress=stop)  # nothing is read
    shutil.rmtree(tmp_path / "opened")
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.zeros((2, 10), np.int64))
    with pytest.raises(Stop):
        builder.write(tmp_path / "d", progress=stop)
    assert os.listdir(tmp_path) == []
    builder.write(tmp_path / "d")  # it kept what it had
    with pytest.raises(TypeError, match="progress"):
        dataset.verify(progress=5)  # type: ignore[arg-type]


def test_saving_more_than_the_disk_holds(tmp_path: Path) -> None:
    """Told before anything is written. The column is address space that was never touched."""
    no_reserve = 0x4000  # mmap.MAP_NORESERVE of newer Python
    size = 64 << 40
    untouched = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve)
    x = np.frombuffer(untouched, np.uint8).reshape(1024, -1)
    dataset = gls.Dataset.from_arrays(np.zeros((2, 1), np.int64), num_nodes=1024, x=x)
    with pytest.raises(gls.IoError, match=r"takes at least 70368\.\d GB.* left"):
        dataset.save(tmp_path / "d")
    assert os.listdir(tmp_path) == []


def test_signals_end_long_calls() -> None:
    """Without a progress function, too: handlers run while the library works."""
    nodes, edges = 1000, 20_000_000
    indptr = np.linspace(0, edges, nodes + 1).astype(np.int64)
    builder = gls.DatasetBuilder()
    builder.add_topology("node__to__node", "csc", indptr, np.zeros(edges, np.int32))
    dataset = builder.build()

    def alarm(*_: Any) -> None:
        raise Stop("alarm")

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        with pytest.raises(Stop, match="alarm"):
            while True:  # one round may be faster than the alarm
                signal.setitimer(signal.ITIMER_REAL, 0.001)
                dataset.verify()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ---- closing -----------------------------------------------------------------------------------


def test_use_after_close(graph: Any) -> None:
    with graph.build() as dataset:
        sampler = gls.Sampler(dataset, [2])
        view = dataset.node_column("x")
    for use in (
        lambda: dataset.num_nodes(),
        lambda: dataset.node_column("x"),
        lambda: dataset.verify(),
        lambda: dataset.columns(),
        lambda: gls.Sampler(dataset, [2]),
        lambda: gls.NeighborLoader(dataset, [2]),
    ):
        with pytest.raises(gls.InvalidState, match="closed"):
            use()
    assert repr(dataset) == "gls.Dataset(closed)"
    dataset.close()
    np.testing.assert_array_equal(view.numpy(), graph.x)
    assert sampler.sample([0]).node[0] == 0
    sampler.close()
    with pytest.raises(gls.InvalidState, match="closed"):
        sampler.sample([0])
