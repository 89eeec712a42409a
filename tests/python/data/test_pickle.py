"""Pickling and copying: what has a folder or is an array can be sent, all else says why not."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from pathlib import Path
from typing import Any, List

import numpy as np
import pytest

import gls


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def train_nodes(dataset: gls.Dataset) -> List[int]:
    """Runs in a process of its own."""
    loader = gls.NeighborLoader(dataset, [2], "train", batch_size=10, shuffle=True)
    return [node for batch in loader for node in batch.node.tolist()]


def test_opened_datasets(dataset: gls.Dataset, tmp_path: Path, monkeypatch: Any) -> None:
    dataset.save(tmp_path / "d")
    monkeypatch.chdir(tmp_path)
    opened = gls.Dataset.open("d", residency="all", verify=True)
    data = pickle.dumps(opened)
    monkeypatch.chdir(os.sep)  # the path was made absolute
    other = pickle.loads(data)
    assert other.__reduce__() == opened.__reduce__()
    assert other.__reduce__()[1] == (str(tmp_path / "d"), "all", True)
    np.testing.assert_array_equal(other.node_column("x").numpy(), dataset.node_column("x").numpy())
    assert other.id_sets() == dataset.id_sets()
    assert copy.deepcopy(opened).node_types == copy.copy(opened).node_types == ["node"]
    assert again(copy.copy(opened)).node_types == ["node"]
    opened.close()
    with pytest.raises(gls.InvalidState, match="closed"):
        pickle.dumps(opened)
    os.rename(tmp_path / "d", tmp_path / "elsewhere")
    with pytest.raises(gls.FileNotFound):
        pickle.loads(data)


def test_datasets_are_sent_to_processes(dataset: gls.Dataset, tmp_path: Path) -> None:
    dataset.save(tmp_path / "d")
    opened = gls.Dataset.open(tmp_path / "d")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(train_nodes, (opened,)) == train_nodes(opened)


def test_datasets_in_memory_say_what_to_do(dataset: gls.Dataset) -> None:
    with pytest.raises(TypeError, match=r"gls.Dataset: this one was made in memory; save\(\) it"):
        pickle.dumps(dataset)
    assert copy.copy(dataset).num_nodes() == 200


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint32", "float16", "float64"])
@pytest.mark.parametrize("shape", [(6,), (3, 2), (0, 4)])
def test_tensors(dtype: str, shape: Any) -> None:
    data = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    tensor = gls.Dataset.from_arrays(np.zeros((2, 0), np.int64), x=data).node_column("x")
    for made in (again(tensor), copy.deepcopy(tensor)):
        assert type(made) is gls.Tensor and (made.dtype, made.shape) == (dtype, shape)
        np.testing.assert_array_equal(made.numpy(), data)
        assert not made.read_only
        assert not data.size or made.data_ptr() != tensor.data_ptr()
    assert copy.copy(tensor).data_ptr() == tensor.data_ptr()


def test_padded_tensors_and_those_of_batches(dataset: gls.Dataset) -> None:
    wide = np.arange(40.0).reshape(5, 8)[:, 2:5]
    padded = gls.Dataset.from_arrays([[0], [4]], x=wide).node_column("x")
    np.testing.assert_array_equal(again(padded).numpy(), wide)
    batch = next(iter(gls.NeighborLoader(dataset, [3], batch_size=20)))
    np.testing.assert_array_equal(again(batch.x).numpy(), batch.x.numpy())


def test_what_cannot_be_pickled_says_why(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [3], batch_size=20)
    batch = next(iter(loader))
    for value, name in (
        (loader, "NeighborLoader"),
        (iter(loader), "NeighborLoader"),
        (batch, "Batch"),
        (batch.nodes["node"], "Batch"),
        (gls.Sampler(dataset, [3]), "Sampler"),
        (gls.DatasetBuilder(), "DatasetBuilder"),
        (gls.Context(1), "Context"),
    ):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match=f"^cannot pickle or copy a gls.{name}: "):
                pickle.dumps(value, protocol)
    assert copy.copy(batch).node.data_ptr() == batch.node.data_ptr()
