"""PyG's FeatureStore and GraphStore: as the data of loaders here, and as a dataset for loaders of PyG."""

from __future__ import annotations

import pickle
import re
import threading
import time
import warnings
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import pytest
import torch
import torch_geometric.loader
from torch_geometric.data import Data, EdgeAttr, FeatureStore, HeteroData, TensorAttr
from torch_geometric.distributed import LocalFeatureStore
from torch_geometric.loader import NodeLoader
from torch_geometric.sampler import NeighborSampler as PygSampler
from torch_geometric.testing import MyFeatureStore, MyGraphStore

import gls
import gls.pyg
from conftest import ROOT

NODES, EDGES = 60, 400
USERS, ITEMS = 40, 25


def homogeneous() -> Data:
    generator = torch.Generator().manual_seed(0)
    edge_index = torch.randint(NODES, (2, EDGES), generator=generator)
    edge_index = edge_index[:, torch.argsort(edge_index[1], stable=True)]
    return Data(
        x=torch.randn(NODES, 4, generator=generator),
        y=torch.randint(3, (NODES,), generator=generator),
        edge_index=edge_index,
        num_nodes=NODES,
    )


def typed() -> HeteroData:
    generator = torch.Generator().manual_seed(1)
    data = HeteroData()
    data["user"].x = torch.randn(USERS, 4, generator=generator)
    data["user"].y = torch.randint(3, (USERS,), generator=generator)
    data["item"].x = torch.randn(ITEMS, 2, 3, generator=generator)
    for source, relation, target, sizes in (
        ("user", "buys", "item", (USERS, ITEMS)),
        ("item", "bought_by", "user", (ITEMS, USERS)),
        ("user", "knows", "user", (USERS, USERS)),
    ):
        ends = [torch.randint(size, (200,), generator=generator) for size in sizes]
        order = torch.argsort(ends[1], stable=True)
        data[source, relation, target].edge_index = torch.stack(ends)[:, order]
    return data


def starts(ids: torch.Tensor, count: int) -> torch.Tensor:
    return torch.cat(
        [torch.zeros(1, dtype=torch.long), torch.bincount(ids, minlength=count).cumsum(0)]
    )


def pair(data: Any, layout: str = "coo", features: Any = MyFeatureStore) -> Tuple[Any, Any]:
    """The same graph in stores. Edges are in the order of their targets."""
    feature_store, graph_store = features(), MyGraphStore()
    hetero = isinstance(data, HeteroData)
    for store in data.node_stores:
        for name in ("x", "y"):
            if name in store:
                feature_store.put_tensor(
                    store[name], group_name=store._key, attr_name=name, index=None
                )
    for store in data.edge_stores:
        row, col = store.edge_index
        size = (data[store._key[0]].num_nodes, data[store._key[2]].num_nodes) if hetero else None
        size = size or (NODES, NODES)
        if layout == "csc":
            edges = row, starts(col, size[1])
        elif layout == "csr":
            order = torch.argsort(row, stable=True)
            edges = starts(row, size[0]), col[order]
        else:
            edges = row, col
        graph_store.put_edge_index(edges, EdgeAttr(store._key, layout, layout == "csc", size))
    return feature_store, graph_store


OPTIONS: Dict[str, Any] = {"num_neighbors": [4, 3], "batch_size": 8, "seed": 3}


def assert_equal(one: Any, other: Any, but: Tuple[str, ...] = ()) -> None:
    first, second = one.to_dict(), other.to_dict()
    assert first.keys() == second.keys()

    def compare(a: Any, b: Any, way: str) -> None:
        if isinstance(a, dict):
            assert a.keys() - set(but) == b.keys() - set(but), way
            for key in a.keys() - set(but):
                compare(a[key], b[key], f"{way} {key}")
        elif isinstance(a, torch.Tensor):
            assert a.dtype == b.dtype and torch.equal(a, b), way
        else:
            assert a == b, way

    compare(first, second, "")


# ---- a pair as data of the loaders here ---------------------------------------------------------


@pytest.mark.parametrize("layout", ["coo", "csc", "csr"])
def test_homogeneous_batches_are_those_of_data(layout: str) -> None:
    data = homogeneous()
    loaders = [
        gls.pyg.NeighborLoader(given, input_nodes=torch.arange(NODES), **OPTIONS)
        for given in (data, pair(data, layout))
    ]
    assert len(loaders[0]) == len(loaders[1]) == 8
    row = torch.sort(data.edge_index[0], stable=True)
    for one, other in zip(*loaders):
        if layout != "csr":  # where the order of edges is another
            assert_equal(one, other)
        assert torch.equal(other.x, data.x[other.n_id])
        assert torch.equal(other.y, data.y[other.n_id])
        ids = other.e_id if layout != "csr" else row.indices[other.e_id]
        assert torch.equal(other.n_id[other.edge_index], data.edge_index[:, ids])
        assert other.num_nodes == len(other.n_id) and other.batch_size == len(other.input_id)


@pytest.mark.parametrize("layout", ["coo", "csc"])
def test_typed_batches_are_those_of_data(layout: str) -> None:
    data = typed()
    loaders = [
        gls.pyg.NeighborLoader(given, input_nodes=("user", None), **OPTIONS)
        for given in (data, pair(data, layout))
    ]
    for one, other in zip(*loaders):
        assert_equal(one, other, but=("num_nodes",))
        assert other["item"].num_nodes == len(other["item"].n_id)


def test_links_of_a_pair() -> None:
    data = typed()
    key = ("user", "buys", "item")
    loaders = [
        gls.pyg.LinkNeighborLoader(
            given,
            edge_label_index=(key, data[key].edge_index),
            neg_sampling="binary",
            **OPTIONS,
        )
        for given in (data, pair(data))
    ]
    for one, other in zip(*loaders):
        assert_equal(one, other, but=("num_nodes",))
    everything = gls.pyg.LinkNeighborLoader(pair(data), edge_label_index=key, **OPTIONS)
    assert sum(len(batch[key].input_id) for batch in everything) == 200


def test_seeds_that_occur_twice() -> None:
    data = homogeneous()
    loader = gls.pyg.NeighborLoader(
        pair(data), [4], torch.arange(NODES), batch_sampler=[[3, 3, 5], [7]]
    )
    first, second = loader
    assert first.n_id[:3].tolist() == [3, 3, 5] and first.batch_size == 3
    assert first.num_nodes == len(first.n_id) == len(first.x)
    assert torch.equal(first.x, data.x[first.n_id]) and second.n_id[0] == 7


def test_other_loaders_take_a_pair() -> None:
    data = homogeneous()
    for given in (pair(data), stores_of(dataset_of(data))):
        for loader in (
            gls.pyg.HGTLoader(given, [5, 5], torch.arange(9), batch_size=4),
            gls.pyg.GraphSAINTRandomWalkSampler(given, batch_size=4, walk_length=2, num_steps=3),
            gls.pyg.ClusterLoader(given, torch.arange(NODES) % 5, batch_size=2),
        ):
            for batch in loader:
                assert torch.equal(batch.x, data.x[batch.n_id])
                assert torch.equal(batch.n_id[batch.edge_index], data.edge_index[:, batch.e_id])


def test_a_local_feature_store_and_numpy() -> None:
    data = homogeneous()

    class Arrays(MyFeatureStore):
        def _get_tensor(self, attr: TensorAttr) -> Any:
            return super()._get_tensor(attr).numpy()

        def _get_tensor_size(self, attr: TensorAttr) -> Any:
            return tuple(super()._get_tensor(attr).shape)

    for features in (LocalFeatureStore, Arrays):
        given = pair(data, features=features)
        loader = gls.pyg.NeighborLoader(given, input_nodes=torch.arange(5), **OPTIONS)
        assert loader.data is given
        for batch in loader:
            assert torch.equal(batch.x, data.x[batch.n_id])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.bool, torch.int32])
def test_dtypes(dtype: torch.dtype) -> None:
    data = homogeneous()
    data.x = (data.x * 3).to(dtype)
    for batch in gls.pyg.NeighborLoader(pair(data), input_nodes=torch.arange(9), **OPTIONS):
        assert batch.x.dtype == dtype and torch.equal(batch.x, data.x[batch.n_id])


def test_names_that_columns_cannot_have() -> None:
    data = homogeneous()
    feature_store, graph_store = pair(data)
    feature_store.put_tensor(data.x + 1, group_name=None, attr_name="_x y__", index=None)
    loader = gls.pyg.NeighborLoader((feature_store, graph_store), input_nodes=[1, 2], **OPTIONS)
    for batch in loader:
        assert torch.equal(batch["_x y__"], data.x[batch.n_id] + 1)


def test_times_in_a_feature_store() -> None:
    data = homogeneous()
    data.time = torch.randint(100, (NODES,), generator=torch.Generator().manual_seed(5))
    feature_store, graph_store = pair(data)
    feature_store.put_tensor(data.time, group_name=None, attr_name="time", index=None)
    options = {**OPTIONS, "time_attr": "time", "input_nodes": torch.arange(NODES)}
    loaders = [
        gls.pyg.NeighborLoader(given, **options) for given in (data, (feature_store, graph_store))
    ]
    for one, other in zip(*loaders):
        assert_equal(one, other)


class Counting(MyFeatureStore):
    def __init__(self) -> None:
        super().__init__()
        self.lock, self.running, self.most, self.asked = threading.Lock(), 0, 0, 0

    def _get_tensor(self, attr: TensorAttr) -> Any:
        if attr.index is None:
            return super()._get_tensor(attr)
        with self.lock:
            self.running += 1
            self.asked += 1
            self.most = max(self.most, self.running)
        time.sleep(0.01)
        with self.lock:
            self.running -= 1
        return super()._get_tensor(attr)


@pytest.mark.parametrize("workers", [0, 3])
def test_calls_at_once(workers: int) -> None:
    given = pair(homogeneous(), features=Counting)
    loader = gls.pyg.NeighborLoader(
        given, input_nodes=torch.arange(NODES), num_workers=workers, **OPTIONS
    )
    before = given[0].asked
    assert len(list(loader)) == 8
    assert given[0].asked - before == 16  # x and y of each batch
    assert given[0].most == 1 if workers == 0 else 1 < given[0].most <= workers


def test_errors_of_a_feature_store() -> None:
    data = homogeneous()

    class Broken(MyFeatureStore):
        answer: Any = None

        def _get_tensor(self, attr: TensorAttr) -> Any:
            if attr.index is None or len(attr.index) < 2:
                return super()._get_tensor(attr)
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

    given = pair(data, features=Broken)
    loader = gls.pyg.NeighborLoader(given, input_nodes=torch.arange(5), **OPTIONS)
    for answer, words in (
        (ConnectionError("gone"), "ConnectionError: gone"),
        (None, "the store has nothing for the tensor"),
        (torch.zeros(3, 4), r"is torch.float32 of shape \[3, 4\], expected torch.float32 of shape"),
        (data.x.double(), "is torch.float64"),
        ("text", "a str, expected a tensor"),
    ):
        given[0].answer = answer
        with pytest.raises(gls.InvalidArgument, match=words):
            next(iter(loader))


def test_pairs_that_are_refused() -> None:
    data = homogeneous()
    feature_store, graph_store = pair(data)
    with pytest.raises(gls.InvalidArgument, match="the GraphStore has no edges"):
        gls.pyg.NeighborLoader((feature_store, MyGraphStore()), input_nodes=[0], **OPTIONS)
    with pytest.raises(gls.Unsupported, match="a tuple is not Data"):
        gls.pyg.NeighborLoader((feature_store, data.x), input_nodes=[0], **OPTIONS)
    loader = gls.pyg.NeighborLoader((feature_store, graph_store), input_nodes=[0], **OPTIONS)
    with pytest.raises(gls.Unsupported, match="a loader of a FeatureStore and GraphStore"):
        loader([0])
    graph_store.put_edge_index(tuple(data.edge_index), EdgeAttr(("a", "b", "c"), "coo"))
    with pytest.raises(gls.InvalidArgument, match="edges with a type, and edges without one"):
        gls.pyg.NeighborLoader((feature_store, graph_store), input_nodes=[0], **OPTIONS)


# ---- a dataset as a pair ------------------------------------------------------------------------


def dataset_of(data: Any, **options: Any) -> gls.Dataset:
    return gls.from_pyg(data, **options)


def stores_of(dataset: gls.Dataset) -> Tuple[Any, Any]:
    return gls.pyg.FeatureStore(dataset), gls.pyg.GraphStore(dataset)


def test_a_feature_store_of_a_dataset() -> None:
    data = homogeneous()
    store = gls.pyg.FeatureStore(dataset_of(data))
    assert isinstance(store, FeatureStore)
    assert store.get_all_tensor_attrs() == [TensorAttr(None, "x"), TensorAttr(None, "y")]
    assert store.get_tensor_size(None, "x") == (NODES, 4)
    assert store.get_tensor_size(None, "z") is None
    mask = torch.arange(NODES) % 3 == 0
    for index in (None, slice(None), slice(3, 40, 5), slice(-3, None), torch.tensor([5, 5, 1])):
        expected = data.x if index is None else data.x[index]
        assert torch.equal(store.get_tensor(None, "x", index), expected)
    assert torch.equal(store.get_tensor(None, "x", mask), data.x[mask])
    assert torch.equal(store.get_tensor(None, "x", 7), data.x[7])
    assert torch.equal(store.get_tensor(None, "y", torch.empty(0)), data.y[:0])
    assert torch.equal(store[None, "x", None], data.x)
    both = store.multi_get_tensor([TensorAttr(None, name, mask) for name in ("x", "y")])
    assert torch.equal(both[0], data.x[mask]) and torch.equal(both[1], data.y[mask])
    with pytest.raises(gls.NotFound, match="there is no column 'z'; there are: x, y"):
        store.get_tensor(None, "z", None)
    with pytest.raises(gls.InvalidArgument, match="a mask of shape"):
        store.get_tensor(None, "x", mask[:5])
    for change in (
        lambda: store.put_tensor(data.x, group_name=None, attr_name="z", index=None),
        lambda: store.remove_tensor(None, "x", None),
    ):
        with pytest.raises(gls.Unsupported, match="does not change"):
            change()
    with pytest.raises(TypeError, match="dataset must be a gls.Dataset, not Data"):
        gls.pyg.FeatureStore(data)


def test_columns_of_edges() -> None:
    data = typed()
    key = ("user", "buys", "item")
    data[key].stars = torch.arange(200)
    store = gls.pyg.FeatureStore(dataset_of(data))
    groups = [(attr.group_name, attr.attr_name) for attr in store.get_all_tensor_attrs()]
    assert groups == [("user", "x"), ("user", "y"), ("item", "x"), (key, "stars")]
    assert store.get_tensor(key, "stars", torch.tensor([7, 1])).tolist() == [7, 1]
    assert torch.equal(store.get_tensor("item", "x", None), data["item"].x)


def expected_csc(data: Any, key: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    """By target, in the order of edge ids."""
    row, col = data[key].edge_index if key else data.edge_index
    count = data[key[2]].num_nodes if key else data.num_nodes
    order = torch.argsort(col, stable=True)
    return row[order], starts(col, count)


@pytest.mark.parametrize("layouts", ["csc", "csr", ("csc", "csr")])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_graph_store_of_a_dataset(layouts: Any, shuffled: bool) -> None:
    data = typed()
    if shuffled:
        for store in data.edge_stores:
            store.edge_index = store.edge_index[:, torch.randperm(200)]
    graph_store = gls.pyg.GraphStore(dataset_of(data, layouts=layouts))
    attrs = graph_store.get_all_edge_attrs()
    assert [attr.edge_type for attr in attrs] == data.edge_types
    assert attrs[0].size == (USERS, ITEMS)
    row, colptr, perm = graph_store.csc()
    for key in data.edge_types:
        assert torch.equal(colptr[key], expected_csc(data, key)[1])
        # Ids of edges are those of the dataset.
        ids = torch.arange(200) if perm[key] is None else perm[key]
        col = torch.repeat_interleave(torch.arange(len(colptr[key]) - 1), colptr[key].diff())
        assert torch.equal(data[key].edge_index[:, ids], torch.stack([row[key], col]))
        assert torch.equal(ids.sort().values, torch.arange(200))
    rows, cols, _ = graph_store.coo([("user", "knows", "user")])
    pairs = torch.stack([rows["user", "knows", "user"], cols["user", "knows", "user"]])
    if graph_store.get_all_edge_attrs()[2].layout.value == "coo":
        assert torch.equal(pairs, data["user", "knows", "user"].edge_index)
    with pytest.raises(KeyError):
        graph_store.get_edge_index(("user", "hates", "user"), "coo")
    with pytest.raises(gls.Unsupported, match="does not change"):
        graph_store.put_edge_index((rows, cols), EdgeAttr(("user", "knows", "user"), "coo"))


@pytest.mark.parametrize("make", [homogeneous, typed])
def test_the_sampler_of_pyg_takes_a_pair(make: Any) -> None:
    data = make()
    hetero = isinstance(data, HeteroData)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that pyg-lib is not there
        sampler = PygSampler(stores_of(dataset_of(data)), [3, 2])
    for key in data.edge_types if hetero else [None]:
        rows, colptr = expected_csc(data, key)
        name = "__".join(key) if key else None
        assert torch.equal(sampler.row_dict[name] if key else sampler.row, rows)
        assert torch.equal(sampler.colptr_dict[name] if key else sampler.colptr, colptr)
    assert sampler.num_nodes == ({"user": USERS, "item": ITEMS} if hetero else NODES)


@pytest.mark.parametrize("make", [homogeneous, typed])
def test_a_loader_of_pyg_takes_a_pair(make: Any) -> None:
    """PyG's loader asks the stores; GLS samples, as this needs no pyg-lib."""
    data = make()
    hetero = isinstance(data, HeteroData)
    given = stores_of(dataset_of(data))
    nodes: Any = torch.arange(USERS if hetero else NODES)
    loaders = [
        NodeLoader(
            one,
            gls.pyg.NeighborSampler(one, [4, 3], seed=3),
            input_nodes=("user", nodes) if hetero else nodes,
            batch_size=8,
        )
        for one in (data, given)
    ]
    for one, other in zip(*loaders):
        assert_equal(one, other, but=("num_nodes",))


def test_the_loaders_here_sample_the_dataset() -> None:
    data = typed()
    dataset = dataset_of(data)
    given = stores_of(dataset)
    loaders = [
        gls.pyg.NeighborLoader(one, input_nodes=("user", None), **OPTIONS)
        for one in (dataset, given)
    ]
    assert loaders[1]._source.dataset is dataset and loaders[1].data is given
    for one, other in zip(*loaders):
        assert_equal(one, other)


def test_pairs_of_parts_and_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLS_NET_PLAIN", "true")
    context = gls.Context()
    data = homogeneous()
    dataset = dataset_of(data)
    dataset.partition(tmp_path / "parts", 3, method="hash")
    with gls.Dataset.open(tmp_path / "parts") as parts:
        feature_store, graph_store = stores_of(parts)
        assert torch.equal(feature_store.get_tensor(None, "x", None), data.x)
        assert graph_store.get_all_edge_attrs()[0].layout.value == "coo"
        assert torch.equal(torch.stack(graph_store.get_edge_index(None, "coo")), data.edge_index)
        more = gls.ColumnStore(name="more", fetch=lambda ids, rows: rows.fill(1))
        graph_store = gls.pyg.GraphStore(parts.with_stores(more))
        assert torch.equal(torch.stack(graph_store.get_edge_index(None, "coo")), data.edge_index)
    with gls.Server(tmp_path / "parts", context=context) as server:
        with gls.Dataset.open(f"gls://{server.address}", context=context) as served:
            feature_store, graph_store = stores_of(served)
            index = torch.tensor([59, 0, 59])
            assert torch.equal(feature_store.get_tensor(None, "x", index), data.x[index])
            assert torch.equal(feature_store.get_tensor(None, "y", None), data.y)
            edges = torch.stack(graph_store.get_edge_index(None, "coo"))
            assert torch.equal(edges, data.edge_index)
            given = feature_store, graph_store
            for batch in gls.pyg.NeighborLoader(given, input_nodes=torch.arange(9), **OPTIONS):
                assert torch.equal(batch.x, data.x[batch.n_id])

    def fetch(ids: Any, rows: Any) -> None:
        rows[:] = data.x.numpy()[ids]

    base = gls.Dataset.from_arrays(data.edge_index, num_nodes=NODES)
    stored = base.with_stores(gls.ColumnStore(name="x", shape=4, fetch=fetch))
    feature_store, graph_store = stores_of(stored)
    assert torch.equal(feature_store.get_tensor(None, "x", None), data.x)
    assert graph_store.get_all_edge_attrs()[0].layout.value == "csc"


def test_neighbors_in_a_store_are_refused() -> None:
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", NODES)

    def fetch(nodes: Any) -> Any:
        return [0] * len(nodes), []

    stored = builder.build().with_stores(gls.NeighborStore("node__to__node", 5, fetch=fetch))
    with pytest.raises(gls.Unsupported, match="'node__to__node' are in a store"):
        gls.pyg.GraphStore(stored)


def test_forked_stores_share_a_dataset(tmp_path: Path) -> None:
    dataset_of(homogeneous()).save(tmp_path / "graph")
    given = stores_of(gls.Dataset.open(tmp_path / "graph"))
    context: Any = torch.multiprocessing.get_context("fork")
    out = context.Queue()
    child = context.Process(target=_same_dataset, args=(given, out))
    child.start()
    assert out.get(timeout=60) == (True, NODES)
    child.join()


def _same_dataset(given: Any, out: Any) -> None:
    first, second = (store.dataset for store in given)
    out.put((first is second, second.num_nodes()))


def _child(store: Any, out: Any) -> None:
    out.put(store.get_tensor(None, "x", torch.tensor([3, 1])).tolist())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes(tmp_path: Path, method: str) -> None:
    data = homogeneous()
    dataset_of(data).save(tmp_path / "graph")
    store = gls.pyg.FeatureStore(gls.Dataset.open(tmp_path / "graph"))
    store.get_tensor(None, "x", torch.tensor([0]))
    context: Any = torch.multiprocessing.get_context(method)
    out = context.Queue()
    child = context.Process(target=_child, args=(store, out))
    child.start()
    assert out.get(timeout=60) == data.x[[3, 1]].tolist()
    child.join()
    assert pickle.loads(pickle.dumps(store)).get_tensor_size(None, "x") == (NODES, 4)
    with pytest.raises(TypeError, match="made in memory"):
        pickle.dumps(gls.pyg.GraphStore(dataset_of(data)))


# ---- the page "Stores" ----------------------------------------------------------------------------


def test_programs_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLS_NET_PLAIN", "true")
    page = (ROOT / "docs" / "stores.md").read_text()
    here, pyg = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[2:4]
    data = typed()
    names: Dict[str, Any] = {"gls": gls, "torch_geometric": torch_geometric}
    names["feature_store"], names["graph_store"] = pair(data)
    exec(here, names)
    batch = next(iter(names["loader"]))
    assert torch.equal(batch["user"].x, data["user"].x[batch["user"].n_id])

    dataset_of(data).partition(tmp_path / "parts", 2, method="hash")
    names["context"] = context = gls.Context()
    with gls.Server(tmp_path / "parts", context=context) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that pyg-lib is not there
        assert '"gls://10.0.0.1:7000"' in pyg
        where = f'"gls://{server.address}", context=context'
        exec(pyg.replace('"gls://10.0.0.1:7000"', where), names)
        loader = names["loader"]
        assert loader.input_data.input_type == "user"
        assert loader.input_data.node.tolist() == list(range(USERS))
        names["dataset"].close()
