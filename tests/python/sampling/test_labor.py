"""Picking by layer: what can be said without the reference, and loaders."""

from __future__ import annotations

from typing import Any, Set

import numpy as np
import pytest

import gls

NODES, DEGREE = 400, 60


@pytest.fixture(scope="module")
def dataset() -> gls.Dataset:
    """A ring: node v has edges from v + 1 .. v + DEGREE."""
    target = np.repeat(np.arange(NODES), DEGREE)
    source = (target + 1 + np.tile(np.arange(DEGREE), NODES)) % NODES
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", source, target)
    return builder.build()


def count(dataset: gls.Dataset, **options: Any) -> int:
    sampler = gls.Sampler(dataset, [5, 5], seed=3, **options)
    seeds = np.arange(100, 116)
    return sum(len(sampler.sample(seeds, batch=b).node) for b in range(20))


def test_fewer_nodes(dataset: gls.Dataset) -> None:
    apart = count(dataset)
    layer = count(dataset, pick="layer")
    assert layer < 0.6 * apart
    assert count(dataset, pick="layer", layer_dependent=True) < layer


def picked(sampler: gls.Sampler, number: int) -> Set[int]:
    return set(sampler.sample([7], batch=number).edge.tolist())


def test_dependent_batches(dataset: gls.Dataset) -> None:
    def kept(dependency: int, apart: int) -> float:
        sampler = gls.Sampler(
            dataset, [20], pick="layer", batch_dependency=dependency, with_edge_ids=True
        )
        shares = [len(picked(sampler, b) & picked(sampler, b + apart)) / 20 for b in range(200)]
        return float(np.mean(shares))

    by_chance = 20 / DEGREE
    assert kept(1, 1) == pytest.approx(by_chance, abs=0.05)
    assert kept(8, 8) == pytest.approx(by_chance, abs=0.05)
    falling = [kept(8, apart) for apart in (0, 1, 2, 4, 8)]
    assert falling[0] == 1
    assert falling == sorted(falling, reverse=True)
    assert falling[1] > 0.85


def test_loader(dataset: gls.Dataset) -> None:
    options: Any = dict(pick="layer", batch_dependency=4, layer_dependent=True, seed=11)
    sampler = gls.Sampler(dataset, [5, 3], **options)
    for threads in (1, 3):
        loader = gls.NeighborLoader(
            dataset, [5, 3], batch_size=64, num_workers=threads, columns=[], **options
        )
        for number, batch in enumerate(loader):
            seeds = np.arange(64 * number, min(64 * (number + 1), NODES))
            expected = sampler.sample(seeds, batch=number)
            assert batch.node.tolist() == expected.node.tolist()
            assert batch.row.tolist() == expected.row.tolist()
    links = gls.LinkNeighborLoader(
        dataset, [5], np.arange(90), batch_size=30, columns=[], **options
    )
    assert sum(len(batch.link_source) for batch in links) == 90
