"""gls import igb and mag240m: a folder for each type; and bad ones."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from cli.conftest import Tool

from .golden import GOLDEN, check


@pytest.mark.parametrize("size", ["tiny", "large"])
def test_igb(tool: Tool, size: str) -> None:
    tool.run("import", "igb", str(GOLDEN / "igb"), "--choose", f"size={size}", "-o", "out")
    tool.run("verify", "out")
    check(tool.folder / "out", GOLDEN / "igb" / size / "expected.npz")


def test_mag240m(tool: Tool) -> None:
    tool.run("import", "mag240m", str(GOLDEN / "mag240m"), "-o", "out")
    tool.run("verify", "out")
    check(tool.folder / "out", GOLDEN / "mag240m" / "expected.npz")


def copied(tool: Tool, name: str) -> Path:
    return Path(shutil.copytree(GOLDEN / name, tool.folder / "data"))


def fails(tool: Tool, format: str, path: str) -> str:
    error = tool.error("import", format, path, "-o", "out")
    assert not (tool.folder / "out").exists()
    return error


def test_sizes_are_chosen(tool: Tool) -> None:
    folder = copied(tool, "igb")
    assert "large, tiny" in fails(tool, "igb", "data")
    shutil.rmtree(folder / "tiny" / "processed")
    shutil.rmtree(folder / "large" / "processed")
    assert "processed" in fails(tool, "igb", "data")


def test_shapes_that_do_not_fit(tool: Tool) -> None:
    folder = copied(tool, "igb") / "tiny" / "processed"
    np.save(folder / "paper" / "node_label_19.npy", np.zeros(19, np.float32))
    assert "node_label_19" in fails(tool, "igb", "data/tiny")
    np.save(folder / "paper" / "node_label_19.npy", np.zeros(20, np.float32))
    np.save(folder / "paper__cites__paper" / "edge_index.npy", np.zeros((2, 0, 2), np.int64))
    fails(tool, "igb", "data/tiny")


def test_numbers_without_a_header_that_are_cut(tool: Tool) -> None:
    file = copied(tool, "igb") / "large" / "processed" / "paper" / "node_feat.npy"
    file.write_bytes(file.read_bytes()[:-4])
    assert "node_feat.npy" in fails(tool, "igb", "data/large")


def test_counts_that_are_no_dictionary_of_numbers(tool: Tool) -> None:
    folder = copied(tool, "mag240m") / "mag240m_kddcup2021"
    (folder / "meta.pt").write_bytes(b"\x80\x02cos\nsystem\n.")
    assert "meta.pt" in fails(tool, "mag240m", "data")
