"""Padded batches of links, walks, neighbours, anchors, budgets and subgraphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gls

USERS, ITEMS = 60, 25
BUYS, BACK = "user__buys__item", "item__bought_by__user"


def shop(users: int = USERS, items: int = ITEMS, edges: int = 200, seed: int = 4) -> gls.Dataset:
    rng = np.random.default_rng(seed)
    builder = gls.DatasetBuilder()
    builder.add_node_type("user", users)
    builder.add_node_type("item", items)
    ends = rng.integers(0, users, edges), rng.integers(0, items, edges)
    builder.add_edges(BUYS, *ends)
    builder.add_edges(BACK, *ends[::-1])
    builder.add_node_column("user", "x", rng.normal(size=(users, 3)).astype(np.float32))
    builder.add_node_column("item", "label", np.arange(items), role="label")
    builder.add_node_column("item", "part", rng.integers(-1, min(3, items), items))
    builder.add_edge_column(BUYS, "f", np.arange(edges))
    return builder.build(layouts=("csc", "csr"))


PATH = [BUYS, BACK]  # toward sources, from items to users and back


def links(mode: Any, amount: float) -> Callable[..., Any]:
    def make(dataset: gls.Dataset, **options: Any) -> Any:
        drawn = mode and gls.NegativeSampling(mode, amount, strict=True, tries=1, allow_short=True)
        return gls.LinkNeighborLoader(dataset, [3, 2], (BUYS, None), neg_sampling=drawn, **options)

    return make


def anchors(dataset: gls.Dataset, **options: Any) -> Any:
    positive = gls.Supervision(BUYS, max_labels=3, sampled=True)
    negative = gls.Supervision(node_type="item", name="given", role="negative")
    rows = np.arange(2 * dataset.num_nodes("user")).reshape(-1, 2) % 7 - 1
    labels = {"given": np.minimum(rows, dataset.num_nodes("item") - 1)}
    return gls.AnchorLoader(dataset, [3, 2], [positive, negative], labels=labels, **options)


def subgraphs(rule: Any) -> Callable[..., Any]:
    def make(dataset: gls.Dataset, **options: Any) -> Any:
        if not isinstance(rule, gls.ClusteredSeeds):
            options.pop("shuffle", None)
        return gls.NeighborLoader(
            dataset, [], "item", subgraph="induced", seed_rule=rule, **options
        )

    return make


KINDS: Dict[str, Callable[..., Any]] = {
    "nodes": lambda dataset, **options: gls.NeighborLoader(dataset, [3, 2], "item", **options),
    "links": links(None, 1),
    "pairs": links("binary", 1.5),
    "triplets": links("triplet", 2),
    "walks": lambda dataset, **options: gls.WalkLoader(
        dataset, gls.Walk(4, path=PATH, walks=2, stop=0.1), **options
    ),
    "induced walks": lambda dataset, **options: gls.WalkLoader(
        dataset, gls.Walk(4, path=PATH), subgraph="induced", **options
    ),
    "importance": lambda dataset, **options: gls.ImportanceLoader(
        dataset, gls.Importance(3, path=PATH, hops=2), **options
    ),
    "ppr": lambda dataset, **options: gls.PPRLoader(dataset, gls.PPR(6), "item", **options),
    "anchors": anchors,
    "budgets": lambda dataset, **options: gls.HGTLoader(
        dataset, gls.HGT([5, 5]), "item", **options
    ),
    "clusters": subgraphs(gls.ClusteredSeeds("part")),
    "drawn": subgraphs(gls.DrawnSeeds(3, "degree")),
}

MASKS = {
    **dict.fromkeys((0, 4, 9), 24),  # nodes
    **dict.fromkeys((1, 2, 3, 10), 25),  # edges
    **dict.fromkeys((7, 11), 26),  # seeds
    **dict.fromkeys((12, 13, 15), 27),  # links
    14: 28,
    **dict.fromkeys((16, 17), 29),  # walks
    **dict.fromkeys((18, 19, 20), 30),  # neighbours
    **dict.fromkeys((21, 22), 31),  # anchors
}
OF_SEEDS = 2  # GLS_GATHER_SEEDS


def content(batch: gls.Batch) -> Dict[Tuple[int, str, Optional[str], int], np.ndarray]:
    return {
        key: gls.Tensor(batch._content.low.tensor(key[0], key[1], key[2])).numpy()
        for key in batch._content.arrays()
    }


def without_padding(batch: gls.Batch, like: gls.Batch) -> Dict[Any, np.ndarray]:
    """The arrays that `like` has, without what masks leave out."""
    all_arrays = content(batch)
    kept = {}
    for key in content(like):
        array, type, name, rows = key
        values = all_arrays[key]
        of = batch.input_type if MASKS.get(array) == 31 else type
        mask = all_arrays.get((MASKS.get(array, -1), str(of), None, 0))
        if array == 8:
            kept[key] = values[values >= 0]
        elif array == 14:
            kept[key] = values[batch.input_id.numpy() >= 0]
        elif rows == OF_SEEDS:
            kept[key] = values[: like.nodes[type].num_sampled_nodes[0]]
        else:
            kept[key] = values if mask is None else values[mask]
    return kept


def same(got: Dict[Any, np.ndarray], expected: Dict[Any, np.ndarray]) -> None:
    assert list(got) == list(expected)
    for key, values in expected.items():
        assert got[key].dtype == values.dtype, key
        np.testing.assert_array_equal(got[key], values, str(key))


def shapes(batch: gls.Batch) -> Any:
    return {key: values.shape for key, values in content(batch).items()}


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(KINDS)),
    st.integers(1, 12),
    st.integers(0, 2**32),
    st.integers(1, 40),
    st.integers(1, 12),
    st.booleans(),
    st.booleans(),
)
def test_without_what_is_added_it_is_the_same(
    kind: str, size: int, seed: int, users: int, items: int, tight: bool, int32: bool
) -> None:
    """Of any small graph, whether batches fit or not."""
    dataset = shop(users, items, 3 * users, seed)
    options: Dict[str, Any] = {"batch_size": size, "seed": seed, "shuffle": True}
    options["columns"] = ["x", "label"]
    options["int32"] = int32
    plain = KINDS[kind](dataset, **options)
    if plain.num_global_batches == 0:
        with pytest.raises(gls.InvalidArgument, match="no batches"):
            KINDS[kind](dataset, pad=True, **options)
        return
    pad = gls.Pad(sigma=0.5, multiple=1) if tight else gls.Pad(sigma=9)
    padded = KINDS[kind](dataset, pad=pad, **options)
    fixed = set()
    for batch, real in zip(padded, plain):
        same(without_padding(batch, real), content(real))
        if batch.padding == "fits":
            fixed.add(str(shapes(batch)))
        else:
            assert batch.padding == "overflow"
            got = shapes(batch)
            assert all(got[key] == shape for key, shape in shapes(real).items())
    assert len(fixed) <= 1
    assert padded.stats.seeds == plain.stats.seeds


@pytest.fixture(scope="module")
def dataset() -> gls.Dataset:
    return shop()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_feeds_carry_all_of_it(kind: str, dataset: gls.Dataset, tmp_path: Path) -> None:
    def make() -> Any:
        return KINDS[kind](dataset, batch_size=7, pad=gls.Pad(sigma=6))

    path = tmp_path / "feed"
    own = make()
    with gls.Feed(make(), path), gls.attach(path) as loader:
        assert loader.pad_sizes == own.pad_sizes
        for mine, real in zip(loader, own):
            assert mine.padding == real.padding == "fits"
            same(content(mine), content(real))
        assert loader.stats.seeds == own.stats.seeds


def test_what_is_added_to_links(dataset: gls.Dataset) -> None:
    loader = KINDS["pairs"](dataset, batch_size=64, pad=gls.Pad(sigma=6))
    batches = list(loader)
    assert [int((batch.input_id.numpy() >= 0).sum()) for batch in batches] == [64, 64, 64, 8]
    for batch, count in zip(batches, (64, 64, 64, 8)):
        mask, label = batch.link_mask.numpy(), batch.link_label.numpy()
        assert mask.shape == label.shape == (64 + 96,)
        assert mask[:count].all() and not mask[count:64].any()
        assert np.array_equal(label, np.where(np.arange(160) < count, 1, 0))
        for ends, name in ((batch.link_source, "user"), (batch.link_target, "item")):
            nodes = batch.nodes[name]
            assert np.all(ends.numpy()[~mask] == nodes.node_mask.numpy().sum())
            assert np.all(nodes.node.numpy()[ends.numpy()[~mask]] == -1)
            assert np.all(nodes.node.numpy()[ends.numpy()[mask]] >= 0)


def test_what_is_added_to_triplets_walks_and_anchors(dataset: gls.Dataset) -> None:
    for batch in KINDS["triplets"](dataset, batch_size=64, pad=gls.Pad(sigma=6)):
        negative, found = batch.link_negative.numpy(), batch.link_negative_mask.numpy()
        real = batch.link_mask.numpy()
        spare = batch.nodes["item"].node_mask.numpy().sum()
        assert np.array_equal(found[real], negative[real] >= 0)
        assert not found[~real].any() and np.all(negative[~real] == spare)
    for batch in KINDS["walks"](dataset, batch_size=10, pad=gls.Pad(sigma=6)):
        real = batch.walk_mask.numpy()
        assert np.array_equal(real, batch.seed_mask.numpy().repeat(2))
        assert np.all(batch.walks.numpy()[~real] == -1)
        assert np.all(batch.walks.numpy()[real, 0] >= 0)
    for batch in KINDS["anchors"](dataset, batch_size=25, pad=gls.Pad(sigma=6)):
        real = batch.anchor_mask.numpy()
        users = batch.nodes["user"].node.numpy()
        assert batch.anchors.shape == (25,) and np.all(users[batch.anchors.numpy()[~real]] == -1)
        assert np.all(users[batch.anchors.numpy()[real]] >= 0)
        assert np.all(batch.positives[BUYS].numpy()[~real] == -1)
        pairs = batch.label_index("given", "negative").numpy()
        assert np.all(users[pairs[0]] >= 0)


def test_loss_by_masks_is_that_of_real_links(dataset: gls.Dataset) -> None:
    def scores(batch: gls.Batch) -> np.ndarray:
        user, item = (batch.nodes[name].node.numpy().astype(float) for name in ("user", "item"))
        return user[batch.link_source.numpy()] * item[batch.link_target.numpy()]

    plain = KINDS["pairs"](dataset, batch_size=64)
    for batch, real in zip(KINDS["pairs"](dataset, batch_size=64, pad=True), plain):
        if batch.padding == "fits":
            assert np.array_equal(scores(batch)[batch.link_mask.numpy()], scores(real))


def test_errors_and_what_is_not_there(dataset: gls.Dataset) -> None:
    supervision = gls.Supervision(BUYS, sampled=True)
    with pytest.raises(gls.InvalidArgument, match="max_labels"):
        gls.AnchorLoader(dataset, [2], supervision, pad=True)
    with pytest.raises(gls.Unsupported, match="smaller batches"):
        links("triplet", 2**16)(dataset, batch_size=2**16, pad=True)
    batch = next(iter(KINDS["pairs"](dataset)))
    names: List[str] = ["link_mask", "link_negative_mask"]
    for name in names:
        with pytest.raises(AttributeError, match="does not pad"):
            getattr(batch, name)
    batch = next(iter(KINDS["nodes"](dataset, pad=True)))
    for name in ("walk_mask", "near_mask", "anchor_mask"):
        with pytest.raises(AttributeError, match="does not pad"):
            getattr(batch, name)
