"""Checks the model against its definition, node by node, and its gradients by differences."""

from __future__ import annotations

import numpy as np
import pytest
from model import Adam, Batch, GraphSAGE, Params

AGGREGATORS = ["mean", "gcn"]


def random_batch(
    num_new: list[int], features: int, classes: int, seed: int = 0, dtype: type = np.float64
) -> Batch:
    """A batch of random edges in which `num_new` = seeds, then the nodes first met in each hop.

    Every new node is met by a node of the hop before; further edges lead to nodes met earlier, and
    the first node of each hop has no neighbours at all, as isolated nodes occur in real graphs.
    """
    rng = np.random.default_rng(seed)
    ends = np.cumsum(num_new)
    row, col, num_edges = [], [], []
    for hop, (frontier_end, end) in enumerate(zip(ends, ends[1:])):
        frontier = np.arange(frontier_end - num_new[hop] + 1, frontier_end)
        sources = np.concatenate([np.arange(frontier_end, end), rng.integers(0, end, 6)])
        row.append(sources)
        col.append(rng.choice(frontier, len(sources)))
        num_edges.append(len(sources))
    x = rng.standard_normal((ends[-1], features)).astype(dtype)
    y = rng.integers(0, classes, num_new[0])
    return Batch(x, np.concatenate(row), np.concatenate(col), num_new, num_edges, y)


def reference_scores(model: GraphSAGE, batch: Batch) -> np.ndarray:
    """The definition, node by node and edge by edge, computing every node in every layer."""
    neighbours: list[list[int]] = [[] for _ in batch.x]
    for source, target in zip(batch.row, batch.col):
        neighbours[target].append(source)
    h = batch.x
    for layer in range(model.num_layers):
        if layer > 0:
            h = np.maximum(h, 0)
        out = []
        for node, sources in enumerate(neighbours):
            group = sources + [node] if model.aggregator == "gcn" else sources
            average = h[group].mean(axis=0) if group else np.zeros(h.shape[1])
            value = average @ model.params[f"w_neigh{layer}"] + model.params[f"bias{layer}"]
            if model.aggregator == "mean":
                value = value + h[node] @ model.params[f"w_self{layer}"]
            out.append(value)
        h = np.array(out)
    return h[: batch.num_sampled_nodes[0]]


def make_model(sizes: list[int], aggregator: str, dropout: float = 0.0) -> GraphSAGE:
    rng = np.random.default_rng(7)
    model = GraphSAGE(sizes, rng, aggregator, dropout, np.float64)
    for layer in range(model.num_layers):  # a zero bias would hide a wrong one
        model.params[f"bias{layer}"][:] = rng.standard_normal(sizes[layer + 1])
    return model


@pytest.mark.parametrize("aggregator", AGGREGATORS)
@pytest.mark.parametrize("num_new", [[5, 8, 13], [5, 8, 0], [4, 6, 9, 12]])
def test_scores_follow_the_definition(aggregator: str, num_new: list[int]) -> None:
    batch = random_batch(num_new, features=6, classes=3)
    model = make_model([6] + [4] * (len(num_new) - 2) + [3], aggregator)
    np.testing.assert_allclose(
        model.forward(batch)[0], reference_scores(model, batch), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("aggregator", AGGREGATORS)
@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("num_new", [[5, 8, 13], [4, 6, 9, 12]])
def test_gradients_match_finite_differences(
    aggregator: str, dropout: float, num_new: list[int]
) -> None:
    batch = random_batch(num_new, features=6, classes=3)
    model = make_model([6] + [4] * (len(num_new) - 2) + [3], aggregator, dropout)

    def loss_and_grads() -> tuple[float, Params]:
        return model.loss_and_grads(batch, np.random.default_rng(11))  # the same mask each time

    grads = loss_and_grads()[1]
    assert grads.keys() == model.params.keys()
    step = 1e-6
    for name, param in model.params.items():
        numerical = np.zeros_like(param)
        for at in np.ndindex(param.shape):
            value = param[at]
            param[at] = value + step
            above = loss_and_grads()[0]
            param[at] = value - step
            below = loss_and_grads()[0]
            param[at] = value
            numerical[at] = (above - below) / (2 * step)
        assert np.abs(numerical).max() > 1e-4, f"{name} does not reach the loss"
        np.testing.assert_allclose(grads[name], numerical, rtol=1e-5, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("aggregator", AGGREGATORS)
def test_shapes_and_types(aggregator: str) -> None:
    batch = random_batch([5, 8, 13], features=6, classes=3, dtype=np.float32)
    rng = np.random.default_rng(0)
    model = GraphSAGE([6, 4, 3], rng, aggregator)
    scores, _ = model.forward(batch, rng)
    assert scores.shape == (5, 3) and scores.dtype == np.float32
    assert model.predict(batch).shape == (5,)
    loss, grads = model.loss_and_grads(batch, rng)
    assert np.isfinite(loss)
    optimizer = Adam(model.params, weight_decay=5e-4)
    optimizer.step(grads)
    for name, param in model.params.items():
        assert grads[name].shape == param.shape, name
        assert grads[name].dtype == param.dtype == np.float32, name


def test_last_hop_features_are_read_but_nothing_is_computed_for_them() -> None:
    batch = random_batch([5, 8, 13], features=6, classes=3)
    _, tape = make_model([6, 4, 3], "mean").forward(batch)
    first, second = (neighbourhood for neighbourhood, *_ in tape)
    assert (first.num_targets, len(first.col)) == (13, len(batch.col))
    assert (second.num_targets, len(second.col)) == (5, batch.num_sampled_edges[0])


def test_dropout_keeps_the_expectation_and_is_off_in_prediction() -> None:
    x = np.ones((1, 20000))
    no_edges = np.zeros(0, np.int64)
    batch = Batch(x, no_edges, no_edges, [1, 0], [0])
    model = make_model([20000, 2], "mean", dropout=0.3)
    model.params["w_self0"][:] = 1.0
    model.params["bias0"][:] = 0.0
    np.testing.assert_allclose(model.forward(batch)[0], 20000)
    noisy = model.forward(batch, np.random.default_rng(0))[0]
    assert noisy[0, 0] != 20000
    np.testing.assert_allclose(noisy, 20000, rtol=0.02)


def test_adam_takes_steps_of_the_learning_rate() -> None:
    # With a constant gradient both moments are exact from the first step on, so every step is lr.
    params = {"w": np.array([1.0, -2.0]), "bias": np.array([0.5])}
    optimizer = Adam(params, lr=0.1)
    for _ in range(3):
        optimizer.step({"w": np.array([3.0, -0.2]), "bias": np.array([1e-3])})
    np.testing.assert_allclose(params["w"], [0.7, -1.7], rtol=1e-6)
    np.testing.assert_allclose(params["bias"], [0.2], rtol=1e-4)


def test_weight_decay_shrinks_weights_and_spares_biases() -> None:
    params = {"w": np.array([1.0, -1.0]), "bias": np.array([1.0])}
    optimizer = Adam(params, lr=0.1, weight_decay=0.01)
    optimizer.step({"w": np.zeros(2), "bias": np.zeros(1)})
    np.testing.assert_allclose(params["w"], [0.9, -0.9], rtol=1e-5)
    np.testing.assert_array_equal(params["bias"], [1.0])


@pytest.mark.parametrize("aggregator", AGGREGATORS)
def test_overfits_a_tiny_batch(aggregator: str) -> None:
    batch = random_batch([12, 20, 30], features=16, classes=3, dtype=np.float32)
    rng = np.random.default_rng(0)
    model = GraphSAGE([16, 32, 3], rng, aggregator, dropout=0.0)
    optimizer = Adam(model.params, lr=0.02)
    first_loss = model.loss_and_grads(batch)[0]
    for _ in range(200):
        optimizer.step(model.loss_and_grads(batch)[1])
    assert model.loss_and_grads(batch)[0] < 0.02 * first_loss
    np.testing.assert_array_equal(model.predict(batch), batch.y)


def test_wrong_use_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="hops"):
        GraphSAGE([6, 4, 3], rng).forward(random_batch([5, 8], features=6, classes=3))
    with pytest.raises(ValueError, match="aggregator"):
        GraphSAGE([6, 4, 3], rng, "median")
    with pytest.raises(ValueError, match="dropout"):
        GraphSAGE([6, 4, 3], rng, dropout=1.0)
