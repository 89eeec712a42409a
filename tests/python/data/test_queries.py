"""Questions about the graph, and batches by number."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from test_loader import image

import gls


def test_find_edges(dataset: gls.Dataset, graph: Any) -> None:
    for ids in (np.arange(2000)[::-1].copy(), np.array([7, 7], np.int32), [], [3]):
        source, target = dataset.find_edges(ids)
        expected = graph.edge_index[:, np.asarray(ids, np.int64)]
        assert source.numpy().tolist() == expected[0].tolist()
        assert target.numpy().tolist() == expected[1].tolist()
    with pytest.raises(gls.InvalidArgument, match="edge id 2000 at index 1"):
        dataset.find_edges([0, 2000])
    with pytest.raises(gls.NotFound):
        dataset.find_edges([0], ("a", "b", "c"))


def test_has_edges(dataset: gls.Dataset, graph: Any) -> None:
    there = np.zeros((200, 200), bool)
    there[tuple(graph.edge_index)] = True
    source, target = np.divmod(np.arange(200 * 200), 200)
    found = dataset.has_edges(source, target).numpy()
    assert found.dtype == np.bool_
    assert (found.reshape(200, 200) == there).all()
    # Strided arrays are copied first.
    assert (dataset.has_edges(graph.edge_index.T[:, 0], graph.edge_index.T[:, 1]).numpy()).all()
    with pytest.raises(gls.InvalidArgument, match="as many"):
        dataset.has_edges([1, 2], [1])
    with pytest.raises(gls.InvalidArgument, match="target: node -1 at index 0"):
        dataset.has_edges([1], [-1])


def test_degrees(dataset: gls.Dataset, graph: Any) -> None:
    for direction, end in (("in", 1), ("out", 0)):
        counts = np.bincount(graph.edge_index[end], minlength=200)
        assert (dataset.degrees(direction=direction).numpy() == counts).all()
        some = dataset.degrees([5, 0, 5], direction=direction)
        assert some.numpy().tolist() == counts[[5, 0, 5]].tolist()
    with pytest.raises(gls.InvalidArgument, match="direction"):
        dataset.degrees(direction="both")
    with pytest.raises(gls.InvalidArgument, match="node 200"):
        dataset.degrees([200])


def test_rows(dataset: gls.Dataset, graph: Any) -> None:
    whole = dataset.node_column("x").numpy()
    for ids in (np.array([5, 199, 5], np.int32), [0], np.arange(200)[::-1]):
        rows = dataset.rows("x", ids)
        assert rows.numpy().dtype == whole.dtype
        assert (rows.numpy() == whole[np.asarray(ids)]).all()
    rows.numpy()[:] = 0  # memory of its own
    assert (dataset.node_column("x").numpy() == whole).all() and whole.any()
    assert dataset.rows("x", []).numpy().shape == (0, whole.shape[1])
    with pytest.raises(gls.InvalidArgument, match="ids: node 200 at index 1"):
        dataset.rows("x", [0, 200])
    with pytest.raises(gls.NotFound, match='has no column "none"'):
        dataset.rows("none", [0])
    with pytest.raises(gls.NotFound):
        dataset.rows("x", [0], ("a", "b", "c"))


def test_owners(dataset: gls.Dataset) -> None:
    (edges,) = dataset.edge_types
    assert dataset.owners([5, 0]).numpy().tolist() == [0, 0]
    assert dataset.owners([1999], edges).numpy().dtype == np.int32
    with pytest.raises(gls.InvalidArgument, match="ids: edge id 2000 at index 0"):
        dataset.owners([2000], edges)


def test_shares(dataset: gls.Dataset, graph: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (edges,) = dataset.edge_types
    train = dataset.id_set("train").numpy()
    for ids in (train, train.astype(np.int32), train.tolist(), graph.train[::-1], []):
        shares = [dataset.share_ids(ids, rank=rank, world_size=3).numpy() for rank in range(3)]
        assert {share.dtype for share in shares} == {np.dtype(np.int64)}
        assert np.concatenate(shares).tolist() == np.asarray(ids).tolist()
        assert [len(share) for share in shares] == [(len(ids) + 2 - r) // 3 for r in range(3)]
    last = dataset.share_ids(type=edges, rank=7, world_size=8, rank_parts=[0] * 8)
    assert last.tolist() == list(range(1750, 2000))
    assert dataset.share_ids().tolist() == list(range(200))
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert dataset.share_ids(rank="env").tolist() == list(range(100, 200))
    for words, options in (
        ("rank is 2", {"rank": 2, "world_size": 2}),
        ("rank", {"rank": -1, "world_size": 2}),
        ("world_size", {"rank": 0, "world_size": 0}),
        ("world_size", {"rank": 0}),
        ("rank", {"world_size": 2}),
        ("rank_parts: part 1 of rank 0", {"rank": 0, "world_size": 1, "rank_parts": [1]}),
        ("rank_parts: 1 parts", {"rank": 0, "world_size": 2, "rank_parts": [0]}),
        ("rank_parts", {"rank": 0, "world_size": 2, "rank_parts": [0.0, 0.0]}),
        ("rank_parts", {"rank": 0, "world_size": 1, "rank_parts": [[0]]}),
        ("ids: node 200 at index 1", {"ids": [0, 200]}),
        ("ids", {"ids": [[0]]}),
    ):
        with pytest.raises(gls.InvalidArgument, match=words):
            dataset.share_ids(**options)  # type: ignore[arg-type]
    with pytest.raises(gls.NotFound):
        dataset.share_ids([0], ("a", "b", "c"))


@pytest.mark.parametrize("links", (False, True))
def test_batches_by_number(dataset: gls.Dataset, links: bool) -> None:
    options: Any = {"batch_size": 64, "shuffle": True, "seed": 3}
    options.update(num_neighbors=[4, 3], with_edge_ids=True)
    loader = gls.LinkNeighborLoader if links else gls.NeighborLoader
    with loader(dataset, **options) as whole:
        expected = [[image(batch) for batch in whole] for _ in range(2)]
    assert len(expected[0]) == (32 if links else 4)
    assert expected[0] != expected[1]
    with loader(dataset, **options, rank=1, world_size=2) as half:
        assert half.num_global_batches == len(expected[0])
        state = half.state_dict()
        numbers = [(e, b) for e in (1, 0) for b in range(len(expected[0]))]
        with ThreadPoolExecutor(4) as threads:
            made = threads.map(lambda number: image(half.sample(*number)), numbers)
        for (epoch, batch), found in zip(numbers, made):
            assert found == expected[epoch][batch]
        assert half.state_dict() == state
        assert half.stats.batches == 0
        assert half.sample(1, 3).epoch == 1
        with pytest.raises(gls.InvalidArgument, match="an epoch has"):
            half.sample(0, len(expected[0]))
        with pytest.raises(gls.InvalidArgument, match="batch"):
            half.sample(0, -1)
    with pytest.raises(gls.InvalidState):
        half.sample(0, 0)
