"""gls import graphbolt: folders with a metadata.yaml, as dgl reads them; and bad ones."""

import shutil
from pathlib import Path
from typing import List

import pytest

from cli.conftest import Tool

from .golden import GOLDEN, check

TASK = ["--choose", "task=node_classification"]


@pytest.mark.parametrize(
    "name, choices",
    [
        ("graphbolt-homogeneous", []),
        ("graphbolt-heterogeneous", TASK),
        ("graphbolt-torch", TASK),
        ("graphbolt-preprocessed", TASK),
        ("graphbolt-fused", []),
        ("graphbolt-fused-no-ids", []),
    ],
)
def test_golden(tool: Tool, name: str, choices: List[str]) -> None:
    tool.run("import", "graphbolt", str(GOLDEN / name), *choices, "-o", "out")
    tool.run("verify", "out")
    check(tool.folder / "out", GOLDEN / name / "expected.npz")


def test_the_recipe_says_what_is_left_out(tool: Tool) -> None:
    recipe = tool.run(
        "import",
        "graphbolt",
        str(GOLDEN / "graphbolt-heterogeneous"),
        *TASK,
        "--dry-run",
    ).stdout
    assert '# The task "link_prediction" is left out.' in recipe
    assert "num_classes" in recipe


def copied(tool: Tool) -> Path:
    return Path(shutil.copytree(GOLDEN / "graphbolt-homogeneous", tool.folder / "data"))


@pytest.mark.parametrize(
    "before, after, expected",
    [
        ("path: x.npy", "path: ../x.npy", "leads out of the dataset's folder"),
        ("path: x.npy", "path: /etc/passwd", "leads out of the dataset's folder"),
        ("path: x.npy", "path: y.npy", "y.npy"),
        ("num: 40", "num: 39", ""),
        ("num: 40", "num: many", "metadata.yaml"),
        ("format: csv", "format: parquet", "parquet"),
        ("graph:", "grph:", "graph"),
        ("- num: 40", "- {num: 40, type: paper}", "type"),
    ],
)
def test_bad_descriptions(tool: Tool, before: str, after: str, expected: str) -> None:
    file = copied(tool) / "metadata.yaml"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))
    assert expected in tool.error("import", "graphbolt", "data", "-o", "out")
    assert not (tool.folder / "out").exists()


FUSED = GOLDEN / "graphbolt-fused"


def test_a_preprocessed_dataset_beside_its_source(tool: Tool) -> None:
    folder = copied(tool)
    shutil.copytree(FUSED / "preprocessed", folder / "preprocessed")
    recipe = tool.run("import", "graphbolt", "data", "--dry-run").stdout
    assert "fused" not in recipe
    chosen = ["--choose", "preprocessed=true"]
    for path in ("data", "data/metadata.yaml"):
        recipe = tool.run("import", "graphbolt", path, *chosen, "--dry-run").stdout
        assert "preprocessed/fused_csc_sampling_graph.pt" in recipe
    tool.run("import", "graphbolt", "data/preprocessed/metadata.yaml", "-o", "out")
    check(tool.folder / "out", FUSED / "expected.npz")
    shutil.rmtree(folder / "preprocessed")
    said = tool.error("import", "graphbolt", "data", *chosen, "-o", "none")
    assert "preprocessed/metadata.yaml" in said


def test_the_recipe_says_that_edges_are_not_known(tool: Tool) -> None:
    path = GOLDEN / "graphbolt-fused-no-ids"
    recipe = tool.run("import", "graphbolt", path, "--dry-run").stdout
    assert '# The data "weight" of node__to__node are left out' in recipe
    assert "edge_ids" not in recipe


def test_a_graph_of_another_class_is_an_error(tool: Tool) -> None:
    copy = Path(shutil.copytree(FUSED, tool.folder / "data"))
    file = copy / "preprocessed" / "fused_csc_sampling_graph.pt"
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"FusedCSCSamplingGraph", b"FusedCSXSamplingGraph"))
    assert "fused_csc_sampling_graph.pt" in tool.error("import", "graphbolt", "data", "-o", "out")
    file.write_bytes(whole[:-100])
    assert "fused_csc_sampling_graph.pt" in tool.error("import", "graphbolt", "data", "-o", "out")
    assert not (tool.folder / "out").exists()
