"""gls import glt: partitions that graphlearn-torch made, and damaged ones."""

import pickle
import shutil
from pathlib import Path
from typing import Any, Tuple

import pytest

from cli.conftest import Tool
from formats import golden

FOLDER = golden.GOLDEN / "glt"
MARK = "was-run"


@pytest.mark.parametrize("name", ["homogeneous", "heterogeneous"])
def test_partitions_become_one_graph(tool: Tool, name: str) -> None:
    tool.run("import", "glt", FOLDER / name, "-o", "out")
    tool.run("verify", "out")
    golden.check(tool.folder / "out", FOLDER / f"{name}.npz")


def test_a_cached_graph(tool: Tool) -> None:
    tool.run("import", "glt", FOLDER / "heterogeneous-cached", "-o", "out")
    golden.check(tool.folder / "out", FOLDER / "heterogeneous.npz")
    # Without features of edges, the library keeps no edge ids: edges have another order.
    shown = tool.run("import", "glt", FOLDER / "cached", "-o", "two", "--dry-run").stdout
    assert "edge features are left out" in shown
    tool.run("import", "glt", FOLDER / "cached", "-o", "two")
    tool.run("verify", "two")


def test_the_recipe_makes_the_same_dataset(tool: Tool) -> None:
    shown = tool.run("import", "glt", FOLDER / "homogeneous", "-o", "out", "--dry-run").stdout
    (tool.folder / "recipe.yaml").write_text(shown)
    tool.run("import", "recipe", "recipe.yaml", "-o", "out")
    golden.check(tool.folder / "out", FOLDER / "homogeneous.npz")


def copy(tool: Tool, name: str) -> Path:
    return Path(shutil.copytree(FOLDER / name, tool.folder / name))


def test_missing_and_damaged_parts(tool: Tool) -> None:
    folder = copy(tool, "homogeneous")
    (folder / "part1/graph/eids.pt").write_bytes((folder / "part0/graph/eids.pt").read_bytes())
    tool.error("import", "glt", folder, "-o", "out")
    shutil.rmtree(folder / "part2")
    assert "part2" in tool.error("import", "glt", folder, "-o", "out")
    (folder / "META").unlink()
    assert "META" in tool.error("import", "glt", folder, "-o", "out")


@pytest.mark.parametrize("name", ["../user", "/etc", ""])
def test_names_stay_in_the_folder(tool: Tool, name: str) -> None:
    folder = copy(tool, "heterogeneous")
    meta = {
        "num_parts": 2,
        "data_cls": "hetero",
        "node_types": [name],
        "edge_types": [(name, "to", name)],
    }
    (folder / "META").write_bytes(pickle.dumps(meta))
    tool.error("import", "glt", folder, "-o", "out")


class Program:
    """Runs a command where it is unpickled."""

    def __reduce__(self) -> Tuple[Any, ...]:
        import os

        return os.system, (f"touch {MARK}",)


@pytest.mark.parametrize("file", ["META", "node_pb.pt", "part0/node_feat/feats.pkl"])
def test_programs_in_pickles_do_not_run(tool: Tool, file: str) -> None:
    folder = copy(tool, "homogeneous")
    (folder / file).write_bytes(pickle.dumps({"num_parts": Program()}))
    said = tool.error("import", "glt", folder, "-o", "out")
    assert ".system, which is not on the list of known classes" in said
    assert not (tool.folder / MARK).exists()
