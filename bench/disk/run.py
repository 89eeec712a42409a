"""Measures loading of mini-batches whose features do not fit into memory.

    python bench/disk/run.py --gls TOOL --programs FOLDER --data FOLDER

Each contestant runs in a process of its own, within a limit of memory that is a part of the dataset's
bytes (--budgets), with a cold page cache. All load the same epoch: batches of 256 seeds, fanouts
15,10,5, shuffled.

  planned     the loader with storage.way=planned: a whole epoch
  mapped      the loader with storage.way=mapped
  row_reads   GraphBolt's way: a cache of rows, and one direct read for each missed row
  pyg_memmap  PyG's NeighborLoader over a numpy.memmap, if --peers-python has it; its batches are others
  in_memory   the loader without a limit, from a warm page cache

All but `planned` stop after --minutes. They begin with warm caches, as full as the limit lets: of pages, or
of rows that batches before these would have left. A quarter of their time is not counted, either.
The first run makes the dataset, for which --data needs room for three times its size.

  vs_disk         the least time of the disk, for the bytes that any loader must read, over the time taken
  bytes_vs_bound  bytes read and written over those bytes; see bench/disk/disk_bound.cc
  vs_NAME         batches per second over those of another contestant; vs_memory: over in_memory's
  first_batch_s   until the first batch, from opening the dataset on
  later_epoch_s   of `planned`: its second epoch, which begins with the rows that the first one left

It needs root: to drop the page cache, and to limit memory by control groups. The last line is JSON. A
figure that is missing is null there, and a line above it says why.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from dataset import Dataset, export_for_pyg
from memory_group import last_object, run_in_group, why_not
from report import Results, machine

HERE = Path(__file__).resolve().parent
CONTESTANTS = ("in_memory", "planned", "mapped", "row_reads", "pyg_memmap")
# What the limit leaves for the interpreter and the pages of files, in percent.
MEMORY_PERCENT = 85
# Beyond the cache and the topology, what a process with a cache of rows takes.
OVERHEAD = 64 << 20


class Run:
    def __init__(self, given: argparse.Namespace, data: Dataset, results: Results) -> None:
        self._given = given
        self._data = data
        self._results = results
        self._seconds = given.minutes * 60

    def _program(self, name: str, *words: str) -> Dict[str, Any]:
        command = [str(Path(self._given.programs) / f"bench_{name}"), *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        print("\n".join(done.stdout.splitlines()[:-1]), flush=True)
        return last_object(done.stdout)

    def disk(self) -> None:
        """The disk's rates: the better of those before and after the contestants."""
        print("the disk, past the page cache:")
        for key, value in self._program("disk_rate", str(self._data.features)).items():
            self._results.disk[key] = max(value, self._results.disk.get(key, 0))

    def bounds(self) -> Dict[str, Any]:
        """The fewest bytes to read, by limit. They depend on the dataset alone, so they are kept."""
        limits = [str(limit) for limit in self._results.limits.values()]
        kept = self._data.kept(f"bound-{self._data.batches}-{'-'.join(limits)}.json")
        if not kept.exists():
            memory = [word for limit in limits for word in ("--memory", limit)]
            found = self._program("disk_bound", *self._epoch(), *memory)
            kept.write_text(json.dumps(found))
        found = json.loads(kept.read_text())
        return found

    def _epoch(self) -> List[str]:
        return ["--dataset", str(self._data.folder), "--seeds", str(self._data.seeds)]

    def _loader(self, way: str, memory: Optional[int], seconds: float) -> List[str]:
        words = [self._given.python, str(HERE / "loader.py"), *self._epoch()]
        words += ["--seconds", str(seconds)]
        if not self._given.no_settings:
            words += ["--way", way, "--folder", str(self._data.parent)]
            if memory is not None:
                words += ["--memory", str(memory)]
        return words

    def _measure(self, name: str, budget: Optional[int]) -> Dict[str, Any]:
        limit = None if budget is None else self._results.limits[budget]
        memory = None if limit is None else limit * MEMORY_PERCENT // 100
        # A process notices its end after a batch.
        most = self._seconds * 2 + 300

        def run(command: List[str], most: float = most) -> Dict[str, Any]:
            return run_in_group(name, command, limit, most, cold=limit is not None)

        # Rows that fit beside the topology.
        rows = 0
        if memory is not None:
            rows = max(memory - self._data.topology_bytes() - OVERHEAD, memory // 4)

        if name == "in_memory":
            if not self._data.warm():
                return {"reason": "the machine's memory has no room for the dataset"}
            return run(self._loader("mapped", None, self._seconds))
        if name == "planned":
            longest = self._given.most_minutes * 60
            words = [*self._loader("planned", memory, longest), "--later-epoch"]
            return run(words, 2 * longest + 300)
        if name == "mapped":
            return run(self._data.after_reading(rows, self._loader("mapped", None, self._seconds)))
        if name == "row_reads":
            program = str(Path(self._given.programs) / "bench_row_reads")
            words = ["--memory", str(rows), "--seconds", str(self._seconds)]
            return run([program, *self._epoch(), *words])
        python = self._given.peers_python
        if python is None:
            return {"reason": "no interpreter with PyG: --peers-python"}
        arrays = export_for_pyg(self._data, self._given.python)
        command = [python, str(HERE / "pyg_memmap.py"), "--arrays", str(arrays)]
        command += ["--seeds", str(self._data.seeds), "--seconds", str(self._seconds)]
        return run(self._data.after_reading(rows, command))

    def measure(self, name: str, budget: Optional[int]) -> None:
        self._results.add(name, budget, self._measure(name, budget))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gls", required=True, help="the gls command")
    parser.add_argument("--programs", required=True, help="folder with bench_row_reads and others")
    parser.add_argument(
        "--data", required=True, help="folder for the dataset, on the disk to measure"
    )
    parser.add_argument("--python", default=sys.executable, help="interpreter with gls")
    parser.add_argument("--peers-python", help="interpreter with PyG, of scripts/peers_venv.sh")
    parser.add_argument("--gigabytes", type=float, default=10, help="of features; default 10")
    parser.add_argument("--batches", type=int, help="of the epoch; default 200 for each gigabyte")
    parser.add_argument(
        "--budgets", default="10,25,50", help="percent of the dataset's bytes; default 10,25,50"
    )
    parser.add_argument("--minutes", type=float, default=1, help="for each contestant; default 1")
    parser.add_argument(
        "--most-minutes", type=float, default=15, help="for a whole epoch, at most; default 15"
    )
    parser.add_argument("--only", default="*", help="contestants, as comma-separated patterns")
    parser.add_argument("--output", help="file for all figures, as JSON")
    parser.add_argument(
        "--no-settings",
        action="store_true",
        help="leave storage.* as they are, in planned and mapped",
    )
    given = parser.parse_args()
    given.budgets = [int(part) for part in given.budgets.split(",")]
    if any(not 0 < budget <= 100 for budget in given.budgets):
        parser.error("--budgets: expected percentages from 1 to 100")
    for name in ("gigabytes", "minutes", "most_minutes"):
        if not 0 < getattr(given, name) < float("inf"):
            parser.error(f"--{name.replace('_', '-')}: expected more than 0")
    if given.batches is not None and given.batches < 2:
        parser.error("--batches: expected 2 or more")
    patterns = given.only.split(",")
    given.names = [
        name
        for name in CONTESTANTS
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ]
    if not given.names:
        parser.error(f"--only: expected some of {', '.join(CONTESTANTS)}")
    return given


def interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def until_interrupted(steps: Callable[[], None]) -> None:
    """SIGINT and SIGTERM end the steps, and leave what was measured."""
    signal.signal(signal.SIGTERM, interrupt)
    try:
        steps()
    except KeyboardInterrupt:
        print("stopped: these are the results until then", flush=True)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"bench disk: {Path(error.cmd[0]).name} ended with {error.returncode}")


def main() -> None:
    given = parse_arguments()
    reason = why_not()
    if reason is not None:
        raise SystemExit(f"bench disk: {reason}")
    data = Dataset(Path(given.data), given.gigabytes, given.batches)
    results = Results(given.names, data, given.budgets)

    def steps() -> None:
        data.make(given.gls, given.python)
        results.know_dataset()
        run = Run(given, data, results)
        run.disk()
        results.bounds = run.bounds()
        results.print_conditions()
        if "in_memory" in given.names:
            run.measure("in_memory", None)
        for budget in given.budgets:
            for name in given.names:
                if name != "in_memory":
                    run.measure(name, budget)
        run.disk()

    until_interrupted(steps)
    results.print_table()
    whole = results.json(machine())
    if given.output:
        Path(given.output).write_text(json.dumps({**whole, "runs": results.runs()}, indent=1))
    print(json.dumps(whole), flush=True)


if __name__ == "__main__":
    main()
