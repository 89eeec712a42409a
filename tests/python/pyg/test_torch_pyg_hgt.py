"""gls.pyg.HGTLoader: PyG's objects, of which its models take batches as they are."""

from __future__ import annotations

import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import HGTConv

from gls.pyg import HGTLoader


def graph() -> HeteroData:
    torch.manual_seed(1)
    data = HeteroData()
    data["paper"].x = torch.randn(200, 8)
    data["author"].x = torch.randn(150, 8)
    data["paper"].y = torch.randint(4, (200,))
    writes = torch.stack([torch.randint(150, (900,)), torch.randint(200, (900,))])
    data["author", "writes", "paper"].edge_index = writes
    data["paper", "written_by", "author"].edge_index = writes.flip(0)
    cites = torch.randint(200, (2, 1000))
    data["paper", "cites", "paper"].edge_index = cites
    data["paper", "cites", "paper"].weight = torch.arange(1000.0)
    return data


def test_batches() -> None:
    data = graph()
    loader = HGTLoader(
        data,
        num_samples={"paper": [20, 10], "author": [15, 5]},
        input_nodes=("paper", torch.arange(70)),
        batch_size=32,
        shuffle=True,
    )
    seen = []
    for batch in loader:
        paper, author = batch["paper"], batch["author"]
        size = paper.batch_size
        seen += paper.input_id.tolist()
        assert paper.n_id[:size].tolist() == paper.input_id.tolist()
        assert paper.num_sampled_nodes == [size, 20, 10]
        assert author.num_sampled_nodes == [0, 15, 5]
        assert torch.equal(paper.x, data["paper"].x[paper.n_id])
        assert len(paper.n_id.unique()) == len(paper.n_id)
        for key, store in batch.edge_items():
            given = data[key].edge_index[:, store.e_id]
            source, target = store.edge_index
            assert torch.equal(batch[key[0]].n_id[source], given[0])
            assert torch.equal(batch[key[2]].n_id[target], given[1])
        cites = batch["paper", "cites", "paper"]
        assert torch.equal(cites.weight, cites.e_id.float())
    assert sorted(seen) == list(range(70))


def test_the_model_takes_them() -> None:
    data = graph()
    loader = HGTLoader(data, [16, 8], "paper", batch_size=64)
    conv = HGTConv(8, 4, data.metadata(), heads=2)
    for batch in loader:
        out = conv(batch.x_dict, batch.edge_index_dict)
        assert out["paper"].shape == (len(batch["paper"].n_id), 4)
    assert loader(torch.tensor([3, 5]))["paper"].n_id[:2].tolist() == [3, 5]


def test_all_edges() -> None:
    """With room for every neighbour, edges are those of PyG's own subgraph."""
    data = graph()
    (batch,) = HGTLoader(
        data, [30], ("paper", torch.arange(40)), batch_size=40, subgraph_type="induced"
    )
    sub = data.subgraph({name: batch[name].n_id for name in data.node_types})
    for key in data.edge_types:
        ids = (batch[key[i]].n_id[batch[key].edge_index[e]] for e, i in ((0, 0), (1, 2)))
        assert len(torch.stack(list(ids)).T.tolist()) == sub[key].edge_index.shape[1]


def test_one_type() -> None:
    data = Data(x=torch.arange(50.0), edge_index=torch.randint(50, (2, 400)))
    for batch in HGTLoader(data, [5, 5], batch_size=10):
        assert batch.num_nodes == 20
        assert batch.x.tolist() == batch.n_id.tolist()
