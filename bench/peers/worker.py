"""A process that holds contestants and runs a round of one of them when told so.

Commands come as JSON lines on standard input, answers go as JSON lines to the original standard
output; what the peers print goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from typing import Any, Dict, List

from catalogue import all_contestants
from contestant import Contestant, Options, Unavailable
from graph import Graph, huge_page_bytes
from machine import machine_seconds, tree_seconds

# Seeds of different rounds and processes must not overlap more than chance makes them.
BATCHES_PER_ROUND = 97
BATCHES_PER_PROCESS = 1201


def measure(contestant: Contestant, first_batch: int, seconds: float, least: int) -> Dict[str, Any]:
    contestant.begin_round()
    try:
        edges = nodes = batches = 0
        busy, steal = machine_seconds()
        own = tree_seconds(os.getpid())
        start = time.perf_counter()
        while True:
            batch_edges, batch_nodes = contestant.step(first_batch + batches)
            edges += batch_edges
            nodes += batch_nodes
            batches += 1
            elapsed = time.perf_counter() - start
            if elapsed >= seconds and batches >= least:
                break
        own = tree_seconds(os.getpid()) - own
        busy_after, steal_after = machine_seconds()
    finally:
        contestant.end_round()
    return {
        "seconds": elapsed,
        "batches": batches,
        "edges": edges,
        "nodes": nodes,
        "cpu": own,
        "busy": busy_after - busy,
        "steal": steal_after - steal,
        "details": contestant.details(),
    }


class Worker:
    def __init__(self, config: Dict[str, Any]) -> None:
        options = Options(config["fanouts"], config["batch_size"], config["seed"])
        options.seed += config["process"]
        self._config = config
        self._graph = Graph(config["graph"], config["huge_pages"], config["num_inputs"])
        self._known = {contestant.name: contestant for contestant in all_contestants(options)}

    def open(self, name: str) -> Dict[str, Any]:
        contestant = self._known[name]
        try:
            self._set_torch_threads()
            versions = contestant.versions()
            contestant.setup(self._graph)
        except Unavailable as reason:
            return {"ok": False, "reason": str(reason)}
        except Exception as error:  # a broken peer must not end the others' measurement
            traceback.print_exc()
            return {"ok": False, "reason": f"{type(error).__name__}: {error}"}
        return {
            "ok": True,
            "versions": versions,
            "semantics": contestant.semantics,
            "seconds": contestant.seconds,
        }

    def _set_torch_threads(self) -> None:
        try:
            import torch
        except ImportError:
            return
        if self._config["torch_threads"] > 0:
            torch.set_num_threads(self._config["torch_threads"])

    def round(self, name: str, number: int, seconds: float, least: int) -> Dict[str, Any]:
        first = number * BATCHES_PER_ROUND + self._config["process"] * BATCHES_PER_PROCESS
        try:
            return {"ok": True, **measure(self._known[name], first, seconds, least)}
        except Exception as error:
            traceback.print_exc()
            return {"ok": False, "reason": f"failed while running: {type(error).__name__}: {error}"}

    def memory(self) -> Dict[str, Any]:
        return {"ok": True, "huge_page_bytes": huge_page_bytes()}


def main(arguments: List[str]) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(json.loads(arguments[0]))
    for line in sys.stdin:
        command = json.loads(line)
        answer = getattr(worker, command.pop("do"))(**command)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
