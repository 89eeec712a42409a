"""Anchors: against the reference, by properties that need no reference, and their loader."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from reference import anchors, neighbors
import contract
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_properties import timed

import gls

LABEL, MESSAGE = "node__label__node", "node__to__node"


@st.composite
def anchored(draw: Any, several: bool) -> Tuple[neighbors.Graph, Any, Any]:
    """Supervisions of one type of anchors, and every other option."""
    graph, options, request = draw(timed(several=several))
    request.times = request.times or [None] * len(request.seeds)
    if request.seeds:
        start = request.seeds[0][0]
        request.seeds, request.times = request.seeds[:1], request.times[:1]
    else:
        start = draw(st.sampled_from(list(graph.node_types)))
    count = len(request.seeds[0][1]) if request.seeds else 0
    names = [t.name for t in graph.edge_types if t.source_type == start]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    for number in range(draw(st.integers(1, 3))):
        role = draw(st.sampled_from([anchors.POSITIVE, anchors.NEGATIVE]))
        supervision = anchors.Supervision(name=f"s{number}", role=role)
        options.supervisions.append(supervision)
        request.labels.append(None)
        if names and draw(st.integers(0, 3)) > 0:
            supervision.edge_type = draw(st.sampled_from(names))
            supervision.max_labels = draw(st.integers(0, 4))
            supervision.sampled = draw(st.booleans())
        else:
            supervision.node_type = draw(st.sampled_from(list(graph.node_types)))
            shape = (count, draw(st.integers(0, 4)) if count else 0)
            most = graph.node_types[supervision.node_type]
            request.labels[-1] = rng.integers(-1, most, shape).tolist()
    for fanout in options.fanouts:
        if fanout.edge_type in neighbors.label_types(options):
            fanout.per_hop = [0] * len(fanout.per_hop)
    if draw(st.booleans()):
        columns = [t for t in graph.edge_types if len(t.source)]
        if columns and len(columns) == len(graph.edge_types):
            for edge_type in columns:
                reverse = rng.integers(0, len(edge_type.source), len(edge_type.source))
                edge_type.columns["reverse"] = reverse.tolist()
            options.exclude_mode, options.reverse_column = neighbors.REVERSE_ID, "reverse"
            options.reverse_types = []
    return graph, options, request


def check_against_the_reference(case: Any) -> None:
    graph, options, request = case
    batch = contract.sample(contract.build(graph), options, request)
    expected = neighbors.sample(graph, options, request)
    assert contract.to_reference(batch, options) == expected


@settings(max_examples=300)
@given(anchored(several=False))
def test_anchors_of_one_type(case: Any) -> None:
    check_against_the_reference(case)


@settings(max_examples=300)
@given(anchored(several=True))
def test_anchors_of_several_types(case: Any) -> None:
    check_against_the_reference(case)


@settings(max_examples=200)
@given(anchored(several=True))
def test_labels_are_targets_of_their_anchors(case: Any) -> None:
    """Found without the reference's anchors: from the lists of edges alone."""
    graph, options, request = case
    options.edge_ids = True
    batch = contract.sample(contract.build(graph), options, request)
    start, seeds = request.seeds[0] if request.seeds else ("", [])
    types = {t.name: t for t in graph.edge_types}
    kinds = {name: type for _, type, name, _ in batch._content.arrays() if name is not None}
    if seeds:
        local = batch.anchors.numpy()
        assert batch.nodes[start].node.numpy()[local].tolist() == seeds
        assert local.max() < max(len(seeds), 1)  # anchors are numbered first
    for node_type, arrays in batch.nodes.items():
        if not (options.disjoint or options.temporal):
            ids = arrays.node.tolist()
            assert len(set(ids)) == len(ids), node_type
    banned: Dict[str, set] = {name: set() for name in types}
    for number, supervision in enumerate(options.supervisions):
        labels = batch.positives if supervision.role == "positive" else batch.negatives
        rows = labels[supervision.name].numpy()
        nodes = batch.nodes[kinds[supervision.name]].node.numpy()
        assert rows.shape[0] == len(seeds)
        for i, row in enumerate(rows):
            got = [int(nodes[label]) if label >= 0 else -1 for label in row]
            if supervision.edge_type is None:
                assert got == request.labels[number][i]
                continue
            edge_type = types[supervision.edge_type]
            pairs = zip(edge_type.source, edge_type.target)
            all_of_it = [t for s, t in pairs if s == seeds[i]]
            found = [label for label in got if label >= 0]
            assert got == found + [-1] * (len(got) - len(found))
            most = supervision.max_labels
            if most:
                assert len(row) == most and len(found) == min(most, len(all_of_it))
            if not most or len(all_of_it) <= most:
                assert found == all_of_it
            for label in set(found):
                assert found.count(label) <= all_of_it.count(label)
                if supervision.sampled:
                    banned[edge_type.name].add((seeds[i], label))
    for name, edge_type in types.items():
        taken = batch.edges[name].edge.tolist()
        # Edges both ways have those that are the reverses of sampled ones, of any type.
        if name in neighbors.label_types(options) and options.subgraph != "bidirectional":
            assert not taken
        assert not any((edge_type.source[e], edge_type.target[e]) in banned[name] for e in taken)


# ---- the package -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def splitter() -> gls.Dataset:
    """16 nodes in a ring; labels of 9 .. 12, as in a test of GiGL's splitters."""
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 16)
    pairs = [(9, 8), (10, 7), (10, 10), (10, 11), (10, 15), (11, 12), (11, 13), (12, 10), (12, 11)]
    builder.add_edges(LABEL, *np.array(pairs).T.copy())
    ring = np.arange(16)
    builder.add_edges(MESSAGE, ring, (ring + 1) % 16)
    builder.add_node_column("node", "x", ring.astype(np.float32), role="feature")
    builder.add_node_column("node", "y", ring * 10, role="label")
    return builder.build(layouts=("csc", "csr"))


@pytest.mark.parametrize("direction", ["in", "out"])
def test_padded_labels(splitter: gls.Dataset, direction: str) -> None:
    (batch,) = gls.AnchorLoader(splitter, [2], LABEL, [9, 10, 11, 12], direction=direction)
    ids = batch.node.numpy()
    rows = batch.positives[LABEL].numpy()
    assert np.where(rows >= 0, ids[rows], -1).tolist() == [
        [8, -1, -1, -1],
        [7, 10, 11, 15],
        [12, 13, -1, -1],
        [10, 11, -1, -1],
    ]
    assert batch.negatives == {}
    assert batch.anchors.tolist() == [0, 1, 2, 3]
    index = batch.label_index(LABEL).numpy()
    assert ids[index].tolist() == [
        [9, 10, 10, 10, 10, 11, 11, 12, 12],
        [8, 7, 10, 11, 15, 12, 13, 10, 11],
    ]
    assert batch.edges[LABEL].num_edges == 0 and batch.edges[MESSAGE].num_edges > 4
    seeds = batch.num_sampled_nodes[0]
    assert batch.y.tolist() == (10 * ids[:seeds]).tolist()  # labels of labels, too
    assert batch.columns == ["x", "y"]


def test_no_anchors(splitter: gls.Dataset) -> None:
    for most in (0, 3):
        sampler = gls.Sampler(splitter, [2], supervisions=gls.Supervision(LABEL, most))
        batch = sampler.sample(np.zeros(0, np.int64))
        assert batch.positives[LABEL].shape == (0, most)
        assert batch.label_index(LABEL).shape == (2, 0)
        assert batch.anchors.tolist() == []


def test_loader_resumes_and_any_batch_can_be_had(splitter: gls.Dataset) -> None:
    both = [gls.Supervision(LABEL, 2), gls.Supervision(MESSAGE, role="negative", sampled=True)]

    def made(**more: Any) -> gls.AnchorLoader:
        return gls.AnchorLoader(splitter, [2, 1], both, batch_size=3, shuffle=True, seed=4, **more)

    def content(batch: gls.Batch) -> List[Any]:
        return [
            batch.number,
            batch.input_id.tolist(),
            batch.node.tolist(),
            batch.positives[LABEL].numpy().tolist(),
            batch.negatives[MESSAGE].numpy().tolist(),
            batch.edges[MESSAGE].row.tolist(),
        ]

    whole = [content(batch) for batch in made()]
    assert sorted(i for batch in whole for i in batch[1]) == list(range(16))
    assert [content(batch) for batch in made(num_workers=1)] == whole
    first = made()
    iterator = iter(first)
    next(iterator), next(iterator)
    second = made()
    second.load_state_dict(first.state_dict())
    assert [content(batch) for batch in second] == whole[2:]
    assert [content(first.sample(0, number)) for number in range(6)] == whole
    shared = [content(b) for rank in (0, 1) for b in made(rank=rank, world_size=2)]
    assert sorted(shared) == whole


def test_labels_that_are_given(shop: gls.Dataset) -> None:
    start = "user"
    count = shop.num_nodes(start)
    rows = np.stack([np.arange(count), np.full(count, -1)], axis=1)
    own = gls.Supervision(name="own", node_type=start)
    loader = gls.AnchorLoader(
        shop, [2], own, start, labels={"own": rows}, batch_size=5, shuffle=True, columns=[]
    )
    for batch in loader:
        labels = batch.positives["own"].numpy()
        assert np.array_equal(labels[:, 0], batch.anchors.numpy())
        assert (labels[:, 1] == -1).all()
    sampler = gls.Sampler(shop, [2], supervisions=own)
    batch = sampler.sample((start, [1, 0]), labels={"own": [[0, 1], [-1, 1]]})
    assert batch.positives["own"].numpy().tolist() == [[1, 0], [-1, 0]]


def test_batches_without_anchors(dataset: gls.Dataset) -> None:
    batch = gls.Sampler(dataset, [2]).sample([0, 1])
    assert batch.positives == batch.negatives == {}
    with pytest.raises(AttributeError, match="no supervisions"):
        _ = batch.anchors
    with pytest.raises(gls.NotFound, match="no positive labels"):
        batch.label_index("own")
    with pytest.raises(gls.InvalidArgument, match="role"):
        batch.label_index("own", "other")


@pytest.mark.parametrize(
    "supervisions, arguments, kind, message",
    [
        ("a__b__c", {}, gls.NotFound, "a__b__c"),
        ([LABEL, LABEL], {}, gls.InvalidArgument, "twice"),
        (gls.Supervision(LABEL, -1), {}, gls.InvalidArgument, "max_labels"),
        (gls.Supervision(LABEL, role="other"), {}, gls.InvalidArgument, "role"),
        (gls.Supervision(), {}, gls.InvalidArgument, "neither edge_type nor name"),
        (gls.Supervision(name="own"), {}, gls.InvalidArgument, "no labels are given"),
        (LABEL, {"labels": {"own": [[1]]}}, gls.InvalidArgument, "no supervision 'own'"),
        (LABEL, {"labels": {LABEL: [[1]]}}, gls.InvalidArgument, "in an edge type"),
        (LABEL, {"num_neighbors": {LABEL: [1], None: [1]}}, gls.InvalidArgument, "not sampled"),
    ],
)
def test_loaders_that_cannot_be(
    splitter: gls.Dataset, supervisions: Any, arguments: Any, kind: Any, message: str
) -> None:
    fanouts = arguments.pop("num_neighbors", [2])
    with pytest.raises(kind, match=message):
        gls.AnchorLoader(splitter, fanouts, supervisions, **arguments)
