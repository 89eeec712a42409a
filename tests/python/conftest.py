"""Fixtures, and the way to the reference implementation in tests/conformance."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator, List, Optional

import numpy as np
import pytest
from hypothesis import settings

import gls

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
# Tests of one folder use what those of another have.
sys.path[1:1] = [str(path) for path in Path(__file__).parent.iterdir() if path.is_dir()]

# The machine may be busy, so there is no deadline. Examples are the same in every run, so that a change is
# what makes a test fail, and a bisection finds it; GLS_FRESH_EXAMPLES=1 draws as many others, and a test
# that fails then says how to have its example again.
settings.register_profile("gls", deadline=None, derandomize=True)
settings.register_profile("fresh", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("fresh" if os.environ.get("GLS_FRESH_EXAMPLES") == "1" else "gls")


# One command for all kinds of environments: where there is no PyTorch or DGL, the files that need it are
# left out, and the report says so at its end.
HAS = {name: importlib.util.find_spec(name) is not None for name in ("torch", "dgl")}
ON_GPUS = "test_torch_gpu.py"


def pytest_ignore_collect(collection_path: Path) -> Optional[bool]:
    missing = (name for name, has in HAS.items() if not has)
    return True if any(collection_path.name.startswith(f"test_{m}_") for m in missing) else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    needed = ", ".join(
        f"with {name}" if has else f"WITHOUT {name}: test_{name}_*.py were left out"
        for name, has in HAS.items()
    )
    terminalreporter.write_line(f"gls {gls.__version__} in {Path(gls.__file__).parent}, {needed}")
    ran = without = 0
    for kind, reports in terminalreporter.stats.items():
        for report in reports:
            if ON_GPUS in getattr(report, "nodeid", ""):
                without += kind == "skipped" and "no GPU: " in str(report.longrepr)
                ran += kind in ("passed", "failed")
    if ran + without > 0:
        terminalreporter.write_line(
            f"GPU: {ran} tests ran on a GPU, {without} could not for lack of one"
        )


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture()
def disk() -> Iterator[Path]:
    """A folder on a disk; that of temporary files may be in memory."""
    parent = ROOT / "build" / "files-of-tests"
    parent.mkdir(parents=True, exist_ok=True)
    made = parent / f"planned-{os.getpid()}"
    made.mkdir()
    yield made
    subprocess.run(["rm", "-rf", str(made)], check=True)


def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    """Tests of memory come first: the heap of a process that did much else before goes on taking pages
    for a while, whatever the test does."""
    items.sort(key=lambda item: item.path.name != "test_memory.py")


class Graph:
    """A random graph with features, as arrays and as dataset."""

    def __init__(self, nodes: int = 200, edges: int = 2000, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.num_nodes = nodes
        self.edge_index = rng.integers(0, nodes, (2, edges))
        self.x = rng.standard_normal((nodes, 12)).astype(np.float32)
        self.y = rng.integers(0, 5, nodes)
        self.edge_attr = rng.standard_normal((edges, 3)).astype(np.float32)
        self.weight = rng.random(edges).astype(np.float32)
        self.train = np.flatnonzero(rng.random(nodes) < 0.4)

    def build(self, **options: Any) -> gls.Dataset:
        builder = gls.DatasetBuilder()
        builder.add_node_type("node", self.num_nodes)
        builder.add_edges("node__to__node", self.edge_index)
        builder.add_node_column("node", "x", self.x)
        builder.add_node_column("node", "y", self.y, role="label")
        builder.add_edge_column("node__to__node", "edge_attr", self.edge_attr)
        builder.add_edge_column("node__to__node", "w", self.weight, role="weight")
        builder.add_id_set("node", "train", self.train)
        return builder.build(**options)


@pytest.fixture(scope="session")
def graph() -> Graph:
    return Graph()


@pytest.fixture(scope="session")
def dataset(graph: Graph) -> gls.Dataset:
    return graph.build(layouts=("csc", "csr"))


@pytest.fixture(scope="session")
def shop() -> gls.Dataset:
    """Three node types and four edge types."""
    rng = np.random.default_rng(1)
    builder = gls.DatasetBuilder()
    for name, count in (("user", 60), ("item", 90), ("shop", 7)):
        builder.add_node_type(name, count)

    def ends(sources: int, targets: int, count: int) -> np.ndarray:
        return np.stack([rng.integers(0, sources, count), rng.integers(0, targets, count)])

    builder.add_edges(("user", "buys", "item"), ends(60, 90, 400))
    builder.add_edges(("item", "bought_by", "user"), ends(90, 60, 400))
    builder.add_edges(("user", "knows", "user"), ends(60, 60, 150))
    builder.add_edges(("item", "sold_in", "shop"), ends(90, 7, 90))
    builder.add_node_column("user", "x", rng.random((60, 4)).astype(np.float32))
    builder.add_node_column("item", "x", rng.random((90, 6)).astype(np.float32))
    builder.add_node_column("item", "price", rng.random(90))
    builder.add_node_column("user", "y", rng.integers(0, 3, 60), role="label")
    builder.add_edge_column(("user", "buys", "item"), "stars", rng.integers(1, 6, 400))
    builder.add_id_set("user", "train", np.arange(0, 60, 2))
    return builder.build(layouts=("csc", "csr"))
