"""Files that are damaged, cut short while they are read, or links to other places."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable, List

import numpy as np
import pytest

import gls

KEY = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.fixture()
def parts(shop: gls.Dataset, tmp_path: Path) -> Path:
    shop.partition(tmp_path / "parts", 2, method="random")
    return tmp_path / "parts"


@pytest.fixture()
def server_context(monkeypatch: pytest.MonkeyPatch) -> gls.Context:
    monkeypatch.setenv("GLS_NET_KEY", KEY)
    return gls.Context(num_threads=1)


def shared_files(parts: Path) -> List[Path]:
    files = sorted([*parts.glob("book/*.npy"), *(parts / "whole").rglob("*.npy")])
    assert len(files) > 3
    return [file for file in files if np.load(file).size > 0]


def test_verify_reads_books_and_the_whole(parts: Path, server_context: gls.Context) -> None:
    for file in shared_files(parts):
        good = file.read_bytes()
        flip(file)
        with pytest.raises(gls.CorruptData) as opened:
            gls.Dataset.open(parts, verify=True)
        assert opened.value.detail["file"] == str(file)
        with pytest.raises(gls.CorruptData) as served:
            gls.Server(parts, parts=[1], verify=True, context=server_context)
        assert served.value.detail["file"] == str(file)
        file.write_bytes(good)
    gls.Dataset.open(parts, verify=True)
    gls.Server(parts, parts=[1], verify=True, context=server_context).close()


@pytest.mark.parametrize("name", ["partition.json", "part-0/manifest.json"])
def test_descriptions_have_a_checksum(parts: Path, name: str) -> None:
    text = (parts / name).read_text()
    (parts / name).write_text(text.replace('"created_by": "lib', '"created_by": "Lib', 1))
    with pytest.raises(gls.CorruptData, match="its checksum is"):
        gls.Dataset.open(parts)
    lines = text.splitlines()
    assert '"xxh3"' in lines[-2] and lines[-3].endswith(",")
    (parts / name).write_text("\n".join([*lines[:-3], lines[-3][:-1], "}"]))
    gls.Dataset.open(parts, verify=True)


def loader_of(dataset: gls.Dataset) -> gls.NeighborLoader:
    return gls.NeighborLoader(dataset, [3, 2], ("user", "train"), batch_size=7)


def indices_of(folder: Path) -> Path:
    return next(
        path for path in sorted(folder.rglob("csc/indices.npy")) if path.stat().st_size > 128
    )


def read_by_loader(dataset: gls.Dataset) -> None:
    for _ in loader_of(dataset):
        pass


def read_by_sampler(dataset: gls.Dataset) -> None:
    gls.Sampler(dataset, [3, 2]).sample(("user", np.arange(dataset.num_nodes("user"))))


@pytest.mark.parametrize("read", [read_by_loader, read_by_sampler, gls.Dataset.verify])
def test_a_file_that_is_cut_short(
    shop: gls.Dataset, tmp_path: Path, read: Callable[[gls.Dataset], None]
) -> None:
    shop.save(tmp_path / "d")
    dataset = gls.Dataset.open(tmp_path / "d")
    for file in (tmp_path / "d").rglob("csc/indices.npy"):
        os.truncate(file, 0)
    for _ in range(2):
        with pytest.raises(gls.IoError, match="was cut short") as failed:
            read(dataset)
        assert failed.value.detail["file"].endswith("csc/indices.npy")
    read_by_loader(shop)  # another dataset of this process


def test_a_server_whose_files_are_cut_short(
    parts: Path, tmp_path: Path, server_context: gls.Context
) -> None:
    server_context.set("cluster.same_host", "false")
    with gls.Server(parts, context=server_context) as server:
        far = gls.Dataset.open(f"gls://{server.address}", context=server_context)
        read_by_loader(far)
        for file in parts.rglob("csc/indices.npy"):
            os.truncate(file, 0)
        with pytest.raises(gls.Error, match="was cut short"):
            read_by_loader(far)
        assert server.info.failures > 0


def test_a_client_on_the_same_host(parts: Path, server_context: gls.Context) -> None:
    with gls.Server(parts, context=server_context) as server:
        far = gls.Dataset.open(f"gls://{server.address}", context=server_context)
        read_by_loader(far)
        for file in parts.rglob("csc/indices.npy"):
            os.truncate(file, 0)
        with pytest.raises(gls.IoError, match="was cut short"):
            read_by_loader(far)


CUT = """
import faulthandler, os, sys
from pathlib import Path

import gls

gls.Context(num_threads=1) if sys.argv[3] == "later" else None
faulthandler.enable()
dataset = gls.Dataset.open(sys.argv[1])
column = dataset.node_column("x").numpy() if sys.argv[2] == "numpy" else None
for file in Path(sys.argv[1]).rglob("*.npy"):
    os.truncate(file, 0)
if column is not None:
    print(column[0])
try:
    gls.Sampler(dataset, [2]).sample([0, 1])
except gls.IoError:
    print("an error")
"""


@pytest.mark.parametrize("setting", ["true", "false"])
@pytest.mark.parametrize("read", ["sampler", "numpy"])
@pytest.mark.parametrize("enabled", ["first", "later"])
def test_handlers_of_python(tmp_path: Path, enabled: str, read: str, setting: str) -> None:
    """What Python reads by itself ends as Python has it, and so does all where the guard is off."""
    gls.Dataset.from_arrays([[0, 1], [1, 0]], x=np.ones((2, 4), np.float32)).save(tmp_path / "d")
    done = subprocess.run(
        [sys.executable, "-c", CUT, str(tmp_path / "d"), read, enabled],
        env={**os.environ, "GLS_MEMORY_FILE_GUARD": setting},
        capture_output=True,
        text=True,
        timeout=60,
    )
    if (read, setting) == ("sampler", "true"):
        assert (done.returncode, done.stdout) == (0, "an error\n"), done.stderr
    else:
        assert done.returncode < 0 and "Fatal Python error: Bus error" in done.stderr


def test_links_out_of_the_folder(shop: gls.Dataset, tmp_path: Path) -> None:
    folder, place = tmp_path / "d", tmp_path / "elsewhere"
    shop.save(folder)
    place.mkdir()
    file = indices_of(folder)
    shutil.move(file, place / "file.npy")
    file.symlink_to(place / "file.npy")
    with pytest.raises(gls.IoError, match="outside of the folder") as refused:
        gls.Dataset.open(folder)
    assert refused.value.detail["file"] == str(file)
    context = gls.Context(num_threads=1)
    context.set("dataset.outside_links", True)
    read_by_loader(gls.Dataset.open(folder, context=context))
    file.unlink()
    shutil.move(place / "file.npy", folder / "moved.npy")
    file.symlink_to(os.path.relpath(folder / "moved.npy", file.parent))  # inside
    gls.Dataset.open(folder)
    (tmp_path / "link").symlink_to(folder)  # the folder itself
    gls.Dataset.open(tmp_path / "link")


def test_links_out_of_a_folder_of_parts(parts: Path, tmp_path: Path) -> None:
    shutil.move(parts / "part-0", tmp_path / "disk-2")
    (parts / "part-0").symlink_to(tmp_path / "disk-2")  # the folder of a part
    gls.Dataset.open(parts)
    book = sorted(parts.glob("book/*.npy"))[0]
    shutil.move(book, tmp_path / "book.npy")
    book.symlink_to(tmp_path / "book.npy")
    with pytest.raises(gls.IoError, match="outside of the folder"):
        gls.Dataset.open(parts)
    context = gls.Context(num_threads=1)
    context.set("dataset.outside_links", True)
    gls.Dataset.open(parts, context=context)
