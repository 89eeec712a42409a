"""GPUs: which there are, and how they are named."""

from __future__ import annotations

import operator
import os
import re
import sys
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Tuple, Union

from gls._core.check import whole_number
from gls._low import glslow as low
from gls.errors import Error, InvalidState, Unsupported, invalid

if TYPE_CHECKING:
    import torch


_INHERITED = (0, 0)
CPU = (1, 0)
_CUDA = 2
_NAME = re.compile(r"(cpu|cuda)(?::(\d+))?")


class DeviceInfo(NamedTuple):
    """A GPU."""

    device: str
    """As datasets, samplers and loaders take it: "cuda:0"."""
    name: str
    bytes: int
    """Of its memory."""
    free_bytes: int
    """Now, for all processes. 0: not known, because this process does not use the GPU yet."""
    capability: Tuple[int, int]
    """Compute capability."""


def devices() -> List[DeviceInfo]:
    """The available GPUs. Empty if there are none, or they cannot be used; then ``device_info(0)``
    reports why."""
    return [device_info(index) for index in range(low.DeviceInfo.count())]


def device_info(device: Union[int, str, "torch.device"] = 0) -> DeviceInfo:
    """Describes a GPU.

    Args:
        device: Its number; or see :data:`gls.Device`.

    Raises:
        Unsupported: There is no such GPU, or GPUs cannot be used here; the text says why.
    """
    if isinstance(device, (str, type(None))) or hasattr(device, "type"):
        kind, index = device_of(device)
    else:
        kind, index = _CUDA, whole_number("device", device, 0, 31)
    found = low.DeviceInfo(kind, index)
    capability = found.major_version(), found.minor_version()
    return DeviceInfo(
        device_name((kind, index)), found.name(), found.bytes(), found.free_bytes(), capability
    )


def device_of(device: Any) -> Tuple[int, int]:
    """The library's name of a device: type and number."""
    if device is None:
        return _INHERITED
    kind = getattr(device, "type", None)  # of a torch.device
    if isinstance(kind, str):
        index = getattr(device, "index", None)
        given = kind if index is None else f"{kind}:{index}"
    elif isinstance(device, str):
        given = device
    else:
        raise TypeError(
            f"device must be None, a str or a torch.device, not {type(device).__name__}"
        )
    match = _NAME.fullmatch(given)
    if match is None or (match[1] == "cpu" and match[2] not in (None, "0")):
        raise invalid("device", f"{given!r} is not 'cpu', 'cuda' or a GPU like 'cuda:0'")
    if match[1] == "cpu":
        return CPU
    number = _current() if match[2] is None else int(match[2])
    return _CUDA, whole_number("device", number, 0, 31)


def device_name(device: Tuple[int, int]) -> str:
    if device == CPU:
        return "cpu"
    return f"cuda:{device[1]}" if device[0] == _CUDA else f"device {device[1]} of type {device[0]}"


def _current() -> int:
    # Only what the program has chosen already: PyTorch is not imported here, nor CUDA initialised.
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return int(torch.cuda.current_device())
    return _local_rank()


def _local_rank() -> int:
    given = os.environ.get("LOCAL_RANK", "0")
    if not given.isdecimal():
        raise InvalidState(
            f"device is 'cuda', which is the GPU that LOCAL_RANK numbers, but that is {given!r}"
        )
    return int(given)


def stream_of_consumer(stream: Any) -> Optional[int]:
    """What to record for the `stream` of DLPack's protocol; None: nothing."""
    if stream is None:  # the default stream, says the protocol
        return 0
    try:
        number = operator.index(stream)
    except TypeError:
        raise TypeError(f"stream must be an int or None, not {type(stream).__name__}") from None
    if number == -1:
        return None
    if number < 1:
        raise BufferError(
            f"stream is {number}; expected None, -1, 1 for the default stream, 2 for those of each "
            "thread, or the address of a cudaStream_t"
        )
    return _handle(number)


def stream_handle(stream: Any) -> int:
    """The cudaStream_t behind a stream of PyTorch or of another library, or the number itself."""
    handle = getattr(stream, "cuda_stream", None)
    if handle is None and hasattr(stream, "__cuda_stream__"):
        handle = stream.__cuda_stream__()[1]
    if handle is None:
        handle = stream
    try:
        number = operator.index(handle)
    except TypeError:
        raise TypeError(
            "stream must be a torch.cuda.Stream, an object with __cuda_stream__, or an int, not "
            f"{type(stream).__name__}"
        ) from None
    return _handle(whole_number("stream", number, 0, 64))


def _handle(number: int) -> int:
    # The default stream comes after what is queued on those of threads, and knows no thread itself.
    return 0 if number <= 2 else number


def unreadable(device: Tuple[int, int], what: str) -> Error:
    return Unsupported(
        f"{what} lies on {device_name(device)}, and NumPy and Python read memory of the host: take "
        "it from batch.to_host(), or use .torch()"
    )
