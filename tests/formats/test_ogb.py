"""gls import ogb: folders as ogb's own functions read them; and bad ones."""

import gzip
import shutil
from pathlib import Path
from typing import List

import pytest

from cli.conftest import Tool

from .golden import GOLDEN, check

TIME = ["--choose", "split=time"]


@pytest.mark.parametrize(
    "name, choices, expected",
    [
        ("ogb-text", TIME, "expected.npz"),
        ("ogb-text", [*TIME, "--choose", "undirected=true"], "expected-undirected.npz"),
        ("ogb-binary", [], "expected.npz"),
        ("ogb-text-types", [], "expected.npz"),
        ("ogb-binary-types", [], "expected.npz"),
    ],
)
def test_golden(tool: Tool, name: str, choices: List[str], expected: str) -> None:
    tool.run("import", "ogb", str(GOLDEN / name), *choices, "-o", "out")
    tool.run("verify", "out")
    check(tool.folder / "out", GOLDEN / name / expected)


def copied(tool: Tool, name: str) -> Path:
    return Path(shutil.copytree(GOLDEN / name, tool.folder / "data"))


def fails(tool: Tool, *choices: str) -> str:
    error = tool.error("import", "ogb", "data", *choices, "-o", "out")
    assert not (tool.folder / "out").exists()
    return error


@pytest.mark.parametrize(
    "file, text, expected",
    [
        ("num-node-list", "60\n60\n", "2 graphs"),
        ("num-node-list", "-1\n", "number of nodes"),
        ("num-node-list", "59\n", ""),
        ("node-feat", "1,2\n3\n", "line 2 has 1 fields"),
        ("node-feat", "1,x\n", "line 1, field 2"),
        ("node-label", "1\n", ""),
        ("edge", "0\n", ""),
    ],
)
def test_bad_text(tool: Tool, file: str, text: str, expected: str) -> None:
    folder = copied(tool, "ogb-text")
    with gzip.open(folder / "raw" / f"{file}.csv.gz", "wt") as out:
        out.write(text)
    assert expected in fails(tool, *TIME)


def test_names_that_lead_out(tool: Tool) -> None:
    folder = copied(tool, "ogb-text-types")
    with gzip.open(folder / "raw" / "num-node-dict.csv.gz", "wt") as out:
        out.write("../paper,author\n50,30\n")
    assert "leads out" in fails(tool)


def test_choices(tool: Tool) -> None:
    folder = copied(tool, "ogb-text")
    assert "random, time" in fails(tool)
    assert 'did you mean "time"?' in fails(tool, "--choose", "split=tim")
    shutil.rmtree(folder / "raw")
    assert "raw/edge.csv.gz" in fails(tool)
