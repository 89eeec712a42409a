"""Arrays of any producer on their way into the library: shown in place wherever that is possible."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

from gls._core.packages import need_numpy
from gls._core.tensor import DTYPE_NUMBERS, Tensor
from gls._low import glslow as low
from gls.errors import Error, InvalidArgument, invalid
from gls.types import ArrayLike


def to_low(value: ArrayLike, name: str, *, vector: bool = False) -> low.Tensor:
    """`value` as a tensor of the library; `name` is the argument's, for errors.

    Args:
        vector: all of it must be contiguous, not just each row
    """
    if isinstance(value, Tensor):
        handle = value._low
        return handle.copy() if vector and not _contiguous(value) else handle
    try:
        value = _resolved(value)
        out = _in_place(value, vector)
        if out is None:
            out = _in_place(_contiguous_copy(value), vector)
    except Error as error:
        error.args = (f"{name}: {_without(str(error), 'view: ')}",)
        error.detail = {**error.detail, "argument": name}
        raise
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InvalidArgument(f"{name}: {error}", detail={"argument": name}) from error
    if out is None:
        raise invalid(name, f"the memory of a {type(value).__name__} cannot be used")
    return out


def to_low_pair(value: ArrayLike, name: str) -> "tuple[low.Tensor, low.Tensor]":
    """The two rows of an array [2, n], each contiguous."""
    whole = to_low(value, name)
    if whole.ndim() != 2 or whole.dim(0) != 2:
        raise invalid(name, f"the shape is {list(whole.describe()[3])}, expected [2, n]")
    return whole.row(0), whole.row(1)


def ids_or_mask(
    value: ArrayLike, name: str, count: Optional[Callable[[], int]] = None
) -> Tuple[low.Tensor, Optional[int]]:
    """Node ids, and None. Of a mask, the positions that are set, and its length.

    Args:
        count: the number of nodes that a mask must have; None: any
    """
    tensor = to_low(value, name, vector=True)
    if tensor.dtype_code() != DTYPE_NUMBERS["bool"][0]:
        return tensor, None
    nodes = None if count is None else count()
    if tensor.ndim() != 1 or nodes not in (None, tensor.dim(0)):
        shape = list(tensor.describe()[3])
        expected = "nodes" if nodes is None else nodes
        raise invalid(name, f"a mask of shape {shape}, expected [{expected}]")
    numpy = need_numpy(f"a mask as {name}")
    ids = to_low(numpy.flatnonzero(Tensor(tensor).numpy()), name, vector=True)
    return ids, tensor.dim(0)


def _without(text: str, prefix: str) -> str:
    return text[len(prefix) :] if text.startswith(prefix) else text


def _contiguous(tensor: Tensor) -> bool:
    expected = 1
    for extent, stride in zip(reversed(tensor.shape), reversed(tensor.strides)):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def _resolved(value: Any) -> Any:
    """`value`, with its own sign: PyTorch may keep a negation as a mark, which DLPack cannot tell."""
    is_negative = getattr(value, "is_neg", None)
    return value.resolve_neg() if is_negative is not None and is_negative() else value


def _in_place(value: Any, vector: bool) -> Optional[low.Tensor]:
    """None when a copy is needed first."""
    if low.has_buffer(value):
        return low.tensor_from_buffer(value, vector)
    if hasattr(value, "__dlpack__"):
        return low.tensor_from_capsule(_capsule(value), vector)
    if isinstance(value, (list, tuple, range)):
        numpy = need_numpy(f"a {type(value).__name__} as array")
        array = numpy.asarray(value)
        if array.size == 0:
            array = array.astype(numpy.int64)
        return low.tensor_from_buffer(array, vector)
    raise TypeError(
        f"expected an array (buffer or DLPack) or a sequence, not {type(value).__name__}"
    )


def _capsule(value: Any) -> object:
    try:
        return value.__dlpack__(max_version=(1, 1))
    except TypeError:  # a producer older than DLPack 1.0
        return value.__dlpack__()


def _contiguous_copy(value: Any) -> Any:
    if hasattr(value, "contiguous"):  # PyTorch
        return value.contiguous()
    numpy = need_numpy("a copy of an array that is not contiguous")
    array = numpy.asarray(value) if low.has_buffer(value) else numpy.from_dlpack(value)
    return numpy.array(array, order="C", copy=True)
