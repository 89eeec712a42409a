"""The programs of the page "Stores" run as they are written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List

import numpy as np
import pytest

import gls
from conftest import ROOT

NODES = 300


class Database:
    """A column of bytes, and lists of followers; one is empty."""

    def __init__(self) -> None:
        generator = np.random.default_rng(2)
        self.x = generator.random((NODES, 128)).astype(np.float32)
        self.lists = [generator.integers(0, NODES, node % 4).tolist() for node in range(NODES)]

    def get(self, key: bytes) -> bytes:
        return self.x[int(key.split(b":")[1])].tobytes()

    def followers(self, nodes: np.ndarray) -> List[List[int]]:
        return [self.lists[node] for node in nodes]


def programs() -> List[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "stores.md").read_text(), re.DOTALL)


def test_features_and_neighbors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    builder = gls.DatasetBuilder()
    builder.add_node_type("user", NODES)
    builder.add_edges("user__knows__user", np.arange(NODES), np.arange(NODES)[::-1].copy())
    builder.build().save("graph")
    database = Database()
    names: Dict[str, Any] = {"database": database}
    features, neighbors = programs()[:2]
    exec(features, names)
    seen = 0
    for batch in names["loader"]:
        assert np.array_equal(batch.x.numpy(), database.x[batch.node.numpy()])
        seen += batch.batch_size
    assert seen == NODES

    exec(neighbors, names)
    nodes_only = gls.DatasetBuilder()
    nodes_only.add_node_type("user", NODES)
    dataset = nodes_only.build().with_stores(names["follows"])
    for seeds in (np.arange(NODES), [0]):  # node 0 has none
        batch = gls.Sampler(dataset, [-1]).sample(seeds)
        node, row, col = (getattr(batch, name).numpy() for name in ("node", "row", "col"))
        found = sorted(zip(node[col].tolist(), node[row].tolist()))
        lists = [(int(seed), one) for seed in seeds for one in database.lists[seed]]
        assert found == sorted(lists)
    names.clear()  # they are globals of `fetch`, which the threads hold
