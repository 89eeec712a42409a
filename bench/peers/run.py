"""Measures GLS against its peers, all on the same graph, in rounds A B C ... A B C ...

    python bench/peers/run.py --graph FOLDER --level sampler
    python bench/peers/run.py --graph FOLDER --level loader --python DIR/a/bin/python
    python bench/peers/run.py --graph FOLDER --level sampler --processes 2

FOLDER holds a graph in CSC form: indptr.npy (int64), indices.npy (int32), and for the levels
"loader" and "gather" x.npy (float32, one row per node) and y.npy (int64).

Levels:
  sampler  the contestant's C++ operator, called from Python with prepared tensors. A batch of
           [15, 10, 5] has some 10^5 to 10^6 edges, so the few Python calls per batch are noise.
           One thread, unless --processes asks for more, each with its own batches.
  loader   the contestant's loader with features and labels fetched, with 0, 1 and 2 workers.
  methods  ways of sampling other than plain neighbours, each library's operators; see methods.py
  gather   torch.index_select of the feature rows of sampled batches, as a reference.

All contestants that run under one interpreter share one process and one copy of the graph. Peers
that cannot share a version of torch are given by several --python: one process for each, of which
only one works at a time, so rounds stay interleaved. A contestant is taken from the first
interpreter that has it. A peer that is not there is listed with the reason.

The program ends within --minutes, which the contestants of a round share. Waiting for a quiet machine,
and repeated tries, use the share of their contestant alone. No round begins that would not end in time.
Results are printed after each round. A signal (SIGINT, SIGTERM), or the end of the time, stops the
program: it then prints the results so far, and names each contestant without one. Of the level "loader"
only the forms with the most workers are measured by default, --only names others.

Each contestant's edges are its own: see "semantics" in the output for how batches differ. Ratios
are medians of the ratios within one round, of edges per second. A round begins when other processes
use at most --quiet of one core, or after --wait seconds; one during which they used more is
repeated, up to --retries times, and the quietest counts. "M/cpu-s" is edges per second of processor
time, and "r/cpu" the ratio of it: where processes compete for cores they tell more than wall time.

--output takes everything as JSON. The last line of the output is the ratios that matter, as JSON (see
brief.py).
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from typing import Any, Dict, List, Optional

from brief import brief
from catalogue import all_contestants
from contestant import Options
from graph import Graph, parse_fanouts
from machine import describe, wait_until_quiet
from report import print_ratios, print_round, print_table, print_ways

# Contestants that are measured unless --only names others, by level.
DEFAULT_ONLY = {"loader": "*-w2,gls-loader-w1,*/*"}

# No round is planned beyond this part of --minutes, and at the other part what still runs is stopped.
PLANNED, STOPPED = 0.9, 0.97

HERE = os.path.dirname(os.path.abspath(__file__))


def significant(value: float) -> float:
    return float(f"{value:.5g}")


class Process:
    """A worker under one interpreter."""

    def __init__(self, python: str, config: Dict[str, Any]) -> None:
        environment = dict(os.environ, DGLBACKEND="pytorch", PYTHONDONTWRITEBYTECODE="1")
        if config["torch_threads"] > 0:
            environment["OMP_NUM_THREADS"] = str(config["torch_threads"])
        command = [python, os.path.join(HERE, "worker.py"), json.dumps(config)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
            start_new_session=True,  # a signal from the terminal is for this program alone
        )

    def tell(self, **command: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"a worker ended with status {self._process.wait()}")
        return json.loads(line)

    def ask(self, **command: Any) -> Dict[str, Any]:
        self.tell(**command)
        return self.answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self.stop()

    def stop(self) -> None:
        """Ends it in the middle of a round, with the worker processes of its loaders."""
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, signal_number)
                self._process.wait(1)
                return
            except ProcessLookupError:  # it ended by itself
                self._process.wait()
                return
            except subprocess.TimeoutExpired:
                pass


class Entry:
    """A contestant that runs: where, and what it reached."""

    def __init__(self, name: str, processes: List[Process], opened: Dict[str, Any]) -> None:
        self.name = name
        self.processes = processes
        self.versions: Dict[str, str] = opened["versions"]
        self.semantics: str = opened["semantics"]
        self.seconds: Optional[float] = opened["seconds"]
        self.rounds: List[Dict[str, float]] = []
        self.failure: Optional[str] = None

    def run(self, number: int, options: argparse.Namespace) -> Optional[Dict[str, float]]:
        seconds = options.seconds if self.seconds is None else min(self.seconds, options.seconds)
        seconds = min(seconds, max(0.25, options.share_end - time.monotonic()))
        for process in self.processes:
            process.tell(
                do="round",
                name=self.name,
                number=number,
                seconds=min(seconds, 0.5) if number == 0 else seconds,
                least=1 if number == 0 else options.least,
            )
        parts = [process.answer() for process in self.processes]
        for part in parts:
            if not part["ok"]:
                self.failure = part["reason"]
                return None
        longest = max(part["seconds"] for part in parts)
        edges, nodes, batches, cpu = (
            sum(part[key] for part in parts) for key in ("edges", "nodes", "batches", "cpu")
        )
        other = max(0.0, max(part["busy"] for part in parts) - cpu)
        return {
            "edges_per_s": sum(part["edges"] / part["seconds"] for part in parts),
            "batches_per_s": sum(part["batches"] / part["seconds"] for part in parts),
            "edges_per_batch": edges / batches,
            "nodes_per_batch": nodes / batches,
            "edges_per_cpu_s": edges / max(cpu, 1e-9),
            "cores": sum(part["cpu"] / part["seconds"] for part in parts),
            "other_cores": other / longest,
            "stolen_cores": max(part["steal"] for part in parts) / longest,
            **parts[0]["details"],
        }

    def quiet_run(self, number: int, options: argparse.Namespace) -> Optional[Dict[str, float]]:
        """The quietest of the tries; the first one that is quiet enough ends them."""
        best: Optional[Dict[str, float]] = None
        longest = 0.0
        for attempt in range(1 + options.retries):
            begin = time.monotonic()
            if attempt > 0 and begin + longest > options.share_end:
                break
            spare = options.share_end - begin - options.seconds
            wait_until_quiet(options.quiet, max(0.0, min(options.wait, spare)))
            result = self.run(number, options)
            longest = max(longest, time.monotonic() - begin)
            if result is None:
                return None
            if best is None or result["other_cores"] < best["other_cores"]:
                best = result
            if best["other_cores"] <= options.quiet:
                break
        return best

    def summary(self) -> Dict[str, Any]:
        rates = [result["edges_per_s"] for result in self.rounds]
        medians = {
            key: significant(statistics.median(result[key] for result in self.rounds))
            for key in self.rounds[0]
        }
        return {
            **medians,
            "edges_per_s_min": significant(min(rates)),
            "edges_per_s_max": significant(max(rates)),
            "rounds": len(rates),
            "versions": self.versions,
            "semantics": self.semantics,
        }


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graph", required=True, help="folder with indptr.npy and indices.npy")
    parser.add_argument(
        "--level", choices=("sampler", "methods", "loader", "gather"), default="sampler"
    )
    parser.add_argument("--python", action="append", help="interpreter; may be repeated")
    parser.add_argument(
        "--only",
        help="contestants, as comma-separated patterns; default '*', of loaders "
        + DEFAULT_ONLY["loader"],
    )
    parser.add_argument("--baseline", help="contestant of the last ratio column")
    parser.add_argument(
        "--rounds", type=int, default=7, help="at most; each measures all contestants once"
    )
    parser.add_argument(
        "--minutes", type=float, default=5, help="for all of it, shared among the contestants"
    )
    parser.add_argument("--seconds", type=float, help="per round; default 1, loader 4")
    parser.add_argument("--least", type=int, help="batches per round; default 2, loader 8")
    parser.add_argument("--processes", type=int, default=1, help="each with its own batches")
    parser.add_argument("--torch-threads", type=int, help="default 1, loader 0 (torch's own)")
    parser.add_argument("--pages", choices=("huge", "ordinary"), default="huge")
    parser.add_argument("--fanouts", type=parse_fanouts, default=[15, 10, 5])
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--inputs", type=int, default=200000, help="loader: nodes in an epoch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quiet", type=float, default=0.15, help="cores others may use")
    parser.add_argument("--retries", type=int, default=3, help="of a round that was not quiet")
    parser.add_argument("--output", help="file for all figures, as JSON")
    parser.add_argument("--name", help="of the last line; default the level")
    parser.add_argument("--wait", type=float, default=5, help="seconds for quiet, before a round")
    options = parser.parse_args()
    loader = options.level == "loader"
    if options.seconds is None:
        options.seconds = 4.0 if loader else 1.0
    if options.least is None:
        options.least = 8 if loader else 2
    if options.only is None:
        options.only = DEFAULT_ONLY.get(options.level, "*")
    if options.rounds < 1:
        parser.error(f"--rounds is {options.rounds}, expected 1 or more")
    if not 0 < options.minutes < float("inf"):
        parser.error(f"--minutes is {options.minutes:g}, expected more than 0")
    if options.torch_threads is None:
        options.torch_threads = 0 if loader else 1
    if loader and options.processes != 1:
        parser.error("loaders bring their own workers: --processes must be 1")
    return options


def wanted(options: argparse.Namespace) -> List[str]:
    patterns = options.only.split(",")
    return [
        contestant.name
        for contestant in all_contestants(Options())
        if contestant.level == options.level
        and any(fnmatch.fnmatchcase(contestant.name, pattern) for pattern in patterns)
    ]


def open_all(
    names: List[str], groups: List[List[Process]], unavailable: Dict[str, str]
) -> List[Entry]:
    entries = []
    for name in names:
        reasons: List[str] = []
        for group in groups:
            opened = [process.ask(do="open", name=name) for process in group]
            failed = [part["reason"] for part in opened if not part["ok"]]
            if not failed:
                entries.append(Entry(name, group, opened[0]))
                break
            if failed[0] not in reasons:
                reasons.append(failed[0])
        else:
            unavailable[name] = "; ".join(reasons)
        print(f"  {name}: {'ok' if name not in unavailable else unavailable[name]}", flush=True)
    return entries


def run_rounds(
    entries: List[Entry], options: argparse.Namespace, unavailable: Dict[str, str]
) -> List[Entry]:
    """Round 0 warms up and is not counted. A contestant that fails is out, with its reason. Ends early
    when the time is up or a signal comes."""
    try:
        for number in range(options.rounds + 1):
            print(f"round {number} of {options.rounds}", file=sys.stderr, flush=True)
            begin = time.monotonic()
            running = [entry for entry in entries if entry.failure is None]
            for index, entry in enumerate(running):
                now = time.monotonic()
                options.share_end = now + max(0.0, options.end - now) / (len(running) - index)
                result = (
                    entry.run(number, options) if number == 0 else entry.quiet_run(number, options)
                )
                if result is not None and number > 0:
                    entry.rounds.append(result)
            if number > 0:
                print_round(number, measured(entries), options.level)
                now = time.monotonic()
                if number < options.rounds and now + (now - begin) > options.end:
                    print(f"{number} of {options.rounds} rounds: --minutes is {options.minutes:g}")
                    break
    except KeyboardInterrupt as reason:
        options.stopped = True
        print(f"{why_stopped(reason, options)}: these are the rounds until then", flush=True)
    return with_rounds(entries, unavailable)


def with_rounds(entries: List[Entry], unavailable: Dict[str, str]) -> List[Entry]:
    """The contestants that have a result. The others are unavailable, each with its reason."""
    for entry in entries:
        if entry.failure is not None:
            unavailable[entry.name] = entry.failure
        elif not entry.rounds:
            unavailable[entry.name] = "stopped before the end of its first round"
    return [entry for entry in entries if entry.failure is None and entry.rounds]


def measured(entries: List[Entry]) -> Dict[str, Any]:
    """The result so far, of those that have one."""
    known = [entry for entry in entries if entry.failure is None and entry.rounds]
    return {
        "ratios": ratios(known, "edges_per_s"),
        "contestants": {entry.name: entry.summary() for entry in known},
    }


class TimeIsUp(KeyboardInterrupt):
    """The end of --minutes."""


def stop(number: int = signal.SIGINT) -> None:
    raise TimeIsUp if number == signal.SIGALRM else KeyboardInterrupt


def stop_once(number: int, _: Any) -> None:
    """A shell and its terminal may both send a signal: the second one must not end the printing."""
    on_signals(signal.SIG_IGN)
    stop(number)


def why_stopped(reason: KeyboardInterrupt, options: argparse.Namespace) -> str:
    if isinstance(reason, TimeIsUp):
        return f"the time is up (--minutes is {options.minutes:g})"
    return "stopped"


def on_signals(action: Any) -> None:
    """What a signal does that stops the program. The shell may have told it to ignore SIGINT."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, action)


def ratios(entries: List[Entry], key: str) -> Dict[str, Dict[str, float]]:
    """ratio[a][b]: median over the rounds of a's rate over b's."""
    table: Dict[str, Dict[str, float]] = {}
    for one in entries:
        table[one.name] = {
            other.name: significant(
                statistics.median(a[key] / b[key] for a, b in zip(one.rounds, other.rounds))
            )
            for other in entries
        }
    return table


def start_workers(options: argparse.Namespace, groups: List[List[Process]]) -> None:
    """Adds a group of workers for each interpreter, each worker as soon as it runs."""
    for python in options.python or [sys.executable]:
        group: List[Process] = []
        groups.append(group)
        for index in range(options.processes):
            config = {
                "graph": os.path.abspath(options.graph),
                "huge_pages": options.pages == "huge",
                "num_inputs": options.inputs,
                "fanouts": options.fanouts,
                "batch_size": options.batch_size,
                "seed": options.seed,
                "torch_threads": options.torch_threads,
                "process": index,
            }
            group.append(Process(python, config))


def stop_workers(groups: List[List[Process]]) -> None:
    for group in groups:
        for process in group:
            process.stop()


def ask_memory(process: Process) -> Any:
    return process.ask(do="memory")["huge_page_bytes"]


def main() -> None:
    options = parse_arguments()
    options.end = time.monotonic() + 60 * options.minutes * PLANNED
    options.stopped = False
    graph_info: Dict[str, Any] = {}
    groups: List[List[Process]] = []
    opened: List[Entry] = []
    unavailable: Dict[str, str] = {}
    memory: List[Any] = []
    try:
        on_signals(stop_once)
        signal.setitimer(signal.ITIMER_REAL, 60 * options.minutes * STOPPED)
        graph_info = Graph(options.graph, options.pages == "huge", 0).info()
        start_workers(options, groups)
        print("contestants:", flush=True)
        opened = open_all(wanted(options), groups, unavailable)
        run_rounds(opened, options, unavailable)
        if not options.stopped:
            # A signal, or the end of the time, also ends the wait for these answers.
            memory = [ask_memory(process) for group in groups for process in group]
        on_signals(signal.SIG_IGN)  # the rest takes seconds, and has the results
    except KeyboardInterrupt as reason:  # signals are ignored from here on
        options.stopped = True
        if not any(entry.rounds for entry in opened):
            stop_workers(groups)
            raise SystemExit(f"{why_stopped(reason, options)} before the first round")
        print(f"{why_stopped(reason, options)} after the last round", flush=True)
    entries = with_rounds(opened, unavailable)
    if options.stopped:
        stop_workers(groups)
    else:
        for group in groups:
            for process in group:
                process.close()

    summaries = {entry.name: entry.summary() for entry in entries}
    ratio_table = ratios(entries, "edges_per_s")
    cpu_ratio_table = ratios(entries, "edges_per_cpu_s")
    baseline = options.baseline or (entries[0].name if entries else None)
    print_table(graph_info, options, summaries, ratio_table, cpu_ratio_table, baseline)
    if options.level == "methods":
        print_ways("edges/s", ratio_table)
        print_ways("edges per cpu-second", cpu_ratio_table)
    else:
        print_ratios("edges/s", ratio_table)
        print_ratios("edges per cpu-second", cpu_ratio_table)
    for name, reason in unavailable.items():
        print(f"not measured: {name}: {reason}")
    result = {
        "bench": "peers",
        "level": options.level,
        "graph": graph_info,
        "machine": describe(),
        "fanouts": options.fanouts,
        "batch_size": options.batch_size,
        "processes": options.processes,
        "torch_threads": options.torch_threads,
        "pages": options.pages,
        "stopped": options.stopped,
        "huge_page_bytes": memory,
        "baseline": baseline,
        "contestants": summaries,
        "ratios": ratio_table,
        "cpu_ratios": cpu_ratio_table,
        "unavailable": unavailable,
    }
    result["brief"] = brief(result)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as out:
            json.dump(result, out, indent=1)
    print(json.dumps({"bench": options.name or options.level, "ratios": result["brief"]}))


if __name__ == "__main__":
    main()
