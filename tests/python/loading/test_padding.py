"""Batches of one shape."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np
import pytest

import gls


@pytest.fixture(scope="module")
def dataset() -> gls.Dataset:
    rng = np.random.default_rng(4)
    builder = gls.DatasetBuilder()
    builder.add_node_type("user", 300)
    builder.add_node_type("item", 80)
    ends = rng.integers(0, 300, 900), rng.integers(0, 80, 900)
    builder.add_edges("user__buys__item", *ends)
    builder.add_edges("item__bought_by__user", *ends[::-1])
    builder.add_node_column("user", "x", rng.normal(size=(300, 3)).astype(np.float32))
    builder.add_node_column("item", "label", np.arange(80))
    builder.add_edge_column("user__buys__item", "f", np.arange(900))
    return builder.build()


def loader(dataset: gls.Dataset, **options: Any) -> gls.NeighborLoader:
    arguments: Dict[str, Any] = {
        "batch_size": 9,
        "shuffle": True,
        "columns": ["x", "label", "f"],
        **options,
    }
    return gls.NeighborLoader(dataset, [4, 3], "item", **arguments)


def shapes(batch: gls.Batch) -> Any:
    arrays = [
        array
        for nodes in batch.nodes.values()
        for array in (nodes.node, nodes.node_mask, *(nodes[name] for name in nodes.columns))
    ]
    for edges in batch.edges.values():
        arrays += [edges.row, edges.col, edges.edge_mask, *(edges[c] for c in edges.columns)]
    return [array.shape for array in (*arrays, batch.seed_mask, batch.input_id)]


def test_all_batches_have_one_shape(dataset: gls.Dataset) -> None:
    padded = loader(dataset, pad=gls.Pad(sigma=5))
    assert set(padded.pad_sizes) == {"user", "item", "user__buys__item", "item__bought_by__user"}
    assert all(rows % 64 == 0 for rows in padded.pad_sizes.values())
    seen = set()
    for batch, real in zip(padded, loader(dataset)):
        assert batch.padding == "fits" and real.padding == "none"
        seen.add(str(shapes(batch)))
        for name, nodes in batch.nodes.items():
            count = real.nodes[name].num_nodes
            mask = nodes.node_mask.numpy()
            assert mask.dtype == np.bool_ and mask.sum() == count
            assert np.array_equal(nodes.node.numpy()[mask], real.nodes[name].node.numpy())
            assert np.all(nodes.node.numpy()[~mask] == -1)
            assert nodes.num_sampled_nodes == real.nodes[name].num_sampled_nodes
        for name, edges in batch.edges.items():
            mask, same = edges.edge_mask.numpy(), real.edges[name]
            assert np.array_equal(edges.edge_index.numpy()[:, mask], same.edge_index.numpy())
            source, _, target = str(name).split("__")
            added = edges.edge_index.numpy()[:, ~mask]
            assert np.all(added[0] == real.nodes[source].num_nodes)
            assert np.all(added[1] == real.nodes[target].num_nodes)
        x = batch.nodes["user"].x.numpy()
        assert np.all(x[~batch.nodes["user"].node_mask.numpy()] == 0)
        assert batch.seed_mask.numpy().sum() == len(real.input_id)
    assert len(seen) == 1


def test_a_mean_over_padded_arrays_is_that_of_the_real_ones(dataset: gls.Dataset) -> None:
    """As a layer would do it: messages of padding reach padding only."""

    def means(batch: gls.Batch) -> Any:
        edges, users = batch.edges["user__buys__item"], batch.nodes["user"].x.numpy()
        sums = np.zeros((batch.nodes["item"].num_nodes, users.shape[1]))
        np.add.at(sums, edges.col.numpy(), users[edges.row.numpy()])
        return sums[batch.nodes["item"].seed.numpy()]

    for batch, real in zip(loader(dataset, pad=True), loader(dataset)):
        count = len(real.input_id)
        assert np.array_equal(means(batch)[:count], means(real))
        assert np.all(means(batch)[count:] == 0)


def test_a_batch_that_does_not_fit_is_whole(dataset: gls.Dataset) -> None:
    sizes = {"user": 10, ("user", "buys", "item"): 1000}
    tight = loader(dataset, pad=gls.Pad(sizes))
    assert tight.pad_sizes["user"] == 10 and tight.pad_sizes["user__buys__item"] == 1000
    for batch, real in zip(tight, loader(dataset)):
        assert batch.padding == "overflow"
        assert np.array_equal(batch.nodes["user"].n_id.numpy(), real.nodes["user"].n_id.numpy())
        assert batch.nodes["user"].node_mask.numpy().all()


def test_sample_and_resume_pad_too(dataset: gls.Dataset) -> None:
    padded = loader(dataset, pad=True)
    batches = list(padded)
    assert shapes(padded.sample(0, 2)) == shapes(batches[2])
    other = loader(dataset, pad=True)
    first = iter(other)
    next(first)
    resumed = loader(dataset, pad=True)
    resumed.load_state_dict(other.state_dict())
    assert shapes(next(iter(resumed))) == shapes(batches[1])


def test_what_is_wrong(dataset: gls.Dataset) -> None:
    for pad in (gls.Pad({"user": 0}), gls.Pad(sigma=0), gls.Pad(batches=0), gls.Pad(multiple=0)):
        with pytest.raises(gls.InvalidArgument):
            loader(dataset, pad=pad)
    with pytest.raises(gls.NotFound, match="nobody"):
        loader(dataset, pad=gls.Pad({"nobody": 5}))
    plain = loader(dataset)
    assert plain.pad_sizes == {}
    with pytest.raises(AttributeError, match="does not pad"):
        plain.sample(0, 0).nodes["user"].node_mask
