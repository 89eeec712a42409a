"""gls import recipe: numbers that are made of those in a file: `cast`, `quantiles` and `runs`."""

import numpy as np
import pytest

from cli.conftest import Tool

from . import golden

RECIPE = """
nodes:
  n:
    count: 6
    columns:
      year: {file: years.npy, cast: int32, role: other}
      late: {file: years.npy, quantiles: [0.25, 0.9], role: other}
      part: {runs: [[3, 2], [0, 4]], role: other}
edges:
  n__e__n: {arrays: [{file: s.npy, cast: int64}, {file: t.npy, cast: int64}]}
"""
YEARS = np.array([2003.7, 1999, 2001, 2010, 2010, -5])


def write(tool: Tool, recipe: str = RECIPE) -> None:
    (tool.folder / "recipe.yaml").write_text(recipe)
    np.save(tool.folder / "years.npy", YEARS)
    np.save(tool.folder / "s.npy", np.array([0.0, 5.0, 2.0]))
    np.save(tool.folder / "t.npy", np.array([1, 2, 3], np.float32))


def test_numbers(tool: Tool) -> None:
    write(tool, RECIPE)
    tool.run("import", "recipe", "recipe.yaml", "-o", "out")
    tool.run("verify", "out")
    bounds = np.quantile(YEARS, [0.25, 0.9])
    golden.save(
        tool.folder / "expected.npz",
        {
            "n": {
                "count": 6,
                "columns": {
                    "year": YEARS.astype(np.int32),
                    "late": (YEARS[:, None] > bounds).sum(1).astype(np.uint8),
                    "part": np.array([3, 3, 0, 0, 0, 0], np.int32),
                },
            }
        },
        {"n__e__n": {"source": np.array([0, 5, 2]), "target": np.array([1, 2, 3])}},
    )
    golden.check(tool.folder / "out", tool.folder / "expected.npz")


@pytest.mark.parametrize(
    "before, after, expected",
    [
        ("cast: int32", "cast: uint8", "expected int32, int64, float32 or float64"),
        ("cast: int32", "cast: [int32]", "line 6"),
        ("[0.25, 0.9]", "[0.25, 1.5]", "numbers of 0 to 1"),
        ("[0.25, 0.9]", "0.25", "line 7"),
        ("[0, 4]]", "[0, 5]]", "7"),
        ("[0, 4]]", "[0, -4]]", "-4 rows"),
        ("[0, 4]]", "[9999999999, 4]]", "no int32"),
        ("{runs:", "{file: years.npy, runs:", "one of `file`, `parts` and `runs`"),
        ("{runs:", "{column: 1, runs:", "described there"),
        ("s.npy, cast: int64", "years.npy, cast: int64", ""),
    ],
)
def test_faults(tool: Tool, before: str, after: str, expected: str) -> None:
    assert before in RECIPE
    write(tool, RECIPE.replace(before, after, 1))
    assert expected in tool.error("import", "recipe", "recipe.yaml", "-o", "out")
    assert not (tool.folder / "out").exists()
