"""Tables: rows that training changes, of datasets in this process and of served ones."""

from __future__ import annotations

import _thread
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import numpy as np
import pytest
from plain_tables import PlainTable, draw_steps

import gls

KEY = "0f5a2c61d5f5e3a1b1d29c1f6d1c9a55c0b1e0c4a6b3f7d8e9a0b1c2d3e4f506"
CLOSE = {"rtol": 1e-6, "atol": 1e-6}  # numbers are below 1 or little above
BEGINNING: Dict[str, Any] = {"width": 5, "low": -0.5, "high": 0.5, "seed": 7}


def make_graph(nodes: int = 40) -> gls.Dataset:
    return gls.Dataset.from_arrays(np.stack([np.arange(nodes), (np.arange(nodes) + 1) % nodes]))


@pytest.fixture()
def ring() -> gls.Dataset:
    return make_graph()


# ---- what rows begin with ------------------------------------------------------------------------

BEGINS = """
import sys, numpy as np, gls
nodes = np.arange(40)
ring = gls.Dataset.from_arrays(np.stack([nodes, nodes]))
sys.stdout.buffer.write(ring.table("h", width=5, low=-0.5, high=0.5, seed=7)[:].tobytes())
"""


def test_beginnings(ring: gls.Dataset) -> None:
    table = ring.table("h", **BEGINNING)
    rows = table[:]
    assert rows.dtype == np.float32 and rows.shape == (40, 5)
    assert -0.5 <= rows.min() < -0.4 and 0.4 < rows.max() < 0.5
    assert len(np.unique(rows)) > 190
    # The same of another dataset, and in another process.
    assert make_graph().table("h", **BEGINNING)[:].tobytes() == rows.tobytes()
    other = subprocess.run([sys.executable, "-c", BEGINS], stdout=subprocess.PIPE, check=True)
    assert other.stdout == rows.tobytes()
    # Rows do not depend on how many there are, and the range is no part of what is drawn.
    assert (make_graph(50).table("h", **BEGINNING)[:40] == rows).all()
    twice = make_graph().table("h", **{**BEGINNING, "low": -1, "high": 1})
    np.testing.assert_allclose(twice[:], 2 * rows, **CLOSE)
    assert (ring.table("g", **BEGINNING)[:] != rows).any()
    assert (make_graph().table("h", **{**BEGINNING, "seed": 8})[:] != rows).any()


def test_beginnings_that_are_not_drawn(ring: gls.Dataset) -> None:
    assert (ring.table("zeros", width=3)[:] == np.zeros((40, 3), np.float32)).all()
    assert (ring.table("ones", width=3, low=1, high=1)[:] == 1).all()
    for dtype in ("int64", "uint8", "float16", "float64", "bool"):
        rows = ring.table(dtype, width=2, dtype=dtype)[:]
        assert rows.dtype == dtype and rows.shape == (40, 2) and not rows.any()


# ---- what a table is, reading and writing --------------------------------------------------------


def test_what_a_table_is(ring: gls.Dataset, shop: gls.Dataset) -> None:
    table = ring.table("h", width=5, optimizer="adam", mean=True)
    assert (table.name, table.type, table.width, table.dtype) == ("h", "node", 5, "float32")
    assert table.num_rows == len(table) == 40
    assert (table.optimizer, table.mean, table.row_steps) == ("adam", True, False)
    assert (table.rank, table.world_size, table.num_steps) == (0, 1, 0)
    assert table.nbytes == 40 * 5 * 4 * 3
    assert repr(table) == "gls.Table('h' of 'node', float32[40, 5], adam)"
    ids = ring.table("ids", width=1, dtype="int64")
    assert (ids.optimizer, ids.nbytes) == (None, 40 * 8)
    assert repr(ids) == "gls.Table('ids' of 'node', int64[40, 1])"
    # Names are those of a type; an edge type is named in either way.
    for kind, count in (("user", 60), (("user", "buys", "item"), 400)):
        table = shop.table("what", kind, width=1)
        assert len(table) == count
        assert table.type == (kind if isinstance(kind, str) else "__".join(kind))
    shop.table("what", "user__buys__item")
    table.close()
    for use in (lambda: table.rows([0]), lambda: table.num_steps, lambda: table.drop()):
        with pytest.raises(gls.InvalidState, match="closed"):
            use()
    assert repr(table).endswith(", closed)")


def test_rows_and_writes(ring: gls.Dataset) -> None:
    table = ring.table("h", **BEGINNING)
    expected = table[:].copy()
    for ids in ([3], np.array([39, 0, 39], np.int32), np.arange(40)[::-2], range(4), []):
        rows = table.rows(ids)
        assert isinstance(rows, gls.Tensor) and not rows.read_only
        assert (rows.numpy() == expected[np.asarray(ids, np.int64)]).all()
        assert rows.shape == (len(ids), 5)
        rows.numpy()[:] = 9  # memory of its own
    assert (table[5:11:2] == expected[5:11:2]).all() and (table[:] == expected).all()

    def write(ids: Any, rows: Any) -> None:
        table[ids] = rows
        expected[ids] = rows if len(rows) > 0 else np.empty((0, 5))
        assert (table[:] == expected).all()

    rng = np.random.default_rng(0)
    write(np.array([7, 30]), rng.random((2, 5), np.float32))
    write(slice(10, 14), rng.random((5, 4), np.float32).T)  # which is not contiguous
    write([4], [[1, 2.5, 3, 4, 5]])
    write([], [])
    table.write(np.array([8, 8, 8], np.int32), np.arange(15, dtype=np.float32).reshape(3, 5))
    assert table[[8]].tolist() == [[10, 11, 12, 13, 14]]  # the last one counts
    small = ring.table("small", width=2, dtype="int8")
    small[[1, 0]] = [[1, -2], [3, 4]]
    assert small[:2].tolist() == [[3, 4], [1, -2]]


def test_handles_of_one_table(ring: gls.Dataset) -> None:
    first = ring.table("h", **BEGINNING, optimizer="sgd")
    again = ring.table("h", **BEGINNING, optimizer="sgd")
    attached = ring.table("h")
    first.write([1], [[1, 2, 3, 4, 5]])
    assert again[[1]].tolist() == attached[[1]].tolist() == [[1, 2, 3, 4, 5]]
    first.step([1], np.ones((1, 5), np.float32), 1)
    assert attached[[1]].tolist() == [[0, 1, 2, 3, 4]]
    attached.write([1], [[0] * 5])
    assert not first[[1]].any()
    with pytest.raises(gls.InvalidState):
        attached.step([1], np.ones((1, 5), np.float32), 1)
    # Released, it is still there; dropped, it is not, and its name is free.
    first.close(), again.close()
    ring.close()
    assert not attached[[1]].any()
    attached.drop()
    attached.drop()
    with pytest.raises(gls.InvalidState, match="drop"):
        attached.rows([1])


@pytest.mark.parametrize(
    "change",
    [
        {"width": 6},
        {"dtype": "float64", "low": 0, "high": 0, "optimizer": None},
        {"low": -0.25},
        {"high": 0.25},
        {"seed": 8},
        {"optimizer": "adam"},
        {"optimizer": None},
        {"mean": True},
        {"epsilon": 0.5},
        {"epsilon": 0},
    ],
)
def test_another_table_of_this_name(ring: gls.Dataset, change: Dict[str, Any]) -> None:
    options = {**BEGINNING, "optimizer": "adagrad"}
    table = ring.table("h", **options)
    with pytest.raises(gls.AlreadyExists) as error:
        ring.table("h", **{**options, **change})
    assert any(word in str(error.value).lower() for word in change), error.value
    table.drop()
    ring.table("h", **{**options, **change})


# ---- steps ---------------------------------------------------------------------------------------

OPTIMIZERS: List[Dict[str, Any]] = [
    {"optimizer": "sgd"},
    {"optimizer": "adagrad"},
    {"optimizer": "adagrad", "epsilon": 0.1},
    {"optimizer": "adam"},
    {"optimizer": "adam", "betas": (0.5, 0.75), "epsilon": 1e-3},
    {"optimizer": "adam", "betas": (0, 0.9)},
    {"optimizer": "adam", "row_steps": True},
    {"optimizer": "adam", "row_steps": True, "mean": True},
    {"optimizer": "sgd", "mean": True},
]
NAMES = ["-".join(f"{key}={value}" for key, value in case.items()) for case in OPTIMIZERS]


@pytest.mark.parametrize("options", OPTIMIZERS, ids=NAMES)
def test_steps(ring: gls.Dataset, options: Dict[str, Any]) -> None:
    table = ring.table("h", **BEGINNING, **options)
    plain = PlainTable(table[:], **options)
    rates = (0.1, 0.01, 0.5)
    for number, trainers in enumerate(draw_steps(np.random.default_rng(3), 40, 5, 9)):
        before, (ids, gradients) = table[:], trainers[0]
        table.step(ids, gradients, rates[number % 3])
        plain.step(trainers, rates[number % 3])
        np.testing.assert_allclose(table[:], plain.rows, **CLOSE)
        untouched = np.setdiff1d(np.arange(40), ids)
        assert (table[:][untouched] == before[untouched]).all()
        assert table.num_steps == number + 1
    assert (np.abs(plain.rows - before) > 0.01).any()


def test_a_step_sums_in_order(ring: gls.Dataset) -> None:
    """To the last bit: numbers whose sum is another in another order."""
    table = ring.table("h", width=1, optimizer="sgd")
    values = np.array([[1e8], [1], [-1e8], [1]], np.float32)
    for order, total in ((slice(None), 1), ([0, 2, 1, 3], 2)):
        table[[6]] = [[0.0]]
        table.step([6] * 4, values[order], 1)
        assert table[[6]].tolist() == [[-total]]


def test_steps_that_cannot_be(ring: gls.Dataset) -> None:
    table = ring.table("h", **BEGINNING, optimizer="adam")
    before, one = table[:], np.ones((1, 5), np.float32)
    faults: List[Any] = [
        (lambda: table.step([40], one, 0.1), gls.InvalidArgument, "ids: .*40 at index 0"),
        (lambda: table.step([-1], one, 0.1), gls.InvalidArgument, "ids: .*-1 at index 0"),
        (lambda: table.step([0, 1], one, 0.1), gls.InvalidArgument, "gradients"),
        (lambda: table.step([0], one[:, :4], 0.1), gls.InvalidArgument, "gradients"),
        (lambda: table.step([0], one[0], 0.1), gls.InvalidArgument, "gradients"),
        (lambda: table.step([0], one.astype(np.float64), 0.1), gls.InvalidArgument, "gradients"),
        (lambda: table.step([0.5], one, 0.1), gls.InvalidArgument, "ids"),
        (lambda: table.step([[0]], one, 0.1), gls.InvalidArgument, "ids"),
        (lambda: table.step([0], one, math.nan), gls.InvalidArgument, "learning_rate"),
        (lambda: table.step([0], one, math.inf), gls.InvalidArgument, "learning_rate"),
        (lambda: table.step([0], one, 0.1, timeout=-1), gls.InvalidArgument, "timeout"),
        (lambda: table.step([0], "rows", 0.1), gls.InvalidArgument, "gradients"),
        (lambda: table.step([0, 1], [[1] * 5, [1] * 4], 0.1), gls.InvalidArgument, "gradients: "),
        (
            lambda: table.step([3, 7], [[1] * 5, [1, 1, math.nan, 1, 1]], 0.1),
            gls.InvalidArgument,
            "gradients: row 1, of id 7, has nan at 2",
        ),
        (lambda: table.step([0], one * -math.inf, 0.1), gls.InvalidArgument, "row 0, .* -inf at 0"),
        (
            lambda: table.step([9, 0, 9], np.full((3, 5), 3e38, np.float32), 0.1),
            gls.InvalidArgument,
            "those of id 9 add up to inf",
        ),
        (lambda: table.rows([0, 40]), gls.InvalidArgument, "ids: node 40 at index 1"),
        (lambda: table.rows([0.0]), gls.InvalidArgument, "ids"),
        (lambda: table.rows(5), gls.InvalidArgument, "ids"),
        (lambda: table.write([0, 40], np.ones((2, 5), np.float32)), gls.InvalidArgument, "ids"),
        (lambda: table.write([0], np.ones((1, 6), np.float32)), gls.InvalidArgument, "rows"),
        (lambda: table.write([0], np.ones((1, 5))), gls.InvalidArgument, "rows"),
    ]
    for call, kind, words in faults:
        with pytest.raises(kind, match=words):
            call()
    assert (table[:] == before).all() and table.num_steps == 0
    table.step([0], one, 0.1)  # as if nothing had been
    assert table.num_steps == 1
    with pytest.raises(gls.InvalidState, match="optimi"):
        ring.table("still", width=5).step([0], one, 0.1)
    with pytest.raises(TypeError, match="each process"):
        pickle.dumps(table)


def test_arguments(ring: gls.Dataset, shop: gls.Dataset) -> None:
    faults: List[Any] = [
        ({"width": 0}, gls.InvalidArgument, "width"),
        ({"dtype": "number"}, gls.InvalidArgument, "dtype: 'number' is not one of 'bool'"),
        ({"dtype": "float64", "optimizer": "sgd"}, gls.Unsupported, "float64"),
        ({"dtype": "int32", "high": 1}, gls.Error, "float32|low|high"),
        ({"low": 1, "high": 0}, gls.InvalidArgument, "low|high"),
        ({"high": math.inf}, gls.InvalidArgument, "low|high"),
        ({"seed": -1}, gls.InvalidArgument, "seed"),
        ({"optimizer": "adamw"}, gls.InvalidArgument, "optimizer: 'adamw' is not one of None"),
        ({"optimizer": "adam", "betas": (1, 0.9)}, gls.InvalidArgument, "beta1"),
        ({"optimizer": "adam", "betas": (0.9, 2)}, gls.InvalidArgument, "beta2"),
        ({"optimizer": "adam", "betas": (-1, 0.9)}, gls.InvalidArgument, "betas"),
        ({"optimizer": "adam", "epsilon": -1}, gls.InvalidArgument, "epsilon"),
        ({"optimizer": "sgd", "betas": (0.9, 0.999)}, gls.InvalidArgument, "beta1 is given"),
        ({"optimizer": "adagrad", "betas": (0, 0.5)}, gls.InvalidArgument, "beta1 is given"),
        ({"optimizer": "sgd", "epsilon": 1e-8}, gls.InvalidArgument, "epsilon is given"),
        ({"optimizer": "sgd", "row_steps": True}, gls.InvalidArgument, "row_steps is of Adam"),
        ({"rank": 0}, gls.InvalidArgument, "world_size"),
        ({"rank": 0, "world_size": 2}, gls.InvalidArgument, "world_size"),
        ({"width": None, "optimizer": "sgd"}, gls.InvalidArgument, "width"),
        ({"width": None}, gls.NotFound, "there"),
    ]
    for options, kind, words in faults:
        with pytest.raises(kind, match=words):
            ring.table("there", **{"width": 4, **options})
    with pytest.raises(gls.NotFound):
        ring.table("h", "nobody", width=4)
    with pytest.raises(gls.InvalidArgument, match="type"):
        shop.table("h", width=4)
    for name in ("", "n" * 256, "two\nlines", "a__b"):
        with pytest.raises(gls.InvalidArgument, match="name"):
            ring.table(name, width=4)
    with pytest.raises(TypeError):
        ring.table(5, width=4)  # type: ignore[arg-type]


def test_not_in_a_forked_child(ring: gls.Dataset) -> None:
    table = ring.table("h", width=1)
    child = os.fork()
    if child == 0:
        try:
            table.rows([0])
        except gls.InvalidState:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["sgd", "adagrad", "adam"])
def test_save_and_load(ring: gls.Dataset, tmp_path: Path, optimizer: str) -> None:
    """Steps go on as if nothing had happened."""
    options = {**BEGINNING, "optimizer": optimizer, "row_steps": optimizer == "adam"}
    table = ring.table("h", **options)
    steps = draw_steps(np.random.default_rng(4), 40, 5, 6)
    for trainers in steps[:3]:
        table.step(*trainers[0], 0.1)
    table.save(tmp_path / "saved")
    saved = table[:]
    for same in (table, ring.table("other", **options)):
        with pytest.raises(gls.AlreadyExists):
            same.save(tmp_path / "saved")
    other = make_graph().table("h", **options)
    other.load(str(tmp_path / "saved"))
    assert (other[:] == saved).all() and other.num_steps == 3
    for trainers in steps[3:]:
        table.step(*trainers[0], 0.1)
        other.step(*trainers[0], 0.1)
    assert (other[:] == table[:]).all() and (saved != table[:]).any()
    table.load(tmp_path / "saved")
    assert (table[:] == saved).all() and table.num_steps == 3


def test_files_that_do_not_fit(ring: gls.Dataset, tmp_path: Path) -> None:
    table = ring.table("h", **BEGINNING, optimizer="adagrad")
    with pytest.raises(gls.NotFound):
        table.load(tmp_path / "nowhere")
    table.save(tmp_path / "saved")
    for number, change in enumerate(({"width": 4}, {"optimizer": "adam"}, {"optimizer": None})):
        other = ring.table(f"other {number}", **{**BEGINNING, "optimizer": "adagrad", **change})
        with pytest.raises(gls.InvalidArgument, match=next(iter(change))):
            other.load(tmp_path / "saved")
    with pytest.raises(gls.InvalidArgument, match="rows|40|50"):
        make_graph(50).table("h", **BEGINNING, optimizer="adagrad").load(tmp_path / "saved")
    for file in (tmp_path / "saved").rglob("*"):
        if file.is_file():
            data = bytearray(file.read_bytes())
            data[-1] ^= 1
            file.write_bytes(data)
    with pytest.raises(gls.CorruptData):
        table.load(tmp_path / "saved")


# ---- at servers ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], gls.Dataset]]:
    """Opens a graph in three parts at two servers, as a client does."""
    folder = tmp_path_factory.mktemp("tables") / "parts"
    make_graph(60).partition(folder, 3, method="random")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLS_NET_KEY", KEY)
        with gls.Context(num_threads=1) as context:
            with gls.Server(
                folder, parts=[0, 2], table_bytes=1 << 20, context=context
            ) as first, gls.Server(
                folder, parts=[1], servers=[first.address], table_bytes=1 << 20, context=context
            ) as second:
                yield lambda: gls.Dataset.open(f"gls://{second.address}")


def together(*calls: Callable[[], Any]) -> List[Any]:
    """What each gives, on a thread of its own."""
    with ThreadPoolExecutor(len(calls)) as threads:
        return [future.result(60) for future in [threads.submit(call) for call in calls]]


def test_served_as_here(served: Callable[[], gls.Dataset]) -> None:
    """The same bytes, of everything."""
    options: Dict[str, Any] = {**BEGINNING, "optimizer": "adam"}
    with served() as dataset:
        far, near = dataset.table("as here", **options), make_graph(60).table("as here", **options)
        assert (len(far), far.nbytes) == (60, near.nbytes)
        assert far[:].tobytes() == near[:].tobytes()
        rng = np.random.default_rng(5)
        ids, rows = rng.permutation(60)[:9], rng.random((9, 5), np.float32)
        for table in (far, near):
            table[ids] = rows
        for trainers in draw_steps(rng, 60, 5, 6):
            for table in (far, near):
                table.step(*trainers[0], 0.1)
            some = rng.integers(0, 60, 30)
            assert far[some].tobytes() == near[some].tobytes()
        assert far[:].tobytes() == near[:].tobytes() and far.num_steps == near.num_steps == 6
        with pytest.raises(gls.InvalidArgument, match="ids: node 60 at index 1"):
            far.rows([0, 60])


@pytest.mark.parametrize("options", OPTIMIZERS[::3], ids=NAMES[::3])
def test_two_trainers(
    served: Callable[[], gls.Dataset], tmp_path: Path, options: Dict[str, Any]
) -> None:
    tables = [
        served().table("two", **BEGINNING, **options, rank=rank, world_size=2) for rank in (0, 1)
    ]
    assert [(table.rank, table.world_size) for table in tables] == [(0, 2), (1, 2)]
    plain = PlainTable(tables[0][:], **options)
    steps = draw_steps(np.random.default_rng(6), 60, 5, 6, trainers=2)
    for trainers in steps[:4]:
        together(
            lambda: tables[0].step(*trainers[0], 0.1), lambda: tables[1].step(*trainers[1], 0.1)
        )
        plain.step(trainers, 0.1)
    np.testing.assert_allclose(tables[1][:], plain.rows, **CLOSE)
    assert [table.num_steps for table in tables] == [4, 4]
    # What two have saved is loaded by one, here and by servers.
    for table in tables:
        table.save(tmp_path / "saved")
    saved = tables[0][:]
    for trainers in steps[4:]:
        plain.step(trainers, 0.1)
    near = make_graph(60).table("two", **BEGINNING, **options)
    far = served().table("one", **BEGINNING, **options)
    for table in (near, far):
        table.load(tmp_path / "saved")
        assert (table[:] == saved).all() and table.num_steps == 4
    for trainers in steps[4:]:
        one = np.concatenate([trainers[0][0], trainers[1][0]])
        near.step(one, np.concatenate([trainers[0][1], trainers[1][1]]), 0.1)
    np.testing.assert_allclose(near[:], plain.rows, **CLOSE)
    # And what one has saved by two.
    near.save(tmp_path / "of one")
    together(*(lambda table=table: table.load(tmp_path / "of one") for table in tables))
    assert (tables[0][:] == near[:]).all() and tables[1].num_steps == 6
    tables[0].drop(), far.drop()


def test_a_trainer_that_does_not_come(served: Callable[[], gls.Dataset]) -> None:
    options: Dict[str, Any] = {"width": 2, "optimizer": "sgd", "world_size": 2}
    one = np.ones((1, 2), np.float32)
    first, second = (served().table("late", **options, rank=rank) for rank in (0, 1))
    with pytest.raises(gls.TimedOut, match="1"):
        first.step([0], one, 1, timeout=0.2)
    assert not first[:].any()

    def insist() -> None:
        """Until it waits, it gives way to whoever says something else."""
        while first.num_steps == 0:
            try:
                first.step([0], one, 1, timeout=60)
            except (gls.InvalidArgument, gls.InvalidState):
                time.sleep(0.01)

    def disagree() -> None:
        """Who comes while the other waits is told what that one said."""
        told = ""
        while "learning_rate is 2, and that of rank 0 is 1" not in told:
            with pytest.raises((gls.InvalidArgument, gls.InvalidState, gls.TimedOut)) as error:
                second.step([0], one, 2, timeout=0.1)
            told = str(error.value)
        assert not second[:].any()
        second.step([0], one, 1)

    together(insist, disagree)
    assert first[[0]].tolist() == [[-2, -2]] and first.num_steps == second.num_steps == 1
    first.drop()


def test_ctrl_c_ends_the_waiting(served: Callable[[], gls.Dataset], tmp_path: Path) -> None:
    options: Dict[str, Any] = {"width": 2, "optimizer": "sgd", "world_size": 2}
    one = np.ones((1, 2), np.float32)
    first, second = (served().table("stopped", **options, rank=rank) for rank in (0, 1))

    def interrupted(call: Callable[[], None]) -> None:
        # What is started in the background ignores the signal.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        timer = threading.Timer(0.2, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            call()
        timer.join()
        signal.signal(signal.SIGINT, before)

    interrupted(lambda: first.step([0], one, 1, timeout=60))
    together(lambda: first.step([0], one, 1), lambda: second.step([], [], 1))
    assert first[[0]].tolist() == [[-1, -1]] and second.num_steps == 1
    first.save(tmp_path), second.save(tmp_path)
    interrupted(lambda: first.load(tmp_path, timeout=60))
    together(lambda: first.load(tmp_path), lambda: second.load(tmp_path))
    assert first[[0]].tolist() == [[-1, -1]] and first.num_steps == 1
    first.drop()


def test_a_table_that_others_drop(served: Callable[[], gls.Dataset]) -> None:
    first, second = (served().table("dropped", width=3, low=1, high=1) for _ in range(2))
    first.write([5], [[2, 2, 2]])
    assert second[[5]].tolist() == [[2, 2, 2]]
    first.drop()
    with pytest.raises(gls.InvalidState):
        second.rows([5])
    again = served().table("dropped", width=3)
    assert not again[:].any()
    again.drop()


def test_memory_for_tables(served: Callable[[], gls.Dataset], tmp_path: Path) -> None:
    dataset = served()
    with pytest.raises(gls.OutOfMemory):
        dataset.table("large", width=1 << 17)
    make_graph().save(tmp_path / "whole")
    with gls.Server(tmp_path / "whole", num_threads=1) as server:
        with gls.Dataset.open(f"gls://{server.address}") as without:
            with pytest.raises(gls.Unsupported, match="table"):
                without.table("h", width=2)
    with pytest.raises(gls.InvalidArgument, match="table_bytes"):
        gls.Server(tmp_path / "whole", table_bytes=-1)


def test_servers_that_are_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they held is lost, and comes back from files."""
    monkeypatch.setenv("GLS_NET_KEY", KEY)
    make_graph().save(tmp_path / "whole")
    options: Dict[str, Any] = {"table_bytes": 1 << 20, "num_threads": 1}
    with gls.Server(tmp_path / "whole", **options) as server:
        address = server.address
        dataset = gls.Dataset.open(f"gls://{address}")
        table = dataset.table("h", **BEGINNING, optimizer="adam")
        table.step([3], np.ones((1, 5), np.float32), 0.1)
        rows = table[:]
        table.save(tmp_path / "saved")
    with gls.Server(tmp_path / "whole", listen=address, **options):
        with pytest.raises(gls.InvalidState):
            table.rows([0])
        again = dataset.table("h", **BEGINNING, optimizer="adam")
        assert (again[:] != rows).any() and again.num_steps == 0
        again.load(tmp_path / "saved")
        assert (again[:] == rows).all() and again.num_steps == 1
