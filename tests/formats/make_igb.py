"""Writes golden folders of IGB. Needs NumPy alone: `igb`, version 0.1.0, reads such folders by
np.load, and by np.memmap with float32 and rows of 1024 numbers for the sizes "large" and "full".
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Dict

import numpy as np

from golden import GOLDEN, save

random = np.random.default_rng(13)
WIDTH = 1024


def edges(folder: Path, types: Dict[str, int], count: int) -> Dict[str, Any]:
    """Edges with one row an edge; what must come out."""
    expected: Dict[str, Any] = {}
    for name in (
        "paper__cites__paper",
        "paper__written_by__author",
        "author__affiliated_to__institute",
        "paper__topic__fos",
    ):
        source, _, target = name.split("__")
        if source in types and target in types:
            both = np.stack(
                [random.integers(0, types[end], count) for end in (source, target)], axis=1
            )
            (folder / name).mkdir()
            np.save(folder / name / "edge_index.npy", both)
            loaded = np.load(folder / name / "edge_index.npy")
            expected[name] = {"source": loaded[:, 0], "target": loaded[:, 1]}
    return expected


def labels(folder: Path, count: int, raw: bool) -> Dict[str, Any]:
    out: Dict[str, Any] = {}
    for name, classes in (("node_label_19", 19), ("node_label_2K", 2983)):
        out[name] = random.integers(0, classes, count).astype(np.float32)
        put(folder / "paper" / f"{name}.npy", out[name], raw)
    return out


def put(path: Path, array: Any, raw: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if raw:
        array.tofile(path)
    else:
        np.save(path, array)


def write(root: Path, size: str, types: Dict[str, int], width: int, raw: bool) -> None:
    folder = root / size / "processed"
    nodes: Dict[str, Any] = {}
    for type, count in types.items():
        features = random.integers(-2, 3, (count, width)).astype(np.float32)
        put(folder / type / "node_feat.npy", features, raw)
        nodes[type] = {"count": count, "columns": {"node_feat": features}}
    nodes["paper"]["columns"].update(labels(folder, types["paper"], raw))
    if not raw:
        mapping: Any = {i: f"P{i}" for i in range(types["paper"])}
        np.save(folder / "paper" / "paper_id_index_mapping.npy", mapping)
    save(root / size / "expected.npz", nodes, edges(folder, types, 40))


if __name__ == "__main__":
    root = GOLDEN / "igb"
    shutil.rmtree(root, ignore_errors=True)
    write(root, "tiny", {"paper": 20, "author": 12, "institute": 4, "fos": 7}, 6, False)
    write(root, "large", {"paper": 3}, WIDTH, True)
    (root / "VERSIONS").write_text(f"layout of igb 0.1.0\nnumpy {np.__version__}\n")
