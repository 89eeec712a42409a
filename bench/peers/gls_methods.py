"""GLS's ways of sampling: neighbour ids stored as int32, ids of batches int64."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

import methods
from contestant import Contestant, Options
from gls_adapter import import_gls
from graph import Graph
from methods import Method, Step


def _dataset(graph: Graph, column: str) -> Any:
    gls = import_gls()
    builder = gls.DatasetBuilder()
    builder.add_topology("node__to__node", "csc", graph.indptr(np.int64), graph.indices(np.int32))
    if column == "weight":
        builder.add_edge_column(None, "weight", methods.weights(graph), role="weight")
    if column == "time":
        builder.add_edge_column(None, "time", methods.times(graph), role="time")
    return builder.build()


def _edges(batch: Any, seeds: np.ndarray) -> int:
    return int(batch.num_edges)


def _seeds(batch: Any, seeds: np.ndarray) -> int:
    return len(seeds)


def _sampled(
    options_of: Callable[[Any, Options], Dict[str, Any]],
    *,
    column: str = "",
    count: Callable[[Any, np.ndarray], int] = _edges,
) -> Callable[[Graph, Options], Step]:
    """Steps of a sampler with the options that `options_of(gls, options)` gives."""

    def make(graph: Graph, options: Options) -> Step:
        gls = import_gls()
        given = options_of(gls, options)
        sampler = gls.Sampler(_dataset(graph, column), seed=options.seed, **given)
        number = 0

        def step(seeds: np.ndarray) -> Any:
            nonlocal number
            number += 1
            timed = (
                {"times": np.full(len(seeds), methods.MOST_TIME // 2)} if column == "time" else {}
            )
            batch = sampler.sample(seeds, batch=number, **timed)
            return count(batch, seeds), batch.num_nodes

        return step

    return make


class _LinkStep:
    """A round begins with nothing ready, and nothing is made while others are measured."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def begin_round(self) -> None:
        self._take = methods.endless(lambda: iter(self._loader))
        for _ in range(4):  # as many as may be made ahead
            self._take()

    def end_round(self) -> None:
        del self._take
        self._loader.cancel()

    def __call__(self, _: np.ndarray) -> Any:
        batch = self._take()
        return batch.num_edges, batch.num_nodes


def _links(graph: Graph, options: Options) -> Step:
    gls = import_gls()
    loader = gls.LinkNeighborLoader(
        _dataset(graph, ""),
        methods.LINK_FANOUTS,
        methods.links(graph),
        batch_size=methods.LINKS,
        neg_sampling="binary",
        shuffle=True,
        seed=options.seed,
        columns=[],
        with_edge_ids=True,
        num_workers=1,
    )
    return _LinkStep(loader)


def _steps(batch: Any, seeds: np.ndarray) -> int:
    return len(seeds) * methods.WALKS * methods.STEPS


def gls_methods(options: Options) -> List[Contestant]:
    p, q = methods.NODE2VEC
    walks, traversals, neighbors = methods.IMPORTANCE
    _, hops, fanout = methods.SHADOW

    def plain(**more: Any) -> Callable[[Any, Options], Dict[str, Any]]:
        return lambda gls, options: {"num_neighbors": options.fanouts, **more}

    def walk(**more: Any) -> Callable[[Any, Options], Dict[str, Any]]:
        return lambda gls, options: {"walk": gls.Walk(methods.STEPS, methods.WALKS, **more)}

    ways: Dict[str, Callable[[Graph, Options], Step]] = {
        "weighted": _sampled(plain(weight_attr="weight"), column="weight"),
        "times": _sampled(plain(edge_time="time", disjoint=True), column="time"),
        "labor": _sampled(plain(pick="layer")),
        "walk": _sampled(walk(), count=_steps),
        "node2vec": _sampled(walk(p=p, q=q), count=_steps),
        "importance": _sampled(
            lambda gls, _: {"importance": gls.Importance(neighbors, walks, traversals)},
            count=_seeds,
        ),
        "ppr": _sampled(lambda gls, _: {"ppr": gls.PPR()}, count=_seeds),
        "induced": _sampled(
            lambda gls, _: {"num_neighbors": [], "subgraph": "induced", "with_edge_ids": True}
        ),
        "saint": _sampled(
            lambda gls, _: {
                "walk": gls.Walk(methods.SAINT[1]),
                "subgraph": "induced",
                "with_edge_ids": True,
            }
        ),
        "shadow": _sampled(
            lambda gls, _: {
                "num_neighbors": [fanout] * hops,
                "disjoint": True,
                "subgraph": "induced",
                "with_edge_ids": True,
            }
        ),
        "hgt": _sampled(lambda gls, _: {"hgt": gls.HGT(methods.HGT), "with_edge_ids": True}),
        "links": _links,
    }
    said = {
        "weighted": "without replacement; each node expanded once; alias tables made before",
        "induced": "with edge ids",
        "saint": "with edge ids",
        "shadow": "with edge ids",
        "times": "uniform among edges up to the seed's time; a tree for each seed",
        "links": "one worker thread; with edge ids",
        "hgt": "edges that were looked at while drawing; with edge ids",
        "labor": "each node expanded once",
        "walk": "nodes renumbered as in any batch",
        "node2vec": "nodes renumbered as in any batch",
        "importance": "nodes renumbered as in any batch",
    }

    def versions() -> Dict[str, str]:
        return {"gls": str(import_gls().__version__)}

    return [
        Method(options, way, "gls", make, versions, said.get(way, "")) for way, make in ways.items()
    ]
