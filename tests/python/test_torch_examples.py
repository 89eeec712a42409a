"""The examples that need PyTorch run, and learn."""

from __future__ import annotations

import pytest
from test_examples import accuracy, run


@pytest.mark.parametrize("example", ["torch_graphsage.py", "pyg_graphsage.py"])
def test_example(example: str) -> None:
    assert accuracy(run(example, "12")) > 0.74
