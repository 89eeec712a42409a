"""Tensors of PyTorch, in and out, in place."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import torch

import gls

DTYPES = [torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]
DTYPES += [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def column(data: Any) -> gls.Tensor:
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", torch.zeros((2, 0), dtype=torch.long))
    builder.add_node_column("node", "x", data)
    return builder.build().node_column("x")


def in_torch(tensor: gls.Tensor) -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return tensor.torch()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_goes_in_and_out_in_place(dtype: torch.dtype) -> None:
    data = torch.arange(24).reshape(8, 3).to(dtype)
    tensor = column(data)
    assert f"torch.{tensor.dtype}" == str(dtype)
    out = in_torch(tensor)
    assert out.dtype == dtype and out.data_ptr() == data.data_ptr() == tensor.data_ptr()
    assert torch.equal(out, data)


@pytest.mark.parametrize("shape", [(5,), (5, 2, 3), (0,), (0, 7), (5, 0)])
def test_shapes(shape: Any) -> None:
    out = in_torch(column(torch.ones(shape)))
    assert out.shape == shape and out.sum() == out.numel()


def test_layouts() -> None:
    whole = torch.arange(40.0).reshape(5, 8)
    padded = column(whole[:, 2:5])
    assert padded.data_ptr() == whole.data_ptr() + 8 and padded.strides == (8, 1)
    assert in_torch(padded).stride() == (8, 1)
    turned = whole.t()  # rows are not contiguous: a copy, as documented
    tensor = column(turned)
    assert tensor.data_ptr() != whole.data_ptr() and torch.equal(in_torch(tensor), turned)


def test_the_negative_bit_is_not_lost() -> None:
    data = torch.randn(50, dtype=torch.complex64).conj().imag
    assert data.is_neg()
    for negative in (data, data.view(25, 2)):
        tensor = column(negative)
        assert torch.equal(in_torch(tensor), negative.resolve_neg())
        assert tensor.data_ptr() != data.data_ptr()
    assert data.is_neg()


def test_edges_are_taken_in_place() -> None:
    indptr, indices = torch.tensor([0, 1, 2]), torch.tensor([1, 0], dtype=torch.int32)
    builder = gls.DatasetBuilder()
    builder.add_topology("node__to__node", "csc", indptr, indices)
    topology = builder.build().topology()
    assert topology.indptr.data_ptr() == indptr.data_ptr()
    assert topology.indices.data_ptr() == indices.data_ptr()


def test_memory_lives_as_long_as_it_is_used() -> None:
    data = torch.arange(1000.0)
    expected = data.clone()
    tensor = column(data)
    del data
    gc.collect()
    torch.ones(1000)  # would take the memory, were it free
    out = in_torch(tensor)
    del tensor
    gc.collect()
    assert torch.equal(out, expected)


def test_read_only_memory_is_warned_of() -> None:
    tensor = column(torch.ones(3))
    with pytest.warns(UserWarning, match="read-only"):
        tensor.torch()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tensor.copy().torch()[0] = 5


def test_batches_need_no_warning(dataset: gls.Dataset) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch = next(iter(gls.NeighborLoader(dataset, [3], batch_size=20)))
        for tensor in (batch.x, batch.y, batch.node, batch.row, batch.edge_index, batch.input_id):
            out = tensor.torch()
            assert out.data_ptr() == tensor.data_ptr()
            np.testing.assert_array_equal(out.numpy(), tensor.numpy())
            assert torch.from_dlpack(tensor).data_ptr() == tensor.data_ptr()
        batch.x.torch()[:] = 7  # one's own
        assert (batch.x.numpy() == 7).all()


def test_empty_arrays(shop: gls.Dataset) -> None:
    batch = gls.Sampler(shop, [2]).sample(("shop", [0]))
    out = batch.edges["user__knows__user"].row.torch()
    assert out.shape == (0,) and out.dtype == torch.int64
    assert batch.edges["user__knows__user"].edge_index.torch().shape == (2, 0)


def test_seeds_and_masks(dataset: gls.Dataset) -> None:
    seeds = torch.tensor([5, 9], dtype=torch.int32)
    assert gls.Sampler(dataset, [1]).sample(seeds).node.tolist()[:2] == [5, 9]
    mask = torch.zeros(200, dtype=torch.bool)
    mask[[3, 8]] = True
    assert gls.NeighborLoader(dataset, [1], mask).num_seeds == 2


def test_tensors_that_cannot_be_used() -> None:
    builder = gls.DatasetBuilder()
    for bad in (
        torch.ones(3, requires_grad=True),
        torch.ones(3, 3).to_sparse(),
        torch.ones(3, dtype=torch.complex64),
        torch.ones(3, device="meta"),
    ):
        with pytest.raises(gls.InvalidArgument):
            builder.add_node_column("node", "x", bad)


def test_dlpack_both_ways() -> None:
    data = torch.arange(6.0).reshape(2, 3)
    tensor = column(data).copy()
    assert torch.equal(torch.from_dlpack(tensor), data)
    assert torch.equal(torch.utils.dlpack.from_dlpack(tensor.__dlpack__()), data)


def test_bfloat16_is_pickled_by_torch() -> None:
    data = torch.arange(6).reshape(3, 2).to(torch.bfloat16)
    tensor = column(data)
    with pytest.raises(TypeError, match="cannot pickle a gls.Tensor of bfloat16.*torch"):
        pickle.dumps(tensor)
    assert torch.equal(in_torch(copy.copy(tensor)), data)
    assert torch.equal(copy.deepcopy(tensor).torch(), data)
