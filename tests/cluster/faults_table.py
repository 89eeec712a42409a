"""Measures the faults of faults.py, as a table of Markdown: that of docs/reliability.md.

    GLS_TOOL=build/release/tools/gls python tests/cluster/faults_table.py --runs 5

Settings are those that nobody changed, unless options say otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import List

from cluster import MACHINES, Cluster
from expected import Expected
from faults import FAULTS, Fault, Outcome, Scene
from graph import cut, write_graph
from machines import Machines
from security import Certificates, Key, Security

ROWS = [name for name, fault in FAULTS.items() if fault.in_table]


def span(values: List[float]) -> str:
    """The least and the most, in seconds."""
    least, most = min(values), max(values)
    if most < 0.1:
        return f"{1000 * least:.0f} – {1000 * most:.0f} ms"
    return f"{least:.2f} – {most:.2f} s"


def row(fault: Fault, outcomes: List[Outcome]) -> str:
    noticed = span([outcome.noticed_s for outcome in outcomes])
    if fault.fatal:
        came = span([outcome.error_s or 0 for outcome in outcomes])
        return f"| {fault.what} | {noticed} | an error after {came} | {fault.lost} |"
    waited = span([outcome.longest_wait_s for outcome in outcomes])
    return f"| {fault.what} | {noticed} | {waited} | {fault.lost} |"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures what comes of faults.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peer-timeout-ms", type=int, default=5000)
    parser.add_argument("--request-timeout-ms", type=int, default=30000)
    parser.add_argument("--only", nargs="*", choices=list(FAULTS), default=ROWS)
    given = parser.parse_args()
    settings = {
        "net.peer_timeout_ms": given.peer_timeout_ms,
        "cluster.request_timeout_ms": given.request_timeout_ms,
    }
    print("| fault | noticed after | longest wait for a batch | what is lost |")
    print("| --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as name, Machines(MACHINES) as machines:
        folder = Path(name)
        write_graph(folder)
        expected = Expected(folder)
        ways = {
            "plain": Security(),
            "key": Key(folder / "key"),
            "certificates": Certificates(folder / "certificates"),
        }

        def make(security: str, **values: object) -> Cluster:
            named = {name.replace("__", "."): value for name, value in values.items()}
            return Cluster(machines, folder, ways[security], {**settings, **named})

        for fault in (FAULTS[only] for only in given.only):
            outcomes = []
            for _ in range(given.runs):
                with fault.under.over.cluster(make) as cluster:
                    parts = cut(folder, fault.under.parts)
                    outcome = fault.run(Scene(cluster, parts, fault.under))
                for client in outcome.clients:
                    assert client.batches == expected.of(client.job), outcome
                outcomes.append(outcome)
            print(row(fault, outcomes), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
