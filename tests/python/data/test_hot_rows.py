"""Rows of other parts that a part keeps, chosen by what its batches ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Sequence, Set

import numpy as np
from reference import neighbors, order, philox
import pytest

import gls

SEEDS_AT_LEAST = 8192
SEEDS_OF_BATCH = 64


def hot_of(path: Path, number: int = 0, node_type: Any = None) -> Set[int]:
    """Nodes of others that have rows in a part."""
    with gls.Dataset.open(path / f"part-{number}") as part:
        ids, owned = part.global_ids(node_type)
        rows = part.node_columns(node_type)["x"].shape[0]
        return set(ids.numpy()[owned:rows].tolist())


def contents(folder: Path) -> Dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


# ---- the choice, against a slow one ----------------------------------------------------------------


def visits(
    graph: neighbors.Graph, node_type: str, own: List[int], fanouts: List[int], seed: int, most: int
) -> Dict[str, np.ndarray]:
    """Decision 0073, by the reference implementation of the contract."""
    if len(own) > most:
        chosen = order.KeyedPermutation(len(own), philox.order_key(seed, (1 << 64) - 1))
        own = [own[rank] for rank in sorted(chosen(i) for i in range(most))]
    out = {name: np.zeros(count, np.int64) for name, count in graph.node_types.items()}
    options = neighbors.Options([neighbors.Fanout(None, fanouts)], seed=seed)
    for epoch in range(-(-SEEDS_AT_LEAST // len(own))):
        at = order.shuffled(len(own), seed, epoch)
        for batch, begin in enumerate(range(0, len(own), SEEDS_OF_BATCH)):
            end = min(begin + SEEDS_OF_BATCH, len(own))
            seeds = [own[at(i)] for i in range(begin, end)]
            request = neighbors.Request([(node_type, seeds)], epoch=epoch, batch=batch)
            for name, arrays in neighbors.sample(graph, options, request).nodes.items():
                out[name][arrays.node] += 1
    return out


def most_visited(counts: np.ndarray, owners: np.ndarray, part: int, wanted: int) -> Set[int]:
    others = [i for i in range(len(counts)) if counts[i] > 0 and owners[i] != part]
    return set(sorted(others, key=lambda i: (-counts[i], i))[:wanted])


@pytest.mark.parametrize("most", [None, 70])
def test_the_choice_is_that_of_the_reference(tmp_path: Path, most: Any) -> None:
    rng = np.random.default_rng(5)

    def edges(name: str, sources: int, targets: int, count: int) -> neighbors.EdgeType:
        skewed = (sources * rng.random(count) ** 2).astype(np.int64)
        return neighbors.EdgeType(name, skewed.tolist(), rng.integers(0, targets, count).tolist())

    graph = neighbors.Graph(
        {"a": 300, "b": 90},
        [edges("a__to__a", 300, 300, 900), edges("b__on__a", 90, 300, 400)],
    )
    builder = gls.DatasetBuilder()
    for name, count in graph.node_types.items():
        builder.add_node_type(name, count)
        builder.add_node_column(name, "x", np.zeros((count, 2), np.float32))
    for edge_type in graph.edge_types:
        builder.add_edges(edge_type.name, np.array(edge_type.source), np.array(edge_type.target))
    train = rng.permutation(300)[:200]
    builder.add_id_set("a", "train", train)
    dataset = builder.build(layouts=("csc", "csr"))
    owners = {"a": np.arange(300) * 7 % 2, "b": np.arange(90) % 2}
    dataset.partition(
        tmp_path / "p",
        2,
        owners=owners,
        seed=11,
        hot_rows=25,
        hot_id_set="train",
        hot_fanouts=[2, 2],
        hot_max_seeds=most,
    )
    own = [int(i) for i in train if owners["a"][i] == 0]
    assert len(own) > 70
    counts = visits(graph, "a", own, [2, 2], 11, most or len(own))
    for name in ("a", "b"):
        expected = most_visited(counts[name], owners[name], 0, 25)
        assert hot_of(tmp_path / "p", 0, name) == expected, name
    with gls.Partition.open(tmp_path / "p") as partition:
        said = "hot_id_set train, hot_fanouts 2 2" + (f", hot_max_seeds {most}" if most else "")
        assert partition.options.endswith(said)
    gls.Partition.open(tmp_path / "p").verify()


# ---- what it is good for ---------------------------------------------------------------------------


class Misleading:
    """Nodes 0 .. 999 are of part 0, others of part 1. Of these, 1000 .. 1049 have many edges to a few rows so
    long that they are hardly ever picked; 1050 .. 1099 have fewer, to rows that have nothing else.
    """

    rare = np.arange(1000, 1050)
    often = np.arange(1050, 1100)

    def __init__(self) -> None:
        long_rows, short_rows = np.arange(100), np.arange(100, 1000)
        sources = [np.repeat(self.rare, len(long_rows))]
        targets = [np.tile(long_rows, len(self.rare))]
        bulk = np.arange(1100, 5000)
        sources.append(np.repeat(bulk, 100))
        targets.append(np.tile(long_rows, len(bulk)))
        sources.append(self.often[short_rows % 50])
        targets.append(short_rows)
        self.dataset = gls.Dataset.from_arrays(
            np.stack([np.concatenate(sources), np.concatenate(targets)]),
            num_nodes=5000,
            x=np.zeros((5000, 3), np.float32),
            id_sets={"long": long_rows, "short": short_rows},
        )
        self.owners = (np.arange(5000) >= 1000).astype(np.int64)

    def hot(self, path: Path, **options: Any) -> Set[int]:
        self.dataset.partition(path, 2, owners=self.owners, overwrite=True, **options)
        return hot_of(path)

    def hits(self, hot: Set[int], fanouts: Sequence[int], seeds: np.ndarray) -> float:
        """The share of rows of others that batches find among the hot ones."""
        sampler = gls.Sampler(self.dataset, list(fanouts), seed=99)
        asked = found = 0
        for number, begin in enumerate(range(0, len(seeds), 50)):
            nodes = sampler.sample(seeds[begin : begin + 50], batch=number).node.numpy()
            others = nodes[nodes >= 1000].tolist()
            asked += len(others)
            found += sum(node in hot for node in others)
        return found / asked


def test_measured_rows_are_hit_where_degrees_mislead(tmp_path: Path) -> None:
    graph = Misleading()
    by_degree = graph.hot(tmp_path / "p", hot_rows=50)
    measured = graph.hot(tmp_path / "p", hot_rows=50, hot_fanouts=[2])
    assert by_degree == set(graph.rare.tolist())
    assert measured == set(graph.often.tolist())
    own = np.random.default_rng(0).permutation(1000)
    assert graph.hits(by_degree, [2], own) < 0.05
    assert graph.hits(measured, [2], own) > 0.5


def test_what_is_sampled_from_and_how_far(tmp_path: Path) -> None:
    # A chain: what seeds ask for in the third hop, no sample of two hops meets.
    links = np.array([[1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5]])
    dataset = gls.Dataset.from_arrays(
        links, num_nodes=8, x=np.zeros((8, 1), np.float32), id_sets={"train": np.array([0])}
    )
    owners = [0, 0, 1, 1, 1, 1, 1, 1]

    def hot(**options: Any) -> Set[int]:
        dataset.partition(tmp_path / "p", 2, owners=owners, hot_rows=9, overwrite=True, **options)
        return hot_of(tmp_path / "p")

    assert hot() == {2}  # the only one that its edges name
    assert hot(hot_id_set="train") == {2}
    assert hot(hot_id_set="train", hot_fanouts=[1, 1, 1, 1]) == {2, 3, 4}
    assert hot(hot_fanouts=[-1, -1, -1, -1]) == {2, 3, 4, 5}  # also from node 1
    assert hot(hot_fanouts=[1]) == {2}
    assert hot(hot_id_set="train", hot_fanouts=[1]) == set()


def test_threads_do_not_matter(tmp_path: Path, graph: Any) -> None:
    made = []
    for threads in (1, 4):
        dataset = gls.Dataset.from_arrays(
            graph.edge_index, num_nodes=200, x=graph.x, context=gls.Context(threads)
        )
        path = tmp_path / f"p{threads}"
        seen: List[str] = []
        dataset.partition(
            path,
            3,
            method="random",
            hot_rows=9,
            hot_fanouts=[3, 2],
            hot_max_seeds=40,
            progress=lambda stage, *_: seen.append(stage),
        )
        assert "counting what is asked for" in seen
        made.append(contents(path))
    assert made[0] == made[1]


def test_stopped(tmp_path: Path, graph: Any) -> None:
    class Stop(Exception):
        pass

    def stop(stage: str, *_: Any) -> None:
        if stage.startswith("counting"):
            raise Stop

    dataset = gls.Dataset.from_arrays(graph.edge_index, num_nodes=200, x=graph.x)
    with pytest.raises(Stop):
        dataset.partition(
            tmp_path / "p", 2, method="hash", hot_rows=9, hot_fanouts=[3], progress=stop
        )
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("hot_fanouts is given, but neither", {"hot_fanouts": [3], "hot_rows": 0}),
        ("hot_fanouts: they are empty", {"hot_fanouts": []}),
        ("hot_fanouts: hop 1 has 0", {"hot_fanouts": [3, 0]}),
        ("hot_fanouts: -2", {"hot_fanouts": [-2]}),
        ("fanouts: 256 hops", {"hot_fanouts": [1] * 256}),
        ("hot_max_seeds is 7, but neither", {"hot_max_seeds": 7}),
        ("hot_max_seeds: 0", {"hot_max_seeds": 0, "hot_fanouts": [3]}),
    ],
)
def test_wrong_options(tmp_path: Path, graph: Any, words: str, options: Dict[str, Any]) -> None:
    dataset = gls.Dataset.from_arrays(graph.edge_index, num_nodes=200, x=graph.x)
    with pytest.raises(gls.InvalidArgument, match=words) as caught:
        dataset.partition(tmp_path / "p", 2, method="hash", **{"hot_rows": 3, **options})
    assert caught.value.detail["argument"].startswith("hot_")
    assert not (tmp_path / "p").exists()
