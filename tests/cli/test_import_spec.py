"""gls import --spec: descriptions of several types."""

import json
from typing import Any

import numpy as np
import pytest
from conftest import Tool
from folder import Folder


def save_spec(gls: Tool, document: Any, name: str = "spec.json") -> str:
    return gls.write(name, json.dumps(document, ensure_ascii=False))


def test_everything(gls: Tool) -> None:
    (gls.folder / "parts").mkdir()
    gls.save("parts/x.npy", np.ones((3, 2), np.float32))
    gls.save("parts/y.npy", [0, 1, 0])
    gls.save("parts/train.npy", [2, 0])
    gls.save("parts/cites.npy", [[0, 1], [1, 2]])
    gls.save("parts/src.npy", [1, 0])
    gls.save("parts/dst.npy", [0, 0])
    gls.save("parts/since.npy", [10, 20])
    gls.save("parts/indptr.npy", [0, 2, 3])
    gls.save("parts/indices.npy", [0, 1, 2])
    gls.write("parts/venues.csv", "venue|rank\nVLDB|1\nKDD|2\n")
    gls.write("parts/at.csv", "what|where|p\n0|KDD|.5\n2|VLDB|.25\n1|KDD|.75\n")
    spec = {
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
            "paper__cites__paper": {"numpy": "cites.npy", "undirected": True},
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
                "numpy": ["src.npy", "dst.npy"],
                "columns": {"since": {"file": "since.npy", "role": "time"}},
            },
            "paper__by__author": {
                "csc": {"indptr": "indptr.npy", "indices": "indices.npy"},
            },
        },
    }
    save_spec(gls, spec, "parts/spec.json")
    gls.run("import", "--spec", "parts/spec.json", "-o", "out", "--layout", "both")
    gls.run("verify", "out")
    folder = Folder(gls.folder / "out")
    names = [entry["name"] for entry in folder.manifest["node_types"]]
    assert names == ["paper", "venue", "author"]
    assert folder.edges("paper__cites__paper") == [(0, 1), (1, 2), (1, 0), (2, 1)]
    assert folder.edges("paper__at__venue") == [(0, 1), (2, 0), (1, 1)]
    assert folder.edges("author__knows__author", "csr") == [(1, 0), (0, 0)]
    assert folder.edges("paper__by__author") == [(0, 0), (1, 0), (2, 1)]
    assert folder.edge_column("w", "paper__at__venue")[1].tolist() == [0.5, 0.25, 0.75]
    assert folder.edge_column("since", "author__knows__author")[0] == "time"
    assert folder.node_column("rank", "venue")[1].tolist() == [1, 2]
    assert folder.node_column("y", "paper")[0] == "label"
    assert folder.id_set("train", "paper") == [2, 0]


EDGES = {"a__to__b": {"numpy": "e.npy"}}


@pytest.mark.parametrize(
    "document, where",
    [
        ([], "expected an object"),
        ({}, "edges"),
        ({"edges": {}}, "edges"),
        ({"edges": {"knows": {"numpy": "e.npy"}}}, "edges.knows"),
        ({"edges": {"a__to__b": {}}}, "edges.a__to__b"),
        ({"edges": {"a__to__b": {"numpy": "e.npy", "text": "e.txt"}}}, "edges.a__to__b"),
        ({"edges": {"a__to__b": {"numpy": ["e", "f", "g"]}}}, "edges.a__to__b.numpy"),
        ({"edges": {"a__to__b": {"numpy": 3}}}, "edges.a__to__b.numpy"),
        ({"edges": {"a__to__b": {"csc": {"indptr": "p"}}}}, "indices"),
        ({"edges": {"a__to__b": {"text": {"file": "e", "head": 1}}}}, '"head"'),
        ({"edges": {"a__to__b": {"text": {"file": "e", "header": "so"}}}}, "header"),
        ({"edges": EDGES, "node": {}}, '"node"'),
        ({"edges": EDGES, "nodes": {"a": {"count": -1}}}, "nodes.a.count"),
        ({"edges": EDGES, "nodes": {"a": {"count": "3"}}}, "nodes.a.count"),
        ({"edges": EDGES, "nodes": {"a": {"ids": "words"}}}, "nodes.a"),
        ({"edges": EDGES, "nodes": {"a": {"columns": {"x": {"role": "label"}}}}}, "file"),
        ({"edges": EDGES, "nodes": {"a": {"columns": {"x": {"file": "x", "role": "?"}}}}}, "role"),
        (
            {
                "edges": {
                    "a__to__b": {
                        "csr": {"indptr": "p", "indices": "i"},
                        "undirected": True,
                    }
                }
            },
            "undirected",
        ),
    ],
)
def test_faults_name_the_place(gls: Tool, document: Any, where: str) -> None:
    said = gls.error("import", "--spec", save_spec(gls, document), "-o", "out")
    assert "spec.json" in said and where in said


@pytest.mark.parametrize(
    "document, meant",
    [
        ({"edgse": EDGES}, "edges"),
        ({"edges": {"a__to__b": {"nunpy": "e.npy"}}}, "numpy"),
        ({"edges": {"a__to__b": {"text": {"file": "e", "delimitr": ","}}}}, "delimiter"),
        ({"edges": {"a__to__b": {"text": {"file": "e", "columns": [{"filed": "a"}]}}}}, "field"),
        ({"edges": {"a__to__b": {"csc": {"indprt": "p"}}}}, "indptr"),
        ({"edges": EDGES, "nodes": {"a": {"Count": 3}}}, "count"),
        (
            {"nodes": {"paper": {}}, "edges": {"author__writes__papre": {"numpy": "e.npy"}}},
            "paper",
        ),
    ],
)
def test_misspellings_tell_what_was_meant(gls: Tool, document: Any, meant: str) -> None:
    said = gls.error("import", "--spec", save_spec(gls, document), "-o", "out")
    assert f'did you mean "{meant}"?' in said


def test_similar_types_can_be_declared(gls: Tool) -> None:
    gls.save("e.npy", [[0, 1], [1, 0]])
    spec = {"nodes": {"paper": {}, "papre": {}}, "edges": {"paper__to__papre": {"numpy": "e.npy"}}}
    gls.run("import", "--spec", save_spec(gls, spec), "-o", "out")


def test_encodings_and_ragged_lines(gls: Tool) -> None:
    (gls.folder / "e.csv").write_bytes("café,b\nc,b,x\n".encode("latin-1"))
    text = {"file": "e.csv", "header": "no", "encoding": "latin-1", "ragged": True}
    spec = {"nodes": {"n": {"ids": "string"}}, "edges": {"n__e__n": {"text": text}}}
    gls.run("import", "--spec", save_spec(gls, spec), "-o", "out")
    assert gls.json("inspect", "out")["node_types"][0]["last_key"] == "café"


def test_no_comments(gls: Tool) -> None:
    gls.write("e.csv", "a,b\n#c,b\n")
    text = {"file": "e.csv", "header": "no", "comment": "none"}
    spec = {"nodes": {"n": {"ids": "string"}}, "edges": {"n__e__n": {"text": text}}}
    assert gls.run("import", "--spec", save_spec(gls, spec), "-o", "out").stderr == ""
    assert len(Folder(gls.folder / "out").edges("n__e__n")) == 2


def test_errors_of_the_command_have_a_status(gls: Tool) -> None:
    document = gls.json("import", "--spec", save_spec(gls, []), "-o", "out", code=1)
    assert document["error"]["status"] == "GLS_ERR_INVALID_ARGUMENT"
    document = gls.json("import", "--spec", "nofile.json", "-o", "out", code=1)
    assert document["error"]["status"] == "GLS_ERR_NOT_FOUND"
    assert document["error"]["file"] == "nofile.json"


def test_keys_given_twice_and_broken_json(gls: Tool) -> None:
    gls.write("twice.json", '{"edges": {"a__to__b": {"numpy": "e"}, "a__to__b": {"numpy": "f"}}}')
    assert "twice" in gls.error("import", "--spec", "twice.json", "-o", "out")
    gls.write("broken.json", '{"edges": ')
    assert "broken.json is not JSON" in gls.error("import", "--spec", "broken.json", "-o", "out")
    gls.write("large.json", '{"nodes": 1e999}')
    assert "large.json is not JSON" in gls.error("import", "--spec", "large.json", "-o", "out")
    assert "nofile.json" in gls.error("import", "--spec", "nofile.json", "-o", "out")


def test_wrong_usage(gls: Tool) -> None:
    gls.error("import", code=2)
    gls.error("import", "-o", "out", code=2)
    gls.error("import", "--spec", "spec.json", code=2)
