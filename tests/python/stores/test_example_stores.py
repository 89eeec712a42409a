"""The stores of examples/stores, on LMDB, DuckDB and a server of Redis."""

from __future__ import annotations

import importlib
import secrets
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, Iterator, List

import duckdb
import lmdb
import numpy as np
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

import gls
from conftest import ROOT
from test_examples import accuracy, run

sys.path.insert(0, str(ROOT / "examples" / "stores"))
cora = importlib.import_module("cora")
KINDS = ("lmdb", "duckdb", "redis")
PREFIX = f"cora:{secrets.token_hex(8)}:"  # of keys of Redis


class Server:
    """A server of Redis at a socket in a folder, where it also saves its contents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"unix://{folder}/socket"
        self.start()

    def start(self) -> None:
        options = {
            "port": 0,
            "unixsocket": "socket",
            "save": "",
            "dir": str(self.folder),
            "enable-debug-command": "local",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        self.process = subprocess.Popen(
            ["redis-server", *words], stdout=subprocess.DEVNULL, cwd=self.folder
        )
        end = time.monotonic() + 30
        while True:
            try:
                with redis.Redis.from_url(self.url) as client:
                    client.ping()
                return
            except redis.RedisError:
                assert self.process.poll() is None and time.monotonic() < end
                time.sleep(0.05)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("redis"))
    yield made
    made.kill()


@pytest.fixture(scope="module")
def arrays() -> Dict[str, np.ndarray]:
    found: Dict[str, np.ndarray] = cora.arrays()
    return found


@pytest.fixture(scope="module")
def databases(
    arrays: Dict[str, np.ndarray], server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dict[str, Any]]:
    """Cora in each of them."""
    opened: Dict[str, Any] = {
        "lmdb": lmdb.open(str(tmp_path_factory.mktemp("lmdb")), map_size=1 << 30),
        "duckdb": duckdb.connect(),
        "redis": redis.Redis.from_url(server.url, socket_timeout=2, retry=Retry(NoBackoff(), 0)),
    }
    for kind, database in opened.items():
        module(kind).write(database, arrays, **prefix(kind))
    yield opened
    module("redis").erase(opened["redis"], PREFIX)
    for database in opened.values():
        database.close()


def prefix(kind: str) -> Dict[str, str]:
    return {"prefix": PREFIX} if kind == "redis" else {}


def module(kind: str) -> Any:
    return importlib.import_module(f"{kind}_store")


def stores(kind: str, databases: Dict[str, Any], **options: Any) -> List[Any]:
    of, database, options = module(kind), databases[kind], {**prefix(kind), **options}
    return [of.Features(database, 1433, **options), of.Citations(database, 10556, **options)]


def of_arrays(arrays: Dict[str, np.ndarray]) -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_node_type("paper", len(arrays["x"]))
    builder.add_edges("paper__cites__paper", arrays["edges"])
    builder.add_node_column("paper", "x", arrays["x"])
    builder.add_node_column("paper", "y", arrays["y"], role="label")
    builder.add_id_set("paper", "test", arrays["test"])
    return builder.build()


def loader(dataset: gls.Dataset, **options: Any) -> gls.NeighborLoader:
    options = {"batch_size": 100, "seed": 5, "shuffle": True, **options}
    return gls.NeighborLoader(dataset, [5, 5], "test", **options)


@pytest.mark.parametrize("cache_bytes", [0, 1 << 20])
@pytest.mark.parametrize("kind", KINDS)
def test_batches_are_those_of_arrays(
    kind: str, cache_bytes: int, arrays: Dict[str, np.ndarray], databases: Dict[str, Any]
) -> None:
    stored = cora.base(arrays).with_stores(*stores(kind, databases, cache_bytes=cache_bytes))
    pairs = list(zip(loader(stored), loader(of_arrays(arrays))))
    assert len(pairs) == len(loader(stored)) == len(loader(of_arrays(arrays)))
    for one, other in pairs:
        for name in ("node", "row", "col", "x", "y", "seed"):
            first, second = (getattr(batch, name).numpy() for batch in (one, other))
            assert first.dtype == second.dtype and np.array_equal(first, second)


@pytest.mark.parametrize("kind", ["lmdb", "duckdb"])
def test_ids_of_edges(kind: str, arrays: Dict[str, np.ndarray], databases: Dict[str, Any]) -> None:
    stored = cora.base(arrays).with_stores(*stores(kind, databases))
    for batch in loader(stored, with_edge_ids=True):
        ends = arrays["edges"][:, batch.edge.numpy()]
        node = batch.node.numpy()
        assert np.array_equal(ends, [node[batch.row.numpy()], node[batch.col.numpy()]])


@pytest.mark.parametrize("kind", KINDS)
def test_several_threads(
    kind: str, arrays: Dict[str, np.ndarray], databases: Dict[str, Any]
) -> None:
    """Two loaders over one dataset, and questions of a few ids each."""
    stored = cora.base(arrays).with_stores(*stores(kind, databases, max_ids=64, max_fetches=4))
    expected = {
        seed: [batch.x.numpy().sum() for batch in loader(of_arrays(arrays), seed=seed)]
        for seed in (1, 2)
    }
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(
            lambda seed: [batch.x.numpy().sum() for batch in loader(stored, seed=seed)], expected
        )
        assert list(found) == list(expected.values())


@pytest.mark.parametrize("kind", KINDS)
def test_ids_that_are_missing(
    kind: str, arrays: Dict[str, np.ndarray], databases: Dict[str, Any]
) -> None:
    builder = gls.DatasetBuilder()
    builder.add_node_type("paper", len(arrays["x"]) + 1)
    dataset = builder.build().with_stores(*stores(kind, databases))
    with pytest.raises(gls.NotFound, match='the store of column "x" of "paper": '):
        dataset.rows("x", [5, len(arrays["x"])])
    assert dataset.rows("x", [5]).tolist() == arrays["x"][[5]].tolist()


def test_redis_is_killed_and_comes_again(
    arrays: Dict[str, np.ndarray], databases: Dict[str, Any], server: Server
) -> None:
    databases["redis"].save()
    features, citations = stores("redis", databases, max_fetches=1)
    stored = cora.base(arrays).with_stores(features, citations)
    expected = [batch.x.numpy().sum() for batch in loader(of_arrays(arrays), batch_size=20)]
    batches = iter(loader(stored, batch_size=20, prefetch=1, num_workers=1))
    assert next(batches).x.numpy().sum() == expected[0]
    server.kill()
    began = time.monotonic()
    with pytest.raises(gls.IoError, match="the store of .*: Redis: "):
        list(batches)
    assert time.monotonic() - began < 10
    server.start()
    again = loader(stored, batch_size=20)
    assert [batch.x.numpy().sum() for batch in again] == expected
    assert features.stats.failures + citations.stats.failures >= 1


def test_redis_does_not_answer(
    arrays: Dict[str, np.ndarray], databases: Dict[str, Any], server: Server
) -> None:
    """It accepts connections and says nothing, until the deadline of the store or that of the client."""
    client = redis.Redis.from_url(server.url)
    try:
        for deadline, error in ((0.3, gls.TimedOut), (20, gls.IoError)):
            features = stores("redis", databases, deadline=deadline)[0]
            dataset = cora.base(arrays).with_stores(features)
            sleeper = threading.Thread(target=client.execute_command, args=("DEBUG", "SLEEP", 3))
            sleeper.start()
            time.sleep(0.3)
            with pytest.raises(error):
                dataset.rows("x", [1, 2])
            sleeper.join()
            again = cora.base(arrays).with_stores(stores("redis", databases)[0])
            assert again.rows("x", [1, 2]).tolist() == arrays["x"][1:3].tolist()
    finally:
        client.close()


def test_a_slow_store_is_hidden(arrays: Dict[str, np.ndarray], databases: Dict[str, Any]) -> None:
    """Questions of 0.1 s each are asked at the same time."""
    features = stores("lmdb", databases, max_fetches=8)[0]
    fetch = features.fetch

    def slow(ids: Any, rows: Any) -> None:
        time.sleep(0.1)
        fetch(ids, rows)

    store = gls.ColumnStore("paper", "x", shape=1433, fetch=slow, max_fetches=8)
    stored = cora.base(arrays).with_stores(store, stores("lmdb", databases)[1])
    began = time.monotonic()
    assert len(list(loader(stored, batch_size=25))) == 40
    assert time.monotonic() - began < 40 * 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_examples(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    arguments: List[str] = []
    if kind == "redis":
        own = Server(tmp_path_factory.mktemp("own"))
        arguments = [own.url]
    try:
        assert accuracy(run(f"stores/{kind}_store.py", *arguments)) > 0.78
        if kind == "redis":
            with redis.Redis.from_url(own.url) as client:
                assert client.dbsize() == 0
    finally:
        if kind == "redis":
            own.kill()
