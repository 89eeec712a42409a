"""Makes one table, and one line of JSON, of what the parts of the benchmark of GPUs said.

    python bench/gpu/report.py [--row NAME=TEXT]... PART=LOG...

The last line of a log that is JSON of bench_gpu or train.py counts. A part whose log has none was not run, for
the reason that is the last line of the log; so was one in part whose last line is another. Rows are shown as they are,
before the figures. What the last line here has for a headline of which figures are lacking is null, and what was found
is in `partial`.
"""

import argparse
import datetime
import json
import pathlib
from typing import Any, Dict, List, Optional, Sequence

# By what the parts are judged: the worst of these figures, if all are there. "{}" is each size of batches.
HEADLINES = {
    "sample_vs_limit": (
        "sectors of 32 bytes that sampling takes, against those that a kernel reads at random",
        ("sample_products_{}_vs_limit", "sample_billion_{}_vs_limit"),
    ),
    "gather_vs_limit": (
        "rows gathered, against a kernel that only moves them",
        tuple(f"gather_{64 << i}" for i in range(7)),
    ),
    "zero_copy_vs_limit": (  # of shorter rows no more is asked than to be told
        "rows of the host gathered, against a copy of pinned memory",
        tuple(f"zero_copy_{512 << i}" for i in range(4)),
    ),
    "loader_vs_cpu": ("batches of the GPU, against those of all cores", ("loader_{}_vs_cpu",)),
    "gpu_wait_pct": ("time that the GPU waits for data in training, %", ("gpu_wait_pct",)),
}
FIGURES = {
    "products": "sampling, 124 million edges",
    "billion": "sampling, a billion edges",
    "gather": "rows of 64 to 4096 bytes, of the GPU",
    "zero_copy": "rows of 64 to 4096 bytes, of the host",
    "loader": "loaders",
    "train": "training",
}


def last_json(text: str) -> Optional[Dict[str, Any]]:
    for line in reversed(text.splitlines()):
        if line.startswith('{"bench": "gpu"'):
            return dict(json.loads(line))
    return None


def expected(patterns: Sequence[str], sizes: Sequence[int]) -> List[str]:
    names = [pattern.format(size) for pattern in patterns for size in sizes]
    return list(dict.fromkeys(names))


def worst(name: str, found: Sequence[float]) -> float:
    return max(found) if name.endswith("_pct") else min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART=LOG")
    parser.add_argument("--batch-sizes", nargs="+", type=int, default=[1024, 8192])
    parser.add_argument("--row", action="append", default=[], metavar="NAME=TEXT")
    arguments = parser.parse_args()
    ratios: Dict[str, float] = {}
    missing: Dict[str, str] = {}
    devices: List[str] = []
    emulated = False
    for argument in arguments.parts:
        part, _, path = argument.partition("=")
        log = pathlib.Path(path)
        text = log.read_text(errors="replace") if log.exists() else "it did not come to that"
        result = last_json(text)
        if result is None:
            lines = text.strip().splitlines()
            missing[part] = lines[-1] if lines else "it said nothing"
            continue
        last = text.strip().splitlines()[-1]
        if not last.startswith("{"):
            missing[part] = f"not to the end: {last}"
        ratios.update(result["ratios"])
        emulated = emulated or result["emulated"]
        if result["device"] not in devices:
            devices.append(result["device"])
    today = datetime.date.today().isoformat()
    print(f"| {', '.join(devices) or 'no GPU'} | {today} |")
    print("| --- | --- |")
    if emulated:
        print("| **the emulated runtime** | the figures mean nothing |")
    for row in arguments.row:
        name, _, text = row.partition("=")
        print(f"| {name} | {text} |")
    short: Dict[str, Optional[float]] = {}
    partial: Dict[str, float] = {}
    for name, (text, patterns) in HEADLINES.items():
        wanted = expected(patterns, arguments.batch_sizes)
        there = [key for key in wanted if key in ratios]
        short[name] = None
        told = "not run"
        if there:
            value = worst(name, [ratios[key] for key in there])
            told = f"{value:.3g}"
            if there == wanted:
                short[name] = value
            else:
                partial[name] = value
                lacking = ", ".join(key for key in wanted if key not in ratios)
                told += f", partial: without {lacking}"
        print(f"| `{name}`: {text} | {told} |")
    for name in sorted(ratios):
        if name != "gpu_wait_pct":
            print(f"| {name} | {ratios[name]:.3g} |")
    for part, why in missing.items():
        begin = "" if why.startswith("not to the end") else "not run: "
        print(f"| {FIGURES.get(part, part)} | {begin}{why.replace('|', '/')} |")
    print()
    whole = {"bench": "gpu", **short, "device": devices, "date": today, "emulated": emulated}
    print(json.dumps({**whole, "partial": partial, "ratios": ratios, "not_run": missing}))


if __name__ == "__main__":
    main()
