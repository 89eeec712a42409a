"""Cases of codes.json: quantised columns."""

from __future__ import annotations

from typing import Any

from cases.common import Json
from reference.codes import BITS, float32

LOWEST = 2.0**-149  # of float32


def packed(bits: int, width: int, rows: int = 6) -> list[list[int]]:
    """Bytes without a pattern; what is left of the last one is not cleared."""
    length = (width * bits + 7) // 8
    return [
        [(37 * (r * length + i) + 29 * r + 90) % 256 for i in range(length)] for r in range(rows)
    ]


def codes_file() -> Json:
    cases: list[Json] = []

    def add(name: str, bits: int, width: int, **more: Any) -> None:
        case: Json = {"name": name, "about": "decoding", "kind": "codes", "bits": bits}
        rows = more.pop("packed", packed(bits, width) if bits in BITS else [[0], [0]])
        cases.append({**case, "width": width, "packed": rows, "rows": [4, 0, 5, 1], **more})

    for bits in BITS:
        # Neither in order nor even; the smallest numbers that float32 has, and both zeros.
        odd = [float32(1 / (c - 100.5) + (c * 7 % 11)) for c in range(2**bits)]
        odd[0], odd[1] = LOWEST, -0.0
        per_byte = 8 // bits
        widths = sorted({1, per_byte, per_byte + 1, 3 * per_byte - 1, 70})
        for width in widths:
            add(f"{bits} bits, width {width}", bits, width, codebook=odd)
        add(f"{bits} bits, even", bits, 2 * per_byte + 1, low=-1.5, high=1.25)
        add(f"{bits} bits, even, thirds", bits, 9, low=0.1, high=1 / 3)
        add(f"{bits} bits, even, large", bits, 9, low=-3e38, high=3e38)
        add(f"{bits} bits, even, small", bits, 9, low=-3e-45, high=1e-40)
        add(f"{bits} bits, a codebook that is short", bits, 1, codebook=odd[1:])
        add(f"{bits} bits, a codebook that is long", bits, 1, codebook=[*odd, 1.0])
        add(f"{bits} bits, a byte too many", bits, per_byte, packed=packed(bits, per_byte + 1),
            codebook=odd)  # fmt: skip
        add(f"{bits} bits, a byte too few", bits, per_byte + 1, packed=packed(bits, per_byte),
            codebook=odd)  # fmt: skip
    every = [[byte] for byte in range(256)]
    for bits in BITS:
        codebook = [float(c) for c in range(2**bits)]
        add(f"every byte, {bits} bits", bits, 8 // bits, packed=every, rows=list(range(256)),
            codebook=codebook)  # fmt: skip
    for bits in (0, 3, 16):
        add(f"{bits} bits", bits, 1, low=0, high=1)
    add("no steps", 4, 1, low=1, high=1)
    add("steps that fall", 4, 1, low=2, high=1)
    add("steps beyond float64", 4, 1, low=-1.7e308, high=1.7e308)
    return {"graphs": [], "cases": cases}
