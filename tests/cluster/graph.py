"""The graph that the tests cut: three node types, four edge types, and a column of every kind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Dict

import numpy as np
import numpy.typing as npt

import gls

USERS, ITEMS, SHOPS = 3000, 4000, 120
BUYS, KNOWS, SOLD = 30000, 12000, 6000


def write_graph(folder: Path) -> None:
    """Writes the folder `folder`/graph."""
    rng = np.random.default_rng(20)
    builder = gls.DatasetBuilder()
    _add_shops(builder, folder)
    builder.add_node_type("user", USERS)
    builder.add_node_type("item", ITEMS)
    _add_edges(builder, rng)
    _add_node_columns(builder, rng)
    builder.add_id_set("user", "train", rng.permutation(USERS)[:1500])
    builder.add_id_set("item", "some", np.arange(5, ITEMS, 9))
    builder.write(folder / "graph", layouts=("csc", "csr"))


def _add_shops(builder: gls.DatasetBuilder, folder: Path) -> None:
    """They keep the names that they had."""
    names = folder / "shops.csv"
    names.write_text("".join(f"shop-{number}\n" for number in range(SHOPS)))
    builder.add_node_type("shop", SHOPS, ids="string")
    builder.add_nodes_text("shop", names, header=False)


def _add_edges(builder: gls.DatasetBuilder, rng: np.random.Generator) -> None:
    buys = ("user", "buys", "item")
    builder.add_edges(buys, _ends(rng, USERS, ITEMS, BUYS), add_reverse=True)
    builder.add_edges(("user", "knows", "user"), _ends(rng, USERS, USERS, KNOWS))
    builder.add_edges(("item", "sold_in", "shop"), _ends(rng, ITEMS, SHOPS, SOLD))
    weight = rng.random(BUYS).astype(np.float32)
    weight[rng.random(BUYS) < 0.2] = 0
    builder.add_edge_column(buys, "w", weight, role="weight")
    builder.add_edge_column(buys, "time", rng.integers(0, 1000, BUYS), role="time")
    builder.add_edge_column(buys, "stars", rng.integers(1, 6, BUYS).astype(np.int8))
    marks = gls.quantize(rng.random((KNOWS, 6)).astype(np.float32), 4, low=0, high=1)
    builder.add_edge_column(("user", "knows", "user"), "marks", marks)
    # What stands for the reverse of an edge: its neighbour in a pair of ids.
    mates = np.arange(KNOWS) ^ 1
    builder.add_edge_column(("user", "knows", "user"), "mate", mates, role="other")


def _add_node_columns(builder: gls.DatasetBuilder, rng: np.random.Generator) -> None:
    builder.add_node_column("user", "x", rng.random((USERS, 24)).astype(np.float32))
    builder.add_node_column("user", "y", rng.integers(0, 3, USERS), role="label")
    builder.add_node_column("user", "joined", rng.integers(0, 1000, USERS), role="time")
    builder.add_node_column("item", "x", rng.random((ITEMS, 7)).astype(np.float16))
    builder.add_node_column("item", "price", rng.random(ITEMS))
    codes = gls.quantize(rng.random((ITEMS, 20)).astype(np.float32), 2, low=-1, high=2)
    builder.add_node_column("item", "picture", codes)
    builder.add_node_column("shop", "x", rng.random((SHOPS, 2, 3)).astype(np.float32))


def _ends(
    rng: np.random.Generator, sources: int, targets: int, count: int
) -> npt.NDArray[np.int64]:
    """Some nodes have many edges, most have few."""
    source = (sources * rng.random(count) ** 2).astype(np.int64)
    target = (targets * rng.random(count) ** 3).astype(np.int64)
    return np.stack([source, target])


def cut(folder: Path, parts: int) -> Path:
    """The folder of so many parts of `folder`/graph."""
    out = folder / f"parts-{parts}"
    if not out.exists():
        gls.Dataset.open(folder / "graph").partition(out, parts, method="hash", seed=parts)
    return out


# Of parts that are not cut by hash, by their number.
CUTS = {
    1: ["--method", "random"],
    2: ["--method", "metis", "--halo-hops", "1", "--hot-rows", "60"],
    4: ["--method", "stream", "--halo-hops", "1", "--hot-fraction", "0.1"],
    8: ["--method", "metis", "--balance", "train", "--hot-rows", "40", "--hot-id-set", "train"],
}


def cut_by_tool(folder: Path, parts: int) -> Path:
    """The same of CUTS. The command has the plugin for METIS beside it."""
    out = folder / f"cut-{parts}"
    if not out.exists():
        command = [os.environ["GLS_TOOL"], "partition", str(folder / "graph"), str(out)]
        command += ["--parts", str(parts), *CUTS[parts]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
    return out


def check_description(near: gls.Dataset, far: gls.Dataset) -> None:
    """Compares what there is besides batches."""
    assert far.metadata() == near.metadata()
    for name in near.node_types:
        assert far.num_nodes(name) == near.num_nodes(name)
        assert _stored(far.node_columns(name)) == _stored(near.node_columns(name))
        assert far.id_sets(name) == near.id_sets(name)
        for ids in near.id_sets(name):
            assert np.array_equal(far.id_set(ids, name).numpy(), near.id_set(ids, name).numpy())
        assert far.has_keys(name) == near.has_keys(name)
    for edge_type in near.edge_types:
        assert far.num_edges(edge_type) == near.num_edges(edge_type)
        assert _stored(far.edge_columns(edge_type)) == _stored(near.edge_columns(edge_type))
        assert far.layouts(edge_type) == near.layouts(edge_type)
    assert far.find_node("shop-77", "shop") == near.find_node("shop-77", "shop")
    assert far.node_key(5, "shop") == near.node_key(5, "shop")


def _stored(columns: Dict[str, gls.Column]) -> object:
    """What is of a column wherever it lies; strides are of how it is stored."""
    return {name: column._replace(row_stride=0) for name, column in columns.items()}
