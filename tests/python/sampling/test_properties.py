"""Random small graphs: the package against the reference implementation of the contract, and against
the properties that any batch has, which are read from its arrays alone.
"""

from __future__ import annotations

from typing import Any, List, Tuple

import contract
import numpy as np
from reference import neighbors, order
from hypothesis import given, settings
from hypothesis import strategies as st

import gls
from properties import check_batch

WORDS = st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1))
TYPES = ["a", "b", "c"]
TIMES = st.integers(-3, 8)
NOT_OF_NODES = (
    "num_neighbors",
    "neg_sampling",
    "exclude_links",
    "walk",
    "importance",
    "ppr",
    "supervisions",
    "hgt",
)


@st.composite
def edge_types(draw: Any, counts: "dict[str, int]") -> neighbors.EdgeType:
    source = draw(st.sampled_from(list(counts)))
    target = draw(st.sampled_from(list(counts)))
    edges = draw(st.integers(0, 40)) if counts[source] and counts[target] else 0
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    made = neighbors.EdgeType(
        f"{source}__r{draw(st.integers(0, 99))}__{target}",
        rng.integers(0, max(counts[source], 1), edges).tolist(),
        rng.integers(0, max(counts[target], 1), edges).tolist(),
    )
    if draw(st.booleans()):
        made.columns["weight"] = (rng.integers(0, 5, edges) / 4).tolist()
    return made


@st.composite
def cases(draw: Any, several: bool) -> Tuple[neighbors.Graph, Any, Any]:
    names = TYPES[: draw(st.integers(2, 3))] if several else TYPES[:1]
    counts = {name: draw(st.integers(1, 12)) for name in names}
    many = st.lists(edge_types(counts), min_size=1, max_size=4 if several else 1)
    graph = neighbors.Graph(
        counts, list({edge_type.name: edge_type for edge_type in draw(many)}.values())
    )
    hops = draw(st.integers(1, 3))
    per_hop = st.lists(st.integers(-1, 6), min_size=hops, max_size=hops)
    fanouts = [neighbors.Fanout(None, draw(per_hop))]
    fanouts += [
        neighbors.Fanout(t.name, draw(per_hop)) for t in graph.edge_types if draw(st.booleans())
    ]
    weighted = any("weight" in t.columns for t in graph.edge_types)
    exclude_mode = draw(st.sampled_from(["self", "reverse_id", "reverse_types"]))
    reverse_column, reverse_types = None, []
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if exclude_mode == "reverse_id":
        reverse_column = "reverse"
        for t in graph.edge_types:
            reverse = rng.integers(0, max(len(t.source), 1), len(t.source)).tolist()
            t.columns["reverse"] = reverse
    if exclude_mode == "reverse_types":
        # A type of its own with the reverses: edge by edge, or, which no one checks, of other ends.
        forth = draw(st.sampled_from(graph.edge_types))
        name = f"{forth.target_type}__back__{forth.source_type}"
        back = neighbors.EdgeType(name, list(forth.target), list(forth.source))
        if draw(st.booleans()):
            back.source = rng.permutation(back.source).tolist()
        back.columns = {k: list(v) for k, v in forth.columns.items() if draw(st.booleans())}
        graph.edge_types.insert(draw(st.integers(0, len(graph.edge_types))), back)
        reverse_types = [draw(st.permutations([forth.name, back.name]))]

    def edge_sets() -> List[neighbors.EdgeSet]:
        chosen = [t for t in graph.edge_types if t.source and draw(st.integers(0, 3)) == 0]
        return [
            (
                neighbors.EdgeSet(t.name, ids=draw(st.lists(st.integers(0, len(t.source) - 1))))
                if draw(st.booleans())
                else neighbors.EdgeSet(t.name, pairs=(t.source[:3], t.target[:3]))
            )
            for t in chosen
        ]

    options = neighbors.Options(
        fanouts,
        seed=draw(WORDS),
        direction=draw(st.sampled_from(["in", "out"])),
        replace=draw(st.sampled_from(["never", "above", "always"])),
        weight="weight" if weighted and draw(st.booleans()) else None,
        edge_ids=draw(st.booleans()),
        disjoint=draw(st.booleans()),
        toward_seeds=draw(st.booleans()),
        exclude=edge_sets(),
        exclude_mode=exclude_mode,
        reverse_column=reverse_column,
        reverse_types=[(one, other) for one, other in reverse_types],
    )
    chosen = draw(st.lists(st.sampled_from(names), unique=True, min_size=0 if several else 1))
    seeds = [
        (name, draw(st.lists(st.integers(0, counts[name] - 1), max_size=9))) for name in chosen
    ]
    request = neighbors.Request(seeds, draw(WORDS), draw(WORDS), edge_sets())
    return graph, options, request


NARROW = st.booleans()  # int32 ids


def compare(
    case: Tuple[neighbors.Graph, neighbors.Options, neighbors.Request], narrow: bool
) -> None:
    graph, options, request = case
    batch = contract.sample(contract.build(graph), options, request, int32=narrow)
    dtype = "int32" if narrow else "int64"
    assert {str(n.node.dtype) for n in batch.nodes.values()} == {dtype}
    found = contract.to_reference(batch, options)
    assert found == neighbors.sample(graph, options, request)
    if not options.edge_ids:
        options.edge_ids = True
        batch = contract.sample(contract.build(graph), options, request, int32=narrow)
        found = contract.to_reference(batch, options)
    check_batch(graph, options, request, found)


@settings(max_examples=300)
@given(cases(several=False), NARROW)
def test_one_type(case: Any, narrow: bool) -> None:
    compare(case, narrow)


@settings(max_examples=300)
@given(cases(several=True), NARROW)
def test_several_types(case: Any, narrow: bool) -> None:
    compare(case, narrow)


@st.composite
def timed(draw: Any, several: bool) -> Tuple[neighbors.Graph, Any, Any]:
    """Times of nodes, of edges, or of both, some of them in order; all kinds of subgraphs."""
    graph, options, request = draw(cases(several=several))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def times(count: int) -> List[int]:
        values = rng.integers(-3, 9, count)
        return (np.sort(values) if draw(st.booleans()) else values).tolist()

    for edge_type in graph.edge_types:
        if draw(st.booleans()):
            edge_type.columns["time"] = times(len(edge_type.source))
            options.edge_time = "time"
    for name, count in graph.node_types.items():
        if draw(st.integers(0, 2)) == 0:
            graph.node_columns[name] = {"time": times(count)}
            options.node_time = "time"
    if options.temporal:
        options.time_strict = draw(st.booleans())
        options.time_window = draw(st.integers(0, 6))
        if options.weight is None and options.replace == "never" and draw(st.booleans()):
            options.time_strategy = "last"
        request.times = [
            draw(st.lists(TIMES, min_size=len(ids), max_size=len(ids))) for _, ids in request.seeds
        ]
    options.subgraph = draw(st.sampled_from(["sampled", "induced", "bidirectional"]))
    if options.subgraph == "induced" and draw(st.booleans()):
        options.fanouts, options.replace, options.weight = [], "never", None  # else refused
    return graph, options, request


@settings(max_examples=300)
@given(timed(several=False), NARROW)
def test_times_and_subgraphs_of_one_type(case: Any, narrow: bool) -> None:
    compare(case, narrow)


@settings(max_examples=300)
@given(timed(several=True), NARROW)
def test_times_and_subgraphs_of_several_types(case: Any, narrow: bool) -> None:
    compare(case, narrow)


@st.composite
def layered(draw: Any, several: bool) -> Tuple[neighbors.Graph, Any, Any]:
    """Neighbours by layer, with all that goes with it."""
    graph, options, request = draw(timed(several=several))
    options.pick = "layer"
    options.replace = "never"
    options.time_strategy = "uniform"
    options.batch_dependency = draw(st.sampled_from([0, 1, 2, 3, 7, 2**32 - 1]))
    options.layer_dependent = draw(st.booleans())
    return graph, options, request


@settings(max_examples=300)
@given(layered(several=False), NARROW)
def test_layers_of_one_type(case: Any, narrow: bool) -> None:
    compare(case, narrow)


@settings(max_examples=300)
@given(layered(several=True), NARROW)
def test_layers_of_several_types(case: Any, narrow: bool) -> None:
    compare(case, narrow)


@st.composite
def linked(draw: Any, several: bool) -> Tuple[neighbors.Graph, Any, Any]:
    """Links as seeds, by id or by pairs, with every kind of negatives."""
    graph, options, request = draw(timed(several=several))
    edge_type = draw(st.sampled_from(graph.edge_types))
    source, target = (graph.node_types[t] for t in (edge_type.source_type, edge_type.target_type))
    count = draw(st.integers(0, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    links = neighbors.links.Links(edge_type.name)
    if edge_type.source and draw(st.booleans()):
        links.ids = rng.integers(0, len(edge_type.source), count).tolist()
    else:
        links.pairs = (
            rng.integers(0, source, count).tolist(),
            rng.integers(0, target, count).tolist(),
        )
    if options.temporal:
        links.times = rng.integers(-3, 9, count).tolist()
    if draw(st.booleans()):
        links.labels = rng.integers(-2, 3, count).tolist()
    negatives = options.negatives
    negatives.mode = draw(st.sampled_from([None, "binary", "triplet"]))
    if negatives.mode is not None:
        negatives.strict = draw(st.booleans())
        negatives.allow_short = True
        negatives.tries = draw(st.integers(1, 5))
        negatives.amount = draw(st.integers(1, 3))
        if negatives.mode == "binary" and draw(st.booleans()):
            negatives.amount = draw(st.sampled_from([0.25, 1.5, 0.1]))
        if draw(st.booleans()):
            negatives.degree_power = draw(st.integers(1, 8)) / 4
        elif draw(st.booleans()):
            for name, number in graph.node_types.items():
                weights = (rng.integers(0, 4, number) / 2).tolist()
                graph.node_columns.setdefault(name, {})["weight"] = weights
            negatives.target_weight = "weight"
            negatives.source_weight = "weight" if negatives.mode == "binary" else None
    named = bool(options.exclude or request.exclude)
    idle = options.exclude_mode != "self" and not named  # which is refused
    options.exclude_links = idle or draw(st.booleans())
    request.seeds, request.times, request.links = [], [], links
    return graph, options, request


@settings(max_examples=400)
@given(linked(several=False), NARROW)
def test_links_of_one_type(case: Any, narrow: bool) -> None:
    compare(case, narrow)


@settings(max_examples=400)
@given(linked(several=True), NARROW)
def test_links_of_several_types(case: Any, narrow: bool) -> None:
    compare(case, narrow)


@settings(max_examples=60)
@given(
    cases(several=False),
    st.integers(1, 40),
    st.integers(1, 9),
    st.integers(1, 3),
    st.sampled_from(["none", "drop", "repeat"]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 5),
)
def test_loaders(
    case: Any, n: int, size: int, world: int, even: str, shuffle: bool, drop: bool, epoch: int
) -> None:
    """Order, trainers and columns: a loader is the sampler, called with the plan of the epoch."""
    graph, options, _ = case
    options.edge_ids = True
    if not options.exclude:  # then a mode is refused
        options.exclude_mode, options.reverse_column, options.reverse_types = "self", None, []
    name, count = next(iter(graph.node_types.items()))
    dataset = contract.build(graph)
    seeds = np.random.default_rng(n).integers(0, count, n)
    permutation = order.shuffled(n, options.seed, epoch) if shuffle else None
    real = order.count_batches(n, size, drop)
    arguments = contract.sampler_arguments(options)
    for rank in range(world):
        loader = gls.NeighborLoader(
            dataset,
            arguments["num_neighbors"],
            seeds,
            batch_size=size,
            shuffle=shuffle,
            drop_last=drop,
            rank=rank,
            world_size=world,
            even=even,
            **{k: v for k, v in arguments.items() if k not in NOT_OF_NODES},
        )
        loader.set_epoch(epoch)
        batches = list(loader)
        plan = order.trainer_batches(real, even, world, rank)
        assert len(loader) == len(batches) == len(plan)
        for number, batch in zip(plan, batches):
            positions = order.seed_positions(number, n, size, permutation)
            assert (batch.number, batch.input_id.tolist()) == (number, positions)
            request = neighbors.Request([(name, seeds[positions].tolist())], epoch, number)
            expected = neighbors.sample(graph, options, request)
            assert contract.to_reference(batch, options) == expected


@settings(max_examples=100)
@given(
    st.integers(1, 30),
    st.lists(st.integers(1, 4), max_size=2),
    st.integers(0, 7),
    st.sampled_from(["bool", "uint8", "int16", "float16", "float32", "int64", "float64"]),
)
def test_gathering(nodes: int, row: List[int], padding: int, dtype: str) -> None:
    """Columns of any shape, padded or not, come out as NumPy indexes them."""
    rng = np.random.default_rng(nodes)
    width = int(np.prod(row, dtype=int))
    whole = (rng.random((nodes, width + padding)) * 100).astype(dtype)
    data = whole[:, :width] if row == [] or padding else whole.reshape(nodes, *row)
    if row == []:
        data = whole[:, 0]
    edges = rng.integers(0, nodes, (2, 3 * nodes))
    dataset = gls.Dataset.from_arrays(
        edges, num_nodes=nodes, node_columns={"c": data}, edge_columns={"d": np.repeat(data, 3, 0)}
    )
    for batch in gls.NeighborLoader(dataset, [2, 2], batch_size=4, with_edge_ids=True):
        np.testing.assert_array_equal(batch.c.numpy(), data[batch.node.numpy()])
        np.testing.assert_array_equal(batch.d.numpy(), data[batch.edge.numpy() // 3])
