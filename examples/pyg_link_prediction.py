"""GraphSAGE predicts citations of Cora, with PyG and links as seeds.

    python examples/pyg_link_prediction.py [--epochs 15] [--seed 0]

85 % of the links are there to learn from, 5 % to choose the epoch by, 10 % to test. A link that is to
be predicted is not there to be seen, nor is its reverse: without `exclude_links` the model learns to
look for the very edge, which no link of the test has.
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

# from torch_geometric.loader import LinkNeighborLoader
from gls.pyg import LinkNeighborLoader


def scores(model: GraphSAGE, batch: Data) -> torch.Tensor:
    """Papers are alike as far as their descriptions, of length 1, point the same way."""
    h = model(batch.x, batch.edge_index)
    source, target = batch.edge_label_index
    return 5 * (h[source] * h[target]).sum(dim=1)


@torch.no_grad()
def evaluate(model: GraphSAGE, loader: LinkNeighborLoader) -> "tuple[float, float]":
    model.eval()
    batches = [(scores(model, batch), batch.edge_label) for batch in loader]
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
    train.reverse = torch.arange(train.num_edges).roll(train.num_edges // 2)
    train_loader = LinkNeighborLoader(
        train,
        num_neighbors=[10, 10],
        edge_label_index=train.edge_label_index,
        neg_sampling="binary",
        batch_size=512,
        shuffle=True,
        exclude_links=True,
        exclude_mode="reverse_id",
        reverse_column="reverse",
    )
    # All know the edges of the training alone.
    valid_loader, test_loader = (
        LinkNeighborLoader(train, [-1, -1], part.edge_label_index, part.edge_label, batch_size=2048)
        for part in (valid, test)
    )
    model = GraphSAGE(
        data.num_features, 128, num_layers=2, out_channels=64, dropout=0.5, normalize=True
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    best, kept = (0.0, 0.0), (0.0, 0.0)
    for epoch in range(1, options.epochs + 1):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = F.binary_cross_entropy_with_logits(scores(model, batch), batch.edge_label)
            loss.backward()
            optimizer.step()
        if (now := evaluate(model, valid_loader)) > best:
            best, kept = now, evaluate(model, test_loader)
        if epoch % 5 == 0:
            print(f"epoch {epoch:3d}  loss {loss.item():.3f}  validation AUC {now[0]:.3f}")
    print(f"AUC {kept[0]:.4f}  AP {kept[1]:.4f}")


if __name__ == "__main__":
    main()
