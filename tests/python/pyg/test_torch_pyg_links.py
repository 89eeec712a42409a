"""gls.pyg.LinkNeighborLoader against PyG's own LinkLoader, and what it adds."""

from __future__ import annotations

import copy
import pickle
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import pytest
import torch
from pyg_whole import HOPS, pyg_links, same
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import NegativeSampling as PygNegativeSampling

import gls
from gls.pyg import LinkNeighborLoader

WRITES, CITES = ("author", "writes", "paper"), ("paper", "cites", "paper")
ALL = [-1] * HOPS


def ends(sources: int, targets: int, count: int) -> torch.Tensor:
    return torch.stack([torch.randint(0, sources, (count,)), torch.randint(0, targets, (count,))])


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(1)
    made = Data(x=torch.randn(80, 4), edge_index=ends(80, 80, 240))
    made.when, made.at = torch.randint(0, 50, (80,)), torch.randint(0, 50, (240,))
    made.title = "graph"
    return made


@pytest.fixture(scope="module")
def hetero() -> HeteroData:
    torch.manual_seed(2)
    made = HeteroData()
    made["paper"].x, made["author"].x = torch.randn(60, 4), torch.randn(40, 6)
    made["place"].num_nodes = 10
    for edge_type, count in (
        (WRITES, 150),
        (("paper", "rev_writes", "author"), 150),
        (CITES, 90),
        (("author", "at", "place"), 30),
    ):
        store = made[edge_type]
        sizes = [int(made[edge_type[i]].num_nodes) for i in (0, 2)]
        store.edge_index, store.at = ends(*sizes, count), torch.randint(0, 50, (count,))
    made["paper"].when = torch.randint(0, 50, (60,))
    return made


class Drawn(PygNegativeSampling):
    """PyG's negatives, but those that GLS drew, so that batches can be compared."""

    asked: "set[str]"

    def take(self, got: Any, edge_type: Any, count: int) -> None:
        first, last = stores(got, edge_type)
        self.asked = set()
        if self.is_binary():
            link = got if edge_type is None else got[edge_type]
            source, target = link.edge_label_index[:, count:]
            self.next = [first.n_id[source], last.n_id[target]]
        else:
            negative = last.n_id[last.dst_neg_index].view(count, -1)
            # PyG lists them target by target where it keeps trees apart, else link by link.
            self.next = [(negative.t() if "batch" in last else negative).reshape(-1)]

    def sample(self, num_samples: int, endpoint: Any, num_nodes: Optional[int] = None) -> Any:
        if endpoint in self.asked:  # no node exists yet: PyG tries others, and takes the oldest
            return torch.zeros(num_samples, dtype=torch.long)
        self.asked.add(endpoint)
        drawn = self.next.pop(0)
        assert len(drawn) == num_samples and int(drawn.max()) < int(num_nodes or 0)
        return drawn


def stores(out: Any, edge_type: Any) -> Tuple[Any, Any]:
    return (out, out) if edge_type is None else (out[edge_type[0]], out[edge_type[2]])


def named(out: Any, kind: Any, local: torch.Tensor) -> torch.Tensor:
    """Local ids as (link, dataset id): what does not depend on how nodes are numbered."""
    store = out if kind is None else out[kind]
    link = store.batch if "batch" in store else torch.zeros_like(store.n_id)
    return torch.stack([link, store.n_id], -1)[local]


def listed(rows: torch.Tensor) -> List[List[int]]:
    return sorted(rows.tolist())


def alike(got: Any, wanted: Any, edge_type: Any) -> None:
    """Equal but for the local ids of nodes, and the order that follows from those."""
    assert type(got) is type(wanted)
    kinds = [None] if edge_type is None else got.node_types
    for kind in kinds:
        one, other = (got, wanted) if kind is None else (got[kind], wanted[kind])
        assert set(one.to_dict()) == set(other.to_dict())
        every = [torch.arange(len(store.n_id)) for store in (one, other)]
        assert listed(named(got, kind, every[0])) == listed(named(wanted, kind, every[1]))
        assert one.num_sampled_nodes == other.num_sampled_nodes
    for kind in [None] if edge_type is None else got.edge_types:
        found = []
        for out in (got, wanted):
            store = out if kind is None else out[kind]
            row, col = store.edge_index
            source, target = (None, None) if kind is None else (kind[0], kind[2])
            parts = [named(out, source, row), named(out, target, col), store.e_id[:, None]]
            found.append(listed(torch.cat(parts, -1)))
        assert found[0] == found[1]
        one, other = (got, wanted) if kind is None else (got[kind], wanted[kind])
        assert set(one.to_dict()) == set(other.to_dict())
        assert one.num_sampled_edges == other.num_sampled_edges
    first, last = (None, None) if edge_type is None else (edge_type[0], edge_type[2])
    link = [out if edge_type is None else out[edge_type] for out in (got, wanted)]
    for name in ("input_id", "edge_label", "edge_label_time"):
        same(*(store.to_dict().get(name) for store in link), name)
    if "edge_label_index" in link[0]:
        for row, kind in enumerate((first, last)):
            local = [store.edge_label_index[row] for store in link]
            same(named(got, kind, local[0]), named(wanted, kind, local[1]))
    for name, kind in (("src_index", first), ("dst_pos_index", last), ("dst_neg_index", last)):
        pair = [out if kind is None else out[kind] for out in (got, wanted)]
        if name in pair[0]:
            same(*(named(out, kind, s[name]) for out, s in zip((got, wanted), pair)), name)
        same(*(store.to_dict().get("seed_time") for store in pair), "seed_time")


def compare(data: Any, links: Any, neg: Any = None, **options: Any) -> List[Any]:
    """The batches, each of which is what PyG makes of the same links and negatives."""
    edge_type = None
    if isinstance(data, HeteroData):
        edge_type = links if isinstance(links[0], str) else links[0]
    drawn = None if neg is None else Drawn(*neg)
    neg_sampling = None if neg is None else PygNegativeSampling(*neg)
    loader = LinkNeighborLoader(
        data, ALL, links, batch_size=16, neg_sampling=neg_sampling, **options
    )
    pyg = pyg_links(data, links, neg_sampling=drawn, batch_size=16, **options)
    assert len(loader) == len(pyg) > 1
    batches = []
    for number, got in enumerate(loader):
        positions = torch.arange(len(pyg.dataset))[16 * number : 16 * (number + 1)]
        if drawn is not None:
            drawn.take(got, edge_type, len(positions))
        alike(got, pyg(positions), edge_type)
        batches.append(got)
    return batches


NEGATIVES = [None, ("binary",), ("binary", 2), ("triplet",), ("triplet", 3)]
WAYS: List[Dict[str, Any]] = [{}, {"disjoint": True}, {"time_attr": "at"}, {"time_attr": "when"}]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(map(str, way.values())) or "plain")
@pytest.mark.parametrize("neg", NEGATIVES, ids=str)
@pytest.mark.parametrize("where", ["data", "two types", "one of the types"])
def test_batches_are_those_of_pyg(
    data: Data, hetero: HeteroData, where: str, neg: Any, way: Dict[str, Any]
) -> None:
    options = dict(way)
    of: Any = data if where == "data" else hetero
    torch.manual_seed(3)
    links: Any = {
        "data": ends(80, 80, 40),
        "two types": (WRITES, ends(40, 60, 40)),
        "one of the types": (CITES, ends(60, 60, 40)),
    }[where]
    if "time_attr" in options:
        options["edge_label_time"] = torch.randint(0, 50, (40,))
    batches = compare(of, links, neg, **options)
    assert all(batch.num_nodes > 32 for batch in batches)


def test_links_in_all_forms(data: Data, hetero: HeteroData) -> None:
    for links in (None, data.edge_index, data.edge_index[:, :40]):
        compare(data, links)
    for links in (
        WRITES,
        (WRITES, None),
        (CITES, hetero[CITES].edge_index[:, 5:45]),
        [CITES, None],
    ):
        compare(hetero, links)
    by_name = LinkNeighborLoader(hetero, ALL, ("author", "paper"), batch_size=150)
    (batch,) = by_name  # the only type between the two
    same(
        torch.stack(
            [batch[WRITES[2 * i]].n_id[batch[WRITES].edge_label_index[i]] for i in range(2)]
        ),
        hetero[WRITES].edge_index,
    )
    ids = torch.tensor([7, 3, 99])
    (batch,) = LinkNeighborLoader(data, ALL, ids, batch_size=3)
    same(batch.n_id[batch.edge_label_index], data.edge_index[:, ids])
    for given in (
        data.edge_index.tolist(),
        data.edge_index.numpy(),
        data.edge_index.t().contiguous().t(),
    ):
        first = next(iter(LinkNeighborLoader(data, ALL, given, batch_size=9)))
        same(first.n_id[first.edge_label_index], data.edge_index[:, :9])
    assert len(LinkNeighborLoader(data, ALL, torch.empty(2, 0))) == 0


@pytest.mark.parametrize("neg", [None, ("binary",), ("binary", 0.5)], ids=str)
@pytest.mark.parametrize(
    "labels",
    [
        torch.arange(40) % 4,
        torch.arange(40) % 4 + 1,
        torch.ones(40),
        torch.arange(40) % 2 == 0,
        torch.arange(40).float() / 4,
        (torch.arange(40) % 3).to(torch.int32),
    ],
    ids=["from 0", "from 1", "ones", "bool", "float", "int32"],
)
def test_labels_are_those_of_pyg(data: Data, labels: torch.Tensor, neg: Any) -> None:
    batches = compare(data, data.edge_index[:, :40], neg, edge_label=labels)
    raised = labels + 1 if neg is not None and labels.min() == 0 else labels
    given = torch.cat([b.edge_label[: len(b.input_id)] for b in batches])
    same(given, raised)
    for batch in batches if neg else []:
        count = len(batch.input_id)
        assert len(batch.edge_label) == count + -(-count * (neg + (1,))[1] // 1)
        assert not batch.edge_label[count:].any()


def test_negatives_in_all_forms(data: Data) -> None:
    def first(**options: Any) -> Any:
        return next(iter(LinkNeighborLoader(data, [2], batch_size=8, seed=5, **options)))

    wanted = first(neg_sampling=PygNegativeSampling("binary", 2))
    assert wanted.edge_label.tolist() == [1.0] * 8 + [0.0] * 16
    for options in (
        {"neg_sampling": {"mode": "binary", "amount": 2}},
        {"neg_sampling": ("binary", 2)},
        {"neg_sampling": gls.NegativeSampling("binary", 2)},
        {"neg_sampling_ratio": 2},
        {"neg_sampling_ratio": 2.0, "neg_sampling": "triplet"},
    ):
        same(first(**options).to_dict(), wanted.to_dict())
    assert "edge_label" not in first(neg_sampling_ratio=0)
    assert first(neg_sampling="binary").edge_label_index.shape == (2, 16)
    assert first(neg_sampling="triplet").dst_neg_index.shape == (8,)


def test_rows_of_labels(data: Data) -> None:
    links = data.edge_index.shape[1]
    labels = torch.arange(1, 1 + 3 * links).reshape(links, 3)
    for batch in LinkNeighborLoader(
        data, [2], edge_label=labels, neg_sampling="binary", batch_size=50, shuffle=True
    ):
        count = len(batch.input_id)
        assert batch.edge_label.shape == (2 * count, 3)
        assert torch.equal(batch.edge_label[:count], labels[batch.input_id])
        assert not batch.edge_label[count:].any()


@pytest.mark.parametrize("where", ["data", "hetero"])
def test_weights_of_negatives(data: Data, hetero: HeteroData, where: str) -> None:
    of: Any = data if where == "data" else hetero
    links: Any = None if where == "data" else WRITES
    sources, targets = torch.zeros(80 if where == "data" else 40), torch.zeros(80)
    targets = targets if where == "data" else targets[:60]
    sources[[3, 5]], targets[[7, 9]] = 1.0, 2.0
    binary = PygNegativeSampling("binary", 1, src_weight=sources, dst_weight=targets)
    triplet = PygNegativeSampling("triplet", 4, src_weight=sources, dst_weight=targets)
    for batch in LinkNeighborLoader(of, [2], links, neg_sampling=binary, batch_size=40):
        first, last = stores(batch, links)
        store = batch if links is None else batch[links]
        source, target = store.edge_label_index[:, len(store.input_id) :]
        assert set(first.n_id[source].tolist()) <= {3, 5}
        assert set(last.n_id[target].tolist()) <= {7, 9}
        assert not {"src_weight", "dst_weight"} & set(first.to_dict())
    loader = LinkNeighborLoader(of, [2], links, neg_sampling=triplet, batch_size=40)
    for batch in list(loader) + [loader([4, 2])]:
        last = stores(batch, links)[1]
        assert set(last.n_id[last.dst_neg_index].view(-1).tolist()) == {7, 9}
    with pytest.raises(gls.InvalidArgument, match="dst_weight"):
        LinkNeighborLoader(
            of, [2], links, neg_sampling=PygNegativeSampling("binary", dst_weight=targets[:-1])
        )


def test_negatives_of_gls(data: Data, dataset: gls.Dataset) -> None:
    weighted = copy.copy(data)
    weighted.rare = (torch.arange(80) == 11).double()
    options = gls.NegativeSampling("triplet", 2, target_weight="rare")
    for batch in LinkNeighborLoader(weighted, [2], neg_sampling=options, batch_size=30):
        assert set(batch.n_id[batch.dst_neg_index].view(-1).tolist()) == {11}
    with pytest.raises(gls.InvalidArgument, match="neg_sampling: 'title' is not an attribute"):
        LinkNeighborLoader(data, [2], neg_sampling=options._replace(target_weight="title"))
    # Every node is a neighbour of node 0, so a strict negative of it is nowhere to be found.
    edge_index = torch.stack([torch.zeros(9, dtype=torch.long), torch.arange(9)])
    star = Data(edge_index=torch.cat([edge_index, torch.tensor([[1], [2]])], 1), num_nodes=9)
    strict = gls.NegativeSampling("triplet", 2, strict=True, allow_short=True)
    for way in ({}, {"disjoint": True}):
        (batch,) = LinkNeighborLoader(star, [1], neg_sampling=strict, batch_size=10, **way)
        assert batch.dst_neg_index[:9].tolist() == [[-1, -1]] * 9
        assert (batch.dst_neg_index[9] >= 0).all() and 2 not in batch.n_id[batch.dst_neg_index[9]]
    assert batch.batch[batch.dst_neg_index[9]].tolist() == [9, 9]
    pairs_left_out = strict._replace(mode="binary", amount=30)
    (batch,) = LinkNeighborLoader(star, [1], neg_sampling=pairs_left_out, batch_size=11)
    assert batch.edge_label_index.shape[1] == len(batch.edge_label) <= 11 * 31
    with pytest.raises(gls.Unsupported, match="neg_sampling: allow_short"):
        LinkNeighborLoader(star, [1], neg_sampling=pairs_left_out, disjoint=True)
    # Of a dataset weights are columns.
    weights = PygNegativeSampling("binary", src_weight=torch.ones(200))
    with pytest.raises(gls.Unsupported, match="src_weight: a tensor"):
        LinkNeighborLoader(dataset, [2], neg_sampling=weights)


@pytest.mark.parametrize("amount", [0.3, 1, 1.5])
def test_batch_is_the_position_of_the_link(hetero: HeteroData, amount: float) -> None:
    """Also of fractions, with which PyG counts seeds of one link to another."""
    times = torch.arange(40)
    loader = LinkNeighborLoader(
        hetero,
        [2, 2],
        (WRITES, hetero[WRITES].edge_index[:, :40]),
        edge_label_time=times,
        time_attr="at",
        neg_sampling_ratio=amount,
        batch_size=7,
    )
    for batch in loader:
        count = len(batch[WRITES].input_id)
        link = torch.arange(batch[WRITES].edge_label_index.shape[1]) % count
        for row, kind in enumerate(("author", "paper")):
            same(batch[kind].batch[batch[WRITES].edge_label_index[row]], link)
        same(batch[WRITES].edge_label_time, times[batch[WRITES].input_id][link])
        for edge_type in batch.edge_types:
            row, col = batch[edge_type].edge_index
            of_link = batch[edge_type[0]].batch[row]
            same(of_link, batch[edge_type[2]].batch[col])
            early = batch[edge_type].at <= times[batch[WRITES].input_id][of_link]
            assert early.all()


@pytest.mark.parametrize("neg", [("binary", 3), ("triplet", 5)], ids=str)
@pytest.mark.parametrize("where", ["data", "two types"])
def test_negatives_exist_at_the_time_of_their_link(
    data: Data, hetero: HeteroData, where: str, neg: Any
) -> None:
    of: Any = data if where == "data" else hetero
    first, last = (None, None) if where == "data" else ("author", "paper")
    links: Any = ends(80, 80, 40) if where == "data" else (WRITES, ends(40, 60, 40))
    times = torch.arange(40) // 2
    loader = LinkNeighborLoader(
        of,
        [2],
        links,
        edge_label_time=times,
        time_attr="when",
        neg_sampling=PygNegativeSampling(*neg),
        batch_size=40,
    )
    (batch,) = loader
    found = set()
    for kind, endpoint in ((first, 0), (last, 1)):
        store = batch if kind is None else batch[kind]
        node_store = of if kind is None else of[kind]
        if "when" not in node_store:
            continue
        if neg[0] == "binary":
            link = batch if kind is None else batch[WRITES]
            drawn = store.n_id[link.edge_label_index[endpoint, 40:]].view(neg[1], 40).t()
        elif endpoint == 0:
            continue
        else:
            drawn = store.n_id[store.dst_neg_index]
        since = node_store.when[drawn]
        oldest = int(node_store.when.argmin())
        assert ((since <= times[:, None]) | (drawn == oldest)).all()
        found |= set(drawn.flatten().tolist())
    assert len(found) > 12
    # In GLS's own words the option is the caller's.
    anything = LinkNeighborLoader(
        of,
        [2],
        links,
        edge_label_time=times * 0 - 1,
        time_attr="when",
        neg_sampling=gls.NegativeSampling("triplet", 50),
        batch_size=40,
    )
    (batch,) = anything
    store = batch if last is None else batch[last]
    assert len(store.n_id[store.dst_neg_index].unique()) > 40


def test_negatives_are_of_all_nodes_where_only_edges_have_times(data: Data) -> None:
    loader = LinkNeighborLoader(
        data,
        [2],
        ends(80, 80, 40),
        edge_label_time=torch.zeros(40, dtype=torch.long),
        time_attr="at",
        neg_sampling=PygNegativeSampling("triplet", 20),
        batch_size=40,
    )
    (batch,) = loader
    assert len(batch.n_id[batch.dst_neg_index].unique()) > 70
    assert loader.neg_sampling is not None and not loader.neg_sampling.in_time


def test_times_keep_their_type_and_the_latest_are_taken(data: Data) -> None:
    times = torch.full((240,), 30, dtype=torch.int32)
    loader = LinkNeighborLoader(
        data, [2], edge_label_time=times, time_attr="at", temporal_strategy="last", batch_size=1
    )
    for batch in loader:
        assert batch.edge_label_time.dtype == torch.int32
        target = batch.edge_label_index[1]
        early = (data.edge_index[1] == batch.n_id[target]) & (data.at <= 30)
        latest = sorted(early.nonzero().view(-1).tolist(), key=lambda e: (int(data.at[e]), e))[-2:]
        assert sorted(batch.e_id[batch.edge_index[1] == target].tolist()) == sorted(latest)


# ---- what PyG leaves in ------------------------------------------------------------------------


def pairs(batch: Any, edge_index: torch.Tensor) -> "set[Tuple[int, int]]":
    row, col = batch.n_id[edge_index]
    return set(zip(row.tolist(), col.tolist()))


def test_links_are_excluded_with_their_reverses(data: Data) -> None:
    there = torch.unique(data.edge_index.sort(dim=0).values, dim=1)
    there = there[:, there[0] != there[1]]
    count = there.shape[1]
    graph = Data(edge_index=torch.cat([there, there.flip(0)], 1), num_nodes=80)
    graph.reverse = torch.cat([torch.arange(count) + count, torch.arange(count)])
    ways = [
        ({}, True, True),
        ({"exclude_links": True}, False, True),
        ({"exclude_links": True, "exclude_mode": "reverse_id", "reverse_column": "reverse"},)
        + (False,) * 2,
    ]
    for options, sees_links, sees_reverses in ways:
        loader = LinkNeighborLoader(graph, [-1], there, batch_size=10, **options)
        for batch in list(loader) + [loader([3, 4, 5])]:
            edges = pairs(batch, batch.edge_index)
            assert bool(pairs(batch, batch.edge_label_index) & edges) == sees_links
            assert bool(pairs(batch, batch.edge_label_index.flip(0)) & edges) == sees_reverses
    with pytest.raises(gls.InvalidArgument, match="reverse_column: 'title' is not an attribute"):
        LinkNeighborLoader(data, [2], reverse_column="title")


def test_links_are_excluded_from_the_reverse_type() -> None:
    torch.manual_seed(4)
    graph = HeteroData()
    graph["user"].num_nodes, graph["item"].num_nodes = 20, 30
    buys, back = ("user", "buys", "item"), ("item", "rev_buys", "user")
    graph[buys].edge_index = torch.unique(ends(20, 30, 200), dim=1)
    graph[back].edge_index = graph[buys].edge_index.flip(0)
    for exclude, seen in ((False, True), (True, False)):
        loader = LinkNeighborLoader(
            graph,
            [-1],
            buys,
            batch_size=5,
            exclude_links=exclude,
            exclude_mode="reverse_types" if exclude else "self",
            reverse_types={buys: back} if exclude else None,
        )
        for batch in loader:
            used = torch.cat([batch[buys].e_id, batch[back].e_id])
            assert bool(torch.isin(used, batch[buys].input_id).any()) == seen


# ---- as the other loader -----------------------------------------------------------------------


def test_equal_to_the_native_loader(data: Data) -> None:
    labels = torch.arange(240) % 3 + 1
    options: Dict[str, Any] = {"batch_size": 10, "shuffle": True, "seed": 11, "drop_last": True}
    loader = LinkNeighborLoader(
        data, [4, 3], edge_label=labels, neg_sampling="binary", input_id=labels + 9, **options
    )
    dataset = gls.Dataset.from_arrays(data.edge_index, num_nodes=80)
    native = gls.LinkNeighborLoader(
        dataset, [4, 3], None, labels, neg_sampling="binary", with_edge_ids=True, **options
    )
    assert len(loader) == len(native) == 24
    for _ in range(2):
        for got, wanted in zip(loader, native):
            same(got.n_id, wanted.node.torch())
            same(got.e_id, wanted.edge.torch())
            same(got.edge_index, wanted.edge_index.torch())
            source, target = wanted.link_source.torch(), wanted.link_target.torch()
            same(got.edge_label_index, torch.stack([source, target]))
            same(got.edge_label, wanted.link_label.torch())
            same(got.input_id, labels[wanted.input_id.torch()] + 9)
            same(got.x, data.x[got.n_id])


def test_datasets(dataset: gls.Dataset, shop: gls.Dataset) -> None:
    loader = LinkNeighborLoader(dataset, [3], neg_sampling="triplet", batch_size=8)
    batch = next(iter(loader))
    assert batch.dst_neg_index.shape == (8,)
    same(batch.x, torch.from_numpy(dataset.node_column("x")[batch.n_id]))
    with pytest.raises(gls.Unsupported, match="callable"):
        loader([0])
    buys = ("user", "buys", "item")
    for given in (buys, "user__buys__item", (buys, None), ("user__buys__item", np.arange(400))):
        batch = next(iter(LinkNeighborLoader(shop, [3], given, batch_size=8)))
        assert batch[buys].edge_label_index.shape == (2, 8)
        assert batch[buys].input_id.tolist() == list(range(8))
    with pytest.raises(gls.InvalidArgument, match="there are several"):
        LinkNeighborLoader(shop, [3])
    with pytest.raises(gls.NotFound, match="user__eats__item"):
        LinkNeighborLoader(shop, [3], ("user", "eats", "item"))


def test_calls_transforms_and_resuming(data: Data) -> None:
    def transform(batch: Data) -> Data:
        batch.seen = True
        return batch

    links, times = data.edge_index[:, :30], torch.arange(30)
    labels = torch.arange(30) % 2

    def make() -> LinkNeighborLoader:
        return LinkNeighborLoader(
            data,
            ALL,
            links,
            labels,
            times,
            time_attr="at",
            transform=transform,
            neg_sampling="binary",
            shuffle=True,
            batch_size=7,
            seed=1,
        )

    loader = make()
    batch = loader([5, 2])
    assert batch.seen and batch.input_id.tolist() == [5, 2]
    same(batch.n_id[batch.edge_label_index[:, :2]], links[:, [5, 2]])
    assert batch.edge_label.tolist() == [2, 1, 0, 0]
    assert batch.edge_label_time.tolist() == [5, 2, 5, 2]
    batches = iter(loader)
    next(batches)
    state = loader.state_dict()
    rest = [batch.to_dict() for batch in batches]
    other = make()
    other.load_state_dict(state)
    for got, wanted in zip(other, rest):
        same(got.to_dict(), wanted)
    assert len(loader.dataset) == 30 and repr(loader) == "LinkNeighborLoader()"
    with pytest.raises(TypeError, match="gls.pyg.LinkNeighborLoader"):
        pickle.dumps(loader)


def test_what_the_whole_graph_has_is_not_left_in(data: Data) -> None:
    """As after PyG's RandomLinkSplit, which stores its links in the data."""
    split = copy.copy(data)
    split.edge_label_index, split.edge_label = data.edge_index[:, :50], torch.ones(50)
    split.edge_label_time = torch.arange(50)
    for neg in NEGATIVES:
        compare(split, split.edge_label_index, neg)


# ---- what is wrong -----------------------------------------------------------------------------


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
        LinkNeighborLoader(data, [2], **arguments)
    assert str(caught.value).startswith(f"{next(iter(arguments))}: ")


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"edge_label_time": torch.arange(240)}, "time_attr: needed, as edge_label_time is given"),
        ({"time_attr": "at"}, "edge_label_time: needed, as time_attr is given"),
        ({"edge_label_time": torch.arange(3), "time_attr": "at"}, "3 for 240"),
        (
            {"edge_label_time": torch.arange(240), "time_attr": "no"},
            "neither of nodes nor of edges",
        ),
        ({"temporal_strategy": "last"}, "temporal_strategy: there is no time_attr"),
        ({"edge_label": torch.ones(240), "neg_sampling": "triplet"}, "edge_label: there are none"),
        ({"edge_label": torch.ones(3)}, r"shape \[3\] for 240 links"),
        ({"edge_label": torch.ones(3, 2)}, r"shape \[3, 2\] for 240 links"),
        (
            {"edge_label_index": torch.zeros(3, 4).long()},
            r"the shape is \[3, 4\], expected \[2, n\]",
        ),
        ({"edge_label_index": torch.tensor([[0, 99], [1, 2]])}, "99"),
        ({"edge_label_index": (WRITES, None)}, "Data has edges of one type"),
        ({"input_id": torch.arange(3)}, "input_id: 3 entries for 240 input links"),
        ({"exclude_mode": "reverse_id"}, "reverse"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_arguments_that_do_not_fit(data: Data, arguments: Any, message: str) -> None:
    with pytest.raises(gls.InvalidArgument, match=message):
        LinkNeighborLoader(data, [2], **arguments)


def test_other_refusals(data: Data, hetero: HeteroData) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'batchsize'"):
        LinkNeighborLoader(data, [2], batchsize=5)
    for given in (None, torch.zeros(2, 3).long()):
        with pytest.raises(gls.InvalidArgument, match="edge_label_index: expected an edge type"):
            LinkNeighborLoader(hetero, [2], given)
    for mode, amount in (("binary", 0), ("triplet", 0.5), ("other", 1)):
        with pytest.raises(ValueError):
            LinkNeighborLoader(data, [2], neg_sampling={"mode": mode, "amount": amount})
    with pytest.raises(gls.Unsupported, match="FeatureStore"):
        LinkNeighborLoader((1, 2), [2])  # type: ignore[arg-type]


# ---- links of several types --------------------------------------------------------------------


@pytest.mark.parametrize("neg", [None, ("binary", 2), ("triplet", 3)], ids=str)
@pytest.mark.parametrize("time_attr", [None, "when", "at"])
def test_links_of_several_types(hetero: HeteroData, neg: Any, time_attr: Optional[str]) -> None:
    links = {CITES: ends(60, 60, 20), WRITES: ends(40, 60, 30)}
    labels = {CITES: torch.arange(1, 21), WRITES: torch.arange(101, 131)}
    times = {CITES: torch.randint(0, 50, (20,)), WRITES: torch.randint(0, 50, (30,))}
    options: Dict[str, Any] = {"batch_size": 8, "shuffle": True, "seed": 4}
    if neg is not None:
        options["neg_sampling"] = PygNegativeSampling(*neg)
    if neg is None or neg[0] == "binary":
        options["edge_label"] = labels
    if time_attr is not None:
        options.update(time_attr=time_attr, edge_label_time=times)
    loader = LinkNeighborLoader(hetero, [2, 2], links, **options)
    assert len(loader) == 7
    seen: Dict[Any, List[int]] = {CITES: [], WRITES: []}
    for number, batch in enumerate(loader):
        in_all = 0
        for edge_type, pairs_of in links.items():
            store, at = batch[edge_type], batch[edge_type].input_id
            seen[edge_type] += at.tolist()
            first, last = batch[edge_type[0]], batch[edge_type[2]]
            if neg is not None and neg[0] == "triplet":
                found = torch.stack([first.n_id[store.src_index], last.n_id[store.dst_pos_index]])
                assert store.dst_neg_index.shape == (len(at), 3)
                assert "edge_label_index" not in store
            else:
                row, col = store.edge_label_index
                found = torch.stack([first.n_id[row], last.n_id[col]])
                drawn = 0 if neg is None else 2 * len(at)
                assert len(row) == len(at) + drawn
                assert torch.equal(store.edge_label[: len(at)], labels[edge_type][at])
                assert not store.edge_label[len(at) :].any()
            assert torch.equal(found[:, : len(at)], pairs_of[:, at])
            if time_attr is not None:
                own = store.edge_label_time[: len(at)]
                assert torch.equal(own, times[edge_type][at])
                # Nodes belong to the links in turn, those of the first type first.
                ends_of = store.src_index if "src_index" in store else store.edge_label_index[0]
                start = 0 if edge_type == WRITES else len(batch[WRITES].input_id)
                link = first.batch[ends_of[: len(at)]]
                assert torch.equal(link, torch.arange(start, start + len(at)))
            in_all += len(at)
        assert in_all == (8 if number < 6 else 2)
    assert {key: sorted(own) for key, own in seen.items()} == {
        CITES: list(range(20)),
        WRITES: list(range(30)),
    }


def test_links_of_several_types_refuse(hetero: HeteroData) -> None:
    links = {CITES: ends(60, 60, 20), WRITES: ends(40, 60, 30)}

    def refused(error: Any, match: str, **options: Any) -> None:
        with pytest.raises(error, match=match):
            LinkNeighborLoader(hetero, [2], **{"edge_label_index": links, **options})

    refused(gls.Unsupported, "pad", pad=True)
    refused(gls.Unsupported, "input_id", input_id=torch.arange(50))
    refused(gls.Unsupported, "weights are of links of one type",
            neg_sampling=PygNegativeSampling("triplet", 1, dst_weight=torch.ones(60)))  # fmt: skip
    refused(gls.InvalidArgument, "expected a mapping by type", edge_label=torch.arange(50))
    refused(gls.InvalidArgument, "a mapping without a type", edge_label_index={})
    loader = LinkNeighborLoader(hetero, [2], links, batch_size=4)
    with pytest.raises(gls.Unsupported, match="several types"):
        loader(torch.arange(3))
    # One type in a mapping is that type.
    alone = LinkNeighborLoader(hetero, [2], {WRITES: links[WRITES]}, batch_size=30, seed=1)
    usual = LinkNeighborLoader(hetero, [2], (WRITES, links[WRITES]), batch_size=30, seed=1)
    for one, other in zip(alone, usual):
        same(one.to_dict(), other.to_dict())
