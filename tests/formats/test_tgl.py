"""gls import tgl: folders of temporal edges; and bad ones."""

import pytest

from cli.conftest import Tool

from .golden import GOLDEN, check


@pytest.mark.parametrize("name", ["tgl-edges", "tgl-features"])
def test_golden(tool: Tool, name: str) -> None:
    tool.run("import", "tgl", str(GOLDEN / name), "-o", "out")
    tool.run("verify", "out")
    check(tool.folder / "out", GOLDEN / name / "expected.npz")


def test_both_directions(tool: Tool) -> None:
    folder = str(GOLDEN / "tgl-edges")
    tool.run("import", "tgl", folder, "--choose", "undirected=true", "-o", "out")
    tool.run("verify", "out")
    assert "160" in str(tool.json("inspect", "out"))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", "src"),
        (",source,target\n0,1,2\n", "src"),
        (",src,dst,time\n0,1,x,3\n", ""),
        (",src,dst,time\n0,1,2\n", ""),
        (",src,dst,time\n0,-1,2,3\n", ""),
    ],
)
def test_bad_edges(tool: Tool, text: str, expected: str) -> None:
    (tool.folder / "data").mkdir()
    tool.write("data/edges.csv", text)
    assert expected in tool.error("import", "tgl", "data", "-o", "out")
    assert not (tool.folder / "out").exists()
