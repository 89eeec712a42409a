"""Who writes to whom next: links predicted from what went before, with PyG and times.

    python examples/pyg_temporal.py [--data CollegeMsg.txt.gz] [--epochs 3] [--seed 0]

The file is text, one "source target time" a line, as snap.stanford.edu/data/CollegeMsg.html has it; without
one, messages are made up: people write within their group, and change groups now and then, so that
what is long ago misleads. The first 70 % of the messages are learned from, the last 15 % tested. For
each, the model sees the latest messages that both ends had before it, and none of later times; it
must tell the true receiver from a drawn one.
"""

import argparse
import gzip

import torch
import torch.nn.functional as F
from pyg_metrics import auc, average_precision
from torch_geometric.data import Data
from torch_geometric.nn import MLP, TransformerConv
from torch_geometric.nn.models.tgn import TimeEncoder

from gls.pyg import LinkNeighborLoader


def read(path: str) -> "tuple[torch.Tensor, torch.Tensor]":
    """Messages [2, n] and their times [n], in the order of time."""
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as lines:
        rows = torch.tensor([[int(word) for word in line.split()] for line in lines])
    rows = rows[rows[:, 2].argsort(stable=True)]
    return rows[:, :2].unique(return_inverse=True)[1].t().contiguous(), rows[:, 2]


def make_up(people: int = 300, groups: int = 10, messages: int = 12000):
    group = torch.randint(groups, (people,))
    ends = []
    for sender in torch.randint(people, (messages,)).tolist():
        if torch.rand(()) < 0.05:
            group[torch.randint(people, ())] = torch.randint(groups, ())
        known = (group == group[sender]).nonzero().view(-1)
        ends.append([sender, int(known[torch.randint(len(known), ())])])
    return torch.tensor(ends).t().contiguous(), 60 * torch.arange(messages)


class LatestMessages(torch.nn.Module):
    """A person is described by the latest messages, with whom and how long ago."""

    def __init__(self, people: int, size: int) -> None:
        super().__init__()
        self.person = torch.nn.Embedding(people, size)
        self.time = TimeEncoder(size)
        self.conv = TransformerConv(size, size, heads=2, concat=False, edge_dim=size + 1)
        self.link = MLP([3 * size, size, 1], norm=None)

    def forward(self, batch: Data) -> "tuple[torch.Tensor, torch.Tensor]":
        source, target = batch.edge_index
        # Nodes of a link are a graph of their own: `batch` says of which link a node is.
        ago = torch.log1p((batch.seed_time[batch.batch[target]] - batch.time).float())
        attributes = torch.cat([self.time(ago), batch.sent[:, None]], dim=1)
        h = self.conv(self.person(batch.n_id), batch.edge_index, attributes)
        sender = h[batch.src_index]
        true, drawn = h[batch.dst_pos_index], h[batch.dst_neg_index]
        return self.score(sender, true), self.score(sender, drawn)

    def score(self, sender: torch.Tensor, receiver: torch.Tensor) -> torch.Tensor:
        return self.link(torch.cat([sender, receiver, sender * receiver], dim=1)).view(-1)


@torch.no_grad()
def evaluate(model: LatestMessages, loader: LinkNeighborLoader) -> "tuple[float, float]":
    model.eval()
    true, drawn = (torch.cat(scores) for scores in zip(*map(model, loader)))
    label = torch.cat([torch.ones(len(true)), torch.zeros(len(drawn))])
    score = torch.cat([true, drawn])
    return average_precision(score, label), auc(score, label)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="a file of messages")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)

    messages, time = read(options.data) if options.data else make_up()
    count, people = len(time), int(messages.max()) + 1
    # Each message is an edge to the receiver, and one to the sender.
    graph = Data(edge_index=torch.cat([messages, messages.flip(0)], dim=1), num_nodes=people)
    graph.time = time.repeat(2)
    graph.sent = torch.arange(2 * count) < count
    train, valid, test = (
        LinkNeighborLoader(
            graph,
            num_neighbors=[10],
            edge_label_index=messages[:, begin:end],
            edge_label_time=time[begin:end] - 1,  # so that it does not see itself
            time_attr="time",
            temporal_strategy="last",
            neg_sampling="triplet",
            batch_size=200,
            shuffle=begin == 0,
        )
        for begin, end in (
            (0, count * 70 // 100),
            (count * 70 // 100, count * 85 // 100),
            (count * 85 // 100, count),
        )
    )
    model = LatestMessages(people, 64)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.002)

    best, kept = (0.0, 0.0), (0.0, 0.0)
    for epoch in range(1, options.epochs + 1):
        model.train()
        for batch in train:
            optimizer.zero_grad()
            true, drawn = model(batch)
            loss = F.softplus(-true).mean() + F.softplus(drawn).mean()
            loss.backward()
            optimizer.step()
        if (now := evaluate(model, valid)) > best:
            best, kept = now, evaluate(model, test)
        print(f"epoch {epoch:3d}  loss {loss.item():.3f}  validation AP {now[0]:.3f}", flush=True)
    print(f"AP {kept[0]:.4f}  AUC {kept[1]:.4f}")


if __name__ == "__main__":
    main()
