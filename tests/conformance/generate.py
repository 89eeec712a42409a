"""Writes the vector files from the reference, or checks that they are what it gives.

python3 generate.py          writes them
python3 generate.py --check  writes nothing; exit status 1 when a file differs
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Callable

from cases import (
    anchors,
    basic,
    channels,
    codes,
    hgt,
    importance,
    labor,
    links,
    numbers,
    order,
    pad,
    rows,
    seed_sets,
    seeds,
    size,
    time,
    types,
    walks,
)
from graphs import build_graph
from replay import replay

Json = dict[str, Any]

FOLDER = Path(__file__).resolve().parent / "vectors"
CONTRACT = 1

FILES: dict[str, Callable[[], Json]] = {
    "philox.json": lambda: {"graphs": [], "cases": numbers.philox_cases()},
    "pick.json": lambda: {"graphs": [], "cases": numbers.pick_cases()},
    "order.json": lambda: {"graphs": [], "cases": order.order_cases()},
    "plan.json": lambda: {"graphs": [], "cases": order.plan_cases()},
    "seeds.json": seeds.seeds_file,
    "seed_sets.json": seed_sets.seed_sets_file,
    "codes.json": codes.codes_file,
    "pad.json": pad.pad_file,
    "sample_basic.json": basic.basic_file,
    "sample_fanout.json": rows.fanout_file,
    "sample_weight.json": rows.weight_file,
    "sample_exclude.json": types.exclude_file,
    "sample_hetero.json": types.hetero_file,
    "sample_time.json": time.time_file,
    "sample_induced.json": time.induced_file,
    "sample_bidirectional.json": time.bidirectional_file,
    "sample_links.json": links.links_file,
    "sample_star.json": size.star_file,
    "sample_large.json": size.large_file,
    "sample_anchors.json": anchors.anchors_file,
    "sample_walks.json": walks.walks_file,
    "sample_labor.json": labor.labor_file,
    "sample_importance.json": importance.importance_file,
    "sample_ppr.json": importance.ppr_file,
    "sample_channels.json": channels.channels_file,
    "sample_hgt.json": hgt.hgt_file,
}


def with_results(content: Json) -> Json:
    built = {graph["name"]: build_graph(graph) for graph in content["graphs"]}
    names = [case["name"] for case in content["cases"]]
    if len(set(names)) != len(names):
        raise ValueError(f"cases of one name: {sorted(n for n in names if names.count(n) > 1)}")
    cases = [{**case, **replay(case, built)} for case in content["cases"]]
    return {"contract": CONTRACT, "graphs": content["graphs"], "cases": cases}


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def to_text(content: Json) -> str:
    """JSON with one line per field of a graph or case, so that a change is easy to see."""

    def item(fields: Json) -> str:
        lines = [f"{compact(key)}: {compact(value)}" for key, value in fields.items()]
        return "{" + ",\n ".join(lines) + "}"

    def items(values: list[Json]) -> str:
        return "[" + ",\n".join(item(value) for value in values) + "]"

    return (
        f'{{"contract": {content["contract"]},\n'
        f'"graphs": {items(content["graphs"])},\n'
        f'"cases": {items(content["cases"])}}}\n'
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    differing = 0
    for name, make in FILES.items():
        text = to_text(with_results(make()))
        path = FOLDER / name
        if not check:
            path.write_bytes(text.encode("utf-8"))
        elif not path.exists() or path.read_bytes() != text.encode("utf-8"):
            print(f"{name} is not what the reference gives", file=sys.stderr)
            differing += 1
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
