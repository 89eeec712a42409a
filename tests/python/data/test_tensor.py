"""Tensor: what it says of itself, and that nothing is copied on the way out."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gls

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "float32", "float64"]


def column(data: Any) -> gls.Tensor:
    """`data` as it comes out of a dataset."""
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.zeros((2, 0), np.int64))
    builder.add_node_column("node", "x", data)
    return builder.build().node_column("x")


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_goes_in_and_out_in_place(dtype: str) -> None:
    data = np.arange(24).reshape(8, 3).astype(dtype)
    tensor = column(data)
    assert (tensor.dtype, tensor.shape, tensor.ndim, tensor.size) == (dtype, (8, 3), 2, 24)
    assert tensor.nbytes == data.nbytes
    out = tensor.numpy()
    assert out.dtype == data.dtype
    assert out.ctypes.data == data.ctypes.data == tensor.data_ptr()
    np.testing.assert_array_equal(out, data)


@pytest.mark.parametrize("shape", [(5,), (5, 1), (5, 2), (5, 2, 3), (1, 4), (0,), (0, 7), (5, 0)])
def test_shapes(shape: Any) -> None:
    data = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    tensor = column(data)
    assert tensor.shape == shape
    assert len(tensor) == shape[0]
    for out in (tensor.numpy(), np.asarray(tensor), np.array(tensor), tensor.copy().numpy()):
        assert out.shape == shape
        np.testing.assert_array_equal(out, data)


def test_rows_may_be_padded() -> None:
    wide = np.arange(40, dtype=np.float64).reshape(5, 8)
    tensor = column(wide[:, 2:5])
    assert tensor.strides == (8, 1)
    out = tensor.numpy()
    assert out.ctypes.data == wide.ctypes.data + 16
    np.testing.assert_array_equal(out, wide[:, 2:5])
    copy = tensor.copy()
    assert copy.strides == (3, 1) and not copy.read_only
    np.testing.assert_array_equal(copy.numpy(), wide[:, 2:5])


def test_dataset_arrays_are_read_only(dataset: gls.Dataset) -> None:
    for tensor in (dataset.node_column("x"), dataset.id_set("train"), dataset.topology().indices):
        assert tensor.read_only
        with pytest.raises(ValueError, match="read-only"):
            tensor.numpy()[0] = 0


def test_batch_arrays_may_be_written(dataset: gls.Dataset) -> None:
    batch = gls.Sampler(dataset, [3]).sample([1, 2, 3])
    assert not batch.row.read_only
    batch.row.numpy()[:] = -1
    assert batch.row.numpy()[0] == -1
    assert batch.row is batch.row  # two looks at one array are one array


def test_indexing_and_lists(graph: Any, dataset: gls.Dataset) -> None:
    tensor = dataset.node_column("x")
    np.testing.assert_array_equal(tensor[3:5], graph.x[3:5])
    assert tensor[2, 1] == graph.x[2, 1]
    assert dataset.node_column("y").tolist() == graph.y.tolist()
    assert list(dataset.node_column("y")) == graph.y.tolist()
    assert repr(tensor) == "gls.Tensor(float32[200, 12], read-only)"


def test_array_interface(dataset: gls.Dataset) -> None:
    tensor = dataset.node_column("x")
    interface = tensor.__array_interface__
    assert interface["typestr"] == "<f4" and interface["shape"] == (200, 12)
    assert interface["data"] == (tensor.data_ptr(), True)

    class Other:
        __array_interface__ = interface

    assert np.asarray(Other()).ctypes.data == tensor.data_ptr()


def test_dlpack_read_only_rules(dataset: gls.Dataset) -> None:
    tensor = dataset.node_column("x")
    assert tensor.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__(max_version=(0, 8))
    assert "dltensor_versioned" in repr(tensor.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(tensor.__dlpack__(copy=True))
    with pytest.raises(BufferError, match="device"):
        tensor.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="stream"):
        tensor.__dlpack__(stream=1)
    tensor.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=False)


def test_dlpack_to_numpy_and_back(dataset: gls.Dataset) -> None:
    batch = gls.Sampler(dataset, [3]).sample([1, 2, 3])
    array = np.from_dlpack(batch.node)
    assert array.ctypes.data == batch.node.data_ptr()

    class Exporter:
        """Knows DLPack alone, and only that of today."""

        def __init__(self, tensor: gls.Tensor) -> None:
            self.tensor = tensor

        def __dlpack__(self, **arguments: Any) -> object:
            return self.tensor.__dlpack__(**arguments)

    back = column(Exporter(dataset.node_column("x")))
    assert back.data_ptr() == dataset.node_column("x").data_ptr()


def test_unused_capsules_give_the_memory_back(dataset: gls.Dataset) -> None:
    data = np.zeros((4, 2), np.float32)
    alive = weakref.ref(data)
    tensor = column(data)
    capsules = [tensor.__dlpack__(max_version=(1, 0)), tensor.copy().__dlpack__()]
    del data, tensor
    gc.collect()
    assert alive() is not None
    del capsules
    gc.collect()
    assert alive() is None


def test_arrays_outlive_everything_else(graph: Any) -> None:
    dataset = graph.build()
    loader = gls.NeighborLoader(dataset, [5, 5], batch_size=50)
    batch = next(iter(loader))
    x, node, row = batch.x.numpy(), batch.node.numpy(), batch.row.numpy()
    whole = dataset.node_column("x").numpy()
    expected = row.copy()
    loader.close()
    del batch, loader, dataset
    gc.collect()
    np.testing.assert_array_equal(x, graph.x[node])
    np.testing.assert_array_equal(row, expected)
    np.testing.assert_array_equal(whole, graph.x)


def test_map_npy(tmp_path: Path) -> None:
    data = np.arange(12, dtype=np.int32).reshape(4, 3)
    np.save(tmp_path / "a.npy", data)
    tensor = gls.Tensor.map_npy(tmp_path / "a.npy")
    assert tensor.read_only
    np.testing.assert_array_equal(tensor.numpy(), data)
    with pytest.raises(gls.FileNotFound):
        gls.Tensor.map_npy(tmp_path / "b.npy")
    (tmp_path / "c.npy").write_bytes(b"nonsense")
    with pytest.raises(gls.CorruptData):
        gls.Tensor.map_npy(tmp_path / "c.npy")


def bfloat16() -> gls.Tensor:
    """A bfloat16 column of 1, 2, 3, by way of an exporter that NumPy does not have."""
    import ctypes

    bits = np.array([0x3F80, 0x4000, 0x4040], np.uint16)

    class Managed(ctypes.Structure):
        _fields_ = [
            ("data", ctypes.c_void_p),
            ("device", ctypes.c_int32 * 2),
            ("ndim", ctypes.c_int32),
            ("code", ctypes.c_uint8),
            ("bits", ctypes.c_uint8),
            ("lanes", ctypes.c_uint16),
            ("shape", ctypes.POINTER(ctypes.c_int64)),
            ("strides", ctypes.POINTER(ctypes.c_int64)),
            ("byte_offset", ctypes.c_uint64),
            ("manager_ctx", ctypes.c_void_p),
            ("deleter", ctypes.c_void_p),
        ]

    shape = (ctypes.c_int64 * 1)(3)
    managed = Managed(
        bits.ctypes.data, (1, 0), 1, 4, 16, 1, ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
    )
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    keep.extend([bits, shape, managed])

    class Exporter:
        def __dlpack__(self, **_: Any) -> object:
            return new(ctypes.addressof(managed), b"dltensor", None)

    return column(Exporter())


keep: "list[Any]" = []


def test_bfloat16_has_no_numpy_type() -> None:
    tensor = bfloat16()
    assert tensor.dtype == "bfloat16"
    for look in (tensor.numpy, lambda: np.asarray(tensor), lambda: tensor.__array_interface__):
        with pytest.raises(gls.Unsupported, match="bfloat16"):
            look()
    raw = tensor.numpy(raw_bfloat16=True)
    assert raw.dtype == np.uint16 and raw.tolist() == [0x3F80, 0x4000, 0x4040]
    assert raw.ctypes.data == tensor.data_ptr()


def test_widening_bfloat16_and_float16() -> None:
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.zeros((2, 1), np.int64))
    builder.add_node_column("node", "b", bfloat16())
    builder.add_node_column("node", "h", np.array([0.5, 1.5, 2.5], np.float16))
    wanted = [gls.ColumnRequest("b", dtype="float32"), gls.ColumnRequest("h", dtype="float32")]
    dataset = builder.build()
    batch = next(iter(gls.NeighborLoader(dataset, [1], columns=wanted)))
    assert batch.b.numpy().tolist() == [1.0, 2.0, 3.0]
    assert batch.h.numpy().tolist() == [0.5, 1.5, 2.5]
    plain = next(iter(gls.NeighborLoader(dataset, [1])))
    assert (plain.b.dtype, plain.h.dtype) == ("bfloat16", "float16")
    assert plain.b.numpy(raw_bfloat16=True).tolist() == [0x3F80, 0x4000, 0x4040]
