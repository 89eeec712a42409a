"""A contestant: PyG's NeighborLoader over features and a topology in numpy.memmap.

    python bench/disk/pyg_memmap.py --arrays FOLDER --seeds FILE --seconds S

FOLDER is what export_for_pyg() in bench/disk/dataset.py writes. PyG samples other batches, of the same seeds and fanouts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
import torch_geometric
from progress import BATCH_SIZE, FANOUTS, Progress
from torch_geometric.data import Data
from torch_geometric.loader import NeighborLoader
from torch_geometric.typing import SparseTensor


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--arrays", required=True)
    parser.add_argument("--seeds", required=True, help="a .npy file of node ids")
    parser.add_argument("--seconds", type=float, required=True, help="at most")
    given = parser.parse_args()
    progress = Progress()
    torch.manual_seed(1)
    folder = Path(given.arrays)
    arrays = {
        name: torch.from_numpy(np.load(folder / f"{name}.npy", mmap_mode="r"))
        for name in ("indptr", "indices", "x")
    }
    nodes = len(arrays["x"])
    # PyG reads the transpose, whose rows are the targets.
    adjacency = SparseTensor(
        rowptr=arrays["indptr"],
        col=arrays["indices"],
        sparse_sizes=(nodes, nodes),
        is_sorted=True,
        trust_data=True,
    )
    data = Data(x=arrays["x"], adj_t=adjacency, num_nodes=nodes)
    loader = NeighborLoader(
        data,
        num_neighbors=FANOUTS,
        input_nodes=torch.from_numpy(np.load(given.seeds)),
        batch_size=BATCH_SIZE,
        shuffle=True,
    )
    complete = progress.run(loader, given.seconds)
    versions = {"torch": torch.__version__, "torch-geometric": torch_geometric.__version__}
    progress.print(complete, progress.moved(), {"versions": versions})


if __name__ == "__main__":
    main()
