"""A Heterogeneous Graph Transformer learns the subjects of Cora's papers, with PyG.

    python examples/pyg_hgt.py [--epochs 20] [--seed 0]

The graph has two types of nodes: papers, which cite each other, and the words of their abstracts. Words
are known only by the papers that they are in. Batches are HGSampling's: numbers of papers and of words,
with many edges between them.
"""

import argparse

import torch
import torch.nn.functional as F
from pyg_graphsage import load_cora
from torch_geometric.data import HeteroData
from torch_geometric.nn import HGTConv

from gls.pyg import HGTLoader


def papers_and_words() -> HeteroData:
    cora = load_cora()
    paper, word = cora.x.nonzero(as_tuple=True)
    data = HeteroData()
    data["paper"].x = F.normalize(cora.x) * cora.num_features**0.5
    data["paper"].y = cora.y
    data["word"].num_nodes = cora.num_features
    data["paper", "cites", "paper"].edge_index = cora.edge_index
    data["word", "in", "paper"].edge_index = torch.stack([word, paper])
    data["paper", "has", "word"].edge_index = torch.stack([paper, word])
    for part in ("train", "val", "test"):
        data["paper"][f"{part}_mask"] = cora[f"{part}_mask"]
    return data


class HGT(torch.nn.Module):
    def __init__(self, data: HeteroData, size: int, classes: int) -> None:
        super().__init__()
        self.paper = torch.nn.Linear(data["paper"].x.shape[1], size)
        self.word = torch.nn.Embedding(data["word"].num_nodes, size)
        self.convs = torch.nn.ModuleList(
            HGTConv(size, size, data.metadata(), heads=4) for _ in range(2)
        )
        self.out = torch.nn.Linear(size, classes)

    def forward(self, batch: HeteroData) -> torch.Tensor:
        x = {
            "paper": self.paper(F.dropout(batch["paper"].x, 0.6, self.training)).relu(),
            "word": self.word(batch["word"].n_id),
        }
        for conv in self.convs:
            x = {name: F.dropout(h, 0.6, self.training) for name, h in x.items()}
            x = conv(x, batch.edge_index_dict)
        return self.out(x["paper"])[: batch["paper"].batch_size]


@torch.no_grad()
def evaluate(model: HGT, loader: HGTLoader) -> float:
    model.eval()
    right = [model(b).argmax(1) == b["paper"].y[: b["paper"].batch_size] for b in loader]
    return float(torch.cat(right).float().mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)

    data = papers_and_words()
    print(data)

    def loader(part: str, **more: object) -> HGTLoader:
        return HGTLoader(
            data,
            num_samples={"paper": [256, 256], "word": [128, 128]},
            input_nodes=("paper", data["paper"][f"{part}_mask"]),
            **more,
        )

    train_loader = loader("train", batch_size=20, shuffle=True)
    valid_loader, test_loader = loader("val", batch_size=250), loader("test", batch_size=250)
    model = HGT(data, size=64, classes=int(data["paper"].y.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=1e-3)

    best, kept = 0.0, model.state_dict()
    for epoch in range(1, options.epochs + 1):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(batch), batch["paper"].y[: batch["paper"].batch_size])
            loss.backward()
            optimizer.step()
        valid = evaluate(model, valid_loader)
        if valid >= best:
            best = valid
            kept = {name: value.clone() for name, value in model.state_dict().items()}
        if epoch % 10 == 0 or epoch == options.epochs:
            print(f"epoch {epoch:3d}  loss {loss.item():.3f}  validation accuracy {valid:.3f}")
    model.load_state_dict(kept)
    print(f"accuracy {evaluate(model, test_loader):.4f}")


if __name__ == "__main__":
    main()
