"""gls import numpy: arrays come out as they went in."""

from typing import List

import numpy as np
import pytest
from conftest import Tool
from folder import Folder

EDGES = [(0, 1), (2, 1), (3, 0), (1, 3), (0, 1), (2, 2)]


def save_edges(gls: Tool, name: str = "edges.npy", dtype: str = "int64") -> str:
    return gls.save(name, np.array(EDGES, dtype=dtype).T)


def test_one_array(gls: Tool) -> None:
    gls.run("import", "numpy", "--edges", save_edges(gls), "-o", "out")
    assert Folder(gls.folder / "out").edges() == EDGES
    gls.run("verify", "out")


def test_sources_and_targets(gls: Tool) -> None:
    gls.save("src.npy", [s for s, _ in EDGES], np.int32)
    gls.save("dst.npy", [t for _, t in EDGES], np.int32)
    gls.run("import", "numpy", "--edges", "src.npy", "dst.npy", "--layout", "both", "-o", "out")
    folder = Folder(gls.folder / "out")
    assert folder.edges(layout="csc") == EDGES
    assert folder.edges(layout="csr") == EDGES


def test_undirected(gls: Tool) -> None:
    gls.run("import", "numpy", "--edges", save_edges(gls), "--undirected", "-o", "out")
    assert Folder(gls.folder / "out").edges() == EDGES + [(t, s) for s, t in EDGES]


def test_ready_topologies(gls: Tool) -> None:
    csc = [gls.save("p.npy", [0, 1, 3]), gls.save("i.npy", [2, 0, 1], np.int32)]
    csr = [
        gls.save("rp.npy", [0, 1, 2, 3]),
        gls.save("ri.npy", [1, 1, 0], np.int32),
        gls.save("re.npy", [1, 2, 0], np.int32),
    ]
    flags = ["--csc", "a__to__b=" + csc[0], csc[1], "--csr", "a__to__b=" + csr[0], *csr[1:]]
    gls.run("import", "numpy", *flags, "--layout", "both", "-o", "out")
    folder = Folder(gls.folder / "out")
    assert folder.edges("a__to__b", "csc") == [(2, 0), (0, 1), (1, 1)]
    assert folder.edges("a__to__b", "csr") == [(2, 0), (0, 1), (1, 1)]


def test_columns_sets_and_counts(gls: Tool) -> None:
    x = np.arange(30, dtype=np.float16).reshape(5, 3, 2)
    y = np.array([1, -1, 0, 2, 1])
    w = np.linspace(0, 1, len(EDGES))
    gls.run(
        *["import", "numpy", "--edges", save_edges(gls), "--nodes", "5", "-o", "out"],
        *["--node-column", "x=" + gls.save("x.npy", x)],
        *["--node-column", "node:y=label=" + gls.save("y=1.npy", y)],
        *["--edge-column", "w=weight=" + gls.save("w.npy", w)],
        *["--id-set", "train=" + gls.save("train.npy", [4, 0]), "--id-set", "test=train.npy"],
    )
    folder = Folder(gls.folder / "out")
    assert folder.node_type()["count"] == 5
    role, values = folder.node_column("x")
    assert role == "feature" and values.dtype == np.float16 and np.array_equal(values, x)
    role, values = folder.node_column("y")
    assert role == "label" and np.array_equal(values, y)
    role, values = folder.edge_column("w")
    assert role == "weight" and np.array_equal(values, w)
    assert folder.id_set("train") == [4, 0]
    assert folder.id_set("test") == [4, 0]


def test_several_types(gls: Tool) -> None:
    writes = gls.save("writes.npy", [[0, 1, 1], [2, 0, 1]])
    cites = gls.save("cites.npy", [[0, 2], [1, 0]])
    gls.run(
        *["import", "numpy", "--nodes", "paper=4", "-o", "out"],
        *["--edges", "author__writes__paper=" + writes],
        *["--edges", "paper__cites__paper=" + cites],
        *["--node-column", "author:x=" + gls.save("x.npy", [[1.0], [2.0]])],
        *["--edge-column", "author__writes__paper:year=time=" + gls.save("y.npy", [3, 4, 5])],
        *["--id-set", "paper:train=" + gls.save("t.npy", [3])],
    )
    folder = Folder(gls.folder / "out")
    assert [entry["name"] for entry in folder.manifest["node_types"]] == ["paper", "author"]
    assert folder.edges("author__writes__paper") == [(0, 2), (1, 0), (1, 1)]
    assert folder.edges("paper__cites__paper") == [(0, 1), (2, 0)]
    assert folder.node_column("x", "author")[1].tolist() == [[1.0], [2.0]]
    assert folder.edge_column("year", "author__writes__paper")[0] == "time"
    assert folder.id_set("train", "paper") == [3]


@pytest.mark.parametrize("padding", [True, False])
def test_padding(gls: Tool, padding: bool) -> None:
    x = np.ones((4, 30), dtype=np.float32)
    flags = [] if padding else ["--no-padding"]
    column = "x=" + gls.save("x.npy", x)
    gls.run(
        *["import", "numpy", "--edges", save_edges(gls), "--node-column", column, "-o", "out"],
        *flags,
    )
    (column_seen,) = gls.json("inspect", "out")["node_types"][0]["columns"]
    assert column_seen["row_stride"] == (128 if padding else 120)
    assert np.array_equal(Folder(gls.folder / "out").node_column("x")[1], x)


def test_only_datasets_are_overwritten(gls: Tool) -> None:
    gls.save("e.npy", [[0], [1]])
    (gls.folder / "precious").mkdir()
    gls.write("precious/thesis.txt", "years of work")
    said = gls.error("import", "numpy", "--edges", "e.npy", "--overwrite", "-o", "precious")
    assert "precious is there, but is no dataset" in said
    assert (gls.folder / "precious" / "thesis.txt").read_text() == "years of work"


def test_overwrite(gls: Tool) -> None:
    command = ["import", "numpy", "--edges", save_edges(gls), "-o", "out"]
    gls.run(*command)
    assert "exists" in gls.error(*command)
    gls.run(*command, "--undirected", "--overwrite")
    assert len(Folder(gls.folder / "out").edges()) == 2 * len(EDGES)
    assert sorted(path.name for path in gls.folder.iterdir()) == ["edges.npy", "out"]


def test_summary_as_json(gls: Tool) -> None:
    document = gls.json("import", "numpy", "--edges", save_edges(gls), "-o", "out")
    assert document["command"] == "import"
    assert document["seconds"] > 0
    assert document["dataset"] == gls.json("inspect", "out")


def test_faults_in_arrays(gls: Tool) -> None:
    bad = gls.save("bad.npy", [[0, 1], [2, -3]])
    assert "-3" in gls.error("import", "numpy", "--edges", bad, "-o", "out")
    shape = gls.save("shape.npy", [[0, 1, 2]])
    assert "[2, edges]" in gls.error("import", "numpy", "--edges", shape, "-o", "out")
    assert "nofile.npy" in gls.error("import", "numpy", "--edges", "nofile.npy", "-o", "out")
    floats = gls.save("floats.npy", [[0.5], [1.5]])
    assert "float64" in gls.error("import", "numpy", "--edges", floats, "-o", "out")
    assert not (gls.folder / "out").exists()


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["--edges"],
        ["--edges", "e.npy", "f.npy", "g.npy"],
        ["--edges", "e.npy", "--edges", "f.npy"],
        ["--edges", "e.npy", "--node-column", "x"],
        ["--edges", "e.npy", "--node-column", "person:x=x.npy"],
        ["--edges", "a__to__b=e.npy", "--node-column", "x=x.npy"],
        ["--edges", "e.npy", "--nodes", "many"],
        ["--edges", "e.npy", "--memory", "4Q"],
        ["--edges", "e.npy", "--layout", "coo"],
        ["--edges", "e.npy", "--type", "knows"],
        ["--csc", "p.npy"],
        ["--csc", "p.npy", "i.npy", "--undirected"],
        ["--edges", "e.npy", "--threads", "-1"],
        ["--edges", "e.npy", "--setting", "threads"],
        ["--edges", "e.npy", "--progress", "--quiet"],
    ],
)
def test_wrong_usage(gls: Tool, flags: List[str]) -> None:
    gls.error("import", "numpy", *flags, "-o", "out", code=2)


def test_output_is_required(gls: Tool) -> None:
    assert "output" in gls.error("import", "numpy", "--edges", save_edges(gls), code=2)


def test_types_of_nodes_that_no_edge_names(gls: Tool) -> None:
    gls.save("e.npy", [[0, 1], [1, 0]])
    command = ["import", "numpy", "--edges", "author__writes__paper=e.npy", "-o", "out"]
    said = gls.error(*command, "--nodes", "papre=2", code=2)
    assert 'names the node type "paper"; did you mean "papre"?' in said and "--nodes" in said
    # One that is alone may be meant.
    said = gls.run(*command, "--nodes", "venue=2").stderr
    assert said == 'gls: warning: no edge type names the node type "venue"\n'


def test_far_more_nodes_than_ids(gls: Tool) -> None:
    gls.save("e.npy", [[0], [2_000_000]])
    command = ["import", "numpy", "--edges", "e.npy", "-o", "out"]
    assert "num_nodes" in gls.error(*command)
    gls.run(*command, "--num-nodes", "2000001")


def test_weights_must_be_some(gls: Tool) -> None:
    gls.save("e.npy", [[0, 1], [1, 0]])
    gls.save("w.npy", [1.0, float("nan")])
    command = ["import", "numpy", "--edges", "e.npy", "-o", "out"]
    said = gls.error(*command, "--edge-column", "w=weight=w.npy")
    assert 'column "w" of "node__to__node": weight nan in row 1 is negative or not finite' in said
    assert not (gls.folder / "out").exists()
