"""What is sampled: a loader of each method that works on parts, by name."""

from __future__ import annotations

import hashlib
from typing import Any, Callable, Dict, Iterator, List, Protocol, Tuple

import numpy as np
from graph import BUYS, ITEMS, KNOWS, USERS

import gls

BUYS_TYPE, KNOWS_TYPE = ("user", "buys", "item"), ("user", "knows", "user")
BOUGHT_TYPE = ("item", "rev_buys", "user")
TRAIN = ("user", "train")
FEW = ("user", np.arange(1, USERS, 8))


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
    if "edge_time" in options:
        options["edge_label_time"] = rng.integers(300, 1000, 600)
    return _links_of((BUYS_TYPE, pairs), *fanouts, **options)


def _links_of(links: Any, *fanouts: int, **options: Any) -> Callable[..., Loader]:
    """Neighbourhoods of links, as LinkNeighborLoader takes them."""
    given = {"batch_size": 100, "shuffle": True, "seed": 6, **options}

    def make(dataset: gls.Dataset, **common: Any) -> Loader:
        return gls.LinkNeighborLoader(dataset, list(fanouts), links, **given, **common)

    return make


def _edges(edge_type: Tuple[str, str, str], edges: int) -> Any:
    """Links that are edges, by their ids: every so many of them, about 300."""
    return edge_type, np.arange(0, edges, edges // 300)


def _found(loader: Callable[..., Loader], method: Any, **options: Any) -> Callable[..., Loader]:
    """What is found for a few users by a method that has a loader of its own."""
    given = {"batch_size": 128, "shuffle": True, "seed": 9, **options}

    def make(dataset: gls.Dataset, **common: Any) -> Loader:
        return loader(dataset, method, FEW, **given, **common)

    return make


def _anchors(supervisions: Any, **options: Any) -> Callable[..., Loader]:
    """Neighbourhoods of a few users and of the labels that they have."""
    given = {"batch_size": 128, "shuffle": True, "seed": 10, **options}

    def make(dataset: gls.Dataset, **common: Any) -> Loader:
        return gls.AnchorLoader(dataset, [4, 2], supervisions, FEW, **given, **common)

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

_REVERSES = [(BUYS_TYPE, BOUGHT_TYPE)]
_TO_AND_FRO = gls.Walk(6, walks=2, path=[BUYS_TYPE, BOUGHT_TYPE])
_SAINT: Dict[str, Any] = {"shuffle": False, "subgraph": "induced", "with_edge_ids": True}
_LABELS = gls.Supervision(BUYS_TYPE, max_labels=5, sampled=True)
_GIVEN_LABELS = gls.Supervision(name="given", node_type="item", role="negative")
_CHANNELS: Dict[Any, float] = {BUYS_TYPE: 0.25, KNOWS_TYPE: 0.5, BOUGHT_TYPE: 0.25}


def _given_labels() -> Dict[str, Any]:
    """Some anchors have fewer."""
    return {"given": np.random.default_rng(11).integers(-1, ITEMS, (len(FEW[1]), 3))}


def _negatives(mode: str, amount: float = 1, **options: Any) -> Dict[str, Any]:
    return {"neg_sampling": gls.NegativeSampling(mode, amount, **options)}


# Of 375 users, and of 600 links.
_SLOW: Dict[str, Any] = {"batch_size": 8, "prefetch": 2}

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
    "clusters of a column": _nodes(5, 3, seed_rule=gls.ClusteredSeeds("joined"), batch_size=30),
    "links": _links(5, 3, neg_sampling=gls.NegativeSampling("binary", 1.5), exclude_links=True),
    "triplets": _links(4, 2, neg_sampling=gls.NegativeSampling("triplet", 3), disjoint=True),
    "links by time": _links(4, 2, neg_sampling="binary", edge_time="time"),
    "walks": _found(gls.WalkLoader, _TO_AND_FRO, direction="out", with_edge_ids=True),
    "walks by weight": _found(gls.WalkLoader, _TO_AND_FRO, direction="out", weight_attr="w"),
    "walks that end": _found(
        gls.WalkLoader, gls.Walk(6, 3, restart=0.2, stop=0.1, path=[KNOWS_TYPE])
    ),
    "node2vec": _found(gls.WalkLoader, gls.Walk(6, 2, p=0.25, q=4, path=[KNOWS_TYPE])),
    "importance": _found(gls.ImportanceLoader, gls.Importance(5, path=[KNOWS_TYPE], hops=2)),
    "page rank": _found(gls.PPRLoader, gls.PPR(20, epsilon=1e-2, row_limit=50)),
    "page rank by channels": _found(gls.PPRLoader, gls.PPR(16, epsilon=1e-2, channels=_CHANNELS)),
    "budgets": _found(gls.HGTLoader, gls.HGT([30, 20]), with_edge_ids=True),
    "budgets, induced": _found(gls.HGTLoader, gls.HGT([30, 20], 5), subgraph="induced"),
    "induced": _nodes(4, 2, subgraph="induced", with_edge_ids=True),
    "induced by seeds": _nodes(subgraph="induced"),
    "ego networks": _nodes(4, 2, subgraph="induced", disjoint=True),
    "both ways": _nodes(5, 3, subgraph="bidirectional", reverse_types=_REVERSES),
    "trees both ways": _nodes(
        3, 2, subgraph="bidirectional", reverse_types=_REVERSES, disjoint=True, with_edge_ids=True
    ),
    "saint nodes": _nodes(seed_rule=gls.DrawnSeeds(3, "degree"), **_SAINT),
    "saint edges": _links_of(BUYS_TYPE, seed_rule=gls.DrawnSeeds(3, "inverse_degree"), **_SAINT),
    "saint walks": _found(
        gls.WalkLoader, _TO_AND_FRO, direction="out", seed_rule=gls.DrawnSeeds(3), **_SAINT
    ),
    "anchors": _anchors(_LABELS, pad=gls.Pad(batches=2)),
    "anchors with labels": _anchors([_LABELS, _GIVEN_LABELS], labels=_given_labels()),
    # Drawn so that many of them are edges at first.
    "strict negatives": _links(4, 2, **_negatives("binary", 2, strict=True, degree_power=2)),
    "strict triplets": _links(
        4, 2, **_negatives("triplet", 2, strict=True, degree_power=2, tries=4, allow_short=True)
    ),
    "negatives by degree": _links(4, 2, **_negatives("triplet", 3, degree_power=0.75)),
    "negatives by weight": _links(
        4, 2, **_negatives("binary", source_weight="joined", target_weight="price")
    ),
    "links without their reverses": _links_of(
        _edges(BUYS_TYPE, BUYS),
        -1,
        3,
        exclude_links=True,
        exclude_mode="reverse_types",
        reverse_types=_REVERSES,
    ),
    "links without their mates": _links_of(
        _edges(KNOWS_TYPE, KNOWS),
        -1,
        3,
        exclude_links=True,
        exclude_mode="reverse_id",
        reverse_column="mate",
    ),
    "single batches": _single(False),
    "single batches of links": _single(True),
    # Long enough for something to happen to them, and little ahead of who takes the batches.
    "long": _nodes(8, 4, batch_size=20, columns=_columns(), weight_attr="w", prefetch=2),
    "long walks": _found(gls.WalkLoader, _TO_AND_FRO, direction="out", weight_attr="w", **_SLOW),
    "long page rank": _found(gls.PPRLoader, gls.PPR(20, epsilon=1e-2, row_limit=50), **_SLOW),
    "long budgets": _found(gls.HGTLoader, gls.HGT([30, 20]), with_edge_ids=True, **_SLOW),
    "long induced": _nodes(4, 2, subgraph="induced", batch_size=30, prefetch=2),
    "long anchors": _anchors([_LABELS, _GIVEN_LABELS], labels=_given_labels(), **_SLOW),
    "long links": _links(4, 2, **_negatives("binary", 2, strict=True), **_SLOW),
}
SHORT = [name for name in RECIPES if not name.startswith("long")]
# Of a sampler, which always works where it is asked.
OF_SAMPLERS = ("single batches", "single batches of links")
