"""The dataset folder that all contestants read, and the seeds of their epoch."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import List, Optional

from progress import BATCH_SIZE

ROW_BYTES, NODES_PER_GIGABYTE, EDGES_PER_NODE = 512, 2_000_000, 2.75
# How degrees fall, as `gls generate --alpha` takes it.
ALPHA = 0.6
MEMORY_LEFT = 2 << 30

EXPORT = """
import sys
import numpy as np
import gls
topology = gls.Dataset.open(sys.argv[1]).topology("csc")
np.save(sys.argv[2] + "/indptr.npy", topology.indptr.numpy().astype(np.int64, copy=False))
np.save(sys.argv[2] + "/indices.npy", topology.indices.numpy().astype(np.int64))
"""
SEEDS = """
import sys
import numpy as np
import gls
ids = gls.Dataset.open(sys.argv[1]).id_set("train").numpy()
count = int(sys.argv[3])
np.save(sys.argv[2], ids[np.arange(count) * len(ids) // count].astype(np.int64))
"""


class Dataset:
    """`batches` of an epoch; None: 200 for each gigabyte of features."""

    def __init__(self, parent: Path, gigabytes: float, batches: Optional[int]) -> None:
        self.parent = parent
        self.nodes = int(gigabytes * NODES_PER_GIGABYTE)
        if self.nodes < 20_000:
            raise SystemExit("bench disk: --gigabytes: expected 0.01 or more")
        self.folder = parent / f"disk-{gigabytes:g}"
        most = self.nodes // 10 // BATCH_SIZE
        self.batches = min(most, max(20, int(200 * gigabytes)) if batches is None else batches)
        self.seeds = self.kept(f"seeds-{self.batches}.npy")

    def kept(self, name: str) -> Path:
        """A file beside the dataset that was made from it."""
        return self.parent / f"{self.folder.name}-{name}"

    def make(self, gls: str, python: str) -> None:
        self.parent.mkdir(parents=True, exist_ok=True)
        if not (self.folder / "manifest.json").exists():
            highest = 1.5 * self.nodes**ALPHA
            self._run(
                [gls, "generate", "-o", str(self.folder), "--nodes", str(self.nodes)]
                + ["--edges", str(int(self.nodes * EDGES_PER_NODE)), "--alpha", str(ALPHA)]
                + ["--max-degree", str(int(highest)), "--features", str(ROW_BYTES // 4)]
                + ["--classes", "0", "--split", f"{self.nodes // 10},0,0"]
            )
        if not self.seeds.exists():
            words = [str(self.folder), str(self.seeds), str(self.batches * BATCH_SIZE)]
            self._run([python, "-c", SEEDS, *words])

    @staticmethod
    def _run(command: List[str]) -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def _files(self) -> List[Path]:
        return [path for path in self.folder.rglob("*") if path.is_file()]

    @property
    def features(self) -> Path:
        """By far the largest file."""
        return max(self._files(), key=lambda path: path.stat().st_size)

    def bytes(self) -> int:
        return sum(path.stat().st_size for path in self._files())

    def topology_bytes(self) -> int:
        """Of what sampling reads."""
        return sum(path.stat().st_size for path in self._topology())

    def _topology(self) -> List[Path]:
        return [path for path in self._files() if path.name in ("indptr.npy", "indices.npy")]

    def after_reading(self, feature_bytes: int, command: List[str]) -> List[str]:
        """A command whose process first reads the topology and so much of the features."""
        script = 'head -c "$0" "$1" >/dev/null; shift; cat "$1" "$2" >/dev/null; shift 2; exec "$@"'
        topology = [str(path) for path in self._topology()]
        return ["sh", "-c", script, str(feature_bytes), str(self.features), *topology, *command]

    def warm(self) -> bool:
        """Reads all files into the page cache. False: they have no room there."""
        meminfo = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        if int(meminfo["MemAvailable"].split()[0]) * 1024 < self.bytes() + MEMORY_LEFT:
            return False
        block = bytearray(1 << 22)
        for path in self._files():
            with open(path, "rb", buffering=0) as file:
                while file.readinto(block):
                    pass
        return True


def export_for_pyg(data: Dataset, python: str) -> Path:
    """A folder with indptr.npy and indices.npy, both int64, and x.npy, which is a link."""
    folder = data.kept("arrays")
    if not (folder / "x.npy").exists():
        folder.mkdir(exist_ok=True)
        subprocess.run([python, "-c", EXPORT, str(data.folder), str(folder)], check=True)
        os.symlink(data.features.resolve(), folder / "x.npy")
    return folder
