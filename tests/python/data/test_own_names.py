"""Errors name options, flags and names that do not exist as Python's callers wrote them."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import gls
from gls._core.naming import LINK_LOADER_OPTIONS, naming
from gls.errors import own_words


@pytest.fixture(name="dataset")
def make_dataset() -> gls.Dataset:
    builder = gls.DatasetBuilder()
    ids = np.arange(10, dtype=np.int64)
    builder.add_edges("node__to__node", ids, np.roll(ids, 1))
    builder.add_node_column("node", "x", np.ones((10, 2), dtype=np.float32))
    builder.add_edge_column("node__to__node", "w", np.ones(10, dtype=np.float32), role="weight")
    builder.add_id_set("node", "train", ids[:4])
    return builder.build()


def failed(call: Callable[[], Any]) -> gls.Error:
    with pytest.raises(gls.Error) as info:
        call()
    assert "GLS_" not in str(info.value), info.value
    return info.value


def test_options_are_the_callers(dataset: gls.Dataset) -> None:
    for argument, call in {
        "input_nodes": lambda: gls.NeighborLoader(dataset, [2], "practice"),
        "weight_attr": lambda: gls.NeighborLoader(dataset, [2], weight_attr="heft"),
        "num_neighbors": lambda: gls.NeighborLoader(dataset, []),
        "exclude_mode": lambda: gls.NeighborLoader(
            dataset, [2], exclude_mode="reverse_types", reverse_types=[("node__to__node",) * 2]
        ),
        "edge_label": lambda: gls.LinkNeighborLoader(dataset, [2], edge_label=np.ones(3)),
        "neg_sampling": lambda: gls.Sampler(
            dataset, [2], neg_sampling=gls.NegativeSampling("binary")
        ).sample(np.array([1])),
        "layer_dependent": lambda: gls.NeighborLoader(dataset, [2], layer_dependent=True),
    }.items():
        error = failed(call)
        assert error.detail["argument"] == argument, error
        assert argument in str(error)


def test_unknown_names_are_listed(dataset: gls.Dataset) -> None:
    error = failed(lambda: gls.NeighborLoader(dataset, [2], columns=["z"]))
    assert error.detail["column"] == "z"
    assert "x, w" in str(error)
    error = failed(lambda: gls.NeighborLoader(dataset, [2], "practice"))
    assert error.detail["type"] == "node"
    assert "train" in str(error)
    error = failed(lambda: gls.Context(1).set("memory.hugepages", "true"))
    assert error.detail["setting"] == "memory.hugepages"
    assert "memory.huge_pages" in str(error)


def test_a_loader_says_what_it_is(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [2], "train", batch_size=3)
    assert repr(loader) == "NeighborLoader(epoch=0, batches=2, batch_size=3, seeds=4)"
    loader.close()
    assert repr(loader) == "NeighborLoader(closed)"


def test_words_in_quotes_are_the_callers_own() -> None:
    message, detail = own_words("environment variable GLS_NET_PLAIN is 3", {"argument": "x"})
    assert (message, detail) == ("environment variable GLS_NET_PLAIN is 3", {"argument": "x"})
    with pytest.raises(gls.InvalidArgument) as info, naming(LINK_LOADER_OPTIONS):
        raise gls.InvalidArgument(
            'edge_type is "edge_type", and a/edge_type no edge_type',
            detail={"argument": "edge_type"},
        )
    name = "edge_label_index"
    assert str(info.value) == f'{name} is "edge_type", and a/edge_type no {name}'
    assert info.value.detail == {"argument": name}
