"""gls import snap: edge lists as SNAP publishes them, by its stated format."""

import gzip

import numpy as np

from cli.conftest import Tool

from formats import golden

LIST = (
    "# Undirected graph: a.txt\n# Nodes: 3 Edges: 3\n# FromNodeId\tToNodeId\n"
    "30\t7\n7\t30\n30\t1\n"
)


def test_an_edge_list(tool: Tool) -> None:
    tool.write("a.txt", LIST)
    with gzip.open(tool.folder / "b.txt.gz", "wt") as file:
        file.write(LIST.replace("\t", " "))
    keys, source, target = [1, 7, 30], [30, 7, 30], [7, 30, 1]
    node = {"node": {"count": 3, "keys": keys}}
    golden.save(
        tool.folder / "once.npz", node, {"node__to__node": {"source": source, "target": target}}
    )
    both = {"source": source + target, "target": target + source}
    golden.save(tool.folder / "both.npz", node, {"node__to__node": both})
    for name in ("a.txt", "b.txt.gz"):
        tool.run("import", "snap", name, "-o", "out", "--overwrite")
        golden.check(tool.folder / "out", tool.folder / "once.npz")
    assert "undirected=true" in tool.run("import", "snap", "a.txt", "--dry-run").stdout


def test_more_fields(tool: Tool) -> None:
    tool.write("a.csv", "6,2,4,1289241911\n6,15,-10,1289241941\n")
    tool.run("import", "snap", "a.csv", "-o", "out", "--choose", "columns=rating,time")
    columns = {"rating": np.array([4, -10]), "time": np.array([1289241911, 1289241941])}
    edges = {"source": [6, 6], "target": [2, 15], "columns": columns}
    golden.save(
        tool.folder / "expected.npz",
        {"node": {"count": 3, "keys": [2, 6, 15]}},
        {"node__to__node": edges},
    )
    golden.check(tool.folder / "out", tool.folder / "expected.npz")
    assert "2 fields after their ids" in tool.run("import", "snap", "a.csv", "--dry-run").stdout


def test_undirected(tool: Tool) -> None:
    tool.write("a.txt", LIST)
    tool.run("import", "snap", "a.txt", "-o", "out", "--choose", "undirected=true")
    assert tool.json("inspect", "out")["edge_types"][0]["num_edges"] == 6


def test_damaged_files(tool: Tool) -> None:
    for text in ("a b\n", "1 2\n3\n", "1\n"):
        tool.write("a.txt", text)
        assert "is no edge" in tool.error("import", "snap", "a.txt", "-o", "out")
