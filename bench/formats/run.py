"""Importing Parquet against pyarrow alone, which reads the same columns to NumPy and builds no graph,
and a partitioned graph of DGL against dd, which copies its files.

The last line is JSON:

  parquet_vs_pyarrow          time of the import over that of pyarrow, ids that are node ids
  parquet_vs_pyarrow_integer  the same, integers that the import numbers
  parquet_vs_pyarrow_string   the same, text; pyarrow alone makes Arrow arrays, as NumPy has no text
  edges_per_s_core            edges over seconds of processors, ids that are node ids
  dgl_vs_dd                   time of the import over that of dd; with --dgl-python alone
  peak_mb                     most memory of an import, with a bound of 1 GiB; mapped files count
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, List, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

CHUNK = 1_000_000
KINDS = {"dense": "", "integer": "_integer", "string": "_string"}


class Run(NamedTuple):
    seconds: float
    processor_seconds: float
    peak_mb: float


def write_edges(path: Path, edges: int, nodes: int, as_text: bool) -> None:
    type = pa.string() if as_text else pa.int64()
    schema = pa.schema([("source", type), ("target", type)])
    random = np.random.default_rng(0)
    partial = path.with_suffix(".partial")
    with parquet.ParquetWriter(partial, schema) as out:
        for at in range(0, edges, CHUNK):
            count = min(CHUNK, edges - at)
            source = random.integers(0, nodes, count)
            target = (random.random(count) ** 3 * nodes).astype(np.int64)  # few nodes have many
            ends = [pa.array(ids).cast(type) for ids in (source, target)]
            out.write_table(pa.table(ends, schema=schema))
    partial.rename(path)


def run(command: List[str], environment: Dict[str, str]) -> Run:
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


READ = """
import sys
import pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
if sys.argv[2] != "string":
    arrays = [column.to_numpy() for column in table.columns]
"""


def dgl_vs_dd(given: argparse.Namespace) -> float:
    """The import of a partition over dd of its files: 20 million edges with features of its nodes."""
    edges, nodes = 20_000_000, 2_000_000
    folder = given.data / f"dgl-{edges}-{nodes}"
    if not (folder / "graph.json").exists():
        maker = Path(__file__).with_name("make_partition.py")
        subprocess.run(
            [given.dgl_python, maker, folder, str(edges), str(nodes)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    files = sorted(folder.glob("part*/*.dgl"))
    copy, out = given.data / "copy", given.data / "graph"
    copies: List[float] = []
    imports: List[Run] = []
    command = [given.tool, "import", "dgl", str(folder / "graph.json"), "--quiet", "-o", str(out)]
    for _ in range(given.rounds):
        start = time.perf_counter()
        for file in files:
            subprocess.run(["dd", f"if={file}", f"of={copy}", "bs=4M", "status=none"], check=True)
        copies.append(time.perf_counter() - start)
        imports.append(run([*command, "--overwrite"], dict(os.environ)))
    copy.unlink()
    size = sum(file.stat().st_size for file in files)
    seconds = min(r.seconds for r in imports)
    print(
        f"\nDGL, {edges:,} edges, {size / 1e9:.2f} GB: dd {min(copies):.2f} s, import {seconds:.2f} s, "
        f"peak {max(r.peak_mb for r in imports):.0f} MB"
    )
    return round(seconds / min(copies), 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="the gls command")
    parser.add_argument("--data", type=Path, required=True, help="folder for files; stays")
    parser.add_argument("--edges", type=int, default=50_000_000)
    parser.add_argument("--nodes", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dgl-python", help="a Python with DGL, to write a partitioned graph")
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    results: Dict[str, float] = {}
    print(f"{given.edges:,} edges of {given.nodes:,} nodes, best of {given.rounds}\n")
    print("ids      pyarrow s  import s  ratio  edges/s a core  peak MB")
    peak = 0.0
    for kind, suffix in KINDS.items():
        as_text = kind == "string"
        path = given.data / f"{given.edges}-{given.nodes}{'-text' if as_text else ''}.parquet"
        if not path.exists():
            write_edges(path, given.edges, given.nodes, as_text)
        ids = {"dense": ["--num-nodes", str(given.nodes)]}.get(kind, ["--ids", kind])
        out = given.data / "graph"
        command = [given.tool, "import", "parquet", "--quiet", "-o", str(out), "--overwrite"]
        command += ["--memory", "1G", "--edges", f"n__e__n={path}:src=source,dst=target", *ids]
        reads: List[Run] = []
        imports: List[Run] = []
        for _ in range(given.rounds):  # in turn, so that both see the same machine
            reads.append(run([sys.executable, "-c", READ, str(path), kind], dict(os.environ)))
            imports.append(run(command, dict(os.environ)))
        # A process that only imports pyarrow takes time, too, which is none of reading.
        empty = run([sys.executable, "-c", "import pyarrow.parquet"], dict(os.environ)).seconds
        read = min(r.seconds for r in reads) - empty
        best = min(imports, key=lambda r: r.seconds)
        peak = max(peak, *(r.peak_mb for r in imports))
        ratio = best.seconds / read
        per_core = given.edges / best.processor_seconds
        print(
            f"{kind:8} {read:9.2f} {best.seconds:9.2f} {ratio:6.2f} {per_core:15,.0f} "
            f"{max(r.peak_mb for r in imports):8.0f}"
        )
        results[f"parquet_vs_pyarrow{suffix}"] = round(ratio, 2)
        if kind == "dense":
            results["edges_per_s_core"] = round(per_core)
    results["peak_mb"] = round(peak)
    if given.dgl_python:
        results["dgl_vs_dd"] = dgl_vs_dd(given)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
