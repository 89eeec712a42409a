"""Writes golden/pyg-parts: partitions that torch-geometric 2.8.1 made (torch 2.5.1), and what they
hold.

The library cuts graphs by METIS, which this environment need not have: every node is given a part
in turn. The files are the library's own.
"""

from __future__ import annotations

import shutil
from typing import Any

import golden
import torch
import torch_geometric
from torch_geometric.data import Data, HeteroData
from torch_geometric.distributed import Partitioner
from torch_geometric.loader.cluster import ClusterData

FOLDER = golden.GOLDEN / "pyg-parts"


def in_turn(self: Any, edge_index: Any, num_nodes: int) -> Any:
    return torch.arange(num_nodes) % self.num_parts


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    setattr(ClusterData, "_metis", in_turn)  # noqa: B010
    torch.manual_seed(4)
    nodes, edges = 9, 20
    data = Data(
        x=torch.rand(nodes, 3),
        edge_index=torch.randint(0, nodes, (2, edges)),
        edge_attr=torch.rand(edges, 2),
    )
    Partitioner(data, num_parts=2, root=str(FOLDER / "homogeneous")).generate_partition()
    columns = {"edge_attr": data.edge_attr.numpy()}
    ends = {"source": data.edge_index[0], "target": data.edge_index[1]}
    golden.save(
        FOLDER / "homogeneous.npz",
        {"node": {"count": nodes, "columns": {"x": data.x.numpy()}}},
        {"node__to__node": {**ends, "columns": columns}},
    )

    data.edge_time = torch.randint(0, 50, (edges,))
    Partitioner(data, num_parts=2, root=str(FOLDER / "edge-times")).generate_partition()
    columns["edge_time"] = data.edge_time.numpy()
    golden.save(
        FOLDER / "edge-times.npz",
        {"node": {"count": nodes, "columns": {"x": data.x.numpy()}}},
        {"node__to__node": {**ends, "columns": columns}},
    )

    hetero = HeteroData()
    hetero["user"].x = torch.rand(6, 2)
    hetero["user"].time = torch.randint(0, 50, (6,))
    hetero["item"].x = torch.rand(5, 2)
    hetero["item"].time = torch.randint(0, 50, (5,))
    first = torch.stack([torch.randint(0, 6, (9,)), torch.randint(0, 5, (9,))])
    hetero["user", "buys", "item"].edge_index = first
    hetero["user", "buys", "item"].edge_attr = torch.rand(9, 2)
    hetero["user", "follows", "user"].edge_index = torch.randint(0, 6, (2, 7))
    hetero["user", "follows", "user"].edge_attr = torch.rand(7, 2)
    Partitioner(hetero, num_parts=3, root=str(FOLDER / "heterogeneous")).generate_partition()
    golden.save(
        FOLDER / "heterogeneous.npz",
        {
            name: {
                "count": hetero[name].num_nodes,
                "columns": {"x": hetero[name].x.numpy(), "time": hetero[name].time.numpy()},
            }
            for name in hetero.node_types
        },
        {
            "__".join(name): {
                "source": hetero[name].edge_index[0],
                "target": hetero[name].edge_index[1],
                "columns": {"edge_attr": hetero[name].edge_attr.numpy()},
            }
            for name in hetero.edge_types
        },
    )
    versions = f"torch-geometric {torch_geometric.__version__}\ntorch 2.5.1\n"
    (FOLDER / "VERSIONS").write_text(versions)


if __name__ == "__main__":
    main()
