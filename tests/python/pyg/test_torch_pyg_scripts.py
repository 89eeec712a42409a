"""What scripts written for PyG do with its loaders, beyond iterating over them."""

from __future__ import annotations

import copy
import warnings
from typing import Any, Dict, List

import numpy as np
import pytest
import torch
from pyg_whole import HOPS, WholeNeighbourhoods, same
from torch_geometric import loader as pyg
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import ImbalancedSampler, LinkLoader, NodeLoader, ZipLoader
from torch_geometric.nn import SAGEConv
from torch_geometric.sampler import NegativeSampling

import gls
from gls.pyg import HGTLoader, LinkNeighborLoader, NeighborLoader, NeighborSampler

WRITES, WRITTEN = ("author", "writes", "paper"), ("paper", "rev_writes", "author")


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(1)
    made = Data(x=torch.randn(60, 4), edge_index=torch.randint(0, 60, (2, 400)))
    made.y = (torch.arange(60) % 10 == 0).long()
    made.edge_attr = torch.randn(400, 2)
    made.at = torch.randint(0, 50, (60,))
    return made


@pytest.fixture(scope="module")
def hetero() -> HeteroData:
    torch.manual_seed(2)
    made = HeteroData()
    made["paper"].x, made["author"].x = torch.randn(40, 3), torch.randn(20, 2)
    ends = torch.stack([torch.randint(0, 20, (150,)), torch.randint(0, 40, (150,))])
    made[WRITES].edge_index, made[WRITTEN].edge_index = ends, ends.flip(0)
    made[WRITES].edge_attr = torch.randn(150, 2)
    return made


# ---- options of GLS that PyG has not ----------------------------------------------------------------


def edges_of(batch: Any) -> "set[int]":
    return set(batch.e_id.tolist())


def test_excluded_edges_are_in_no_batch(data: Data) -> None:
    gone = torch.arange(0, 400, 3)
    for made in (
        NeighborLoader(data, [-1, -1], batch_size=20, exclude=gone),
        LinkNeighborLoader(data, [-1, -1], batch_size=20, exclude=gone),
        HGTLoader(data, [5000], batch_size=20, exclude=gone),
    ):
        for batch in [*made, made([1, 2, 3])]:
            assert edges_of(batch) and not edges_of(batch) & set(gone.tolist())
    for subgraphs in (
        gls.pyg.GraphSAINTNodeSampler(data, 30, 3, exclude=gone),
        gls.pyg.GraphSAINTRandomWalkSampler(data, 9, 3, 3, exclude=gone),
        gls.pyg.ClusterLoader(data, torch.arange(60) // 30, exclude=gone),
    ):
        for batch in subgraphs:
            assert edges_of(batch) and not edges_of(batch) & set(gone.tolist())


def test_exclusion_takes_reverses_along(hetero: HeteroData) -> None:
    gone = {WRITES: torch.arange(75)}
    made = NeighborLoader(
        hetero, [-1, -1], "paper", batch_size=40, exclude=gone, exclude_mode="reverse_types",
        reverse_types={WRITES: WRITTEN},
    )  # fmt: skip
    (batch,) = made
    for edge_type in (WRITES, WRITTEN):
        assert sorted(batch[edge_type].e_id.tolist()) == list(range(75, 150))
    with pytest.raises(gls.InvalidArgument, match="exclude_mode"):
        NeighborLoader(
            hetero, [2], "paper", exclude_mode="reverse_types", reverse_types={WRITES: WRITTEN}
        )
    with pytest.raises(gls.InvalidArgument, match="exclude_mode"):
        LinkNeighborLoader(
            hetero, [2], WRITES, exclude_mode="reverse_types", reverse_types={WRITES: WRITTEN}
        )


def test_times_are_strict_and_in_a_window(data: Data) -> None:
    made = NeighborLoader(
        data, [-1, -1], batch_size=7, time_attr="at", time_strict=True, time_window=9
    )
    links = LinkNeighborLoader(
        data, [-1, -1], batch_size=7, edge_label_time=torch.full((400,), 30), time_attr="at",
        time_strict=True, time_window=9,
    )  # fmt: skip
    for batch in made:
        row, col = batch.edge_index
        time = batch.seed_time[batch.batch[row]]
        assert bool(((batch.at[row] < time) & (batch.at[row] >= time - 9)).all())
    count = 0
    for batch in links:
        row = batch.edge_index[0]
        assert bool(((batch.at[row] < 30) & (batch.at[row] >= 21)).all())
        count += len(row)
    assert count > 0
    with pytest.raises(gls.InvalidArgument, match="time_window: there is no time_attr"):
        NeighborLoader(data, [2], time_window=3)
    with pytest.raises(gls.InvalidArgument, match="time_strict: there is no time_attr"):
        LinkNeighborLoader(data, [2], time_strict=True)


def test_seeds_are_drawn_by_a_rule(data: Data) -> None:
    weighted = copy.copy(data)
    weighted.heavy = (torch.arange(60) < 5).float()
    weighted.group = torch.arange(60) // 20
    made = NeighborLoader(weighted, [2], batch_size=8, seed_rule=gls.DrawnSeeds(6, weight="heavy"))
    assert len(made) == 6
    for batch in made:
        assert len(batch.input_id) == 8 and int(batch.input_id.max()) < 5
    groups = NeighborLoader(weighted, [2], batch_size=1, seed_rule=gls.ClusteredSeeds("group"))
    assert [batch.batch_size for batch in groups] == [20] * 3
    weighted.likely = (torch.arange(400) == 7).float()
    links = LinkNeighborLoader(
        weighted, [2], batch_size=4, seed_rule=gls.DrawnSeeds(2, weight="likely")
    )
    assert [batch.input_id.tolist() for batch in links] == [[7] * 4] * 2


# ---- arguments of DataLoader ------------------------------------------------------------------------


def test_arguments_for_workers_are_ignored_with_one_warning(data: Data) -> None:
    plain = [batch.n_id.tolist() for batch in NeighborLoader(data, [2], batch_size=20, seed=0)]
    given: Dict[str, Any] = {
        "worker_init_fn": print,
        "multiprocessing_context": "fork",
        "pin_memory_device": "cuda",
        "in_order": False,
        "timeout": 5,
    }
    named = "in_order, multiprocessing_context, pin_memory_device, timeout, worker_init_fn"
    with pytest.warns(UserWarning) as caught:
        made = NeighborLoader(data, [2], batch_size=20, seed=0, **given)
    assert [str(one.message).split(":")[0] for one in caught] == [f"NeighborLoader ignores {named}"]
    assert caught[0].filename == __file__
    assert [batch.n_id.tolist() for batch in made] == plain
    with pytest.warns(UserWarning, match="LinkNeighborLoader ignores timeout"):
        LinkNeighborLoader(data, [2], timeout=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NeighborLoader(
            data, [2], timeout=0, in_order=True, worker_init_fn=None, pin_memory_device=""
        )


def ids(batches: Any) -> List[List[int]]:
    return [batch.n_id.tolist() for batch in batches]


def test_two_iterators_of_one_loader(data: Data) -> None:
    def make() -> NeighborLoader:
        return NeighborLoader(data, [2], batch_size=16, shuffle=True, seed=3)

    alone = make()
    expected = [ids(alone) for _ in range(5)]
    made = make()
    zipped = [(a.n_id.tolist(), b.n_id.tolist()) for a, b in zip(made, made)]
    assert zipped == list(zip(expected[0], expected[1]))
    first = iter(made)
    begun = ids([next(first), next(first)])
    assert ids(made) == expected[3]
    assert begun + ids(first) == expected[2]
    assert ids(first) == []
    nested = make()
    outer, inner = [], []
    for batch in nested:
        outer.append(batch.n_id.tolist())
        inner.append(ids(nested))
    assert outer == expected[0] and inner == expected[1:]


def test_an_iterator_goes_on_from_a_restored_position(data: Data) -> None:
    whole = ids(NeighborLoader(data, [2], batch_size=16, seed=3))
    made = NeighborLoader(data, [2], batch_size=16, seed=3)
    next(iter(made))
    resumed = NeighborLoader(data, [2], batch_size=16, seed=3)
    resumed.load_state_dict(made.state_dict())
    rest = iter(resumed)
    iter(resumed)
    assert ids(rest) == whole[1:]


def test_set_epoch_ends_an_iterator(data: Data) -> None:
    made = NeighborLoader(data, [2], batch_size=16)
    first = iter(made)
    next(first)
    made.set_epoch(5)
    with pytest.raises(gls.InvalidState):
        next(first)
    iter(made)  # of which the other is no part
    with pytest.raises(gls.InvalidState):
        next(first)


def test_two_iterators_of_other_loaders(data: Data) -> None:
    for make in (
        lambda: LinkNeighborLoader(data, [2], batch_size=100, seed=3, neg_sampling="binary"),
        lambda: HGTLoader(data, [6], batch_size=20, seed=3),
        lambda: gls.pyg.GraphSAINTNodeSampler(data, 12, 4, seed=3),
        lambda: gls.pyg.ClusterLoader(data, torch.arange(60) // 15, seed=3),
    ):
        alone = make()
        expected = [ids(alone), ids(alone)]
        made = make()
        first = iter(made)
        begun = ids([next(first)])
        second = iter(made)
        assert ids(second) == expected[1] and begun + ids(first) == expected[0]


@pytest.mark.parametrize("disjoint", [False, True])
def test_no_hops_are_just_the_seeds(data: Data, hetero: HeteroData, disjoint: bool) -> None:
    made = NeighborLoader(data, [], batch_size=25, disjoint=disjoint)
    for batch in [*made, made([3, 4])]:
        assert batch.n_id.tolist() == batch.input_id.tolist()
        assert batch.edge_index.shape == (2, 0) and batch.e_id.numel() == 0
        assert batch.num_sampled_nodes == [len(batch.input_id)] and batch.num_sampled_edges == []
        assert torch.equal(batch.x, data.x[batch.n_id])
    typed = NeighborLoader(hetero, {key: [] for key in hetero.edge_types}, "paper", batch_size=25)
    for batch in typed:
        assert batch["paper"].num_sampled_nodes == [len(batch["paper"].input_id)]
        assert batch["author"].num_sampled_nodes == [0] and batch[WRITES].num_sampled_edges == []
    (links,) = LinkNeighborLoader(data, [], batch_size=400)
    assert links.edge_index.shape == (2, 0) and links.num_sampled_edges == []
    assert torch.equal(links.n_id[links.edge_label_index], data.edge_index)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32])
def test_ids_of_any_integer_type_and_as_columns(data: Data, dtype: torch.dtype) -> None:
    narrow = Data(x=data.x, edge_index=data.edge_index.to(dtype), at=data.at.to(dtype))
    seeds = torch.tensor([5, 9, 33])
    for wide, given in (
        (seeds, seeds.to(dtype)),
        (seeds, seeds.to(dtype).view(-1, 1)),
        (seeds, seeds.to(dtype).numpy()),
        (data.y.bool(), data.y.bool().view(-1, 1)),
    ):
        expected = NeighborLoader(data, [3, 2], wide, seed=1, batch_size=4)
        got = NeighborLoader(narrow, [3, 2], given, seed=1, batch_size=4)
        for one, other in zip(got, expected):
            assert torch.equal(one.n_id, other.n_id) and torch.equal(one.e_id, other.e_id)
            assert torch.equal(one.at, narrow.at[one.n_id]) and one.at.dtype == dtype
            assert torch.equal(one.input_id, other.input_id)
    times = torch.full((3,), 25)
    timed = [
        NeighborLoader(of, [3], seeds, input_time=time, time_attr="at", seed=1, batch_size=3)
        for of, time in ((data, times), (narrow, times.to(dtype).view(-1, 1)))
    ]
    assert ids(timed[0]) == ids(timed[1])
    links = data.edge_index[:, :30]
    by_pairs = [
        LinkNeighborLoader(of, [3], given, seed=1, batch_size=30)
        for of, given in ((data, links), (narrow, links.to(dtype)))
    ]
    assert ids(by_pairs[0]) == ids(by_pairs[1])
    if dtype != torch.int8:
        chosen = torch.tensor([3, 200, 7])
        by_ids = [
            LinkNeighborLoader(data, [3], given, seed=1, batch_size=3)
            for given in (chosen, chosen.to(dtype).view(-1, 1))
        ]
        assert ids(by_ids[0]) == ids(by_ids[1])


def test_attributes_of_any_integer_type(data: Data) -> None:
    made = Data(edge_index=data.edge_index, num_nodes=60)
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.bool, torch.float16):
        setattr(made, f"a_{str(dtype)[6:]}", (torch.arange(120) % 100).view(60, 2).to(dtype))
        setattr(made, f"e_{str(dtype)[6:]}", (torch.arange(400) % 100).to(dtype))
    for dtype in (np.int16, np.uint16, np.uint32, np.uint64):
        setattr(made, f"array_{dtype.__name__}", np.arange(180, dtype=dtype).reshape(60, 3))
    loader = NeighborLoader(made, [3], batch_size=20)
    for batch in [*loader, *NeighborLoader(made, [3], batch_size=20, pad=True)]:
        edges, nodes = batch.e_id[batch.e_id >= 0], batch.n_id[batch.n_id >= 0]
        for name in made.keys():
            if name not in ("edge_index", "num_nodes"):
                rows = edges if name.startswith("e_") else nodes
                whole = np.asarray(made[name])
                assert np.array_equal(batch[name].numpy()[: len(rows)], whole[rows.numpy()])
                assert batch[name].numpy().dtype == whole.dtype
    seeds = np.array([3, 9], np.uint16)
    assert ids(NeighborLoader(made, [0], seeds, batch_size=2)) == [[3, 9]]


# ---- samplers of PyTorch ----------------------------------------------------------------------------


def test_imbalanced_sampler(data: Data) -> None:
    """Half of the seeds are of the rare class, of which there is one in ten."""
    mask = torch.arange(60) % 3 != 2
    torch.manual_seed(5)
    sampler = ImbalancedSampler(data, input_nodes=mask, num_samples=2000)
    made = NeighborLoader(data, [3], mask, batch_size=50, sampler=sampler)
    assert len(made) == 40 and made.sampler is sampler
    seeds = torch.cat([batch.input_id for batch in made])
    assert len(seeds) == 2000 and bool(mask[seeds].all())
    assert 800 < int(data.y[seeds].sum()) < 1200  # 9 standard deviations
    for batch in made:
        assert batch.batch_size == 50 and torch.equal(batch.n_id[:50], batch.input_id)
        assert torch.equal(batch.x, data.x[batch.n_id])
        assert torch.equal(batch.edge_attr, data.edge_attr[batch.e_id])


def check_repeats(batch: Any, order: List[int], data: Data) -> None:
    """Each seed has a node and all edges to it, and a layer's output is that of the node."""
    count = len(order)
    assert batch.n_id[:count].tolist() == order == batch.input_id.tolist()
    assert batch.batch_size == count == batch.num_sampled_nodes[0]
    assert sum(batch.num_sampled_nodes) == batch.num_nodes == len(batch.x)
    assert sum(batch.num_sampled_edges) == batch.edge_index.shape[1] == len(batch.e_id)
    assert torch.equal(batch.x, data.x[batch.n_id]) and torch.equal(batch.y, data.y[batch.n_id])
    assert torch.equal(batch.edge_attr, data.edge_attr[batch.e_id])
    assert torch.equal(batch.n_id[batch.edge_index], data.edge_index[:, batch.e_id])
    mean = SAGEConv(4, 3)
    got = mean(batch.x, batch.edge_index)[:count]
    torch.testing.assert_close(got, mean(data.x, data.edge_index)[order])


def test_seeds_that_a_sampler_repeats_are_nodes_of_their_own(data: Data) -> None:
    order = [4, 7, 4, 9, 4, 7]
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 60)
    builder.add_edges(("node", "to", "node"), data.edge_index)
    builder.add_node_column("node", "x", data.x)
    builder.add_node_column("node", "y", data.y, role="label")
    builder.add_edge_column(("node", "to", "node"), "edge_attr", data.edge_attr)
    dataset = builder.build()
    for graph in (data, dataset):
        for given in ({"sampler": order, "batch_size": 6}, {"batch_sampler": [order]}):
            (batch,) = NeighborLoader(graph, [-1, -1], **given)
            check_repeats(batch, order, data)
    same_output: Dict[str, Any] = {"transform_sampler_output": lambda out: out}
    (batch,) = NeighborLoader(data, [-1, -1], sampler=order, batch_size=6, **same_output)
    check_repeats(batch, order, data)
    (trees,) = NeighborLoader(data, [-1], sampler=order, batch_size=6, disjoint=True)
    assert trees.n_id[:6].tolist() == order
    (seeds,) = NeighborLoader(data, [], sampler=order, batch_size=6)
    assert seeds.n_id.tolist() == order and seeds.num_sampled_nodes == [6]
    with pytest.raises(gls.Unsupported, match="occur twice"):
        list(NeighborLoader(data, [2], sampler=order, batch_size=6, subgraph_type="induced"))


def test_seeds_come_in_the_order_of_the_sampler(data: Data, hetero: HeteroData) -> None:
    order = [7, 3, 3, 1, 9, 0, 8]
    made = NeighborLoader(
        data,
        [3],
        torch.arange(30, 40),
        sampler=order,
        batch_size=3,
        input_id=torch.arange(10) * 100,
    )
    given = [batch.input_id.tolist() for batch in made]
    assert given == [[700, 300, 300], [100, 900, 0], [800]]
    dropped = NeighborLoader(data, [3], sampler=order, batch_size=3, drop_last=True)
    assert [batch.input_id.tolist() for batch in dropped] == [order[:3], order[3:6]]
    assert len(made) == 3 and len(dropped) == 2
    links = LinkNeighborLoader(
        data, [3], batch_size=4, edge_label=torch.arange(400), sampler=order,
        edge_label_time=torch.full((400,), 60), time_attr="at",
    )  # fmt: skip
    assert [batch.edge_label.tolist() for batch in links] == [order[:4], order[4:]]
    typed = NeighborLoader(hetero, [3], "paper", sampler=order, batch_size=4, pad=True)
    got = [batch["paper"].input_id.tolist() for batch in typed]
    assert got == [order[:4], [*order[4:], -1]]
    drawn = HGTLoader(hetero, [4], "author", sampler=order, batch_size=7)
    assert [batch["author"].input_id.tolist() for batch in drawn] == [order]
    labels = {"given": torch.arange(60).view(60, 1)}
    anchors = gls.pyg.AnchorLoader(
        data, [2], gls.Supervision(name="given"), labels=labels, sampler=order, batch_size=7
    )
    (batch,) = anchors
    assert batch.n_id[batch.y_positive["given"]].tolist() == [order, order]


def test_batches_of_a_batch_sampler(data: Data) -> None:
    batches = [[4, 1], [5, 9], [8], [2, 3, 6], [7]]
    made = NeighborLoader(data, [3], batch_sampler=batches)
    assert len(made) == 5
    for _ in range(2):
        assert [batch.input_id.tolist() for batch in made] == batches
    torch.manual_seed(0)
    order = torch.utils.data.BatchSampler(torch.utils.data.RandomSampler(range(60)), 16, False)
    one = NeighborLoader(data, [3], batch_sampler=order)
    seeds = [batch.input_id.tolist() for batch in one]
    assert [len(some) for some in seeds] == [16, 16, 16, 12]
    assert sorted(sum(seeds, [])) == list(range(60))


def test_random_numbers_of_a_sampler_are_new_in_each_batch_and_epoch(data: Data) -> None:
    def make(**options: Any) -> NeighborLoader:
        return NeighborLoader(data, [2, 2], seed=4, **options)

    made = make(batch_sampler=[[1, 2], [1, 2], [1, 2, 3], [1, 2]])
    once, again = ids(made), ids(made)
    assert len({tuple(one) for one in (*once, *again)}) > 5
    made.set_epoch(0)
    assert ids(made) == once
    same_order = [list(range(i, min(i + 16, 60))) for i in range(0, 60, 16)]
    assert ids(make(batch_sampler=same_order)) == ids(make(batch_size=16))
    assert ids(make(sampler=range(60), batch_size=16)) == ids(make(batch_size=16))
    two = make(sampler=range(60), batch_size=16)
    assert ids(two) == ids(make(batch_size=16))


def test_samplers_with_what_they_replace_are_refused(data: Data) -> None:
    for options, named in (
        ({"sampler": [1], "shuffle": True}, "shuffle: given with sampler"),
        ({"sampler": [1], "batch_sampler": [[1]]}, "batch_sampler: given with sampler"),
        ({"batch_sampler": [[1]], "batch_size": 2}, "batch_sampler: given with batch_size"),
        ({"sampler": [1], "seed_rule": gls.DrawnSeeds(2)}, "seed_rule: given with sampler"),
    ):
        with pytest.raises(gls.InvalidArgument, match=named):
            NeighborLoader(data, [2], **options)  # type: ignore[arg-type]
    with pytest.raises(gls.Unsupported, match="DistributedSampler"):
        NeighborLoader(data, [2], sampler=[1], rank=1, world_size=2)
    with pytest.raises(gls.Unsupported, match="not of seeds"):
        gls.pyg.ClusterLoader(data, torch.arange(60) // 15, sampler=[1])
    for options, named in (
        ({"sampler": [1, 60]}, "sampler: position 60 is outside 0 .. 59"),
        ({"batch_sampler": [[2], [-1]]}, "batch_sampler: position -1"),
        ({"batch_sampler": [[2], []]}, "batch_sampler: a batch has no positions"),
    ):
        with pytest.raises(gls.InvalidArgument, match=named):
            list(NeighborLoader(data, [2], **options))  # type: ignore[arg-type]
    with pytest.raises(gls.Unsupported, match="state_dict"):
        NeighborLoader(data, [2], sampler=[1]).state_dict()


# ---- PyG's classes ----------------------------------------------------------------------------------


def test_loaders_are_those_of_pyg(data: Data, hetero: HeteroData) -> None:
    assert isinstance(NeighborLoader(data, [2]), pyg.NeighborLoader)
    assert isinstance(NeighborLoader(data, [2]), torch.utils.data.DataLoader)
    assert isinstance(LinkNeighborLoader(data, [2]), pyg.LinkNeighborLoader)
    assert isinstance(HGTLoader(data, [2]), pyg.HGTLoader)
    assert len(NeighborLoader(data, [2, 3]).node_sampler.num_neighbors) == 2
    assert len(LinkNeighborLoader(data, [2, 3]).link_sampler.num_neighbors) == 2
    by_type = NeighborLoader(hetero, {WRITES: [1], None: [2]}, "paper").node_sampler
    assert by_type.num_neighbors.get_values(hetero.edge_types) == {WRITES: [1], WRITTEN: [2]}


def test_node_loader_on_a_sampler_of_gls(data: Data, hetero: HeteroData) -> None:
    """Whole neighbourhoods are the same, byte for byte; and without hops, and with repeated seeds."""
    for graph, seeds in ((data, torch.arange(10, 40)), (hetero, ("paper", torch.arange(20)))):
        ours = NodeLoader(graph, NeighborSampler(graph, [-1] * HOPS), seeds, batch_size=8)
        whole = NodeLoader(graph, WholeNeighbourhoods(graph), seeds, batch_size=8)
        for got, expected in zip(ours, whole):
            same(got.to_dict(), expected.to_dict())


@pytest.mark.parametrize("neg_sampling", [None, "binary", NegativeSampling("triplet", 2)])
@pytest.mark.parametrize("disjoint", [False, True])
def test_link_loader_on_a_sampler_of_gls(
    data: Data, hetero: HeteroData, neg_sampling: Any, disjoint: bool
) -> None:
    options: Dict[str, Any] = {"neg_sampling": neg_sampling, "batch_size": 9}
    for graph, links in ((data, data.edge_index[:, :30]), (hetero, WRITES)):
        made = []
        for sampler in (
            NeighborSampler(graph, [-1] * HOPS, disjoint=disjoint),
            WholeNeighbourhoods(graph, disjoint),
        ):
            torch.manual_seed(6)  # PyG's, of negatives
            made.append(list(LinkLoader(graph, sampler, edge_label_index=links, **options)))
        for got, expected in zip(*made):
            same(got.to_dict(), expected.to_dict())


def test_samplers_go_by_times(data: Data) -> None:
    sampler = NeighborSampler(data, [-1, -1], time_attr="at")
    for batch in NodeLoader(data, sampler, torch.arange(30), batch_size=8):
        row, _ = batch.edge_index
        assert torch.equal(batch.seed_time, data.at[batch.input_id])
        assert bool((batch.at[row] <= batch.seed_time[batch.batch[row]]).all())
    time = torch.full((400,), 20)
    made = LinkLoader(
        data, sampler, edge_label_index=data.edge_index, edge_label_time=time, batch_size=50,
        neg_sampling="binary",
    )  # fmt: skip
    for batch in made:
        negative = batch.edge_label_index[:, batch.edge_label == 0]
        assert bool((batch.at[negative] <= 20).all())  # PyG draws them so


def test_repeated_seeds_are_nodes_of_their_own(data: Data, hetero: HeteroData) -> None:
    """Each gets its neighbourhood, so that a layer's output is that of the node."""
    seeds = torch.tensor([4, 7, 4, 9, 4, 7])
    conv = SAGEConv(4, 3)
    whole = conv(data.x, data.edge_index)
    for layers in (1, 2):
        sampler = NeighborSampler(data, [-1] * layers)
        (batch,) = NodeLoader(data, sampler, seeds, batch_size=6)
        assert batch.n_id[:6].tolist() == seeds.tolist() and batch.batch_size == 6
        assert batch.num_sampled_nodes[0] == 6
        assert sum(batch.num_sampled_nodes) == batch.num_nodes
        assert sum(batch.num_sampled_edges) == batch.edge_index.shape[1]
        assert torch.equal(batch.edge_attr, data.edge_attr[batch.e_id])
        assert torch.equal(batch.n_id[batch.edge_index], data.edge_index[:, batch.e_id])
        out = conv(batch.x, batch.edge_index)[:6]
        torch.testing.assert_close(out, whole[seeds])
    (typed,) = NodeLoader(
        hetero, NeighborSampler(hetero, [-1, -1]), ("paper", torch.tensor([3, 5, 3])), batch_size=3
    )
    assert typed["paper"].n_id[:3].tolist() == [3, 5, 3]
    source, target = typed[WRITES].edge_index
    assert torch.equal(
        typed["paper"].n_id[target], hetero[WRITES].edge_index[1][typed[WRITES].e_id]
    )
    assert int((target == 2).sum()) == int((hetero[WRITES].edge_index[1] == 3).sum())
    with pytest.raises(gls.Unsupported, match="occur twice"):
        sampler = NeighborSampler(data, [2], subgraph_type="induced")
        next(iter(NodeLoader(data, sampler, seeds, batch_size=6)))


def test_sampler_output_is_transformed(data: Data, hetero: HeteroData) -> None:
    """The example: only every second edge is kept, and its attributes."""

    def half(out: Any) -> Any:
        if isinstance(out.row, dict):
            for name in ("row", "col", "edge"):
                setattr(out, name, {key: value[::2] for key, value in getattr(out, name).items()})
        else:
            out.row, out.col, out.edge = out.row[::2], out.col[::2], out.edge[::2]
        return out

    plain = NeighborLoader(data, [3, 2], batch_size=20, seed=1)
    made = NeighborLoader(data, [3, 2], batch_size=20, seed=1, transform_sampler_output=half)
    for got, whole in zip([*made, made([1, 2])], plain):
        assert torch.equal(got.e_id, whole.e_id[::2]) and torch.equal(got.x, whole.x)
        assert torch.equal(got.edge_attr, data.edge_attr[got.e_id])
        assert torch.equal(got.edge_index, whole.edge_index[:, ::2])
        assert torch.equal(got.input_id, whole.input_id)
    typed = LinkNeighborLoader(hetero, [3], WRITES, batch_size=20, transform_sampler_output=half)
    for batch in typed:
        assert torch.equal(batch[WRITES].edge_attr, hetero[WRITES].edge_attr[batch[WRITES].e_id])
        assert batch[WRITES].edge_label_index.shape[0] == 2
    unchanged = NeighborLoader(
        data, [3, 2], batch_size=20, seed=1, transform_sampler_output=lambda o: o
    )
    plain.set_epoch(0)
    for got, whole in zip(unchanged, plain):
        same(got.to_dict(), whole.to_dict())
    with pytest.raises(TypeError, match="must return a SamplerOutput"):
        next(iter(NeighborLoader(data, [2], transform_sampler_output=lambda out: None)))
    with pytest.raises(gls.Unsupported, match="transform_sampler_output: given with pad"):
        NeighborLoader(data, [2], transform_sampler_output=half, pad=True)


def test_zip_loader(data: Data) -> None:
    loaders = [
        NeighborLoader(data, [3], torch.arange(40), seed=1),
        LinkNeighborLoader(data, [3], neg_sampling="binary", seed=2),
    ]
    seen = []
    for nodes, links in ZipLoader(loaders, batch_size=16, shuffle=True):
        assert torch.equal(nodes.x, data.x[nodes.n_id])
        assert torch.equal(nodes.input_id, links.input_id)
        seen += nodes.input_id.tolist()
    assert sorted(seen) == list(range(40))
