"""Padded batches in functions that XLA compiles once, for one shape."""

from __future__ import annotations

from typing import Any, Callable, Dict

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gls

NODES, EDGES, WIDTH = 150, 900, 8
OPTIONS: Dict[str, Any] = {"batch_size": 32, "shuffle": True, "seed": 5}


@pytest.fixture(scope="module")
def dataset() -> gls.Dataset:
    rng = np.random.default_rng(1)
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", NODES)
    builder.add_edges("node__to__node", *rng.integers(0, NODES, (2, EDGES)))
    builder.add_node_column("node", "x", rng.normal(size=(NODES, WIDTH)).astype(np.float32))
    return builder.build(layouts=("csc",))


def mean_twice(x: Any, row: Any, col: Any) -> Any:
    """Two layers of the mean of neighbours; edges lead from `row` to `col`."""
    for _ in range(2):
        ones = jnp.ones(row.shape[0])
        count = jax.ops.segment_sum(ones, col, num_segments=x.shape[0])
        total = jax.ops.segment_sum(x[row], col, num_segments=x.shape[0])
        x = x + total / jnp.maximum(count, 1)[:, None]
    return x


def counted(function: Callable[..., Any]) -> Any:
    """What XLA compiles of a function, and how often it was traced for that."""
    traced = []

    def trace(*arguments: Any) -> Any:
        traced.append(tuple(argument.shape for argument in arguments))
        return function(*arguments)

    return jax.jit(trace), traced


def arrays(batch: gls.Batch) -> Any:
    """Without a copy, where JAX allows that."""
    return [jax.dlpack.from_dlpack(array) for array in (batch.x, batch.row, batch.col)]


def test_one_compilation_for_all_batches(dataset: gls.Dataset) -> None:
    run, traced = counted(mean_twice)
    padded, plain = (
        gls.NeighborLoader(dataset, [5, 4], pad=pad, **OPTIONS) for pad in (gls.Pad(sigma=6), None)
    )
    seen = 0
    for _ in range(2):  # epochs
        for batch, real in zip(padded, plain):
            assert batch.padding == "fits"
            out = np.asarray(run(*arrays(batch)))
            own = np.asarray(mean_twice(*arrays(real)))
            seeds = np.asarray(batch.seed)[np.asarray(batch.seed_mask)]
            np.testing.assert_allclose(out[seeds], own[: len(seeds)], rtol=1e-5, atol=1e-5)
            assert len(seeds) == real.batch_size
            seen += 1
    assert seen == 10 and len(traced) == 1


def test_batches_without_padding_are_compiled_again_and_again(dataset: gls.Dataset) -> None:
    """What padding is for; the test above would not count otherwise."""
    run, traced = counted(mean_twice)
    for batch in gls.NeighborLoader(dataset, [5, 4], **OPTIONS):
        run(*arrays(batch))
    assert len(traced) > 1 and len(set(traced)) == len(traced)
