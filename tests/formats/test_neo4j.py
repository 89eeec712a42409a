"""gls import neo4j: folders as the manual of neo4j-admin import describes them."""

import numpy as np

from cli.conftest import Tool

from formats import golden


def write_movies(tool: Tool) -> None:
    (tool.folder / "in").mkdir()
    tool.write("in/movies-header.csv", "movieId:ID(Movie),title,year:int,score:double,:LABEL\n")
    tool.write("in/movies-part1.csv", 'tt01,"A, ""b""",1999,0.5,Movie\n')
    tool.write("in/movies-part2.csv", "tt2,C,2003,-1,Movie;Sequel\ntt3,D,2003,2.25,Movie\n")
    tool.write("in/actors.csv", 'personId:ID(Person),name\n007,"Keanu, R."\nann,Ann\n')
    tool.write(
        "in/roles.csv",
        ":START_ID(Person);w:float;:END_ID(Movie);:TYPE\n"
        "007;1.5;tt01;ACTED_IN\nann;2;tt3;ACTED_IN\n",
    )


def test_a_folder(tool: Tool) -> None:
    write_movies(tool)
    tool.run("import", "neo4j", "in", "-o", "out")
    years = np.array([1999, 2003, 2003], np.int32)
    columns = {"year": years, "score": np.array([0.5, -1, 2.25])}
    golden.save(
        tool.folder / "expected.npz",
        {
            "Movie": {"count": 3, "keys": ["tt01", "tt2", "tt3"], "columns": columns},
            "Person": {"count": 2, "keys": ["007", "ann"]},
        },
        {
            "Person__ACTED_IN__Movie": {
                "source": ["007", "ann"],
                "target": ["tt01", "tt3"],
                "columns": {"w": np.array([1.5, 2], np.float32)},
            }
        },
    )
    golden.check(tool.folder / "out", tool.folder / "expected.npz")


def test_missing_properties_need_a_number(tool: Tool) -> None:
    (tool.folder / "in").mkdir()
    tool.write("in/a.csv", ":ID,x:int,on:boolean\nu,1,true\nv,,false\n")
    tool.write("in/e.csv", ":START_ID,:END_ID\nu,v\n")
    assert "x" in tool.error("import", "neo4j", "in", "-o", "out")
    tool.run("import", "neo4j", "in", "-o", "out", "--choose", "fill=-1")
    columns = {"x": np.array([1, -1], np.int32), "on": np.array([True, False])}
    golden.save(
        tool.folder / "expected.npz",
        {"node": {"count": 2, "keys": ["u", "v"], "columns": columns}},
        {"node__e__node": {"source": ["u"], "target": ["v"]}},
    )
    golden.check(tool.folder / "out", tool.folder / "expected.npz")


def test_damaged_folders(tool: Tool) -> None:
    write_movies(tool)
    tool.write("in/roles.csv", ":START_ID(Person);:END_ID(Movie)\n007;tt9\n")
    assert "tt9" in tool.error("import", "neo4j", "in", "-o", "out")
    (tool.folder / "in" / "roles.csv").unlink()
    assert ":START_ID" in tool.error("import", "neo4j", "in", "-o", "out")
    assert "expected a folder" in tool.error("import", "neo4j", "in/actors.csv", "-o", "out")
