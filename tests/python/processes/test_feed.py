"""Sampling in processes of its own. Every wait has a limit."""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import numpy as np
import pytest

import feed_worker
import gls
from feed_worker import digests, make_loader, shop_loader
from images import image

HERE = Path(__file__).parents[1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "feed.sock"


@contextmanager
def worker(*arguments: Any) -> Iterator["subprocess.Popen[str]"]:
    """A process that has said its first line, and that is killed at the end."""
    command = [sys.executable, str(HERE / "feed_worker.py"), *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=HERE) as child:
        try:
            yield child
        finally:
            child.kill()


def first_line(child: "subprocess.Popen[str]") -> List[str]:
    assert child.stdout is not None
    return child.stdout.readline().split()


def soon(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def named_memory() -> List[str]:
    """Memory with a name is a file there; folders are of other programs."""
    with os.scandir("/dev/shm") as entries:
        return sorted(entry.name for entry in entries if entry.is_file() and "gls" in entry.name)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


# ---- the same batches --------------------------------------------------------------------------


def test_gives_the_batches_of_the_loader(path: Path) -> None:
    own = make_loader()
    with gls.Feed(make_loader(), path) as feed, gls.attach(path) as loader:
        assert len(loader) == len(own) == 25
        for _ in range(3):
            assert digests(loader) == digests(own)
        assert loader.num_seeds == 200 and loader.batch_size == 8
        assert loader.num_global_batches == 25 and loader.pad_sizes == {}
        assert loader.stats.batches == 75
        assert feed.info.batches == 75 and feed.info.consumers == 1
        assert feed.path == str(path)
        assert not feed.wait(0)
        loader.close()
        feed.serve()
        assert feed.info.lost == 0
    assert not path.exists()
    with pytest.raises(gls.InvalidState):
        feed.wait(0)


def test_arrays_cannot_be_written_and_outlive_everything(path: Path) -> None:
    with gls.Feed(make_loader(), path), gls.attach(path) as loader:
        batch = next(iter(loader))
        x = batch.x.numpy()
        ids = batch.node.numpy().copy()
    del batch
    gc.collect()
    assert not x.flags.writeable
    assert (x[:, 0] == 3 * ids).all()


def test_resumes(path: Path) -> None:
    own = make_loader()
    expected = digests(own)
    with gls.Feed(make_loader(), path):
        with gls.attach(path) as loader:
            batches = iter(loader)
            for i in range(5):
                assert feed_worker.digest(next(batches)) == expected[i]
            state = loader.state_dict()
        with gls.attach(path) as loader:
            loader.load_state_dict(state)
            assert digests(loader) == expected[5:]
        own.load_state_dict(state)
        assert digests(own) == expected[5:]


def test_works_with_asyncio(path: Path) -> None:
    async def collect(loader: gls.AttachedLoader) -> List[str]:
        return [feed_worker.digest(batch) async for batch in loader]

    with gls.Feed(make_loader(), path), gls.attach(path) as loader:
        assert asyncio.run(collect(loader)) == digests(make_loader())


def test_several_processes_and_trainers_share_the_epoch() -> None:
    expected = [digests(make_loader(rank=rank, world_size=2)) for rank in range(2)]
    with gls.SamplingProcesses(make_loader, count=2, consumers=2) as sampling:
        with sampling.attach(rank=0) as first, gls.attach(sampling.paths, rank=1) as second:
            assert len(first) == 13 and len(second) == 12
            assert [digests(first), digests(second)] == expected
        pids = sampling.pids
        folder = os.path.dirname(sampling.paths[0])
    assert not any(is_alive(pid) for pid in pids)
    assert not os.path.exists(folder)


def test_walks_and_links(path: Path) -> None:
    walks = gls.WalkLoader(make_loader().dataset, gls.Walk(4), batch_size=50)
    with gls.Feed(walks, path), gls.attach(path) as loader:
        got = [batch.walks.numpy() for batch in loader]
    for own, other in zip(walks, got):
        assert (own.walks.numpy() == other).all()
    links = gls.LinkNeighborLoader(make_loader().dataset, [2], neg_sampling="binary", batch_size=99)
    with gls.Feed(links, path), gls.attach(path) as loader:
        ends = [(b.link_source.numpy().tolist(), b.link_label.numpy().tolist()) for b in loader]
    assert ends == [(b.link_source.numpy().tolist(), b.link_label.numpy().tolist()) for b in links]


def test_blocks_and_quantised_columns(path: Path) -> None:
    rng = np.random.default_rng(3)
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 50)
    builder.add_edges("node__to__node", rng.integers(0, 50, (2, 400)))
    numbers = rng.random((50, 5)).astype(np.float32)
    builder.add_node_column("node", "x", gls.quantize(numbers, 4, low=0, high=1))
    dataset = builder.build()

    def make() -> gls.NeighborLoader:
        return gls.NeighborLoader(dataset, [3, 2], batch_size=8)

    with gls.Feed(make(), path), gls.attach(path) as loader:
        for mine, own in zip(loader, make()):
            assert str(mine.x.dtype) == "float32" and mine.x.shape[1] == 5
            np.testing.assert_array_equal(mine.x.numpy(), own.x.numpy())
            assert len(mine.blocks()) == len(own.blocks()) == 2
            for block, expected in zip(mine.blocks(), own.blocks()):
                assert block.input_nodes.tolist() == expected.input_nodes.tolist()
                assert block.indptr.tolist() == expected.indptr.tolist()
                assert block.src.tolist() == expected.src.tolist()


def test_padding_and_transforms(path: Path) -> None:
    def double(batch: gls.Batch) -> Any:
        if batch.number == 3:
            raise ValueError("the fourth is not wanted")
        return {"twice": 2 * batch.node.numpy()}

    own = make_loader(pad=True, transform=double)
    with gls.Feed(own, path), gls.attach(path) as loader:
        assert loader.pad_sizes == own.pad_sizes
        batches = iter(loader)
        for number in range(3):
            batch = next(batches)
            assert (batch.attached["twice"].numpy() == 2 * batch.node.numpy()).all()
        with pytest.raises(gls.Error, match="the fourth is not wanted"):
            next(batches)
        assert next(batches).number == 4


def test_gathers_columns_where_they_are_read(path: Path) -> None:
    def change_nothing(batch: gls.Batch) -> None:
        pass

    copied = []
    cases: List[Dict[str, Any]] = [{"columns": []}, {}, {"transform": change_nothing}]
    for options in cases:
        with gls.Feed(make_loader(**options), path) as feed, gls.attach(path) as loader:
            count = sum(1 for _ in loader)
            gathered = loader.stats.gathered_bytes
            soon(lambda: feed.info.batches == count)
            copied.append(feed.info.copied_bytes)
    assert copied[0] == copied[1] and copied[2] == copied[0] + gathered


def test_errors_of_gathering_come_in_turn(dataset: gls.Dataset, path: Path, tmp_path: Path) -> None:
    dataset.partition(tmp_path / "parts", 2, method="random", seed=1)
    part = gls.Dataset.open(tmp_path / "parts" / "part-0")

    def results(loader: Any) -> List[str]:
        out: List[str] = []
        batches = iter(loader)
        while True:
            try:
                out.append(repr(sorted(image(next(batches)).items())))
            except StopIteration:
                return out
            except gls.NotFound as error:
                out.append(str(error))

    def make() -> gls.NeighborLoader:
        # Some batches have neighbours whose rows another part has.
        return gls.NeighborLoader(part, [1], range(80), batch_size=2, shuffle=True)

    # Blocks of batches that failed are room that comes back by itself; whoever holds the others is told
    # all the same when there is no more.
    for size in range(1_500, 9_000, 1_500):
        with gls.Feed(make(), path, bytes=size), gls.attach(path, stall=0.1) as loader:
            held: List[gls.Batch] = []
            batches = iter(loader)
            with pytest.raises(gls.OutOfMemory, match="held here"):
                while True:
                    try:
                        held.append(next(batches))
                    except gls.NotFound:
                        pass

    own = make()
    with gls.Feed(make(), path, bytes=20_000) as feed, gls.attach(path, stall=1) as loader:
        for _ in range(3):
            expected = results(own)
            assert 0 < sum("has no row for" in result for result in expected) < len(expected)
            assert results(loader) == expected
        gc.collect()
        soon(lambda: feed.info.used_bytes == 0)


# ---- bounds and misuse -------------------------------------------------------------------------


def test_holds_no_more_than_its_bytes(path: Path) -> None:
    with gls.Feed(make_loader(), path, bytes=20_000) as feed:
        with gls.attach(path, stall=0.2) as loader:
            with pytest.raises(gls.OutOfMemory, match="held here"):
                list(loader)
            assert feed.info.used_bytes <= 20_480
            gc.collect()
            assert digests(loader) == digests_of_epoch(1)
    with gls.Feed(make_loader(), path, bytes=500), gls.attach(path) as loader:
        with pytest.raises(gls.OutOfMemory, match="raise bytes"):
            next(iter(loader))


def digests_of_epoch(epoch: int) -> List[str]:
    loader = make_loader()
    loader.set_epoch(epoch)
    return digests(loader)


def test_says_what_is_wrong(path: Path) -> None:
    loader = make_loader()
    with pytest.raises(TypeError):
        gls.Feed(3, path)  # type: ignore[arg-type]
    with pytest.raises(gls.TimedOut, match="there is no feed"):
        gls.attach(path, timeout=0.01)
    with pytest.raises(gls.TimedOut, match="there is no feed"):
        gls.attach(path, timeout=0)
    with pytest.raises(gls.InvalidArgument):
        gls.attach([])
    with pytest.raises(gls.InvalidArgument, match="pin"):
        gls.attach(path, pin=-1)
    with pytest.raises(gls.InvalidArgument):
        gls.Feed(make_loader(rank=0, world_size=2), path)
    with gls.Feed(loader, path):
        with pytest.raises(gls.Unsupported, match="^pin: "):
            gls.attach(path, pin=10_000)  # no machine has so many
        with pytest.raises(gls.AlreadyExists):
            gls.Feed(loader, path)
        with pytest.raises(gls.InvalidArgument, match="rank is 1"):
            gls.attach(path, rank=1)
        with gls.attach(path) as attached:
            with pytest.raises(gls.AlreadyExists, match="trainer 0 is attached"):
                gls.attach(path)
            with pytest.raises(gls.Unsupported):
                attached.sample(0, 0)
            with pytest.raises(gls.Unsupported):
                attached.dataset
            with pytest.raises(gls.Unsupported):
                gls.Feed(attached, str(path) + "2")
            with pytest.raises(TypeError):
                pickle.dumps(attached)


def test_says_when_a_sampling_process_has_ended() -> None:
    with gls.SamplingProcesses(feed_worker.fail) as sampling:
        with pytest.raises(gls.InvalidState, match="exit code 3"):
            sampling.attach()


# ---- processes that are killed -----------------------------------------------------------------


def test_outlives_the_feed(path: Path) -> None:
    expected = digests(make_loader(rank=0, world_size=2))
    got: List[str] = []
    names = named_memory()
    with worker("serve", path) as child:
        loader = gls.attach(path, timeout=60)
        held = next(iter(loader))
        kept = held.x.numpy()
        before = kept.copy()
        child.kill()
        child.wait(30)
        start = time.monotonic()
        loader.load_state_dict(loader.state_dict())
        with pytest.raises(gls.IoError, match="is gone"):
            digests(loader)
        assert time.monotonic() - start < 5
        assert (kept == before).all()
        state = loader.state_dict()
        loader.close()
    with worker("serve", path) as child:
        with gls.attach(path, timeout=60) as loader:
            loader.load_state_dict(state)
            got = digests(loader)
        assert got == expected[-len(got) :]
    assert named_memory() == names


def test_outlives_its_trainers(path: Path) -> None:
    with gls.Feed(make_loader(), path, consumers=2, bytes=1 << 20) as feed:
        with worker("train", path, 0) as child:
            assert first_line(child) == ["training"]
            with gls.attach(path, rank=1) as other:
                batches = iter(other)
                next(batches)
                child.kill()
                soon(lambda: feed.info.lost == 1)
                assert len(list(digests(batches))) == 11
        soon(lambda: feed.info.consumers == 0)
        assert feed.info.used_bytes == 0
        with gls.attach(path, rank=0) as loader:  # it may come back
            assert digests(loader) == digests(make_loader(rank=0, world_size=2))


def test_sampling_processes_end_with_a_killed_program() -> None:
    with worker("sample", 2) as child:
        socket, *pids = first_line(child)
        assert all(is_alive(int(pid)) for pid in pids)
        child.kill()
        child.wait(30)
        soon(lambda: not any(is_alive(int(pid)) for pid in pids))
        soon(lambda: not os.path.exists(os.path.dirname(socket)))


# ---- each machine serves a part of the graph, and has a process that samples --------------------


@pytest.mark.parametrize("same_host", ["true", "false"])
def test_sampling_processes_of_a_graph_that_is_served(
    shop: gls.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same_host: str
) -> None:
    monkeypatch.setenv("GLS_NET_KEY", "5e" * 32)
    shop.partition(tmp_path / "parts", 2, method="random")
    ranks = range(2)
    expected = [
        [[image(batch) for batch in own] for _ in range(3)]
        for own in (shop_loader(shop, rank=rank, world_size=2) for rank in ranks)
    ]
    names = named_memory()
    paths = [tmp_path / f"{rank}.sock" for rank in ranks]
    with ExitStack() as stack:
        servers: List[str] = []
        for part in ranks:
            serving = worker("serve_part", tmp_path / "parts", part, same_host)
            servers += first_line(stack.enter_context(serving))
        graph = "gls://" + ",".join(servers)

        def start(machine: int) -> "subprocess.Popen[str]":
            return stack.enter_context(worker("feed_served", graph, paths[machine]))

        samplers = [start(machine) for machine in ranks]
        loaders = [
            stack.enter_context(gls.attach(paths[rank], rank=rank, world_size=2, timeout=60))
            for rank in ranks
        ]
        for rank in ranks:
            assert [image(batch) for batch in loaders[rank]] == expected[rank][0]
        for sampler in samplers:
            assert first_line(sampler) == ["serving"]
            assert sampler.stdin is not None
            gc.collect()
            sampler.stdin.write("\n")
            sampler.stdin.flush()
            batch_bytes, copied_bytes, _ = map(int, first_line(sampler))
            assert 0 < copied_bytes < batch_bytes
        # One is killed in the middle of an epoch. What it gave stays, and the other does not notice.
        batches = iter(loaders[0])
        held = [next(batches) for _ in range(2)]
        samplers[0].kill()
        samplers[0].wait(30)
        assert [image(batch) for batch in loaders[1]] == expected[1][1]
        got = [image(batch) for batch in held]
        state = loaders[0].state_dict()
        loaders[0].load_state_dict(state)  # what had arrived is asked for anew
        with pytest.raises(gls.IoError, match="is gone"):
            next(iter(loaders[0]))
        loaders[0].close()
        samplers[0] = start(0)
        with gls.attach(paths[0], rank=0, world_size=2, timeout=60) as loader:
            loader.load_state_dict(state)
            got += [image(batch) for batch in loader]
            assert got == expected[0][1]
            assert [image(batch) for batch in loader] == expected[0][2]
        assert [image(batch) for batch in loaders[1]] == expected[1][2]
    assert named_memory() == names
