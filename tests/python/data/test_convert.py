"""Graphs of other packages as datasets, compared with their edges one by one."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

import gls

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
KINDS = [sp.coo_matrix, sp.coo_array]
Edges = List[Tuple[int, int]]


def edges_of(dataset: gls.Dataset, type: Any = None) -> Edges:
    """The edges by their ids."""
    source, target = dataset.find_edges(np.arange(dataset.num_edges(type)), type)
    return list(zip(source.tolist(), target.tolist()))


def random_matrix(kind: Any, shape: Tuple[int, int], dtype: Any = np.float32) -> Any:
    rng = np.random.default_rng(shape[0])
    dense = rng.integers(1, 9, shape) * (rng.random(shape) < 0.3)
    return kind(dense.astype(dtype))


# ---- SciPy ----


@pytest.mark.parametrize("layouts", ["csc", "csr", ("csc", "csr")])
@pytest.mark.parametrize("shape", [(9, 9), (7, 12)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", FORMATS)
def test_scipy_edges_and_weights(
    format: str, kind: Any, shape: Tuple[int, int], layouts: Any
) -> None:
    matrix = random_matrix(kind, shape).asformat(format)
    dataset = gls.from_scipy(matrix, layouts=layouts)
    dataset.verify()
    dense = matrix.toarray()
    weights = dataset.edge_column("weight").tolist()
    assert dict(zip(edges_of(dataset), weights)) == {
        (int(i), int(j)): dense[i, j] for i, j in zip(*dense.nonzero())
    }
    assert dataset.num_edges() == np.count_nonzero(dense)
    assert dataset.edge_columns()["weight"].role == "weight"
    if shape[0] == shape[1]:
        assert dataset.edge_types == [("node", "to", "node")]
        assert dataset.num_nodes() == shape[0]
    else:
        assert dataset.edge_types == [("row", "to", "column")]
        assert (dataset.num_nodes("row"), dataset.num_nodes("column")) == shape


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_scipy_compressed_is_used_in_place(format: str, index: Any) -> None:
    matrix = random_matrix(sp.coo_array, (8, 8)).asformat(format)
    matrix.indptr, matrix.indices = matrix.indptr.astype(index), matrix.indices.astype(index)
    dataset = gls.from_scipy(matrix, layouts=format)
    topology = dataset.topology(format)
    assert topology.indices.data_ptr() == matrix.indices.ctypes.data
    assert topology.edge_ids is None
    in_place = topology.indptr.data_ptr() == matrix.indptr.ctypes.data
    assert in_place == (index is np.int64)
    assert dataset.edge_column("weight").data_ptr() == matrix.data.ctypes.data


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_scipy_loops_and_repeated_entries_are_edges(index: Any) -> None:
    row, column = np.array([2, 0, 0, 2, 1], index), np.array([2, 1, 1, 2, 0], index)
    given = sp.coo_matrix((np.array([1, 2, 3, 4, 0]), (row, column)), shape=(4, 4))
    dataset = gls.from_scipy(given)
    assert edges_of(dataset) == [(2, 2), (0, 1), (0, 1), (2, 2), (1, 0)]
    assert dataset.edge_column("weight").tolist() == [1, 2, 3, 4, 0]
    assert dataset.num_nodes() == 4


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_scipy_arrays_may_be_longer_than_the_matrix(format: str) -> None:
    matrix = random_matrix(sp.coo_array, (5, 5)).asformat(format)
    expected = edges_of(gls.from_scipy(matrix))
    matrix.indices = np.append(matrix.indices, [99, 99]).astype(np.int32)
    matrix.data = np.append(matrix.data, [9, 9])
    assert edges_of(gls.from_scipy(matrix)) == expected


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", [(3, 3), (2, 5)])
def test_scipy_without_edges(format: str, shape: Tuple[int, int]) -> None:
    dataset = gls.from_scipy(sp.coo_matrix(shape).asformat(format))
    assert dataset.num_edges() == 0 and dataset.edge_columns() == {}
    assert [dataset.num_nodes(t) for t in dataset.node_types] == ([3] if shape[0] == 3 else [2, 5])


def test_scipy_without_nodes() -> None:
    dataset = gls.from_scipy(sp.csr_array((0, 0)))
    assert (dataset.num_nodes(), dataset.num_edges()) == (0, 0)
    dataset = gls.from_scipy(sp.coo_array((0, 4)))
    assert (dataset.num_nodes("row"), dataset.num_nodes("column")) == (0, 4)


@pytest.mark.parametrize(
    "values, role",
    [
        ([1.0, 1.0], None),
        ([True, True], None),
        ([1, 1], None),
        ([True, False], "weight"),
        ([2, 1], "weight"),
        ([0.5, 0.0], "weight"),
        ([-1.0, 1.0], "feature"),
        ([np.nan, 1.0], "feature"),
        ([np.inf, 1.0], "feature"),
        ([-3, 1], "feature"),
    ],
)
def test_scipy_roles_of_values(values: List[Any], role: Any) -> None:
    dataset = gls.from_scipy(sp.csr_array((np.array(values), ([0, 1], [1, 0])), shape=(2, 2)))
    columns = dataset.edge_columns()
    assert (columns["weight"].role if columns else None) == role
    if role == "weight":
        gls.Sampler(dataset, [1], weight_attr="weight").sample([0, 1])


def test_scipy_of_several_types() -> None:
    writes, cites = random_matrix(sp.csr_array, (4, 6)), random_matrix(sp.coo_array, (6, 6))
    dataset = gls.from_scipy(
        {("author", "writes", "paper"): writes, "paper__cites__paper": cites},
        node_columns={"paper": {"x": np.ones((6, 2)), "y": range(6)}, "author": {}},
    )
    assert dataset.node_types == ["author", "paper"]
    assert sorted(edges_of(dataset, "author__writes__paper")) == sorted(
        zip(*(ends.tolist() for ends in writes.toarray().nonzero()))
    )
    assert dataset.num_edges(("paper", "cites", "paper")) == cites.nnz
    assert {c.name: c.role for c in dataset.node_columns("paper").values()} == {
        "x": "feature",
        "y": "label",
    }


def test_scipy_columns_and_masks() -> None:
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    columns: Dict[str, Any] = {"x": x, "y": [0, 1, 2], "train_mask": np.array([True, False, True])}
    for given in (columns, {"node": columns}):
        dataset = gls.from_scipy(sp.identity(3, format="csc"), node_columns=given)
        assert dataset.node_column("x").data_ptr() == x.ctypes.data
        assert dataset.node_columns()["y"].role == "label"
        assert dataset.id_set("train").tolist() == [0, 2]


def test_scipy_errors() -> None:
    matrix = random_matrix(sp.csr_array, (3, 3))
    with pytest.raises(TypeError, match="must be a sparse matrix of SciPy, not ndarray"):
        gls.from_scipy(matrix.toarray())
    with pytest.raises(TypeError, match="not list"):
        gls.from_scipy({"a__b__c": [1]})
    with pytest.raises(gls.InvalidArgument, match="values of complex128"):
        gls.from_scipy(matrix.astype(complex))
    with pytest.raises(gls.InvalidArgument, match="there is no edge type"):
        gls.from_scipy({})
    with pytest.raises(gls.InvalidArgument, match="'a' is not source__relation__target"):
        gls.from_scipy({"a": matrix})
    with pytest.raises(gls.InvalidArgument, match="a name 'a_', which"):
        gls.from_scipy({("a_", "b", "c"): matrix})
    with pytest.raises(gls.InvalidArgument, match='4 nodes of type "a" by its shape.* are 3'):
        gls.from_scipy({"a__r__a": matrix, "a__s__b": random_matrix(sp.csr_array, (4, 2))})
    with pytest.raises(gls.InvalidArgument, match=r"'x' has shape \[2\], but there are 3 nodes"):
        gls.from_scipy(matrix, node_columns={"x": np.ones(2)})
    with pytest.raises(gls.InvalidArgument, match='expected arrays .* "row", "column"'):
        gls.from_scipy(random_matrix(sp.csr_array, (2, 3)), node_columns={"x": np.ones(2)})
    with pytest.raises(gls.InvalidArgument, match="both become 'a_b'"):
        gls.from_scipy(matrix, node_columns={"a__b": np.ones(3), "_a_b": np.ones(3)})
    with pytest.raises(gls.InvalidArgument, match="nothing is left of the name '__'"):
        gls.from_scipy(matrix, node_columns={"__": np.ones(3)})


# ---- NetworkX ----


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_against_its_edges(kind: Any) -> None:
    graph = kind()
    graph.add_nodes_from(["d", "a", ("t", 1), 7])
    ends = [("d", "a"), ("a", "d"), (7, 7), ("d", "a"), (("t", 1), 7)]
    for i, (u, v) in enumerate(ends):
        graph.add_edge(u, v, weight=i + 0.5, other=[i, -i])
    dataset = gls.from_networkx(graph)
    dataset.verify()
    place = {name: i for i, name in enumerate(graph)}
    expected = []
    for u, v, data in graph.edges(data=True):
        expected.append((place[u], place[v], data["weight"], data["other"]))
    if not graph.is_directed():
        expected += [(v, u, w, o) for u, v, w, o in expected if u != v]
    columns = dataset.edge_column("weight").tolist(), dataset.edge_column("other").tolist()
    assert [(*e, w, o) for e, w, o in zip(edges_of(dataset), *columns)] == expected
    assert dataset.num_nodes() == 4
    assert dataset.edge_columns()["weight"].role == "weight"
    assert dataset.edge_columns()["other"].dtype == "int64"


def test_networkx_attributes() -> None:
    graph = nx.DiGraph()
    for i in range(4):
        graph.add_node(
            i, x=[0.5 * i, 1.0], y=i, name=str(i), train_mask=i > 1, half=np.float16(i), a__b_=1.0
        )
    graph.nodes[2]["rare"] = 1
    graph.nodes[3]["x2"] = 0.0
    dataset = gls.from_networkx(graph)
    columns = dataset.node_columns()
    assert {c.name: (c.role, c.dtype, c.shape) for c in columns.values()} == {
        "x": ("feature", "float32", (4, 2)),
        "y": ("label", "int64", (4,)),
        "half": ("feature", "float16", (4,)),
        "a_b": ("feature", "float32", (4,)),
    }
    assert dataset.node_column("x").tolist() == [[0.5 * i, 1.0] for i in range(4)]
    assert dataset.id_set("train").tolist() == [2, 3]
    chosen = gls.from_networkx(graph, node_attributes=["x"], float_dtype="float64")
    assert [(c.name, c.dtype) for c in chosen.node_columns().values()] == [("x", "float64")]


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiDiGraph])
@pytest.mark.parametrize("nodes", [0, 3])
def test_networkx_without_edges(kind: Any, nodes: int) -> None:
    graph = kind()
    graph.add_nodes_from(range(nodes))
    dataset = gls.from_networkx(graph)
    assert (dataset.num_nodes(), dataset.num_edges()) == (nodes, 0)


def test_networkx_errors() -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: 1, 1: 2}, "x")
    nx.set_node_attributes(graph, "text", "name")
    nx.set_node_attributes(graph, {0: [1], 1: [1, 2], 2: [3]}, "ragged")
    assert gls.from_networkx(graph).node_columns() == {}
    with pytest.raises(gls.InvalidArgument, match="node_attributes: 1 of 3 do not have 'x'"):
        gls.from_networkx(graph, node_attributes=["x"])
    with pytest.raises(gls.InvalidArgument, match="edge_attributes: 2 of 2 do not have 'w'"):
        gls.from_networkx(graph, edge_attributes=["w"])
    for name in ("name", "ragged"):
        with pytest.raises(gls.InvalidArgument, match=f"'{name}' is not of numbers"):
            gls.from_networkx(graph, node_attributes=[name])
    with pytest.raises(TypeError, match="sequence of names, not str"):
        gls.from_networkx(graph, node_attributes="x")
    with pytest.raises(TypeError, match="graph of NetworkX, not list"):
        gls.from_networkx([])
    with pytest.raises(gls.InvalidArgument, match='neither "float32" nor "float64"'):
        gls.from_networkx(graph, float_dtype="float16")


# ---- DGL, by an object with the same methods ----


class Frames:
    """What ``graph.nodes`` and ``graph.edges`` of DGL are indexed for."""

    def __init__(self, frames: Dict[Any, Dict[str, Any]]) -> None:
        self._frames = frames

    def __getitem__(self, key: Any) -> Any:
        return type("View", (), {"data": self._frames.get(key, {})})


class EdgeFrames(Frames):
    def __init__(self, ends: Dict[Any, Any], frames: Dict[Any, Dict[str, Any]]) -> None:
        super().__init__(frames)
        self._ends = ends

    def __call__(self, form: str, order: str, etype: Any) -> Any:
        assert (form, order) == ("uv", "eid")
        return self._ends[etype]


class FakeGraph:
    is_block = False

    def __init__(self, counts: Dict[str, int], ends: Dict[Any, Any], **data: Any) -> None:
        self._counts = counts
        self.ntypes, self.canonical_etypes = list(counts), list(ends)
        self.nodes = Frames(data.get("ndata", {}))
        self.edges = EdgeFrames(ends, data.get("edata", {}))

    def num_nodes(self, type: str) -> int:
        return self._counts[type]


def test_dgl_of_one_type() -> None:
    source, target = np.array([2, 0, 0]), np.array([1, 1, 2])
    x, w = np.ones((4, 2), np.float32), np.array([0.5, 1, 2], np.float32)
    mask = np.array([1, 0, 0, 1], np.uint8)
    graph = FakeGraph(
        {"_N": 4},
        {("_N", "_E", "_N"): (source, target)},
        ndata={"_N": {"x": x, "label": np.arange(4), "val_mask": mask != 0, "test_mask": mask}},
        edata={("_N", "_E", "_N"): {"w": w, "_ID": np.arange(3), "weight": -w}},
    )
    dataset = gls.from_dgl(graph)
    assert (dataset.node_types, dataset.edge_types) == (["node"], [("node", "to", "node")])
    assert edges_of(dataset) == [(2, 1), (0, 1), (0, 2)]
    assert dataset.node_column("x").data_ptr() == x.ctypes.data
    assert dataset.edge_column("w").data_ptr() == w.ctypes.data
    assert {c.name: c.role for c in dataset.node_columns().values()} == {
        "x": "feature",
        "label": "label",
    }
    assert {c.name: c.role for c in dataset.edge_columns().values()} == {
        "w": "weight",
        "orig_id": "feature",
        "weight": "feature",
    }
    assert dataset.id_set("valid").tolist() == dataset.id_set("test").tolist() == [0, 3]


def test_dgl_of_several_types() -> None:
    ends = np.array([0, 1], np.int32), np.array([1, 0], np.int32)
    graph = FakeGraph(
        {"user": 2, "odd__item_": 5},
        {("user", "rev_by", "odd__item_"): ends, ("user", "likes", "user"): ends},
        ndata={"odd__item_": {"time": np.arange(5)}},
    )
    dataset = gls.from_dgl(graph)
    assert dataset.node_types == ["user", "odd_item"]
    assert dataset.edge_types == [("user", "rev_by", "odd_item"), ("user", "likes", "user")]
    assert dataset.num_nodes("odd_item") == 5
    assert dataset.node_columns("odd_item")["time"].role == "time"


class Long(np.ndarray):  # type: ignore[type-arg]
    """An array that is widened as tensors are."""

    def long(self) -> Any:
        return self.astype(np.int64)


class CompressedGraph(FakeGraph):
    """A graph that is restricted to one format."""

    def __init__(self, layout: str, arrays: Any) -> None:
        super().__init__({"_N": 3}, {("_N", "_E", "_N"): None})
        self._layout, self._arrays = layout, arrays

    def formats(self) -> Dict[str, List[str]]:
        return {"created": [self._layout], "not created": []}

    def adj_tensors(self, layout: str, etype: Any) -> Any:
        assert layout == self._layout and etype == ("_N", "_E", "_N")
        return self._arrays


@pytest.mark.parametrize("layout", ["csc", "csr"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("with_ids", [False, True])
def test_dgl_restricted_to_a_format(layout: str, index: Any, with_ids: bool) -> None:
    indptr, indices = np.array([0, 2, 2, 3], index).view(Long), np.array([1, 2, 0], index)
    ids = np.array([2, 0, 1] if with_ids else [], index)
    dataset = gls.from_dgl(CompressedGraph(layout, (indptr, indices, ids)), layouts=layout)
    rows_and_others = [(0, 2), (2, 0), (0, 1)] if with_ids else [(0, 1), (0, 2), (2, 0)]
    turned = [(other, row) for row, other in rows_and_others]
    assert edges_of(dataset) == (turned if layout == "csc" else rows_and_others)
    assert dataset.topology(layout).indices.data_ptr() == indices.ctypes.data


def test_dgl_errors() -> None:
    ends = np.array([0]), np.array([0])
    with pytest.raises(TypeError, match="graph of DGL, not list"):
        gls.from_dgl([])
    with pytest.raises(gls.InvalidArgument, match="'a__b' and 'a_b' both become 'a_b'"):
        gls.from_dgl(FakeGraph({"a__b": 1, "a_b": 1}, {("a_b", "to", "a_b"): ends}))
    block = FakeGraph({"a": 1}, {("a", "to", "a"): ends})
    block.is_block = True
    with pytest.raises(gls.Unsupported, match="it is a block"):
        gls.from_dgl(block)


# ---- PyG without PyG, and Arrow ----


def test_pyg_needs_data() -> None:
    with pytest.raises(TypeError, match="must be Data or HeteroData of PyG, not dict"):
        gls.from_pyg({})


def test_arrow() -> None:
    papers = pa.table({"id": ["c", "a", "b"], "x": [1.0, 2.0, 3.0]})
    cites = pa.table({"from": ["a", "c"], "to": ["b", "b"], "w": [0.5, 1.5]})
    authors = pa.table({"age": [30, 40]})
    dataset = gls.from_arrow(
        {
            "paper": (papers, {"key": "id", "columns": ["x"]}),
            "author": (authors, {"num_nodes": 2, "ids": "dense"}),
        },
        {
            ("paper", "cites", "paper"): (
                cites,
                {"source": "from", "target": "to", "columns": {"w": "weight"}},
            ),
            "author__writes__paper": pa.table({"a": [1, 0], "p": ["a", "c"]}),
        },
        layouts=("csc", "csr"),
    )
    assert dataset.node_types == ["paper", "author"]
    assert edges_of(dataset, "paper__cites__paper") == [(1, 2), (0, 2)]
    assert edges_of(dataset, "author__writes__paper") == [(1, 1), (0, 0)]
    assert dataset.edge_columns("paper__cites__paper")["w"].role == "weight"
    assert dataset.node_column("age", "author").tolist() == [30, 40]


def test_arrow_errors() -> None:
    table = pa.table({"a": [0], "b": [0]})
    with pytest.raises(gls.InvalidArgument, match="is not Arrow data"):
        gls.from_arrow({"a": [1]}, {})  # type: ignore[dict-item]
    with pytest.raises(gls.InvalidArgument, match="edges: a tuple is not Arrow data and"):
        gls.from_arrow({}, {"a__to__a": (table,)})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        gls.from_arrow({"a": (table, {"colour": 1})}, {})
