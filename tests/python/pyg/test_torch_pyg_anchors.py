"""gls.pyg.AnchorLoader: what PyG's objects hold of anchors and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data, HeteroData

import gls
import gls.pyg

LIKES, BOUGHT = ("user", "likes", "item"), ("user", "bought", "item")
BACK = ("item", "rev_likes", "user")
NAME = "__".join(BOUGHT)


def shop() -> HeteroData:
    rng = np.random.default_rng(3)
    data = HeteroData()
    data["user"].x = torch.arange(20).float()[:, None]
    data["item"].x = torch.arange(30).float()[:, None]
    for edge_type, edges in ((LIKES, 100), (BOUGHT, 60)):
        ends = np.stack([rng.integers(0, 20, edges), rng.integers(0, 30, edges)])
        data[edge_type].edge_index = torch.from_numpy(ends)
    data[BACK].edge_index = data[LIKES].edge_index.flip(0)
    return data


@pytest.mark.parametrize("padded", [False, True])
def test_labels_of_hetero_data(padded: bool) -> None:
    data = shop()
    supervisions = [
        gls.Supervision(BOUGHT, max_labels=4),
        gls.Supervision(LIKES, role="negative", sampled=True),
    ]
    loader = gls.pyg.AnchorLoader(
        data,
        [5, 5],
        supervisions,
        "user",
        padded=padded,
        exclude_mode="reverse_types",
        reverse_types=[(LIKES, BACK)],
        batch_size=6,
        shuffle=True,
        seed=2,
    )
    pairs = set(zip(*data[BOUGHT].edge_index.tolist()))
    seen = []
    for batch in loader:
        users, items = batch["user"].n_id, batch["item"].n_id
        anchors = batch["user"].anchors
        assert users[anchors].tolist() == batch["user"].input_id.tolist()
        assert batch["user"].x[:, 0].tolist() == users.tolist()
        assert batch[BOUGHT].edge_index.shape == (2, 0)
        liked = set(zip(users[batch[LIKES].edge_index[0]].tolist(),
                        items[batch[LIKES].edge_index[1]].tolist()))  # fmt: skip
        seen += users[anchors].tolist()
        positive = batch.y_positive[NAME]
        negative = batch.y_negative["__".join(LIKES)]
        if padded:
            assert positive.shape == (len(anchors), 4)
            anchor, column = (positive >= 0).nonzero(as_tuple=True)
            positive = torch.stack([anchors[anchor], positive[anchor, column]])
            anchor, column = (negative >= 0).nonzero(as_tuple=True)
            negative = torch.stack([anchors[anchor], negative[anchor, column]])
        got = set(zip(users[positive[0]].tolist(), items[positive[1]].tolist()))
        assert got <= pairs
        wrong = set(zip(users[negative[0]].tolist(), items[negative[1]].tolist()))
        assert not wrong & liked
        for edge_type in (LIKES, BACK):
            assert batch[edge_type].edge_index.shape[1] > 0
    assert sorted(seen) == list(range(20))


def test_labels_that_are_given_with_data() -> None:
    data = Data(x=torch.arange(10.0)[:, None], edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]))
    rows = torch.stack([torch.arange(10).flip(0), torch.full((10,), -1)], 1)
    own = gls.Supervision(name="own")
    loader: Any = gls.pyg.AnchorLoader(
        data, [2], own, labels={"own": rows}, batch_size=4, shuffle=True, seed=1
    )
    for batch in loader:
        index = batch.n_id[batch.y_positive["own"]]
        assert index[0].tolist() == batch.input_id.tolist()
        assert index[1].tolist() == (9 - batch.input_id).tolist()
        assert batch.y_negative == {}
    called = loader([3, 7])
    assert called.n_id[called.y_positive["own"]].tolist() == [[3, 7], [6, 2]]
