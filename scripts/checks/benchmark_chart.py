#!/usr/bin/env python3
"""Draws docs/benchmarks.svg from the figures in docs/benchmarks.json.

    scripts/checks/benchmark_chart.py            writes the chart
    scripts/checks/benchmark_chart.py --check    fails if the chart is not up to date

Both fail if a figure of the chart is not in a table of docs/benchmarks.md whose row or head names its peer.
"""

from __future__ import annotations

import json
import math
import re
import sys
from html import escape
from pathlib import Path
from typing import Any, Dict, List, Tuple

DOCS = Path(__file__).resolve().parents[2] / "docs"
FIGURES, PAGE, CHART = (DOCS / f"benchmarks.{suffix}" for suffix in ("json", "md", "svg"))

WIDTH, LEFT, RIGHT = 760, 330, 60  # pixels; bars lie between LEFT and WIDTH - RIGHT
ROW, BAR = 22, 14
TICKS = (1, 2, 5, 10, 20, 50)
COLOURS = ("#2f6db3", "#2f8f5b", "#b3662f")


def position(value: float) -> float:
    """The x of a ratio. The axis is logarithmic, from the first tick to the last one."""
    share = math.log(value / TICKS[0]) / math.log(TICKS[-1] / TICKS[0])
    return LEFT + share * (WIDTH - RIGHT - LEFT)


def draw(figures: Dict[str, Any]) -> str:
    lines: List[str] = []

    def text(x: float, y: float, words: str, style: str = "") -> None:
        lines.append(f'<text x="{x:.1f}" y="{y:.1f}"{style}>{escape(words)}</text>')

    text(16, 28, figures["title"], ' font-size="17" font-weight="bold"')
    text(16, 48, figures["note"], ' fill="#555"')
    y = top = 66.0
    for index, group in enumerate(figures["groups"]):
        colour = COLOURS[index % len(COLOURS)]
        y += 8
        text(16, y + 12, group["name"], ' font-weight="bold"')
        y += ROW
        for bar in group["bars"]:
            end = position(bar["value"])
            text(LEFT - 8, y + 12, f'{bar["label"]} / {bar["peer"]}', ' text-anchor="end"')
            lines.append(
                f'<rect x="{LEFT}" y="{y:.1f}" width="{end - LEFT:.1f}" height="{BAR}" '
                f'fill="{colour}"/>'
            )
            text(end + 6, y + 12, f'{bar["value"]}')
            y += ROW
    axis = []
    for tick in TICKS:
        x = position(tick)
        colour = "#333" if tick == 1 else "#ddd"
        axis.append(f'<path d="M{x:.1f} {top:.1f}V{y:.1f}" stroke="{colour}"/>')
        text(x, y + 18, str(tick), ' text-anchor="middle" fill="#555"')
    height = round(y + 32)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="sans-serif" font-size="13" role="img">'
    )
    background = '<rect width="100%" height="100%" fill="white"/>'
    title = f'<title>{escape(figures["title"])}</title>'
    return "\n".join([opening, title, background, *axis, *lines, "</svg>", ""])


def table_rows() -> List[Tuple[str, str]]:
    """(head, row) of all tables of the page."""
    found: List[Tuple[str, str]] = []
    head = ""
    for line in PAGE.read_text("utf-8").split("\n"):
        if not line.startswith("|"):
            head = ""
        elif not head:
            head = line
        else:
            found.append((head, line))
    return found


def not_on_page(figures: Dict[str, Any]) -> List[str]:
    """The bars whose value is in no table row for their peer."""
    rows = table_rows()
    faults = []
    for bar in (bar for group in figures["groups"] for bar in group["bars"]):
        value = re.compile(rf'(?<![\d.,]){re.escape(str(bar["value"]))}(?!\.?\d)')
        if not any(bar["peer"] in head + row and value.search(row) for head, row in rows):
            faults.append(f'{bar["label"]}: no table row has {bar["value"]} and {bar["peer"]}')
    return faults


def main(arguments: List[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    figures = json.loads(FIGURES.read_text("utf-8"))
    faults = not_on_page(figures)
    chart = draw(figures)
    if not arguments:
        CHART.write_text(chart, "utf-8")
    elif not CHART.exists() or CHART.read_text("utf-8") != chart:
        faults.append(f"{CHART.name} is not up to date: run scripts/checks/benchmark_chart.py")
    for fault in faults:
        print(f"docs/benchmarks: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
