"""gls import mtx: kinds of matrices, and damaged files."""

import pytest

from cli.conftest import Tool

from formats import golden

FOLDER = golden.GOLDEN / "mtx"
FILES = ["integer.mtx.gz", "pattern.mtx", "real.mtx", "skew.mtx", "symmetric.mtx"]


@pytest.mark.parametrize("file", FILES)
def test_the_golden_files(tool: Tool, file: str) -> None:
    tool.run("import", "mtx", FOLDER / file, "-o", "out")
    golden.check(tool.folder / "out", FOLDER / (file.split(".")[0] + ".npz"))


def test_choices(tool: Tool) -> None:
    pattern = FOLDER / "pattern.mtx"
    recipe = tool.run("import", "mtx", pattern, "--dry-run", "--choose", "bipartite=true").stdout
    assert "row__to__column" in recipe
    tool.run("import", "mtx", FOLDER / "real.mtx", "-o", "out", "--choose", "weights=true")
    assert "no numbers" in tool.error(
        "import", "mtx", pattern, "-o", "out", "--choose", "weights=true"
    )


def test_damaged_files(tool: Tool) -> None:
    text = (FOLDER / "real.mtx").read_text()
    for damaged, expected in (
        (text[:-30], "missing"),
        (text + "1 1 1\n", "more numbers"),
        (text.replace("%%MatrixMarket", "%MatrixMarket"), "not MatrixMarket"),
        (text.replace("coordinate", "array"), "dense"),
        ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n", "line 3"),
    ):
        tool.write("a.mtx", damaged)
        assert expected in tool.error("import", "mtx", "a.mtx", "-o", "out")
    assert "directory" in tool.error("import", "mtx", ".", "-o", "out")
