"""The plugin for GPUs that runs on a processor, and what is in memory of its "device"."""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, List, NamedTuple, Tuple

import gls

ROOT = Path(__file__).resolve().parents[2]


def plugin_folder() -> Path:
    """That scripts/cuda_on_host.sh builds and names; without it nothing here can be tested."""
    default = ROOT / "build" / "release" / "tests" / "cuda_on_host"
    folder = Path(os.environ.get("GLS_CUDA_ON_HOST", default))
    if not (folder / "libgls_cuda.so").exists():
        raise FileNotFoundError(
            f"{folder}/libgls_cuda.so: run scripts/cuda_on_host.sh, and say where it is by "
            "GLS_CUDA_ON_HOST"
        )
    return folder


DEVICES = 4


@contextmanager
def plugin() -> Iterator[None]:
    """With this plugin, and so many devices, in this process and those that it starts."""
    given = {"GLS_PLUGIN_PATH": str(plugin_folder()), "CUDA_ON_HOST_DEVICES": str(DEVICES)}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    assert gls.devices(), "another plugin was loaded before"
    yield
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


class Exported(NamedTuple):
    """What a consumer of DLPack finds in a capsule."""

    data: int
    device: Tuple[int, int]
    dtype: Tuple[int, int, int]
    shape: List[int]
    strides: List[int]

    def bytes(self) -> bytes:
        """Of a "device" that is memory of the host."""
        size = self.dtype[1] // 8
        for extent in self.shape:
            size *= extent
        return ctypes.string_at(self.data, size)


def look_into(capsule: Any) -> Exported:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    versioned = b"dltensor_versioned" in repr(capsule).encode()
    if versioned:
        tensor = _Versioned.from_address(get(capsule, b"dltensor_versioned")).tensor
    else:
        tensor = _Tensor.from_address(get(capsule, b"dltensor"))
    return Exported(
        (tensor.data or 0) + tensor.byte_offset,
        (tensor.device_type, tensor.device_id),
        (tensor.code, tensor.bits, tensor.lanes),
        tensor.shape[: tensor.ndim],
        tensor.strides[: tensor.ndim],
    )
