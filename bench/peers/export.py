"""Writes a dataset of one node type and one edge type as the arrays that run.py reads.

    python bench/peers/export.py DATASET FOLDER
"""

import os
import sys
from pathlib import Path

import numpy as np

import gls


def main(source: str, target: str) -> None:
    dataset = gls.Dataset.open(source)
    topology = dataset.topology("csc")
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {
        "indptr": topology.indptr.numpy().astype(np.int64),
        "indices": topology.indices.numpy().astype(np.int32),
        "x": np.ascontiguousarray(dataset.node_column("x").numpy(), dtype=np.float32),
        "y": dataset.node_column("y").numpy().astype(np.int64),  # last: it tells that all are there
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.partial.npy", array)
        os.replace(folder / f"{name}.partial.npy", folder / f"{name}.npy")


if __name__ == "__main__":
    main(*sys.argv[1:])
