"""gls export: what is written is imported again and compared."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import gls
from cli.conftest import Tool

from . import export_sample
from .golden import same

FORMATS = ["parquet", "graphbolt", "pyg", "dgl"]
WHOLE = "dataset"


def made(tool: Tool, sample: Any, *options: str) -> str:
    """A dataset of a sample, in the tool's folder."""
    recipe = export_sample.write_recipe(tool.folder / "arrays", sample)
    tool.run("import", "recipe", recipe, *options, "-o", WHOLE)
    return WHOLE


def again(tool: Tool, format: str, path: str) -> gls.Dataset:
    """The dataset of an export."""
    read = {"parquet": "recipe"}.get(format, format)
    where = {"parquet": f"{path}/recipe.yaml", "dgl": f"{path}/graph.json"}.get(format, path)
    if not (tool.folder / where).exists():
        where = path
    tool.run("import", read, where, "-o", f"{path}-again")
    tool.run("verify", f"{path}-again")
    return gls.Dataset.open(str(tool.folder / f"{path}-again"))


def table(stream: Any) -> pa.Table:
    return pa.table(stream)


def compare(found: gls.Dataset, expected: gls.Dataset) -> None:
    """Everything that a dataset has, but for its layouts and the padding of rows."""
    assert found.metadata() == expected.metadata()
    for type in expected.node_types:
        assert found.num_nodes(type) == expected.num_nodes(type)
        assert found.has_keys(type) == expected.has_keys(type)
        assert found.id_sets(type) == expected.id_sets(type)
        for name in expected.id_sets(type):
            sets = [dataset.id_set(name, type).numpy() for dataset in (found, expected)]
            same(f"{type}.{name}", *sets)
        compare_columns(found.node_columns(type), expected.node_columns(type))
        for name in expected.node_columns(type):
            rows = [dataset.node_column(name, type).numpy() for dataset in (found, expected)]
            same(f"{type}.{name}", *rows)
        rows = [sorted_fields(dataset.nodes_to_arrow(type)) for dataset in (found, expected)]
        assert rows[0].equals(rows[1])
    for edge in expected.edge_types:
        compare_columns(found.edge_columns(edge), expected.edge_columns(edge))
        rows = [sorted_fields(dataset.edges_to_arrow(edge)) for dataset in (found, expected)]
        assert rows[0].equals(rows[1])
        for name in expected.edge_columns(edge):
            rows = [dataset.edge_column(name, edge).numpy() for dataset in (found, expected)]
            same(f"{edge}.{name}", *rows)


def sorted_fields(stream: Any) -> pa.Table:
    rows = pa.table(stream)
    return rows.select(sorted(rows.column_names))


def compare_columns(found: Dict[str, gls.Column], expected: Dict[str, gls.Column]) -> None:
    assert set(found) == set(expected)
    for name, column in expected.items():
        assert found[name]._replace(row_stride=0) == column._replace(row_stride=0)


def rich(folder: Path) -> gls.Dataset:
    """Keys of both kinds, codes, times, padded rows, empty types and sets."""
    random = np.random.default_rng(5)
    builder = gls.DatasetBuilder()
    day = datetime.datetime(2020, 2, 29, 12, 30, 15, 123456, tzinfo=datetime.timezone.utc)
    moments = [day + datetime.timedelta(hours=i) for i in range(7)]
    users = {
        "name": pa.array(["ä", "b", "c d", "#d", "e,f", "001", "g"]),
        "seen": pa.array(moments, pa.timestamp("us", "UTC")),
        "second": pa.array([int(m.timestamp()) for m in moments], pa.timestamp("s")),
        "born": pa.array([m.date() for m in moments], pa.date32()),
        "span": pa.array(range(7), pa.duration("ns")),
        "clock": pa.array(range(7), pa.time32("ms")),
        "odd": pa.FixedSizeListArray.from_arrays(pa.array(random.random(21, np.float32)), 3),
        "flag": pa.array([True, False] * 3 + [True]),
    }
    columns = [name for name in users if name != "name"]
    builder.add_nodes_arrow("user", pa.table(users), key="name", columns=columns)
    items = pa.table(
        {
            "key": pa.array([900, -3, 17, 2**60]),
            "u": pa.array([1, 2, 3, 2**64 - 1], pa.uint64()),
        }
    )
    builder.add_node_type("item", 0, ids="integer")
    builder.add_nodes_arrow("item", items, key="key", columns={"u": "other"})
    builder.add_node_type("nothing", 0)
    builder.add_node_type("plain", 3)
    ends = {
        "from": pa.array(["g", "b", "c d", "ä", "g", "#d"]),
        "to": pa.array([17, 17, 900, 2**60, -3, -3]),
        "weight": pa.array(random.random(6)),
    }
    builder.add_edges_arrow(
        "user__likes it__item",
        pa.table(ends),
        source="from",
        target="to",
        columns={"weight": "weight"},
    )
    builder.add_edges("plain__to__nothing", np.zeros(0, np.int64), np.zeros(0, np.int64))
    packed = random.integers(0, 256, (3, 2)).astype(np.uint8)
    codes = gls.Codes(packed, 4, 3, codebook=[i / 3 for i in range(16)])
    builder.add_node_column("plain", "small", codes)
    edge_codes = gls.Codes(random.integers(0, 256, (6, 1)).astype(np.uint8), 2, 4, low=-1, high=2)
    builder.add_edge_column("user__likes it__item", "codes", edge_codes)
    builder.add_node_column("plain", "half", random.random((3, 2, 5)).astype(np.float16))
    builder.add_id_set("user", "train", np.array([6, 0, 3]))
    builder.add_id_set("user", "none", np.array([], np.int64))
    builder.write(str(folder))
    return gls.Dataset.open(str(folder))


@pytest.mark.parametrize("compression", [None, "snappy", "none"])
def test_parquet_keeps_everything(tool: Tool, compression: Optional[str]) -> None:
    expected = rich(tool.folder / WHOLE)
    choice = [] if compression is None else ["--choose", f"compression={compression}"]
    tool.run("export", "parquet", WHOLE, *choice, "-o", "out")
    with again(tool, "parquet", "out") as found, expected:
        compare(found, expected)
    file = parquet.ParquetFile(tool.folder / "out/nodes/user.parquet")
    used = file.metadata.row_group(0).column(0).compression
    assert used == {None: "ZSTD", "snappy": "SNAPPY", "none": "UNCOMPRESSED"}[compression]
    rows = file.read()
    assert rows.column("_key").to_pylist()[:2] == ["ä", "b"]
    assert rows.schema.field("seen").type == pa.timestamp("us", "UTC")
    train = parquet.read_table(tool.folder / "out/sets/user/train.parquet")
    assert train.column("row").to_pylist() == [6, 0, 3]
    numbers = parquet.read_table(tool.folder / "out/nodes/plain.parquet").column("small")
    decoded = rich_codes(tool.folder / WHOLE)
    assert numbers.to_pylist() == decoded.tolist()


def rich_codes(folder: Path) -> Any:
    """The numbers of plain.small, by the loader's own decoder."""
    with gls.Dataset.open(str(folder)) as dataset:
        return dataset.rows("small", np.arange(3), "plain").numpy()


@pytest.mark.parametrize("layout", ["csc", "csr", "both"])
@pytest.mark.parametrize("name", list(export_sample.SAMPLES))
def test_layouts_make_no_difference(tool: Tool, name: str, layout: str) -> None:
    sample = export_sample.SAMPLES[name]()
    made(tool, sample, "--layout", layout)
    for format in FORMATS:
        tool.run("export", format, WHOLE, "-o", f"out-{format}")
        with again(tool, format, f"out-{format}") as found:
            for type, edge in sample["edges"].items():
                edges = table(found.edges_to_arrow(single_type(found, type)))
                for end in ("source", "target"):
                    assert edges.column("_" + end).to_pylist() == edge[end].tolist()


def single_type(dataset: gls.Dataset, type: str) -> Any:
    """A Data of PyTorch Geometric has no names of types."""
    return type if len(dataset.edge_types) > 1 else None


def check(found: gls.Dataset, sample: Any, format: str) -> None:
    """Columns and sets of a sample, as far as the format has them."""
    ordered = format in ("parquet", "graphbolt")
    bools = format == "dgl"
    assert found.node_types == list(sample["nodes"])
    for type, node in sample["nodes"].items():
        assert found.num_nodes(type) == node["count"]
        names = set(node["columns"]) | (
            {"labels"} if format == "graphbolt" and node["sets"] else set()
        )
        assert set(found.node_columns(type)) == names
        for name, (_, array) in node["columns"].items():
            array = array.astype(np.uint8) if bools and array.dtype == np.bool_ else array
            same(f"{type}.{name}", found.node_column(name, type).numpy(), array)
        assert set(found.id_sets(type)) == set(node["sets"])
        for name, ids in node["sets"].items():
            same(name, found.id_set(name, type).numpy(), ids if ordered else np.sort(ids))
    for type, edge in sample["edges"].items():
        assert set(found.edge_columns(type)) == set(edge["columns"])
        for name, (_, array) in edge["columns"].items():
            same(f"{type}.{name}", found.edge_column(name, type).numpy(), array)


@pytest.mark.parametrize("name", list(export_sample.SAMPLES))
@pytest.mark.parametrize(
    "format, choices",
    [
        ("parquet", []),
        ("graphbolt", []),
        ("graphbolt", ["in_memory=false"]),
        ("pyg", []),
        ("pyg", ["form=hetero"]),
        ("dgl", []),
        ("dgl", ["parts=3"]),
        ("dgl", ["form=graph"]),
    ],
)
def test_columns_and_sets(tool: Tool, name: str, format: str, choices: List[str]) -> None:
    sample = export_sample.SAMPLES[name]()
    # Parts renumber edges that are not in the order of their targets.
    if choices == ["parts=3"]:
        for edge in sample["edges"].values():
            edge["target"] = np.sort(edge["target"])
    made(tool, sample)
    given = [word for choice in choices for word in ("--choose", choice)]
    tool.run("export", format, WHOLE, *given, "-o", "out")
    with again(tool, format, "out") as found:
        check(found, sample, format)


def test_parts_by_owners_keep_the_old_ids(tool: Tool) -> None:
    sample = export_sample.typed()
    made(tool, sample)
    tool.run("export", "dgl", WHOLE, "--choose", "parts=3", "--choose", "owners=part", "-o", "out")
    with again(tool, "dgl", "out") as found:
        old = {type: found.node_column("orig_id", type).numpy() for type in sample["nodes"]}
        for type, node in sample["nodes"].items():
            owners = node["columns"]["part"][1]
            same(type, old[type], np.argsort(owners, kind="stable"))
            for name in set(node["columns"]) - {"flag"}:
                array = node["columns"][name][1]
                same(name, found.node_column(name, type).numpy(), array[old[type]])
            for name, ids in node["sets"].items():
                same(name, np.sort(old[type][found.id_set(name, type).numpy()]), np.sort(ids))
        for type, edge in sample["edges"].items():
            ids = found.edge_column("orig_id", type).numpy()
            assert sorted(ids) == list(range(len(edge["source"])))
            rows = table(found.edges_to_arrow(type))
            for end, node in zip(("source", "target"), type.split("__")[::2]):
                new = rows.column("_" + end).to_numpy()
                same(f"{type}: {end}", old[node][new], edge[end][ids])


def test_codes_become_their_numbers(tool: Tool) -> None:
    with rich(tool.folder / WHOLE) as expected:
        numbers = expected.rows("small", np.arange(3), "plain").numpy()
        more = expected.rows("codes", np.arange(6), "user__likes it__item").numpy()
    for format in ("pyg", "dgl"):
        choices = ["--choose", "leave_out=u"]
        tool.run("export", format, WHOLE, *choices, "-o", f"out-{format}")
        with again(tool, format, f"out-{format}") as found:
            same(format, found.node_column("small", "plain").numpy(), numbers)
            same(format, found.edge_column("codes", ("user", "likes it", "item")).numpy(), more)
            assert not found.has_keys("user")


def test_long_columns(tool: Tool) -> None:
    """Longer than the pieces that are written, with rows that the dataset pads."""
    count = 60_000
    random = np.random.default_rng(1)
    x = random.random((count, 100), np.float32)
    target = random.integers(0, count, 400_000)
    sample = {
        "nodes": {"node": {"count": count, "columns": {"x": ("feature", x)}, "sets": {}}},
        "edges": {"node__to__node": {"source": np.sort(target), "target": target, "columns": {}}},
    }
    made(tool, sample)
    with gls.Dataset.open(str(tool.folder / WHOLE)) as dataset:
        assert dataset.node_columns()["x"].row_stride > 400
    for format in FORMATS:
        said = tool.run("export", format, WHOLE, "--progress", "-o", f"out-{format}")
        assert "exporting" in said.stderr
        with again(tool, format, f"out-{format}") as found:
            same(format, found.node_column("x").numpy(), x)
            edges = table(found.edges_to_arrow())
            assert np.array_equal(edges.column("_target").to_numpy(), target)


@pytest.mark.parametrize("format", FORMATS)
def test_what_exists_is_kept(tool: Tool, format: str) -> None:
    made(tool, export_sample.single())
    (tool.folder / "out").mkdir()
    (tool.folder / "out/mine").write_text("kept")
    for more in ([], ["--overwrite"]):
        assert "exists already" in tool.error("export", format, WHOLE, *more, "-o", "out")
    assert (tool.folder / "out/mine").read_text() == "kept"
    # The dataset itself is no export.
    assert "exists already" in tool.error("export", format, WHOLE, "--overwrite", "-o", WHOLE)
    tool.run("export", format, WHOLE, "-o", "new")
    assert "exists already" in tool.error("export", format, WHOLE, "-o", "new")
    tool.run("export", format, WHOLE, "--overwrite", "-o", "new")
    with again(tool, format, "new") as found:
        check(found, export_sample.single(), format)
    names = {path.name for path in tool.folder.iterdir()}
    assert names == {"arrays", "new", "new-again", "out", WHOLE}


@pytest.mark.parametrize(
    "format, choices, expected",
    [
        ("parqet", [], 'did you mean "parquet"?'),
        ("graphbolt", ["in_memroy=true"], 'did you mean "in_memory"?'),
        ("dgl", ["parts=many"], "expected a number"),
        ("dgl", ["leave_out=u", "parts=2", "owners=part"], "user has no such column"),
        ("pyg", ["leave_out=u", "form=data"], "the graph has several types"),
        ("pyg", ["leave_out=odd,x"], "leave_out=x: there is no such column"),
        ("pyg", [], "item.u: torch has no uint64"),
        ("dgl", [], "item.u: DGL has no uint64"),
        ("graphbolt", [], "item.u: GraphBolt has no uint64"),
        ("graphbolt", ["leave_out=u"], "user.none: a task has only the sets"),
    ],
)
def test_errors_say_what_is_wrong(
    tool: Tool, format: str, choices: List[str], expected: str
) -> None:
    rich(tool.folder / WHOLE).close()
    given = [word for choice in choices for word in ("--choose", choice)]
    assert expected in tool.error("export", format, WHOLE, *given, "-o", "out")
    assert [path.name for path in tool.folder.iterdir()] == [WHOLE]


def test_a_missing_folder_is_named(tool: Tool) -> None:
    made(tool, export_sample.single())
    assert "no/such" in tool.error("export", "pyg", WHOLE, "-o", "no/such/out.pt")
    assert "nothing" in tool.error("export", "pyg", "nothing", "-o", "out.pt")


def test_graphs_in_parts_are_refused(tool: Tool) -> None:
    made(tool, export_sample.single())
    tool.run("partition", WHOLE, "parts", "--parts", "2")
    for format in FORMATS:
        tool.error("export", format, "parts", "-o", "out")
    assert not (tool.folder / "out").exists()
