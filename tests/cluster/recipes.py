"""What is sampled: a loader of each method that works on parts, by name."""

from __future__ import annotations

import hashlib
from typing import Any, Callable, Dict, Iterator, List, Protocol

import numpy as np
from graph import BUYS, ITEMS, KNOWS, USERS

import gls

BUYS_TYPE, KNOWS_TYPE = ("user", "buys", "item"), ("user", "knows", "user")
TRAIN = ("user", "train")


class Loader(Protocol):
    """Of gls, or here."""

    def set_epoch(self, epoch: int) -> None:
        ...

    def __iter__(self) -> Iterator[gls.Batch]:
        ...


def digest(batch: gls.Batch) -> str:
    """Of all arrays that the batch has, with their names and shapes."""
    out = hashlib.blake2b(f"{batch.epoch} {batch.number}".encode(), digest_size=12)
    content = batch._content
    for kind, type, name, _ in content.arrays():
        array = gls.Tensor(content.low.tensor(kind, type, name)).numpy()
        out.update(f"{kind} {type} {name} {array.dtype} {array.shape}".encode())
        out.update(np.ascontiguousarray(array).tobytes())
    return out.hexdigest()


def digests(loader: Loader, epoch: int) -> List[str]:
    """Of the batches of an epoch."""
    loader.set_epoch(epoch)
    return [digest(batch) for batch in loader]


class Single:
    """Batches of a sampler, with edges that are left out of one batch."""

    def __init__(self, dataset: gls.Dataset, links: bool) -> None:
        self._sampler = gls.Sampler(dataset, [5, 3], with_edge_ids=True, seed=8)
        self._links = links
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self._epoch = epoch

    def __iter__(self) -> Iterator[gls.Batch]:
        rng = np.random.default_rng(self._epoch)
        for number in range(6):
            where: Dict[str, Any] = {"epoch": self._epoch, "batch": number}
            where["exclude"] = {BUYS_TYPE: rng.integers(0, BUYS, 2000)}
            users, items = rng.integers(0, USERS, 20), rng.integers(0, ITEMS, 20)
            if self._links:
                yield self._sampler.sample_links((BUYS_TYPE, np.stack([users, items])), **where)
            else:
                yield self._sampler.sample({"item": items, "user": users}, **where)


def _nodes(*fanouts: int, **options: Any) -> Callable[..., Loader]:
    """Neighbourhoods of users."""
    given = {"batch_size": 200, "shuffle": True, "seed": 3, **options}

    def make(dataset: gls.Dataset, **common: Any) -> Loader:
        fanout = given.get("num_neighbors", list(fanouts))
        rest = {name: value for name, value in given.items() if name != "num_neighbors"}
        return gls.NeighborLoader(dataset, fanout, TRAIN, **rest, **common)

    return make


def _links(*fanouts: int, **options: Any) -> Callable[..., Loader]:
    """Neighbourhoods of pairs of users and items, of which some are no edges."""
    rng = np.random.default_rng(4)
    pairs = np.stack([rng.integers(0, USERS, 600), rng.integers(0, ITEMS, 600)])
    given = {"batch_size": 100, "shuffle": True, "seed": 6, **options}
    if "edge_time" in given:
        given["edge_label_time"] = rng.integers(300, 1000, 600)

    def make(dataset: gls.Dataset, **common: Any) -> Loader:
        links = (BUYS_TYPE, pairs)
        return gls.LinkNeighborLoader(dataset, list(fanouts), links, **given, **common)

    return make


def _single(links: bool) -> Callable[..., Loader]:
    def make(dataset: gls.Dataset, **_: Any) -> Loader:
        return Single(dataset, links)

    return make


def _excluded() -> Dict[str, Any]:
    rng = np.random.default_rng(5)
    pairs = np.stack([rng.integers(0, USERS, 4000), rng.integers(0, USERS, 4000)])
    return {
        "exclude": [(BUYS_TYPE, np.arange(0, BUYS, 3)), (KNOWS_TYPE, pairs)],
        "with_edge_ids": True,
    }


def _columns() -> List[gls.ColumnRequest]:
    request = gls.ColumnRequest
    return [
        request("x", "user"),
        request("x", "shop"),
        request("x", "item", dtype="float32"),
        request("picture"),
        request("price"),
        request("y", rows="all"),
        request("joined"),
        request("stars", BUYS_TYPE),
        request("time", BUYS_TYPE),
        request("marks", KNOWS_TYPE),
    ]


_BY_TYPE = {BUYS_TYPE: [-1, 4], KNOWS_TYPE: [3, 0], None: [2, 2]}
_TIMES = {"edge_time": "time", "node_time": "joined", "with_edge_ids": True}
_CLUSTERS = np.random.default_rng(7).integers(-1, 40, USERS)

RECIPES: Dict[str, Callable[..., Loader]] = {
    "neighbours": _nodes(10, 5),
    "columns": _nodes(6, 4, columns=_columns()),
    "one hop, all neighbours": _nodes(-1),
    "by edge type": _nodes(num_neighbors=_BY_TYPE, with_edge_ids=True),
    "weights": _nodes(5, 3, weight_attr="w", with_edge_ids=True),
    "replacement": _nodes(5, 3, replace=True, with_edge_ids=True),
    "replacement above": _nodes(5, 3, replace="above", weight_attr="w"),
    "trees": _nodes(5, 3, disjoint=True),
    "outwards": _nodes(5, 3, direction="out", toward_seeds=True, with_edge_ids=True),
    "narrow ids": _nodes(5, 3, int32=True, with_edge_ids=True),
    "times": _nodes(5, 3, **_TIMES),
    "latest": _nodes(5, 3, time_strategy="last", time_strict=True, time_window=600, **_TIMES),
    "times and weights": _nodes(5, 3, weight_attr="w", **_TIMES),
    "times that are given": _nodes(4, 2, edge_time="time", times=np.arange(1500) % 1000),
    "layers": _nodes(5, 3, pick="layer", batch_dependency=4, with_edge_ids=True),
    "layers, dependent": _nodes(5, 3, pick="layer", layer_dependent=True, weight_attr="w"),
    "exclusion": _nodes(5, 3, **_excluded()),
    "padding": _nodes(5, 3, pad=gls.Pad(batches=4), drop_last=True),
    "drawn seeds": _nodes(5, 3, shuffle=False, seed_rule=gls.DrawnSeeds(batches=6)),
    "clusters": _nodes(5, 3, seed_rule=gls.ClusteredSeeds(_CLUSTERS), batch_size=8),
    "links": _links(5, 3, neg_sampling=gls.NegativeSampling("binary", 1.5), exclude_links=True),
    "triplets": _links(4, 2, neg_sampling=gls.NegativeSampling("triplet", 3), disjoint=True),
    "links by time": _links(4, 2, neg_sampling="binary", edge_time="time"),
    "single batches": _single(False),
    "single batches of links": _single(True),
    # Long enough for something to happen to it, and little ahead of who takes the batches.
    "long": _nodes(8, 4, batch_size=20, columns=_columns(), weight_attr="w", prefetch=2),
}
