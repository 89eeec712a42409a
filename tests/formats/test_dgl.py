"""gls import dgl: saved graphs, partitions and chunked graphs."""

import json
import shutil
from pathlib import Path
from typing import Any, Dict, List

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from cli.conftest import Tool

from . import golden

DGL = golden.GOLDEN / "dgl"


@pytest.mark.parametrize(
    "file, graph",
    [("coo", 0), ("coo", 1), ("coo", 2), ("coo", 3)]
    + [("csc", 0), ("csc", 1), ("csc", 2), ("csr", 0), ("all", 0), ("one", 0)],
)
def test_saved_graphs(tool: Tool, file: str, graph: int) -> None:
    path = DGL / "saved" / f"{file}.bin"
    choice = ["--choose", f"graph={graph}"] if file in ("coo", "csc") else []
    tool.run("import", "dgl", path, *choice, "-o", "out")
    tool.run("verify", "out")
    golden.check(tool.folder / "out", DGL / "saved" / f"expected-{graph}.npz")


@pytest.mark.parametrize(
    "name",
    ["homogeneous", "one", "hetero", "metis"]
    + ["graphbolt", "graphbolt-no-ids", "graphbolt-one-type"],
)
@pytest.mark.parametrize("layout", ["csc", "both"])
def test_partitions_become_the_whole_graph(tool: Tool, name: str, layout: str) -> None:
    folder = DGL / f"part-{name}"
    tool.run("import", "dgl", folder / "g.json", "--layout", layout, "-o", "out")
    tool.run("verify", "out")
    golden.check(tool.folder / "out", folder / "expected.npz")


def test_the_recipe_makes_the_same_dataset(tool: Tool) -> None:
    folder = DGL / "part-metis"
    recipe = tool.run("import", "dgl", folder / "g.json", "--dry-run").stdout
    assert "# Ids are those of the partition" in recipe
    (tool.folder / "recipe.yaml").write_text(recipe)
    tool.run("import", "recipe", "recipe.yaml", "-o", "out")
    golden.check(tool.folder / "out", folder / "expected.npz")


def test_parts_of_graphbolt_may_not_know_their_edges(tool: Tool) -> None:
    notes = tool.run("import", "dgl", DGL / "part-graphbolt-no-ids" / "g.json", "--dry-run").stdout
    assert "data of edges are dropped" in notes
    notes = tool.run("import", "dgl", DGL / "part-graphbolt" / "g.json", "--dry-run").stdout
    assert "data of edges are dropped" not in notes


def test_parts_without_a_graph(tool: Tool) -> None:
    copy = tool.folder / "copy"
    shutil.copytree(DGL / "part-graphbolt", copy)
    book = json.loads((copy / "g.json").read_text())
    del book["part-1"]["part_graph_graphbolt"]
    (copy / "g.json").write_text(json.dumps(book))
    said = tool.error("import", "dgl", copy / "g.json", "-o", "out")
    assert "part 1" in said and "part_graph" in said


def test_a_graph_must_be_chosen(tool: Tool) -> None:
    path = DGL / "saved" / "coo.bin"
    said = tool.error("import", "dgl", path, "-o", "out")
    assert "4 graphs" in said and "graph=0 to graph=3" in said
    said = tool.error("import", "dgl", path, "--choose", "graph=4", "-o", "out")
    assert "from 0 to 3" in said
    assert not (tool.folder / "out").exists()


def test_damaged_partitions_name_the_file(tool: Tool) -> None:
    for number, (file, size) in enumerate(
        [("g.json", 50), ("part0/graph.dgl", 5000), ("part1/node_feat.dgl", 60)]
    ):
        copy = tool.folder / f"copy{number}"
        shutil.copytree(DGL / "part-homogeneous", copy)
        whole = (copy / file).read_bytes()
        (copy / file).write_bytes(whole[:size])
        said = tool.error("import", "dgl", copy / "g.json", "-o", "out")
        assert file in said
        assert not (tool.folder / "out").exists()


def test_ids_of_other_parts_must_be_known(tool: Tool) -> None:
    copy = tool.folder / "copy"
    shutil.copytree(DGL / "part-hetero", copy)
    book = json.loads((copy / "g.json").read_text())
    book["node_map"]["user"][1][0] += 1  # one of its nodes belongs to no type
    book["num_nodes"] -= 1
    (copy / "g.json").write_text(json.dumps(book))
    said = tool.error("import", "dgl", copy / "g.json", "-o", "out")
    assert "node_feat.dgl" in said and "expected" in said


def chunked(folder: Path, edges: str, data: str) -> Dict[str, Any]:
    """Writes a graph in the documented form of DGL's chunked graphs; no library writes it.

    Each edge type has three files, of which one is empty; data lie in two files.
    """
    random = np.random.default_rng(3)
    users, items = 13, 8
    counts = {"user": users, "item": items}
    ends = {
        "user:likes:item": (random.integers(0, users, 30), random.integers(0, items, 30)),
        "user:_E:user": (random.integers(0, users, 20), random.integers(0, users, 20)),
    }
    columns = {
        "user": {"feat": random.random((users, 4), np.float32)},
        "item": {"label": random.integers(0, 5, items)},
    }
    weights = random.random(30)
    number = [0]

    def chunk(rows: Any, format: str, names: List[str]) -> str:
        number[0] += 1
        ending = {"csv": "csv", "csv-comma": "csv", "numpy": "npy", "parquet": "parquet"}[format]
        file = f"chunks/{number[0]}.{ending}"
        if format == "numpy":
            np.save(folder / file, rows)
        elif format == "parquet":
            if len(names) == 2:
                fields = [pa.array(rows[:, 0]), pa.array(rows[:, 1])]
            elif rows.ndim == 2:
                fields = [pa.FixedSizeListArray.from_arrays(rows.ravel(), rows.shape[1])]
            else:
                fields = [pa.array(rows)]
            parquet.write_table(pa.table(fields, names), folder / file)
        else:
            delimiter = "," if format == "csv-comma" else " "
            np.savetxt(folder / file, rows, "%d", delimiter)
        return file

    def described(format: str, files: List[str]) -> Dict[str, Any]:
        how: Dict[str, str] = {"name": format.split("-")[0]}
        if how["name"] == "csv":
            how["delimiter"] = "," if format == "csv-comma" else " "
        return {"format": how, "data": files}

    (folder / "chunks").mkdir(parents=True)
    metadata: Dict[str, Any] = {
        "graph_name": "g",
        "node_type": list(counts),
        "num_nodes_per_chunk": [[count - 3, 3] for count in counts.values()],
        "edge_type": list(ends),
        "num_edges_per_chunk": [[12, 0, len(e[0]) - 12] for e in ends.values()],
        "edges": {},
        "node_data": {type: {} for type in columns},
        "edge_data": {"user:likes:item": {}},
    }
    for type, (source, target) in ends.items():
        rows = np.stack([source, target], 1)
        files = [chunk(p, edges, ["a", "b"]) for p in (rows[:12], rows[:0], rows[12:])]
        metadata["edges"][type] = described(edges, files)
    for type, named in columns.items():
        for name, rows in named.items():
            files = [chunk(p, data, [name]) for p in (rows[:5], rows[5:])]
            metadata["node_data"][type][name] = described(data, files)
    files = [chunk(p, data, ["weight"]) for p in (weights[:7], weights[7:])]
    metadata["edge_data"]["user:likes:item"]["weight"] = described(data, files)
    (folder / "metadata.json").write_text(json.dumps(metadata))
    golden.save(
        folder / "expected.npz",
        {type: {"count": counts[type], "columns": columns[type]} for type in counts},
        {
            "user__likes__item": {
                "source": ends["user:likes:item"][0],
                "target": ends["user:likes:item"][1],
                "columns": {"weight": weights},
            },
            "user__to__user": {
                "source": ends["user:_E:user"][0],
                "target": ends["user:_E:user"][1],
            },
        },
    )
    return metadata


@pytest.mark.parametrize("edges", ["csv", "csv-comma", "numpy", "parquet"])
@pytest.mark.parametrize("data", ["numpy", "parquet"])
def test_chunked_graphs(tool: Tool, edges: str, data: str) -> None:
    folder = tool.folder / "chunked"
    chunked(folder, edges, data)
    tool.run("import", "dgl", folder / "metadata.json", "-o", "out")
    tool.run("verify", "out")
    golden.check(tool.folder / "out", folder / "expected.npz")


def test_chunked_graphs_with_one_file_a_type(tool: Tool) -> None:
    folder = tool.folder / "chunked"
    folder.mkdir()
    np.save(folder / "e.npy", np.array([[0, 1], [2, 0]], np.int32))
    np.save(folder / "mask.npy", np.array([True, False, True]))
    np.save(folder / "bytes.npy", np.array([1, 0, 1], np.uint8))
    metadata = {
        "node_type": ["_N"],
        "num_nodes_per_type": [3],
        "edge_type": ["_N:_E:_N", "_N:none:_N"],
        "num_edges_per_chunk": [[2], [0]],
        "edges": {
            # Some tools write full names.
            "_N:_E:_N": {"format": {"name": "numpy"}, "data": [str(folder / "e.npy")]},
            "_N:none:_N": {"format": {"name": "csv", "delimiter": " "}, "data": ["no.csv"]},
        },
        "node_data": {
            "_N": {
                "train_mask": {"format": {"name": "numpy"}, "data": ["mask.npy"]},
                "test_mask": {"format": {"name": "numpy"}, "data": ["bytes.npy"]},
            }
        },
    }
    (folder / "metadata.json").write_text(json.dumps(metadata))
    tool.run("import", "dgl", folder / "metadata.json", "-o", "out")
    golden.save(
        folder / "expected.npz",
        {
            "node": {
                "count": 3,
                "columns": {"test_mask": np.array([1, 0, 1], np.uint8)},
                "sets": {"train": [0, 2]},
            }
        },
        {
            "node__to__node": {"source": np.array([0, 2]), "target": np.array([1, 0])},
            "node__none__node": {"source": np.array([], int), "target": np.array([], int)},
        },
    )
    golden.check(tool.folder / "out", folder / "expected.npz")


@pytest.mark.parametrize(
    "change, expected",
    [
        ({"num_edges_per_chunk": [[1]]}, "differ in length"),
        ({"num_nodes_per_chunk": [[-1], [1]]}, "has no counts"),
        ({"num_nodes_per_chunk": [[2**62, 2**62], [1]]}, "too large"),
        ({"edge_type": ["likes", "x:y:z"]}, "not source:relation:target"),
        ({"node_type": ["user", "user"]}, "twice"),
        ({"edges": {}}, "edges.user:likes:item"),
    ],
)
def test_bad_descriptions_of_chunked_graphs(tool: Tool, change: Any, expected: str) -> None:
    folder = tool.folder / "chunked"
    metadata = chunked(folder, "csv", "numpy")
    (folder / "metadata.json").write_text(json.dumps({**metadata, **change}))
    assert expected in tool.error("import", "dgl", folder / "metadata.json", "-o", "out")


@pytest.mark.parametrize(
    "files, expected",
    [
        (["../e.csv"] * 3, "leads out"),
        (["/etc/passwd"] * 3, "leads out"),
        (["chunks/none.csv"] * 3, "none.csv"),
        (["chunks/1.csv"] * 2, "differ in number"),
        (["chunks/7.npy"] * 3, "7.npy"),
    ],
)
def test_bad_files_of_chunked_graphs(tool: Tool, files: List[str], expected: str) -> None:
    folder = tool.folder / "chunked"
    metadata = chunked(folder, "csv", "numpy")
    metadata["edges"]["user:likes:item"]["data"] = files
    (folder / "metadata.json").write_text(json.dumps(metadata))
    assert expected in tool.error("import", "dgl", folder / "metadata.json", "-o", "out")
