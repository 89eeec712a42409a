"""The example with DGL runs, and learns."""

from __future__ import annotations

from test_examples import accuracy, run


def test_example() -> None:
    assert accuracy(run("dgl_graphsage.py", "12")) > 0.72
