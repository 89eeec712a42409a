"""A control group with a limit of memory, for one process and its children: version 1 and 2."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple


def drop_page_cache() -> None:
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")


def why_not() -> Optional[str]:
    """Why this process can neither drop the page cache nor limit memory; None: it can."""
    if os.geteuid() != 0:
        return "needs root, to drop the page cache and to limit memory by a control group"
    if not os.access("/proc/sys/vm/drop_caches", os.W_OK):
        return "/proc/sys/vm/drop_caches cannot be written: the page cache cannot be dropped"
    try:
        MemoryGroup("gls-bench-probe", 1 << 30).remove()
    except OSError as error:
        return f"no control group can limit memory: {error}"
    return None


def _own_groups() -> Tuple[Optional[str], Optional[str]]:
    """The paths of this process in the hierarchies: memory of version 1, and version 2."""
    first = second = None
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            first = path
        elif controllers == "":
            second = path
    return first, second


def _mount(kind: str, controller: str) -> Optional[Tuple[str, Path]]:
    """Where a hierarchy is mounted, and which of its groups is its root there."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        filesystem, _, options = after.split(" ", 2)
        if filesystem == kind and (not controller or controller in options.split(",")):
            return before.split(" ")[3], Path(before.split(" ")[4])
    return None


def _ancestors(mount: Tuple[str, Path], path: str) -> List[Path]:
    """Folders of a group and those above it, the group first, as far as they are visible here."""
    root, folder = mount
    inside = os.path.relpath(path, root)
    here = folder if inside.startswith("..") else folder / inside
    if not here.is_dir():  # the process sees another root
        here = folder
    return [here, *[above for above in here.parents if above == folder or folder in above.parents]]


def _writable(file: Path, text: str) -> bool:
    try:
        file.write_text(text)
        return True
    except OSError:
        return False


def _gives_memory(group: Path) -> bool:
    """Whether children of a group of version 2 have the controller."""
    try:
        return "memory" in (group / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False


class MemoryGroup:
    """`limit` in bytes; None: no limit."""

    def __init__(self, name: str, limit: Optional[int]) -> None:
        first, second = _own_groups()
        name = f"{name}-{os.getpid()}"
        mounted = _mount("cgroup", "memory")
        self.version = 1 if mounted is not None and first is not None else 2
        if mounted is not None and first is not None:
            self.folder = self._make(_ancestors(mounted, first), name)
            self._limit_file, self._peak_file = "limit_in_bytes", "max_usage_in_bytes"
        else:
            mounted = _mount("cgroup2", "")
            if mounted is None or second is None:
                raise OSError("no control groups are mounted")
            groups = _ancestors(mounted, second)
            able = [group for group in groups if _gives_memory(group)]
            if not able:
                # Refused for a group with processes, unless it is the root.
                enable = "cgroup.subtree_control"
                able = [group for group in groups if _writable(group / enable, "+memory")][:1]
            self.folder = self._make(able, name)
            self._limit_file, self._peak_file = "max", "peak"
        try:
            if limit is not None:
                self._file(self._limit_file).write_text(str(limit))
                if self.version == 1:  # absent: swap is not counted
                    _writable(self._file("memsw.limit_in_bytes"), str(limit))
                else:
                    _writable(self._file("swap.max"), "0")
        except OSError:
            self.remove()
            raise

    @staticmethod
    def _make(parents: List[Path], name: str) -> Path:
        failure: Optional[OSError] = None
        for parent in parents:
            try:
                (parent / name).mkdir()
                return parent / name
            except OSError as error:
                failure = failure or error
        raise failure or OSError("no control group may have children with the memory controller")

    def _file(self, name: str) -> Path:
        return self.folder / f"memory.{name}"

    def _counter(self, file: str, *keys: str) -> Optional[int]:
        """A line of a file with names and numbers."""
        try:
            lines = [line.split() for line in self._file(file).read_text().splitlines()]
        except OSError:
            return None
        found = {line[0]: int(line[1]) for line in lines if len(line) == 2}
        return next((found[key] for key in keys if key in found), None)

    def peak(self) -> Optional[int]:
        """The most bytes so far, pages of files included; None: the kernel does not say."""
        try:
            return int(self._file(self._peak_file).read_text())
        except OSError:
            return None

    def anonymous(self) -> int:
        """Bytes now, without pages of files."""
        return self._counter("stat", "total_rss", "anon") or 0

    def kills(self) -> int:
        """Processes that the limit ended."""
        file = "oom_control" if self.version == 1 else "events"
        return self._counter(file, "oom_kill") or 0

    def command(self, command: List[str]) -> List[str]:
        """Of a process that joins the group first."""
        procs = str(self.folder / "cgroup.procs")
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', procs, *command]

    def remove(self) -> None:
        """Ends what still runs in it."""
        for _ in range(100):
            try:
                pids = (self.folder / "cgroup.procs").read_text().split()
                for pid in pids:
                    os.kill(int(pid), signal.SIGKILL)
                self.folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:  # processes are still ending
                time.sleep(0.1)
        print(f"the control group {self.folder} could not be removed", flush=True)

    def __enter__(self) -> "MemoryGroup":
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


class AnonymousWatch(threading.Thread):
    """The most anonymous memory of a group while something runs."""

    def __init__(self, group: MemoryGroup) -> None:
        super().__init__(daemon=True)
        self._group = group
        self._ended = threading.Event()
        self.peak = 0

    def run(self) -> None:
        while not self._ended.wait(0.1):
            self.peak = max(self.peak, self._group.anonymous())

    def stop(self) -> int:
        self._ended.set()
        self.join()
        return self.peak


def run_in_group(
    name: str, command: List[str], limit: Optional[int], most_seconds: float, cold: bool
) -> Dict[str, Any]:
    """Runs a command in a group of its own, and returns what it said in its last line with its peak
    memory, or why it failed as "reason"."""
    if cold:
        drop_page_cache()
    with MemoryGroup(f"gls-bench-{name}", limit) as group:
        watch = AnonymousWatch(group)
        process = subprocess.Popen(
            group.command(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        watch.start()
        reason = None
        try:
            out, errors = process.communicate(timeout=most_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, errors = process.communicate()
            reason = f"did not end within {most_seconds:g} s"
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            anonymous = watch.stop()
        measured = {"peak_bytes": group.peak(), "peak_anonymous_bytes": anonymous}
        if group.kills() > 0 and process.returncode != 0:
            reason = f"killed: its memory exceeded the limit of {limit} bytes"
    if reason is None and process.returncode != 0:
        last = (errors.strip().splitlines() or ["it said nothing"])[-1]
        reason = f"ended with status {process.returncode}: {last}"
    if reason is not None:
        return {**measured, "reason": reason}
    return {**measured, **last_object(out)}


def last_object(text: str) -> Dict[str, Any]:
    lines = text.strip().splitlines()
    return json.loads(lines[-1]) if lines else {"reason": "it said nothing"}
