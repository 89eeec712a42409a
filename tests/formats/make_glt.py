"""Writes golden/glt: partitions that graphlearn-torch 0.2.4 made (torch 2.5.1), and what they hold.

The library asks for a GPU and for torch_sparse when it is imported; partitioning uses neither.
"""

from __future__ import annotations

import shutil
import sys
import types
from typing import Any

import golden
import torch

FOLDER = golden.GOLDEN / "glt"


def library() -> Any:
    """Its module of partitions, imported without a GPU."""
    sparse = types.ModuleType("torch_sparse")
    setattr(sparse, "SparseTensor", object)  # noqa: B010
    sys.modules["torch_sparse"] = sparse
    device = torch.device
    setattr(torch, "device", lambda *_: device("cpu"))  # noqa: B010
    from graphlearn_torch import partition

    setattr(torch, "device", device)  # noqa: B010
    return partition


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    partition = library()
    make = partition.RandomPartitioner
    ranges = partition.RangePartitionBook([(0, 4), (4, 11)], 1)
    torch.save(ranges, FOLDER / "ranges.pt")
    torch.manual_seed(3)
    nodes, edges = 11, 25
    index = torch.randint(0, nodes, (2, edges))
    x, attr, weight = torch.rand(nodes, 3), torch.rand(edges, 2), torch.rand(edges)
    columns = {"feat": attr.numpy(), "weight": weight.numpy()}
    given = {"num_parts": 2, "num_nodes": nodes, "edge_index": index, "node_feat": x}
    more = {**given, "num_parts": 3, "chunk_size": 2}
    make(str(FOLDER / "homogeneous"), edge_feat=attr, edge_weights=weight, **more).partition()
    golden.save(
        FOLDER / "homogeneous.npz",
        {"node": {"count": nodes, "columns": {"feat": x.numpy()}}},
        {"node__to__node": {"source": index[0], "target": index[1], "columns": columns}},
    )

    make(str(FOLDER / "cached"), edge_feat=attr, **given).partition(graph_caching=True)

    buys, follows = ("user", "buys", "item"), ("user", "follows", "user")
    counts = {"user": 6, "item": 5}
    indexes = {
        buys: torch.stack([torch.randint(0, 6, (9,)), torch.randint(0, 5, (9,))]),
        follows: torch.randint(0, 6, (2, 7)),
    }
    features = {name: torch.rand(count, 2) for name, count in counts.items()}
    edge_features = {buys: torch.rand(9, 1), follows: torch.rand(7, 4)}
    hetero = {
        "num_parts": 2,
        "num_nodes": counts,
        "edge_index": indexes,
        "node_feat": features,
        "node_feat_dtype": torch.float16,
        "edge_assign_strategy": "by_dst",
    }
    for name, cached in (("heterogeneous", False), ("heterogeneous-cached", True)):
        make(str(FOLDER / name), edge_feat=edge_features, **hetero).partition(graph_caching=cached)
    golden.save(
        FOLDER / "heterogeneous.npz",
        {
            name: {"count": count, "columns": {"feat": features[name].half().numpy()}}
            for name, count in counts.items()
        },
        {
            "__".join(name): {
                "source": index[0],
                "target": index[1],
                "columns": {"feat": edge_features[name].numpy()},
            }
            for name, index in indexes.items()
        },
    )
    (FOLDER / "VERSIONS").write_text("graphlearn-torch 0.2.4\ntorch 2.5.1\n")


if __name__ == "__main__":
    main()
