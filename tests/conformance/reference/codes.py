"""Section 3 of docs/contract.md, "Quantised columns": rows of codes and what they stand for."""

from __future__ import annotations

import math
import struct
from typing import Any

from reference.picks import ContractError

Json = dict[str, Any]

BITS = (1, 2, 4, 8)


def invalid(message: str) -> ContractError:
    return ContractError("GLS_ERR_INVALID_ARGUMENT", message)


def float32(value: float) -> float:
    """The nearest number that float32 has."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def even_steps(bits: int, low: float, high: float) -> list[float]:
    if not (math.isfinite(high - low) and low < high):
        raise invalid(f"from {low} to {high}")
    last = float(2**bits - 1)
    return [float32(low + (float(c) / last) * (high - low)) for c in range(2**bits)]


def codebook_of(case: Json) -> list[float]:
    bits = case["bits"]
    if bits not in BITS:
        raise invalid(f"{bits} bits")
    if "codebook" not in case:
        return even_steps(bits, float(case["low"]), float(case["high"]))
    if len(case["codebook"]) != 2**bits:
        raise invalid(f"a codebook of {len(case['codebook'])} numbers")
    return [float32(float(number)) for number in case["codebook"]]


def code(row: list[int], bits: int, i: int) -> int:
    """Number `i` of a row of bytes."""
    per_byte = 8 // bits
    return row[i // per_byte] >> (8 - bits * (i % per_byte) - bits) & (2**bits - 1)


def replay_codes(case: Json, _: Any) -> Json:
    codebook = codebook_of(case)
    bits, width = case["bits"], case["width"]
    if width < 1 or any(len(row) != (width * bits + 7) // 8 for row in case["packed"]):
        raise invalid(f"rows of {width} numbers")
    return {
        "codebook": codebook,
        "values": [
            [codebook[code(case["packed"][row], bits, i)] for i in range(width)]
            for row in case["rows"]
        ],
    }
