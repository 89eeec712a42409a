"""gls inspect, verify, settings and version."""

import os
import unicodedata

import numpy as np
from conftest import Tool
from folder import Folder


def make(gls: Tool) -> None:
    gls.save("e.npy", [[0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2]])
    gls.save("w.npy", np.arange(6.0))
    gls.save("x.npy", np.zeros((4, 7), np.float32))
    gls.save("ids.npy", [1, 3])
    gls.run(
        *["import", "numpy", "--edges", "e.npy", "--layout", "both", "--nodes", "4"],
        *["--node-column", "x=x.npy", "--edge-column", "w=weight=w.npy"],
        *["--id-set", "train=ids.npy", "-o", "out"],
    )


def test_inspect(gls: Tool) -> None:
    make(gls)
    document = gls.json("inspect", "out")
    files = [path for path in (gls.folder / "out").rglob("*") if path.is_file()]
    assert document["path"] == "out"
    assert document["files"] == len(files)
    assert document["bytes"] == sum(path.stat().st_size for path in files)
    (nodes,) = document["node_types"]
    assert (nodes["name"], nodes["num_nodes"], nodes["has_keys"]) == ("node", 4, False)
    (column,) = nodes["columns"]
    assert (column["name"], column["role"], column["dtype"]) == ("x", "feature", "float32")
    assert column["shape"] == [4, 7]
    assert column["bytes"] == 4 * column["row_stride"]
    assert nodes["id_sets"] == [{"name": "train", "num_ids": 2}]
    (edges,) = document["edge_types"]
    assert (edges["source"], edges["relation"], edges["target"]) == ("node", "to", "node")
    assert (edges["num_edges"], edges["index_bits"]) == (6, 32)
    assert [layout["layout"] for layout in edges["layouts"]] == ["csc", "csr"]
    assert edges["columns"][0]["role"] == "weight"
    assert "degrees" not in edges
    text = gls.run("inspect", "out").stdout
    for word in ("node__to__node", "csc", "csr", "float32", "4 x 7", "train", "weight"):
        assert word in text


def test_degrees(gls: Tool) -> None:
    make(gls)
    (edges,) = gls.json("inspect", "out", "--degrees")["edge_types"]
    expected_in = {"nodes": 4, "zero": 1, "min": 0, "mean": 1.5}
    expected_in.update({"median": 1, "p90": 3, "p99": 3, "max": 3})
    assert edges["degrees"] == {"in": expected_in, "out": expected_in}
    gls.run("import", "numpy", "--edges", "e.npy", "--layout", "csr", "--nodes", "4", "-o", "csr")
    (edges,) = gls.json("inspect", "csr", "--degrees")["edge_types"]
    assert edges["degrees"] == {"in": expected_in, "out": expected_in}
    assert "nodes with none" in gls.run("inspect", "out", "--degrees").stdout


def width(text: str) -> int:
    """Cells on a terminal."""
    cells = 0
    for char in text:
        if not unicodedata.combining(char):
            cells += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return cells


def test_tables_line_up_whatever_the_script(gls: Tool) -> None:
    gls.write("e.csv", "0,1\n")
    kinds = ["论文", "a\u0308rzte", "plain"]
    flags = [f"--edges={kind}__to__{kind}=e.csv" for kind in kinds]
    gls.run("import", "text", *flags, "-o", "out")
    lines = gls.run("inspect", "out").stdout.splitlines()
    start = lines.index(next(line for line in lines if line.startswith("node type")))
    rows = lines[start : start + 5]
    assert len(rows) == 5 and all(kind in row for kind, row in zip(kinds, rows[2:]))
    # The count is the last but one column and flush right, so what follows begins in one cell.
    assert len({width(row[: row.rindex("-") if row[0] != "-" else None]) for row in rows[2:]}) == 1


def test_control_characters_do_not_reach_the_terminal(gls: Tool) -> None:
    gls.write("e.csv", '"\x1b[31mred",b\n')
    gls.run("import", "text", "--edges", "e.csv", "--ids", "string", "--header", "no", "-o", "out")
    assert "\x1b" not in gls.run("inspect", "out").stdout
    assert gls.json("inspect", "out")["node_types"][0]["first_key"] == "\x1b[31mred"


def test_verify(gls: Tool) -> None:
    make(gls)
    assert "ok" in gls.run("verify", "out").stdout
    document = gls.json("verify", "out")
    assert document["ok"] is True and document["path"] == "out"


def test_verify_finds_a_fault(gls: Tool) -> None:
    make(gls)
    indices = Folder(gls.folder / "out").edge_type()["csc"]["indices"]["file"]
    path = gls.folder / "out" / indices
    with open(path, "r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"\x63\0\0\0")
    assert "indices" in gls.error("verify", "out")
    document = gls.json("verify", "out", code=1)
    assert document["ok"] is False
    assert document["error"]["status"] == "GLS_ERR_CORRUPT_DATA"
    assert document["error"]["file"].endswith(indices)


def test_verify_names_the_file_of_a_folder_of_parts(gls: Tool) -> None:
    make(gls)
    gls.run("partition", "out", "p", "--parts", 2, "--method", "random")
    names = ["book/nodes-0.npy", "book/edges-0.npy", "partition.json", "part-1/manifest.json"]
    names += [
        str(path.relative_to(gls.folder / "p")) for path in gls.folder.glob("p/whole/**/*.npy")
    ]
    assert len(names) == 5
    for name in names:
        path = gls.folder / "p" / name
        good = path.read_bytes()
        json_text = good.replace(b'"created_by": "l', b'"created_by": "L', 1)
        path.write_bytes(json_text if name.endswith(".json") else good[:-1] + bytes([good[-1] ^ 1]))
        document = gls.json("verify", "p", code=1)
        assert document["error"]["status"] == "GLS_ERR_CORRUPT_DATA"
        assert document["error"]["file"] == f"p/{name}"
        path.write_bytes(good)
    assert gls.json("verify", "p")["ok"] is True


def test_missing_dataset(gls: Tool) -> None:
    for command in (
        ["inspect"],
        ["verify"],
        ["sample", "--seeds", "0", "--fanout", "1"],
        ["bench"],
    ):
        assert "nowhere" in gls.error(command[0], "nowhere", *command[1:])
    assert gls.json("inspect", "nowhere", code=1)["error"]["status"] == "GLS_ERR_NOT_FOUND"
    assert gls.json("verify", "nowhere", code=1)["error"]["status"] == "GLS_ERR_NOT_FOUND"


def test_settings(gls: Tool) -> None:
    document = gls.json("settings", "--setting", "memory.pool=3M")
    keys = [entry["key"] for entry in document]
    assert keys == sorted(keys) and "memory.pool" in keys
    for entry in document:
        assert set(entry) == {"key", "type", "default", "value", "env", "help"}
        assert entry["env"].startswith("GLS_")
        assert entry["value"] == ("3M" if entry["key"] == "memory.pool" else entry["default"])
    text = gls.run("settings", env=dict(os.environ, GLS_MEMORY_POOL="64M")).stdout
    (line,) = [line for line in text.splitlines() if line.startswith("memory.pool")]
    assert "64M" in line
    assert "no setting" in gls.error("settings", "--setting", "colour=red")
    said = gls.error("settings", "--setting", "memory.hugepages=true")
    assert 'did you mean "memory.huge_pages"?' in said
    assert "GLS_THREADS" in gls.error("settings", "--setting", "threads=3")


def test_version(gls: Tool) -> None:
    document = gls.json("version")
    assert document["command"] == document["library"]
    assert gls.run("version").stdout == "gls {0} (library {0})\n".format(document["library"])
