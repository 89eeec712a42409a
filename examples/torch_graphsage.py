"""GraphSAGE on Cora with PyTorch, without any library for graph neural networks.

    python examples/torch_graphsage.py [epochs]

Batches come as tensors of PyTorch on the memory that GLS filled, without a copy.
"""

import gzip
import sys
from pathlib import Path
from typing import List

import numpy as np
import torch
import torch.nn.functional as F

import gls

CORA = Path(__file__).parent / "data" / "cora"


class SAGELayer(torch.nn.Module):
    """Averages a node with its sampled neighbours."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(inputs, outputs)

    def forward(self, h: torch.Tensor, row: torch.Tensor, col: torch.Tensor, targets: int):
        h = self.linear(h)
        total = h[:targets].index_add(0, col, h[row])
        degree = 1 + torch.bincount(col, minlength=targets)
        return total / degree.unsqueeze(1)


class GraphSAGE(torch.nn.Module):
    """A layer for each hop; each computes only the nodes that the next one reads."""

    def __init__(self, sizes: List[int]) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(SAGELayer(a, b) for a, b in zip(sizes, sizes[1:]))

    def forward(self, batch: gls.Batch) -> torch.Tensor:
        # Nodes and edges are listed hop by hop, so what lies within some hops is a prefix.
        h, row, col = batch.x.torch(), batch.row.torch(), batch.col.torch()
        h = h / h.sum(1, keepdim=True).clamp_(min=1)
        hops = len(self.layers)
        for number, layer in enumerate(self.layers):
            within = hops - number
            targets = sum(batch.num_sampled_nodes[:within])
            edges = sum(batch.num_sampled_edges[:within])
            h = layer(h, row[:edges], col[:edges], targets)
            if number < hops - 1:
                h = F.dropout(F.relu(h), 0.5, self.training)
        return h


def accuracy(model: GraphSAGE, loader: gls.NeighborLoader) -> float:
    model.eval()
    with torch.no_grad():
        right = sum(int((model(batch).argmax(1) == batch.y.torch()).sum()) for batch in loader)
    return right / loader.num_seeds


def main() -> None:
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    torch.manual_seed(0)
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.load(CORA / "edges.npy"))
    with gzip.open(CORA / "x.npy.gz") as file:
        builder.add_node_column("node", "x", np.load(file))
    builder.add_node_column("node", "y", np.load(CORA / "y.npy"), role="label")
    for name in ("train", "valid", "test"):
        builder.add_id_set("node", name, np.load(CORA / f"{name}.npy"))
    dataset = builder.build()
    train = gls.NeighborLoader(dataset, [10, 10], "train", batch_size=64, shuffle=True)
    valid, test = (
        gls.NeighborLoader(dataset, [-1, -1], name, batch_size=500) for name in ("valid", "test")
    )
    features = dataset.node_columns()["x"].shape[1]
    model = GraphSAGE([features, 64, 7])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)

    best, kept = 0.0, model.state_dict()
    for epoch in range(epochs):
        model.train()
        for batch in train:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(batch), batch.y.torch())
            loss.backward()
            optimizer.step()
        if (now := accuracy(model, valid)) > best:
            best, kept = now, {name: value.clone() for name, value in model.state_dict().items()}
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3d}  loss {loss.item():.3f}  validation {now:.3f}")
    model.load_state_dict(kept)
    print(f"accuracy {accuracy(model, test):.3f}")


if __name__ == "__main__":
    main()
