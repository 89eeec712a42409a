"""Stores: batches are those of arrays, answers may come later, and errors reach the batch that asked."""

from __future__ import annotations

import asyncio
import gc
import pickle
import threading
import time
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Dict, Generic, List, TypeVar

import ml_dtypes
import numpy as np
import pytest

import gls
from stored_graph import (
    EDGE_ATTR,
    EDGES,
    NODES,
    X,
    Y,
    Features,
    Neighbors,
    assert_same,
    edges_only,
    loader,
    nodes_only,
    whole,
)

T = TypeVar("T")
ARRAYS = ("node", "row", "col", "x", "y")


def test_columns_make_the_batches_of_arrays() -> None:
    stored = edges_only().with_stores(Features(), Features(Y, "y", role="label"))
    assert_same(loader(stored), loader(whole()), *ARRAYS)
    assert stored.node_columns()["x"].shape == (NODES, 12)
    assert stored.rows("x", [3, 1, 3]).numpy().tolist() == X[[3, 1, 3]].tolist()


@pytest.mark.parametrize("direction, layout", [("in", "csc"), ("out", "csr")])
def test_neighbors_make_the_batches_of_arrays(direction: str, layout: str) -> None:
    stored = nodes_only().with_stores(
        Features(),
        Features(Y, "y", role="label"),
        Features(EDGE_ATTR, "edge_attr", type="node__to__node"),
        Neighbors(layout),
    )
    of_arrays = whole(layouts=("csc", "csr"))
    for replace in (False, True):
        options = {"replace": replace, "direction": direction, "with_edge_ids": True}
        assert_same(
            loader(stored, **options), loader(of_arrays, **options), *ARRAYS, "edge", "edge_attr"
        )


def test_neighbors_without_edge_ids() -> None:
    stored = nodes_only().with_stores(Neighbors(edge_ids=False))
    assert_same(loader(stored), loader(whole()), "node", "row", "col")
    with pytest.raises(gls.Unsupported):
        list(loader(stored, with_edge_ids=True))


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int16", "int64", "float16", "float64", "float32"]
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 5)])
def test_dtypes_and_shapes(dtype: str, shape: Any) -> None:
    array = (np.random.default_rng(1).random((NODES, *shape)) * 100).astype(dtype)
    stored = edges_only().with_stores(Features(array, "a"))
    got = stored.rows("a", np.arange(NODES)[::-1]).numpy()
    assert got.dtype == array.dtype and got.shape == array.shape
    assert got.tobytes() == array[::-1].tobytes()


def test_bfloat16_is_shown_as_bits() -> None:
    array = X.astype(ml_dtypes.bfloat16)

    def fetch(ids: Any, rows: Any) -> None:
        assert rows.dtype == np.uint16 and rows.shape == (len(ids), 12)
        rows.view(ml_dtypes.bfloat16)[:] = array[ids]

    store = gls.ColumnStore(name="x", dtype="bfloat16", shape=12, fetch=fetch)
    rows = edges_only().with_stores(store).rows("x", [5, 0])
    assert rows.dtype == "bfloat16"
    bits = rows.numpy(raw_bfloat16=True)
    assert bits.tobytes() == array[[5, 0]].tobytes()


@pytest.mark.parametrize("shape", [12, np.int64(12), np.array(12), [np.int32(12)], (12,)])
def test_ways_to_write_a_shape(shape: Any) -> None:
    store = gls.ColumnStore(shape=shape, fetch=lambda ids, rows: rows.fill(7))
    assert edges_only().with_stores(store).rows("x", [1]).tolist() == [[7] * 12]


def test_rows_of_no_numbers() -> None:
    stored = edges_only().with_stores(Features(X[:, :0], "none"))
    assert stored.rows("none", [1, 2]).shape == (2, 0)


def test_ids_are_read_only() -> None:
    kept: List[Any] = []

    def fetch(ids: Any, rows: Any) -> None:
        kept.append(ids)
        with pytest.raises(ValueError):
            ids[0] = 0
        rows[:] = X[ids]

    store = gls.ColumnStore(name="x", shape=(12,), fetch=fetch)
    edges_only().with_stores(store).rows("x", [1])
    del store
    wait_for(lambda: not threads_of_stores())  # what was kept does not keep the store
    assert kept[0].tolist() == [1]


def test_rows_that_are_not_written_are_zeros() -> None:
    def fetch(ids: Any, rows: Any) -> None:
        assert not rows.any()
        rows[::2] = X[ids[::2]]

    dataset = edges_only().with_stores(gls.ColumnStore(name="x", shape=12, fetch=fetch))
    for _ in range(20):  # memory is used again
        expected = X[:50].copy()
        expected[1::2] = 0
        assert dataset.rows("x", np.arange(50)).tolist() == expected.tolist()


# ---- later answers ------------------------------------------------------------------------------


def test_futures() -> None:
    with ThreadPoolExecutor(4) as pool:

        class Later(Features):
            def fetch(self, ids: Any, rows: Any) -> Any:
                return pool.submit(super().fetch, ids, rows)

        class LaterNeighbors(Neighbors):
            def fetch(self, nodes: Any) -> Any:
                return pool.submit(self.lists, nodes)

        stored = nodes_only().with_stores(
            Later(), Later(Y, "y", role="label"), LaterNeighbors(edge_ids=False)
        )
        assert_same(loader(stored), loader(whole()), *ARRAYS)


def test_coroutines_overlap_on_one_thread() -> None:
    threads = set()
    running: Dict[str, int] = {"now": 0, "most": 0}

    class Coroutines(Features):
        async def fetch(self, ids: Any, rows: Any) -> None:  # type: ignore[override]
            threads.add(threading.get_ident())
            running["now"] += 1
            running["most"] = max(running.values())
            await asyncio.sleep(0.05)
            running["now"] -= 1
            rows[:] = self.array[ids]

    stored = edges_only().with_stores(Coroutines(), Features(Y, "y", role="label"))
    assert_same(loader(stored), loader(whole()), *ARRAYS)
    assert len(threads) == 1 and running["most"] > 1


def test_slow_questions_overlap() -> None:
    class Slow(Features):
        def fetch(self, ids: Any, rows: Any) -> None:
            time.sleep(0.3)
            super().fetch(ids, rows)

    store = Slow(max_fetches=8)
    began = time.monotonic()
    assert len(list(loader(edges_only().with_stores(store)))) == 10
    assert time.monotonic() - began < 2
    assert store.stats.fetches == 10


def test_a_loader_is_turned_while_questions_are_open() -> None:
    """What ends batches in work must not wait for threads of Python."""

    def fetch(ids: Any, rows: Any) -> None:
        time.sleep(0.1)
        rows[:] = X[ids]

    store = gls.ColumnStore(name="x", shape=(12,), fetch=fetch)
    made = loader(edges_only().with_stores(store), shuffle=True)
    state = made.state_dict()
    for turn in (
        lambda: iter(made),
        lambda: made.set_epoch(3),
        lambda: made.load_state_dict(state),
        lambda: made.cancel(),
    ):
        batches = iter(made)
        next(batches)
        turn()
    assert len(list(made)) == 10
    next(iter(made))
    made.close()


def test_no_more_questions_than_allowed() -> None:
    lock = threading.Lock()
    running = {"now": 0, "most": 0}

    def fetch(ids: Any, rows: Any) -> None:
        with lock:
            running["now"] += 1
            running["most"] = max(running.values())
        time.sleep(0.02)
        with lock:
            running["now"] -= 1
        rows[:] = X[ids]

    store = gls.ColumnStore(name="x", shape=(12,), fetch=fetch, max_fetches=3)
    dataset = edges_only().with_stores(store)
    with ThreadPoolExecutor(2) as pool:  # two loaders on one store
        loaders = [loader(dataset, seed=seed) for seed in (1, 2)]
        got = list(pool.map(lambda one: len(list(one)), loaders))
    assert got == [10, 10] and running["most"] == 3
    assert store.stats.fetches == 20


@pytest.mark.parametrize("max_fetches", [1, 3])
def test_many_wait_for_a_turn(max_fetches: int) -> None:
    """A turn that another thread took is waited for again."""
    store = Features(max_fetches=max_fetches, max_ids=2, deadline=60)
    dataset = edges_only().with_stores(store)
    with ThreadPoolExecutor(4) as pool:
        loaders = [loader(dataset, seed=seed, num_workers=8) for seed in range(4)]
        assert list(pool.map(lambda one: len(list(one)), loaders)) == [10] * 4


def test_max_ids_divides_questions() -> None:
    store = Features(max_ids=16)
    dataset = edges_only().with_stores(store)
    assert dataset.rows("x", np.arange(100)).numpy().tolist() == X[:100].tolist()
    assert sorted(len(ids) for ids in store.asked) == [4] + [16] * 6


def test_a_future_that_is_dropped() -> None:
    store = gls.ColumnStore(name="x", shape=(12,), fetch=lambda ids, rows: Future())
    with pytest.raises(gls.InternalError, match="released without an answer"):
        edges_only().with_stores(store).rows("x", [1])


# ---- the cache ------------------------------------------------------------------------------------


def test_the_cache_answers_again() -> None:
    store = Features(cache_bytes=1 << 20)
    dataset = edges_only().with_stores(store)
    for _ in range(2):
        assert dataset.rows("x", np.arange(50)).numpy().tolist() == X[:50].tolist()
    assert len(store.asked) == 1
    stats = store.stats
    assert (stats.fetches, stats.ids, stats.cached_ids, stats.failures) == (1, 50, 50, 0)
    assert 50 * 48 <= stats.cache_bytes <= 1 << 20 and stats.fetch_ns > 0


def test_two_datasets_share_a_store() -> None:
    store = Features(cache_bytes=1 << 20)
    first, second = (edges_only().with_stores(store) for _ in range(2))
    first.rows("x", np.arange(50))
    second.rows("x", np.arange(50))
    assert len(store.asked) == 1


# ---- errors ---------------------------------------------------------------------------------------


def refused(answer: Any, *, neighbors: bool = False, edge_ids: bool = True) -> str:
    def fetch(*_: Any) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    store: Any
    if neighbors:
        store = gls.NeighborStore("node__to__node", EDGES, fetch=fetch, edge_ids=edge_ids)
        dataset = nodes_only().with_stores(store)
        use = lambda: gls.Sampler(dataset, [2]).sample([1, 2])
    else:
        store = gls.ColumnStore(name="x", shape=(12,), fetch=fetch)
        dataset = edges_only().with_stores(store)
        use = lambda: dataset.rows("x", [1, 2])
    with pytest.raises(gls.InvalidArgument) as caught:
        use()
    assert store.stats.failures == 1
    message = str(caught.value)
    assert message.startswith("the store of ")
    return message


def test_answers_that_are_none() -> None:
    assert "fetch returned a ndarray, expected None" in refused(X[:2])
    future: "Future[Any]" = Future()
    future.set_result(7)
    assert "fetch returned a int" in refused(future)
    future = Future()
    future.cancel()
    assert "CancelledError" in refused(future)


@pytest.mark.parametrize(
    "answer, words",
    [
        (None, "fetch returned a NoneType, expected (counts, neighbors, edge_ids)"),
        (([1, 1], [0, 0]), "fetch returned a tuple of 2, expected (counts, neighbors, edge_ids)"),
        (([1], [0], [0]), "counts has 1 numbers, expected 2"),
        (([1, 2], [0, 0], [0, 0]), "the counts add up to 3, but there are 2 neighbors"),
        (([1, 1], [0, 0], [0]), "the counts add up to 2, but there are 2 neighbors and 1 edge_ids"),
        (([1, 1], [0.5, 0], [0, 0]), "neighbors: float64 of shape [2], expected a vector of"),
        (([[1, 1]], [0, 0], [0, 0]), "counts: int64 of shape [1, 2], expected a vector of"),
        (([1, 1], [True, False], [0, 0]), "neighbors: bool of shape [2]"),
        (([1, 1], [[0], [0, 1]], [0, 0]), "neighbors: "),
        (([-1, 1], [0], [0]), "counts: -1 for node 1"),
        (([1, 1], [0, NODES], [0, 0]), f"neighbors: {NODES} as a neighbour of node 2"),
        (([1, 1], [0, 0], [0, EDGES]), f"edge_ids: {EDGES} at node 2"),
    ],
)
def test_neighbors_that_are_none(answer: Any, words: str) -> None:
    assert words in refused(answer, neighbors=True)


def test_no_neighbors_at_all() -> None:
    store = gls.NeighborStore(
        "node__to__node", EDGES, fetch=lambda nodes: ([0] * len(nodes), np.empty(0))
    )
    batch = gls.Sampler(nodes_only().with_stores(store), [2]).sample([1, 2])
    assert batch.row.shape == (0,) and batch.node.tolist() == [1, 2]


def test_exceptions_reach_the_batch() -> None:
    line = refused.__code__.co_firstlineno + 3  # of the raise
    words = refused(KeyError("user:7"))
    assert words.endswith(f": KeyError: 'user:7' at {__file__}:{line} in fetch")
    assert "SystemExit" in refused(SystemExit(3))
    for error in (gls.IoError("gone"), gls.NotFound("no such key"), gls.TimedOut("slow")):

        def fetch(ids: Any, rows: Any, error: gls.Error = error) -> None:
            raise error

        dataset = edges_only().with_stores(gls.ColumnStore(name="x", shape=(12,), fetch=fetch))
        with pytest.raises(type(error), match=str(error)):
            dataset.rows("x", [1])


def test_the_next_batch_works_after_an_error() -> None:
    class Once(Features):
        failed = False

        def fetch(self, ids: Any, rows: Any) -> None:
            if not self.failed:
                self.failed = True
                raise ConnectionError("reset")
            super().fetch(ids, rows)

    batches = iter(loader(edges_only().with_stores(Once(max_fetches=1))))
    with pytest.raises(gls.InvalidArgument, match="ConnectionError: reset"):
        next(batches)
    assert len(list(batches)) == 9


def test_deadline() -> None:
    late = threading.Event()

    answered = threading.Event()

    def fetch(ids: Any, rows: Any) -> None:
        assert late.wait(20)
        rows[:] = X[ids]  # does no harm
        answered.set()

    store = gls.ColumnStore(name="x", shape=(12,), fetch=fetch, deadline=0.1)
    dataset = edges_only().with_stores(store)
    with pytest.raises(gls.TimedOut, match='the store of column "x".*: no answer'):
        dataset.rows("x", [1])
    late.set()
    assert answered.wait(20)
    again = edges_only().with_stores(gls.ColumnStore(name="x", shape=(12,), fetch=fetch))
    assert again.rows("x", [1]).tolist() == X[[1]].tolist()


def test_arguments() -> None:
    for options, words in (
        ({"dtype": "complex64"}, "dtype: 'complex64' is not one of"),
        ({"role": "colour"}, "role"),
        ({"shape": (-1,)}, "shape: -1"),
        ({"max_fetches": 0}, "max_fetches: 0"),
        ({"deadline": 0}, "deadline: 0 is not more than 0"),
        ({"cache_bytes": -1}, "cache_bytes: -1"),
        ({"name": ""}, "name: the name is empty"),
        ({"name": "a__b"}, "a__b"),
    ):
        with pytest.raises(gls.InvalidArgument, match=words):
            gls.ColumnStore(fetch=print, **options)  # type: ignore[arg-type]
    for shape in (True, np.bool_(True), (3, False)):
        with pytest.raises(TypeError, match="shape must be an integer or integers, not bool"):
            gls.ColumnStore(fetch=print, shape=shape)  # type: ignore[arg-type]
    for shape in (3.5, "12", None):
        with pytest.raises(TypeError, match="shape must be an integer, not"):
            gls.ColumnStore(fetch=print, shape=shape)  # type: ignore[arg-type]
    with pytest.raises(gls.InvalidArgument, match="layout"):
        gls.NeighborStore("a__b__c", 1, "coo", fetch=print)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="ColumnStore has no method fetch"):
        gls.ColumnStore()
    with pytest.raises(TypeError, match="NeighborStore has no method fetch"):
        gls.NeighborStore("a__b__c", 1)
    with pytest.raises(TypeError, match="fetch must be callable, not int"):
        gls.ColumnStore(fetch=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="stores must be ColumnStore or NeighborStore, not int"):
        edges_only().with_stores(3)  # type: ignore[arg-type]


def test_subclasses() -> None:
    class Forgets(gls.ColumnStore):
        def __init__(self) -> None:
            pass

        def fetch(self, ids: Any, rows: Any) -> None:
            pass

    with pytest.raises(TypeError, match=r"Forgets.__init__\(\) must call super\(\)"):
        edges_only().with_stores(Forgets())
    with pytest.raises(TypeError, match="cannot have __del__"):

        class Deletes(Features):
            def __del__(self) -> None:
                pass

    class Mixed:
        def __del__(self) -> None:
            pass

    with pytest.raises(TypeError, match="Inherits cannot have __del__"):
        type("Inherits", (Features, Mixed), {})
    with pytest.raises(TypeError, match="Slots cannot have __slots__"):
        type("Slots", (Features,), {"__slots__": ("a",)})

    class Ordinary(Features, Generic[T]):
        pass

    assert Ordinary().stats.fetches == 0
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(Features())
    with pytest.raises(TypeError, match="this one has stores"):
        pickle.dumps(edges_only().with_stores(Features()))


def test_datasets_that_cannot_have_it() -> None:
    with pytest.raises(gls.AlreadyExists, match='column "x" of "node"'):
        whole().with_stores(Features())
    with pytest.raises(gls.NotFound):
        edges_only().with_stores(Features(type="user"))
    with pytest.raises(gls.AlreadyExists):
        edges_only().with_stores(Neighbors())
    stored = edges_only().with_stores(Features())
    with pytest.raises(gls.Unsupported):
        stored.node_column("x")
    with pytest.raises(gls.Unsupported):
        stored.save("nowhere")
    with pytest.raises(gls.Unsupported):
        stored.export("parquet", "nowhere")


# ---- life and end -----------------------------------------------------------------------------------


def threads_of_stores() -> List[threading.Thread]:
    return [one for one in threading.enumerate() if one.name.startswith("gls-store")]


def wait_for(what: Any) -> None:
    end = time.monotonic() + 10
    while not what():
        assert time.monotonic() < end
        gc.collect()
        time.sleep(0.01)


def test_no_thread_before_a_dataset_has_it() -> None:
    wait_for(lambda: not threads_of_stores())
    store = Features()
    assert threads_of_stores() == []
    edges_only().with_stores(store).rows("x", [1])
    assert len(threads_of_stores()) >= 1


class Resource:
    pass


@pytest.mark.parametrize("kind", ["class", "function", "coroutine"])
def test_a_store_lives_as_long_as_its_datasets(kind: str) -> None:
    wait_for(lambda: not threads_of_stores())
    resource = Resource()
    gone = weakref.ref(resource)

    class Held(Features):
        def __init__(self, kept: Resource) -> None:
            super().__init__()
            self.kept = kept

        def fetch(self, ids: Any, rows: Any) -> None:
            assert isinstance(self.kept, Resource)
            super().fetch(ids, rows)

    class HeldCoroutine(Held):
        async def fetch(self, ids: Any, rows: Any) -> None:  # type: ignore[override]
            assert isinstance(self.kept, Resource)
            rows[:] = X[ids]

    def store() -> gls.ColumnStore:
        kept = resource
        if kind != "function":
            return Held(kept) if kind == "class" else HeldCoroutine(kept)

        def fetch(ids: Any, rows: Any) -> None:
            assert isinstance(kept, Resource)
            rows[:] = X[ids]

        return gls.ColumnStore(name="x", shape=(12,), fetch=fetch)

    made = loader(edges_only().with_stores(store()))
    del resource
    gc.collect()
    assert len(list(made)) == 10  # the loader alone keeps it
    assert gone() is not None
    del made
    wait_for(lambda: gone() is None)
    wait_for(lambda: not threads_of_stores())


def test_attributes_set_later_are_those_of_the_threads() -> None:
    store = Features()
    dataset = edges_only().with_stores(store)
    store.array = X + 1
    assert dataset.rows("x", [4]).tolist() == (X[[4]] + 1).tolist()
    assert len(store.asked) == 1


def test_a_closed_dataset_leaves_the_loader_its_store() -> None:
    dataset = edges_only().with_stores(Features())
    made = loader(dataset)
    dataset.close()
    assert len(list(made)) == 10
