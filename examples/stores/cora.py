"""What the examples of stores share: Cora's arrays, and a use of the dataset.

A paper is described by its features averaged over its neighbourhood, twice; it gets the label whose
training papers are described most alike.
"""

import gzip
from pathlib import Path
from typing import Dict, Tuple

import numpy as np

import gls

CORA = Path(__file__).parents[1] / "data" / "cora"
EDGE_TYPE = "paper__cites__paper"


def arrays() -> Dict[str, np.ndarray]:
    """By the names of the files."""
    found = {path.stem: np.load(path) for path in CORA.glob("*.npy")}
    with gzip.open(CORA / "x.npy.gz") as file:
        return {"x": np.load(file), **found}


def base(cora: Dict[str, np.ndarray]) -> gls.Dataset:
    """A dataset of papers with a split, and without edges or features."""
    builder = gls.DatasetBuilder()
    builder.add_node_type("paper", len(cora["x"]))
    builder.add_node_column("paper", "y", cora["y"], role="label")
    for name in ("train", "valid", "test"):
        builder.add_id_set("paper", name, cora[name])
    return builder.build()


def describe(dataset: gls.Dataset, id_set: str) -> Tuple[np.ndarray, np.ndarray]:
    described, labels = [], []
    for batch in gls.NeighborLoader(dataset, [-1, -1], id_set, batch_size=256):
        h, row, col = batch.x.numpy(), batch.row.numpy(), batch.col.numpy()
        degree = 1 + np.bincount(col, minlength=len(h))[:, None]
        for _ in range(2):
            total = h.copy()
            np.add.at(total, col, h[row])
            h = total / degree
        described.append(h[: batch.batch_size])  # the first nodes are the seeds
        labels.append(batch.y.numpy())
    return np.concatenate(described), np.concatenate(labels)


def accuracy(dataset: gls.Dataset) -> float:
    """How many test papers get their label."""
    (known, labels), (papers, truth) = describe(dataset, "train"), describe(dataset, "test")
    mean = known.mean(axis=0)
    known, papers = (
        (h - mean) / np.linalg.norm(h - mean, axis=1)[:, None] for h in (known, papers)
    )
    centre = np.stack([known[labels == label].mean(axis=0) for label in range(7)])
    return float(np.mean((papers @ centre.T).argmax(axis=1) == truth))
