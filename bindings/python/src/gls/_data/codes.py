"""Quantised columns: rows of codes of a few bits."""

from __future__ import annotations

from typing import NoReturn, Optional, Sequence

from gls._core.check import not_picklable, whole_number
from gls._core.inputs import to_low
from gls._core.tensor import Tensor
from gls._low import glslow as low_level
from gls.errors import invalid
from gls.types import ArrayLike


class Codes:
    """Rows of codes, each standing for a number, as data of
    :meth:`DatasetBuilder.add_node_column` and :meth:`DatasetBuilder.add_edge_column`. They are stored as they
    are, and decoded to float32 [rows, width] when they are gathered.

    Codes stand for even steps, code c for ``low + c / (2**bits - 1) * (high - low)``, or for what a codebook
    says.

    Args:
        packed: uint8 [rows, ceil(width * bits / 8)]: codes from the highest bits of each byte down. What is
            left of the last byte of a row is not read.
        bits: Of a code: 1, 2, 4 or 8.
        width: Numbers in a row.
        codebook: What each code stands for: 2**bits finite numbers.
        low: What the first code stands for, without a codebook.
        high: What the last code stands for.
    """

    __slots__ = ("_low", "bits", "width", "codebook", "range")

    def __init__(
        self,
        packed: ArrayLike,
        bits: int,
        width: int,
        *,
        codebook: Optional[Sequence[float]] = None,
        low: Optional[float] = None,
        high: Optional[float] = None,
    ) -> None:
        steps = low is not None and high is not None
        if (codebook is None) != steps or (low is None) != (high is None):
            raise invalid("codebook", "expected either a codebook or low and high")
        self._low = to_low(packed, "packed")
        self.bits = whole_number("bits", bits, 1, 32)
        self.width = whole_number("width", width, 1, 63)
        self.codebook = None if codebook is None else tuple(float(value) for value in codebook)
        self.range = None if low is None or high is None else (float(low), float(high))

    @property
    def packed(self) -> Tensor:
        """The packed rows: uint8 [rows, bytes]."""
        return Tensor(self._low)

    def _quantization(self) -> low_level.Quantization:
        out = low_level.Quantization(self.bits, self.width)
        if self.range is not None:
            out.set_range(*self.range)
        for value in self.codebook or ():
            out.add_value(value)
        return out

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Codes", "take .packed")

    def __repr__(self) -> str:
        return f"gls.Codes(rows={self._low.dim(0)}, bits={self.bits}, width={self.width})"


def quantize(numbers: ArrayLike, bits: int, *, low: float, high: float) -> Codes:
    """Packs numbers as codes, in even steps from `low` to `high`: each becomes the nearest, of two the even
    one, those beyond become the first or the last.

    Args:
        numbers: [rows, width] of any number; none may be a NaN.
        bits: Of a code: 1, 2, 4 or 8.
        low: What the first code stands for.
        high: What the last code stands for.
    """
    given = to_low(numbers, "numbers")
    options = low_level.Quantization(whole_number("bits", bits, 1, 32), 0)
    options.set_range(float(low), float(high))
    packed = options.quantize(given)
    return Codes(Tensor(packed), bits, given.dim(1), low=low, high=high)
