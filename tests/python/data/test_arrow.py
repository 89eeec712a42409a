"""Arrow in and out: tables of pyarrow, polars, duckdb and pandas, nulls, and damaged streams."""

from __future__ import annotations

import datetime
import gc
import pickle
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gls


def numbers(dataset: gls.Dataset, name: str) -> Any:
    return dataset.node_column(name).numpy()


def users(table: Any, **options: Any) -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_nodes_arrow("user", table, **options)
    return builder.build()


TABLE = pyarrow.table(
    {
        "user_id": ["carol", "alice", "bob"],
        "age": pyarrow.array([30, 20, 40], pyarrow.int8()),
        "score": pyarrow.array([0.5, 1.5, -2.0], pyarrow.float32()),
        "premium": [True, False, True],
    }
)

PRODUCERS: Dict[str, Callable[[], Any]] = {
    "pyarrow.Table": lambda: TABLE,
    "pyarrow.RecordBatch": lambda: TABLE.to_batches()[0],
    "pyarrow.RecordBatchReader": lambda: TABLE.to_reader(max_chunksize=2),
    "polars.DataFrame": lambda: polars.from_arrow(TABLE),
    "pandas.DataFrame": lambda: TABLE.to_pandas(),
    "duckdb": lambda: duckdb.from_arrow(TABLE),
}


@pytest.mark.parametrize("producer", PRODUCERS)
def test_tables_of_every_producer(producer: str) -> None:
    friends = {"from": ["bob", "alice"], "to": ["carol", "bob"], "since": [2020, 2021]}
    builder = gls.DatasetBuilder()
    builder.add_nodes_arrow("user", PRODUCERS[producer](), key="user_id")
    builder.add_edges_arrow(
        "user__knows__user", polars.DataFrame(friends), columns={"since": "time"}
    )
    dataset = builder.build()
    assert [dataset.node_key(i) for i in range(3)] == ["carol", "alice", "bob"]
    assert numbers(dataset, "age").tolist() == [30, 20, 40]
    assert numbers(dataset, "score").tolist() == [0.5, 1.5, -2.0]
    assert numbers(dataset, "premium").tolist() == [True, False, True]
    assert dataset.node_columns()["premium"].dtype == "bool"
    assert dataset.topology().indptr.tolist() == [0, 1, 1, 2]
    assert dataset.topology().indices.tolist() == [2, 1]
    assert dataset.edge_columns()["since"].role == "time"


def test_types_of_columns(tmp_path: Path) -> None:
    day = datetime.date(2024, 2, 29)
    moment = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc)
    table = pyarrow.table(
        {
            "half": pyarrow.array(np.array([1.5, 2.5], np.float16)),
            "day": pyarrow.array([day, day], pyarrow.date32()),
            "moment": pyarrow.array([moment, moment], pyarrow.timestamp("us", "UTC")),
            "fixed": pyarrow.array([[1, 2], [3, 4]], pyarrow.list_(pyarrow.float32(), 2)),
            "list": pyarrow.array([[1, 2, 3], [4, 5, 6]], pyarrow.large_list(pyarrow.int64())),
            "cube": pyarrow.array(
                [[[1, 2]], [[3, 4]]], pyarrow.list_(pyarrow.list_(pyarrow.int8(), 2), 1)
            ),
            "dictionary": pyarrow.array([7, 5]).dictionary_encode(),
        }
    )
    builder = gls.DatasetBuilder()
    builder.add_nodes_arrow("n", table)
    builder.write(tmp_path / "dataset")
    dataset = gls.Dataset.open(tmp_path / "dataset")
    columns = dataset.node_columns()
    assert {name: column.logical_type for name, column in columns.items()} == {
        **dict.fromkeys(columns),
        "day": "tdD",
        "moment": "tsu:UTC",
    }
    assert numbers(dataset, "half").tolist() == [1.5, 2.5]
    assert numbers(dataset, "day").tolist() == [19782, 19782]
    assert numbers(dataset, "moment")[0] == int(moment.timestamp()) * 10**6
    assert numbers(dataset, "fixed").tolist() == [[1, 2], [3, 4]]
    assert numbers(dataset, "list").tolist() == [[1, 2, 3], [4, 5, 6]]
    assert numbers(dataset, "cube").tolist() == [[[1, 2]], [[3, 4]]]
    assert numbers(dataset, "dictionary").tolist() == [7, 5]
    back = pyarrow.table(dataset.nodes_to_arrow())
    for name in ("half", "day", "moment", "fixed", "cube"):
        assert back[name].equals(table[name]), name
    dataset.save(tmp_path / "again")
    assert gls.Dataset.open(tmp_path / "again").node_columns()["day"].logical_type == "tdD"
    dataset.partition(tmp_path / "parts", 2)
    parts = gls.Dataset.open(tmp_path / "parts")
    assert parts.node_columns()["moment"].logical_type == "tsu:UTC"


def test_nulls() -> None:
    table = pyarrow.table({"x": pyarrow.array([1.0, None, 3.0]), "y": pyarrow.array([None, 5, 6])})
    with pytest.raises(gls.CorruptData, match='people: row 1: field "x" is null') as caught:
        users(table, columns=["x"], label="people")
    assert caught.value.detail["row"] == "1" and caught.value.detail["field"] == "x"
    dataset = users(
        table,
        columns={
            "x": gls.ArrowColumn(fill=float("nan"), dtype="float32"),
            "y": gls.ArrowColumn("label", fill=-1, mask="has_y"),
        },
    )
    np.testing.assert_array_equal(numbers(dataset, "x"), np.float32([1, np.nan, 3]))
    assert numbers(dataset, "y").tolist() == [-1, 5, 6]
    assert numbers(dataset, "has_y").tolist() == [False, True, True]
    assert dataset.node_columns()["y"].role == "label"


def test_fields_of_one_name_form_a_matrix() -> None:
    frame = pandas.DataFrame({f"f{i}": np.arange(4, dtype=np.float64) + 10 * i for i in range(3)})
    column = gls.ArrowColumn(dtype="float32", name="x")
    dataset = users(frame, columns=dict.fromkeys(frame.columns, column))
    np.testing.assert_array_equal(numbers(dataset, "x"), frame.to_numpy(np.float32))


def test_the_index_of_a_pandas_frame_is_no_column() -> None:
    frame = pandas.DataFrame({"x": [1, 2, 3], "age": [3, 2, 1]})
    dataset = users(frame[frame.age < 3])
    assert list(dataset.node_columns()) == ["x", "age"]
    assert numbers(dataset, "x").tolist() == [2, 3]


def test_id_sets_and_splits() -> None:
    table = pyarrow.table(
        {
            "x": [1, 2, 3, 4],
            "train_mask": [True, False, False, True],
            "part": ["a", None, "b", "a"],
        }
    )
    dataset = users(table, id_sets={"train_mask": "train"}, split="part")
    assert list(dataset.node_columns()) == ["x"]
    assert dataset.id_set("train").tolist() == [0, 3]
    assert dataset.id_set("a").tolist() == [0, 3]
    assert dataset.id_set("b").tolist() == [2]


def test_edges_of_a_reader_larger_than_the_memory_bound(tmp_path: Path) -> None:
    def batches() -> Iterator[pyarrow.RecordBatch]:
        random = np.random.default_rng(1)
        for _ in range(40):
            ends = random.integers(0, 50_000, (2, 50_000))
            yield pyarrow.record_batch(
                {"s": ends[0], "t": ends[1], "w": random.random((50_000), np.float32)}
            )

    table = pyarrow.Table.from_batches(list(batches()))
    told: List[Any] = []
    builder = gls.DatasetBuilder()
    builder.add_edges_arrow(
        "n__e__n", pyarrow.RecordBatchReader.from_batches(table.schema, batches())
    )
    builder.write(tmp_path / "a", memory=24 << 20, progress=lambda *args: told.append(args))
    dataset = gls.Dataset.open(tmp_path / "a", verify=True)
    source, target = dataset.find_edges(np.arange(2_000_000))
    np.testing.assert_array_equal(source.numpy(), table["s"].to_numpy())
    np.testing.assert_array_equal(target.numpy(), table["t"].to_numpy())
    np.testing.assert_array_equal(dataset.edge_column("w").numpy(), table["w"].to_numpy())
    assert ("reading edges", 50_000, 0, "rows") in told


def test_a_reader_that_raises_is_an_error_with_its_words() -> None:
    def batches() -> Iterator[pyarrow.RecordBatch]:
        yield TABLE.to_batches()[0]
        raise ValueError("the warehouse burnt down")

    reader = pyarrow.RecordBatchReader.from_batches(TABLE.schema, batches())
    builder = gls.DatasetBuilder()
    builder.add_nodes_arrow("user", reader, key="user_id")
    with pytest.raises(gls.IoError, match="the warehouse burnt down"):
        builder.build()
    with pytest.raises(gls.InvalidState, match="read only once"):
        builder.build()


def test_what_is_refused() -> None:
    builder = gls.DatasetBuilder()
    with pytest.raises(gls.InvalidArgument, match="dict is not Arrow data"):
        builder.add_nodes_arrow("user", {"a": [1]})  # type: ignore[arg-type]
    with pytest.raises(gls.InvalidArgument, match='did you mean "age"'):
        builder.add_nodes_arrow("user", TABLE, columns=["agee"])
    with pytest.raises(gls.InvalidArgument, match="integers, text or binary") as caught:
        builder.add_nodes_arrow("user", TABLE, key="score")
    assert caught.value.detail["argument"] == "key"
    with pytest.raises(gls.InvalidArgument, match="there is no field") as caught:
        builder.add_edges_arrow("a__b__c", TABLE, source="user_id", target="friend")
    assert caught.value.detail["argument"] == "target"
    with pytest.raises(gls.Unsupported, match='field "user_id" has values of utf8'):
        builder.add_nodes_arrow("user", TABLE)
    with pytest.raises(gls.InvalidArgument, match="is not one of 'feature'"):
        builder.add_nodes_arrow("user", TABLE, columns={"age": "labels"})
    with pytest.raises(gls.InvalidArgument, match="expected a sequence or mapping"):
        builder.add_nodes_arrow("user", TABLE, columns="age")
    with pytest.raises(gls.InvalidArgument, match="neither a role nor a gls.ArrowColumn"):
        builder.add_nodes_arrow("user", TABLE, columns={"age": 3})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="fill must be an integer"):
        builder.add_nodes_arrow(
            "user", TABLE, columns={"age": gls.ArrowColumn(fill="x")}  # type: ignore[arg-type]
        )
    with pytest.raises(gls.InvalidArgument, match="the builder is empty"):
        builder.build()  # nothing of all that was added


def test_a_stream_that_was_not_read_is_released() -> None:
    released = []

    class Batches:
        def __iter__(self) -> "Batches":
            return self

        def __next__(self) -> pyarrow.RecordBatch:
            raise StopIteration

        def __del__(self) -> None:
            released.append(True)

    reader = pyarrow.RecordBatchReader.from_batches(TABLE.schema, Batches())
    builder = gls.DatasetBuilder()
    builder.add_nodes_arrow("user", reader, key="user_id")
    del reader
    gc.collect()
    assert not released
    del builder
    gc.collect()
    assert released


def test_out_with_keys_padding_and_codes(tmp_path: Path) -> None:
    codes, row = np.array([[0b00011011], [0b11100100]], np.uint8), np.float32([0, 1, 2, 3])
    builder = gls.DatasetBuilder()
    builder.add_nodes_arrow("user", TABLE.slice(0, 2), key="user_id")
    builder.add_node_column("user", "wide", np.arange(6, dtype=np.float32).reshape(2, 3))
    builder.add_node_column("user", "codes", gls.Codes(codes, width=4, bits=2, codebook=row))
    builder.add_edges_arrow(
        "user__knows__user",
        pyarrow.table({"s": ["alice"], "t": ["carol"], "w": [0.5]}),
        columns={"w": "weight"},
    )
    builder.write(tmp_path / "dataset")
    with gls.Dataset.open(tmp_path / "dataset") as dataset:
        nodes = dataset.nodes_to_arrow("user")
        edges = dataset.edges_to_arrow()
        table = pyarrow.table(nodes)
        assert pyarrow.table(nodes).equals(table)  # each consumer begins anew
        assert table.column_names == ["_key", "wide", "codes", "age", "score", "premium"]
        frame = polars.DataFrame(edges)
    gc.collect()
    assert table["_key"].to_pylist() == ["carol", "alice"]
    assert table["premium"].to_pylist() == [True, False]
    assert table["wide"].to_pylist() == [[0, 1, 2], [3, 4, 5]]
    assert table["codes"].to_pylist() == [[0, 1, 2, 3], [3, 2, 1, 0]]
    assert frame.rows() == [("alice", "carol", 0.5)]
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(nodes)


def test_out_of_a_graph_in_parts_is_refused(tmp_path: Path) -> None:
    dataset = gls.Dataset.from_arrays([[0, 1], [1, 0]])
    dataset.partition(tmp_path / "parts", 2)
    with pytest.raises(gls.Unsupported, match="are in its parts"):
        pyarrow.table(gls.Dataset.open(tmp_path / "parts").nodes_to_arrow())


def test_arrays_of_batches_are_arrow() -> None:
    dataset = gls.Dataset.from_arrays([[0, 1, 2], [1, 2, 0]], x=np.eye(3, dtype=np.float32))
    batch = next(iter(gls.NeighborLoader(dataset, [1], input_nodes=[2, 0])))
    nodes = pyarrow.array(batch.node)
    x = pyarrow.array(batch.x)
    address = batch.node.data_ptr()
    expected = batch.node.tolist()
    del batch
    gc.collect()
    assert nodes.to_pylist() == expected
    assert nodes.buffers()[1].address == address
    assert x.type == pyarrow.list_(pyarrow.float32(), 3)
    assert x.to_pylist() == np.eye(3)[expected].tolist()
    mask = gls.Dataset.from_arrays([[0], [0]], node_columns={"b": np.array([True])})
    assert pyarrow.array(mask.node_column("b")).to_pylist() == [True]


DTYPES = st.sampled_from(
    ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(0, 60),
    dtypes=st.lists(DTYPES, min_size=1, max_size=4),
    cut=st.integers(1, 20),
    seed=st.integers(0, 2**32 - 1),
)
def test_in_and_out_give_the_same_table(rows: int, dtypes: List[str], cut: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    table = pyarrow.table(
        {
            "key": random.permutation(rows).astype(np.int64) * 3 - 50,
            **{
                f"c{i}": pyarrow.array(random.integers(0, 100, rows).astype(dtype))
                for i, dtype in enumerate(dtypes)
            },
        }
    )
    builder = gls.DatasetBuilder()
    builder.add_node_type("n", ids="integer")
    builder.add_nodes_arrow("n", table.to_reader(max_chunksize=cut), key="key")
    back = pyarrow.table(builder.build().nodes_to_arrow())
    assert back.rename_columns(table.column_names).equals(table)
