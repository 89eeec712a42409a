"""Datasets for tests of `gls export`: arrays of NumPy, and a recipe that makes datasets of them.

Needs only NumPy and the gls command, so check_export_real.py can use it beside other libraries.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, Mapping

import numpy as np

SETS = {"train": (0, 20), "valid": (20, 30), "test": (30, 36)}

Sample = Dict[str, Dict[str, Dict[str, Any]]]


def _sets(random: Any, count: int) -> Dict[str, Any]:
    """Disjoint sets whose ids are in no order."""
    order = random.permutation(count)
    return {name: order[begin:end].astype(np.int64) for name, (begin, end) in SETS.items()}


def _ends(random: Any, sources: int, targets: int, count: int) -> Dict[str, Any]:
    return {
        "source": random.integers(0, sources, count),
        "target": random.integers(0, targets, count),
    }


def typed() -> Sample:
    """Two node types and two edge types. The edges are in no order."""
    random = np.random.default_rng(11)
    papers, authors = 60, 25
    return {
        "nodes": {
            "paper": {
                "count": papers,
                "columns": {
                    "x": ("feature", random.random((papers, 8), np.float32)),
                    "y": ("label", random.integers(0, 5, papers)),
                    "half": ("feature", random.random((papers, 2, 2)).astype(np.float16)),
                    "flag": ("other", random.random(papers) < 0.5),
                    "year": ("time", random.integers(1990, 2020, papers)),
                    "part": ("other", random.integers(0, 3, papers).astype(np.int32)),
                },
                "sets": _sets(random, papers),
            },
            "author": {
                "count": authors,
                "columns": {
                    "score": ("feature", random.random(authors)),
                    "part": ("other", random.integers(0, 3, authors).astype(np.int32)),
                },
                "sets": {},
            },
        },
        "edges": {
            "author__writes__paper": {
                **_ends(random, authors, papers, 200),
                "columns": {
                    "weight": ("weight", random.random(200, np.float32)),
                    "edge_attr": ("feature", random.random((200, 3), np.float32)),
                },
            },
            "paper__cites__paper": {
                **_ends(random, papers, papers, 150),
                "columns": {"timestamp": ("time", random.integers(0, 9999, 150))},
            },
        },
    }


def single() -> Sample:
    """One type of nodes and of edges, with the names that datasets without types get."""
    random = np.random.default_rng(12)
    nodes, edges = 40, 100
    return {
        "nodes": {
            "node": {
                "count": nodes,
                "columns": {
                    "x": ("feature", random.random((nodes, 4), np.float32)),
                    "y": ("label", random.integers(0, 5, nodes)),
                },
                "sets": _sets(random, nodes),
            }
        },
        "edges": {
            "node__to__node": {
                **_ends(random, nodes, nodes, edges),
                "columns": {"edge_weight": ("weight", random.random(edges, np.float32))},
            }
        },
    }


SAMPLES = {"typed": typed, "single": single}


def write_recipe(folder: Path, sample: Mapping[str, Any]) -> Path:
    """Writes the arrays and a recipe of them into a new folder."""
    folder.mkdir(parents=True)
    number = 0

    def put(array: Any) -> str:
        nonlocal number
        number += 1
        np.save(folder / f"{number}.npy", array)
        return f"{number}.npy"

    def columns(given: Mapping[str, Any]) -> Dict[str, Any]:
        return {name: {"file": put(array), "role": role} for name, (role, array) in given.items()}

    recipe: Dict[str, Any] = {"nodes": {}, "edges": {}}
    for type, node in sample["nodes"].items():
        recipe["nodes"][type] = {
            "count": node["count"],
            "columns": columns(node["columns"]),
            "sets": {name: put(ids) for name, ids in node["sets"].items()},
        }
    for type, edge in sample["edges"].items():
        recipe["edges"][type] = {
            "arrays": [put(edge["source"]), put(edge["target"])],
            "columns": columns(edge["columns"]),
        }
    path = folder / "recipe.json"
    path.write_text(json.dumps(recipe))
    return path


def mask(ids: Any, count: int) -> Any:
    out = np.zeros(count, bool)
    out[ids] = True
    return out
