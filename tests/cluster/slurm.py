"""Slurm, as it is packaged, on machines of a network: the first one has the controller, too."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Callable, Dict, List, Optional, Sequence, Type

from machines import Machine

UP_S = 30
JOB_S = 120
TASKS = 32  # that a machine takes, whatever it has

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={names[0]}({addresses[0]})
SlurmUser=root
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/%n.log
"""

# On a machine of its own a name and a disk are, too.
AS_MACHINE = """\
set -e
hostname "$1"
mount --bind "$2/hosts" /etc/hosts
mount -t tmpfs none "$2/disk"
shift 2
exec "$@"
"""


class Slurm:
    """Machines that jobs run on. What `TMPDIR` of a job names is on a disk of each machine."""

    def __init__(self, machines: Sequence[Machine], folder: Path, variables: Dict[str, str]):
        self._machines = machines
        self._folder = folder
        self._names = [f"node{number}" for number in range(len(machines))]
        self._daemons: List["subprocess.Popen[bytes]"] = []
        self._env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "GLS_"))}
        self._env.update(variables, SLURM_CONF=f"{folder}/slurm.conf", TMPDIR=f"{folder}/disk")
        self._configure()

    def __enter__(self) -> Slurm:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def run(self, script: Path, *words: str, options: Sequence[str] = ()) -> str:
        """Submits a script, waits for its end, and gives what it wrote."""
        out = self._folder / "job.out"
        out.unlink(missing_ok=True)
        submit = ["sbatch", "--parsable", f"--output={out}", *options, str(script), *words]
        number = self._ask(*submit).strip()
        show = ("scontrol", "--oneliner", "show", "job", number)
        state = re.compile(r"JobState=(\w+)")
        end = time.monotonic() + JOB_S
        while (now := state.findall(self._ask(*show))[0]) in ("PENDING", "RUNNING", "COMPLETING"):
            assert time.monotonic() < end, f"the job is {now} without end\n{self._logs()}"
            time.sleep(0.2)
        wrote = out.read_text() if out.exists() else self._logs()
        assert now == "COMPLETED", f"{now}\n{wrote}"
        return wrote

    def close(self) -> None:
        if self._daemons:
            try:
                self._ask("scancel", "--full", f"--user={os.getuid()}", check=False)
            except subprocess.TimeoutExpired:
                pass  # what is left is killed below
        for daemon in reversed(self._daemons):
            daemon.terminate()
        for daemon in self._daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self._daemons.clear()
        # What a step started outlives the daemon that started it.
        for machine in self._machines:
            for process in machine.processes():
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def _configure(self) -> None:
        addresses = [machine.address for machine in self._machines]
        for name in ("state", "disk", *(f"spool-{name}" for name in self._names)):
            (self._folder / name).mkdir()
        lines = CONFIGURATION.format(folder=self._folder, names=self._names, addresses=addresses)
        hosts = "127.0.0.1 localhost\n"
        for name, address in zip(self._names, addresses):
            lines += f"NodeName={name} NodeAddr={address} CPUs={TASKS} SocketsPerBoard={TASKS}\n"
            hosts += f"{address} {name}\n"
        lines += f"PartitionName=all Nodes={','.join(self._names)} Default=YES\n"
        (self._folder / "slurm.conf").write_text(lines)
        (self._folder / "hosts").write_text(hosts)
        # No control groups are looked for, which a machine of a namespace does not see.
        (self._folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        key = self._folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o600)

    def _start(self) -> None:
        munge = self._folder / "munge"
        options = [f"--{name}-file={munge}.{name}" for name in ("key", "pid", "log", "seed")]
        options += [f"--socket={munge}.socket", "--foreground", "--force"]
        self._daemon(0, "munged", *options)
        self._wait((self._folder / "munge.socket").exists)
        self._daemon(0, "slurmctld", "-D")
        for number, name in enumerate(self._names):
            self._daemon(number, "slurmd", "-D", "-N", name)
        self._wait(self._idle)

    def _idle(self) -> bool:
        said = self._ask("sinfo", "--noheader", "--format=%D %t", check=False)
        return said.split() == [str(len(self._names)), "idle"]

    def _ask(self, *words: str, check: bool = True) -> str:
        """What a command of Slurm says, on the first machine."""
        done = subprocess.run(
            self._command(0, *words), env=self._env, capture_output=True, text=True, timeout=UP_S
        )
        assert not check or done.returncode == 0, f"{words}: {done.stderr}\n{self._logs()}"
        return done.stdout

    def _wait(self, ready: Callable[[], bool]) -> None:
        end = time.monotonic() + UP_S
        while not ready():
            assert time.monotonic() < end, f"Slurm does not start:\n{self._logs()}"
            time.sleep(0.1)

    def _command(self, number: int, *words: str) -> List[str]:
        as_machine = ["unshare", "--uts", "sh", "-c", AS_MACHINE, "sh", self._names[number]]
        return self._machines[number].command(*as_machine, str(self._folder), *words)

    def _daemon(self, number: int, *words: str) -> None:
        with (self._folder / "daemons.log").open("ab") as log:
            started = subprocess.Popen(
                self._command(number, *words),
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._daemons.append(started)

    def _logs(self) -> str:
        return "\n".join(
            f"== {path.name}\n{path.read_text()[-2000:]}" for path in self._folder.glob("*.log")
        )
