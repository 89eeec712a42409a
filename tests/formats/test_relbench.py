"""gls import relbench: databases as relbench loads them; and bad ones."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from cli.conftest import Tool

from .golden import GOLDEN, check


@pytest.mark.parametrize("name", ["relbench-manifest", "relbench-files"])
def test_golden(tool: Tool, name: str) -> None:
    tool.run("import", "relbench", str(GOLDEN / name), "-o", "out")
    tool.run("verify", "out")
    check(tool.folder / "out", GOLDEN / name / "expected.npz")


def test_the_recipe_says_what_is_left_out(tool: Tool) -> None:
    folder = str(GOLDEN / "relbench-manifest")
    recipe = tool.run("import", "relbench", folder, "--dry-run").stdout
    assert '"name" of the table "races"' in recipe
    assert 'Rows of "results" without "driver" have no such edge.' in recipe
    assert "Test begins at 2020-05-01" in recipe


def copied(tool: Tool) -> Path:
    return Path(shutil.copytree(GOLDEN / "relbench-manifest", tool.folder / "data"))


def fails(tool: Tool) -> str:
    error = tool.error("import", "relbench", "data", "-o", "out")
    assert not (tool.folder / "out").exists()
    return error


@pytest.mark.parametrize(
    "before, after, expected",
    [
        ("time_col: date", "time_col: when", "when"),
        ("driver: drivers", "driver: driver", "not there"),
        ("  races:\n", "  ../races:\n", "leads out"),
        ("  races:\n", "  rases:\n", "rases"),
        ("tables:", "table:", "tables"),
    ],
)
def test_bad_manifests(tool: Tool, before: str, after: str, expected: str) -> None:
    file = copied(tool) / "manifest.yaml"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))
    assert expected in fails(tool)


def test_keys_that_name_no_row(tool: Tool) -> None:
    file = copied(tool) / "db" / "results.parquet"
    table = parquet.read_table(file)
    place = table.column_names.index("race")
    parquet.write_table(
        table.set_column(place, "race", pa.array([99] * len(table), pa.int64())), file
    )
    assert "99" in fails(tool)
    words = pa.array(["x"] * len(table))
    parquet.write_table(table.set_column(place, "race", words), file)
    fails(tool)


def test_tables_that_say_nothing_of_keys(tool: Tool) -> None:
    (copied(tool) / "manifest.yaml").unlink()
    assert "no manifest.yaml" in fails(tool)
