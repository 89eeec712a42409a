"""Writes the golden datasets of GraphBolt. Run in an environment with dgl 2.1.0 and torch 2.2.1.

GraphBolt has no writer: users write the files that its documentation describes. The script lets
dgl preprocess and load a copy of each dataset, and takes what must come out from there.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

import dgl
import dgl.graphbolt as gb
import numpy as np
import torch
import yaml

from golden import GOLDEN, save

SETS = {"train_set": "train", "validation_set": "valid", "test_set": "test"}


class Writer:
    """The files of a dataset, and its description."""

    def __init__(self, name: str) -> None:
        self.folder = GOLDEN / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.random = np.random.default_rng(7)

    def put(self, path: str, array: Any, format: str = "numpy") -> Dict[str, Any]:
        """Writes an array and returns its format and path."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if format == "csv":
            np.savetxt(file, np.asarray(array).T, fmt="%d", delimiter=",")
        elif format == "torch":
            torch.save(torch.from_numpy(array), file)
        else:
            np.save(file, array)
        return {"format": format, "path": path}

    def edges(self, path: str, sources: int, targets: int, count: int, format: str) -> Any:
        ends = np.stack(
            [
                self.random.integers(0, sources, count),
                self.random.integers(0, targets, count),
            ]
        )
        return self.put(path, ends.astype(np.int64), format)

    def floats(self, *shape: int) -> Any:
        return self.random.standard_normal(shape).astype(np.float32)

    def finish(self, description: Dict[str, Any], task: Optional[str] = None) -> None:
        text = yaml.safe_dump(description, sort_keys=False)
        (self.folder / "metadata.yaml").write_text(text)
        nodes, edges = load(self.folder, description, task)
        self.save(nodes, edges)

    def save(self, nodes: Dict[str, Any], edges: Dict[str, Any]) -> None:
        save(self.folder / "expected.npz", nodes, edges)
        versions = f"dgl {dgl.__version__}\ntorch {torch.__version__}\nnumpy {np.__version__}\n"
        (self.folder / "VERSIONS").write_text(versions)

    def preprocess(self, description: Dict[str, Any], task: Optional[str], ids: bool) -> None:
        """Leaves only what GraphBolt makes of the dataset."""
        (self.folder / "metadata.yaml").write_text(yaml.safe_dump(description, sort_keys=False))
        nodes, edges = load(self.folder, description, task, ids)
        if not ids:
            for edge in edges.values():
                edge["columns"] = {}
        with tempfile.TemporaryDirectory() as temporary:
            copy = shutil.copytree(self.folder, Path(temporary) / "copy")
            gb.OnDiskDataset(str(copy), include_original_edge_id=ids)
            shutil.rmtree(self.folder)
            shutil.copytree(copy / "preprocessed", self.folder / "preprocessed")
        (self.folder / "preprocessed" / "dataset_hash_value.txt").unlink()
        self.save(nodes, edges)


def load(folder: Path, description: Dict[str, Any], task: Optional[str], ids: bool = True) -> Any:
    """What dgl finds in a copy of the dataset."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = shutil.copytree(folder, Path(temporary) / "copy")
        loaded = gb.OnDiskDataset(str(copy), include_original_edge_id=ids).load()
    graph = loaded.graph
    plain = graph.node_type_to_id is None
    types = [None] if plain else [node["type"] for node in description["graph"]["nodes"]]
    nodes: Dict[str, Any] = {}
    for type in types:
        count = graph.num_nodes if plain else graph.num_nodes[type]
        nodes[type or "node"] = {"count": count, "columns": {}, "sets": {}}
    edges = {None: ends(graph, None)} if plain else {
        edge["type"]: ends(graph, edge["type"]) for edge in description["graph"]["edges"]
    }  # fmt: skip
    in_graph = description["graph"].get("feature_data", [])
    for feature in description["feature_data"] + in_graph:
        raw = read(folder, feature)
        if feature not in in_graph:
            kept = loaded.feature.read(feature["domain"], feature.get("type"), feature["name"])
            # GraphBolt makes a matrix of one column of what has one dimension.
            assert np.array_equal(kept.numpy().reshape(raw.shape), raw)
        of_type = (nodes if feature["domain"] == "node" else edges)[
            feature.get("type", "node" if feature["domain"] == "node" else None)
        ]
        of_type["columns"][feature["name"]] = raw
    for described in loaded.tasks:
        if task is not None and described.metadata["name"] != task:
            continue
        for of_file, set in SETS.items():
            add_set(nodes, set, getattr(described, of_file))
    joined = {
        "node__to__node" if type is None else type.replace(":", "__"): edge
        for type, edge in edges.items()
    }
    return nodes, joined


def read(folder: Path, described: Dict[str, Any]) -> Any:
    path = folder / described["path"]
    return torch.load(path).numpy() if described["format"] == "torch" else np.load(path)


def ends(graph: Any, type: Optional[str]) -> Dict[str, Any]:
    """Sources and targets in the order of the original edge ids, or else of the graph."""
    counts = torch.diff(graph.csc_indptr)
    target = torch.repeat_interleave(torch.arange(len(counts)), counts)
    source = graph.indices.to(torch.int64)
    ids = torch.arange(len(source))
    if gb.ORIGINAL_EDGE_ID in (graph.edge_attributes or {}):
        ids = graph.edge_attributes[gb.ORIGINAL_EDGE_ID].to(torch.int64)
    if type is not None:
        of_type = graph.type_per_edge == graph.edge_type_to_id[type]
        first, _, last = type.split(":")
        offset = graph.node_type_offset
        source = source[of_type] - offset[graph.node_type_to_id[first]]
        target = target[of_type] - offset[graph.node_type_to_id[last]]
        ids = ids[of_type]
    order = torch.argsort(ids)
    return {
        "source": source[order].numpy(),
        "target": target[order].numpy(),
        "columns": {},
    }


def add_set(nodes: Dict[str, Any], set: str, items: Any) -> None:
    by_type = items._itemsets if isinstance(items, gb.ItemSetDict) else {"node": items}
    for type, of_type in by_type.items():
        named = dict(zip(of_type.names, of_type._items))
        seeds = named["seeds"].numpy()
        if seeds.ndim != 1 or type not in nodes:
            continue
        node = nodes[type]
        node["sets"][set] = seeds
        if "labels" in named:
            labels = named["labels"].numpy()
            shape = (node["count"], *labels.shape[1:])
            column = node["columns"].setdefault("labels", np.full(shape, -1, labels.dtype))
            column[seeds] = labels


def sets(writer: Writer, folder: str, type: Optional[str], sizes: List[int], labels: Any) -> Any:
    """Files of disjoint sets of nodes with their labels."""
    order = writer.random.permutation(len(labels))
    out: Dict[str, Any] = {}
    begin = 0
    for (of_file, name), size in zip(SETS.items(), sizes):
        seeds = order[begin : begin + size].astype(np.int64)
        begin += size
        data = [
            {"name": "seeds", **writer.put(f"{folder}/{name}-seeds.npy", seeds)},
            {
                "name": "labels",
                **writer.put(f"{folder}/{name}-labels.npy", labels[seeds]),
            },
        ]
        out[of_file] = [{"data": data} if type is None else {"type": type, "data": data}]
    return out


def homogeneous(name: str, preprocessed: bool = False, ids: bool = True) -> None:
    writer = Writer(name)
    labels = writer.random.integers(0, 5, 40)
    description = {
        "dataset_name": "small",
        "graph": {
            "nodes": [{"num": 40}],
            "edges": [writer.edges("edges/cites.csv", 40, 40, 200, "csv")],
        },
        "feature_data": [
            {
                "domain": "node",
                "name": "feat",
                **writer.put("x.npy", writer.floats(40, 6)),
            },
            {
                "domain": "edge",
                "name": "weight",
                "in_memory": False,
                **writer.put("edges/weight.npy", np.abs(writer.floats(200))),
            },
        ],
        "tasks": [
            {
                "name": "node_classification",
                "num_classes": 5,
                **sets(writer, "set", None, [20, 10, 10], labels),
            }
        ],
    }
    if preprocessed:
        writer.preprocess(description, None, ids)
    else:
        writer.finish(description)


def heterogeneous(name: str, format: str, preprocessed: bool = False) -> None:
    writer = Writer(name)
    end = "pt" if format == "torch" else "npy"
    pairs = writer.random.integers(0, 30, (12, 2))
    link = [{"name": "seeds", **writer.put("set/pairs.npy", pairs)}]
    links = [{"type": "author:writes:paper", "data": link}]
    description: Dict[str, Any] = {
        "dataset_name": "small-hetero",
        "graph": {
            "nodes": [{"type": "paper", "num": 50}, {"type": "author", "num": 30}],
            "edges": [
                {
                    "type": "paper:cites:paper",
                    **writer.edges("edges/cites.npy", 50, 50, 150, "numpy"),
                },
                {
                    "type": "author:writes:paper",
                    **writer.edges("edges/writes.csv", 30, 50, 120, "csv"),
                },
            ],
        },
        "feature_data": [
            {
                "domain": "node",
                "type": "paper",
                "name": "feat",
                **writer.put(f"paper.{end}", writer.floats(50, 4).astype(np.float16), format),
            },
            {
                "domain": "node",
                "type": "paper",
                "name": "year",
                **writer.put("year.npy", writer.random.integers(1990, 2020, 50)),
            },
            {
                "domain": "edge",
                "type": "author:writes:paper",
                "name": "position",
                **writer.put("position.npy", writer.random.integers(0, 9, 120, np.int32)),
            },
        ],
        "tasks": [
            {
                "name": "node_classification",
                "num_classes": 3,
                **sets(writer, "venue", "paper", [20, 15, 5], writer.floats(50, 2)),
            },
            {"name": "link_prediction", "train_set": links},
        ],
    }
    if not preprocessed:
        writer.finish(description, "node_classification")
        return
    # Data of the graph itself must be there for all types.
    of_graph = []
    for domain, type, name, shape in (
        ("node", "paper", "mass", (50, 2)),
        ("node", "author", "mass", (30, 2)),
        ("edge", "paper:cites:paper", "probability", (150,)),
        ("edge", "author:writes:paper", "probability", (120,)),
    ):
        put = writer.put(f"graph/{type.replace(':', '_')}.npy", writer.floats(*shape))
        of_graph.append({"domain": domain, "type": type, "name": name, **put})
    description["graph"]["feature_data"] = of_graph
    writer.preprocess(description, "node_classification", True)


if __name__ == "__main__":
    homogeneous("graphbolt-homogeneous")
    homogeneous("graphbolt-fused", True)
    homogeneous("graphbolt-fused-no-ids", True, False)
    heterogeneous("graphbolt-heterogeneous", "numpy")
    heterogeneous("graphbolt-torch", "torch")
    heterogeneous("graphbolt-preprocessed", "numpy", True)
