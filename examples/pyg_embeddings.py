"""Predicts citations of Cora from other citations alone, with PyG and an embedding of each paper.

    python examples/pyg_embeddings.py [--epochs 15] [--seed 0]

What papers say is not looked at: each has a row in a table instead, which is learned. The split is that of
pyg_link_prediction.py.
"""

import argparse

import torch
import torch.nn.functional as F
from pyg_graphsage import load_cora
from pyg_metrics import auc, average_precision
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import GraphSAGE
from torch_geometric.transforms import RandomLinkSplit

import gls
from gls.nn import Embedding, SparseOptimizer
from gls.pyg import LinkNeighborLoader


class Model(torch.nn.Module):
    def __init__(self, table: gls.Table) -> None:
        super().__init__()
        self.embedding = Embedding(table)
        self.layers = GraphSAGE(
            table.width, 128, num_layers=2, out_channels=64, dropout=0.5, normalize=True
        )

    def forward(self, batch: Data) -> torch.Tensor:
        h = self.layers(self.embedding(batch.n_id), batch.edge_index)
        source, target = batch.edge_label_index
        return 5 * (h[source] * h[target]).sum(dim=1)


@torch.no_grad()
def evaluate(model: Model, loader: LinkNeighborLoader) -> "tuple[float, float]":
    model.eval()
    batches = [(model(batch), batch.edge_label) for batch in loader]
    score, label = (torch.cat(parts) for parts in zip(*batches))
    return auc(score, label), average_precision(score, label)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    seed_everything(options.seed)

    data = load_cora()
    split = RandomLinkSplit(0.05, 0.1, is_undirected=True, add_negative_train_samples=False)
    train, valid, test = split(data)
    # The second half of the edges are the reverses of the first.
    reverse = torch.arange(train.num_edges).roll(train.num_edges // 2)
    graph = gls.Dataset.from_arrays(
        train.edge_index, num_nodes=data.num_nodes, edge_columns={"reverse": reverse}
    )
    train_loader = LinkNeighborLoader(
        graph,
        num_neighbors=[10, 10],
        edge_label_index=train.edge_label_index,
        neg_sampling="binary",
        batch_size=512,
        shuffle=True,
        exclude_links=True,
        exclude_mode="reverse_id",
        reverse_column="reverse",
    )
    valid_loader, test_loader = (
        LinkNeighborLoader(graph, [-1, -1], part.edge_label_index, part.edge_label, batch_size=2048)
        for part in (valid, test)
    )

    table = graph.table("paper", width=64, low=-1, high=1, seed=options.seed, optimizer="adam")
    model = Model(table)
    dense = torch.optim.Adam(model.parameters(), lr=0.01)
    sparse = SparseOptimizer([model.embedding], lr=0.03)

    best, kept = (0.0, 0.0), (0.0, 0.0)
    for epoch in range(1, options.epochs + 1):
        model.train()
        for batch in train_loader:
            loss = F.binary_cross_entropy_with_logits(model(batch), batch.edge_label)
            dense.zero_grad()
            sparse.zero_grad()
            loss.backward()
            dense.step()
            sparse.step()
        if (now := evaluate(model, valid_loader)) > best:
            best, kept = now, evaluate(model, test_loader)
        if epoch % 5 == 0:
            print(f"epoch {epoch:3d}  loss {loss.item():.3f}  validation AUC {now[0]:.3f}")
    print(f"AUC {kept[0]:.4f}  AP {kept[1]:.4f}")


if __name__ == "__main__":
    main()
