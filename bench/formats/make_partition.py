"""Writes a graph that DGL partitioned, by DGL: make_partition.py FOLDER EDGES NODES."""

import sys

import dgl
import torch

PARTS = 4
WIDTH = 64


def main() -> None:
    folder, edges, nodes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.manual_seed(0)
    source = torch.randint(0, nodes, (edges,))
    target = (torch.rand(edges, dtype=torch.float64) ** 3 * nodes).long()  # few nodes have many
    graph = dgl.graph((source, target), num_nodes=nodes)
    graph.ndata["feat"] = torch.rand(nodes, WIDTH)
    dgl.distributed.partition_graph(graph, "graph", PARTS, folder, part_method="random", num_hops=1)


if __name__ == "__main__":
    main()
