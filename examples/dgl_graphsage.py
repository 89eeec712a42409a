"""GraphSAGE on Cora with layers of DGL, on blocks that GLS samples.

    python examples/dgl_graphsage.py [epochs]

The model and the loop are those of a script for DGL; the loader is of GLS.
"""

import gzip
import sys
from pathlib import Path
from typing import Any, List

import dgl.nn
import numpy as np
import torch
import torch.nn.functional as F

import gls
import gls.dgl

CORA = Path(__file__).parent / "data" / "cora"


class GraphSAGE(torch.nn.Module):
    """A layer for each block; each computes only the nodes that the next one reads."""

    def __init__(self, sizes: List[int]) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(
            dgl.nn.SAGEConv(a, b, "mean") for a, b in zip(sizes, sizes[1:])
        )

    def forward(self, blocks: List[Any], x: torch.Tensor) -> torch.Tensor:
        h = x / x.sum(1, keepdim=True).clamp(min=1)
        for number, (layer, block) in enumerate(zip(self.layers, blocks)):
            h = layer(block, h)
            if number < len(blocks) - 1:
                h = F.dropout(F.relu(h), 0.5, self.training)
        return h


def load_cora() -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.load(CORA / "edges.npy"))
    with gzip.open(CORA / "x.npy.gz") as file:
        builder.add_node_column("node", "x", np.load(file))
    builder.add_node_column("node", "y", np.load(CORA / "y.npy"), role="label")
    for name in ("train", "valid", "test"):
        builder.add_id_set("node", name, np.load(CORA / f"{name}.npy"))
    return builder.build()


@torch.no_grad()
def accuracy(model: GraphSAGE, loader: gls.dgl.DataLoader) -> float:
    model.eval()
    right = count = 0
    for _, output_nodes, blocks in loader:
        guess = model(blocks, blocks[0].srcdata["x"]).argmax(1)
        right += int((guess == blocks[-1].dstdata["y"]).sum())
        count += len(output_nodes)
    return right / count


def main() -> None:
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    torch.manual_seed(0)
    dataset = load_cora()
    native = gls.NeighborLoader(dataset, [10, 10], "train", batch_size=64, shuffle=True)
    train = gls.dgl.DataLoader(native)
    valid, test = (
        gls.dgl.DataLoader(gls.NeighborLoader(dataset, [-1, -1], name, batch_size=500))
        for name in ("valid", "test")
    )
    model = GraphSAGE([dataset.node_columns()["x"].shape[1], 64, 7])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)

    best, kept = 0.0, model.state_dict()
    for epoch in range(epochs):
        model.train()
        for input_nodes, output_nodes, blocks in train:
            optimizer.zero_grad()
            prediction = model(blocks, blocks[0].srcdata["x"])
            loss = F.cross_entropy(prediction, blocks[-1].dstdata["y"])
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
