"""gls import text: delimited files, compressed files, ids of every kind."""

import bz2
import ctypes
import gzip
import lzma
import os
import shutil
from pathlib import Path

import numpy as np
from conftest import Tool
from folder import Folder


def test_plain(gls: Tool) -> None:
    gls.write("e.txt", "# a comment\n0 1\n2\t1\n1 0\n")
    gls.run("import", "text", "--edges", "e.txt", "-o", "out")
    folder = Folder(gls.folder / "out")
    assert folder.edges() == [(0, 1), (2, 1), (1, 0)]
    assert not gls.json("inspect", "out")["node_types"][0]["has_keys"]


def test_gzip_header_fields_and_columns(gls: Tool) -> None:
    text = "when;from;to;weight\n5;0;1;0.5\n6;1;2;1.5\n7;0;2;2.5\n"
    (gls.folder / "e.csv.gz").write_bytes(gzip.compress(text.encode()))
    gls.run(
        *["import", "text", "--edges", "e.csv.gz", "-o", "out", "--layout", "both"],
        *["--source-field", "from", "--target-field", "to"],
        *["--column", "weight:float32:weight", "--column", "#0:t:int64:time"],
        *["--column", "weight:copy:float64"],
    )
    folder = Folder(gls.folder / "out")
    assert folder.edges() == folder.edges(layout="csr") == [(0, 1), (1, 2), (0, 2)]
    role, weight = folder.edge_column("weight")
    assert role == "weight" and weight.dtype == np.float32 and weight.tolist() == [0.5, 1.5, 2.5]
    role, when = folder.edge_column("t")
    assert role == "time" and when.dtype == np.int64 and when.tolist() == [5, 6, 7]
    role, copy = folder.edge_column("copy")
    assert role == "feature" and copy.dtype == np.float64 and copy.tolist() == [0.5, 1.5, 2.5]


def test_undirected_doubles_columns(gls: Tool) -> None:
    gls.write("e.csv", "0,1,3\n1,2,4\n")
    gls.run(
        *["import", "text", "--edges", "e.csv", "--undirected", "--column", "#2:w:int32"],
        *["-o", "out"],
    )
    folder = Folder(gls.folder / "out")
    assert folder.edges() == [(0, 1), (1, 2), (1, 0), (2, 1)]
    assert folder.edge_column("w")[1].tolist() == [3, 4, 3, 4]


def test_delimiter_comment_and_header(gls: Tool) -> None:
    gls.write("e.txt", "!no edge\na:b\n1:0\n0:2\n")
    gls.run(
        *["import", "text", "--edges", "e.txt", "--delimiter", ":", "--comment", "!"],
        *["--header", "yes", "-o", "out"],
    )
    assert Folder(gls.folder / "out").edges() == [(1, 0), (0, 2)]
    gls.write("tab.txt", "1\t0\n")
    gls.run("import", "text", "--edges", "tab.txt", "--delimiter", "tab", "-o", "out2")
    assert Folder(gls.folder / "out2").edges() == [(1, 0)]


def test_integer_ids(gls: Tool) -> None:
    gls.write("e.txt", "700 -5\n12 700\n")
    gls.run("import", "text", "--edges", "e.txt", "--ids", "integer", "-o", "out")
    assert Folder(gls.folder / "out").edges() == [(2, 0), (1, 2)]
    (node_type,) = gls.json("inspect", "out")["node_types"]
    assert (node_type["first_key"], node_type["last_key"]) == ("-5", "700")


def test_string_ids_of_two_types(gls: Tool) -> None:
    gls.write("writes.csv", 'author,paper\n"Šafařík, J.",p2\nBo,p1\nBo,p2\n')
    gls.run(
        *["import", "text", "--edges", "author__writes__paper=writes.csv", "-o", "out"],
        *["--ids", "author=string", "--ids", "paper=string", "--header", "yes"],
    )
    assert Folder(gls.folder / "out").edges("author__writes__paper") == [(1, 1), (0, 0), (0, 1)]
    types = {entry["name"]: entry for entry in gls.json("inspect", "out")["node_types"]}
    assert types["author"]["last_key"] == "Šafařík, J."
    found = gls.json("sample", "out", "--keys", "paper:p2", "--fanout", "-1")
    assert found["nodes"]["author"]["node"] == [1, 0]
    shown = gls.run("sample", "out", "--keys", "paper:p2", "--fanout", "-1").stdout
    assert "Šafařík, J." in shown


def test_listed_nodes(gls: Tool) -> None:
    gls.write("nodes.csv", "name,size,kind\nc,1.5,0\na,2.5,1\nb,3.5,1\n")
    gls.write("e.csv", "b,a\nc,b\n")
    gls.run(
        *["import", "text", "--edges", "e.csv", "--nodes", "nodes.csv", "--ids", "string"],
        *["--node-column", "size:float32", "--node-column", "kind:y:int64:label"],
        *["--header", "no", "-o", "out"],
        code=1,  # there is no header to find "size" in
    )
    gls.write("e.csv", "from,to\nb,a\nc,b\n")
    gls.run(
        *["import", "text", "--edges", "e.csv", "--nodes", "node=nodes.csv", "--ids", "string"],
        *["--node-column", "size:float32", "--node-column", "kind:y:int64:label"],
        *["--key-field", "name", "--source-field", "from", "--target-field", "to", "-o", "out"],
    )
    folder = Folder(gls.folder / "out")
    assert folder.edges() == [(2, 1), (0, 2)]
    assert folder.node_column("size")[1].tolist() == [1.5, 2.5, 3.5]
    role, kinds = folder.node_column("y")
    assert role == "label" and kinds.tolist() == [0, 1, 1]
    assert gls.json("inspect", "out")["node_types"][0]["first_key"] == "c"


def test_a_guessed_header_is_said(gls: Tool) -> None:
    gls.write("e.csv", "b,a\nc,b\n")
    command = ["import", "text", "--edges", "e.csv", "--ids", "string"]
    said = gls.run(*command, "-o", "out").stderr
    assert said.startswith("gls: warning: ") and "e.csv:1" in said
    assert gls.run(*command, "--header", "no", "-o", "out2").stderr == ""
    assert Folder(gls.folder / "out2").edges() == [(1, 0), (2, 1)]


def test_lines_that_look_like_comments(gls: Tool) -> None:
    gls.write("e.csv", "a,b\n#c,b\n%d,a\n")
    command = ["import", "text", "--edges", "e.csv", "--ids", "string", "--header", "no"]
    said = gls.run(*command, "-o", "out").stderr
    assert said.startswith("gls: warning: ") and "e.csv: 2 lines" in said
    assert gls.run(*command, "--comment", "none", "-o", "all").stderr == ""
    assert len(Folder(gls.folder / "all").edges()) == 3
    gls.error(*command, "--comment", "nothing", "-o", "out2", code=2)


def test_a_damaged_first_line_is_no_header(gls: Tool) -> None:
    gls.write("e.txt", "0 1x\n1 2\n")
    document = gls.json("import", "text", "--edges", "e.txt", "-o", "out", code=1)
    assert document["error"]["line"] == "1"


def test_an_id_too_large_for_the_disk(gls: Tool) -> None:
    gls.write("e.txt", "0 1\n0 60000000000000\n")
    command = ["import", "text", "--edges", "e.txt", "--num-nodes", 60000000000001]
    said = gls.error(*command, "-o", "out")
    assert "takes at least 480000.0 GB" in said and "left" in said


def test_far_more_nodes_than_ids(gls: Tool) -> None:
    gls.write("e.csv", "0,2000000\n")
    command = ["import", "text", "--edges", "e.csv"]
    said = gls.error(*command, "-o", "out")
    assert "2000001 nodes by the largest id" in said and "num_nodes" in said
    gls.run(*command, "--ids", "integer", "-o", "few")
    assert gls.json("inspect", "few")["node_types"][0]["num_nodes"] == 2
    gls.run(*command, "--num-nodes", 2000001, "-o", "all")
    assert gls.json("inspect", "all")["node_types"][0]["num_nodes"] == 2000001
    gls.run(*command, "--num-nodes", "node=2000001", "--overwrite", "-o", "all")


def test_line_ends_and_numbers_of_fields(gls: Tool) -> None:
    command = ["import", "text", "--edges", "e.csv", "--ids", "string", "--header", "no"]
    for text, line, words in (
        ("a,b\rb,c\rc,a\r", 1, "carriage return"),
        ("Bo,p1\nSmith, J,x\n", 2, "3 fields, expected 2"),
        ('5" disk,drive\n3",slot,x\n', 2, "3 fields, expected 2"),
        ('a,b\nc,"d\n', 2, "a quote is not closed"),
    ):
        (gls.folder / "e.csv").write_bytes(text.encode())
        assert f"e.csv:{line}: " in gls.error(*command, "-o", "out")
        document = gls.json(*command, "-o", "out", code=1)
        assert document["error"]["line"] == str(line) and words in document["error"]["message"]
        assert not (gls.folder / "out").exists()
    gls.write("e.csv", "a,b\nb,c,x\n")
    gls.run(*command, "--ragged", "-o", "out")
    assert Folder(gls.folder / "out").edges() == [(0, 1), (1, 2)]


def test_encodings(gls: Tool) -> None:
    command = ["import", "text", "--edges", "e.csv", "--ids", "string", "--header", "no"]
    edges = gls.folder / "e.csv"
    edges.write_bytes("café,b\n".encode("latin-1"))
    said = gls.error(*command, "-o", "out")
    assert "e.csv:1: " in said and "UTF-8" in said and "latin-1" in said
    gls.run(*command, "--encoding", "latin-1", "-o", "latin")
    edges.write_bytes("café,b\n".encode("utf-16"))
    gls.run(*command, "-o", "marked")
    edges.write_bytes("café,b\n".encode("utf-16-be"))
    gls.run(*command, "--encoding", "utf-16", "-o", "unmarked")
    for folder in ("latin", "marked", "unmarked"):
        assert gls.json("inspect", folder)["node_types"][0]["last_key"] == "café"
        gls.run("verify", folder)
    gls.error(*command, "--encoding", "cp1252", "-o", "out", code=2)


def zstd(text: bytes) -> bytes:
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(len(text) + 200)
    given = [ctypes.c_size_t(len(out)), text, ctypes.c_size_t(len(text)), 3]
    size = library.ZSTD_compress(out, *given)
    return out.raw[:size]


def test_compressed_files(gls: Tool) -> None:
    parts = [b"when,from,to\n5,0,1\n", b"6,1,", b"2\n7,0,2\n"]
    for name, compress in (("gzip", gzip.compress), ("zstd", zstd), ("bzip2", bz2.compress)):
        packed = b"".join(compress(part) for part in parts)
        (gls.folder / "e.csv").write_bytes(packed)
        command = ["import", "text", "--edges", "e.csv", "--source-field", "from"]
        command += ["--target-field", "to", "--column", "when:int64:time"]
        gls.run(*command, "-o", name)
        folder = Folder(gls.folder / name)
        assert folder.edges() == [(0, 1), (1, 2), (0, 2)]
        assert folder.edge_column("when")[1].tolist() == [5, 6, 7]
        (gls.folder / "e.csv").write_bytes(packed[:-3])
        document = gls.json(*command, "-o", "out", code=1)
        assert document["error"]["status"] == "GLS_ERR_CORRUPT_DATA"
        assert document["error"]["file"] == "e.csv"
        assert f"damaged {name} data: the file ends too early" in document["error"]["message"]
        assert not (gls.folder / "out").exists()


def test_other_compressions_are_named(gls: Tool) -> None:
    text = b"0 1\n1 2\n"
    for packed, words in (
        (lzma.compress(text), "compressed with xz; decompress it first (xz -d)"),
        (gzip.compress(bz2.compress(text)), "compressed twice, the first time with bzip2"),
    ):
        (gls.folder / "e.txt").write_bytes(packed)
        said = gls.error("import", "text", "--edges", "e.txt", "-o", "out")
        assert f"e.txt: the file is {words}" in said


def test_weights_must_be_some(gls: Tool) -> None:
    for bad in ("nan", "inf", "-1"):
        gls.write("e.csv", f"0,1,2\n1,2,{bad}\n")
        command = ["import", "text", "--edges", "e.csv", "-o", "out"]
        said = gls.error(*command, "--column", "#2:w:float32:weight")
        assert f'e.csv:2: field #2: the weight "{bad}" is negative or not finite' in said
    gls.run(*command, "--column", "#2:w:float32")


def test_a_list_of_dense_ids_is_in_their_order(gls: Tool) -> None:
    gls.write("e.csv", "0,1\n")
    gls.write("n.csv", "1\n0\n")
    command = ["import", "text", "--edges", "e.csv", "--nodes", "n.csv"]
    said = gls.error(*command, "-o", "out")
    assert "n.csv:1: node id 1 is number 0 of the list" in said and "integer ids" in said
    gls.run(*command, "--ids", "integer", "-o", "out")
    assert Folder(gls.folder / "out").edges() == [(1, 0)]
    gls.write("n.csv", "0\n1\n")
    gls.run(*command, "--ids", "dense", "-o", "dense")
    assert Folder(gls.folder / "dense").edges() == [(0, 1)]


def test_misspelt_types_are_not_new_ones(gls: Tool) -> None:
    gls.write("e.csv", "0,1\n")
    gls.write("n.csv", "0\n1\n")
    edges = ["import", "text", "--edges", "author__writes__paper=e.csv", "-o", "out"]
    for option, value in (
        ("--nodes", "papre=n.csv"),
        ("--ids", "papre=string"),
        ("--num-nodes", "papre=2"),
    ):
        said = gls.error(*edges, option, value, code=2)
        assert option in said and '"papre"; did you mean "paper"?' in said
    # Two edge types that were hardly meant to have different nodes.
    said = gls.run(*edges, "--edges", "papre__cites__paper=e.csv").stderr
    assert said.startswith("gls: warning: ") and '"papre"' in said and '"paper"' in said
    plain = ["import", "text", "--edges", "t1__to__t2=e.csv", "-o", "numbered"]
    assert gls.run(*plain).stderr == ""


def test_damaged_line(gls: Tool) -> None:
    gls.write("e.txt", "0 1\n1 2\n3\n")
    said = gls.error("import", "text", "--edges", "e.txt", "-o", "out")
    assert "e.txt" in said and "3" in said
    document = gls.json("import", "text", "--edges", "e.txt", "-o", "out", code=1)
    assert document["error"]["status"] == "GLS_ERR_CORRUPT_DATA"
    assert "e.txt" in document["error"]["file"]
    assert not (gls.folder / "out").exists()


def test_wrong_usage(gls: Tool) -> None:
    start = ["import", "text", "--edges", "e.txt", "-o", "out"]
    for flags in (
        ["--column", "weight"],
        ["--column", "a:b:c:d:e"],
        ["--column", "a:floaty"],
        ["--column", "a:b:float32:role"],
        ["--ids", "words"],
        ["--ids", "person=string"],
        ["--delimiter", "ab"],
        ["--header", "maybe"],
        ["--nodes", "n.txt", "--nodes", "m.txt"],
        ["--edges", "f.txt"],
    ):
        gls.error(*start, *flags, code=2)
    gls.error("import", "text", "-o", "out", code=2)


def file_of(library: str) -> str:
    """The file of a library of the system."""
    ctypes.CDLL(library)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return next(
            line.split()[-1] for line in maps if Path(line.split()[-1]).name.startswith(library)
        )


def test_a_library_without_the_functions_is_named(gls: Tool) -> None:
    libraries = gls.folder / "libraries"
    libraries.mkdir()
    for compress, library, other, command in (
        (zstd, "libzstd.so.1", "libbz2.so.1.0", "zstd -d"),
        (bz2.compress, "libbz2.so.1.0", "libzstd.so.1", "bzip2 -d"),
    ):
        (gls.folder / "e.csv").write_bytes(compress(b"0,1\n"))
        shutil.copy(file_of(other), libraries / library)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
        failed = gls.run("import", "text", "--edges", "e.csv", "-o", "out", code=1, env=environment)
        assert library in failed.stderr
        assert f"install the library, or decompress the file first ({command})" in failed.stderr
        (libraries / library).unlink()
