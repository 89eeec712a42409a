"""What PyG has a counterpart of: its trimming of typed batches, its ShaDow subgraphs, its splits of links.

PyG's ShaDowKHopSampler needs torch-sparse, which has no binaries on PyPI. What it samples with room for all
neighbours is the k-hop subgraph of each seed, which PyG also finds by itself.
"""

from __future__ import annotations

from typing import Any, Dict, Tuple

import numpy as np
import pytest
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import HeteroConv, SAGEConv
from torch_geometric.transforms import RandomLinkSplit
from torch_geometric.utils import k_hop_subgraph, to_undirected, trim_to_layer

import gls
from gls.pyg import NeighborLoader


def typed() -> HeteroData:
    torch.manual_seed(3)
    data = HeteroData()
    counts = {"paper": 90, "author": 40, "place": 10}
    for name, count in counts.items():
        data[name].x = torch.randn(count, 8)
    for source, relation, target, count in (
        ("author", "writes", "paper", 300),
        ("paper", "rev_writes", "author", 300),
        ("paper", "cites", "paper", 200),
        ("author", "at", "place", 30),
        ("place", "of", "author", 30),
    ):
        ends = torch.randint(counts[source], (count,)), torch.randint(counts[target], (count,))
        data[source, relation, target].edge_index = torch.stack(ends)
    return data


@pytest.mark.parametrize("hops", [2, 3])
def test_typed_batches_are_trimmed_layer_by_layer(hops: int) -> None:
    data = typed()
    convs = [HeteroConv({t: SAGEConv(8, 8) for t in data.edge_types}) for _ in range(hops)]
    smaller = 0
    for batch in NeighborLoader(data, [3] * hops, "paper", batch_size=16):
        nodes, edges = batch.num_sampled_nodes_dict, batch.num_sampled_edges_dict
        whole: Dict[str, Any] = batch.x_dict
        trimmed, index = batch.x_dict, batch.edge_index_dict
        for layer, conv in enumerate(convs):
            whole = conv(whole, batch.edge_index_dict)
            before = sum(len(x) for x in trimmed.values())
            trimmed, index, _ = trim_to_layer(layer, nodes, edges, trimmed, index)
            smaller += layer > 0 and sum(len(x) for x in trimmed.values()) < before
            trimmed = conv(trimmed, index)
        seeds = batch["paper"].batch_size
        assert torch.allclose(whole["paper"][:seeds], trimmed["paper"][:seeds], atol=1e-5)
    assert smaller > 0


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_shadow_subgraphs_are_k_hop_subgraphs(depth: int) -> None:
    torch.manual_seed(4)
    edge_index = torch.randint(150, (2, 260))
    data = Data(x=torch.arange(150.0), edge_index=edge_index)
    seeds = torch.tensor([7, 0, 149, 7, 33])
    loader = NeighborLoader(
        data, [-1] * depth, seeds, batch_size=5, disjoint=True, subgraph_type="induced"
    )
    (batch,) = loader
    for tree, seed in enumerate(seeds.tolist()):
        nodes, inside, _, mask = k_hop_subgraph(seed, depth, edge_index)
        own = batch.batch == tree
        assert sorted(batch.n_id[own].tolist()) == nodes.tolist()
        assert batch.n_id[own][0] == seed
        ends = own[batch.edge_index]
        assert (ends[0] == ends[1]).all()
        assert sorted(batch.e_id[ends[0]].tolist()) == mask.nonzero().view(-1).tolist()
        assert len(mask.nonzero()) == inside.shape[1]


SIZES = [(0.1, 0.2, 0.0), (0.15, 0.0, 0.3), (7, 11, 0.5), (0.05, 0.1, 0.0)]


def parts_of(split: gls.LinkSplit) -> Tuple[gls.LinkPart, ...]:
    return split.train, split.valid, split.test


@pytest.mark.parametrize("undirected", [False, True])
@pytest.mark.parametrize("valid, test, supervision", SIZES)
def test_splits_of_links(valid: Any, test: Any, supervision: float, undirected: bool) -> None:
    """As many links for each part as PyG has, and as many edges of which each is sampled; none is in two."""
    torch.manual_seed(5)
    edge_index = torch.randint(60, (2, 400)).unique(dim=1)
    edge_index = edge_index[:, edge_index[0] != edge_index[1]]  # PyG has loops twice, if undirected
    if undirected:
        edge_index = to_undirected(edge_index)
    data = Data(x=torch.zeros(60, 1), edge_index=edge_index)
    pyg = RandomLinkSplit(
        valid, test, is_undirected=undirected, disjoint_train_ratio=supervision,
        add_negative_train_samples=False, neg_sampling_ratio=0.0,
    )(data)  # fmt: skip
    dataset = gls.Dataset.from_arrays(edge_index.numpy(), num_nodes=60)
    split = gls.split_links(
        dataset, valid=valid, test=test, supervision=supervision, undirected=undirected
    )
    count = edge_index.shape[1]
    own = [set(part.links.numpy().tolist()) for part in parts_of(split)]
    for number, (theirs, ours) in enumerate(zip(pyg, parts_of(split))):
        kept = set(range(count)) - set(ours.exclude.numpy().tolist())
        assert len(kept) == theirs.edge_index.shape[1]
        # PyG labels both directions of an undirected link where the links for training are sampled, too.
        labels = theirs.edge_label_index
        if undirected:
            labels = labels.sort(dim=0).values.unique(dim=1)
        assert len(own[number]) == labels.shape[1]
        unseen = own[number:] if number or supervision else own[1:]
        assert not kept & set().union(*unseen)
    assert len(own[0] | own[1] | own[2]) == sum(len(part) for part in own)


@pytest.mark.parametrize("valid, test, supervision", SIZES)
def test_splits_of_links_with_reverses_of_another_type(
    valid: Any, test: Any, supervision: float
) -> None:
    forth, back = ("author", "writes", "paper"), ("paper", "rev_writes", "author")
    data = typed()
    data[forth].edge_index = data[forth].edge_index.unique(dim=1)
    data[back].edge_index = data[forth].edge_index.flip(0)
    count = data[forth].edge_index.shape[1]
    pyg = RandomLinkSplit(
        valid, test, disjoint_train_ratio=supervision, add_negative_train_samples=False,
        neg_sampling_ratio=0.0, edge_types=forth, rev_edge_types=back,
    )(data)  # fmt: skip
    builder = gls.DatasetBuilder()
    for name in ("paper", "author"):
        builder.add_node_type(name, data[name].num_nodes)
    for edge_type in (forth, back):
        builder.add_edges(edge_type, data[edge_type].edge_index.numpy())
    dataset = builder.build()
    split = gls.split_links(dataset, forth, valid=valid, test=test, supervision=supervision)
    seeds = [(name, np.arange(data[name].num_nodes)) for name in ("paper", "author")]
    for theirs, ours in zip(pyg, parts_of(split)):
        assert len(ours.links.numpy()) == theirs[forth].edge_label_index.shape[1]
        sampler = gls.Sampler(
            dataset, [-1], exclude=[(forth, ours.exclude.numpy())], with_edge_ids=True,
            exclude_mode="reverse_types", reverse_types=[(forth, back)],
        )  # fmt: skip
        batch = sampler.sample(seeds)
        left = np.setdiff1d(np.arange(count), ours.exclude.numpy()).tolist()
        for edge_type in (forth, back):
            assert sorted(batch.edges["__".join(edge_type)].edge.tolist()) == left
            assert len(left) == theirs[edge_type].edge_index.shape[1]
