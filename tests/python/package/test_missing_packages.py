"""What is said where a package that only some programs need is missing."""

from __future__ import annotations

import subprocess
import sys
from typing import List

import pytest

# Runs with packages blocked, as if they were not installed.
BLOCKED = """
import importlib.abc
import sys

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
"""


def run(blocked: List[str], program: str) -> str:
    """The last line that a program writes with some packages blocked."""
    code = BLOCKED.format(blocked=blocked) + program
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    lines = (ended.stdout + ended.stderr).strip().splitlines()
    return lines[-1] if lines else ""


def test_gls_is_imported_and_works_without_numpy() -> None:
    program = """
import array
import gls
assert "numpy" not in sys.modules
ends = array.array("q", [0, 1, 2]), array.array("q", [1, 2, 0])
builder = gls.DatasetBuilder()
builder.add_edges("a__to__a", *ends)
batch = next(iter(gls.NeighborLoader(builder.build(), [2], batch_size=2)))
print(len(batch.node))
"""
    assert run(["numpy"], program) == "3"


@pytest.mark.parametrize(
    "program, user",
    [
        ("gls.Sampler(dataset, [2]).sample(ids).node.numpy()", "Tensor.numpy()"),
        ("gls.Sampler(dataset, [2]).sample([0])", "a list as array"),
        ("gls.NeighborLoader(dataset, [2], mask)", "a mask as input_nodes"),
    ],
)
def test_numpy_is_asked_for_where_it_is_needed(program: str, user: str) -> None:
    before = """
import array, ctypes
import gls
ends = array.array("q", [0, 1, 2]), array.array("q", [1, 2, 0])
builder = gls.DatasetBuilder()
builder.add_edges("a__to__a", *ends)
dataset = builder.build()
ids, mask = array.array("q", [0, 1]), (ctypes.c_bool * 3)(True, False, True)
"""
    assert run(["numpy"], before + program) == (
        f"ImportError: {user} needs NumPy, which cannot be imported (No module named 'numpy'): "
        "pip install numpy"
    )


@pytest.mark.parametrize("module", ["gls.nn", "gls.pyg", "gls.dgl"])
def test_modules_say_that_pytorch_is_missing(module: str) -> None:
    assert run(["torch"], f"import {module}") == (
        f"ImportError: {module} needs PyTorch, which cannot be imported (No module named 'torch'): "
        "pip install torch"
    )


def test_tensors_say_that_pytorch_is_missing() -> None:
    program = """
import array
import gls
builder = gls.DatasetBuilder()
builder.add_edges("a__to__a", array.array("q", [0]), array.array("q", [0]))
gls.Sampler(builder.build(), [1]).sample(array.array("q", [0])).node.torch()
"""
    assert run(["torch"], program) == (
        "ImportError: Tensor.torch() needs PyTorch, which cannot be imported "
        "(No module named 'torch'): pip install torch"
    )
