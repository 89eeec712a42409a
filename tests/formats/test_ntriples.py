"""gls import ntriples: predicates as edge types or as a column, and damaged files."""

from cli.conftest import Tool

from formats import golden

FOLDER = golden.GOLDEN / "ntriples"


def test_the_golden_files(tool: Tool) -> None:
    tool.run("import", "ntriples", FOLDER / "graph.nt", "-o", "out")
    golden.check(tool.folder / "out", FOLDER / "each.npz")
    single = ["--choose", "predicates=single"]
    tool.run("import", "ntriples", FOLDER / "graph.nq", "-o", "out", "--overwrite", *single)
    golden.check(tool.folder / "out", FOLDER / "single.npz")


def test_a_folder_of_files(tool: Tool) -> None:
    tool.write("b.nt", "<x> <p> <y> .\n")
    tool.write("a.nt", "<y> <p> <z> .\n")
    tool.run("import", "ntriples", ".", "-o", "out")
    golden.save(
        tool.folder / "expected.npz",
        {"entity": {"count": 3, "keys": ["x", "y", "z"]}},
        {"entity__p__entity": {"source": ["y", "x"], "target": ["z", "y"]}},
    )
    golden.check(tool.folder / "out", tool.folder / "expected.npz")


def test_many_predicates(tool: Tool) -> None:
    tool.write("a.nt", "".join(f"<s> <http://x/p{i}> <o{i}> .\n" for i in range(100)))
    recipe = tool.run("import", "ntriples", "a.nt", "--dry-run").stdout
    assert "entity__to__entity" in recipe and "relation 99 is <http://x/p99>." in recipe
    tool.run("import", "ntriples", "a.nt", "-o", "out")
    tool.run("verify", "out")


def test_damaged_files(tool: Tool) -> None:
    good = (FOLDER / "graph.nt").read_text(encoding="utf-8")
    tool.write("a.nt", good + "<a> <b> <c>\n")
    assert "line 8: expected '.'" in tool.error("import", "ntriples", "a.nt", "-o", "out")
    tool.write("a.nt", '<a> <b> "c" .\n')
    assert "no triple" in tool.error("import", "ntriples", "a.nt", "-o", "out")
    choice = ["--choose", "predicates=all"]
    assert "single, each" in tool.error("import", "ntriples", "a.nt", "-o", "out", *choice)
