"""Weights whose sum no float64 holds, columns of masks as weights, and layouts that excluding needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gls

HUGE = np.array([1e308, 1e308, 1.0])


def two_way(layouts: Any = ("csc", "csr"), **columns: Any) -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_node_type("user", 3)
    builder.add_node_type("item", 3)
    builder.add_edges("user__likes__item", np.array([[0, 1, 2], [0, 0, 1]]))
    builder.add_edges("item__liked__user", np.array([[0, 0, 1], [0, 1, 2]]))
    for name, values in columns.items():
        builder.add_node_column("item", name, values, role="weight")
        builder.add_edge_column("user__likes__item", name, values, role="weight")
    return builder.build(layouts=layouts)


def test_weights_of_negatives_that_add_up_to_infinity() -> None:
    negatives = gls.NegativeSampling(mode="triplet", target_weight="huge")
    sampler = gls.Sampler(two_way(huge=HUGE), [1], neg_sampling=negatives)
    with pytest.raises(gls.CorruptData, match='nodes of type "item" add up to infinity'):
        sampler.sample_links(("user__likes__item", np.array([0])))


def test_weights_of_drawn_seeds_that_add_up_to_infinity() -> None:
    dataset = two_way(huge=HUGE)
    with pytest.raises(gls.CorruptData, match='nodes of type "item" add up to infinity'):
        rule = gls.DrawnSeeds(3, weight="huge")
        list(gls.NeighborLoader(dataset, [1], ("item", np.arange(3)), seed_rule=rule))


@pytest.mark.parametrize("direction, layout, other", [("in", "csc", "csr"), ("out", "csr", "csc")])
def test_reverse_types_need_the_layout_that_is_read(
    direction: str, layout: str, other: str
) -> None:
    """Also where nothing is picked."""
    pairs = [("user__likes__item", "item__liked__user")]
    options: Any = {"direction": direction, "reverse_types": pairs}
    gls.Sampler(two_way(), [0], exclude_mode="reverse_types", **options)
    with pytest.raises(gls.Unsupported, match=f"reverse_types: .* need the {layout} layout"):
        gls.Sampler(two_way(other), [0], exclude_mode="reverse_types", **options)


@pytest.mark.parametrize(
    "replace, pick",
    [
        ("never", "independent"),
        ("above", "independent"),
        ("always", "independent"),
        ("never", "layer"),
    ],
)
def test_masks_are_weights(replace: str, pick: str) -> None:
    """A column of bool leaves out the edges where it is false, and all others are alike."""
    mask = np.array([1, 0, 0, 1, 0, 1, 1, 0], bool)
    edges = np.stack([np.arange(1, 9), np.zeros(8, np.int64)])

    def picked(column: Any, fanout: int, seeds: int = 1) -> Any:
        dataset = gls.Dataset.from_arrays(edges, num_nodes=9, edge_columns={"mask": column})
        sampler = gls.Sampler(
            dataset,
            [fanout],
            weight_attr="mask",
            with_edge_ids=True,
            replace=replace,
            pick=pick,
            disjoint=True,
        )
        return sampler.sample(np.zeros(seeds, np.int64)).edge.numpy()

    true = np.flatnonzero(mask).tolist()
    assert sorted(picked(mask, -1).tolist()) == true
    for fanout in (1, 2, 3, 4, 6):
        found = picked(mask, fanout, 50)
        assert set(found.tolist()) <= set(true)
        assert len(found) == 50 * (fanout if replace == "always" else min(fanout, len(true)))
        assert (found == picked(mask.astype(np.uint8), fanout, 50)).all()
        assert (found == picked(mask.astype(np.float64), fanout, 50)).all()
    assert len(picked(np.zeros(8, bool), 3)) == 0


def test_masks_are_weights_of_negatives() -> None:
    mask = np.array([False, True, True])
    dataset = two_way(mask=mask)
    negatives = gls.NegativeSampling(mode="triplet", amount=40, target_weight="mask")
    batch = gls.Sampler(dataset, [0], neg_sampling=negatives).sample_links(
        ("user__likes__item", np.array([0]))
    )
    drawn = batch.edges["user__likes__item"].link_negative.numpy()
    assert set(batch.nodes["item"].node.numpy()[drawn].ravel().tolist()) == {1, 2}
