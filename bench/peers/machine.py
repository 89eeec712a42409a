"""How busy the machine is, from /proc."""

from __future__ import annotations

import os
import time
from typing import Dict, List, Tuple

_TICK = os.sysconf("SC_CLK_TCK")


def machine_seconds() -> Tuple[float, float]:
    """CPU seconds of the whole machine so far: (busy, stolen by the hypervisor)."""
    with open("/proc/stat", encoding="ascii") as stat:
        fields = [int(value) for value in stat.readline().split()[1:9]]
    user, nice, system, _, _, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq) / _TICK, steal / _TICK


def wait_until_quiet(cores: float, patience: float) -> None:
    """Returns when the machine, on which we do nothing now, uses at most that many cores, or when
    patience (seconds) is at its end."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        busy, _ = machine_seconds()
        start = time.monotonic()
        time.sleep(0.25)
        if (machine_seconds()[0] - busy) / (time.monotonic() - start) <= cores:
            return


def _children(pid: int) -> List[int]:
    found: List[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
                found += [int(child) for child in children.read().split()]
    except OSError:  # it ended meanwhile
        pass
    return found


def tree_seconds(pid: int) -> float:
    """CPU seconds of a process, its children that live, and those it has waited for."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
    except OSError:  # it ended meanwhile; its parent's figure has it
        return 0.0
    return sum(int(value) for value in fields[11:15]) / _TICK + sum(
        tree_seconds(child) for child in _children(pid)
    )


def describe() -> Dict[str, object]:
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"cpu": model, "cores": os.cpu_count(), "kernel": os.uname().release}
