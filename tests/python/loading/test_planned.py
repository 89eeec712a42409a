"""Loaders that plan their reads: the same bytes as mapped files, nothing left behind, errors that name the cause."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np
import pytest

import gls

LOADER: Dict[str, Any] = {"batch_size": 16, "shuffle": True, "seed": 3, "with_edge_ids": True}
FANOUTS = [4, 3]


@pytest.fixture()
def folder(graph: Any, disk: Path) -> Path:
    graph.build().save(disk / "graph")
    return disk / "graph"


def open_with(path: Path, /, **settings: object) -> gls.Dataset:
    context = gls.Context()
    for name, value in settings.items():
        context.set(f"storage.{name}", value)
    return gls.Dataset.open(path, context=context)


def contents(loader: Any) -> List[bytes]:
    """Every byte of the columns of each batch, and its nodes."""
    out = []
    for batch in loader:
        arrays = []
        for of in (*batch.nodes.values(), *batch.edges.values()):
            arrays += [of[column].numpy() for column in of.columns]
        arrays += [of.node.numpy() for of in batch.nodes.values()]
        out.append(b"".join(array.tobytes() for array in arrays))
    return out


@pytest.mark.parametrize("window", [1, 3, 0])
@pytest.mark.parametrize("reads", ["auto", "threads"])
def test_the_same_bytes(folder: Path, disk: Path, window: int, reads: str) -> None:
    mapped = gls.NeighborLoader(open_with(folder, way="mapped"), FANOUTS, **LOADER)
    planned = gls.NeighborLoader(
        open_with(
            folder, way="planned", memory="64K", window=window, reads=reads, folder=str(disk)
        ),
        FANOUTS,
        **LOADER,
    )
    for _ in range(2):
        assert contents(planned) == contents(mapped)
    assert mapped.stats.disk_rows == 0
    stats = planned.stats
    assert 0 < stats.disk_rows <= stats.host_rows
    assert stats.disk_row_bytes > 0 and stats.disk_read_bytes > 0
    assert [path.name for path in disk.iterdir()] == ["graph"]


def test_a_batch_by_number_is_read_directly(folder: Path, disk: Path) -> None:
    mapped = gls.NeighborLoader(open_with(folder, way="mapped"), FANOUTS, **LOADER)
    planned = gls.NeighborLoader(
        open_with(folder, way="planned", memory="64K", folder=str(disk)), FANOUTS, **LOADER
    )
    steps = iter(planned)
    next(steps)
    for number in (5, 0, 5):
        a, b = planned.sample(2, number), mapped.sample(2, number)
        assert contents([a]) == contents([b])


KILLED = """
import sys
import gls
context = gls.Context()
for name, value in (("way", "planned"), ("memory", "64K"), ("folder", sys.argv[2])):
    context.set("storage." + name, value)
dataset = gls.Dataset.open(sys.argv[1], context=context)
loader = gls.NeighborLoader(dataset, [4, 3], batch_size=2, num_workers=1)
while True:
    for batch in loader:
        print("batch", flush=True)
"""


@pytest.mark.parametrize("batches", [1, 2, 30])
def test_nothing_is_left_of_a_killed_process(folder: Path, disk: Path, batches: int) -> None:
    temporary = disk / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-c", KILLED, str(folder), str(temporary)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(batches):
            assert process.stdout.readline() == "batch\n"
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    assert list(temporary.iterdir()) == []


def test_a_folder_that_cannot_hold_temporary_files(folder: Path, disk: Path) -> None:
    dataset = open_with(folder, way="planned", folder=str(disk / "missing"))
    with pytest.raises(gls.Error, match="missing") as raised:
        gls.NeighborLoader(dataset, FANOUTS, **LOADER)
    assert raised.value.detail["argument"] == "storage.folder"


def test_a_folder_in_memory_is_refused(folder: Path) -> None:
    if not os.path.ismount("/dev/shm"):
        pytest.skip("this machine has no /dev/shm")
    dataset = open_with(folder, way="planned", folder="/dev/shm")
    with pytest.raises(gls.Error, match="in memory"):
        gls.NeighborLoader(dataset, FANOUTS, **LOADER)


def test_a_column_that_is_cut_short_is_named(folder: Path, disk: Path) -> None:
    dataset = open_with(folder, way="planned", memory="64K", window=1, folder=str(disk))
    loader = gls.NeighborLoader(dataset, FANOUTS, **LOADER)
    largest = max(folder.rglob("columns/*.npy"), key=lambda path: path.stat().st_size)
    os.truncate(largest, largest.stat().st_size // 2)
    with pytest.raises(gls.Error, match=largest.name):
        contents(loader)


@pytest.fixture()
def failing(folder: Path, disk: Path) -> Iterator[Tuple[Path, Callable[[], None]]]:
    """The folder on a disk of its own, and a function that makes the disk fail to read."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to mount a file system")
    image, mounted = disk / "image", disk / "mounted"
    mounted.mkdir()
    image.touch()
    os.truncate(image, 64 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", image], check=True)
    mount = subprocess.run(
        ["mount", "-o", "loop", image, mounted], stderr=subprocess.PIPE, text=True, check=False
    )
    if mount.returncode != 0:
        pytest.skip(f"needs to mount a file system: {mount.stderr.strip()}")
    try:
        shutil.copytree(folder, mounted / "graph")
        os.sync()

        def fail() -> None:
            os.truncate(image, 0)

        yield mounted / "graph", fail
    finally:
        subprocess.run(["umount", "-l", mounted], check=True)


@pytest.mark.parametrize("reads", ["io_uring", "threads"])
@pytest.mark.parametrize("memory", ["1M", "32K"])  # the topology is read at first, or in passes
def test_a_disk_that_fails_is_an_error(
    failing: Tuple[Path, Callable[[], None]], disk: Path, reads: str, memory: str
) -> None:
    path, fail = failing
    dataset = open_with(path, way="planned", memory=memory, window=1, reads=reads, folder=str(disk))
    loader = gls.NeighborLoader(dataset, FANOUTS, **LOADER)
    batches = iter(loader)
    next(batches)
    fail()
    with pytest.raises(gls.Error) as raised:
        for _ in batches:
            pass
    assert str(path) in str(raised.value)


def test_small_graphs_stay_mapped(folder: Path) -> None:
    loader = gls.NeighborLoader(open_with(folder), FANOUTS, **LOADER)
    assert np.concatenate([batch.nodes[batch.input_type].node.numpy() for batch in loader]).size
    assert loader.stats.disk_rows == 0
