"""GraphSAGE on Cora with PyG: an ordinary script in which one import is another.

python examples/pyg_graphsage.py [epochs]
"""

import gzip
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv

# from torch_geometric.loader import NeighborLoader
from gls.pyg import NeighborLoader


class SAGE(torch.nn.Module):
    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.conv1 = SAGEConv(inputs, hidden)
        self.conv2 = SAGEConv(hidden, outputs)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        x = F.dropout(x, 0.6, self.training)
        x = F.relu(self.conv1(x, edge_index))
        x = F.dropout(x, 0.6, self.training)
        return self.conv2(x, edge_index)


def load_cora() -> Data:
    """Cora as PyG's Planetoid dataset gives it, read from examples/data."""
    cora = Path(__file__).parent / "data" / "cora"
    with gzip.open(cora / "x.npy.gz") as file:
        x = torch.from_numpy(np.load(file))
    y = torch.from_numpy(np.load(cora / "y.npy"))
    # The file has both directions of each edge, ordered by source. Flipped, they are by target.
    edge_index = torch.from_numpy(np.load(cora / "edges.npy")).long().flip(0)
    data = Data(x=F.normalize(x, p=1, dim=1), y=y, edge_index=edge_index)
    for name, id_set in (("train", "train"), ("val", "valid"), ("test", "test")):
        mask = torch.zeros(len(y), dtype=torch.bool)
        mask[torch.from_numpy(np.load(cora / f"{id_set}.npy"))] = True
        data[f"{name}_mask"] = mask
    return data


def main() -> None:
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    torch.manual_seed(0)
    data = load_cora()
    print(data)
    train_loader = NeighborLoader(
        data, num_neighbors=[10, 10], batch_size=64, input_nodes=data.train_mask, shuffle=True
    )
    test_loader = NeighborLoader(
        data, num_neighbors=[-1, -1], batch_size=500, input_nodes=data.test_mask
    )
    model = SAGE(data.num_features, 64, int(data.y.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)

    for epoch in range(1, epochs + 1):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            out = model(batch.x, batch.edge_index)[: batch.batch_size]
            loss = F.cross_entropy(out, batch.y[: batch.batch_size])
            loss.backward()
            optimizer.step()
        if epoch % 10 == 0:
            print(f"epoch {epoch:3d}  loss {loss.item():.3f}")

    model.eval()
    right = total = 0
    with torch.no_grad():
        for batch in test_loader:
            out = model(batch.x, batch.edge_index)[: batch.batch_size]
            right += int((out.argmax(1) == batch.y[: batch.batch_size]).sum())
            total += batch.batch_size
    print(f"accuracy {right / total:.3f}")


if __name__ == "__main__":
    main()
