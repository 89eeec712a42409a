"""Attributes of ``loader.data`` that are set, replaced or deleted after the loader was made, against PyG."""

from __future__ import annotations

import copy
import gc
import warnings
import weakref
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyg_whole import HOPS, WholeNeighbourhoods, as_pyg, same
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import NodeLoader
from torch_geometric.loader.utils import filter_data, filter_hetero_data

import gls
from gls.pyg import (
    AnchorLoader,
    ClusterLoader,
    GraphSAINTEdgeSampler,
    GraphSAINTNodeSampler,
    GraphSAINTRandomWalkSampler,
    HGTLoader,
    LinkNeighborLoader,
    NeighborLoader,
)

NODES, BATCH = 12, 5
CITES = ("paper", "cites", "paper")
WRITES = ("author", "writes", "paper")


def ring(nodes: int) -> torch.Tensor:
    ids = torch.arange(nodes)
    return torch.stack([ids, (ids + 1) % nodes])


def graph(edges: int) -> Data:
    """The largest id occurs, so that PyG finds the number of nodes without attributes, too."""
    generator = torch.Generator().manual_seed(edges)
    edge_index = torch.randint(0, NODES, (2, edges), generator=generator)
    edge_index[:, 0] = NODES - 1
    return Data(
        x=torch.randn(NODES, 3, generator=generator),
        y=torch.arange(NODES),
        edge_index=edge_index,
        edge_attr=torch.randn(edges, 2, generator=generator),
        title="graph",
    )


def hetero() -> HeteroData:
    generator = torch.Generator().manual_seed(5)
    made = HeteroData()
    made["paper"].x = torch.randn(NODES, 3, generator=generator)
    made["author"].x = torch.randn(7, 2, generator=generator)
    cites = torch.randint(0, NODES, (2, 30), generator=generator)
    cites[:, 0] = NODES - 1
    made[CITES].edge_index = cites
    made[CITES].edge_attr = torch.randn(30, 2, generator=generator)
    writes = torch.stack([torch.arange(28) % 7, torch.arange(28) % NODES])
    made[WRITES].edge_index = writes
    made[WRITES].weight = torch.rand(28, generator=generator)
    made.title = torch.arange(3)
    return made


def test_layer_wise_inference() -> None:
    data = Data(x=torch.arange(10.0)[:, None], edge_index=ring(10))
    loader = NeighborLoader(copy.copy(data), [-1], input_nodes=None, batch_size=4)
    assert next(iter(loader)).x.shape == (5, 1)
    del loader.data.x
    loader.data.num_nodes = 10
    loader.data.n_id = torch.arange(10)
    batches = list(loader)
    assert [batch.n_id.tolist() for batch in batches] == [
        [0, 1, 2, 3, 9],
        [4, 5, 6, 7, 3],
        [8, 9, 7],
    ]
    assert not any("x" in batch for batch in batches)
    assert [batch.num_nodes for batch in batches] == [5, 5, 3]
    assert "x" in data and "n_id" not in data


# ---- random changes, against PyG's own NodeLoader --------------------------------------------------

Change = Tuple[
    Any, str, Callable[[], Any]
]  # the store's key, the attribute, and its value if it is set


def values(rows: int) -> st.SearchStrategy[Callable[[], Any]]:
    """What makes an attribute with so many rows, anew each time it is called."""
    kinds: List[Callable[[], Any]] = [
        lambda: torch.arange(rows),
        lambda: torch.arange(rows * 2.0).view(rows, 2),
        lambda: torch.arange(rows * 2.0).view(2, rows).t(),
        lambda: torch.arange(rows) % 2 == 0,
        lambda: torch.complex(torch.arange(rows * 1.0), torch.ones(rows)),
        lambda: torch.arange(rows).to(torch.bfloat16),
        lambda: np.arange(rows * 3.0).reshape(rows, 3),
        lambda: torch.arange(rows * 1.0, requires_grad=True).detach(),
    ]
    return st.sampled_from(kinds)


OTHERS = st.sampled_from(
    [lambda: torch.arange(3), lambda: torch.tensor(7), lambda: "text", lambda: 5, lambda: [1, 2]]
)
DELETED = st.just(lambda: None)


def changes(sizes: Dict[Any, Tuple[List[str], int]]) -> st.SearchStrategy[List[List[Change]]]:
    """Rounds of changes; between them, all batches are compared. What names a count is always as long."""

    def of(key: Any) -> st.SearchStrategy[Change]:
        names, rows = sizes[key]
        counting = st.tuples(st.just(key), st.sampled_from(names), values(rows) | DELETED)
        own = values(rows) | OTHERS | DELETED
        return counting | st.tuples(st.just(key), st.sampled_from(["a", "b", "mask"]), own)

    one = st.one_of([of(key) for key in sizes])
    return st.lists(st.lists(one, max_size=4), min_size=1, max_size=3)


def apply(store: Any, change: Change) -> None:
    _, name, make = change
    value = make()
    if value is not None:
        store[name] = value
    elif name in store:
        del store[name]


def compare(loader: Any, theirs: NodeLoader) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Unable to accurately infer")
        expected = list(theirs)
    batches = list(loader)
    assert len(batches) == len(expected) > 0
    for got, wanted in zip(batches, expected):
        same(as_pyg(got), wanted.to_dict())


@pytest.mark.parametrize("edges", [30, NODES], ids=["", "as many edges as nodes"])
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    rounds=changes(
        {
            "node": (["x", "y", "n_id", "pos"], NODES),
            "edge": (["edge_attr", "edge_weight"], 0),
            "count": (["num_nodes"], 0),
        }
    )
)
def test_data_is_as_pyg_has_it_now(edges: int, rounds: Any) -> None:
    ours, theirs = graph(edges), graph(edges)
    loader = NeighborLoader(ours, [-1] * HOPS, batch_size=BATCH)
    other = NodeLoader(theirs, WholeNeighbourhoods(theirs), batch_size=BATCH, input_nodes=None)
    assert loader.data is ours
    for round_ in rounds:
        for kind, name, make in round_:
            for store in (ours._store, theirs._store):
                value = make()
                if kind == "count" and name == "num_nodes":
                    value = None if value is None else NODES
                elif kind == "edge" and value is not None and hasattr(value, "shape"):
                    value = torch.arange(edges * 2.0).view(edges, 2) + len(value.shape)
                apply(store, (kind, name, lambda value=value: value))
        compare(loader, other)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    rounds=changes(
        {
            "paper": (["x", "n_id", "y"], NODES),
            "author": (["x", "n_id", "y"], 7),
            CITES: (["edge_attr", "edge_weight", "e_id"], 30),
            WRITES: (["edge_attr", "weight", "time"], 28),
        }
    )
)
def test_hetero_data_is_as_pyg_has_it_now(rounds: Any) -> None:
    ours, theirs = hetero(), hetero()
    for data in (ours, theirs):  # PyG finds no number of nodes where a type has no attribute
        data["paper"].num_nodes, data["author"].num_nodes = NODES, 7
    loader = NeighborLoader(ours, [-1] * HOPS, "paper", batch_size=BATCH)
    sampler = WholeNeighbourhoods(theirs)
    other = NodeLoader(theirs, sampler, input_nodes="paper", batch_size=BATCH)
    for round_ in rounds:
        for change in round_:
            for data in (ours, theirs):
                apply(data[change[0]], change)
        ours.title = theirs.title = torch.arange(len(round_))
        compare(loader, other)


# ---- every loader ---------------------------------------------------------------------------------

LOADERS: Dict[str, Callable[[Data], Any]] = {
    "neighbor": lambda data: NeighborLoader(data, [2, 2], batch_size=BATCH),
    "link": lambda data: LinkNeighborLoader(data, [2], neg_sampling="binary", batch_size=BATCH),
    "anchor": lambda data: AnchorLoader(data, [2], ("node", "to", "node"), batch_size=BATCH),
    "hgt": lambda data: HGTLoader(data, [4, 4], batch_size=BATCH),
    "saint nodes": lambda data: GraphSAINTNodeSampler(data, BATCH, 3),
    "saint edges": lambda data: GraphSAINTEdgeSampler(data, BATCH, 3),
    "saint walks": lambda data: GraphSAINTRandomWalkSampler(data, BATCH, 2, 3),
    "clusters": lambda data: ClusterLoader(data, torch.arange(NODES) % 4),
}
ADDED = {"batch", "num_sampled_nodes", "num_sampled_edges", "input_id", "batch_size", "seed"}
ADDED |= {"edge_label", "edge_label_index", "anchors", "y_positive", "y_negative", "e_id", "n_id"}


def check(batch: Data, data: Data) -> None:
    expected = filter_data(data, batch.n_id, *batch.edge_index, batch.e_id).to_dict()
    got = batch.to_dict()
    assert set(got) - ADDED == set(expected)
    for name, value in expected.items():
        same(got[name], value, name)


@pytest.mark.parametrize("which", LOADERS)
def test_every_loader_has_what_the_data_has(which: str) -> None:
    data = graph(30)
    loader = LOADERS[which](data)
    for batch in loader:
        check(batch, data)
    del loader.data.x
    loader.data.num_nodes = NODES
    loader.data.y = torch.arange(NODES) + 100
    loader.data.new = torch.arange(NODES * 2.0).view(NODES, 2)
    loader.data.edge_new = torch.arange(30)
    loader.data.scalar = 7
    assert data.scalar == 7
    batches = list(loader)
    for batch in batches:
        check(batch, data)
        assert "x" not in batch and batch.scalar == 7
        assert batch.y.tolist() == (batch.n_id + 100).tolist()
        assert batch.edge_new.tolist() == batch.e_id.tolist()
    replaced = graph(30)
    loader.data = replaced
    assert loader.data is replaced
    for batch in loader:
        check(batch, replaced)
        assert "x" in batch and "new" not in batch


@pytest.mark.parametrize("which", ["neighbor", "link", "anchor", "hgt"])
def test_every_loader_of_typed_data(which: str) -> None:
    data = hetero()
    loader: Any = {
        "neighbor": lambda: NeighborLoader(data, [2, 2], "paper", batch_size=BATCH),
        "link": lambda: LinkNeighborLoader(data, [2], WRITES, batch_size=BATCH),
        "anchor": lambda: AnchorLoader(data, [2], CITES, "paper", batch_size=BATCH),
        "hgt": lambda: HGTLoader(data, [4, 4], "paper", batch_size=BATCH),
    }[which]()
    del loader.data["author"].x
    loader.data["author"].num_nodes = 7
    loader.data["paper"].x = torch.arange(NODES) + 100
    loader.data["author"].name = np.arange(7)
    loader.data[CITES].time = torch.arange(30)
    del loader.data[WRITES].weight
    for batch in loader:
        node = {key: batch[key].n_id for key in data.node_types}
        row = {key: batch[key].edge_index[0] for key in data.edge_types}
        col = {key: batch[key].edge_index[1] for key in data.edge_types}
        edge = {key: batch[key].e_id for key in data.edge_types}
        expected = filter_hetero_data(data, node, row, col, edge)
        for own, wanted in zip(batch.stores[1:], expected.stores[1:]):
            got = own.to_dict()
            assert set(got) - ADDED == set(wanted.to_dict())
            for name, value in wanted.to_dict().items():
                same(got[name], value, name)


def test_clusters_of_cluster_data() -> None:
    from test_torch_pyg_saint import Clustered

    torch.manual_seed(4)
    nodes, edges = 80, 500
    data = Data(
        x=torch.randn(nodes, 5),
        y=torch.arange(nodes),
        edge_index=torch.randint(0, nodes, (2, edges)),
        edge_attr=torch.randn(edges, 2),
        train_mask=torch.rand(nodes) < 0.5,
    )
    made = Clustered(data, torch.randint(0, 10, (nodes,)), 10)
    loader = ClusterLoader(made)
    del made.data.x
    made.data.number = torch.arange(nodes)
    made.data.edge_number = torch.arange(edges)
    for batch in loader:
        assert "x" not in batch
        assert torch.equal(batch.number, batch.n_id)
        assert torch.equal(batch.edge_number, batch.e_id)
        assert torch.equal(batch.y, made.data.y[batch.n_id])


# ---- what else may change -------------------------------------------------------------------------


def test_replaced_edges_are_told() -> None:
    data = graph(30)
    loader = NeighborLoader(data, [-1], batch_size=BATCH)
    before = [batch.e_id.tolist() for batch in loader]
    data.edge_index = data.edge_index.clone()  # the same edges
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [batch.e_id.tolist() for batch in loader] == before
    data.edge_index = data.edge_index.flip(0)
    with pytest.warns(UserWarning, match="edge_index was replaced after the loader was made"):
        assert [batch.e_id.tolist() for batch in loader] == before
    with warnings.catch_warnings():  # once is enough
        warnings.simplefilter("error")
        assert [batch.e_id.tolist() for batch in loader] == before


def test_types_that_the_graph_does_not_have_are_empty() -> None:
    data = hetero()
    loader = NeighborLoader(data, [-1], "paper", batch_size=BATCH)
    data["place"].x = torch.ones(3, 2)
    data["paper", "at", "place"].edge_index = torch.tensor([[0, 1], [1, 2]])
    with pytest.warns(UserWarning, match="was added after the loader was made") as caught:
        batch = next(iter(loader))
    added = sorted(str(warning.message)[:30] for warning in caught)
    assert added == ["data: the type 'place' was add", "data: the type ('paper', 'at',"]
    assert {warning.filename for warning in caught} == {__file__}
    assert batch["place"].x.shape == (0, 2)
    assert batch["paper", "at", "place"].edge_index.shape == (2, 0)


def test_attributes_elsewhere_are_cut_there() -> None:
    data = graph(30)
    loader = NeighborLoader(data, [2], batch_size=BATCH)
    data.far = torch.ones(NODES, 2, device="meta")
    batch = next(iter(loader))
    assert batch.far.device.type == "meta" and batch.far.shape == (batch.num_nodes, 2)


def test_changes_that_cannot_be() -> None:
    data = graph(30)
    loader = NeighborLoader(data, [2], batch_size=BATCH)
    with pytest.raises(gls.InvalidArgument, match="data: it is a HeteroData, expected Data"):
        loader.data = hetero()
    data.names = ["a"] * NODES
    with pytest.raises(gls.Unsupported, match="'names' is a list"):
        next(iter(loader))
    del data.names
    assert next(iter(loader)).num_nodes > 0
    padded = NeighborLoader(data, [2], batch_size=BATCH, pad=True)
    data.node_mask = torch.ones(NODES, dtype=torch.bool)
    with pytest.raises(gls.InvalidArgument, match="pad: the data has a 'node_mask' of its own"):
        next(iter(padded))
    del data.node_mask
    data.new = torch.arange(NODES) + 1
    batch = next(iter(padded))
    assert torch.equal(batch.new, (batch.n_id + 1) * batch.node_mask)
    dataset = gls.Dataset.from_arrays(data.edge_index, num_nodes=NODES)
    with pytest.raises(gls.Unsupported, match="a loader of a gls.Dataset keeps it"):
        NeighborLoader(dataset, [2]).data = data


def test_deleted_attributes_are_not_gathered() -> None:
    def made() -> Any:
        return NeighborLoader(graph(30), [2], batch_size=BATCH, shuffle=True, seed=3)

    loader, whole = made(), made()
    x = loader.data.x
    del loader.data.x, loader.data.edge_attr
    loader.set_epoch(2)
    whole.set_epoch(2)
    for got, wanted in zip(loader, whole):
        assert torch.equal(got.n_id, wanted.n_id) and torch.equal(got.y, wanted.y)
        assert "x" not in got
    rows = [loader.stats.gathered_bytes, whole.stats.gathered_bytes]
    assert rows[0] == 8 * loader.stats.nodes < rows[1]
    loader.data.x = x
    for got, wanted in zip(loader, whole):
        assert torch.equal(got.n_id, wanted.n_id) and torch.equal(got.x, wanted.x)


def test_what_was_deleted_is_let_go() -> None:
    data = graph(30)
    loader = NeighborLoader(data, [2], batch_size=BATCH)
    data.new = torch.arange(NODES)
    kept = weakref.ref(data.new)
    assert all("new" in batch for batch in loader) and kept() is not None
    del data.new
    assert not any("new" in batch for batch in loader)
    gc.collect()
    assert kept() is None


def test_calls_have_the_attributes_of_now() -> None:
    data = graph(30)
    loader = NeighborLoader(data, [-1])
    data.x = torch.arange(NODES)
    batch = loader([4, 2])
    assert torch.equal(batch.x, batch.n_id)
