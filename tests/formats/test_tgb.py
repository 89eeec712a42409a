"""gls import tgb: the pickles of py-tgb; and bad ones."""

import pickle
import shutil
from pathlib import Path
from typing import Any, Tuple

import pytest

from cli.conftest import Tool

from .golden import GOLDEN, check

TGB = GOLDEN / "tgb"
NAMES = sorted(path.name for path in TGB.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", NAMES)
def test_golden(tool: Tool, name: str) -> None:
    tool.run("import", "tgb", TGB / name, "-o", "out")
    tool.run("verify", "out")
    check(tool.folder / "out", TGB / name / "expected.npz")


def test_notes_say_what_is_left_out(tool: Tool) -> None:
    recipe = tool.run("import", "tgb", TGB / "tkgl-smallpedia", "--dry-run").stdout
    assert "# TGB adds an edge in the other direction" in recipe
    recipe = tool.run("import", "tgb", TGB / "tgbl-coin", "--dry-run").stdout
    assert "TGB takes the weights" in recipe
    (tool.folder / "recipe.yaml").write_text(recipe)
    tool.run("import", "recipe", "recipe.yaml", "-o", "out")
    check(tool.folder / "out", TGB / "tgbl-coin" / "expected.npz")


def test_labels_may_be_left_out(tool: Tool) -> None:
    chosen = ["--choose", "labels=false"]
    recipe = tool.run("import", "tgb", TGB / "tgbn-genre", *chosen, "--dry-run").stdout
    assert "label__of__node" not in recipe


def test_a_folder_with_two_datasets(tool: Tool) -> None:
    folder = tool.folder / "data"
    shutil.copytree(TGB / "tgbl-coin", folder)
    shutil.copytree(TGB / "tgbl-wiki", folder, dirs_exist_ok=True)
    said = tool.error("import", "tgb", "data", "-o", "out")
    assert "dataset=" in said and "tgbl-coin, tgbl-wiki" in said
    tool.run("import", "tgb", "data", "--choose", "dataset=tgbl-wiki", "-o", "out")
    check(tool.folder / "out", TGB / "tgbl-wiki" / "expected.npz")


def test_a_folder_that_tgb_has_not_loaded(tool: Tool) -> None:
    (tool.folder / "data").mkdir()
    tool.write("data/tgbl-wiki_edgelist_v2.csv", "user_id,item_id\n1,2\n")
    assert "py-tgb has loaded" in tool.error("import", "tgb", "data", "-o", "out")


class Runs:
    """Makes a file where it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Tuple[Any, ...]:
        return Path.touch, (self.file,)


def test_pickles_are_not_run(tool: Tool) -> None:
    folder = tool.folder / "data"
    shutil.copytree(TGB / "tgbl-wiki", folder)
    touched = tool.folder / "touched"
    for file in ("ml_tgbl-wiki.pkl", "ml_tgbl-wiki_edge.pkl"):
        whole = (folder / file).read_bytes()
        (folder / file).write_bytes(pickle.dumps(Runs(touched)))
        assert "known classes" in tool.error("import", "tgb", "data", "-o", "out")
        (folder / file).write_bytes(whole)
    assert not touched.exists()


def test_tables_without_what_is_needed(tool: Tool) -> None:
    folder = tool.folder / "data"
    shutil.copytree(TGB / "tgbl-wiki", folder)
    file = folder / "ml_tgbl-wiki.pkl"
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"\x8c\x02ts", b"\x8c\x02tt"))
    assert 'no column "ts"' in tool.error("import", "tgb", "data", "-o", "out")
    file.write_bytes(pickle.dumps([1, 2]))
    assert "DataFrame" in tool.error("import", "tgb", "data", "-o", "out")
    file.write_bytes(whole[: len(whole) // 2])
    assert "cut short" in tool.error("import", "tgb", "data", "-o", "out")
