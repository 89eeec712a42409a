"""Modes of exclusion that have nothing to exclude are refused: the answer would be in the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gls

FORTH, BACK = ("user", "buys", "item"), ("item", "bought", "user")
MODES: Any = {
    "reverse_types": {"exclude_mode": "reverse_types", "reverse_types": {FORTH: BACK}},
    "reverse_id": {"exclude_mode": "reverse_id", "reverse_column": "reverse"},
}


@pytest.fixture(scope="module")
def dataset() -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_node_type("user", 4)
    builder.add_node_type("item", 5)
    source, target = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4])
    builder.add_edges(FORTH, np.stack([source, target]))
    builder.add_edges(BACK, np.stack([target, source]))
    for name in (FORTH, BACK):
        builder.add_edge_column(name, "reverse", np.arange(4)[::-1].copy())
    return builder.build(layouts=("csc", "csr"))


@pytest.mark.parametrize("mode", MODES)
def test_loaders_refuse_a_mode_without_edges(dataset: gls.Dataset, mode: str) -> None:
    options = MODES[mode]
    refusal = (
        f'exclude_mode is "{mode}", but no edges are excluded.* set exclude_links, or give exclude'
    )
    with pytest.raises(gls.InvalidArgument, match=refusal) as caught:
        gls.LinkNeighborLoader(dataset, [2], FORTH, **options)
    assert caught.value.detail["argument"] == "exclude_mode"
    with pytest.raises(gls.InvalidArgument, match="none has a reverse to add; give exclude"):
        gls.NeighborLoader(dataset, [2], "user", **options)
    with pytest.raises(gls.InvalidArgument, match="exclude_mode"):
        gls.HGTLoader(dataset, gls.HGT([2]), "user", **options)
    with pytest.raises(gls.InvalidArgument, match="make a supervision sampled, or give exclude"):
        gls.AnchorLoader(dataset, {BACK: [2], FORTH: [0]}, FORTH, "user", **options)
    sampled = gls.Supervision(FORTH, sampled=True)
    made = [
        gls.LinkNeighborLoader(dataset, [2], FORTH, exclude_links=True, **options),
        gls.NeighborLoader(dataset, [2], "user", exclude={FORTH: [0]}, **options),
        gls.AnchorLoader(dataset, {BACK: [2], FORTH: [0]}, sampled, "user", **options),
    ]
    assert [sum(1 for _ in loader) for loader in made] == [1, 1, 1]


@pytest.mark.parametrize("mode", MODES)
def test_requests_for_links_refuse_it_too(dataset: gls.Dataset, mode: str) -> None:
    sampler = gls.Sampler(dataset, [-1], with_edge_ids=True, **MODES[mode])
    with pytest.raises(gls.InvalidArgument, match=f'exclude_mode is "{mode}"'):
        sampler.sample_links((FORTH, [0]))
    batch = sampler.sample_links((FORTH, [0]), exclude={FORTH: [0]})
    assert 0 not in batch.edges[FORTH].edge.numpy()
    assert sampler.sample({"user": [0]}).batch_size == 1  # no links, so there is no answer to see


def test_bidirectional_subgraphs_pair_types_without_excluding(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(
        dataset, [2], "user", subgraph="bidirectional", reverse_types={FORTH: BACK}
    )
    assert sum(1 for _ in loader) == 1
