"""An R-GCN tells the fields of authors from what they publish, where, and with whom, with PyG.

    python examples/pyg_dblp.py --data HeCo/data/dblp [--epochs 30] [--seed 0]

The folder is data/dblp of github.com/liun-online/HeCo: authors, papers, conferences and terms, 20 labelled authors
of each of four fields. It names no licence and is not bundled; without it, a graph of the same kind is made up.
Neighbours are sampled along six types of edges, so a batch has nodes of four types. `--full` trains
on all of the graph at once instead, without a loader.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.data import HeteroData
from torch_geometric.nn import HeteroConv, SAGEConv

from gls.pyg import NeighborLoader


def table(folder: Path, name: str) -> torch.Tensor:
    """Pairs of ids, one a line."""
    path = folder / name
    return torch.from_numpy(np.loadtxt(path if path.exists() else f"{path}.gz", np.int64).T.copy())


def read(folder: Path) -> HeteroData:
    data = HeteroData()
    stored = np.load(folder / "a_feat.npz")  # rows as scipy.sparse stores them
    rows = np.repeat(np.arange(stored["shape"][0]), np.diff(stored["indptr"]))
    x = torch.zeros(*stored["shape"].tolist())
    x[rows, stored["indices"].astype(np.int64)] = torch.from_numpy(stored["data"]).float()
    data["author"].x = x
    data["author"].y = torch.from_numpy(np.load(folder / "labels.npy")).long()
    for name, relation, file in (
        ("author", "by", "pa"),
        ("conference", "at", "pc"),
        ("term", "has", "pt"),
    ):
        data["paper", relation, name].edge_index = table(folder, f"{file}.txt")
    for part in ("train", "val", "test"):
        data["author"][part] = torch.from_numpy(np.load(folder / f"{part}_20.npy")).long()
    return data


def make_up(authors: int = 800, papers: int = 2000, terms: int = 500) -> HeteroData:
    """Each conference has a field, of which most of its papers are, and so are most authors of a paper."""
    data = HeteroData()
    field = torch.randint(4, (authors,))
    by, at, has = [], [], []
    for paper in range(papers):
        first = int(torch.randint(authors, ()))
        own = int(field[first])
        peers = (field == own).nonzero().view(-1)
        by += [(paper, a) for a in {first, int(peers[torch.randint(len(peers), ())])}]
        topic = own if torch.rand(()) < 0.6 else int(torch.randint(4, ()))
        at.append((paper, 5 * topic + int(torch.randint(5, ()))))
        has += [(paper, int(term)) for term in torch.randint(terms, (5,))]
    data["author"].x = torch.randn(authors, 16)
    data["author"].y = field
    for name, relation, pairs in (
        ("author", "by", by),
        ("conference", "at", at),
        ("term", "has", has),
    ):
        data["paper", relation, name].edge_index = torch.tensor(pairs).t().contiguous()
    order = torch.randperm(authors)
    data["author"].train, data["author"].val, data["author"].test = order.split([80, 220, 500])
    return data


def whole(data: HeteroData) -> HeteroData:
    """With edges both ways, and all nodes counted: those without features are known by their id."""
    for source, relation, target in data.edge_types:
        back = data[source, relation, target].edge_index.flip(0)
        data[target, f"rev_{relation}", source].edge_index = back
    for name in ("paper", "conference", "term"):
        ends = [data[t].edge_index[t.index(name) // 2] for t in data.edge_types if name in t]
        data[name].num_nodes = int(torch.cat(ends).max()) + 1
    data["author"].num_nodes = len(data["author"].y)
    return data


class RGCN(torch.nn.Module):
    """A linear map of neighbours for each type of edges: Schlichtkrull and others, ESWC 2018."""

    def __init__(self, data: HeteroData, size: int, classes: int) -> None:
        super().__init__()
        self.author = torch.nn.Linear(data["author"].x.shape[1], size)
        names = ("conference", "term")
        self.known = torch.nn.ModuleDict(
            {n: torch.nn.Embedding(data[n].num_nodes, size) for n in names}
        )
        for known in self.known.values():
            torch.nn.init.normal_(known.weight, std=0.1)
        self.paper = torch.nn.Parameter(torch.zeros(size))
        sizes = [(size, size), (size, classes)]
        self.convs = torch.nn.ModuleList(
            HeteroConv({t: SAGEConv(a, b) for t in data.edge_types}, aggr="sum") for a, b in sizes
        )

    def forward(self, batch: HeteroData) -> torch.Tensor:
        x = {name: known(batch[name].n_id) for name, known in self.known.items()}
        x["paper"] = self.paper.expand(len(batch["paper"].n_id), -1)
        x["author"] = self.author(F.dropout(batch["author"].x, 0.5, self.training))
        for number, conv in enumerate(self.convs):
            x = {
                name: F.dropout(h.relu() if number else h, 0.5, self.training)
                for name, h in x.items()
            }
            x = conv(x, batch.edge_index_dict)
        return x["author"]


def macro_f1(found: torch.Tensor, true: torch.Tensor) -> float:
    of_each = []
    for label in true.unique():
        both = int(((found == label) & (true == label)).sum())
        of_each.append(2 * both / int((found == label).sum() + (true == label).sum()))
    return sum(of_each) / len(of_each)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="data/dblp of HeCo")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--full", action="store_true", help="the whole graph as one batch, without a loader"
    )
    options = parser.parse_args()
    torch.manual_seed(options.seed)

    data = whole(read(options.data) if options.data else make_up())
    print(data)

    def batches(part: str, **more: object):
        seeds = ("author", data["author"][part])
        if not options.full:
            return NeighborLoader(data, [10, 10], seeds, **more)
        batch = data.clone()
        for name in data.node_types:
            batch[name].n_id = torch.arange(data[name].num_nodes)
        batch["author"].asked = seeds[1]
        return [batch] * (4 if part == "train" else 1)

    def asked(batch: HeteroData) -> "tuple[torch.Tensor, torch.Tensor]":
        store = batch["author"]
        rows = store.asked if options.full else torch.arange(store.batch_size)
        return model(batch)[rows], store.y[rows]

    @torch.no_grad()
    def evaluate(loader) -> float:
        model.eval()
        out, true = (torch.cat(parts) for parts in zip(*map(asked, loader)))
        return macro_f1(out.argmax(1), true)

    train, valid, test = (
        batches("train", batch_size=20, shuffle=True),
        batches("val", batch_size=250),
        batches("test", batch_size=250),
    )
    model = RGCN(data, 64, int(data["author"].y.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-3)
    best, kept = 0.0, 0.0
    for epoch in range(1, options.epochs + 1):
        model.train()
        for batch in train:
            optimizer.zero_grad()
            out, true = asked(batch)
            loss = F.cross_entropy(out, true)
            loss.backward()
            optimizer.step()
        if (now := evaluate(valid)) > best:
            best, kept = now, evaluate(test)
        if epoch % 5 == 0 or epoch == options.epochs:
            print(f"epoch {epoch:3d}  loss {loss.item():.3f}  validation F1 {now:.3f}", flush=True)
    print(f"F1 {kept:.4f}")


if __name__ == "__main__":
    main()
