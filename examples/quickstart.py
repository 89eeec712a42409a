"""GLS in a page: imports Cora, samples it, and labels papers without any training.

    python examples/quickstart.py

A paper is described by its features averaged over its neighbourhood, twice; it gets the label whose
training papers are described most alike. Needs NumPy alone.
"""

import gzip
import tempfile
from pathlib import Path

import numpy as np

import gls

CORA = Path(__file__).parent / "data" / "cora"


def describe(dataset: gls.Dataset, id_set: str) -> "tuple[np.ndarray, np.ndarray]":
    """Twice averaged features of the nodes of a set, and their labels."""
    mean = dataset.node_column("x").numpy().mean(axis=0)
    described, labels = [], []
    for batch in gls.NeighborLoader(dataset, [-1, -1], id_set, batch_size=256):
        h = batch.x.numpy() - mean
        row, col = batch.row.numpy(), batch.col.numpy()  # edge i leads from row[i] to col[i]
        degree = 1 + np.bincount(col, minlength=len(h))[:, None]
        for _ in range(2):
            total = h.copy()
            np.add.at(total, col, h[row])
            h = total / degree
        described.append(h[: batch.batch_size])  # the first nodes are the seeds
        labels.append(batch.y.numpy())
    h = np.concatenate(described)
    return h / np.linalg.norm(h, axis=1, keepdims=True), np.concatenate(labels)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        builder = gls.DatasetBuilder()
        builder.add_edges("node__to__node", np.load(CORA / "edges.npy"))
        with gzip.open(CORA / "x.npy.gz") as file:
            builder.add_node_column("node", "x", np.load(file))
        builder.add_node_column("node", "y", np.load(CORA / "y.npy"), role="label")
        for name in ("train", "valid", "test"):
            builder.add_id_set("node", name, np.load(CORA / f"{name}.npy"))
        builder.write(Path(folder) / "cora")  # once
        dataset = gls.Dataset.open(Path(folder) / "cora")  # at once, whatever its size
        print(dataset)

        known, labels = describe(dataset, "train")
        centre = np.stack([known[labels == label].mean(axis=0) for label in range(7)])
        papers, truth = describe(dataset, "test")
        guess = (papers @ centre.T).argmax(axis=1)
        print(f"accuracy {np.mean(guess == truth):.3f} on {len(truth)} papers")


if __name__ == "__main__":
    main()
