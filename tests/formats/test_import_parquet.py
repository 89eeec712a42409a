"""gls import parquet: files, folders and patterns, fields, partitions, and damaged files."""

import datetime
import random
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

from cli.conftest import Tool


def column(tool: Tool, kind: str, type: str, name: str) -> Any:
    return np.load(tool.folder / "out" / kind / type / "columns" / f"{name}.npy")


def import_edges(tool: Tool, path: str) -> None:
    table = f"n__e__n={path}:src=s,dst=t"
    tool.run("import", "parquet", "-o", "out", "--overwrite", "--edges", table)


def described(tool: Tool) -> Dict[str, Any]:
    tool.run("verify", "out")
    types: Dict[str, Any] = tool.json("inspect", "out")
    return types


def test_a_graph_of_two_tables(tool: Tool) -> None:
    parquet.write_table(
        pa.table(
            {
                "user_id": ["carol", "alice", "bob"],
                "age": pa.array([30, 20, 40], pa.int16()),
                "part": ["train", None, "test"],
                "comment": ["", "x", "y"],
            }
        ),
        tool.folder / "users.parquet",
    )
    parquet.write_table(
        pa.table(
            {
                "item": [7, 9, 7],
                "user": ["bob", "bob", "alice"],
                "ts": pa.array([1, 2, 3], pa.timestamp("us")),
            }
        ),
        tool.folder / "buys.parquet",
    )
    tool.run(
        "import", "parquet", "-o", "out", "--ids", "item=integer",
        "--nodes", "user=users.parquet:key=user_id,label=age->years,split=part",
        "--edges", "user__buys__item=buys.parquet:src=user,dst=item,time=ts",
    )  # fmt: skip
    assert column(tool, "nodes", "user", "years").tolist() == [30, 20, 40]
    assert column(tool, "edges", "user__buys__item", "ts").tolist() == [1, 2, 3]
    shown = str(described(tool))
    assert "tsu:" in (tool.folder / "out" / "manifest.json").read_text()
    assert "'train'" in shown and "'test'" in shown and "'comment'" not in shown
    drawn = tool.json("sample", "out", "--type", "item", "--keys", "7", "--fanout", "9")
    assert drawn["nodes"]["user"]["node"] == [2, 1]  # bob, then alice


def test_patterns_and_folders_are_read_in_the_order_of_names(tool: Tool) -> None:
    folder = tool.folder / "parts"
    (folder / "b").mkdir(parents=True)
    for name, value in (("b/1", 3), ("a", 1), ("b/0", 2), ("c", 4)):
        parquet.write_table(
            pa.table({"s": [0], "t": [1], "x": [value]}), folder / f"{name}.parquet"
        )
    (folder / "_SUCCESS").write_text("")
    (folder / ".a.parquet.crc").write_text("no table")
    (folder / "notes.txt").write_text("no table either")
    for path, expected in (
        ("parts", [1, 2, 3, 4]),
        ("parts/*.parquet", [1, 4]),
        ("p*/b/[0-9]*", [2, 3]),
    ):
        import_edges(tool, path)
        assert column(tool, "edges", "n__e__n", "x").tolist() == expected


def test_partitions_of_hive_are_fields(tool: Tool) -> None:
    for day, city, value in ((1, "Köln", 5), (2, "a=b c", 6), (10, "z", 7)):
        where = tool.folder / "table" / f"day={day}" / f"city={city.replace(' ', '%20')}"
        where.mkdir(parents=True)
        parquet.write_table(pa.table({"s": [0], "t": [0], "x": [value]}), where / "0.parquet")
    tool.run(
        "import", "parquet", "-o", "out", "--ids", "place=string",
        "--edges", "n__in__place=table:src=s,dst=city,time=day,feature=x",
    )  # fmt: skip
    # In the order of the names of folders: 1, 10, 2.
    assert column(tool, "edges", "n__in__place", "day").tolist() == [1, 10, 2]
    assert column(tool, "edges", "n__in__place", "x").tolist() == [5, 7, 6]
    drawn = tool.json("sample", "out", "--type", "place", "--keys", "Köln", "--fanout", "9")
    assert drawn["nodes"]["place"]["node"] == [0]  # before "a=b c" and "z"
    assert drawn["nodes"]["n"]["node"] == [0]


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
def test_row_groups_are_read_in_order_by_any_number_of_threads(
    tool: Tool, compression: str
) -> None:
    rows = 30_000
    order = np.random.default_rng(1).permutation(rows)
    table = pa.table(
        {
            "s": order,
            "t": order[::-1],
            "half": order.astype(np.float16),
            "list": pa.FixedSizeListArray.from_arrays(pa.array(np.arange(2 * rows) % 251), 2),
        }
    )
    parquet.write_table(
        table, tool.folder / "edges.parquet", row_group_size=700, compression=compression
    )
    for threads in (1, 3):
        tool.run(
            "import", "parquet", "-o", "out", "--overwrite", "--threads", threads,
            "--edges", "n__e__n=edges.parquet:src=s,dst=t,feature=half,feature=list",
        )  # fmt: skip
        np.testing.assert_array_equal(
            column(tool, "edges", "n__e__n", "half"), order.astype(np.float16)
        )
        np.testing.assert_array_equal(
            column(tool, "edges", "n__e__n", "list").ravel(), np.arange(2 * rows) % 251
        )


def test_feather_and_ipc_files(tool: Tool) -> None:
    table = pa.table({"s": [0, 1], "t": [1, 2], "day": [datetime.date(2024, 1, 1)] * 2})
    feather.write_feather(table, tool.folder / "a.feather", compression="zstd")
    with pa.ipc.new_file(tool.folder / "b.arrow", table.schema) as out:
        out.write_table(table)
    for file in ("a.feather", "b.arrow"):
        import_edges(tool, file)
        assert column(tool, "edges", "n__e__n", "day").tolist() == [19723, 19723]


def test_what_is_refused(tool: Tool) -> None:
    parquet.write_table(
        pa.table({"user": ["a"], "item": ["b"], "x": [1]}), tool.folder / "a.parquet"
    )
    parquet.write_table(pa.table({"user": [1], "item": ["b"], "x": [1]}), tool.folder / "b.parquet")
    parquet.write_table(pa.table({"user": ["a"], "x": [1]}), tool.folder / "c.parquet")
    tool.write("orc", "ORC...")
    tool.write("text.csv", "a,b\n")

    def error(table: str, code: int = 1) -> str:
        return tool.error(
            "import", "parquet", "-o", "out", "--edges", f"u__b__i={table}", code=code
        )

    ends = "src=user,dst=item"
    assert error(f"none.parquet:{ends}") == "none.parquet: No such file or directory (os error 2)"
    assert error(f"z*:{ends}") == "z*: there is no file of Parquet or Arrow"
    assert 'no field "users"' in error("a.parquet:src=users,dst=item")
    assert 'did you mean "user"' in error("a.parquet:src=usr,dst=item")
    assert 'b.parquet: field "user" has values of Int64' in error(f"[ab].parquet:{ends}")
    assert 'c.parquet: there is no field "item"' in error(f"[ac].parquet:{ends}")
    assert error(f"orc:{ends}") == "orc: the file is ORC; expected Parquet or Arrow IPC"
    assert "the file is of another kind" in error(f"text.csv:{ends}")
    assert 'field "user" has values of' in error(f"a.parquet:src=item,dst=item,feature=user")
    assert "name the fields of both ends" in error("a.parquet:src=user", code=2)
    assert 'did you mean "weight"' in error(f"a.parquet:{ends},wieght=x", code=2)
    assert not (tool.folder / "out").exists()
    missing = tool.run(
        "import", "parquet", "-o", "out", "--edges", f"u__b__i=a.parquet:{ends}",
        code=1, env={"GLS_PLUGIN_PATH": ""},
    )  # fmt: skip
    assert "libgls_formats.so was not found" in missing.stderr


def test_damaged_files_are_errors_in_bounded_time(tool: Tool) -> None:
    table = pa.table({"s": list(range(2000)), "t": list(range(2000)), "x": ["text"] * 2000})
    parquet.write_table(table, tool.folder / "good.parquet", row_group_size=500)
    feather.write_feather(table, tool.folder / "good.feather", compression="lz4")
    draw = random.Random(5)
    for name in ("good.parquet", "good.feather"):
        whole = (tool.folder / name).read_bytes()
        damaged: List[bytes] = [whole[:-1], whole[: len(whole) // 2], whole[:12], whole + b"x" * 9]
        for _ in range(40):
            at = draw.randrange(6, len(whole))
            damaged.append(
                whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1 :]
            )
        failed = 0
        for data in damaged:
            (tool.folder / "bad").write_bytes(data)
            done = subprocess.run(
                tool.command("import", "parquet", "-o", "out", "--overwrite", "--edges",
                             "n__e__n=bad:src=s,dst=t", "--num-nodes", "2000"),
                cwd=tool.folder, capture_output=True, text=True, timeout=60,
            )  # fmt: skip
            # A flipped bit of a number is a number; all else is one line that names the file.
            assert done.returncode in (0, 1), done
            failed += done.returncode
            if done.returncode == 1:
                lines = done.stderr.splitlines()
                assert len(lines) == 1 and lines[0].startswith("gls: bad: "), done.stderr
        assert failed >= 10
