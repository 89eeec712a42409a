"""What concerns the whole process: signals, forks, the end, and what is imported."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import pytest

HERE = Path(__file__).parents[1]


def run(code: str, *arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=HERE,
        **options,
    )


def check(code: str, *arguments: str) -> str:
    out = run(code, *arguments)
    assert out.returncode == 0, out.stderr
    return out.stdout


# ---- Ctrl-C ------------------------------------------------------------------------------------

INTERRUPTED = """
import os, sys, time
from slow import slow_loader
loader = slow_loader(1_000_000)  # a quarter of an hour
batches = iter(loader)
print("waiting", flush=True)
try:
    next(batches)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(7)
"""


@contextmanager
def interruptible(code: str) -> Iterator["subprocess.Popen[str]"]:
    """A program that Ctrl-C reaches, also where the tests run in the background and it is ignored.
    Whatever becomes of the test, the program ends."""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=HERE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as child:
        give_up = threading.Timer(60, child.kill)
        give_up.start()
        try:
            yield child
        finally:
            give_up.cancel()
            child.kill()


def test_ctrl_c_interrupts_waiting() -> None:
    with interruptible(INTERRUPTED) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "waiting\n"
        time.sleep(0.3)
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert child.wait() == 7


CTRL_C_IN_LOOP = """
import gls, numpy as np
dataset = gls.Dataset.from_arrays(np.zeros((2, 10), np.int64), num_nodes=1000)
loader = gls.NeighborLoader(dataset, [1], batch_size=1)
print("running", flush=True)
while True:
    for batch in loader:
        batch.node.numpy()
"""


def test_ctrl_c_ends_a_program() -> None:
    with interruptible(CTRL_C_IN_LOOP) as child:
        assert child.stdout is not None and child.stdout.readline() == "running\n"
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=20)
        assert child.returncode == -signal.SIGINT and "KeyboardInterrupt" in err


# ---- fork --------------------------------------------------------------------------------------

FORK = """
import os, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of fork() beside threads
import numpy as np
import gls

edges = np.random.default_rng(0).integers(0, 50, (2, 500))
dataset = gls.Dataset.from_arrays(edges, num_nodes=50, x=np.ones((50, 3), np.float32))
sampler = gls.Sampler(dataset, [2])
loader = gls.NeighborLoader(dataset, [2], batch_size=5)
batches = iter(loader)
batch = next(batches)
x = batch.x
builder = gls.DatasetBuilder()
context = gls.default_context()
loader._lock.acquire()  # as another thread of the parent may at this moment
if os.fork() == 0:
    def refused(use):
        try:
            use()
        except gls.InvalidState as error:
            assert "fork" in str(error), error
        else:
            raise AssertionError("not refused")
    try:
        for use in (
            lambda: next(batches), lambda: iter(loader), lambda: loader.state_dict(),
            lambda: loader.stats, lambda: loader.set_epoch(0), lambda: loader.cancel(),
            lambda: len(loader), lambda: sampler.sample([1]), lambda: dataset.num_nodes(),
            lambda: dataset.verify(), lambda: dataset.save("nowhere"),
            lambda: gls.Sampler(dataset, [1]), lambda: gls.NeighborLoader(dataset, [1]),
            lambda: builder.add_node_type("a"), lambda: builder.build(),
            lambda: context.set("threads", 1), lambda: gls.Dataset.open("x", context=context),
        ):
            refused(use)
        assert x.numpy().sum() == 3 * len(x)  # memory that was there stays
        loader.close()
        dataset.close()
        del batches, batch, x, loader, sampler, dataset, builder, context
        fresh = gls.Dataset.from_arrays(edges, num_nodes=50)
        assert len(list(gls.NeighborLoader(fresh, [2], batch_size=5))) == 10
        code = 0
    except BaseException:
        import traceback
        traceback.print_exc()
        code = 1
    sys.stderr.flush()
    if sys.argv[1] == "hard":
        os._exit(code)
    sys.exit(code)
loader._lock.release()
_, status = os.wait()
assert len(list(batches)) == 9
assert os.WIFEXITED(status), status
sys.exit(os.WEXITSTATUS(status))
"""


@pytest.mark.parametrize("exit", ["hard", "soft"])
def test_fork(exit: str) -> None:
    check(FORK, exit)


# ---- the end of the interpreter ----------------------------------------------------------------

ENDS = """
import atexit, sys, threading
import numpy as np
import gls
dataset = gls.Dataset.from_arrays(np.zeros((2, 10), np.int64), num_nodes=1000,
                                  x=np.ones((1000, 4), np.float32))
loader = gls.NeighborLoader(dataset, [1], batch_size=10)
kept = [iter(loader), next(iter(loader)).x, gls.configure(log=print)]
sys.modules["kept"] = kept
waiting = threading.Thread(target=lambda: [list(loader) for _ in range(1000)], daemon=True)
waiting.start()
kept.append(kept)
"""


def test_the_interpreter_may_end_at_any_time() -> None:
    for _ in range(5):
        check(ENDS)


# ---- imports -----------------------------------------------------------------------------------


def test_import_is_light() -> None:
    heavy = "numpy torch torch_geometric logging dataclasses"
    code = f"import gls, sys; print([m for m in {heavy.split()} if m in sys.modules])"
    assert check(code) == "[]\n"


def test_nothing_but_numpy_is_imported() -> None:
    code = """
import sys
import gls
dataset = gls.Dataset.from_arrays([[0, 1], [1, 0]], x=[[1.0], [2.0]])
for batch in gls.NeighborLoader(dataset, [1]):
    batch.x.numpy(), batch.edge_index.numpy()
print([m for m in ("torch", "torch_geometric") if m in sys.modules], "numpy" in sys.modules)
"""
    assert check(code) == "[] True\n"


def test_version() -> None:
    import re
    from importlib.metadata import version

    from conftest import ROOT

    import gls

    header = (ROOT / "include" / "gls" / "version.h").read_text()
    parts = [
        re.search(rf"#define GLS_VERSION_{part} (\d+)", header)[1]  # type: ignore[index]
        for part in ("MAJOR", "MINOR", "PATCH")
    ]
    assert gls.__version__ == ".".join(parts) == version("gls")


def test_public_names() -> None:
    import gls

    aliases = {
        "ArrayLike",
        "ArrowColumns",
        "Columns",
        "Device",
        "EdgeType",
        "Negatives",
        "Progress",
        "SeedRule",
    }
    aliases |= {"Supervisions", "Transform"}
    for name in set(gls.__all__) - aliases:
        assert getattr(gls, name).__doc__, name
    assert sorted(gls.__all__) == gls.__all__
