"""Golden files: what a dataset holds that another system's library wrote, and the comparison.

The scripts make_*.py write small datasets by the real library, in an environment of its own, with an
`expected.npz` beside them. The tests import them without that library and compare every array.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Mapping

import numpy as np

GOLDEN = Path(__file__).parent / "golden"


def save(
    path: Path, nodes: Mapping[str, Mapping[str, Any]], edges: Mapping[str, Mapping[str, Any]]
) -> None:
    """Writes what a dataset must hold.

    nodes: type -> {"count": int, "keys": [...], "columns": {name: array}, "sets": {name: ids}}
    edges: "a__r__b" -> {"source": ids, "target": ids, "columns": {name: array}}, in order of edge ids
    All but "count", "source" and "target" may be missing. Ids are keys where a type has keys.
    """
    arrays: Dict[str, Any] = {}
    for type, node in nodes.items():
        arrays[f"nodes/{type}/count"] = np.asarray(node["count"])
        if "keys" in node:
            arrays[f"nodes/{type}/keys"] = np.asarray(node["keys"])
        for kind in ("columns", "sets"):
            for name, array in node.get(kind, {}).items():
                arrays[f"nodes/{type}/{kind}/{name}"] = np.asarray(array)
    for type, edge in edges.items():
        arrays[f"edges/{type}/source"] = np.asarray(edge["source"])
        arrays[f"edges/{type}/target"] = np.asarray(edge["target"])
        for name, array in edge.get("columns", {}).items():
            arrays[f"edges/{type}/columns/{name}"] = np.asarray(array)
    np.savez_compressed(path, **arrays)


def same(place: str, found: Any, expected: Any) -> None:
    """Equal dtype, shape and bits."""
    found, expected = np.ascontiguousarray(found), np.ascontiguousarray(expected)
    assert found.dtype == expected.dtype, f"{place}: {found.dtype}, expected {expected.dtype}"
    assert found.shape == expected.shape, f"{place}: {found.shape}, expected {expected.shape}"
    assert found.tobytes() == expected.tobytes(), f"{place}: {found} expected {expected}"


def check(dataset: Path, expected: Path) -> None:
    """Compares a dataset folder of GLS with `expected.npz`: types, counts, ids, columns, sets."""
    import gls

    arrays = np.load(expected)
    with gls.Dataset.open(str(dataset)) as opened:
        wanted: Dict[str, Dict[str, Dict[str, Any]]] = {"nodes": {}, "edges": {}}
        for name in arrays.files:
            kind, type, rest = name.split("/", 2)
            wanted[kind].setdefault(type, {})[rest] = arrays[name]
        assert set(opened.node_types) == set(wanted["nodes"])
        assert {"__".join(type) for type in opened.edge_types} == set(wanted["edges"])
        for type, parts in wanted["nodes"].items():
            _check_nodes(opened, type, parts)
        for type, parts in wanted["edges"].items():
            _check_edges(opened, type, parts)


def _check_nodes(dataset: Any, type: str, parts: Dict[str, Any]) -> None:
    assert dataset.num_nodes(type) == int(parts.pop("count")), type
    if "keys" in parts:
        keys = parts.pop("keys")
        found = np.array([dataset.node_key(i, type) for i in range(len(keys))])
        assert found.tolist() == [str(key) for key in keys.tolist()], type
    else:
        assert not dataset.has_keys(type), type
    names = {"columns": set(), "sets": set()}  # type: Dict[str, Any]
    for rest, array in parts.items():
        kind, name = rest.split("/", 1)
        names[kind].add(name)
        get = dataset.node_column if kind == "columns" else dataset.id_set
        found = get(name, type).numpy()
        if kind == "sets":
            found, array = found.astype(np.int64), array.astype(np.int64)
        same(f"{type}.{name}", found, array)
    assert set(dataset.node_columns(type)) == names["columns"], type
    assert set(dataset.id_sets(type)) == names["sets"], type


def _check_edges(dataset: Any, type: str, parts: Dict[str, Any]) -> None:
    import pyarrow

    triple = tuple(type.split("__"))
    rows = pyarrow.table(dataset.edges_to_arrow(triple))
    for end in ("source", "target"):
        found = rows.column("_" + end).to_pylist()
        assert found == parts.pop(end).tolist(), f"{type}: {end}"
    names = set()
    for rest, array in parts.items():
        name = rest.split("/", 1)[1]
        names.add(name)
        found = dataset.edge_column(name, triple).numpy()
        same(f"{type}.{name}", found, array)
    assert set(dataset.edge_columns(triple)) == names, type
