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


def test_keys_that_are_no_row_numbers(tool: Tool) -> None:
    folder = copied(tool) / "db"
    plain = parquet.read_table(folder / "results.parquet")
    drivers = parquet.read_table(folder / "drivers.parquet")
    ids = [70 - 7 * i for i in range(len(drivers))]
    place = drivers.column_names.index("id")
    drivers = drivers.set_column(place, "id", pa.array(ids, pa.int64()))
    parquet.write_table(drivers, folder / "drivers.parquet")
    named = [None if row is None else ids[int(row)] for row in plain["driver"].to_pylist()]
    place = plain.column_names.index("driver")
    changed = plain.set_column(place, "driver", pa.array(named, pa.int64()))
    parquet.write_table(changed, folder / "results.parquet")
    assert "is kept as keys" in tool.run("import", "relbench", "data", "--dry-run").stdout
    tool.run("import", "relbench", "data", "-o", "out")
    tool.run("verify", "out")
    import gls

    with gls.Dataset.open(str(tool.folder / "out")) as dataset:
        keys = [int(dataset.node_key(i, "drivers")) for i in range(len(ids))]
        assert sorted(keys) == sorted(ids)
        hands = dataset.node_column("right_handed", "drivers").numpy().tolist()
        expected = dict(zip(ids, drivers["right_handed"].to_pylist()))
        assert hands == [expected[key] for key in keys]
        edges = pa.table(dataset.edges_to_arrow(("results", "driver", "drivers")))
        found = zip(edges.column("_source").to_pylist(), edges.column("_target").to_pylist())
        wanted = [(row, key) for row, key in enumerate(named) if key is not None]
        assert [(row, int(key)) for row, key in found] == wanted
