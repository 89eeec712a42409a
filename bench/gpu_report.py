"""Makes one table, and one line of JSON, of what the parts of the benchmark of GPUs said.

    python bench/gpu_report.py [--row NAME=TEXT]... PART=LOG...

The last line of a log that is JSON of bench_gpu or gpu_train.py counts. A part whose log has none was not run, for
the reason that is the last line of the log. Rows are shown as they are, before the figures.
"""

import argparse
import datetime
import json
import pathlib
from typing import Any, Dict, List, Optional

# By what a part is judged: the worst of its figures.
HEADLINES = {
    "sample_vs_limit": (
        "edges sampled for each random sector of 32 bytes read",
        "sample_",
        "_vs_limit",
    ),
    "gather_vs_limit": ("rows gathered, against a kernel that only moves them", "gather_", ""),
    "zero_copy_vs_limit": (
        "rows of the host gathered, against a copy of pinned memory",
        "zero_copy_",
        "",
    ),
    "loader_vs_cpu": ("batches of the GPU, against those of all cores", "loader_", "_vs_cpu"),
    "gpu_wait_pct": ("time that the GPU waits for data in training, %", "gpu_wait_pct", ""),
}
SHORT_ROWS = (
    "zero_copy_64",
    "zero_copy_128",
    "zero_copy_256",
)  # of which no more is asked than to be told
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


def headline(ratios: Dict[str, float], begin: str, end: str) -> Optional[float]:
    found = [
        value
        for name, value in ratios.items()
        if name.startswith(begin)
        and name.endswith(end)
        and name not in SHORT_ROWS
        and "_one_thread" not in name
    ]
    return min(found) if found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART=LOG")
    parser.add_argument("--row", action="append", default=[], metavar="NAME=TEXT")
    arguments = parser.parse_args()
    ratios: Dict[str, float] = {}
    missing: Dict[str, str] = {}
    devices: List[str] = []
    emulated = False
    for argument in arguments.parts:
        part, _, path = argument.partition("=")
        log = pathlib.Path(path)
        text = log.read_text(errors="replace") if log.exists() else "not run"
        result = last_json(text)
        if result is None:
            lines = text.strip().splitlines()
            missing[part] = lines[-1] if lines else "it said nothing"
            continue
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
    short = {}
    for name, (text, begin, end) in HEADLINES.items():
        short[name] = headline(ratios, begin, end)
        print(
            f"| `{name}`: {text} | {'not run' if short[name] is None else f'{short[name]:.3g}'} |"
        )
    for name in sorted(ratios):
        if name != "gpu_wait_pct":
            print(f"| {name} | {ratios[name]:.3g} |")
    for part, why in missing.items():
        print(f"| {FIGURES.get(part, part)} | not run: {why.replace('|', '/')} |")
    print()
    whole = {"bench": "gpu", **short, "device": devices, "date": today, "emulated": emulated}
    print(json.dumps({**whole, "ratios": ratios, "not_run": missing}))


if __name__ == "__main__":
    main()
