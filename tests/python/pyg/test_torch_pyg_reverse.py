"""Bidirectional subgraphs of typed data: which edge types are each other's reverse."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Set, Tuple

import pytest
import torch
from torch_geometric.data import HeteroData
from torch_geometric.sampler import HeteroSamplerOutput

import gls
from gls.pyg import AnchorLoader, LinkNeighborLoader, NeighborLoader

BUYS, BOUGHT_BY = ("user", "buys", "item"), ("item", "bought_by", "user")
LIKES = ("user", "likes", "item")
Pairs = Set[Tuple[int, int]]


def shop(*types: Tuple[str, str, str], reversed_ids: bool = True) -> HeteroData:
    data = HeteroData()
    data["user"].x, data["item"].x = torch.arange(6.0), torch.arange(8.0)
    generator = torch.Generator().manual_seed(3)
    ends = torch.stack(
        [
            torch.randint(0, 6, (20,), generator=generator),
            torch.randint(0, 8, (20,), generator=generator),
        ]
    )
    for key in types:
        own = ends if key[0] == "user" else ends.flip(0)
        data[key].edge_index = (
            own if reversed_ids or key[0] == "user" else own[:, torch.randperm(20)]
        )
        data[key].edge_attr = torch.arange(20)
    return data


def pairs(batch: Any, key: Any) -> Pairs:
    row, col = batch[key].edge_index
    source, target = batch[key[0]].n_id[row], batch[key[2]].n_id[col]
    return set(zip(source.tolist(), target.tolist()))


def flipped(edges: Pairs) -> Pairs:
    return {(b, a) for a, b in edges}


OPTIONS: Dict[str, Any] = {"subgraph_type": "bidirectional", "batch_size": 3, "seed": 1}


def test_the_only_type_back_is_found() -> None:
    data = shop(BUYS, BOUGHT_BY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loader = NeighborLoader(data, [2, 2], "user", **OPTIONS)
    one_way = NeighborLoader(data, [2, 2], "user", batch_size=3, seed=1)
    for batch, picked in zip(loader, one_way):
        assert pairs(batch, BUYS) == flipped(pairs(batch, BOUGHT_BY)) != set()
        index = picked.edge_index_dict
        expected = HeteroSamplerOutput(
            picked.n_id_dict,
            {key: ends[0] for key, ends in index.items()},
            {key: ends[1] for key, ends in index.items()},
            None,
        ).to_bidirectional()
        for key in (BUYS, BOUGHT_BY):
            ends = torch.stack([expected.row[key], expected.col[key]])
            assert sorted(batch[key].edge_index.t().tolist()) == sorted(ends.t().tolist())
            # Edge e of one type is edge e of the other, so that ids are known.
            assert torch.equal(batch[key].edge_attr, batch[key].e_id)
            stored = data[key].edge_index[:, batch[key].e_id]
            assert pairs(batch, key) == set(zip(*stored.tolist()))


def test_without_ids_that_are_known_there_are_none() -> None:
    data = shop(BUYS, BOUGHT_BY, reversed_ids=False)
    for batch in NeighborLoader(data, [2, 2], "user", **OPTIONS):
        assert pairs(batch, BUYS) == flipped(pairs(batch, BOUGHT_BY))
        for key in (BUYS, BOUGHT_BY):
            assert "e_id" not in batch[key] and "edge_attr" not in batch[key]
    batch = next(iter(NeighborLoader(data, [2], "user", batch_size=3)))
    assert "e_id" in batch[BUYS]


def test_types_without_a_reverse_are_told() -> None:
    data = shop(BUYS, BOUGHT_BY, LIKES)
    with pytest.warns(UserWarning, match="Cannot convert to bidirectional") as caught:
        NeighborLoader(data, [2, 2], "user", **OPTIONS)
    text = "\n".join(str(warning.message) for warning in caught)
    assert all(str(key) in text for key in (BUYS, LIKES, BOUGHT_BY)) and "reverse_types" in text
    with pytest.warns(UserWarning, match=r"edge type \('user', 'buys', 'item'\) has no reverse"):
        NeighborLoader(shop(BUYS), [2], "user", **OPTIONS)
    short = shop(BUYS, BOUGHT_BY)
    for name in ("edge_index", "edge_attr"):
        short[BUYS][name] = short[BUYS][name][..., :5]
    with pytest.warns(UserWarning, match="have 5 and 20 edges, expected as many"):
        NeighborLoader(short, [2], "user", **OPTIONS)


def loaders(data: HeteroData, **options: Any) -> List[Any]:
    return [
        NeighborLoader(data, [2, 2], "user", **options),
        LinkNeighborLoader(data, [2, 2], BUYS, **options),
        AnchorLoader(data, [2, 2], BUYS, "user", **options),
    ]


def test_named_pairs() -> None:
    data = shop(BUYS, BOUGHT_BY, LIKES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for loader in loaders(data, reverse_types={LIKES: BOUGHT_BY}, **OPTIONS):
            for batch in loader:
                assert pairs(batch, LIKES) == flipped(pairs(batch, BOUGHT_BY))
        for loader in loaders(data, reverse_types=[], **OPTIONS):  # none, and no word about it
            assert any(pairs(batch, LIKES) != flipped(pairs(batch, BOUGHT_BY)) for batch in loader)


def test_every_loader_finds_the_only_type_back() -> None:
    for loader in loaders(shop(BUYS, BOUGHT_BY), **OPTIONS):
        for batch in loader:
            assert pairs(batch, BUYS) == flipped(pairs(batch, BOUGHT_BY))


def test_pairs_that_cannot_be() -> None:
    data = shop(BUYS, BOUGHT_BY, LIKES)
    with pytest.raises(gls.InvalidArgument, match="reverse_types: given, but subgraph_type is not"):
        NeighborLoader(data, [2], "user", reverse_types={BUYS: BOUGHT_BY})
    with pytest.raises(
        gls.NotFound, match=r"reverse_types: there is no edge type \('a', 'b', 'c'\)"
    ):
        NeighborLoader(data, [2], "user", reverse_types={BUYS: ("a", "b", "c")}, **OPTIONS)
    with pytest.raises(gls.InvalidArgument, match="do not join the same types of nodes"):
        NeighborLoader(data, [2], "user", reverse_types={BUYS: LIKES}, **OPTIONS)
