"""Reads the arrays of a dataset folder, by its manifest."""

import json
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np


class Folder:
    """A dataset as it lies on disk."""

    def __init__(self, path: Path):
        self.path = path
        self.manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))

    def array(self, entry: Dict[str, Any]) -> np.ndarray:
        array: np.ndarray = np.load(self.path / entry["file"])
        return array

    def _named(self, items: List[Dict[str, Any]], name: str) -> Dict[str, Any]:
        (found,) = [item for item in items if item["name"] == name]
        return found

    def node_type(self, name: str = "node") -> Dict[str, Any]:
        return self._named(self.manifest["node_types"], name)

    def edge_type(self, name: str = "node__to__node") -> Dict[str, Any]:
        source, relation, target = name.split("__")
        for entry in self.manifest["edge_types"]:
            if (entry["source"], entry["relation"], entry["target"]) == (source, relation, target):
                found: Dict[str, Any] = entry
                return found
        raise KeyError(name)

    def _column(self, entry: Dict[str, Any], name: str) -> Tuple[str, np.ndarray]:
        column = self._named(entry["columns"], name)
        array = self.array(column["array"])
        elements = int(np.prod(column["row_shape"], dtype=np.int64))
        rows = array.reshape(len(array), -1)[:, :elements]
        return column["role"], rows.reshape([len(array)] + column["row_shape"])

    def node_column(self, name: str, node_type: str = "node") -> Tuple[str, np.ndarray]:
        """Role and values, without the padding of rows."""
        return self._column(self.node_type(node_type), name)

    def edge_column(self, name: str, edge_type: str = "node__to__node") -> Tuple[str, np.ndarray]:
        return self._column(self.edge_type(edge_type), name)

    def id_set(self, name: str, node_type: str = "node") -> List[int]:
        entry = self._named(self.node_type(node_type)["id_sets"], name)
        return [int(node) for node in self.array(entry["array"])]

    def edges(
        self, edge_type: str = "node__to__node", layout: str = "csc"
    ) -> List[Tuple[int, int]]:
        """(source, target) of every edge, in the order of edge ids."""
        topology = self.edge_type(edge_type)[layout]
        indptr = self.array(topology["indptr"])
        indices = self.array(topology["indices"])
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        ids = (
            self.array(topology["edge_ids"]) if "edge_ids" in topology else np.arange(len(indices))
        )
        pairs = np.empty((len(indices), 2), dtype=np.int64)
        pairs[ids] = np.stack([indices, rows] if layout == "csc" else [rows, indices], axis=1)
        return [(int(source), int(target)) for source, target in pairs]
