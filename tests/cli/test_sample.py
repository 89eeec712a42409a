"""gls sample: the batch, in every form of output."""

import json
from typing import Any, Dict, List, Tuple

import numpy as np
import pytest
from conftest import Tool
from folder import Folder


@pytest.fixture(autouse=True)
def dataset(gls: Tool) -> None:
    gls.run("generate", "--preset", "tiny", "--layout", "both", "-o", "g")


def sample(gls: Tool, *flags: object) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    document = gls.json("sample", "g", *flags)
    return document["nodes"]["node"], document["edges"]["node__to__node"]


def global_edges(nodes: Dict[str, Any], edges: Dict[str, Any]) -> List[Tuple[int, int]]:
    ids = nodes["node"]
    return [(ids[row], ids[col]) for row, col in zip(edges["row"], edges["col"])]


def test_all_neighbours(gls: Tool) -> None:
    all_edges = Folder(gls.folder / "g").edges()
    nodes, edges = sample(gls, "--seeds", "7,3", "--fanout", "-1", "--edge-ids")
    assert nodes["node"][:2] == [7, 3] and nodes["seed"] == [0, 1]
    expected = [i for seed in (7, 3) for i, edge in enumerate(all_edges) if edge[1] == seed]
    assert edges["edge"] == expected
    assert global_edges(nodes, edges) == [all_edges[i] for i in expected]
    assert nodes["num_nodes"] == [2, len(nodes["node"]) - 2]
    assert edges["num_edges"] == [len(expected)]


def test_direction_out(gls: Tool) -> None:
    all_edges = Folder(gls.folder / "g").edges()
    nodes, edges = sample(gls, "--seeds", "5", "--fanout", "-1", "--direction", "out")
    assert sorted(global_edges(nodes, edges)) == sorted(e for e in all_edges if e[0] == 5)
    nodes, edges = sample(
        gls, "--seeds", "5", "--fanout", "-1", "--direction", "out", "--toward-seeds"
    )
    assert set(edges["col"]) == {0}


def test_random_key(gls: Tool) -> None:
    flags = ["--seeds", "1,2,3,4,5,6", "--fanout", "3,2"]
    first = sample(gls, *flags)
    assert sample(gls, *flags) == first
    for key in (["--seed", 1], ["--epoch", 1], ["--batch", 1]):
        assert sample(gls, *flags, *key) != first


def test_options(gls: Tool) -> None:
    nodes, edges = sample(gls, "--seeds", "1,1", "--fanout", "4,0", "--disjoint")
    assert len(nodes["tree"]) == len(nodes["node"]) and set(nodes["tree"]) == {0, 1}
    assert edges["num_edges"][1] == 0
    _, edges = sample(gls, "--seeds", "1", "--fanout", "300", "--replace", "always")
    assert edges["num_edges"] == [300]
    _, edges = sample(gls, "--seeds", "1", "--fanout", "node__to__node=2,1", "--int32")
    assert edges["num_edges"][0] == 2


def test_seeds_of_a_set(gls: Tool) -> None:
    train = Folder(gls.folder / "g").id_set("train")
    nodes, _ = sample(gls, "--set", "train", "--batch-size", "30", "--batch", "6", "--fanout", "1")
    assert nodes["node"][: nodes["num_nodes"][0]] == train[180:]
    said = gls.error(
        "sample", "g", "--set", "train", "--batch-size", "30", "--batch", "7", "--fanout", "1"
    )
    assert "7 batches" in said


def test_files_hold_what_json_prints(gls: Tool) -> None:
    flags = ["sample", "g", "--seeds", "1,2", "--fanout", "3,3", "--edge-ids", "--disjoint"]
    expected = gls.json(*flags)
    gls.run(*flags, "-o", "batch")
    document = json.loads((gls.folder / "batch" / "batch.json").read_text(encoding="utf-8"))
    listed = {entry["file"] for entry in document["arrays"]}
    assert listed == {path.name for path in (gls.folder / "batch").glob("*.npy")}
    for entry in document["arrays"]:
        kind = "nodes" if entry["type"] in expected["nodes"] else "edges"
        array = np.load(gls.folder / "batch" / entry["file"])
        assert array.dtype == np.int64
        assert array.tolist() == expected[kind][entry["type"]][entry["array"]]
    assert "exists" in gls.error(*flags, "-o", "batch")


def test_tables(gls: Tool) -> None:
    flags = ["sample", "g", "--seeds", "1,2", "--fanout", "3,3"]
    shown = gls.run(*flags, "--limit", "2").stdout
    assert "more" in shown
    whole = gls.run(*flags, "--limit", "0").stdout
    nodes, edges = sample(gls, *flags[2:])
    rows = [line.split() for line in whole.splitlines()]
    start = rows.index(["node", "node", "hop"]) + 2
    assert [int(row[1]) for row in rows[start : start + len(nodes["node"])]] == nodes["node"]
    start = rows.index(["node__to__node", "row", "col", "hop"]) + 2
    assert [int(row[2]) for row in rows[start : start + len(edges["col"])]] == edges["col"]


def test_two_types(gls: Tool) -> None:
    gls.save("e.npy", [[0, 1], [1, 0]])
    gls.run(
        *["import", "numpy", "--edges", "a__to__b=e.npy", "--edges", "b__to__b=e.npy"],
        *["--node-column", "b:w=weight=" + gls.save("w.npy", [1.0, 1.0]), "-o", "h"],
    )
    document = gls.json(
        *["sample", "h", "--seeds", "b:0", "--seeds", "a:1", "--fanout", "a__to__b=-1"],
        *["--fanout", "0"],
    )
    assert document["nodes"]["a"]["node"] == [1]
    assert document["edges"]["a__to__b"]["num_edges"] == [1]
    assert document["edges"]["b__to__b"]["num_edges"] == [0]
    document = gls.json("sample", "h", "--type", "b", "--seeds", "0,1", "--fanout", "1")
    assert document["nodes"]["b"]["seed"] == [0, 1]
    assert "node type" in gls.error("sample", "h", "--seeds", "0", "--fanout", "1")


def test_faults(gls: Tool) -> None:
    assert "1000" in gls.error("sample", "g", "--seeds", "1000", "--fanout", "1")
    assert "nope" in gls.error("sample", "g", "--set", "nope", "--fanout", "1")
    assert "nope" in gls.error("sample", "g", "--seeds", "1", "--fanout", "1", "--weight", "nope")
    document = gls.json("sample", "g", "--keys", "a", "--fanout", "1", code=1)
    assert document["error"]["status"] == "GLS_ERR_UNSUPPORTED"
    document = gls.json("sample", "g", "--seeds", "1000", "--fanout", "1", code=1)
    assert document["error"]["status"] == "GLS_ERR_INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "flags",
    [
        ["--fanout", "1"],
        ["--seeds", "1"],
        ["--seeds", "1,x", "--fanout", "1"],
        ["--seeds", "1", "--fanout", "1,,2"],
        ["--seeds", "1", "--fanout", "1,2", "--fanout", "node__to__node=1"],
        ["--seeds", "1", "--set", "train", "--fanout", "1"],
        ["--seeds", "1", "--fanout", "1", "--direction", "up"],
        ["--seeds", "1", "--fanout", "1", "--replace", "maybe"],
        ["--seeds", "1", "--fanout", "1", "--batch", "-1"],
        ["--seeds", "1", "--fanout", "1", "--fan"],
    ],
)
def test_wrong_usage(gls: Tool, flags: List[str]) -> None:
    gls.error("sample", "g", *flags, code=2)
