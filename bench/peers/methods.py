"""What the contestants of level "methods" share: ways of sampling other than plain neighbours.

A contestant is named WAY/WHO, and rates are compared within a way alone. What is counted as an edge:

weighted, times, labor   edges of a batch of options.fanouts; of "times" each seed has a tree of its own
walk, node2vec           steps of walks: 10 walks of 10 steps from each seed
importance               seeds: of each the 10 nodes that 10 walks of 2 steps visit most
ppr                      seeds: of each the 50 nodes of highest personalised PageRank
induced                  edges between 20,000 nodes
saint                    edges between the nodes of 2,000 walks of 4 steps
shadow                   edges between the 2 hops of 10 neighbours of each of 256 seeds, by itself
hgt                      edges, of 3 hops of 1,024 nodes drawn from budgets
links                    edges of a batch of [10, 5] around 512 links and as many negative pairs, with the
                         loader of each, and nothing gathered
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from contestant import Contestant, Options
from graph import Graph, allocate

WALKS, STEPS = 10, 10
NODE2VEC = (0.5, 2.0)  # p and q
IMPORTANCE = (10, 2, 10)  # walks, traversals, neighbours
INDUCED = 20_000
SAINT = (2_000, 4)  # roots and steps
SHADOW = (256, 2, 10)  # seeds, hops and neighbours
HGT = [1024, 1024, 1024]
LINKS, LINK_FANOUTS, LINK_LIST = 512, [10, 5], 200_000
MOST_TIME = 1000

Step = Callable[[np.ndarray], Tuple[int, int]]
"""Makes a batch of seeds; returns its numbers of (edges, nodes), see above."""


def batch_size_of(way: str, options: Options) -> int:
    return {"induced": INDUCED, "saint": SAINT[0], "shadow": SHADOW[0], "links": LINKS}.get(
        way, options.batch_size
    )


class Method(Contestant):
    """One way of one of the libraries: `make(graph, options)` gives its step."""

    level = "methods"

    def __init__(
        self,
        options: Options,
        way: str,
        who: str,
        make: Callable[[Graph, Options], Step],
        versions: Callable[[], Dict[str, str]],
        semantics: str = "",
    ) -> None:
        super().__init__(options)
        self.name = f"{way}/{who}"
        self.semantics = semantics or "as the others of this way"
        self._way = way
        self._make = make
        self._versions = versions

    def versions(self) -> Dict[str, str]:
        return self._versions()

    def setup(self, graph: Graph) -> None:
        self._graph = graph
        self._seeds_per_batch = batch_size_of(self._way, self.options)
        self._step = self._make(graph, self.options)

    def begin_round(self) -> None:
        getattr(self._step, "begin_round", lambda: None)()

    def end_round(self) -> None:
        getattr(self._step, "end_round", lambda: None)()

    def step(self, batch: int) -> Tuple[int, int]:
        return self._step(self._graph.seeds(batch, self._seeds_per_batch))


def cached(graph: Graph, name: str, make: Callable[[], np.ndarray]) -> np.ndarray:
    """An array that belongs to the graph, made once for all contestants of a process."""
    key = (name, "made")
    if key not in graph._arrays:
        values = make()
        out = allocate(values.shape, values.dtype, graph.huge_pages)
        out[...] = values
        graph._arrays[key] = out
    return graph._arrays[key]


def weights(graph: Graph) -> np.ndarray:
    """One of each edge, float32, above 0 and up to 1."""

    def make() -> np.ndarray:
        return 1 - np.random.default_rng(7).random(graph.num_edges, dtype=np.float32)

    return cached(graph, "weights", make)


def times(graph: Graph) -> np.ndarray:
    """One of each edge, int64, ascending in each row, which pyg-lib asks for."""

    def make() -> np.ndarray:
        begins = np.repeat(graph.indptr()[:-1], np.diff(graph.indptr()))
        degrees = np.repeat(np.diff(graph.indptr()), np.diff(graph.indptr()))
        return (np.arange(graph.num_edges) - begins) * MOST_TIME // degrees

    return cached(graph, "times", make)


def links(graph: Graph) -> np.ndarray:
    """Edge ids that are seeds."""
    return np.random.default_rng(9).choice(graph.num_edges, LINK_LIST, replace=False)


def endless(new_iterator: Callable[[], Any]) -> Callable[[], Any]:
    """Batches of one epoch after the other."""
    state: List[Any] = []

    def take() -> Any:
        if not state:
            state.append(new_iterator())
        try:
            return next(state[0])
        except StopIteration:
            state[0] = new_iterator()
            return next(state[0])

    return take
