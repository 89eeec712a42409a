"""Batches: names of arrays and columns, for one type and for several."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np
import pytest

import gls


@pytest.fixture(scope="module")
def batch(dataset: gls.Dataset) -> gls.Batch:
    wanted = ["x", gls.ColumnRequest("y", rows="seeds"), "edge_attr", "w"]
    return next(iter(gls.NeighborLoader(dataset, [4, 3], "train", batch_size=8, columns=wanted)))


@pytest.fixture(scope="module")
def typed(shop: gls.Dataset) -> gls.Batch:
    loader = gls.NeighborLoader(shop, [3, 2], ("user", "train"), batch_size=6, with_edge_ids=True)
    return next(iter(loader))


def test_arrays_of_one_type(batch: gls.Batch, graph: Any) -> None:
    assert batch.node.tolist()[:8] == graph.train[:8].tolist()
    assert batch.batch_size == 8 and batch.seed.tolist() == list(range(8))
    assert batch.input_id.tolist() == list(range(8))
    assert batch.num_nodes == sum(batch.num_sampled_nodes) == len(batch.node)
    assert batch.num_edges == sum(batch.num_sampled_edges) == len(batch.row)
    assert len(batch.num_sampled_nodes) == 3 and len(batch.num_sampled_edges) == 2
    node = batch.node.numpy()
    ends = np.stack([node[batch.row.numpy()], node[batch.col.numpy()]])
    np.testing.assert_array_equal(ends, graph.edge_index[:, batch.edge.numpy()])
    assert batch.n_id is batch.node and batch.e_id is batch.edge
    assert (batch.epoch, batch.number, batch.num_hops) == (0, 0, 2)
    assert batch.nbytes > 0 and batch.sample_ns > 0 and batch.gather_ns > 0


def test_edge_index_is_row_and_col(batch: gls.Batch) -> None:
    assert batch.edge_index.shape == (2, batch.num_edges)
    np.testing.assert_array_equal(batch.edge_index[0], batch.row.numpy())
    np.testing.assert_array_equal(batch.edge_index[1], batch.col.numpy())
    assert batch.edge_index is batch.edge_index
    shares_memory(batch.edges["node__to__node"])


def shares_memory(edges: gls.EdgeArrays) -> None:
    """The two arrays of ends are the rows of the one array."""
    both = edges.edge_index.numpy()
    assert both.shape == (2, edges.num_edges) and both.flags.c_contiguous
    if edges.num_edges > 0:
        assert edges.row.data_ptr() == both[0].ctypes.data
        assert edges.col.data_ptr() == both[1].ctypes.data
    np.testing.assert_array_equal(both, np.stack([edges.row.numpy(), edges.col.numpy()]))


KINDS: Dict[str, Dict[str, Any]] = {
    "by targets": {},
    "by sources": {"direction": "out"},
    "toward seeds": {"direction": "out", "toward_seeds": True},
    "int32": {"int32": True},
    "disjoint": {"disjoint": True},
    "by layer": {"pick": "layer"},
    "induced": {"subgraph": "induced"},
    "padded": {"pad": True},
}


@pytest.mark.parametrize("kind", KINDS)
def test_edge_index_is_one_array_whatever_is_sampled(shop: gls.Dataset, kind: str) -> None:
    loader = gls.NeighborLoader(shop, [3, 2], ("user", "train"), batch_size=6, **KINDS[kind])
    for batch in loader:
        for edges in batch.edges.values():
            shares_memory(edges)


def test_edge_index_of_links_walks_and_budgets(dataset: gls.Dataset, shop: gls.Dataset) -> None:
    loaders: List[Any] = [
        gls.LinkNeighborLoader(dataset, [2, 2], batch_size=8),
        gls.HGTLoader(shop, gls.HGT([4, 4]), ("user", "train"), batch_size=6),
        gls.WalkLoader(dataset, gls.Walk(length=2), batch_size=6),
    ]
    for loader in loaders:
        for edges in next(iter(loader)).edges.values():
            shares_memory(edges)


class Counted(List[Any]):
    """A list that counts how often it is gone through."""

    passes = 0

    def __iter__(self) -> Any:
        self.passes += 1
        return super().__iter__()


def test_columns_of_all_types_are_found_in_one_pass(shop: gls.Dataset) -> None:
    loader = gls.NeighborLoader(
        shop, [3, 2], ("user", "train"), columns=["x", "stars"], with_edge_ids=True
    )
    batch = next(iter(loader))
    listed = batch._content._listed = Counted(batch._content.arrays())
    names = [arrays.columns for arrays in (*batch.nodes.values(), *batch.edges.values())]
    assert {"x"} <= {name for own in names for name in own}
    assert all("x" in arrays for arrays in batch.nodes.values() if arrays.columns == ["x"])
    assert listed.passes == 1


def test_columns(batch: gls.Batch, graph: Any) -> None:
    np.testing.assert_array_equal(batch.x.numpy(), graph.x[batch.node.numpy()])
    np.testing.assert_array_equal(batch["y"].numpy(), graph.y[batch.node.numpy()[:8]])
    np.testing.assert_array_equal(batch.edge_attr.numpy(), graph.edge_attr[batch.edge.numpy()])
    np.testing.assert_array_equal(batch.w.numpy(), graph.weight[batch.edge.numpy()])
    assert batch.columns == ["x", "y", "edge_attr", "w"]
    assert "x" in batch.nodes["node"] and "w" not in batch.nodes["node"]
    assert {"x", "w", "node"} <= set(dir(batch))
    assert "columns=['x', 'y', 'edge_attr', 'w']" in repr(batch)


def test_arrays_of_several_types(typed: gls.Batch, shop: gls.Dataset) -> None:
    assert typed.input_type == "user"
    assert list(typed.nodes) == ["user", "item", "shop"] and len(typed.edges) == 4
    user, item = typed.nodes["user"], typed.nodes["item"]
    assert typed.batch_size == user.batch_size == 6
    assert item.num_sampled_nodes[0] == 0
    np.testing.assert_array_equal(user.x.numpy(), shop.node_column("x", "user")[user.node.numpy()])
    np.testing.assert_array_equal(
        item.price.numpy(), shop.node_column("price", "item")[item.node.numpy()]
    )
    assert user.columns == ["x", "y"] and item.columns == ["x", "price"]
    buys = typed.edges["user", "buys", "item"]
    assert buys is typed.edges["user__buys__item"]
    np.testing.assert_array_equal(
        buys.stars.numpy(),
        shop.edge_column("stars", ("user", "buys", "item"))[buys.edge.numpy()],
    )
    assert typed.num_nodes == sum(len(arrays.node) for arrays in typed.nodes.values())
    assert typed.price is item.price  # one type has it
    assert typed.stars is buys.stars
    assert typed.input_id is user.input_id and typed.seed is user.seed


def test_types_that_are_not_reached_are_empty(shop: gls.Dataset) -> None:
    batch = gls.Sampler(shop, [2]).sample(("shop", [0]))
    assert batch.nodes["user"].node.numpy().shape == (0,)
    assert batch.edges["user__knows__user"].edge_index.shape == (2, 0)
    assert batch.edges["user__knows__user"].num_sampled_edges == [0]


def test_what_is_missing_is_explained(batch: gls.Batch, typed: gls.Batch) -> None:
    with pytest.raises(AttributeError, match="no column 'z'; gathered were: x, y, edge_attr, w"):
        batch.z  # noqa: B018
    with pytest.raises(AttributeError, match="made without disjoint"):
        batch.batch  # noqa: B018
    with pytest.raises(gls.NotFound):
        batch["z"]
    assert not hasattr(batch, "z")
    with pytest.raises(AttributeError, match="several node types: use batch.nodes"):
        typed.node  # noqa: B018
    with pytest.raises(AttributeError, match="several edge types: use batch.edges"):
        typed.row  # noqa: B018
    with pytest.raises(gls.InvalidArgument, match="several types have a column 'x': user, item"):
        typed["x"]
    assert not hasattr(typed, "x")
    with pytest.raises(AttributeError, match=r"'x': user, item: use batch\.nodes\[type\]\.x"):
        typed.x  # noqa: B018
    with pytest.raises(gls.NotFound, match="no type 'users'"):
        typed.nodes["users"]
    with pytest.raises(AttributeError, match="no column 'price'"):
        typed.nodes["user"].price  # noqa: B018
    with pytest.raises(AttributeError, match="of a loader"):
        typed.nodes["item"].input_id  # noqa: B018


def test_without_edge_ids(dataset: gls.Dataset) -> None:
    batch = gls.Sampler(dataset, [2]).sample([0])
    with pytest.raises(AttributeError, match="without with_edge_ids"):
        batch.edge  # noqa: B018
    with pytest.raises(AttributeError, match="without with_edge_ids"):
        batch.e_id  # noqa: B018
    with pytest.raises(AttributeError, match="of a loader"):
        batch.input_id  # noqa: B018


def test_seeds_of_several_types(shop: gls.Dataset) -> None:
    batch = gls.Sampler(shop, [2, 2], disjoint=True).sample({"item": [5, 6], "user": [1]})
    assert batch.input_type is None
    assert batch.nodes["item"].batch.tolist()[:2] == [0, 1]
    assert batch.nodes["user"].batch.tolist()[0] == 2
    with pytest.raises(AttributeError, match="seeds of several types"):
        batch.batch_size  # noqa: B018


def test_repeated_seeds_share_a_node(dataset: gls.Dataset) -> None:
    batch = gls.Sampler(dataset, [2]).sample([7, 9, 7])
    assert batch.batch_size == 2 and batch.seed.tolist() == [0, 1, 0]
    batch = gls.Sampler(dataset, [2], disjoint=True).sample([7, 9, 7])
    assert batch.batch_size == 3 and batch.seed.tolist() == [0, 1, 2]


def test_a_column_may_bear_the_name_of_an_array() -> None:
    dataset = gls.Dataset.from_arrays(
        [[0], [1]], node_columns={"node": [5.0, 6.0], "batch": [7, 8]}
    )
    batch = next(iter(gls.NeighborLoader(dataset, [1])))
    assert batch.node.tolist() == [0, 1]
    assert batch["node"].tolist() == [5.0, 6.0]
    assert batch["batch"].tolist() == [7, 8]
