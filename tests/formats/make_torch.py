"""Writes golden/torch: files of torch and pickles of tensors, and the numbers in them.

Run it with torch 2.2.1 and with torch 2.5.1 (both with numpy 1.26.4): each writes files with its
version in their names.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from typing import Any, Dict

import numpy as np
import torch
from golden import GOLDEN

FOLDER = GOLDEN / "torch"


def objects() -> Dict[str, Any]:
    numbers = torch.arange(24, dtype=torch.float32)
    matrix = numbers.reshape(4, 6)
    return {
        "int64": torch.arange(5),
        "bool": torch.tensor([True, False, True]),
        "half": torch.arange(3).to(torch.float16),
        "scalar": torch.tensor(7),
        "empty": torch.zeros(0, 3),
        "turned": matrix.t(),
        "part": matrix[1:3, 2:5],
        "steps": numbers[1::3],
        "parameter": torch.nn.Parameter(matrix.clone()),
        "numpy": np.arange(6, dtype=np.int16).reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "big": np.arange(3, dtype=">i4"),
        "number": np.float64(2.5),
        "nested": {"a": [torch.zeros(2), torch.ones(2)], ("u", "to", "v"): torch.ones(1)},
        "ordered": OrderedDict(w=torch.full((2,), 3, dtype=torch.uint8)),
        "a.b": torch.arange(2, dtype=torch.int32),
        "words": ["no", "numbers", None, 1.5, {1, 2}, b"bytes", 1 << 80],
    }


def flat(value: Any, path: str, out: Dict[str, Any]) -> None:
    """The arrays by the paths that recipes use."""
    if isinstance(value, torch.Tensor):
        out[path] = value.detach().numpy()
    elif isinstance(value, (np.ndarray, np.generic)):
        out[path] = np.asarray(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            name = "__".join(key) if isinstance(key, tuple) else str(key)
            flat(inner, f"{path}.{name}" if path else name, out)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            flat(inner, f"{path}.{place}", out)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    version = torch.__version__.split("+")[0]
    given = objects()
    expected: Dict[str, Any] = {}
    flat(given, "", expected)
    native = {name: array.astype(array.dtype.newbyteorder("=")) for name, array in expected.items()}
    np.savez_compressed(FOLDER / "expected.npz", **native)
    torch.save(given, FOLDER / f"archive-{version}.pt")
    torch.save(given, FOLDER / f"old-{version}.pt", _use_new_zipfile_serialization=False)
    torch.save(torch.arange(4), FOLDER / f"sole-{version}.pt")
    for protocol in (2, 3, 4, 5):
        (FOLDER / f"pickle{protocol}-{version}.pkl").write_bytes(pickle.dumps(given, protocol))
    with open(FOLDER / f"rows-{version}.pkl", "wb") as out:
        for chunk in torch.arange(10).reshape(5, 2).split(2):
            pickle.dump(chunk.clone(), out)


if __name__ == "__main__":
    main()
