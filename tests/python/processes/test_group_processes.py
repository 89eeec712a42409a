"""Groups of real processes, started as a launcher does, interrupted and killed. Every wait has a
limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Dict, Iterator, List

import pytest
from ports import free_place, free_port

HERE = Path(__file__).parents[1]
OPEN_MPI = [f"OMPI_COMM_WORLD_{name}" for name in ("RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE")]
KEY = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"


def torchrun(rank: int, world: int, port: int) -> Dict[str, str]:
    """Its variables; the store of torch listens at MASTER_PORT, so that is not used."""
    return {
        "RANK": str(rank),
        "WORLD_SIZE": str(world),
        "LOCAL_RANK": str(rank),
        "LOCAL_WORLD_SIZE": str(world),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }


def slurm(rank: int, world: int, port: int) -> Dict[str, str]:
    return {
        "SLURM_PROCID": str(rank),
        "SLURM_NTASKS": str(world),
        "SLURM_STEP_NUM_TASKS": str(world),
        "SLURM_LOCALID": str(rank),
        "SLURM_JOB_ID": str(port),
        "SLURM_STEP_ID": "0",
        "SLURM_STEP_NODELIST": "localhost",
    }


def worker(*arguments: str) -> List[str]:
    return [sys.executable, "-X", "faulthandler", str(HERE / "group_worker.py"), *arguments]


def whole(environment: Dict[str, str]) -> Dict[str, str]:
    """That of a worker: of launchers nothing but what is given."""
    mine = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SLURM_", "OMPI_", "PMI", "GLS_"))
        and name not in ("RANK", "WORLD_SIZE")
    }
    return {**mine, "GLS_NET_KEY": KEY, "GLS_NET_PEER_TIMEOUT_MS": "2000", **environment}


@contextmanager
def process(environment: Dict[str, str], *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Ends whatever becomes of the test."""
    with subprocess.Popen(
        worker(*arguments),
        stdout=subprocess.PIPE,
        text=True,
        cwd=HERE,
        env=whole(environment),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as child:
        give_up = threading.Timer(90, child.kill)
        give_up.start()
        try:
            yield child
        finally:
            give_up.cancel()
            child.kill()


@contextmanager
def group(world: int, role: str, launcher=torchrun) -> Iterator[List["subprocess.Popen[str]"]]:
    port = free_port()
    with process(launcher(0, world, port), role) as first:
        if world == 1:
            yield [first]
            return
        with process(launcher(1, world, port), role) as second:
            if world == 2:
                yield [first, second]
                return
            with process(launcher(2, world, port), role) as third:
                yield [first, second, third]


def line(child: "subprocess.Popen[str]") -> str:
    assert child.stdout is not None
    return child.stdout.readline().rstrip("\n")


@pytest.mark.parametrize("launcher", [torchrun, slurm])
def test_processes_talk(launcher) -> None:
    with group(3, "talk", launcher) as children:
        for rank, child in enumerate(children):
            assert line(child) == "joining"
            names = ["from 0", "from 1", "from 2"]
            answers = [f"{other} was asked by {rank}" for other in range(3)]
            assert line(child) == f"{launcher.__name__} {rank} {names} {answers}"
            assert child.wait(30) == 0


def mpirun(folder: Path, count: int, command: List[str]) -> List[str]:
    """What each said after "joining"."""
    tool = shutil.which("mpirun")
    assert tool is not None, "mpirun is missing: scripts/packages.sh test"
    options = ["--oversubscribe", "--bind-to", "none", "-n", str(count)]
    options += ["--output-filename", f"{folder}/{count}:nocopy"]  # their lines are mixed otherwise
    options += ["--allow-run-as-root"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [tool, *options, *command],
        capture_output=True,
        text=True,
        cwd=HERE,
        env=whole({}),
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = sorted(folder.glob(f"{count}/*/rank.*/stdout"))
    assert len(written) == count, written
    texts = [text.read_text() for text in written]
    assert all(text.startswith("joining\n") for text in texts), texts
    return [text.removeprefix("joining\n").rstrip("\n") for text in texts]


def said(launcher: str, count: int) -> List[str]:
    names = [f"from {rank}" for rank in range(count)]
    return [
        f"{launcher} {rank} {names} {[f'{other} was asked by {rank}' for other in range(count)]}"
        for rank in range(count)
    ]


def test_processes_that_open_mpi_started_talk(tmp_path: Path) -> None:
    """Nothing is said but by mpirun itself; two jobs at once do not meet."""
    with ThreadPoolExecutor(2) as pool:
        jobs = {count: pool.submit(mpirun, tmp_path, count, worker("talk")) for count in (2, 3)}
        for count, job in jobs.items():
            assert job.result() == said("openmpi", count)


def test_processes_that_a_server_of_pmix_started_talk(tmp_path: Path) -> None:
    """That of Open MPI, without the variables that are its own. PMIx does not say how many there are."""
    hidden = [word for name in OPEN_MPI for word in ("-u", name)]
    told = ["GLS_WORLD_SIZE=2", "GLS_MASTER_ADDR=127.0.0.1"]
    assert mpirun(tmp_path, 2, ["env", *hidden, *told, *worker("talk")]) == said("pmix", 2)


def test_servers_and_trainers_are_one_world_too() -> None:
    place = free_place()
    ports = {"server": free_port(), "trainer": free_port()}
    names = ["server 0", "server 1", "trainer 0", "trainer 1"]
    with ExitStack() as stack:
        children = []
        for number, name in enumerate(names):
            kind, rank = name.split()
            first = str(number - int(rank))
            environment = torchrun(int(rank), 2, ports[kind])
            arguments = ["two_groups", "30", kind, first, "4", place]
            children.append(stack.enter_context(process(environment, *arguments)))
        for rank, child in enumerate(children):
            own = names[:2] if rank < 2 else names[2:]
            assert line(child) == "joining"
            assert line(child) == f"{rank} {[names, own, [names[(rank + 1) % 4]]]}"
            assert child.wait(30) == 0


def test_ctrl_c_ends_waiting_and_a_killed_process_ends_it_for_all() -> None:
    with group(3, "wait") as children:
        for child in children:
            assert line(child) == "joining" and line(child) == "waiting"
        time.sleep(0.3)
        begin = time.monotonic()
        children[2].send_signal(signal.SIGINT)  # in a call
        assert line(children[2]) == "interrupted"
        assert time.monotonic() - begin < 10
        assert children[2].wait(30) == 0
        # Its end is seen by rank 1, which waits in a barrier.
        assert "rank 2" in line(children[1])


def test_ctrl_c_ends_a_barrier() -> None:
    with group(2, "wait") as children:
        for child in children:
            assert line(child) == "joining" and line(child) == "waiting"
        time.sleep(0.3)
        assert children[1].poll() is None
        children[1].send_signal(signal.SIGINT)
        assert line(children[1]) == "interrupted" and children[1].wait(30) == 0


def test_a_killed_process_is_named() -> None:
    with group(2, "wait") as children:
        for child in children:
            assert line(child) == "joining" and line(child) == "waiting"
        children[0].kill()
        assert "rank 0" in line(children[1])
        assert children[1].wait(30) == 0


@pytest.mark.parametrize("rank", [0, 1])
def test_ctrl_c_ends_joining(rank: int) -> None:
    with process(torchrun(rank, 2, free_port()), "talk", "60") as child:
        assert line(child) == "joining"
        time.sleep(0.5)
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert line(child) == "interrupted" and child.wait(30) == 0


def test_a_program_may_end_with_everything_open() -> None:
    with group(1, "leave_open") as children:
        assert line(children[0]) == "joining"
        assert "under way" in line(children[0])
        assert children[0].wait(30) == 0


FORK = """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of fork() beside threads
import gls

group = gls.Group(timeout=30)
group.function("echo", lambda call: call.data)
assert group.call(0, "echo", b"a", timeout=30) == b"a"
answer = group.call_async(0, "echo", b"b", timeout=30)
if os.fork() == 0:
    code = 1
    try:
        refused = 0
        for use in (
            lambda: group.barrier(5), lambda: group.call(0, "echo"), lambda: group.members,
            lambda: answer.result(5), lambda: group.function("new", len),
        ):
            try:
                use()
            except gls.InvalidState as error:
                refused += "fork" in str(error)
        group.close()
        del group, answer
        with gls.Group(timeout=30) as fresh:
            fresh.function("echo", lambda call: call.data)
            assert fresh.call(0, "echo", b"c", timeout=30) == b"c"
        code = 0 if refused == 5 else 2
    except BaseException:
        import traceback
        traceback.print_exc()
    os._exit(code)
_, status = os.wait()
assert status == 0, status
assert answer.result(30) == b"b" and group.call(0, "echo", b"d", timeout=30) == b"d"
group.close()
print("well", flush=True)
"""


def test_a_forked_child_starts_anew() -> None:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "OMPI_", "PMI"))}
    command = [sys.executable, "-X", "faulthandler", "-c", FORK]
    out = subprocess.run(command, capture_output=True, text=True, timeout=90, env=clean)
    assert out.returncode == 0 and out.stdout == "well\n", out.stderr
