"""Tensor: an array of the library, shown to NumPy, PyTorch and every DLPack consumer in place."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union

from gls._core.devices import CPU, device_name, stream_handle, stream_of_consumer, unreadable
from gls._core.packages import need, need_numpy
from gls._low import glslow as low
from gls.errors import Unsupported

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

# (code, bits) of DLPack to name and to NumPy's typestr.
_DTYPES: Dict[Tuple[int, int], Tuple[str, str]] = {
    (6, 8): ("bool", "|b1"),
    (0, 8): ("int8", "|i1"),
    (0, 16): ("int16", "<i2"),
    (0, 32): ("int32", "<i4"),
    (0, 64): ("int64", "<i8"),
    (1, 8): ("uint8", "|u1"),
    (1, 16): ("uint16", "<u2"),
    (1, 32): ("uint32", "<u4"),
    (1, 64): ("uint64", "<u8"),
    (2, 16): ("float16", "<f2"),
    (4, 16): ("bfloat16", ""),
    (2, 32): ("float32", "<f4"),
    (2, 64): ("float64", "<f8"),
}
DTYPE_NUMBERS: Dict[str, Tuple[int, int]] = {name: number for number, (name, _) in _DTYPES.items()}


def dtype_name(code: int, bits: int) -> str:
    return _DTYPES[code, bits][0]


class Tensor:
    """An array in memory that the library made or mapped, or that was given to it.

    It is a view: :meth:`numpy`, :meth:`torch` and DLPack show the same memory, and each of them
    keeps it alive for as long as it is used. ``numpy.asarray(tensor)``,
    ``numpy.from_dlpack(tensor)`` and ``torch.from_dlpack(tensor)`` work too.

    Arrays of a batch may be written, as nothing reads them again. Arrays of a dataset are
    read-only; writing them through an alias that does not know it may end the process.

    Of a loader with a `device`, arrays lie on a GPU: :meth:`torch` and DLPack show them there, and
    what reads them on the host is refused; :meth:`Batch.to_host` copies a batch to the host.

    Indexing gives what NumPy's indexing gives. Pickling makes a copy, which may be written; bfloat16
    has to be pickled as ``.torch()``.
    """

    __slots__ = ("_low", "_info", "__weakref__")

    def __init__(self, handle: low.Tensor) -> None:
        self._low = handle
        self._info = handle.describe()

    @classmethod
    def map_npy(cls, path: Union[str, "os.PathLike[str]"]) -> "Tensor":
        """A NumPy ``.npy`` file, mapped read-only; nothing is read but its header."""
        return cls(low.Tensor.map_npy(path))

    # ---- description ----

    @property
    def shape(self) -> Tuple[int, ...]:
        """Extent of each dimension."""
        return self._info[3]

    @property
    def strides(self) -> Tuple[int, ...]:
        """In elements, as DLPack and PyTorch count them. Rows may be padded."""
        return self._info[4]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._info[3])

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._low.size()

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, without padding."""
        return self._low.size() * self._info[2] // 8

    @property
    def dtype(self) -> str:
        """Name of the element type: "int64", "float32", "bfloat16", ..."""
        return dtype_name(self._info[1], self._info[2])

    @property
    def read_only(self) -> bool:
        """Whether the memory must not be written: that of a dataset, or of a mapped file."""
        return self._info[5]

    @property
    def device(self) -> str:
        """Where it lies: "cpu", or "cuda:0"."""
        return device_name(self._info[6])

    def data_ptr(self) -> int:
        """Address of the first element, on the device where it lies; 0 for some empty arrays."""
        return self._info[0]

    def __len__(self) -> int:
        return self._info[3][0]

    def __repr__(self) -> str:
        shape = ", ".join(str(extent) for extent in self.shape)
        place = "" if self._info[6] == CPU else f", {self.device}"
        return f"gls.Tensor({self.dtype}[{shape}]{place}{', read-only' if self.read_only else ''})"

    # ---- NumPy ----

    def numpy(self, *, raw_bfloat16: bool = False) -> NDArray[Any]:
        """This memory as a NumPy array.

        Args:
            raw_bfloat16: NumPy has no bfloat16. Without this, such a tensor is refused; with it,
                its bits are shown as uint16.
        """
        self._check_readable()
        global _numpy
        if _numpy is None:
            _numpy = need_numpy("Tensor.numpy()")
        if raw_bfloat16 and self._info[1] == 4:
            array: NDArray[Any] = _numpy.asarray(_RawBfloat16(self))
        else:
            array = _numpy.asarray(self)
        return array

    def _check_readable(self) -> None:
        if self._info[6] != CPU:
            raise unreadable(self._info[6], "the array")

    @property
    def __array_struct__(self) -> object:
        self._check_readable()
        if self._info[1] == 4:
            raise _no_bfloat16()
        return self._low.array_struct()

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        self._check_readable()
        if self._info[1] == 4:
            raise _no_bfloat16()
        return self._interface(_DTYPES[self._info[1], self._info[2]][1])

    def _interface(self, typestr: str) -> Dict[str, Any]:
        width = self._info[2] // 8
        return {
            "version": 3,
            "typestr": typestr,
            "shape": self.shape,
            "strides": tuple(stride * width for stride in self.strides),
            "data": (self._info[0], self.read_only),
        }

    def __getitem__(self, index: Any) -> Any:
        return self.numpy()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.numpy())

    def tolist(self) -> List[Any]:
        """The elements as Python numbers, in nested lists."""
        out: List[Any] = self.numpy().tolist()
        return out

    # ---- DLPack and PyTorch ----

    def __dlpack__(
        self,
        *,
        stream: Optional[int] = None,
        max_version: Optional[Tuple[int, int]] = None,
        dl_device: Optional[Tuple[int, int]] = None,
        copy: Optional[bool] = None,
    ) -> object:
        """For consumers. For an array on a GPU, `stream` has the meaning of the DLPack protocol.
        The array is complete, so no stream waits for it. Later batches reuse its memory only after
        the work that is queued on this stream when the array is released. None is the default
        stream, -1 no stream."""
        here = self._info[6]
        if here == CPU and stream is not None:
            raise BufferError(f"stream is {stream!r}: memory of the CPU has no streams")
        if dl_device is not None and tuple(dl_device) != here:
            raise BufferError(
                f"device {tuple(dl_device)!r} is not {self.device}, where this tensor is"
                + ("" if here == CPU else "; batch.to_host() copies a batch to the host")
            )
        if here != CPU:
            if copy:
                raise BufferError(
                    f"a copy on {self.device} is not made here: export without one, and copy that"
                )
            recorded = stream_of_consumer(stream)
            if recorded is not None:
                self._low.record_stream(recorded)
        versioned = max_version is not None and max_version[0] >= 1
        if copy:
            return self._low.copy().dlpack(versioned, False)
        if self.read_only and not versioned:
            raise BufferError(
                "this tensor is read-only, which DLPack before 1.0 cannot express; ask for a copy, "
                "or use .numpy() or .torch()"
            )
        return self._low.dlpack(versioned, False)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return self._info[6]

    def record_stream(self, stream: Any) -> None:
        """As :meth:`Batch.record_stream`, for an array without its batch."""
        self._low.record_stream(stream_handle(stream))

    def torch(self) -> torch.Tensor:
        """This memory as a PyTorch tensor.

        PyTorch does not know read-only memory: of a read-only tensor this gives an alias that must
        not be written, and warns of it, as ``torch.from_numpy`` does.

        An array on a GPU becomes a CUDA tensor there. PyTorch's current stream is recorded, as by
        :meth:`record_stream`; name others that work with it.
        """
        global _from_dlpack
        if _from_dlpack is None:
            _from_dlpack = need("torch", "Tensor.torch()").from_dlpack
        if self._info[5]:
            warnings.warn(
                "this tensor is read-only, and PyTorch has no such tensors: do not write to it "
                "(copy() gives one of your own)",
                UserWarning,
                stacklevel=2,
            )
        if self._info[6] != CPU:
            shown: torch.Tensor = _from_dlpack(
                self
            )  # which asks __dlpack__ with the current stream
            return shown
        # The capsule of old is the one that every version of PyTorch takes.
        tensor: torch.Tensor = _from_dlpack(self._low.dlpack(False, True))
        return tensor

    def __arrow_c_array__(self, requested_schema: Optional[object] = None) -> Tuple[object, object]:
        """For consumers of Arrow, such as ``pyarrow.array(tensor)``: numbers, or lists of fixed size
        for rows, in place. Bool and padded rows are copied; bfloat16 has no Arrow type."""
        return self._low.arrow_array()

    def copy(self) -> "Tensor":
        """A row-major copy, which may be written."""
        if self._info[6] != CPU:
            raise unreadable(self._info[6], "the array")
        return Tensor(self._low.copy())

    def __copy__(self) -> "Tensor":
        return Tensor(self._low)

    def __deepcopy__(self, _: Any) -> "Tensor":
        return self.copy()

    def __reduce__(self) -> Tuple[Any, ...]:
        if self._info[1] == 4:
            raise TypeError(
                "cannot pickle a gls.Tensor of bfloat16, which NumPy does not have: pickle its "
                ".torch() instead"
            )
        return _from_array, (self.numpy(),)


def in_torch(handle: low.Tensor) -> torch.Tensor:
    """``Tensor(handle).torch()``, without a Tensor where there is nothing to say about the memory."""
    if _from_dlpack is None or handle.read_only() or handle.device_type() != CPU[0]:
        return Tensor(handle).torch()
    tensor: torch.Tensor = _from_dlpack(handle.dlpack(False, True))
    return tensor


def _from_array(array: NDArray[Any]) -> Tensor:
    """What was pickled."""
    whole = array if array.flags.c_contiguous else array.copy(order="C")
    handle = low.tensor_from_buffer(whole, True)
    assert handle is not None
    return Tensor(handle)


class _RawBfloat16:
    """Shows the bits of a bfloat16 tensor to NumPy."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return self._tensor._interface("<u2")


def _no_bfloat16() -> Unsupported:
    return Unsupported(
        "NumPy has no bfloat16: use .torch(), .numpy(raw_bfloat16=True) for the bits as uint16, or "
        "have the column gathered as float32"
    )


_numpy: Any = None
_from_dlpack: Any = None
