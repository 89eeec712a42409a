"""What the contestants reached: a table, and the JSON of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from dataset import Dataset

# The part of the time of a contestant that is not counted, unless it is of a whole epoch.
WARM_UP = 0.25
PEERS = ("mapped", "row_reads", "pyg_memmap")
MISSING = "-"


def machine() -> Dict[str, Any]:
    cpu = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    return {
        "cpu": cpu[0].split(":", 1)[1].strip() if cpu else "",
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": os.uname().release,
        "load": os.getloadavg()[0],
    }


def rounded(value: Optional[float]) -> Optional[float]:
    return None if value is None else float(f"{value:.4g}")


def over(a: Optional[float], b: Optional[float]) -> Optional[float]:
    return None if a is None or not b else a / b


def batches_per_s(name: str, run: Dict[str, Any]) -> Optional[float]:
    """Of `planned` since its start. Of others since their caches are warm."""
    times: List[float] = run.get("times", [])
    if not times:
        return None
    if name == "planned":
        return len(times) / times[-1]
    cold = [time for time in times if time <= times[-1] * WARM_UP]
    begin = cold[-1] if cold else 0.0
    return (len(times) - len(cold)) / (times[-1] - begin)


def own_bound(run: Dict[str, Any]) -> Optional[int]:
    """The fewest bytes of the loader's own plan: rows that were not in memory once, and where they were packed,
    one pass over the file."""
    more = run.get("more", {})
    rows = more.get("disk_row_bytes")
    return rows + (more["disk_read_bytes"] if more["disk_packed_bytes"] else 0) if rows else None


class Results:
    """Runs by contestant and budget, which is None for one without a limit."""

    def __init__(self, names: List[str], data: Dataset, budgets: List[int]) -> None:
        self._names = names
        self._data = data
        self._budgets = budgets
        self._runs: Dict[Tuple[str, Optional[int]], Dict[str, Any]] = {}
        self._sums: List[int] = []
        self.disk: Dict[str, Any] = {}
        self.bounds: Dict[str, Any] = {}
        self.limits: Dict[int, int] = {}
        self._bytes: Optional[int] = None

    def know_dataset(self) -> None:
        self._bytes = self._data.bytes()
        self.limits = {budget: self._bytes * budget // 100 for budget in self._budgets}

    def add(self, name: str, budget: Optional[int], run: Dict[str, Any]) -> None:
        self._compare_rows(name, run)
        self._runs[name, budget] = run
        rate = batches_per_s(name, run)
        figures = f"{rate:.3f} batches/s" if rate is not None else run["reason"]
        at = "" if budget is None else f" at {budget} %"
        print(f"{name}{at}: {figures}", flush=True)

    def _compare_rows(self, name: str, run: Dict[str, Any]) -> None:
        """The first batches have the same rows, whichever contestant loads them; PyG samples others."""
        sums = run.get("sums", [])
        if name == "pyg_memmap" or not sums:
            return
        common = min(len(sums), len(self._sums))
        if sums[:common] != self._sums[:common]:
            run.pop("times")
            run["reason"] = "its batches have other rows than those of the contestants before it"
            return
        self._sums = max(self._sums, sums, key=len)

    def _run(self, name: str, budget: Optional[int]) -> Dict[str, Any]:
        reason = "not measured" if name in self._names else "not among --only"
        return self._runs.get((name, budget), {"reason": reason})

    def runs(self) -> Dict[str, Any]:
        return {f"{name}-{budget}": run for (name, budget), run in self._runs.items()}

    def print_conditions(self) -> None:
        print(
            f"dataset: {(self._bytes or 0) / 1e9:.2f} GB, {self._data.nodes} nodes; an epoch: "
            f"{self.bounds['batches']} batches, {self.bounds['rows'] / self.bounds['batches']:.0f} "
            f"rows each, {self.bounds['distinct_rows']} distinct",
            flush=True,
        )

    def _of_contestant(self, name: str, budget: Optional[int]) -> Dict[str, Any]:
        run = self._run(name, budget)
        times = run.get("times", [])
        return {
            "batches_per_s": rounded(batches_per_s(name, run)),
            "first_batch_s": rounded(times[0]) if times else None,
            "batches": len(times) or None,
            "seconds": rounded(times[-1]) if times else None,
            "epoch_s": rounded(times[-1]) if times and run["complete"] else None,
            "later_epoch_s": rounded(run.get("more", {}).get("later_epoch_s")) if times else None,
            "peak_bytes": run.get("peak_bytes"),
            "peak_anonymous_bytes": run.get("peak_anonymous_bytes"),
            "read_bytes": run.get("read_bytes") if times else None,
            "write_bytes": run.get("write_bytes") if times else None,
            **({"why_missing": run["reason"]} if not times else {}),
            **({"more": run["more"]} if times else {}),
        }

    def _of_budget(self, budget: int) -> Dict[str, Any]:
        contestants = {
            name: self._of_contestant(name, budget)
            for name in ("planned", *PEERS)
            if name in self._names
        }
        planned = self._of_contestant("planned", budget)
        rate, epoch = planned["batches_per_s"], planned["epoch_s"]
        limit = self.limits.get(budget)
        bound = self.bounds.get("bound_bytes", {}).get(str(limit))
        moved = None if epoch is None else planned["read_bytes"] + planned["write_bytes"]
        own = own_bound(self._run("planned", budget))
        ideal = over(own, self.disk.get("bytes_per_s"))
        memory = batches_per_s("in_memory", self._run("in_memory", None))
        ratios = {
            "vs_disk": over(ideal, epoch),
            "bytes_vs_bound": over(moved, own),
            "bytes_vs_fewest": over(moved, bound),
            **{
                f"vs_{name}": over(rate, batches_per_s(name, self._run(name, budget)))
                for name in PEERS
            },
            "vs_memory": over(rate, memory),
        }
        return {
            "limit_bytes": limit,
            "bound_bytes": own,
            "fewest_bytes": bound,
            **{name: rounded(value) for name, value in ratios.items()},
            "first_batch_s": planned["first_batch_s"],
            "peak_bytes": planned["peak_bytes"],
            "contestants": contestants,
        }

    def why_missing(self) -> List[str]:
        """A line for each contestant without a result, and for an epoch that did not end."""
        lines = []
        for name in ("in_memory", "planned", *PEERS):
            for budget in self._budgets if name != "in_memory" else [None]:
                at = name if budget is None else f"{name} at {budget} %"
                run = self._run(name, budget)
                if not run.get("times"):
                    lines.append(f"{at}: {run['reason']}")
                elif name == "planned" and not run["complete"]:
                    lines.append(f"{at}: the epoch did not end in time: no vs_disk, bytes_vs_bound")
        return lines

    def print_table(self) -> None:
        header = f"{'contestant':14}{'memory':>9}{'batches/s':>11}{'first s':>9}{'batches':>9}"
        header += (
            f"{'epoch s':>9}{'later s':>9}{'peak MB':>9}{'anon MB':>9}{'read GB':>9}{'write GB':>9}"
        )
        print("\n" + header)
        for (name, budget), run in self._runs.items():
            row = self._of_contestant(name, budget)
            cells = [
                number(row["batches_per_s"], 1, 3, 11),
                number(row["first_batch_s"], 1, 2, 9),
                number(row["batches"], 1, 0, 9),
                number(row["epoch_s"], 1, 1, 9),
                number(row["later_epoch_s"], 1, 1, 9),
                number(row["peak_bytes"], 1e-6, 0, 9),
                number(row["peak_anonymous_bytes"], 1e-6, 0, 9),
                number(row["read_bytes"], 1e-9, 2, 9),
                number(row["write_bytes"], 1e-9, 2, 9),
            ]
            memory = "no limit" if budget is None else f"{budget} %"
            print(f"{name:14}{memory:>9}" + "".join(cells))
        names = [
            "vs_disk",
            "bytes_vs_bound",
            "bytes_vs_fewest",
            *[f"vs_{name}" for name in PEERS],
            "vs_memory",
        ]
        print("\nplanned" + "".join(f"{name:>16}" for name in names))
        for budget in self._budgets:
            row = self._of_budget(budget)
            cells = [number(row[name], 1, 3, 16) for name in names]
            print(f"{f'{budget} %':>7}" + "".join(cells))
        print()
        for line in self.why_missing():
            print(f"missing: {line}")

    def json(self, of_machine: Dict[str, Any]) -> Dict[str, Any]:
        budgets = {str(budget): self._of_budget(budget) for budget in self._budgets}
        epoch = {key: self.bounds.get(key) for key in ("batches", "rows", "distinct_rows")}
        return {
            "bench": "disk",
            "vs_memory_50": budgets.get("50", {}).get("vs_memory"),
            "budgets": budgets,
            "in_memory": self._of_contestant("in_memory", None),
            "disk": {key: self.disk.get(key) for key in ("bytes_per_s", "random_4k_per_s")},
            "dataset": {"bytes": self._bytes, "nodes": self._data.nodes, **epoch},
            "machine": of_machine,
        }


def number(value: Optional[float], scale: float, digits: int, width: int) -> str:
    return f"{MISSING:>{width}}" if value is None else f"{value * scale:{width}.{digits}f}"
