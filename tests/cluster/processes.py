"""Processes on machines, which say on their standard output what happens: a JSON document a line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from machines import Machine

Event = Dict[str, Any]
READY_S = 60
LONGEST_S = 1800  # that a process may live


class Gone(AssertionError):
    """A process ended, or said nothing for too long."""


class Process:
    """One of them. `errors` is the file that its standard error is added to."""

    def __init__(
        self,
        machine: Machine,
        command: Sequence[str],
        env: Mapping[str, str],
        errors: Path,
        longest_s: float = LONGEST_S,
    ) -> None:
        self.machine = machine
        self.started = time.monotonic()
        self._errors = errors
        self._events: List[Event] = []
        self._changed = threading.Condition()
        self._over = False
        with errors.open("ab") as file:
            self._process = subprocess.Popen(
                machine.command(*command),
                env=environment(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._limit = threading.Timer(longest_s, self.kill)
        self._limit.daemon = True
        self._limit.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not line.startswith('{"'):
                continue  # of an error, which is on several lines, and in words in `errors`
            with self._changed:
                self._events.append({"t": time.monotonic(), **json.loads(line)})
                self._changed.notify_all()
        with self._changed:
            self._over = True
            self._changed.notify_all()

    # ---- what it said ----

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def events(self) -> List[Event]:
        with self._changed:
            return list(self._events)

    def events_from(self, index: int) -> List[Event]:
        with self._changed:
            return self._events[index:]

    @property
    def complaints(self) -> str:
        """Its standard error."""
        return self._errors.read_text(errors="replace")

    def wait_for(
        self, wanted: Callable[[Event], bool], what: str, timeout_s: float = READY_S
    ) -> Event:
        """The first event, of those before this call, too, that is wanted."""
        end = time.monotonic() + timeout_s
        seen = 0
        with self._changed:
            while True:
                for event in self._events[seen:]:
                    if wanted(event):
                        return event
                seen = len(self._events)
                left = end - time.monotonic()
                if self._over or left <= 0:
                    why = "it ended" if self._over else f"not within {timeout_s} s"
                    last = self._events[-3:]
                    raise Gone(f"no {what}: {why}; last: {last}; {self.complaints[-2000:]}")
                self._changed.wait(left)

    # ---- what happens to it ----

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def freeze(self) -> None:
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)

    def kill(self) -> None:
        """As a machine that loses its power, but for what its system still says."""
        self._process.kill()

    def tell(self, line: str) -> None:
        """Writes a line to its standard input."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def finish(self) -> None:
        """Tells it that nothing more is wanted of it: its standard input ends."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def wait(self, timeout_s: float = READY_S) -> int:
        """Its exit status."""
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise Gone(f"it goes on after {timeout_s} s; {self.complaints[-2000:]}") from None
        self._limit.cancel()
        self._reader.join(timeout_s)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        return code

    def end(self) -> None:
        """However it is: afterwards it is no more."""
        self.kill()
        self.wait()

    # ---- what it has ----

    def memory(self) -> int:
        """Bytes that are resident and not of files."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
        raise Gone(f"process {self.pid} has no memory")

    def sockets(self) -> int:
        """How many it has open."""
        folder = f"/proc/{self.pid}/fd"
        return sum(_link(f"{folder}/{name}").startswith("socket:") for name in os.listdir(folder))


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except FileNotFoundError:  # closed meanwhile
        return ""


def environment(own: Mapping[str, str]) -> Dict[str, str]:
    """That of a process: nothing of GLS but what is given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GLS_")}
    return {**kept, **own}


def until(reached: Callable[[], bool], what: str, timeout_s: float = READY_S) -> None:
    """Waits for something that nobody tells."""
    end = time.monotonic() + timeout_s
    while not reached():
        if time.monotonic() > end:
            raise Gone(f"{what}: not within {timeout_s} s")
        time.sleep(0.02)


def settings(values: Optional[Mapping[str, object]]) -> Dict[str, str]:
    """Environment variables of settings: {"net.plain": True} is {"GLS_NET_PLAIN": "true"}."""
    out = {}
    for key, value in (values or {}).items():
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        out[f"GLS_{key.upper().replace('.', '_')}"] = shown
    return out
