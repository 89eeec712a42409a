"""Tables for people."""

from __future__ import annotations

import argparse
import json
from typing import Any, Dict, Optional

from brief import brief


def print_round(number: int, result: Dict[str, Any], level: str) -> None:
    """What is known after a round, in short: medians of the rounds so far, and the ratios of them."""
    print(f"\nafter round {number}:")
    for name, row in result["contestants"].items():
        print(
            f"  {name:36}{row['batches_per_s']:10.2f} batches/s{row['edges_per_s'] / 1e6:10.2f} M edges/s"
        )
    print(json.dumps({"round": number, "ratios": brief({**result, "level": level})}), flush=True)


def print_table(
    graph: Dict[str, Any],
    options: argparse.Namespace,
    summaries: Dict[str, Dict[str, Any]],
    ratios: Dict[str, Dict[str, float]],
    cpu_ratios: Dict[str, Dict[str, float]],
    baseline: Optional[str],
) -> None:
    print(
        f"\n{graph['name']}: {graph['nodes']:,} nodes, {graph['edges']:,} edges; level "
        f"{options.level}, fanouts {options.fanouts}, batch {options.batch_size}, "
        f"{options.processes} process(es), {options.pages} pages, medians of rounds of "
        f"{options.seconds:g} s"
    )
    print(
        f"{'contestant':32}{'M edges/s':>10}{'min':>8}{'max':>8}{'M/cpu-s':>9}{'batch/s':>9}"
        f"{'edges/b':>9}{'nodes/b':>9}{'cores':>7}{'others':>7}{'ratio':>8}{'r/cpu':>8}"
    )
    for name, row in summaries.items():
        ratio, cpu_ratio = (
            table[name].get(baseline or "", float("nan")) for table in (ratios, cpu_ratios)
        )
        print(
            f"{name:32}{row['edges_per_s'] / 1e6:10.2f}{row['edges_per_s_min'] / 1e6:8.2f}"
            f"{row['edges_per_s_max'] / 1e6:8.2f}{row['edges_per_cpu_s'] / 1e6:9.2f}"
            f"{row['batches_per_s']:9.2f}"
            f"{row['edges_per_batch']:9.0f}{row['nodes_per_batch']:9.0f}{row['cores']:7.2f}"
            f"{row['other_cores']:7.2f}{ratio:8.2f}{cpu_ratio:8.2f}"
        )
    print(f"ratio: edges/s over {baseline}'s\n")
    for name, row in summaries.items():
        versions = ", ".join(f"{package} {version}" for package, version in row["versions"].items())
        print(f"{name}: {row['semantics']} [{versions}]")


def print_ratios(what: str, ratios: Dict[str, Dict[str, float]]) -> None:
    """Row over column."""
    names = list(ratios)
    print(f"\nratios of {what}, row over column:")
    print(" " * 36 + "".join(f"{f'({index})':>8}" for index in range(1, len(names) + 1)))
    for index, name in enumerate(names, start=1):
        cells = "".join(f"{ratios[name][other]:8.2f}" for other in names)
        print(f"({index}){'' if index > 9 else ' '} {name:31}{cells}")
    print()


def print_ways(what: str, ratios: Dict[str, Dict[str, float]]) -> None:
    """Of each way of sampling, what GLS makes of what each peer makes."""
    print(f"\nratios of {what}, GLS over:")
    for name in ratios:
        way, who = name.split("/")
        if who != "gls" and f"{way}/gls" in ratios:
            print(f"  {name:31}{ratios[f'{way}/gls'][name]:8.2f}")
