"""NeighborLoader: seeds, epochs, order, trainers, resuming, what is gathered."""

from __future__ import annotations

import asyncio
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import numpy as np
import pytest
from slow import slow_loader

import gls

OPTIONS: Dict[str, Any] = {"batch_size": 7, "shuffle": True, "seed": 3, "with_edge_ids": True}


def image(batch: gls.Batch) -> Dict[str, bytes]:
    """Every byte of a batch."""
    out = {"number": str(batch.number).encode()}
    for name, n in batch.nodes.items():
        for what in ("node", "seed"):
            out[f"{name}/{what}"] = getattr(n, what).numpy().tobytes()
        for column in n.columns:
            out[f"{name}/{column}"] = n[column].numpy().tobytes()
        out[f"{name}/counts"] = bytes(str(n.num_sampled_nodes), "ascii")
    for name, e in batch.edges.items():
        for what in ("row", "col", "edge"):
            out[f"{name}/{what}"] = getattr(e, what).numpy().tobytes()
        for column in e.columns:
            out[f"{name}/{column}"] = e[column].numpy().tobytes()
        out[f"{name}/counts"] = bytes(str(e.num_sampled_edges), "ascii")
    return out


def images(loader: gls.NeighborLoader) -> List[Dict[str, bytes]]:
    return [image(batch) for batch in loader]


# ---- seeds -------------------------------------------------------------------------------------


def seeds_of(loader: gls.NeighborLoader) -> List[int]:
    return [node for b in loader for node in b.nodes[b.input_type].node[: b.batch_size].tolist()]


def test_input_nodes(dataset: gls.Dataset, graph: Any) -> None:
    mask = np.zeros(200, bool)
    mask[graph.train] = True
    every = list(range(200))
    train = graph.train.tolist()
    for input_nodes, expected in (
        (None, every),
        ("train", train),
        (mask, train),
        (graph.train.astype(np.int32), train),
        (train, train),
        (("node", "train"), train),
        (("node", None), every),
        (("node", [5, 3]), [5, 3]),
        ([], []),
        (np.zeros(200, bool), []),
    ):
        loader = gls.NeighborLoader(dataset, [1], input_nodes, batch_size=16)
        assert seeds_of(loader) == expected
        assert loader.num_seeds == len(expected)
        assert len(loader) == -(-len(expected) // 16)


def test_input_nodes_of_several_types(shop: gls.Dataset) -> None:
    for input_nodes, expected in (
        ("item", list(range(90))),
        (("user", "train"), list(range(0, 60, 2))),
        (("shop", [3]), [3]),
    ):
        assert seeds_of(gls.NeighborLoader(shop, [1], input_nodes)) == expected
    with pytest.raises(gls.InvalidArgument, match="several"):
        gls.NeighborLoader(shop, [1])


def test_drop_last(dataset: gls.Dataset) -> None:
    assert [len(b.seed) for b in gls.NeighborLoader(dataset, [1], batch_size=80)] == [80, 80, 40]
    loader = gls.NeighborLoader(dataset, [1], batch_size=80, drop_last=True)
    assert [len(b.seed) for b in loader] == [80, 80] and len(loader) == 2


# ---- epochs ------------------------------------------------------------------------------------


def test_each_iter_is_the_next_epoch(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [3], "train", **OPTIONS)
    epochs = [images(loader) for _ in range(3)]
    assert epochs[0] != epochs[1] != epochs[2]
    loader.set_epoch(1)
    assert images(loader) == epochs[1]
    assert images(loader) == epochs[2]
    other = gls.NeighborLoader(dataset, [3], "train", **OPTIONS)
    other.set_epoch(2)
    assert images(other) == epochs[2]
    assert next(iter(other)).epoch == 3


def test_the_last_epoch(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [3], batch_size=100)
    loader.set_epoch(2**64 - 1)
    assert [batch.epoch for batch in loader] == [2**64 - 1] * 2
    state = loader.state_dict()
    for _ in range(2):
        with pytest.raises(gls.InvalidState, match=r"no epoch after 2\^64 - 1"):
            iter(loader)
    other = gls.NeighborLoader(dataset, [3], batch_size=100)
    other.load_state_dict(state)
    with pytest.raises(gls.InvalidState, match="no epoch after"):
        iter(other)
    loader.set_epoch(3)
    assert [batch.epoch for batch in loader] == [3, 3]
    with pytest.raises(gls.InvalidArgument, match="epoch"):
        loader.set_epoch(2**64)


def test_the_seed_matters(dataset: gls.Dataset) -> None:
    one, other = (
        images(gls.NeighborLoader(dataset, [3], "train", **{**OPTIONS, "seed": seed}))
        for seed in (3, 4)
    )
    assert one != other


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_the_number_of_threads_does_not_matter(graph: Any, threads: int) -> None:
    builder = gls.DatasetBuilder(context=gls.Context(threads))
    builder.add_node_type("node", 200)
    builder.add_edges("node__to__node", graph.edge_index)
    builder.add_node_column("node", "x", graph.x)
    dataset = builder.build()
    loader = gls.NeighborLoader(dataset, [4, 4], [*range(200)] * 2, **OPTIONS)
    expected = gls.NeighborLoader(
        dataset, [4, 4], [*range(200)] * 2, num_workers=1, prefetch=1, **OPTIONS
    )
    assert images(loader) == images(expected)
    reference = graph.build()
    plain = gls.NeighborLoader(reference, [4, 4], [*range(200)] * 2, columns=["x"], **OPTIONS)
    assert images(plain) == images(loader.__class__(dataset, [4, 4], [*range(200)] * 2, **OPTIONS))


def test_an_old_iterator_is_over(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [1], batch_size=10)
    first = iter(loader)
    next(first)
    second = iter(loader)
    with pytest.raises(gls.InvalidState, match="iterator is over"):
        next(first)
    assert next(second).epoch == 1
    loader.set_epoch(9)
    with pytest.raises(gls.InvalidState, match="iterator is over"):
        next(second)
    assert loader.epoch == 9
    assert iter(second) is second


def test_the_end_is_the_end(dataset: gls.Dataset) -> None:
    batches = iter(gls.NeighborLoader(dataset, [1], batch_size=150))
    assert len(list(batches)) == 2
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(batches)


# ---- trainers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("even", ["none", "drop", "repeat"])
def test_trainers_share_the_epoch(dataset: gls.Dataset, even: str) -> None:
    whole = images(gls.NeighborLoader(dataset, [3], "train", **OPTIONS))
    parts = [
        images(
            gls.NeighborLoader(dataset, [3], "train", rank=r, world_size=4, even=even, **OPTIONS)
        )
        for r in range(4)
    ]
    steps = {"none": -(-len(whole) // 4), "drop": len(whole) // 4, "repeat": -(-len(whole) // 4)}
    if even != "none":
        assert {len(part) for part in parts} == {steps[even]}
    got = [part[i] for i in range(steps[even]) for part in parts if i < len(part)]
    assert got == [whole[i % len(whole)] for i in range(len(got))]


def test_ranks_from_the_environment(dataset: gls.Dataset, monkeypatch: Any) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    batch = next(iter(gls.NeighborLoader(dataset, [1], batch_size=10, rank="env")))
    assert batch.number == 1
    batch = next(iter(gls.NeighborLoader(dataset, [1], batch_size=10)))
    assert batch.number == 0  # not unless asked to
    for bad in ("-1", str(2**32)):
        monkeypatch.setenv("RANK", bad)
        with pytest.raises(gls.InvalidArgument, match="RANK"):
            gls.NeighborLoader(dataset, [1], rank="env")
    monkeypatch.delenv("RANK")
    with pytest.raises(gls.InvalidState, match="RANK"):
        gls.NeighborLoader(dataset, [1], rank="env")


# ---- resuming ----------------------------------------------------------------------------------


@pytest.mark.parametrize("world_size", [1, 2, 3])
@pytest.mark.parametrize("steps", [0, 1, 4])
def test_resume_in_mid_epoch(dataset: gls.Dataset, steps: int, world_size: int) -> None:
    """With other numbers of trainers, workers and batches ahead."""
    loader = gls.NeighborLoader(dataset, [3], "train", **OPTIONS)
    list(loader)
    batches = iter(loader)
    done = [image(next(batches)) for _ in range(steps)]
    state = pickle.loads(pickle.dumps(loader.state_dict()))
    assert json.loads(json.dumps(state)) == state
    rest = [image(batch) for batch in batches]
    following = images(loader)
    parts, after = [], []
    for rank in range(world_size):
        other = gls.NeighborLoader(
            dataset,
            [3],
            "train",
            rank=rank,
            world_size=world_size,
            num_workers=1 + rank,
            prefetch=1 + rank,
            **OPTIONS,
        )
        other.load_state_dict(state)
        assert other.epoch == 1
        parts.append(images(other))
        after.append(images(other))
    woven = [p[i] for i in range(len(rest)) for p in parts if i < len(p)]
    assert woven == rest
    assert [p[i] for i in range(len(following)) for p in after if i < len(p)] == following
    assert len(done) == steps


def test_state_at_the_end_of_an_epoch(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [3], "train", **OPTIONS)
    for _ in loader:
        in_last_step = loader.state_dict()
    after_epoch = loader.state_dict()
    following = images(loader)

    resumed = gls.NeighborLoader(dataset, [3], "train", **OPTIONS)
    resumed.load_state_dict(after_epoch)
    assert images(resumed) == following
    resumed.load_state_dict(in_last_step)
    assert images(resumed) == []  # what was left of the epoch
    assert images(resumed) == following


def test_set_epoch_after_loading_a_state(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [3], "train", **OPTIONS)
    batches = iter(loader)
    next(batches)
    state = loader.state_dict()
    rest = [image(batch) for batch in batches]
    resumed = gls.NeighborLoader(dataset, [3], "train", **OPTIONS)
    resumed.load_state_dict(state)
    resumed.set_epoch(0)  # what a training loop does anyway
    assert images(resumed) == rest
    resumed.set_epoch(0)
    assert images(resumed)[1:] == rest


def test_states_of_other_loaders_are_refused(dataset: gls.Dataset) -> None:
    state = gls.NeighborLoader(dataset, [3], "train", **OPTIONS).state_dict()
    for change in (
        {"batch_size": 8},
        {"seed": 4},
        {"shuffle": False},
        {"input_nodes": [1, 2, 3]},
        {"drop_last": True},
    ):
        arguments: Any = {"input_nodes": "train", **OPTIONS, **change}
        with pytest.raises(gls.InvalidArgument):
            gls.NeighborLoader(dataset, [3], **arguments).load_state_dict(state)
    loader = gls.NeighborLoader(dataset, [3], "train", **OPTIONS)
    for bad in ({}, None, {"version": 2}, {"version": 1, "loader": "{}"}, {"version": 1}):
        with pytest.raises((gls.InvalidArgument, TypeError)):
            loader.load_state_dict(bad)  # type: ignore[arg-type]
    assert len(images(loader)) == len(loader)


RESUME = """
import json, sys
import gls
loader = gls.NeighborLoader(gls.Dataset.open(sys.argv[1]), [3], "train", batch_size=7, shuffle=True,
                            seed=3, num_workers=1)
loader.load_state_dict(json.load(sys.stdin))
json.dump([[b.number, b.node.tolist(), b.col.tolist(), b.y.tolist()] for b in loader], sys.stdout)
"""


def test_resume_in_a_new_process(dataset: gls.Dataset, tmp_path: Path) -> None:
    dataset.save(tmp_path / "d")
    opened = gls.Dataset.open(tmp_path / "d")
    loader = gls.NeighborLoader(opened, [3], "train", batch_size=7, shuffle=True, seed=3)
    batches = iter(loader)
    for _ in range(3):
        next(batches)
    state = json.dumps(loader.state_dict())
    rest = [[b.number, b.node.tolist(), b.col.tolist(), b.y.tolist()] for b in batches]
    out = subprocess.run(
        [sys.executable, "-c", RESUME, str(tmp_path / "d")],
        input=state,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(out.stdout) == rest


# ---- columns -----------------------------------------------------------------------------------


def test_columns_by_role(dataset: gls.Dataset, graph: Any) -> None:
    batch = next(iter(gls.NeighborLoader(dataset, [3], batch_size=20)))
    assert batch.columns == ["x", "y"]
    assert len(batch.x) == batch.num_nodes and len(batch.y) == 20  # labels: for the seeds
    batch = next(iter(gls.NeighborLoader(dataset, [3], batch_size=20, with_edge_ids=True)))
    assert batch.columns == ["x", "y", "edge_attr"]


def test_columns_by_name(dataset: gls.Dataset, graph: Any) -> None:
    wanted = ["w", gls.ColumnRequest("y", rows="all"), gls.ColumnRequest("x", "node", "seeds")]
    batch = next(iter(gls.NeighborLoader(dataset, [3], batch_size=20, columns=wanted)))
    np.testing.assert_array_equal(batch.w.numpy(), graph.weight[batch.edge.numpy()])
    np.testing.assert_array_equal(batch.y.numpy(), graph.y[batch.node.numpy()])
    assert len(batch.x) == 20
    assert next(iter(gls.NeighborLoader(dataset, [3], columns=[]))).columns == []


def test_columns_of_several_types(shop: gls.Dataset) -> None:
    wanted = [gls.ColumnRequest("stars", ("user", "buys", "item")), gls.ColumnRequest("x", "user")]
    batch = next(iter(gls.NeighborLoader(shop, [3], "item", columns=wanted)))
    assert batch.columns == ["x", "stars"] or batch.columns == ["stars", "x"]
    assert batch.nodes["item"].columns == []
    assert len(batch.stars) == len(batch.edges["user__buys__item"].row)


# ---- options of sampling reach the sampler -----------------------------------------------------


def test_sampling_options(dataset: gls.Dataset) -> None:
    seeds = [1, 2, 3]
    for options in (
        {"direction": "out"},
        {"direction": "out", "toward_seeds": True},
        {"replace": True},
        {"replace": "above"},
        {"disjoint": True},
        {"weight_attr": "w"},
        {"int32": True},
        {"exclude": np.arange(1000)},
        {"exclude": {("node", "to", "node"): np.stack([np.arange(9), np.arange(9)])}},
        {"seed": 1 << 63},
        {"contract": 1},
    ):
        arguments: Any = {"with_edge_ids": True, **options}
        sampled = gls.Sampler(dataset, [5, 5], **arguments).sample(seeds, epoch=0, batch=0)
        loaded = next(iter(gls.NeighborLoader(dataset, [5, 5], seeds, columns=[], **arguments)))
        assert image(sampled) == image(loaded), options
        assert loaded.row.dtype == ("int32" if options.get("int32") else "int64")


def test_stats(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [3], batch_size=50, prefetch_bytes=1 << 20)
    batches = list(loader)
    stats = loader.stats
    assert (stats.batches, stats.seeds) == (4, 200)
    assert stats.nodes == sum(batch.num_nodes for batch in batches)
    assert stats.edges == sum(batch.num_edges for batch in batches)
    assert stats.gathered_rows == stats.nodes + 200 == stats.host_rows
    assert (stats.device_rows, stats.pinned_rows, stats.remote_rows, stats.peer_rows) == (0,) * 4
    assert stats.gathered_bytes == stats.nodes * 48 + 200 * 8
    assert stats.sample_ns > 0 and stats.wall_ns > 0 and stats.ready_batches == 0
    assert loader.batch_size == 50 and loader.dataset is dataset
    assert (stats.disk_rows, stats.disk_row_bytes) == (0, 0)
    assert (stats.disk_read_bytes, stats.disk_packed_bytes) == (0, 0)


def test_stats_of_the_disk(dataset: gls.Dataset, tmp_path: Path) -> None:
    dataset.save(tmp_path / "graph")
    context = gls.Context(2)
    context.set("storage.way", "planned")
    context.set("storage.memory", 20_000)
    opened = gls.Dataset.open(tmp_path / "graph", context=context)
    loader = gls.NeighborLoader(opened, [3], **OPTIONS)
    assert images(loader) == images(gls.NeighborLoader(dataset, [3], **OPTIONS))
    stats = loader.stats
    assert 0 < stats.disk_rows < stats.host_rows == stats.gathered_rows
    assert 8 * stats.disk_rows <= stats.disk_row_bytes < stats.gathered_bytes
    assert stats.disk_read_bytes > 0 and stats.disk_packed_bytes > 0
    # A window of one batch keeps no rows and packs none. The loader before would share the memory.
    loader.close()
    context.set("storage.window", 1)
    loader = gls.NeighborLoader(opened, [3], batch_size=8, columns=["x"])
    list(loader)
    stats = loader.stats
    assert stats.disk_row_bytes == 48 * stats.disk_rows > 0
    assert stats.disk_packed_bytes == 0


# ---- event loops -------------------------------------------------------------------------------


def test_async_for(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [4, 4], **OPTIONS)
    expected = [images(loader), images(loader)]

    async def epochs() -> List[List[Dict[str, bytes]]]:
        again = gls.NeighborLoader(dataset, [4, 4], **OPTIONS)
        return [[image(batch) async for batch in again] for _ in range(2)]

    assert asyncio.run(epochs()) == expected
    assert asyncio.run(epochs()) == expected, "in another event loop"


def test_async_lets_others_run() -> None:
    async def main() -> int:
        turns = 0
        done = False

        async def other() -> None:
            nonlocal turns
            while not done:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        async for _ in slow_loader():
            break
        done = True
        await task
        return turns

    assert asyncio.run(main()) > 1


def test_async_tasks_share_an_iterator(dataset: gls.Dataset) -> None:
    async def main() -> List[int]:
        loader = gls.NeighborLoader(dataset, [4], batch_size=5)
        batches = loader.__aiter__()

        async def take() -> List[int]:
            return [batch.number async for batch in batches]

        return sorted(sum(await asyncio.gather(*(take() for _ in range(4))), []))

    assert asyncio.run(main()) == list(range(40))


def test_async_is_cancelled_and_closed(dataset: gls.Dataset) -> None:
    async def main() -> None:
        for end, error in (
            (gls.NeighborLoader.cancel, gls.Canceled),
            (gls.NeighborLoader.close, gls.InvalidState),
        ):
            loader = slow_loader()
            waiting = asyncio.ensure_future(loader.__aiter__().__anext__())
            await asyncio.sleep(0)
            assert not waiting.done()
            end(loader)
            with pytest.raises(error):
                await waiting
        # A task that gives up leaves the loader as it was.
        loader = slow_loader(10)
        batches = loader.__aiter__()
        waiting = asyncio.ensure_future(batches.__anext__())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert [batch.number async for batch in batches] == list(range(20))

    asyncio.run(main())


def test_async_ends_with_its_loop() -> None:
    loader = slow_loader()

    async def ask() -> None:
        asyncio.ensure_future(loader.__aiter__().__anext__())
        await asyncio.sleep(0)

    asyncio.run(ask())  # ends with a batch on its way, which then has no loop to wake
    assert next(iter(loader)).number == 0


# ---- links -------------------------------------------------------------------------------------


def test_links_come_with_labels_and_negatives(dataset: gls.Dataset) -> None:
    edges = dataset.num_edges()
    labels = np.arange(edges) + 100
    loader = gls.LinkNeighborLoader(
        dataset, [3, 2], None, labels, neg_sampling="binary", batch_size=16, shuffle=True, seed=3
    )
    seen = []
    for batch in loader:
        links = len(batch.input_id)
        assert batch.input_type in batch.edges
        assert len(batch.link_source) == len(batch.link_target) == 2 * links
        assert batch.link_label.tolist() == [*labels[batch.input_id.numpy()], *[0] * links]
        seen += batch.input_id.tolist()
    assert sorted(seen) == list(range(edges))
    with gls.LinkNeighborLoader(dataset, [2], np.arange(8), batch_size=4) as plain:
        for batch in plain:
            assert not hasattr(batch, "link_label") and not hasattr(batch, "link_negative")
            with pytest.raises(AttributeError, match="links"):
                _ = batch.seed


def test_triplets_and_strict_negatives(dataset: gls.Dataset) -> None:
    negatives = gls.NegativeSampling("triplet", 4, strict=True, degree_power=0.75)
    (batch,) = gls.LinkNeighborLoader(
        dataset, [2], np.arange(10), neg_sampling=negatives, batch_size=10, exclude_links=True
    )
    assert batch.link_negative.numpy().shape == (10, 4)
    again = gls.Sampler(dataset, [2], neg_sampling=negatives).sample_links(np.arange(10))
    nodes = again.node.numpy()
    assert np.array_equal(
        nodes[again.link_negative.numpy()], batch.node.numpy()[batch.link_negative.numpy()]
    )


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        ({"neg_sampling": "both"}, gls.InvalidArgument, "'triplet'"),
        ({"neg_sampling": gls.NegativeSampling("binary", 0)}, gls.InvalidArgument, "amount"),
        ({"neg_sampling": gls.NegativeSampling("binary", tries=0)}, gls.InvalidArgument, "tries"),
        ({"edge_label": [1.5]}, gls.InvalidArgument, "edge_label"),
        ({"edge_label_index": [[0], [1 << 40]]}, gls.InvalidArgument, "1099511627776"),
        ({"edge_label_index": ("a__b__c", None)}, gls.NotFound, "a__b__c"),
        ({"edge_label_time": [1]}, gls.InvalidArgument, "edge_label_time"),
    ],
)
def test_link_loaders_that_cannot_be(
    dataset: gls.Dataset, arguments: Any, kind: Any, message: str
) -> None:
    with pytest.raises(kind, match=message):
        gls.LinkNeighborLoader(dataset, [2], **arguments)


def test_negatives_in_time() -> None:
    rng = np.random.default_rng(5)
    edges = rng.integers(0, 100, (2, 500))
    since = rng.permutation(100)
    dataset = gls.Dataset.from_arrays(edges, num_nodes=100, node_columns={"since": since})
    times = np.arange(60)
    for mode in ("binary", "triplet"):
        for strict in (False, True):
            negatives = gls.NegativeSampling(mode, 5, in_time=True, allow_short=True)
            loader = gls.LinkNeighborLoader(
                dataset,
                [2],
                np.arange(60),
                edge_label_time=times,
                neg_sampling=negatives,
                node_time="since",
                time_strict=strict,
                batch_size=60,
            )
            (batch,) = loader
            node = batch.node.numpy()
            if mode == "triplet":
                drawn = batch.link_negative.numpy()
                existed = since[node[drawn]] < times[:, None] + (not strict)
                assert (existed | (drawn < 0)).all()
                assert (drawn[0] < 0).all() == strict  # one node exists at 0
                assert len(set(node[drawn[40]].tolist())) > 1
            else:
                tree_times = batch.nodes["node"].seed_time.numpy()
                drawn = batch.link_target.numpy()[60:]
                assert (since[node[drawn]] < tree_times[drawn] + (not strict)).all()
    options = {"node_time": "since", "time_strict": True}
    before = (np.arange(3), None, np.array([5, 0, 7]))
    negatives = gls.NegativeSampling("triplet", in_time=True)
    sampler = gls.Sampler(dataset, [2], neg_sampling=negatives, **options)
    with pytest.raises(gls.NotFound, match="link 1 has the time 0, and no node"):
        sampler.sample_links(before[0], times=before[2])
    oldest = gls.Sampler(dataset, [2], neg_sampling=negatives._replace(oldest=True), **options)
    batch = oldest.sample_links(before[0], times=before[2])
    assert since[batch.node.numpy()[batch.link_negative.numpy()[1]]].tolist() == [0]
    for wrong in (negatives._replace(in_time=False, oldest=True), negatives):
        with pytest.raises(gls.InvalidArgument, match="^(in_time|oldest) is set"):
            gls.Sampler(dataset, [2], neg_sampling=wrong)
