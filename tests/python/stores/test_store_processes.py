"""Stores and the whole process: forks, the end, and Ctrl-C."""

from __future__ import annotations

import signal
import time

from test_process import check, interruptible

FORK = """
import os, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of fork() beside threads
sys.path.insert(0, "stores")
import gls
from stored_graph import Features, X, edges_only, loader

store = Features()
dataset = edges_only().with_stores(store)
batches = iter(loader(dataset))
next(batches)
if os.fork() == 0:
    def refused(use):
        try:
            use()
        except gls.InvalidState as error:
            assert "fork" in str(error), error
        else:
            raise AssertionError("not refused")
    try:
        refused(lambda: store.stats)
        refused(lambda: dataset.with_stores())
        fresh = edges_only()
        refused(lambda: fresh.with_stores(store))
        del batches, dataset, store
        again = fresh.with_stores(Features())
        assert again.rows("x", [7]).tolist() == X[[7]].tolist()
        assert len(list(loader(again))) == 10
        code = 0
    except BaseException:
        import traceback
        traceback.print_exc()
        code = 1
    sys.stderr.flush()
    sys.exit(code)
_, status = os.wait()
assert len(list(batches)) == 9
sys.exit(os.WEXITSTATUS(status))
"""


def test_fork() -> None:
    check(FORK)


END = """
import sys, threading, time
sys.path.insert(0, "stores")
import gls
from stored_graph import X, edges_only, loader

started = threading.Event()

def fetch(ids, rows):
    started.set()
    time.sleep(1000)

async def coroutine(ids, rows):
    import asyncio
    started.set()
    await asyncio.sleep(1000)

def future(ids, rows):
    from concurrent.futures import Future
    started.set()
    return Future()

kind = sys.argv[1]
function = {"thread": fetch, "coroutine": coroutine, "future": future}[kind]
store = gls.ColumnStore(name="x", shape=(12,), fetch=function, deadline=None, max_fetches=4)
made = loader(edges_only().with_stores(store))
batches = iter(made)
waits = threading.Thread(target=lambda: next(batches), daemon=True)
waits.start()
assert started.wait(20)
print("ends", flush=True)
"""


def test_the_end_does_not_wait_for_answers() -> None:
    for kind in ("thread", "coroutine", "future"):
        began = time.monotonic()
        assert check(END, kind) == "ends\n"
        assert time.monotonic() - began < 20


INTERRUPTED = """
import os, sys, time
sys.path.insert(0, "stores")
import gls
from stored_graph import edges_only, loader
store = gls.ColumnStore(
    name="x", shape=(12,), fetch=lambda ids, rows: time.sleep(1000), deadline=None
)
batches = iter(loader(edges_only().with_stores(store)))
print("waiting", flush=True)
try:
    next(batches)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_interrupts_waiting() -> None:
    with interruptible(INTERRUPTED) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "waiting\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert child.wait(20) == 0


STUCK = """
import sys, threading, time
sys.path.insert(0, "stores")
import gls
from stored_graph import edges_only

started = threading.Semaphore(0)
went_on = []

def fetch(ids, rows):
    started.release()
    time.sleep(1000)

def ask(dataset):
    try:
        dataset.rows("x", range(64))
    except gls.IoError as error:
        went_on.append(str(error))

for _ in range(2):
    store = gls.ColumnStore(
        name="x", shape=12, fetch=fetch, deadline=None, max_ids=4, max_fetches=16
    )
    dataset = edges_only().with_stores(store)
    threading.Thread(target=ask, args=(dataset,), daemon=True).start()
for _ in range(32):
    assert started.acquire(timeout=60)
import atexit
began = time.monotonic()
gls_end = gls._data.fetch_threads._finish
atexit.unregister(gls_end)
gls_end()
print(time.monotonic() - began, len(went_on), flush=True)
"""


def test_the_end_waits_once_for_all_stuck_threads() -> None:
    seconds, went_on = check(STUCK).split()
    assert float(seconds) < 5 and int(went_on) == 2
