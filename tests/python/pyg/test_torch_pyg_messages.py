"""What gls.pyg says of wrong calls: in the words that the caller wrote."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict

import pytest
import torch
from test_missing_packages import run
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import NumNeighbors

import gls
from gls.pyg import (
    AnchorLoader,
    ClusterLoader,
    GraphSAINTEdgeSampler,
    GraphSAINTNodeSampler,
    HGTLoader,
    LinkNeighborLoader,
    NeighborLoader,
)

NODES, EDGES = 10, 30
BUYS, SOLD_TO = ("user", "buys", "item"), ("item", "sold_to", "user")


def plain(**attributes: Any) -> Data:
    ids = torch.arange(NODES).repeat(3)
    edge_index = torch.stack([ids, (ids * 3 + 1) % NODES])
    data = Data(x=torch.arange(NODES * 1.0)[:, None], edge_index=edge_index)
    data.update(attributes)
    return data


def typed(**weights: float) -> HeteroData:
    data = HeteroData()
    data["user"].x, data["item"].x = torch.ones(4, 1), torch.ones(5, 1)
    data[BUYS].edge_index = torch.tensor([[0, 1, 2, 3], [0, 1, 2, 4]])
    data[SOLD_TO].edge_index = torch.tensor([[0, 1, 2], [0, 1, 2]])
    for name, weight in weights.items():
        for key in (BUYS, SOLD_TO):
            data[key][name] = torch.full((data[key].num_edges,), weight)
    return data


def edges(*pairs: Any) -> Data:
    return Data(x=torch.ones(3, 1), edge_index=torch.tensor(pairs).t())


def typed_edges(*pairs: Any) -> HeteroData:
    data = typed()
    data[BUYS].edge_index = torch.tensor(pairs).t()
    return data


def odd_names() -> HeteroData:
    data = HeteroData()
    data["a"].x, data["b"].x = torch.ones(2, 1), torch.ones(2, 1)
    data["a", "r_", "b"].edge_index = torch.tensor([[0], [1]])
    return data


def timed(**options: Any) -> NeighborLoader:
    return NeighborLoader(plain(time=torch.ones(NODES).long()), [2], time_attr="time", **options)


NONE = torch.zeros(2, 0, dtype=torch.long)
WRONG: Dict[str, Callable[[], Any]] = {
    # Input nodes.
    "input_nodes: node 99 at index 1 is outside 0 .. 9": lambda: NeighborLoader(
        plain(), [2], [3, 99]
    ),
    'input_nodes: node 9 at index 0 is outside 0 .. 3 of type "user"': lambda: NeighborLoader(
        typed(), [2], ("user", [9])
    ),
    "input_nodes: dtype is float32, expected int32 or int64": lambda: NeighborLoader(
        plain(), [2], torch.ones(2)
    ),
    "input_nodes: the shape is [2, 2], expected [n] or [n, 1]": lambda: NeighborLoader(
        plain(), [2], torch.zeros(2, 2).long()
    ),
    "input_nodes: 'train' is the name of an id set, which Data does not have": lambda: (
        NeighborLoader(plain(), [2], "train")
    ),
    "input_nodes: expected a tensor or numbers, not object: Could not infer dtype of object": (
        lambda: NeighborLoader(plain(), [2], object())
    ),
    "input_nodes: there is no node type 'shop'; there are: user, item": lambda: NeighborLoader(
        typed(), [2], "shop"
    ),
    'input_nodes: node 99 at index 0 is outside 0 .. 3 of type "user"': lambda: HGTLoader(
        typed(), [2], ("user", [99])
    ),
    # Edges.
    "data: edge_index: target: node id 7 at position 1 is outside [0, 3) (by num_nodes)": lambda: (
        NeighborLoader(edges([0, 1], [1, 7]), [2])
    ),
    "data: edge_index: source: node id -1 at position 0 is outside [0, 3) (by num_nodes)": (
        lambda: NeighborLoader(edges([-1, 1], [1, 2]), [2])
    ),
    "data: edge_index of ('user', 'buys', 'item'): source: node id 9 at position 0 is outside "
    '[0, 4) of node type "user" (by num_nodes)': lambda: NeighborLoader(
        typed_edges([9, 1], [1, 1]), [2], "user"
    ),
    "data: edge_index: dtype is float32, expected int32 or int64": lambda: NeighborLoader(
        edges([0.5, 1], [1, 2]), [2]
    ),
    "data: edge_index has shape [3, 1], expected [2, n]": lambda: NeighborLoader(
        edges([0, 1, 2]), [2]
    ),
    "data: there is neither edge_index nor adj_t, expected one of the two": lambda: NeighborLoader(
        Data(x=torch.ones(3, 1)), [2]
    ),
    "data: the edge type ('a', 'r_', 'b') has a name 'r_', which contains '__' or begins or ends "
    "with '_', as they stand between the three names; rename it": lambda: NeighborLoader(
        odd_names(), [2], "b"
    ),
    # Fanouts.
    "num_neighbors: edge type ('item', 'sold_to', 'user') has 1 hops and edge type "
    "('user', 'buys', 'item') has 2, expected as many": lambda: NeighborLoader(
        typed(), {BUYS: [2, 2], SOLD_TO: [2]}, "user"
    ),
    "num_neighbors: the entry for all edge types has 1 hops and edge type "
    "('user', 'buys', 'item') has 2, expected as many": lambda: NeighborLoader(
        typed(), NumNeighbors({BUYS: [2, 2]}, default=[2]), "user"
    ),
    "num_neighbors: edge type ('item', 'sold_to', 'user') has no entry, and there is none for all": (
        lambda: NeighborLoader(typed(), {BUYS: [2]}, "user")
    ),
    "num_neighbors: there is no edge type ('user', 'likes', 'item'); there are: "
    "('user', 'buys', 'item'), ('item', 'sold_to', 'user')": lambda: NeighborLoader(
        typed(), {("user", "likes", "item"): [2]}, "user"
    ),
    "num_neighbors: ('user', 'item') is neither a name nor (source, relation, target)": lambda: (
        NeighborLoader(typed(), {("user", "item"): [2]}, "user")
    ),
    "num_neighbors: 1099511627776, expected -1 to 268435456": lambda: NeighborLoader(
        plain(), [2**40]
    ),
    'num_samples: node type "item" has 1 hops and node type "user" has 2, expected as many': (
        lambda: HGTLoader(typed(), {"user": [2, 2], "item": [2]}, "user")
    ),
    'num_samples: node type "item" has no entry, and there is none for all': lambda: HGTLoader(
        typed(), {"user": [2]}, "user"
    ),
    # Weights and times.
    "weight_attr: 'w' of edge 3 is -1, expected a finite number not below 0": lambda: list(
        NeighborLoader(plain(w=-torch.ones(EDGES)), [2], weight_attr="w")
    ),
    "weight_attr: 'odd__w' of edge 3 is -1, expected a finite number not below 0": lambda: list(
        NeighborLoader(plain(odd__w=-torch.ones(EDGES)), [2], weight_attr="odd__w")
    ),
    "weight_attr: column 'odd__w' has shape [30, 2], expected one number per edge": lambda: (
        NeighborLoader(plain(odd__w=torch.ones(EDGES, 2)), [2], weight_attr="odd__w")
    ),
    "weight_attr: 'w' of edge 0 of edge type ('item', 'sold_to', 'user') is -1, expected a finite "
    "number not below 0": lambda: NeighborLoader(typed(w=-1.0), [2], "user", weight_attr="w")([0]),
    'time_attr: column "time" is float32 of shape [10], expected one integer per row': lambda: (
        NeighborLoader(plain(time=torch.ones(NODES)), [2], time_attr="time")
    ),
    "input_time: none are given, and nodes have none of their own in 'time'": lambda: (
        NeighborLoader(plain(time=torch.ones(EDGES).long()), [2], time_attr="time")
    ),
    "input_time: 3 for 10 seeds, expected one each": lambda: timed(input_time=torch.arange(3)),
    "temporal_strategy: the last neighbours are taken, so replacement has no meaning": lambda: (
        timed(temporal_strategy="last", replace=True)
    ),
    # Links.
    "edge_label_index: source 99 at index 1 is outside 0 .. 9": lambda: LinkNeighborLoader(
        plain(), [2], torch.tensor([[0, 99], [1, 2]])
    ),
    "edge_label_index: edge id 99 at index 0 is outside 0 .. 29": lambda: LinkNeighborLoader(
        plain(), [2], torch.tensor([99])
    ),
    "edge_label_index: source 9 at index 0 is outside 0 .. 3 of edge type "
    "('user', 'buys', 'item')": lambda: LinkNeighborLoader(
        typed(), [2], (BUYS, torch.tensor([[9], [1]]))
    ),
    "edge_label: shape [3] for 30 links, expected one row each": lambda: LinkNeighborLoader(
        plain(), [2], edge_label=torch.ones(3)
    ),
    "edge_label: dtype is torch.complex64, expected whole or floating numbers": lambda: (
        LinkNeighborLoader(plain(), [2], edge_label=torch.ones(EDGES, dtype=torch.complex64))
    ),
    "edge_label_time: 3 for 30 seeds, expected one each": lambda: LinkNeighborLoader(
        plain(time=torch.ones(EDGES).long()), [2], edge_label_time=torch.arange(3), time_attr="time"
    ),
    "neg_sampling: 'pairs' is not a valid NegativeSamplingMode": lambda: LinkNeighborLoader(
        plain(), [2], neg_sampling="pairs"
    ),
    "neg_sampling: amount is 1.5, expected a whole number from 1 to 1048576": lambda: (
        LinkNeighborLoader(plain(), [2], neg_sampling=gls.NegativeSampling("triplet", 1.5))
    ),
    "neg_sampling: dst_weight has 3 numbers for 10 nodes": lambda: LinkNeighborLoader(
        plain(), [2], neg_sampling={"mode": "binary", "dst_weight": torch.ones(3)}
    ),
    "reverse_column: none given, expected one, as edges are excluded by reverse id": lambda: (
        LinkNeighborLoader(plain(), [2], exclude_links=True, exclude_mode="reverse_id")
    ),
    "reverse_types: ('user', 'buys', 'item') has 4 edges and ('item', 'sold_to', 'user') has 3, "
    "expected as many": lambda: LinkNeighborLoader(
        typed(), [2], BUYS, exclude_mode="reverse_types", reverse_types={BUYS: SOLD_TO}
    ),
    "reverse_types are given, but edges are not excluded by reverse types, nor is the subgraph "
    "bidirectional": lambda: LinkNeighborLoader(typed(), [2], BUYS, reverse_types={BUYS: SOLD_TO}),
    # Others.
    'input_nodes: the type is "item", but anchors are of type "user"': lambda: AnchorLoader(
        typed(), [2], BUYS, "item"
    ),
    "labels: there is no supervision 'likes'": lambda: AnchorLoader(
        plain(), [2], ("node", "to", "node"), labels={"likes": torch.zeros(NODES, 1).long()}
    ),
    "cluster: 3 for 10 nodes, expected one each": lambda: ClusterLoader(
        plain(), torch.zeros(3).long()
    ),
    "cluster: node 0 is in cluster 99, expected a number below 10": lambda: ClusterLoader(
        plain(), torch.full((NODES,), 99)
    ),
    "data: seeds: all have weight 0, so none can be drawn": lambda: GraphSAINTNodeSampler(
        Data(x=torch.ones(3, 1), edge_index=NONE), 2
    ),
    "data: seeds: there are none, so none can be drawn": lambda: GraphSAINTEdgeSampler(
        Data(x=torch.ones(3, 1), edge_index=NONE), 2
    ),
    "seed_rule: weight is given, but the links are pairs of nodes; expected ids of edges": lambda: (
        LinkNeighborLoader(
            plain(w=torch.ones(EDGES)), [2], NONE, seed_rule=gls.DrawnSeeds(weight="w")
        )
    ),
    "subgraph_type: 'bidirectional' is not one of 'directional', 'induced'": lambda: HGTLoader(
        typed(), [2], "user", subgraph_type="bidirectional"
    ),
    "prefetch_factor: -1 is not within 1 .. 2^32 - 1": lambda: NeighborLoader(
        plain(), [2], num_workers=1, prefetch_factor=-1
    ),
    'made_by is "servers", but the dataset has none; expected one that was opened as '
    "gls://host:port": lambda: NeighborLoader(plain(), [2], made_by="servers"),
    "index: 5 is outside 0 .. 1": lambda: NeighborLoader(plain(), [2], [1, 2])([5]),
}
INTERNAL = re.compile(
    r"^(seeds|links|source|target|times|fanouts|samples|weight|clusters)\b"
    r"|node__to__node|\"node\"|id_set|GLS_|attribute \d|\be\d\b"
)


@pytest.mark.parametrize("message", WRONG)
def test_errors_are_in_the_words_of_the_caller(message: str) -> None:
    with pytest.raises(gls.Error) as caught:
        WRONG[message]()
    assert str(caught.value) == message
    assert not INTERNAL.search(message) and not INTERNAL.search(str(dict(caught.value.detail)))
    argument = caught.value.detail.get("argument")
    assert argument is None or argument in ("exclude_mode", "made_by") or argument in message


def test_where_pyg_is_missing_it_is_named() -> None:
    assert run(["torch_geometric"], "import gls.pyg") == (
        "ImportError: gls.pyg needs PyG, which cannot be imported (No module named "
        "'torch_geometric'): pip install torch-geometric"
    )


def test_what_is_passed_as_pad_is_checked() -> None:
    with pytest.raises(TypeError, match="pad must be a bool or a gls.Pad, not str"):
        NeighborLoader(plain(), [2], pad="yes")  # type: ignore[arg-type]


def test_native_loaders_name_types_with_unequal_hops(shop: gls.Dataset) -> None:
    fanouts = {("user", "buys", "item"): [2, 2], ("user", "knows", "user"): [2]}
    with pytest.raises(
        gls.InvalidArgument,
        match='edge type "user__knows__user" has 1 hops and edge type "user__buys__item" has 2',
    ):
        gls.Sampler(shop, fanouts)
