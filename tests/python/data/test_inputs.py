"""Arrays on their way in: used where they lie, kept alive, copied only where that is documented."""

from __future__ import annotations

import array
import ctypes
import gc
import sys
import weakref
from typing import Any, Callable

import numpy as np
import pytest

import gls

EDGES = np.array([[0, 1, 2, 3], [1, 2, 3, 0]])


def dataset_with(add: Callable[[gls.DatasetBuilder], Any]) -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 4)
    builder.add_edges("node__to__node", EDGES)
    add(builder)
    return builder.build()


def test_topologies_are_used_in_place() -> None:
    indptr = np.array([0, 2, 3], np.int64)
    indices = np.array([1, 0, 1], np.int32)
    ids = np.array([2, 0, 1], np.int32)
    builder = gls.DatasetBuilder()
    builder.add_topology("node__to__node", "csc", indptr, indices, ids)
    topology = builder.build().topology("csc")
    assert topology.indptr.data_ptr() == indptr.ctypes.data
    assert topology.indices.data_ptr() == indices.ctypes.data
    assert topology.edge_ids is not None
    assert topology.edge_ids.data_ptr() == ids.ctypes.data


def test_id_sets_are_used_in_place() -> None:
    ids = np.array([3, 1], np.int64)
    dataset = dataset_with(lambda b: b.add_id_set("node", "train", ids))
    assert dataset.id_set("train").data_ptr() == ids.ctypes.data


def test_buffers_of_the_standard_library() -> None:
    words = array.array("q", [5, 6, 7, 8])
    dataset = dataset_with(lambda b: b.add_node_column("node", "a", words))
    assert dataset.node_column("a").data_ptr() == words.buffer_info()[0]
    bits = bytearray(b"\1\2\3\4")
    dataset = dataset_with(lambda b: b.add_node_column("node", "b", bits))
    assert dataset.node_column("b").tolist() == [1, 2, 3, 4]
    with pytest.raises(BufferError):  # exported, so it must not move
        bits.append(5)
    del dataset
    gc.collect()
    bits.append(5)


def test_buffers_without_strides() -> None:
    """As ctypes exports its arrays, also where strides are asked for."""
    ids = (ctypes.c_int64 * 2)(3, 1)
    dataset = dataset_with(lambda b: b.add_id_set("node", "train", ids))
    assert dataset.id_set("train").tolist() == [3, 1]
    assert dataset.id_set("train").data_ptr() == ctypes.addressof(ids)
    rows = ((ctypes.c_float * 2) * 4)((1, 2), (3, 4), (5, 6), (7, 8))
    dataset = dataset_with(lambda b: b.add_node_column("node", "a", rows))
    assert dataset.node_column("a").tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    mask = (ctypes.c_bool * 4)(True, False, True, False)
    assert gls.NeighborLoader(dataset, [1], mask).num_seeds == 2


def test_producers_are_kept_alive_and_let_go() -> None:
    data = np.arange(8, dtype=np.float32).reshape(4, 2)
    alive = weakref.ref(data)
    count = sys.getrefcount(data)
    dataset = dataset_with(lambda b: b.add_node_column("node", "x", data))
    assert sys.getrefcount(data) > count
    view = dataset.node_column("x")
    del dataset
    gc.collect()
    assert sys.getrefcount(data) > count
    del view
    gc.collect()
    assert sys.getrefcount(data) == count
    del data
    assert alive() is None


def test_a_refused_array_is_let_go() -> None:
    data = np.zeros((5, 2), np.float32)  # one row too many
    count = sys.getrefcount(data)
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 4)
    builder.add_edges("node__to__node", EDGES)
    with pytest.raises(gls.Error):
        builder.add_node_column("node", "x", data)
        builder.build()
    del builder
    gc.collect()
    assert sys.getrefcount(data) == count


@pytest.mark.parametrize(
    "make",
    [
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: np.frombuffer(b"\0" + x.tobytes(), x.dtype, offset=1).reshape(x.shape),
    ],
    ids=["column-major", "strided within rows", "backwards", "misaligned"],
)
def test_layouts_that_need_a_copy(make: Callable[[Any], Any]) -> None:
    x = np.arange(12, dtype=np.float64).reshape(4, 3)
    data = make(x)
    dataset = dataset_with(lambda b: b.add_node_column("node", "x", data))
    tensor = dataset.node_column("x")
    np.testing.assert_array_equal(tensor.numpy(), x)
    assert tensor.data_ptr() != data.ctypes.data


def test_strided_ids_are_copied() -> None:
    ids = np.arange(8)[::2]
    pairs = np.stack([np.arange(4), np.arange(4)[::-1]], axis=1)  # [4, 2], so columns are strided
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", pairs.T)
    builder.add_id_set("node", "some", ids // 2)
    dataset = builder.build()
    assert dataset.id_set("some").tolist() == [0, 1, 2, 3]
    assert dataset.topology().indices.tolist() == [3, 2, 1, 0]


def test_sequences_are_copied() -> None:
    dataset = gls.Dataset.from_arrays([[0, 1], [1, 0]], id_sets={"s": [1], "none": []}, x=[1.5, 2])
    assert dataset.id_set("s").tolist() == [1]
    assert dataset.id_set("none").tolist() == []
    assert dataset.node_column("x").tolist() == [1.5, 2.0]
    assert gls.Sampler(dataset, [1]).sample(range(2)).node.tolist() == [0, 1]


def test_masks_stand_for_ids() -> None:
    mask = np.array([True, False, True, True])
    dataset = dataset_with(lambda b: b.add_id_set("node", "train", mask))
    assert dataset.id_set("train").tolist() == [0, 2, 3]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_both_widths_of_ids(dtype: Any) -> None:
    dataset = gls.Dataset.from_arrays(EDGES.astype(dtype))
    batch = gls.Sampler(dataset, [-1]).sample(np.array([1, 0], dtype))
    assert batch.node.tolist() == [1, 0, 3]


@pytest.mark.parametrize(
    "value, text",
    [
        (np.zeros(4, np.complex64), "format"),
        (np.array(["a"] * 4), "format"),
        (np.array([object()] * 4), "format"),
        (np.zeros(4, ">f4"), "format"),
        (np.zeros(4, "datetime64[s]"), "dtype 'M'"),
        ([[1, 2], [3]], "inhomogeneous"),
        (np.array(1.0), "dimensions"),
        (5, "int"),
        (object(), "object"),
        (None, "None"),
    ],
    ids=[
        "complex",
        "text",
        "objects",
        "big-endian",
        "times",
        "ragged",
        "scalar",
        "int",
        "object",
        "none",
    ],
)
def test_what_is_no_array_is_refused(value: Any, text: str) -> None:
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", 4)
    with pytest.raises(gls.InvalidArgument, match=f"^data: .*{text}") as caught:
        builder.add_node_column("node", "x", value)
    assert caught.value.detail["argument"] == "data"


def test_memory_of_devices_is_refused() -> None:
    class OnDevice:
        def __dlpack__(self, **_: Any) -> object:
            raise BufferError("on a device")

    builder = gls.DatasetBuilder()
    with pytest.raises(gls.InvalidArgument, match="on a device"):
        builder.add_node_column("node", "x", OnDevice())


def test_wrong_shapes_of_edges() -> None:
    builder = gls.DatasetBuilder()
    for bad in (np.zeros((3, 4), np.int64), np.zeros(4, np.int64), np.zeros((2, 2, 2), np.int64)):
        with pytest.raises(gls.InvalidArgument, match="expected \\[2, n\\]"):
            builder.add_edges("node__to__node", bad)
