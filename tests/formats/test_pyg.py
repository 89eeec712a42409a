"""gls import pyg: graphs that torch-geometric saved, and files that it would not read."""

import pickle
import shutil
from pathlib import Path
from typing import Any, Tuple

import pytest

from cli.conftest import Tool
from formats import golden

FOLDERS = sorted(path for path in (golden.GOLDEN / "pyg").iterdir())
MARK = "was-run"


def ids(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("folder", FOLDERS, ids=ids)
@pytest.mark.parametrize("kind", ["homogeneous", "heterogeneous"])
@pytest.mark.parametrize("form", ["{}.pt", "dataset-{}", "dataset-{}/processed/data.pt"])
def test_a_saved_graph(tool: Tool, folder: Path, kind: str, form: str) -> None:
    tool.run("import", "pyg", folder / form.format(kind), "-o", "out")
    tool.run("verify", "out")
    golden.check(tool.folder / "out", folder / f"{kind}.npz")


@pytest.mark.parametrize("folder", FOLDERS, ids=ids)
def test_the_recipe_makes_the_same_dataset(tool: Tool, folder: Path) -> None:
    path = folder / "heterogeneous.pt"
    shown = tool.run("import", "pyg", path, "-o", "out", "--dry-run").stdout
    assert '"made" is left out' in shown
    (tool.folder / "recipe.yaml").write_text(shown)
    tool.run("import", "recipe", "recipe.yaml", "-o", "out")
    golden.check(tool.folder / "out", folder / "heterogeneous.npz")


PARTS = golden.GOLDEN / "pyg-parts"


@pytest.mark.parametrize("name", ["homogeneous", "edge-times", "heterogeneous"])
def test_partitions_become_one_graph(tool: Tool, name: str) -> None:
    tool.run("import", "pyg", PARTS / name, "-o", "out")
    tool.run("verify", "out")
    golden.check(tool.folder / "out", PARTS / f"{name}.npz")


def test_damaged_partitions(tool: Tool) -> None:
    folder = Path(shutil.copytree(PARTS / "homogeneous", tool.folder / "parts"))
    (folder / "META.json").write_text('{"num_parts": 99, "is_hetero": false}')
    assert "part_2" in tool.error("import", "pyg", folder, "-o", "out")
    (folder / "META.json").write_text("{")
    assert "META.json" in tool.error("import", "pyg", folder, "-o", "out")


def test_one_of_several_splits(tool: Tool) -> None:
    path = FOLDERS[0] / "splits.pt"
    for split, count in (("0", 3), ("1", 2)):
        tool.run("import", "pyg", path, "-o", "out", "--choose", f"split={split}", "--overwrite")
        shown = tool.run("inspect", "out").stdout
        assert "train" in shown and str(count) in shown
    assert "split" in tool.error("import", "pyg", path, "-o", "other", "--choose", "split=2")


def test_datasets_of_several_graphs_are_refused(tool: Tool) -> None:
    said = tool.error("import", "pyg", FOLDERS[0] / "dataset-several", "-o", "out")
    assert "2 graphs" in said
    assert not (tool.folder / "out").exists()


class Program:
    """Runs a command where it is unpickled."""

    def __reduce__(self) -> Tuple[Any, ...]:
        import os

        return os.system, (f"touch {MARK}",)


@pytest.mark.parametrize("protocol", range(2, 6))
def test_programs_in_pickles_do_not_run(tool: Tool, protocol: int) -> None:
    path = tool.folder / "bad.pt"
    path.write_bytes(pickle.dumps({"x": Program()}, protocol))
    said = tool.error("import", "pyg", path, "-o", "out")
    assert ".system, which is not on the list of known classes" in said
    assert not (tool.folder / MARK).exists()


def test_damaged_files(tool: Tool) -> None:
    whole = (FOLDERS[0] / "homogeneous.pt").read_bytes()
    for size in (0, 10, 500, len(whole) - 1):
        (tool.folder / "cut.pt").write_bytes(whole[:size])
        assert "cut.pt" in tool.error("import", "pyg", "cut.pt", "-o", "out")
    shutil.copytree(FOLDERS[0], tool.folder / "several")
    assert "choose file=" in tool.error("import", "pyg", "several", "-o", "out")
    (tool.folder / "empty").mkdir()
    assert "no file of torch" in tool.error("import", "pyg", "empty", "-o", "out")
