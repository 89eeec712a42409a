"""gls generate makes the graphs it promises; gls bench measures them."""

import hashlib
from pathlib import Path
from typing import Dict, List

import numpy as np
import pytest
from conftest import Tool
from folder import Folder


def digests(folder: Path) -> Dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_same_seed_makes_the_same_files(gls: Tool) -> None:
    command = ["generate", "--preset", "tiny"]
    gls.run(*command, "-o", "a", "--threads", "1")
    gls.run(*command, "-o", "b", "--threads", "3")
    gls.run(*command, "-o", "c", "--seed", "1")
    assert digests(gls.folder / "a") == digests(gls.folder / "b")
    assert digests(gls.folder / "a") != digests(gls.folder / "c")
    assert sorted(path.name for path in gls.folder.iterdir()) == ["a", "b", "c"]


def test_shape_of_the_graph(gls: Tool) -> None:
    shape = ["--nodes", 20000, "--edges", 100000, "--alpha", 0.7, "--max-degree", 800]
    gls.run("generate", *shape, "--layout", "both", "-o", "g")
    gls.run("verify", "g")
    edges = np.array(Folder(gls.folder / "g").edges())
    count = len(edges) // 2
    assert abs(count - 100000) < 5 * np.sqrt(100000) + 1000
    assert np.array_equal(edges[:count], edges[count:, ::-1])
    assert np.all(edges[:, 0] != edges[:, 1])
    assert len({tuple(edge) for edge in edges.tolist()}) == len(edges)
    degrees = np.sort(np.bincount(edges[:, 1], minlength=20000))[::-1]
    # The expected degrees: (r + r0)^-0.7, scaled to the mean, with r0 set by the largest.
    ranks = np.arange(20000)
    low, high = 1e-3, 1e6
    for _ in range(100):
        shift = np.sqrt(low * high)
        expected = (ranks + shift) ** -0.7
        expected *= 200000 / expected.sum()
        low, high = (shift, high) if expected[0] > 800 else (low, shift)
    for begin, end in ((0, 100), (100, 1000), (1000, 20000)):
        assert degrees[begin:end].mean() == pytest.approx(expected[begin:end].mean(), rel=0.06)
    in_order = np.bincount(edges[:, 1], minlength=20000)
    assert abs(np.corrcoef(ranks, in_order)[0, 1]) < 0.05  # ids tell nothing about degrees


def test_columns_and_split(gls: Tool) -> None:
    shape = ["--nodes", 500, "--edges", 1000, "--features", 33, "--classes", 4]
    gls.run("generate", *shape, "--split", "50,60,70", "-o", "g")
    gls.run("generate", *shape, "--feature-dtype", "float16", "-o", "h")
    folder = Folder(gls.folder / "g")
    role, x = folder.node_column("x")
    assert role == "feature" and x.shape == (500, 33) and x.dtype == np.float32
    half = Folder(gls.folder / "h").node_column("x")[1]
    assert half.dtype == np.float16 and np.array_equal(half, x.astype(np.float16))
    role, y = folder.node_column("y")
    assert role == "label" and set(y.tolist()) == {0, 1, 2, 3}
    # The mean of each class is its own: features tell classes apart.
    means = np.stack([x[y == label].mean(axis=0) for label in range(4)])
    nearest = np.argmin(((x[:, None] - means) ** 2).sum(axis=2), axis=1)
    assert (nearest == y).mean() > 0.9
    sets = [folder.id_set(name) for name in ("train", "valid", "test")]
    assert [len(ids) for ids in sets] == [50, 60, 70]
    assert len(set().union(*sets)) == 180 and all(ids == sorted(ids) for ids in sets)
    assert [len(Folder(gls.folder / "h").id_set(n)) for n in ("train", "test")] == [50, 400]


def test_no_columns_and_even_degrees(gls: Tool) -> None:
    gls.run("generate", "--nodes", 300, "--edges", 900, "--alpha", 0, "-o", "g")
    (node,) = gls.json("inspect", "g")["node_types"]
    assert node["columns"] == []
    (edges,) = gls.json("inspect", "g", "--degrees")["edge_types"]
    assert edges["degrees"]["in"]["max"] < 25


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["--nodes", 10],
        ["--preset", "huge"],
        ["--nodes", 1, "--edges", 1],
        ["--nodes", 10, "--edges", 40],
        ["--nodes", 100, "--edges", 200, "--max-degree", 3],
        ["--nodes", 100, "--edges", 200, "--max-degree", 100],
        ["--nodes", 100, "--edges", 200, "--alpha", -1],
        ["--preset", "tiny", "--split", "1,2"],
        ["--preset", "tiny", "--split", "900,100,1"],
        ["--preset", "tiny", "--features", -1],
        ["--preset", "tiny", "--feature-dtype", "int8"],
    ],
)
def test_wrong_usage(gls: Tool, flags: List[object]) -> None:
    gls.error("generate", *flags, "-o", "g", code=2)
    assert list(gls.folder.iterdir()) == []


def test_generate_does_not_overwrite(gls: Tool) -> None:
    gls.run("generate", "--preset", "tiny", "-o", "g")
    assert "exists" in gls.error("generate", "--preset", "tiny", "-o", "g")
    gls.run("generate", "--preset", "tiny", "--seed", 2, "--overwrite", "-o", "g")
    gls.run("generate", "--preset", "tiny", "-o", "new/folder/g")
    gls.run("verify", "new/folder/g")


def test_bench(gls: Tool) -> None:
    gls.run("generate", "--preset", "tiny", "-o", "g")
    flags = ["--set", "train", "--batch-size", 64, "--batches", 20, "--fanout", "3,2"]
    report = gls.json("bench", "g", *flags, "--warmup", 2, "--threads", 2)
    assert report["batches"] == 20 and report["threads"] == 2
    assert report["cpus_used"] > 0
    rates = report["rates"]
    assert rates["batches_per_second"] == pytest.approx(20 / report["seconds"])
    for rate in ("seeds", "nodes", "edges", "rows", "gathered_bytes"):
        assert rates[f"{rate}_per_second"] > 0
    assert 0 < report["batch_seconds"]["median"] <= report["batch_seconds"]["p99"]
    assert set(report["stage_seconds_per_batch"]) == {
        "sample",
        "gather",
        "worker_wait",
        "caller_wait",
    }
    machine = report["machine"]
    assert machine["copy_bytes_per_second"] > 1e8 and machine["random_lines_per_second"] > 1e5
    assert machine["gather_of_copy"] == pytest.approx(
        2 * rates["gathered_bytes_per_second"] / machine["copy_bytes_per_second"]
    )
    assert report["peak_resident_bytes"] > 1 << 20 and report["peak_loader_bytes"] > 0


def test_bench_by_time_without_columns(gls: Tool) -> None:
    gls.run("generate", "--preset", "tiny", "-o", "g")
    report = gls.json("bench", "g", "--seconds", "0.2", "--no-columns", "--residency", "all")
    assert 0.2 <= report["seconds"] < 5
    assert report["rates"]["gathered_bytes_per_second"] == 0
    assert "gathered" not in gls.run("bench", "g", "--batches", "2", "--no-columns").stdout
    text = gls.run("bench", "g", "--batches", "3").stdout
    for word in ("edges", "memcpy", "random cache line", "p99", "peak memory"):
        assert word in text


def test_bench_faults(gls: Tool) -> None:
    gls.run("generate", "--preset", "tiny", "-o", "g")
    gls.save("none.npy", np.zeros(0, np.int64))
    gls.error("bench", "g", "--batches", "3", "--seconds", "1", code=2)
    gls.error("bench", "g", "--batches", "0", code=2)
    assert "nope" in gls.error("bench", "g", "--set", "nope")
    gls.save("e.npy", [[0], [1]])
    gls.run("import", "numpy", "--edges", "e.npy", "--id-set", "none=none.npy", "-o", "h")
    assert "no seeds" in gls.error("bench", "h", "--set", "none")
