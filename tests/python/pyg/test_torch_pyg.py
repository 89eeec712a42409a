"""gls.pyg against PyG: its own collation, its own subgraphs, and the native loader."""

from __future__ import annotations

import copy
import pickle
from typing import Any, Dict, List

import numpy as np
import pytest
import torch
from pyg_whole import HOPS, as_pyg, pyg_batches, same
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import SAGEConv
from torch_geometric.sampler import HeteroSamplerOutput, NumNeighbors, SamplerOutput
from torch_geometric.utils import k_hop_subgraph, subgraph, trim_to_layer

import gls
from gls.pyg import HGTLoader, LinkNeighborLoader, NeighborLoader


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(1)
    nodes, edges = 120, 700
    made = Data(
        x=torch.randn(nodes, 8),
        y=torch.randint(0, 5, (nodes,)),
        edge_index=torch.randint(0, nodes, (2, edges)),
        edge_attr=torch.randn(edges, 3),
        train_mask=torch.rand(nodes) < 0.4,
    )
    made.weight = torch.rand(edges)
    made.half = torch.randn(nodes, 2, 3).to(torch.bfloat16)
    made.columns = torch.randn(3, nodes).t()  # PyTorch's to gather: its rows are not contiguous
    made.face_index = torch.randint(0, 9, (2, nodes))  # counted along its last dimension
    made.complex = torch.randn(nodes, dtype=torch.complex64)
    made.array = np.arange(nodes)
    made.title, made.other = "graph", torch.randn(7)
    setattr(made, "odd__name_", torch.arange(nodes))
    return made


@pytest.fixture(scope="module")
def hetero() -> HeteroData:
    torch.manual_seed(2)
    made = HeteroData()
    made["paper"].x = torch.randn(90, 4)
    made["paper"].y = torch.randint(0, 3, (90,))
    made["author"].x = torch.randn(40, 6)
    made["author"].train_mask = torch.rand(40) < 0.5
    made["place"].num_nodes = 10
    for source, relation, target, count in (
        ("author", "writes", "paper", 300),
        ("paper", "rev_writes", "author", 300),
        ("paper", "cites", "paper", 200),
        ("author", "at", "place", 30),
    ):
        store = made[source, relation, target]
        store.edge_index = torch.stack(
            [
                torch.randint(0, int(made[source].num_nodes), (count,)),
                torch.randint(0, int(made[target].num_nodes), (count,)),
            ]
        )
    made["author", "writes", "paper"].edge_attr = torch.randn(300, 2)
    return made


# ---- PyG's own NodeLoader, on a sampler that takes all neighbours ---------------------------------


@pytest.mark.parametrize("which", ["all", "mask", "ids", "list", "named"])
def test_data_is_what_pyg_makes_of_it(data: Data, which: str) -> None:
    ids = torch.tensor([5, 9, 1, 33, 7] * 1)
    options: Dict[str, Any] = {"input_id": ids + 1000} if which == "named" else {}
    input_nodes = {"all": None, "mask": data.train_mask, "list": [4, 8]}.get(which, ids)
    loader = NeighborLoader(data, [-1] * HOPS, input_nodes, batch_size=16, **options)
    expected = pyg_batches(data, input_nodes, **options)
    assert len(loader) == len(expected)
    for got, wanted in zip(loader, expected):
        assert type(got) is Data
        same(as_pyg(got), wanted.to_dict())


@pytest.mark.parametrize("input_nodes", ["paper", ("author", None), "mask", "ids"])
def test_hetero_data_is_what_pyg_makes_of_it(hetero: HeteroData, input_nodes: Any) -> None:
    if input_nodes == "mask":
        input_nodes = ("author", hetero["author"].train_mask)
    elif input_nodes == "ids":
        input_nodes = ("paper", torch.arange(0, 90, 7))
    fanouts: Any = {edge_type: [-1] * HOPS for edge_type in hetero.edge_types}
    for num_neighbors in ([-1] * HOPS, fanouts, NumNeighbors([-1] * HOPS)):
        loader = NeighborLoader(hetero, num_neighbors, input_nodes, batch_size=16)
        expected = pyg_batches(hetero, input_nodes)
        assert len(loader) == len(expected)
        for got, wanted in zip(loader, expected):
            assert type(got) is HeteroData
            same(as_pyg(got), wanted.to_dict())


def test_subgraphs_are_those_of_k_hop_subgraph(data: Data) -> None:
    for batch in NeighborLoader(data, [-1] * HOPS, data.train_mask, batch_size=5):
        seeds = batch.n_id[: batch.batch_size]
        # PyG takes the edges of all hops together, so compare what a hop fewer meets, too.
        nodes, _, _, _ = k_hop_subgraph(seeds, HOPS, data.edge_index, num_nodes=data.num_nodes)
        assert set(nodes.tolist()) == set(batch.n_id.tolist())
        inner, _, _, _ = k_hop_subgraph(seeds, HOPS - 1, data.edge_index, num_nodes=data.num_nodes)
        into = torch.isin(data.edge_index[1], inner).nonzero().view(-1)
        assert sorted(batch.e_id.tolist()) == into.tolist()


# ---- the same batches as the native loader ------------------------------------------------------


def test_equal_to_the_native_loader(data: Data) -> None:
    dataset = gls.Dataset.from_arrays(data.edge_index, num_nodes=120, x=data.x, y=data.y)
    ids = data.train_mask.nonzero().view(-1)
    options: Dict[str, Any] = {"batch_size": 10, "shuffle": True, "seed": 11, "drop_last": True}
    loader = NeighborLoader(data, [4, 3], data.train_mask, **options)
    native = gls.NeighborLoader(dataset, [4, 3], ids, with_edge_ids=True, **options)
    assert len(loader) == len(native)
    for _ in range(2):
        for got, wanted in zip(loader, native):
            assert torch.equal(got.n_id, wanted.node.torch())
            assert torch.equal(got.edge_index, wanted.edge_index.torch())
            assert torch.equal(got.e_id, wanted.edge.torch())
            assert torch.equal(got.input_id, ids[wanted.input_id.torch()])
            assert torch.equal(got.x, wanted.x.torch())
            assert got.num_sampled_nodes == wanted.num_sampled_nodes
            assert got.num_sampled_edges == wanted.num_sampled_edges
            assert torch.equal(got.half, data.half[got.n_id])
            assert torch.equal(got.edge_attr, data.edge_attr[got.e_id])


def test_features_are_not_copied(data: Data) -> None:
    loader = NeighborLoader(data, [2])
    addresses = {
        loader._source.dataset.node_column(name).data_ptr()
        for name in loader._source.dataset.node_columns()
    }
    assert {data.x.data_ptr(), data.y.data_ptr(), data.half.data_ptr()} <= addresses
    assert data.columns.data_ptr() not in addresses


@pytest.mark.parametrize("kind", ["homogeneous", "heterogeneous"])
def test_datasets(kind: str, dataset: gls.Dataset, shop: gls.Dataset) -> None:
    if kind == "homogeneous":
        loader = NeighborLoader(dataset, [3, 2], "train", batch_size=8)
        batch = next(iter(loader))
        assert torch.equal(batch.x, torch.from_numpy(dataset.node_column("x")[batch.n_id]))
        assert len(batch.y) == len(batch.n_id)  # as in PyG, labels of all nodes
        assert "w" not in batch  # weights are for sampling
        assert torch.equal(
            batch.edge_attr, torch.tensor(dataset.edge_column("edge_attr")[batch.e_id])
        )
    else:
        loader = NeighborLoader(shop, [3, 2], ("user", "train"), batch_size=8)
        batch = next(iter(loader))
        assert batch.metadata() == shop.metadata()
        item = batch["item"]
        assert torch.equal(
            item.price, torch.from_numpy(shop.node_column("price", "item")[item.n_id])
        )
        assert batch["user"].batch_size == 8
    with pytest.raises(gls.Unsupported, match="callable"):
        loader([0])


def test_input_nodes_of_datasets(graph: Any, dataset: gls.Dataset, shop: gls.Dataset) -> None:
    def seeds(of: gls.Dataset, input_nodes: Any, node_type: Any = None) -> List[int]:
        out: List[int] = []
        for batch in NeighborLoader(of, [1], input_nodes, batch_size=64):
            store = batch if node_type is None else batch[node_type]
            out += store.n_id[: store.batch_size].tolist()
        return out

    train = graph.train.tolist()
    mask = np.zeros(200, bool)
    mask[graph.train] = True
    every = list(range(200))
    for given, expected in (
        (None, every),
        ("train", train),
        (mask, train),
        (train, train),
        ([], []),
        ("node", every),
        (("node", None), every),
        (("node", "train"), train),
        (("node", mask), train),
        (("node", [5, 3]), [5, 3]),
        (["node", [5, 3]], [5, 3]),
    ):
        assert seeds(dataset, given) == expected, given
    builder = gls.DatasetBuilder()
    for relation in ("cites", "likes"):  # one node type, but PyG's data is heterogeneous
        builder.add_edges(("paper", relation, "paper"), [[0, 1, 2], [1, 2, 3]])
    builder.add_id_set("paper", "train", [3, 1])
    papers = builder.build()
    for given, expected in (
        (None, [0, 1, 2, 3]),
        ("paper", [0, 1, 2, 3]),
        ("train", [3, 1]),
        (("paper", "train"), [3, 1]),
        ([2, 0], [2, 0]),
    ):
        assert seeds(papers, given, "paper") == expected, given
    assert seeds(shop, "shop", "shop") == list(range(7))
    with pytest.raises(gls.InvalidArgument, match="input_nodes: expected a node type"):
        NeighborLoader(shop, [1])
    with pytest.raises(gls.NotFound, match="nothing"):
        NeighborLoader(dataset, [1], "nothing")
    with pytest.raises(gls.NotFound, match="authors"):
        NeighborLoader(dataset, [1], ("authors", [1]))


def test_input_nodes_that_are_wrong(data: Data, hetero: HeteroData, dataset: gls.Dataset) -> None:
    with pytest.raises(gls.InvalidArgument, match="input_nodes: expected nodes alone"):
        NeighborLoader(data, [2], ("node", [1, 2]))
    with pytest.raises(gls.InvalidArgument, match="input_nodes: expected a node type"):
        NeighborLoader(hetero, [2], [1, 2, 3])
    short = torch.ones(7, dtype=torch.bool)
    for of, given, count in (
        (data, short, 120),
        (hetero, ("author", short), 40),
        (dataset, short, 200),
    ):
        with pytest.raises(
            gls.InvalidArgument, match=rf"mask of shape \[7\], expected \[{count}\]"
        ):
            NeighborLoader(of, [2], given)


def test_input_ids_are_counted(data: Data, hetero: HeteroData, dataset: gls.Dataset) -> None:
    ids = torch.arange(100, 105)
    for of, given, count in (
        (data, None, 120),
        (data, [1, 2], 2),
        (data, data.train_mask, int(data.train_mask.sum())),
        (hetero, "paper", 90),
        (hetero, ("author", None), 40),
        (dataset, "train", dataset.id_sets()["train"]),
        (dataset, None, 200),
    ):
        with pytest.raises(gls.InvalidArgument, match=f"input_id: 5 entries for {count} input"):
            NeighborLoader(of, [2], given, input_id=ids)
    count = dataset.id_sets()["train"]
    loader = NeighborLoader(dataset, [2], "train", input_id=torch.arange(count) + 7, batch_size=4)
    assert torch.cat([batch.input_id for batch in loader]).tolist() == list(range(7, count + 7))


def test_the_negative_bit_is_not_lost(data: Data) -> None:
    marked = copy.copy(data)
    marked.x = torch.randn(120, 3, dtype=torch.complex64).conj().imag
    marked.weight = torch.complex(torch.zeros(700), torch.arange(700) % 2 - 1.0).conj().imag
    assert marked.x.is_neg() and marked.weight.is_neg()
    expected = marked.x.resolve_neg()
    loader = NeighborLoader(marked, [2], batch_size=50, weight_attr="weight")
    for batch in loader:
        assert torch.equal(batch.x, expected[batch.n_id])
        assert (batch.e_id % 2 == 0).all() and (batch.weight == 1).all()
    got = loader([3, 4])
    assert torch.equal(got.x, expected[got.n_id])


def test_loaders_are_not_pickled(data: Data) -> None:
    with pytest.raises(TypeError, match="cannot pickle or copy a gls.pyg.NeighborLoader: make it"):
        pickle.dumps(NeighborLoader(data, [2]))


def test_disjoint(data: Data, hetero: HeteroData) -> None:
    batch = next(iter(NeighborLoader(data, [3, 3], batch_size=4, disjoint=True)))
    assert batch.batch[:4].tolist() == [0, 1, 2, 3] and len(batch.batch) == len(batch.n_id)
    ends = batch.batch[batch.edge_index]
    assert torch.equal(ends[0], ends[1])
    batch = next(iter(NeighborLoader(hetero, [3, 3], "paper", batch_size=4, disjoint=True)))
    for store in batch.node_stores:
        assert len(store.batch) == len(store.n_id)


def test_weights(data: Data, hetero: HeteroData) -> None:
    weighted = copy.copy(data)
    weighted.weight = (torch.arange(700) % 2).float()
    for batch in NeighborLoader(weighted, [5, 5], weight_attr="weight", batch_size=16):
        assert (batch.e_id % 2 == 1).all() and (batch.weight == 1).all()
    for bad in ("x", "title", "nothing"):
        with pytest.raises(gls.Error):
            NeighborLoader(data, [5], weight_attr=bad)
    many = copy.copy(hetero)
    for edge_type in many.edge_types:
        count = many[edge_type].edge_index.shape[1]
        many[edge_type].w = (torch.arange(count) % 2).float()
    batch = next(iter(NeighborLoader(many, [5, 5], "paper", weight_attr="w", batch_size=16)))
    for store in batch.edge_stores:
        assert (store.e_id % 2 == 1).all()


def test_repeated_seeds_share_a_node(data: Data) -> None:
    batch = next(iter(NeighborLoader(data, [2], torch.tensor([7, 9, 7]), batch_size=3)))
    assert batch.batch_size == 2 and batch.input_id.tolist() == [0, 1, 2]
    assert batch.n_id[:2].tolist() == [7, 9]
    assert batch.seed.tolist() == [0, 1, 0]


@pytest.mark.parametrize("disjoint", [False, True])
def test_outputs_are_joined_with_what_was_given(
    data: Data, hetero: HeteroData, dataset: gls.Dataset, disjoint: bool
) -> None:
    """Each row of out[seed] is of the node that input_id names, however often seeds repeat."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(0, 12, (50,), generator=generator)
    labels = torch.randn(50, generator=generator)
    options: Dict[str, Any] = {"batch_size": 16, "shuffle": True, "disjoint": disjoint, "seed": 2}
    for of, nodes, kind in (
        (data, ids, None),
        (hetero, ("paper", ids), "paper"),
        (dataset, ids, None),
    ):
        loader = NeighborLoader(of, [2, 2], nodes, **options)
        batches = [*loader, loader([3, 3, 8])] if of is not dataset else list(loader)
        met = []
        for batch in batches:
            store = batch if kind is None else batch[kind]
            assert torch.equal(store.n_id[store.seed], ids[store.input_id])
            assert len(labels[store.input_id]) == len(store.seed)
            assert store.seed.max() < store.batch_size
            met += store.input_id.tolist()
        assert sorted(met[:50]) == list(range(50))
    own = copy.copy(data)
    own.seed = 4
    assert next(iter(NeighborLoader(own, [2], ids))).seed == 4  # as of n_id and e_id
    for batch in HGTLoader(hetero, [4, 4], ("paper", ids), batch_size=16):
        assert torch.equal(batch["paper"].n_id[batch["paper"].seed], ids[batch["paper"].input_id])


def test_node_types_that_edges_alone_name() -> None:
    def graph() -> HeteroData:
        made = HeteroData()
        made["author"].x = torch.arange(6.0)
        ends = torch.stack([torch.arange(12) % 6, torch.arange(12) % 5])
        made["author", "writes", "paper"].edge_index = ends
        made["paper", "rev_writes", "author"].edge_index = ends.flip(0)
        return made

    made = graph()
    assert made.node_types == ["author"]
    for input_nodes in ("author", ("paper", torch.arange(5))):
        loader = NeighborLoader(made, [-1, -1], input_nodes, batch_size=4)
        for batch in loader:
            paper = batch["paper"]
            for key in made.edge_types:
                store = batch[key]
                ends = [batch[end].n_id[row] for end, row in zip(key[::2], store.edge_index)]
                assert torch.equal(torch.stack(ends), made[key].edge_index[:, store.e_id])
            assert len(paper.n_id) == sum(paper.num_sampled_nodes) and "x" not in paper
    for batch in LinkNeighborLoader(made, [-1], ("author", "writes", "paper"), batch_size=4):
        assert "n_id" in batch["paper"]
    for batch in HGTLoader(made, [3], "author", batch_size=4):
        assert "n_id" in batch["paper"]
    assert made.node_types == ["author"]
    loader = NeighborLoader(made, [-1], "author", batch_size=4)
    made["paper"].year = torch.arange(5)
    for batch in loader:
        assert torch.equal(batch["paper"].year, batch["paper"].n_id)


def test_trim_to_layer(data: Data) -> None:
    torch.manual_seed(0)
    convs = [SAGEConv(8, 8), SAGEConv(8, 8)]
    for batch in NeighborLoader(data, [4, 4], batch_size=16):
        whole = trimmed = batch.x
        edge_index = batch.edge_index
        for layer, conv in enumerate(convs):
            whole = conv(whole, batch.edge_index)
            trimmed, edge_index, _ = trim_to_layer(
                layer, batch.num_sampled_nodes, batch.num_sampled_edges, trimmed, edge_index
            )
            trimmed = conv(trimmed, edge_index)
        seeds = batch.batch_size
        assert torch.allclose(whole[:seeds], trimmed[:seeds], atol=1e-5)


def test_transforms_and_calls(data: Data) -> None:
    def transform(batch: Data) -> Data:
        batch.seen = True
        return batch

    ids = torch.tensor([5, 9, 1])
    loader = NeighborLoader(data, [-1, -1], ids, transform=transform, batch_size=2)
    assert all(batch.seen for batch in loader)
    batch = loader([2, 0])
    assert batch.seen and batch.n_id[:2].tolist() == [1, 5] and batch.input_id.tolist() == [2, 0]
    expected = pyg_batches(data, torch.tensor([1, 5]))[0]
    got = batch.to_dict()
    for name in ("x", "edge_attr", "columns", "n_id", "e_id", "edge_index", "num_sampled_nodes"):
        same(got[name], expected.to_dict()[name], name)
    assert (
        loader.batch_size == 2 and len(loader.dataset) == 3 and repr(loader) == "NeighborLoader()"
    )


def first_nodes(data: Data, **options: Any) -> List[int]:
    loader = NeighborLoader(data, [2], shuffle=True, batch_size=20, **options)
    out: List[int] = next(iter(loader)).n_id.tolist()
    return out


def test_seeds_are_drawn_from_torch(data: Data) -> None:
    def two(**options: Any) -> List[List[int]]:
        return [first_nodes(data, **options) for _ in range(2)]

    torch.manual_seed(5)
    five = two()
    assert five[0] != five[1]  # loaders made anew in each epoch differ
    torch.manual_seed(6)
    assert first_nodes(data) not in five
    torch.manual_seed(5)
    assert two() == five
    generator = torch.Generator().manual_seed(5)
    before = torch.get_rng_state()
    assert two(generator=generator) == five
    assert torch.equal(torch.get_rng_state(), before)
    expected = first_nodes(data, seed=5)
    assert two(seed=5) == [expected] * 2 == two(seed=5, generator=generator)
    assert torch.equal(torch.get_rng_state(), before)


def test_trainers_have_one_seed(data: Data) -> None:
    """Also when one of them has drawn more random numbers than another."""
    every: Any = {"shuffle": True, "batch_size": 16}
    for options in ({}, {"generator": torch.Generator().manual_seed(9)}):
        parts = []
        for rank in range(3):
            torch.manual_seed(5)
            torch.rand(rank)
            loader = NeighborLoader(data, [2], rank=rank, world_size=3, **every, **options)
            parts.append([batch.n_id.tolist() for batch in loader])
        seed = 9 if options else 5
        whole = [b.n_id.tolist() for b in NeighborLoader(data, [2], seed=seed, **every)]
        assert [whole[rank::3] for rank in range(3)] == parts


def test_ranks_found_elsewhere(data: Data, monkeypatch: Any) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    torch.manual_seed(5)
    assert first_nodes(data, rank="env") == first_nodes(data, rank=1, world_size=2, seed=5)
    assert first_nodes(data, rank=None) != first_nodes(data, rank=None)  # the only trainer


def test_resuming(data: Data) -> None:
    def make() -> NeighborLoader:
        return NeighborLoader(data, [3], shuffle=True, batch_size=20, seed=1, num_workers=2)

    loader = make()
    batches = iter(loader)
    next(batches)
    state = loader.state_dict()
    rest = [batch.n_id.tolist() for batch in batches]
    other = make()
    other.load_state_dict(state)
    assert [batch.n_id.tolist() for batch in other] == rest
    other.set_epoch(0)
    assert [batch.n_id.tolist() for batch in other][1:] == rest
    assert other.stats.batches > 0
    other.close()


@pytest.mark.parametrize(
    "arguments",
    [
        {"neighbor_sampler": object()},
        {"collate_fn": print},
        {"custom_cls": Data},
    ],
    ids=lambda arguments: next(iter(arguments)),
)
def test_refused_arguments_say_why(data: Data, arguments: Any) -> None:
    with pytest.raises(gls.Unsupported) as caught:
        NeighborLoader(data, [2], **arguments)
    name = next(iter(arguments))
    assert str(caught.value).startswith(f"{name}: ")


def test_other_refusals(data: Data) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'batchsize'"):
        NeighborLoader(data, [2], batchsize=5)
    with pytest.raises(gls.Unsupported, match="FeatureStore"):
        NeighborLoader((1, 2), [2])  # type: ignore[arg-type]
    listed = copy.copy(data)
    listed.names = ["a"] * 120
    with pytest.raises(gls.Unsupported, match="'names' is a list"):
        NeighborLoader(listed, [2])
    with pytest.raises(gls.Unsupported, match="edge_index"):
        NeighborLoader(Data(x=torch.ones(3, 1)), [2])
    with pytest.raises(gls.InvalidArgument, match="input_id"):
        NeighborLoader(data, [2], torch.tensor([1, 2]), input_id=torch.tensor([1]))
    on_device = copy.copy(data)
    on_device.x = torch.ones(120, 1, device="meta")
    with pytest.raises(gls.Unsupported, match="on meta"):
        NeighborLoader(on_device, [2])


def test_accepted_without_effect(data: Data) -> None:
    plain = [b.n_id.tolist() for b in NeighborLoader(data, [2], batch_size=50, seed=0)]
    options: Dict[str, Any] = {
        "is_sorted": True,
        "filter_per_worker": True,
        "persistent_workers": True,
        "num_workers": 2,
        "prefetch_factor": 3,
        "pin_memory": True,
        "timeout": 0,
    }
    loader = NeighborLoader(data, [2], batch_size=50, seed=0, **options)
    assert [b.n_id.tolist() for b in loader] == plain


# ---- picking by layer --------------------------------------------------------------------------


def test_layers_have_fewer_nodes(data: Data) -> None:
    def nodes(**options: Any) -> int:
        loader = NeighborLoader(data, [2, 2], batch_size=50, seed=1, **options)
        return sum(out.num_nodes for out in loader)

    layer = nodes(pick="layer")
    assert layer < nodes()
    assert nodes(pick="layer", batch_dependency=1) == layer
    assert nodes(pick="layer", layer_dependent=True) != layer


# ---- times and induced subgraphs ---------------------------------------------------------------


def edges_of(out: Any) -> "set[tuple[int, int]]":
    ends = out.n_id[out.edge_index]
    return set(zip(ends[0].tolist(), ends[1].tolist()))


@pytest.mark.parametrize("arguments", [{"subgraph_type": "induced"}, {"directed": False}])
def test_induced_subgraphs_are_those_of_pyg(data: Data, arguments: Any) -> None:
    loader = NeighborLoader(data, [3, 2], torch.arange(40), batch_size=10, **arguments)
    for out in loader:
        expected = subgraph(out.n_id, data.edge_index, num_nodes=data.num_nodes)[0]
        assert edges_of(out) == set(zip(*expected.tolist()))
        assert out.edge_index.size(1) == expected.size(1)
        assert torch.equal(out.n_id[out.edge_index], data.edge_index[:, out.e_id])


@pytest.mark.filterwarnings("ignore:Cannot convert to bidirectional")  # author, at, place
def test_both_directions_are_those_of_pyg(data: Data, hetero: HeteroData) -> None:
    options: Dict[str, Any] = {"batch_size": 10, "seed": 3}
    picked = NeighborLoader(data, [3, 2], torch.arange(40), **options)
    loader = NeighborLoader(
        data, [3, 2], torch.arange(40), subgraph_type="bidirectional", **options
    )
    for out, one_way in zip(loader, picked):
        assert torch.equal(out.n_id, one_way.n_id)
        expected = SamplerOutput(one_way.n_id, *one_way.edge_index, one_way.e_id).to_bidirectional()
        assert torch.equal(out.edge_index, torch.stack([expected.row, expected.col]))
        ends, stored = out.n_id[out.edge_index], data.edge_index[:, out.e_id]
        assert torch.all((ends == stored).all(0) | (ends.flip(0) == stored).all(0))
        assert data.edge_attr is not None
        assert torch.equal(out.edge_attr, data.edge_attr[out.e_id])
    fanouts = {edge_type: [2, 2] for edge_type in hetero.edge_types}
    typed = NeighborLoader(hetero, fanouts, "paper", subgraph_type="bidirectional", **options)
    for mine, one_way in zip(typed, NeighborLoader(hetero, fanouts, "paper", **options)):
        stores = one_way.edge_index_dict
        expected = HeteroSamplerOutput(
            one_way.n_id_dict,
            {edge_type: index[0] for edge_type, index in stores.items()},
            {edge_type: index[1] for edge_type, index in stores.items()},
            one_way.e_id_dict,
        ).to_bidirectional()
        for edge_type, index in mine.edge_index_dict.items():
            ends = torch.stack([expected.col[edge_type], expected.row[edge_type]])
            ordered = torch.unique(ends, dim=1).flip(0)  # PyG's is not in order of the targets
            assert torch.equal(index, ordered), edge_type


@pytest.fixture
def timed(data: Data) -> Data:
    out = data.clone()
    generator = torch.Generator().manual_seed(5)
    out.when = torch.randint(0, 50, (data.num_nodes,), generator=generator)
    out.at = torch.randint(0, 50, (data.num_edges,), generator=generator)
    return out


def test_times_of_nodes(timed: Data) -> None:
    loader = NeighborLoader(timed, [-1, -1], batch_size=12, time_attr="when")
    for out in loader:
        assert torch.equal(out.seed_time, timed.when[out.input_id])
        neighbours = out.edge_index[0]
        assert torch.all(out.when[neighbours] <= out.seed_time[out.batch[neighbours]])
        assert torch.all(out.batch[out.edge_index[0]] == out.batch[out.edge_index[1]])
    # One hop of all neighbours is exactly those that are early enough.
    for out in NeighborLoader(timed, [-1], batch_size=1, time_attr="when"):
        row, col = timed.edge_index
        wanted = (col == out.input_id) & (timed.when[row] <= out.seed_time)
        assert sorted(out.e_id.tolist()) == wanted.nonzero().view(-1).tolist()


@pytest.mark.parametrize("strategy", ["uniform", "last"])
def test_times_of_edges(timed: Data, strategy: str) -> None:
    times = torch.full((120,), 25)
    loader = NeighborLoader(
        timed, [3], batch_size=1, time_attr="at", input_time=times, temporal_strategy=strategy
    )
    row, col = timed.edge_index
    for out in loader:
        early = ((col == out.input_id) & (timed.at <= 25)).nonzero().view(-1)
        assert len(out.e_id) == min(3, len(early))
        assert set(out.e_id.tolist()) <= set(early.tolist())
        if strategy == "last":
            latest = sorted(early.tolist(), key=lambda e: (int(timed.at[e]), e))[-3:]
            assert sorted(out.e_id.tolist()) == sorted(latest)
    out = loader([7, 3])
    assert out.seed_time.tolist() == [25, 25]
    assert out.input_id.tolist() == [7, 3]


def test_a_call_takes_the_times_of_the_nodes(timed: Data) -> None:
    loader = NeighborLoader(timed, [2], torch.tensor([5, 9, 1]), time_attr="when")
    assert loader([2, 0]).seed_time.tolist() == timed.when[[1, 5]].tolist()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"time_attr": "none"}, "neither of nodes nor of edges"),
        ({"time_attr": "at"}, "none are given"),
        ({"input_time": torch.arange(120)}, "there is no time_attr"),
        ({"time_attr": "when", "input_time": torch.arange(3)}, "3 for 120 seeds"),
        ({"time_attr": "x"}, "expected one integer per row"),
    ],
)
def test_times_that_do_not_fit(timed: Data, arguments: Any, message: str) -> None:
    with pytest.raises(gls.InvalidArgument, match=message):
        NeighborLoader(timed, [2], **arguments)


def test_times_by_type() -> None:
    hetero = HeteroData()
    hetero["user"].num_nodes = 6
    hetero["item"].x = torch.arange(8.0).view(8, 1)
    hetero["item"].when = torch.tensor([4, 1, 7, 3, 9, 0, 5, 2])
    ends = torch.stack([torch.arange(24) % 8, torch.arange(24) % 6])
    hetero["item", "bought", "user"].edge_index = ends
    loader = NeighborLoader(
        hetero, [-1], ("user", None), batch_size=6, time_attr="when", input_time=torch.arange(6)
    )
    (out,) = loader
    assert out["user"].seed_time.tolist() == list(range(6))
    row, col = out["item", "bought", "user"].edge_index
    assert torch.all(out["item"].when[row] <= out["user"].seed_time[out["user"].batch[col]])
    early = hetero["item"].when[ends[0]] <= ends[1]
    assert len(row) == int(early.sum())


# ---- seeds of several types --------------------------------------------------------------------


def test_seeds_of_several_types(hetero: HeteroData) -> None:
    papers, mask = torch.tensor([5, 80, 3, 5, 17]), hetero["author"].train_mask
    authors = mask.nonzero().view(-1)
    seeds = {"author": mask, "paper": papers}
    options: Dict[str, Any] = {"batch_size": 4, "shuffle": True, "seed": 6}
    loader = NeighborLoader(hetero, [2, 2], seeds, **options)
    assert len(loader) == -(-(5 + len(authors)) // 4)
    for epoch in range(2):
        seen: Dict[str, List[int]] = {"author": [], "paper": []}
        for batch in loader:
            assert isinstance(batch, HeteroData)
            in_all = 0
            for name in seen:
                store = batch[name]
                nodes = store.n_id[store.seed]
                # A mask names nodes; a list has positions.
                wanted = store.input_id if name == "author" else papers[store.input_id]
                assert torch.equal(nodes, wanted)
                assert store.batch_size == len(nodes.unique())
                assert torch.equal(store.x, hetero[name].x[store.n_id])
                seen[name] += store.input_id.tolist()
                in_all += len(store.input_id)
            assert in_all <= 4 and "input_id" not in batch["place"]
        assert sorted(seen["author"]) == authors.tolist()
        assert sorted(seen["paper"]) == list(range(5))
    state, positions = None, []
    first = NeighborLoader(hetero, [2, 2], seeds, **options)
    for number, batch in enumerate(first):
        positions.append(batch["paper"].input_id.tolist())
        if number == 1:
            state = first.state_dict()
    second = NeighborLoader(hetero, [2, 2], seeds, **options)
    assert state is not None
    second.load_state_dict(state)
    assert [batch["paper"].input_id.tolist() for batch in second] == positions[2:]


def test_seeds_of_several_types_have_times(hetero: HeteroData) -> None:
    data = copy.copy(hetero)
    data["paper"].since = torch.arange(90)
    seeds = {"author": torch.arange(6), "paper": torch.arange(4)}
    times = {"author": torch.arange(6) + 40, "paper": torch.arange(4) + 10}
    loader = NeighborLoader(
        data, [3], seeds, input_time=times, time_attr="since", batch_size=10, seed=1
    )
    (batch,) = loader
    for name, own in times.items():
        assert torch.equal(batch[name].seed_time, own[batch[name].input_id])
    # Each seed has a tree, numbered type by type in the order of the dataset's types.
    trees = torch.cat([batch[name].batch[batch[name].seed] for name in ("paper", "author")])
    assert torch.equal(trees, torch.arange(10))
    tree_time = torch.cat([batch[name].seed_time for name in ("paper", "author")])
    paper = batch["paper"]
    found = ~torch.isin(torch.arange(len(paper.n_id)), paper.seed)
    assert found.any() and (paper.since <= tree_time[paper.batch])[found].all()


def test_seeds_of_several_types_refuse(data: Data, hetero: HeteroData) -> None:
    seeds = {"author": None, "paper": torch.arange(4)}

    def refused(error: Any, match: str, **options: Any) -> None:
        with pytest.raises(error, match=match):
            NeighborLoader(hetero, [2], **{"input_nodes": seeds, **options})

    refused(gls.Unsupported, "pad", pad=True)
    refused(gls.Unsupported, "input_id", input_id=torch.arange(44))
    refused(gls.Unsupported, "sampler", sampler=[1, 2, 3])
    refused(gls.Unsupported, "transform_sampler_output", transform_sampler_output=lambda out: out)
    refused(gls.InvalidArgument, "a mapping without a type", input_nodes={})
    refused(gls.Error, "none", input_nodes={"none": None, "paper": None})
    with pytest.raises(gls.InvalidArgument, match="Data has nodes of one type"):
        NeighborLoader(data, [2], {"a": None, "b": None})
    loader = NeighborLoader(hetero, [2], seeds, batch_size=4)
    with pytest.raises(gls.Unsupported, match="several types"):
        loader(torch.arange(3))
    alone = NeighborLoader(hetero, [2], {"paper": torch.arange(4)}, batch_size=4, seed=1)
    usual = NeighborLoader(hetero, [2], ("paper", torch.arange(4)), batch_size=4, seed=1)
    for one, other in zip(alone, usual):
        same(one.to_dict(), other.to_dict())
