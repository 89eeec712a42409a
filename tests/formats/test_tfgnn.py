"""gls import tfgnn: a schema with tables of TFRecord and CSV, and damaged files."""

import random
import shutil
import subprocess
from pathlib import Path

from cli.conftest import Tool

from formats import golden

FOLDER = golden.GOLDEN / "tfgnn"


def copied(tool: Tool) -> Path:
    return Path(shutil.copytree(FOLDER, tool.folder / "in"))


def test_the_golden_files(tool: Tool) -> None:
    tool.run("import", "tfgnn", FOLDER, "-o", "out")
    golden.check(tool.folder / "out", FOLDER / "expected.npz")


def test_the_recipe(tool: Tool) -> None:
    recipe = tool.run("import", "tfgnn", FOLDER / "graph_schema.pbtxt", "--dry-run").stdout
    assert "papers.tfrecords@2" in recipe and "format: tfrecord" in recipe
    assert 'the node set "paper": feature "title" is of text and is left out.' in recipe
    assert 'the edge set "unread" has no file and is left out.' in recipe


def test_choices(tool: Tool) -> None:
    recipe = tool.run("import", "tfgnn", FOLDER, "--dry-run", "--choose", "label=year").stdout
    assert recipe.count("role: label") == 1
    bad = tool.error("import", "tfgnn", FOLDER, "-o", "out", "--choose", "label=z")
    assert 'no set has a feature "z"' in bad


def test_damaged_tables(tool: Tool) -> None:
    folder = copied(tool)
    path = folder / "papers.tfrecords-00001-of-00002"
    data = path.read_bytes()
    chance = random.Random(1)
    for _ in range(20):
        cut = chance.randrange(1, len(data))
        at = chance.randrange(len(data))
        flipped = bytearray(data)
        flipped[at] ^= 1 << chance.randrange(8)
        for damaged in (data[:cut], bytes(flipped)):
            path.write_bytes(damaged)
            command = tool.command("import", "tfgnn", "in", "-o", "out", "--overwrite")
            run = subprocess.run(command, cwd=tool.folder, capture_output=True, text=True)
            # A cut between two records is no damage that the file could show.
            assert run.returncode == 1 or damaged == data[:cut], run.stderr
    path.unlink()
    assert "00001-of-00002" in tool.error("import", "tfgnn", "in", "-o", "out", "--overwrite")


def test_files_outside_are_refused(tool: Tool) -> None:
    folder = copied(tool)
    schema = folder / "graph_schema.pbtxt"
    text = schema.read_text(encoding="utf-8")
    schema.write_text(text.replace("authors.csv", "../authors.csv"), encoding="utf-8")
    assert "leads out" in tool.error("import", "tfgnn", "in", "-o", "out")
