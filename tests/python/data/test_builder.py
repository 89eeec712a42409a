"""DatasetBuilder: every way in, and what it refuses."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, List, Optional

import numpy as np
import pytest

import gls


def test_edges_as_pair_or_as_one_array() -> None:
    for arguments in ([[0, 1], [1, 2]], [[[0, 1], [1, 2]]]):
        builder = gls.DatasetBuilder()
        builder.add_edges("node__to__node", *arguments)
        dataset = builder.build()
        assert dataset.num_nodes() == 3
        assert dataset.topology().indices.tolist() == [0, 1]


def test_reverse_edges() -> None:
    builder = gls.DatasetBuilder()
    builder.add_edges("a__to__a", [[0, 1], [1, 2]], add_reverse=True)
    builder.add_edges("a__of__b", [[0, 1], [1, 0]], add_reverse=True)
    dataset = builder.build()
    assert dataset.num_edges("a__to__a") == 4
    assert dataset.edge_types == [("a", "to", "a"), ("a", "of", "b"), ("b", "rev_of", "a")]


def test_from_arrays(graph: Any) -> None:
    mask = np.zeros(200, bool)
    mask[graph.train] = True
    dataset = gls.Dataset.from_arrays(
        graph.edge_index,
        num_nodes=200,
        x=graph.x,
        y=graph.y,
        edge_attr=graph.edge_attr,
        edge_weight=graph.weight,
        train_mask=mask,
        val_mask=[1, 2],
        node_columns={"z": graph.y},
        edge_columns={"kind": np.zeros(2000, np.int8)},
        id_sets={"odd": np.arange(1, 200, 2)},
        layouts=["csc", "csr"],
    )
    roles = {name: column.role for name, column in dataset.node_columns().items()}
    assert roles == {"x": "feature", "y": "label", "z": "feature"}
    roles = {name: column.role for name, column in dataset.edge_columns().items()}
    assert roles == {"edge_attr": "feature", "edge_weight": "weight", "kind": "feature"}
    assert dataset.id_sets() == {"train": len(graph.train), "valid": 2, "odd": 100}
    assert dataset.node_column("x").data_ptr() == graph.x.ctypes.data
    assert dataset.layouts() == ["csc", "csr"]


def test_columns_of_edges_follow_their_ids() -> None:
    """Neighbours are stored by target, columns stay in the order given and are found by id."""
    source = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    target = np.array([1, 2, 2, 3, 3, 4, 4, 0, 0, 1])
    attribute = np.array([0.0, 1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 8.8, 9.9])
    dataset = gls.Dataset.from_arrays((source, target), edge_attr=attribute)
    stored = dataset.topology()
    assert stored.indptr.numpy().tolist() == [0, 2, 4, 6, 8, 10]
    assert stored.indices.numpy().tolist() == [3, 4, 0, 4, 0, 1, 1, 2, 2, 3]
    assert stored.edge_ids is not None
    order = stored.edge_ids.numpy()
    assert order.tolist() == [7, 8, 0, 9, 1, 2, 3, 4, 5, 6]
    (batch,) = gls.NeighborLoader(dataset, [-1], batch_size=5, with_edge_ids=True)
    assert batch.edge.numpy().tolist() == order.tolist()
    assert batch.edge_attr.numpy().tolist() == attribute[order].tolist()


def test_text_without_comments(tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text("#a,b\n%c,#a\n")
    builder = gls.DatasetBuilder()
    builder.add_node_type("tag", ids="string")
    path = tmp_path / "tags.csv"
    builder.add_edges_text("tag__to__tag", path, comment="", header=False)
    dataset = builder.build()
    assert dataset.num_edges() == 2
    assert dataset.node_key(dataset.find_node("%c")) == "%c"


def test_text_files(tmp_path: Path) -> None:
    (tmp_path / "nodes.tsv").write_text("id\tage\tname\nb\t30\tx\na\t40\ty\n")
    with gzip.open(tmp_path / "edges.txt.gz", "wt") as file:
        file.write("% remark\na b 2\nb a 3\n")
    builder = gls.DatasetBuilder()
    builder.add_node_type("p", ids="string")
    builder.add_nodes_text("p", tmp_path / "nodes.tsv", key="id", columns={"age": "int64"})
    builder.add_edges_text(
        "p__to__p",
        tmp_path / "edges.txt.gz",
        source=0,
        target=1,
        columns={2: ("int32", "weight", "w")},
        delimiter=" ",
        comment="%",
        header=False,
    )
    builder.write(tmp_path / "d")
    dataset = gls.Dataset.open(tmp_path / "d")
    assert [dataset.node_key(i) for i in range(2)] == ["b", "a"]  # the order of the file
    assert dataset.node_column("age").tolist() == [30, 40]
    assert dataset.edge_column("w").tolist() == [2, 3]
    assert dataset.edge_columns()["w"].role == "weight"


def test_errors_in_text_files_name_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n1 x\n")
    builder = gls.DatasetBuilder()
    builder.add_edges_text("p__to__p", tmp_path / "edges.txt", header=False)
    with pytest.raises(gls.Error) as caught:
        builder.build()
    assert "edges.txt" in str(caught.value) and "2" in str(caught.value)
    assert "edges.txt" in caught.value.detail["file"]
    with pytest.raises(gls.FileNotFound):
        builder = gls.DatasetBuilder()
        builder.add_edges_text("p__to__p", tmp_path / "none.txt")
        builder.build()


def test_encodings_of_text(tmp_path: Path) -> None:
    text = "café,b\nc,b\n"
    for encoding, told in (("latin-1", "latin-1"), ("utf-16", None), ("utf-8-sig", "utf-8")):
        (tmp_path / "edges.csv").write_bytes(text.encode(encoding))
        builder = gls.DatasetBuilder()
        builder.add_node_type("n", ids="string")
        path = tmp_path / "edges.csv"
        builder.add_edges_text("n__to__n", path, header=False, encoding=told)
        dataset = builder.build()
        assert [dataset.node_key(i) for i in range(3)] == ["b", "c", "café"]
    (tmp_path / "edges.csv").write_bytes(text.encode("latin-1"))
    builder = gls.DatasetBuilder()
    builder.add_node_type("n", ids="string")
    builder.add_edges_text("n__to__n", tmp_path / "edges.csv", header=False)
    with pytest.raises(gls.CorruptData, match="edges.csv:1: .* is not UTF-8 .* such as latin-1"):
        builder.build()
    with pytest.raises(gls.InvalidArgument, match="latin-1"):
        builder.add_edges_text("n__b__n", tmp_path / "edges.csv", encoding="cp1252")


def test_ragged_text(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("0,1\n1,2,x\n2,0\n")
    (tmp_path / "nodes.csv").write_text("0,a\n1\n2,b,c\n")
    for ragged in (False, True):
        builder = gls.DatasetBuilder()
        builder.add_nodes_text("n", tmp_path / "nodes.csv", header=False, ragged=True)
        builder.add_edges_text("n__to__n", tmp_path / "edges.csv", header=False, ragged=ragged)
        if ragged:
            assert builder.build().num_edges() == 3
        else:
            with pytest.raises(gls.CorruptData, match="edges.csv:2: the line has 3 fields"):
                builder.build()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_weights_must_be_some(tmp_path: Path, bad: float) -> None:
    def builder_with(role: str) -> gls.DatasetBuilder:
        builder = gls.DatasetBuilder()
        builder.add_edges("n__to__n", [[0, 1], [1, 0]])
        builder.add_edge_column(None, "w", np.array([1, bad], np.float32), role=role)
        return builder

    with pytest.raises(gls.InvalidArgument, match='column "w" of "n__to__n": weight .* in row 1'):
        builder_with("weight").build()
    with pytest.raises(gls.InvalidArgument, match="weight .* in row 1"):
        builder_with("weight").write(tmp_path / "d")
    assert not (tmp_path / "d").exists()
    builder_with("feature").build()


def test_far_more_nodes_than_ids_must_be_declared() -> None:
    builder = gls.DatasetBuilder()
    builder.add_edges("n__to__n", [[0], [2_000_000]])
    with pytest.raises(gls.InvalidArgument, match="declare num_nodes"):
        builder.build()
    builder = gls.DatasetBuilder()
    builder.add_node_type("n", 2_000_001)
    builder.add_edges("n__to__n", [[0], [2_000_000]])
    assert builder.build().num_nodes() == 2_000_001


def test_unknown_names_tell_the_nearest() -> None:
    builder = gls.DatasetBuilder()
    builder.add_edges("author__writes__paper", [[0], [0]])
    with pytest.raises(gls.NotFound, match='did you mean "paper"'):
        builder.add_node_column("papre", "x", np.zeros((1, 1), np.float32))
    with pytest.raises(gls.NotFound, match='did you mean "memory.huge_pages"'):
        gls.Context().set("memory.hugepages", "true")


def test_a_builder_can_be_used_again() -> None:
    builder = gls.DatasetBuilder()
    for count in (3, 5):
        builder.add_node_type("node", count)
        builder.add_edges("node__to__node", [[0], [1]])
        assert builder.build().num_nodes() == count


def test_use_by_one_call_at_a_time(tmp_path: Path) -> None:
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.zeros((2, 5), np.int64))
    with pytest.raises(gls.InvalidState, match="in use"):
        builder.write(tmp_path / "d", progress=lambda *_: builder.add_node_type("late"))


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda b: b.add_node_type(""), gls.InvalidArgument, "empty"),
        (lambda b: b.add_node_type(5), TypeError, "type must be a str"),
        (lambda b: b.add_node_type("n", -1), gls.InvalidArgument, "num_nodes"),
        (lambda b: b.add_node_type("n", 1.5), TypeError, "num_nodes must be an integer"),
        (lambda b: b.add_node_type("n", ids="text"), gls.InvalidArgument, "'dense'"),
        (lambda b: b.add_node_type("a__b"), gls.InvalidArgument, "__"),
        (lambda b: b.add_node_type("a\0b"), ValueError, "null"),
        (lambda b: b.add_edges("n__n", [[0], [0]]), gls.InvalidArgument, "n__n"),
        (lambda b: b.add_edges("n__to__n", [0, 1], [0]), gls.InvalidArgument, "2"),
        (lambda b: b.add_edges("n__to__n", [0.5], [0.5]), gls.InvalidArgument, "float64"),
        (lambda b: b.add_topology("n__to__n", "coo", [0], [0]), gls.InvalidArgument, "'csc'"),
        (lambda b: b.add_node_column("n", "x", [1], role="y"), gls.InvalidArgument, "'feature'"),
        (lambda b: b.add_edges_text("n__to__n", "f", delimiter="ab"), gls.InvalidArgument, "one"),
        (
            lambda b: b.add_edges_text("n__to__n", "f", columns={"c": "decimal"}),
            gls.InvalidArgument,
            "decimal",
        ),
        (lambda b: b.build(layouts="coo"), gls.InvalidArgument, "layouts"),
        (lambda b: b.build(memory=-5), gls.InvalidArgument, "memory"),
    ],
)
def test_refusals(call: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind, match=text):
        call(gls.DatasetBuilder())


def test_inconsistent_parts_are_refused_when_built() -> None:
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 3)
    builder.add_edges("node__to__node", [[0], [7]])
    with pytest.raises(gls.Error, match="7"):
        builder.build()
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 3)
    builder.add_edges("node__to__node", [[0], [1]])
    builder.add_id_set("node", "train", [3])
    with pytest.raises(gls.Error, match="3"):
        builder.build()


def masked(type: Optional[str], length: int, **known: Any) -> gls.DatasetBuilder:
    """A builder of four nodes, of which only `known` tells before the edges are read."""
    builder = gls.DatasetBuilder()
    if "declared" in known:
        builder.add_node_type("node", 4)
    if "topology" in known:
        layout = known["topology"]
        builder.add_topology("node__to__node", layout, [0, 1, 2, 2, 3], [0, 1, 3])
    else:
        builder.add_edges("node__to__node", [[0, 1], [1, 3]])
    if "column" in known:
        builder.add_node_column(type, "x", [1, 2, 3, 4])
    builder.add_id_set(type, "train", np.arange(length) == 1)
    return builder


KNOWN: List[Any] = [{}, {"declared": 4}, {"column": 1}, {"topology": "csc"}, {"topology": "csr"}]


@pytest.mark.parametrize("type", ["node", None])
@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_masks_have_an_entry_for_each_node(tmp_path: Path, known: Any, type: Any) -> None:
    layouts = known.get("topology", "csc")
    for length in (2, 3, 5, 400):
        text = f'^ids: the mask of id set "train" has {length} entries, but node type "node" has 4 nodes'
        with pytest.raises(gls.InvalidArgument, match=text) as caught:
            masked(type, length, **known).build(layouts=layouts)
        assert caught.value.detail["argument"] == "ids"
        with pytest.raises(gls.InvalidArgument, match=text):
            masked(type, length, **known).write(tmp_path / "d", layouts=layouts)
        assert list(tmp_path.iterdir()) == []  # nothing appears
    assert masked(type, 4, **known).build(layouts=layouts).id_set("train").tolist() == [1]
    masked(type, 4, **known).write(tmp_path / "d", layouts=layouts)
    assert gls.Dataset.open(tmp_path / "d").id_set("train").tolist() == [1]
    with pytest.raises(gls.FileExists):
        masked(type, 4, **known).write(tmp_path / "d", layouts=layouts)
    with pytest.raises(gls.InvalidArgument):
        masked(type, 5, **known).write(tmp_path / "d", layouts=layouts, overwrite=True)
    assert gls.Dataset.open(tmp_path / "d").num_nodes() == 4  # what was there still is
    masked(type, 4, **known).write(tmp_path / "d", layouts=layouts, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["d"]


def test_masks_of_text_and_of_arrays(tmp_path: Path) -> None:
    (tmp_path / "nodes.tsv").write_text("7\n9\n8\n")
    (tmp_path / "edges.tsv").write_text("7\t8\n")
    for length in (2, 3, 4):
        builder = gls.DatasetBuilder()
        builder.add_node_type("p", ids="integer")
        builder.add_nodes_text("p", tmp_path / "nodes.tsv", header=False)
        builder.add_edges_text("p__to__p", tmp_path / "edges.tsv", header=False)
        builder.add_id_set("p", "train", [True] + [False] * (length - 1))
        if length == 3:
            builder.write(tmp_path / "deep" / "d")
            dataset = gls.Dataset.open(tmp_path / "deep" / "d")
            assert dataset.id_sets() == {"train": 1} and dataset.node_key(1) == "9"
        else:
            with pytest.raises(gls.InvalidArgument, match='"p" has 3 nodes'):
                builder.write(tmp_path / "no")
    with gls.Context(1) as context:
        builder = gls.DatasetBuilder(context=context)
    builder.add_edges("node__to__node", [[0], [1]])  # it may be used when its context is closed
    builder.add_id_set("node", "train", [True, False])
    builder.write(tmp_path / "d")
    for given in ({"train_mask": [True] + [False] * 4}, {"id_sets": {"train": np.zeros(1, bool)}}):
        arguments: Any = given
        with pytest.raises(gls.InvalidArgument, match='id set "train".* has 4 nodes'):
            gls.Dataset.from_arrays([[0, 1], [1, 3]], **arguments)
    assert gls.Dataset.from_arrays([[0], [1]], num_nodes=5, val_mask=[True] * 5).num_nodes() == 5
    with pytest.raises(gls.InvalidArgument, match=r"mask of shape \[2, 2\]"):
        gls.Dataset.from_arrays([[0, 1], [1, 3]], train_mask=np.ones((2, 2), bool))
    builder = gls.DatasetBuilder()
    for count in (3, 5):  # what was known of the dataset before is forgotten
        builder.add_edges("node__to__node", [[0], [count - 1]])
        builder.add_id_set("node", "all", np.ones(count, bool))
        assert builder.build().num_nodes() == count


def test_names_given_twice() -> None:
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 2)
    builder.add_node_column("node", "x", [1, 2])
    with pytest.raises(gls.AlreadyExists) as caught:
        builder.add_node_column("node", "x", [1, 2])
    assert not isinstance(caught.value, OSError)  # no file is meant


def test_types_of_columns_may_be_left_out() -> None:
    builder = gls.DatasetBuilder()
    builder.add_edges("a__to__a", [[0, 1], [1, 0]])
    builder.add_node_column(None, "x", [1.0, 2.0])
    builder.add_edge_column(None, "w", [3, 4])
    builder.add_id_set(None, "train", [1])
    dataset = builder.build()
    assert dataset.node_column("x").tolist() == [1.0, 2.0]
    assert dataset.edge_column("w").tolist() == [3, 4]
    assert dataset.id_set("train").tolist() == [1]
