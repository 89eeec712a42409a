"""A relational GCN completes a knowledge graph (CoDEx-S), with PyG and edges as seeds.

    python examples/pyg_rgcn.py [--epochs 25] [--seed 0]

Every statement (head, relation, tail) is an edge, and so is its inverse, with a relation of its own. When
the tail of a statement is asked for, neither of the two may be seen: `exclude_links` takes them out of
the graph for that batch. Reported are the filtered mean reciprocal rank and hits at 10, of tails and of
heads together.
"""

import argparse
import gzip
from pathlib import Path

import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.nn import FastRGCNConv

from gls.pyg import LinkNeighborLoader, NeighborLoader

CODEX = Path(__file__).parent / "data" / "codex_s"


def read(folder: Path) -> "tuple[dict[str, torch.Tensor], int, int]":
    """Statements [3, n] of each part (head, relation, tail), and how many entities and relations."""
    entities: "dict[str, int]" = {}
    relations: "dict[str, int]" = {}
    parts = {}
    for part in ("train", "valid", "test"):
        with gzip.open(folder / f"{part}.txt.gz", "rt") as lines:
            heads, names, tails = zip(*(line.split() for line in lines))
        parts[part] = torch.tensor(
            [
                [entities.setdefault(name, len(entities)) for name in heads],
                [relations.setdefault(name, len(relations)) for name in names],
                [entities.setdefault(name, len(entities)) for name in tails],
            ]
        )
    return parts, len(entities), len(relations)


def both_ways(statements: torch.Tensor, relations: int) -> torch.Tensor:
    """Statements and their inverses."""
    head, relation, tail = statements
    return torch.cat([statements, torch.stack([tail, relation + relations, head])], dim=1)


class RGCN(torch.nn.Module):
    """Describes entities by themselves and messages along relations; ComplEx compares them."""

    def __init__(self, entities: int, relations: int, size: int, blocks: int) -> None:
        super().__init__()
        self.entity = torch.nn.Embedding(entities, size)
        self.relation = torch.nn.Parameter(torch.empty(relations, size))
        self.conv = FastRGCNConv(size, size, relations, num_blocks=blocks)
        torch.nn.init.xavier_normal_(self.entity.weight)
        torch.nn.init.xavier_normal_(self.relation)

    def forward(self, batch: Data) -> torch.Tensor:
        x = F.dropout(self.entity(batch.n_id), 0.2, self.training)
        h = x + torch.tanh(self.conv(x, batch.edge_index, batch.edge_type))
        return F.dropout(h, 0.2, self.training)

    def ask(self, head: torch.Tensor, relation: torch.Tensor) -> torch.Tensor:
        """What the tail should be like: the head, turned by the relation as complex numbers are."""
        first, second = (h.view(len(h), -1, 2) for h in (head, self.relation[relation]))
        product = torch.view_as_complex(first) * torch.view_as_complex(second)
        return torch.view_as_real(product).flatten(1)


@torch.no_grad()
def evaluate(model: RGCN, loader: NeighborLoader, asked: torch.Tensor, known: torch.Tensor):
    """Mean reciprocal rank of the true answer, and how often it is among the first ten."""
    model.eval()
    h = torch.cat([model(batch)[: batch.batch_size] for batch in loader])
    answers: "dict[tuple[int, int], list[int]]" = {}
    for head, relation, tail in known.t().tolist():
        answers.setdefault((head, relation), []).append(tail)
    ranks = []
    for head, relation, tail in asked.split(512, dim=1):
        score = model.ask(h[head], relation) @ h.t()
        true = score.gather(1, tail[:, None])
        for row, key in enumerate(zip(head.tolist(), relation.tolist())):
            score[row, answers[key]] = -torch.inf  # other true answers do not count
        ranks.append(1 + (score > true).sum(1) + (score == true).sum(1) / 2)
    rank = torch.cat(ranks).float()
    return float((1 / rank).mean()), float((rank <= 10).float().mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)

    parts, entities, relations = read(CODEX)
    parts = {name: both_ways(part, relations) for name, part in parts.items()}
    head, relation, tail = parts["train"]
    graph = Data(edge_index=torch.stack([head, tail]), edge_type=relation, num_nodes=entities)
    graph.inverse = torch.arange(len(head)).roll(len(head) // 2)
    train_loader = LinkNeighborLoader(
        graph,
        num_neighbors=[10],
        neg_sampling="triplet",
        batch_size=4096,
        shuffle=True,
        exclude_links=True,
        exclude_mode="reverse_id",
        reverse_column="inverse",
    )
    all_loader = NeighborLoader(graph, [-1], batch_size=entities)
    known = torch.cat(list(parts.values()), dim=1)
    model = RGCN(entities, 2 * relations, size=128, blocks=32)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.epochs)

    best, kept = 0.0, model.state_dict()
    for epoch in range(1, options.epochs + 1):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            h = model(batch)
            asked = model.ask(h[batch.src_index], relation[batch.input_id])
            # Every node of the batch is a candidate: ends of the links, drawn ones, and neighbours.
            loss = F.cross_entropy(asked @ h.t(), batch.dst_pos_index)
            loss.backward()
            optimizer.step()
        schedule.step()
        if epoch % 5 == 0 or epoch == options.epochs:
            mrr, _ = evaluate(model, all_loader, parts["valid"], known)
            print(f"epoch {epoch:3d}  loss {loss.item():.3f}  validation MRR {mrr:.3f}")
            if mrr > best:
                best = mrr
                kept = {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(kept)
    mrr, hits = evaluate(model, all_loader, parts["test"], known)
    print(f"MRR {mrr:.4f}  hits@10 {hits:.4f}")


if __name__ == "__main__":
    main()
