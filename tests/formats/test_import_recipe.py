"""gls import recipe: what recipes can say, faults and their places, and --dry-run of all imports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import gls
from cli.conftest import Tool
from cli.folder import Folder


def save_recipe(tool: Tool, document: Any, name: str = "graph.yaml") -> str:
    return tool.write(name, yaml.safe_dump(document, sort_keys=False, allow_unicode=True))


def arrays(tool: Tool) -> None:
    (tool.folder / "parts").mkdir()
    tool.save("parts/x.npy", np.ones((3, 2), np.float32))
    tool.save("parts/y.npy", [0, 1, 0])
    tool.save("parts/train.npy", [2, 0])
    tool.save("parts/cites.npy", [[0, 1], [1, 2]])
    tool.save("parts/src.npy", [1, 0])
    tool.save("parts/dst.npy", [0, 0])
    tool.save("parts/since.npy", [10, 20])
    tool.save("parts/indptr.npy", [0, 2, 3])
    tool.save("parts/indices.npy", [0, 1, 2])
    tool.write("parts/venues.csv", "venue|rank\nVLDB|1\nKDD|2\n")
    tool.write("parts/at.csv", "what|where|p\n0|KDD|.5\n2|VLDB|.25\n1|KDD|.75\n")


EVERYTHING = {
    "folder": "parts",
    "nodes": {
        "paper": {
            "count": 3,
            "columns": {"x": "x.npy", "y": {"file": "y.npy", "role": "label"}},
            "sets": {"train": "train.npy"},
        },
        "venue": {
            "ids": "string",
            "text": {
                "file": "venues.csv",
                "key": "venue",
                "columns": [{"field": "rank", "dtype": "int32", "role": "other"}],
            },
        },
    },
    "edges": {
        "paper__cites__paper": {"arrays": "cites.npy", "undirected": True},
        "paper__at__venue": {
            "text": {
                "file": "at.csv",
                "source": "what",
                "target": "where",
                "delimiter": "|",
                "header": "yes",
                "columns": [{"field": "p", "name": "w", "dtype": "float64", "role": "weight"}],
            }
        },
        "author__knows__author": {
            "arrays": ["src.npy", "dst.npy"],
            "columns": {"since": {"file": "since.npy", "role": "time"}},
        },
        "paper__by__author": {"csc": {"indptr": "indptr.npy", "indices": "indices.npy"}},
    },
}


def check_everything(path: Path) -> None:
    folder = Folder(path)
    names = [entry["name"] for entry in folder.manifest["node_types"]]
    assert names == ["paper", "venue", "author"]
    assert folder.edges("paper__cites__paper") == [(0, 1), (1, 2), (1, 0), (2, 1)]
    assert folder.edges("paper__at__venue") == [(0, 1), (2, 0), (1, 1)]
    assert folder.edges("author__knows__author") == [(1, 0), (0, 0)]
    assert folder.edges("paper__by__author") == [(0, 0), (1, 0), (2, 1)]
    assert folder.edge_column("w", "paper__at__venue")[1].tolist() == [0.5, 0.25, 0.75]
    assert folder.edge_column("since", "author__knows__author")[0] == "time"
    assert folder.node_column("rank", "venue")[1].tolist() == [1, 2]
    assert folder.node_column("y", "paper")[0] == "label"
    assert folder.id_set("train", "paper") == [2, 0]


def test_everything(tool: Tool) -> None:
    arrays(tool)
    save_recipe(tool, EVERYTHING)
    tool.run("import", "recipe", "graph.yaml", "-o", "out")
    tool.run("verify", "out")
    check_everything(tool.folder / "out")


def test_a_printed_recipe_gives_the_same(tool: Tool) -> None:
    arrays(tool)
    save_recipe(tool, EVERYTHING)
    printed = tool.run("import", "recipe", "graph.yaml", "--dry-run").stdout
    assert not (tool.folder / "out").exists()
    assert yaml.safe_load(printed) == EVERYTHING
    tool.write("again.yaml", printed)
    tool.run("import", "recipe", "again.yaml", "-o", "out")
    check_everything(tool.folder / "out")
    assert tool.json("import", "recipe", "graph.yaml", "--dry-run")["recipe"] == printed


def test_from_python(tool: Tool) -> None:
    arrays(tool)
    path = tool.folder / save_recipe(tool, EVERYTHING)
    recipe = gls.Recipe.open(path)
    assert yaml.safe_load(recipe.text) == EVERYTHING
    recipe.builder().write(tool.folder / "out")
    check_everything(tool.folder / "out")
    same = gls.Recipe(json.dumps(EVERYTHING), tool.folder)
    assert same.text == recipe.text
    dataset = same.builder().build()
    assert dataset.num_nodes("paper") == 3
    with pytest.raises(gls.InvalidArgument, match='did you mean "edges"'):
        gls.Recipe("edgse: {}")
    with pytest.raises(gls.FileNotFound, match="nofolder/cites.npy"):
        gls.Recipe(json.dumps({**EVERYTHING, "folder": "nofolder"})).builder()


def test_other_imports_print_theirs(tool: Tool) -> None:
    tool.save("e.npy", [[0, 1], [1, 0]])
    tool.save("x.npy", np.ones((2, 3)))
    tool.write("e.csv", "a\tb\t0.5\n")
    commands = [
        ["numpy", "--edges", "e.npy", "--node-column", "x=x.npy", "--undirected"],
        ["text", "--edges", "e.csv", "--delimiter", "tab", "--ids", "string"],
    ]
    for command in commands:
        tool.run("import", *command, "-o", "one", "--overwrite")
        tool.write("r.yaml", tool.run("import", *command, "--dry-run").stdout)
        tool.run("import", "recipe", "r.yaml", "-o", "two", "--overwrite")
        one, two = (tool.json("inspect", name) for name in ("one", "two"))
        assert {**one, "path": ""} == {**two, "path": ""}


def test_arrays_of_many_kinds(tool: Tool) -> None:
    np.savez_compressed(tool.folder / "a.npz", e=np.array([[0, 1], [1, 2]]), x=np.arange(3.0))
    np.savez(tool.folder / "b.npz", y=np.array([1, 2, 3], ">i4"))
    np.arange(4, dtype=np.float32).tofile(tool.folder / "raw")
    tool.save("pairs.npy", np.array([[0, 1], [2, 0]], np.int32))
    tool.save("mask.npy", [True, False, True])
    tool.save("ids.npy", [2, 0])
    tool.save("values.npy", np.array([[1, 2], [3, 4]], np.int16))
    recipe = {
        "nodes": {
            "n": {
                "columns": {
                    "x": {"file": "a.npz", "array": "x"},
                    "y": "b.npz",
                    "raw": {"file": "raw", "dtype": "float32", "shape": [3], "offset": 4},
                    "some": {"parts": [{"rows": "ids.npy", "values": "values.npy"}], "fill": -1},
                },
                "sets": {"train": "mask.npy"},
            }
        },
        "edges": {
            "n__a__n": {"arrays": {"file": "a.npz", "array": "e"}},
            "n__b__n": {
                "arrays": [{"file": "pairs.npy", "column": 0}, {"file": "pairs.npy", "column": 1}]
            },
        },
    }
    tool.run("import", "recipe", save_recipe(tool, recipe), "-o", "out")
    tool.run("verify", "out")
    folder = Folder(tool.folder / "out")
    assert folder.edges("n__a__n") == [(0, 1), (1, 2)]
    assert folder.edges("n__b__n") == [(0, 1), (2, 0)]
    assert folder.node_column("x", "n")[1].tolist() == [0, 1, 2]
    assert folder.node_column("y", "n")[1].tolist() == [1, 2, 3]
    assert folder.node_column("raw", "n")[1].tolist() == [1, 2, 3]
    assert folder.node_column("some", "n")[1].tolist() == [[3, 4], [-1, -1], [1, 2]]
    assert folder.id_set("train", "n") == [0, 2]


EDGES = {"a__to__b": {"arrays": "e.npy"}}


@pytest.mark.parametrize(
    "document, where",
    [
        ([], "recipe"),
        ({}, "edges"),
        ({"edges": {}}, "edges"),
        ({"edges": {"knows": {"arrays": "e.npy"}}}, "edges.knows"),
        ({"edges": {"a__to__b": {}}}, "edges.a__to__b"),
        ({"edges": {"a__to__b": {"arrays": "e.npy", "text": "e.txt"}}}, "edges.a__to__b"),
        ({"edges": {"a__to__b": {"arrays": 3}}}, "name of a file"),
        ({"edges": {"a__to__b": {"csc": {"indptr": "p"}}}}, "indices"),
        ({"edges": {"a__to__b": {"text": {"file": "e", "head": 1}}}}, "head"),
        ({"edges": {"a__to__b": {"text": {"file": "e", "header": "so"}}}}, "so"),
        ({"edges": EDGES, "node": {}}, "node"),
        ({"edges": EDGES, "nodes": {"a": {"count": -1}}}, "nodes.a"),
        ({"edges": EDGES, "nodes": {"a": {"count": "three"}}}, "line"),
        ({"edges": EDGES, "nodes": {"a": {"ids": "words"}}}, "words"),
        ({"edges": EDGES, "nodes": {"a": {"columns": {"x": {"role": "label"}}}}}, "file"),
        ({"edges": EDGES, "nodes": {"a": {"columns": {"x": {"file": "x", "role": "?"}}}}}, "?"),
        (
            {"edges": {"a__to__b": {"csr": {"indptr": "p", "indices": "i"}, "undirected": True}}},
            "undirected",
        ),
    ],
)
def test_faults_name_the_place(tool: Tool, document: Any, where: str) -> None:
    said = tool.error("import", "recipe", save_recipe(tool, document), "-o", "out")
    assert said.startswith("graph.yaml: ") and where in said


@pytest.mark.parametrize(
    "document, meant",
    [
        ({"edgse": EDGES}, "edges"),
        ({"edges": {"a__to__b": {"arrayz": "e.npy"}}}, "arrays"),
        ({"edges": {"a__to__b": {"text": {"file": "e", "delimitr": ","}}}}, "delimiter"),
        ({"edges": {"a__to__b": {"text": {"file": "e", "columns": [{"filed": "a"}]}}}}, "field"),
        ({"edges": {"a__to__b": {"csc": {"indprt": "p"}}}}, "indptr"),
        ({"edges": EDGES, "nodes": {"a": {"Count": 3}}}, "count"),
        ({"nodes": {"paper": {}}, "edges": {"author__writes__papre": {"arrays": "e"}}}, "paper"),
    ],
)
def test_misspellings_tell_what_was_meant(tool: Tool, document: Any, meant: str) -> None:
    said = tool.error("import", "recipe", save_recipe(tool, document), "-o", "out")
    assert f'did you mean "{meant}"?' in said


def test_encodings_ragged_lines_and_comments(tool: Tool) -> None:
    (tool.folder / "e.csv").write_bytes("café,b\n#c,b,x\n".encode("latin-1"))
    text = {"file": "e.csv", "header": "no", "encoding": "latin-1", "ragged": True}
    text["comment"] = "none"
    recipe = {"nodes": {"n": {"ids": "string"}}, "edges": {"n__e__n": {"text": text}}}
    tool.run("import", "recipe", save_recipe(tool, recipe), "-o", "out")
    assert tool.json("inspect", "out")["node_types"][0]["last_key"] == "café"
    assert len(Folder(tool.folder / "out").edges("n__e__n")) == 2


def test_errors_of_the_command_have_a_status(tool: Tool) -> None:
    document = tool.json("import", "recipe", save_recipe(tool, []), "-o", "out", code=1)
    assert document["error"]["status"] == "GLS_ERR_INVALID_ARGUMENT"
    document = tool.json("import", "recipe", "nofile.yaml", "-o", "out", code=1)
    assert document["error"]["status"] == "GLS_ERR_NOT_FOUND"
    assert document["error"]["file"] == "nofile.yaml"


def test_keys_given_twice_and_broken_text(tool: Tool) -> None:
    tool.write("twice.yaml", "edges:\n  a__to__b: {arrays: e}\n  a__to__b: {arrays: f}\n")
    assert "duplicate" in tool.error("import", "recipe", "twice.yaml", "-o", "out")
    tool.write("broken.yaml", '{"edges": ')
    assert "line" in tool.error("import", "recipe", "broken.yaml", "-o", "out")


def test_wrong_usage(tool: Tool) -> None:
    tool.error("import", code=2)
    tool.error("import", "recipe", save_recipe(tool, {"edges": EDGES}), code=2)
    said = tool.error("import", "dgl", ".", "--choose", "graph", "-o", "out")
    assert "name=value" in said


def test_the_schema_accepts_what_the_tests_write() -> None:
    schema = Path(__file__).parents[2] / "docs" / "reference" / "recipe.schema.json"
    import jsonschema

    document = json.loads(schema.read_text())
    jsonschema.validate(EVERYTHING, document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"edgse": EDGES}, document)
    names = set(re.findall(r'"title": "(\w+)"', schema.read_text()))
    assert "Recipe" in names
