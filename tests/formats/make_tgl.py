"""Writes golden folders of TGL. Needs torch 2.2.1 and pandas: TGL is a set of scripts, which read
`edges.csv` by pandas and features by torch.load, as this script does for what must come out.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Dict

import numpy as np
import pandas as pd
import torch

from golden import GOLDEN, save

random = np.random.default_rng(19)


def write(name: str, features: bool) -> None:
    folder = GOLDEN / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    times = np.sort(random.integers(0, 1000, 80))
    frame = pd.DataFrame(
        {
            "src": random.integers(0, 20, 80),
            "dst": random.integers(20, 30, 80),
            "time": times / 2 if features else times,
            "ext_roll": np.repeat([0, 1, 2], [50, 20, 10]),
        }
    )
    frame.loc[0, "dst"] = 29
    frame.to_csv(folder / "edges.csv")
    if features:
        torch.save(torch.randn(80, 3), folder / "edge_features.pt")
        torch.save(torch.randn(32, 4).half(), folder / "node_features.pt")
        labels = frame.rename(columns={"src": "node"}).assign(label=1)
        labels[["node", "time", "label", "ext_roll"]].to_csv(folder / "labels.csv")
    versions = f"torch {torch.__version__}\npandas {pd.__version__}\n"
    (folder / "VERSIONS").write_text(versions)
    save(folder / "expected.npz", *expected(folder))


def expected(folder: Path) -> Any:
    frame = pd.read_csv(folder / "edges.csv")
    columns = {name: frame[name].to_numpy() for name in ("time", "ext_roll")}
    node: Dict[str, Any] = {"count": 30, "columns": {}}
    if (folder / "edge_features.pt").exists():
        columns["edge_features"] = torch.load(folder / "edge_features.pt").numpy()
        features = torch.load(folder / "node_features.pt").numpy()
        node = {"count": len(features), "columns": {"node_features": features}}
    ends = {"source": frame.src.to_numpy(), "target": frame.dst.to_numpy()}
    return {"node": node}, {"node__to__node": {**ends, "columns": columns}}


if __name__ == "__main__":
    torch.manual_seed(19)
    write("tgl-edges", False)
    write("tgl-features", True)
