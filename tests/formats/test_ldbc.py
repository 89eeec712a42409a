"""gls import ldbc: folders of the Social Network Benchmark, and graphs of Graphalytics, by their
stated layouts."""

import numpy as np

from cli.conftest import Tool

from formats import golden

SNAPSHOT = "in/graphs/csv/bi/composite-merged-fk/initial_snapshot"
TIMES = ["2010-01-03T15:10:31.499+00:00", "2010-02-14T15:32:10.447+00:00"]
MILLISECONDS = [1262531431499, 1266161530447]


def write_part(tool: Tool, name: str, *lines: str, part: int = 0) -> None:
    folder = tool.folder / SNAPSHOT / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_SUCCESS").write_text("")
    text = "".join(line + "\n" for line in lines)
    (folder / f"part-0000{part}.csv").write_text(text, encoding="utf-8")


def test_the_social_network(tool: Tool) -> None:
    write_part(
        tool, "static/Place", "id|name|url|type|PartOfPlaceId",
        "0|India|u|Country|1", "1|Asia|u|Continent|", "7|Agra|u|City|0",
    )  # fmt: skip
    # Spark escapes a quote with a backslash.
    person = "creationDate|id|firstName|LocationCityId|language"
    write_part(tool, "dynamic/Person", person, rf'{TIMES[0]}|933|"A \"b\"|c"|7|si;en')
    write_part(tool, "dynamic/Person", person, f"{TIMES[1]}|17|C|7|en", part=1)
    comment = "creationDate|id|length|CreatorPersonId|ParentPostId|ParentCommentId"
    write_part(
        tool, "dynamic/Comment", comment,
        f"{TIMES[0]}|500|12|17||", f"{TIMES[1]}|501|30|933||500",
    )  # fmt: skip
    write_part(
        tool, "dynamic/Person_knows_Person", "creationDate|Person1Id|Person2Id",
        f"{TIMES[1]}|17|933",
    )  # fmt: skip
    tool.run("import", "ldbc", "in", "-o", "out")
    times = np.array(MILLISECONDS)
    comments = {"creationDate": times, "length": np.array([12, 30])}
    golden.save(
        tool.folder / "expected.npz",
        {
            "Place": {"count": 3, "keys": [0, 1, 7]},
            "Person": {"count": 2, "keys": [933, 17], "columns": {"creationDate": times}},
            "Comment": {"count": 2, "keys": [500, 501], "columns": comments},
        },
        {
            "Place__isPartOf__Place": {"source": [0, 7], "target": [1, 0]},
            "Person__isLocatedIn__Place": {"source": [933, 17], "target": [7, 7]},
            "Comment__hasCreator__Person": {"source": [500, 501], "target": [17, 933]},
            "Comment__replyOf__Comment": {"source": [501], "target": [500]},
            "Person__knows__Person": {
                "source": [17],
                "target": [933],
                "columns": {"creationDate": times[1:]},
            },
        },
    )
    golden.check(tool.folder / "out", tool.folder / "expected.npz")
    recipe = tool.run("import", "ldbc", SNAPSHOT, "--dry-run").stdout
    assert '"ParentPostId" of Comment is left out: there is no Post.' in recipe


def test_graphalytics(tool: Tool) -> None:
    tool.write(
        "g.properties",
        "graph.g.vertex-file = g.v\ngraph.g.edge-file = g.e\ngraph.g.directed = true\n"
        "graph.g.edge-properties.names = weight\ngraph.g.edge-properties.types = real\n",
    )
    tool.write("g.v", "2\n10\n5\n")
    tool.write("g.e", "2 10 0.5\n10 5 1\n")
    tool.run("import", "ldbc", "g.properties", "-o", "out")
    golden.save(
        tool.folder / "expected.npz",
        {"node": {"count": 3, "keys": [2, 10, 5]}},
        {
            "node__to__node": {
                "source": [2, 10],
                "target": [10, 5],
                "columns": {"weight": np.array([0.5, 1])},
            }
        },
    )
    golden.check(tool.folder / "out", tool.folder / "expected.npz")
    properties = (tool.folder / "g.properties").read_text()
    tool.write("g.properties", properties.replace("true", "false"))
    tool.run("import", "ldbc", ".", "-o", "out", "--overwrite")
    assert tool.json("inspect", "out")["edge_types"][0]["num_edges"] == 4


def test_bad_folders(tool: Tool) -> None:
    (tool.folder / "in").mkdir()
    assert "expected a folder" in tool.error("import", "ldbc", "in", "-o", "out")
    write_part(tool, "static/Place", "id|name")
    write_part(tool, "dynamic/Place_near_Place", "a|b")
    assert 'no field "Place1Id"' in tool.error("import", "ldbc", "in", "-o", "out")
