"""Writes golden/pyg: graphs that torch-geometric 2.8.1 saved, and what they hold.

Run it with torch 2.2.1 and with torch 2.5.1: each writes a folder with its version in its name.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, List

import golden
import torch
import torch_geometric
from torch_geometric.data import Data, HeteroData, InMemoryDataset

VERSION = torch.__version__.split("+")[0]
FOLDER = golden.GOLDEN / "pyg" / f"torch-{VERSION}"


class Saved(InMemoryDataset):
    """A dataset that is saved as users' datasets are."""

    def __init__(self, root: Path, graphs: List[Any]) -> None:
        self.graphs = graphs
        super().__init__(str(root))

    @property
    def processed_file_names(self) -> str:
        return "data.pt"

    def process(self) -> None:
        self.save(self.graphs, self.processed_paths[0])


def homogeneous() -> Data:
    random = torch.Generator().manual_seed(1)
    nodes, edges = 7, 12
    mask = torch.rand(nodes, generator=random) < 0.5
    data = Data(
        x=torch.rand(nodes, 3, generator=random),
        y=torch.randint(0, 4, (nodes,), generator=random),
        edge_index=torch.randint(0, nodes, (2, edges), generator=random),
        edge_attr=torch.rand(edges, 2, generator=random),
        edge_weight=torch.rand(edges, generator=random),
        train_mask=mask,
        val_mask=~mask,
        test_mask=torch.zeros(nodes, dtype=torch.bool),
    )
    data.time = torch.arange(edges) * 10
    data.n_id = torch.arange(nodes) + 100
    data.codes = torch.rand(nodes, 4, generator=random).to(torch.float16)
    data.turned = torch.rand(2, nodes, generator=random).t()
    data.name = "a graph"
    data.classes = 4
    data.other = torch.rand(5, 5, generator=random)
    return data


def heterogeneous() -> HeteroData:
    random = torch.Generator().manual_seed(2)
    data = HeteroData()
    data["paper"].x = torch.rand(6, 2, generator=random)
    data["paper"].y = torch.randint(0, 3, (6,), generator=random)
    data["paper"].train_mask = torch.tensor([1, 0, 1, 0, 0, 1], dtype=torch.bool)
    data["paper"].time = torch.arange(6) + 1990
    data["author_"].num_nodes = 4
    data["author_", "writes__a", "paper"].edge_index = torch.tensor([[0, 1, 3, 3], [5, 0, 1, 2]])
    data["author_", "writes__a", "paper"].edge_attr = torch.rand(4, 1, generator=random)
    data["paper", "cites", "paper"].edge_index = torch.tensor([[0, 1], [2, 3]], dtype=torch.int32)
    data["paper", "cites", "paper"].time = torch.tensor([5, 6])
    data.made = "today"
    return data


def ids(mask: Any) -> Any:
    return mask.nonzero().flatten()


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    data = homogeneous()
    torch.save(data, FOLDER / "homogeneous.pt")
    names = ["x", "y", "n_id", "codes", "turned"]
    edge_names = ["edge_attr", "edge_weight", "time"]
    nodes = {
        "count": 7,
        "columns": {name: data[name].numpy() for name in names},
        "sets": {
            "train": ids(data.train_mask),
            "valid": ids(data.val_mask),
            "test": ids(data.test_mask),
        },
    }
    edges = {
        "source": data.edge_index[0],
        "target": data.edge_index[1],
        "columns": {name: data[name].numpy() for name in edge_names},
    }
    golden.save(FOLDER / "homogeneous.npz", {"node": nodes}, {"node__to__node": edges})

    hetero = heterogeneous()
    torch.save(hetero, FOLDER / "heterogeneous.pt")
    paper, writes = hetero["paper"], hetero["author_", "writes__a", "paper"]
    cites = hetero["paper", "cites", "paper"]
    golden.save(
        FOLDER / "heterogeneous.npz",
        {
            "paper": {
                "count": 6,
                "columns": {name: paper[name].numpy() for name in ("x", "y", "time")},
                "sets": {"train": ids(paper.train_mask)},
            },
            "author": {"count": 4},
        },
        {
            "author__writes_a__paper": {
                "source": writes.edge_index[0],
                "target": writes.edge_index[1],
                "columns": {"edge_attr": writes.edge_attr.numpy()},
            },
            "paper__cites__paper": {
                "source": cites.edge_index[0],
                "target": cites.edge_index[1],
                "columns": {"time": cites.time.numpy()},
            },
        },
    )

    many_splits = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=4)
    many_splits.train_mask = torch.tensor([[1, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.bool)
    torch.save(many_splits, FOLDER / "splits.pt")
    for name, graphs in (
        ("homogeneous", [data]),
        ("heterogeneous", [hetero]),
        ("several", [many_splits, many_splits]),
    ):
        Saved(FOLDER / f"dataset-{name}", graphs)
        for file in ("pre_filter.pt", "pre_transform.pt"):
            (FOLDER / f"dataset-{name}" / "processed" / file).unlink(missing_ok=True)
    versions = f"torch-geometric {torch_geometric.__version__}\ntorch {VERSION}\n"
    (FOLDER / "VERSIONS").write_text(versions)


if __name__ == "__main__":
    main()
