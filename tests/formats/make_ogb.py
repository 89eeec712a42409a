"""Writes the golden folders of the Open Graph Benchmark. Run in an environment with ogb 1.3.6.

The files have the layout that OGB downloads. OGB's own functions read them, and what they return is
what must come out.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np
import pandas as pd
import torch
from ogb.io import read_graph_raw as ogb
from ogb.lsc import MAG240MDataset
from ogb.version import __version__ as ogb_version

from golden import GOLDEN, save

random = np.random.default_rng(11)


def new_folder(name: str) -> Path:
    folder = GOLDEN / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "raw").mkdir(parents=True)
    (folder / "RELEASE_v1.txt").write_text("")
    versions = f"ogb {ogb_version}\nnumpy {np.__version__}\npandas {pd.__version__}\n"
    (folder / "VERSIONS").write_text(versions)
    return folder


def csv(path: Path, rows: Any, header: Optional[List[str]] = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    options: Any = {"method": "gzip", "mtime": 0}
    pd.DataFrame(rows, columns=header).to_csv(
        path, header=header is not None, index=False, compression=options
    )


def floats(*shape: int) -> Any:
    return random.standard_normal(shape).astype(np.float32)


def ends(sources: int, targets: int, count: int) -> Any:
    return np.stack([random.integers(0, sources, count), random.integers(0, targets, count)])


def split(folder: Path, nodes: int) -> Dict[str, Any]:
    """Files of a split, and what ogb reads from them."""
    order = random.permutation(nodes)
    parts = np.split(order, [nodes // 2, nodes // 2 + 5])
    for name, ids in zip(("train", "valid", "test"), parts):
        csv(folder / f"{name}.csv.gz", ids)
    return {name: read_csv(folder / f"{name}.csv.gz").T[0] for name in ("train", "valid", "test")}


def read_csv(path: Path) -> Any:
    """As ogb reads labels and splits."""
    return pd.read_csv(path, compression="gzip", header=None).values


def of_graph(graph: Dict[str, Any], kind: str) -> Dict[str, Any]:
    columns = {name: array for name, array in graph.items() if name.startswith(kind + "_")}
    columns.pop("edge_index", None)
    return {name: as_gls(name, array) for name, array in columns.items() if array is not None}


def as_gls(name: str, array: Any) -> Any:
    """Years and weights are vectors in GLS."""
    one = array.ndim == 2 and array.shape[1] == 1
    return array[:, 0] if one and name.endswith(("year", "weight")) else array


def one_type(expected: Path, graph: Dict[str, Any], labels: Any, sets: Dict[str, Any]) -> None:
    columns = of_graph(graph, "node")
    if labels is not None:
        columns["node_label"] = labels
    source, target = graph["edge_index"]
    edges = {"source": source, "target": target, "columns": of_graph(graph, "edge")}
    save(
        expected,
        {"node": {"count": graph["num_nodes"], "columns": columns, "sets": sets}},
        {"node__to__node": edges},
    )


def text() -> None:
    folder = new_folder("ogb-text")
    raw = folder / "raw"
    csv(raw / "edge.csv.gz", ends(60, 60, 150).T)
    csv(raw / "num-node-list.csv.gz", [60])
    csv(raw / "num-edge-list.csv.gz", [150])
    csv(raw / "node-feat.csv.gz", floats(60, 5))
    csv(raw / "edge-feat.csv.gz", random.integers(0, 9, (150, 3)))
    csv(raw / "node-label.csv.gz", random.integers(0, 4, 60))
    csv(raw / "node_year.csv.gz", random.integers(1990, 2020, 60))
    csv(raw / "edge_weight.csv.gz", random.integers(1, 5, 150))
    (folder / "mapping").mkdir()
    (folder / "mapping" / "README.md").write_text("Not read.\n")
    sets = split(folder / "split" / "time", 60)
    split(folder / "split" / "random", 60)
    files = {"additional_node_files": ["node_year"], "additional_edge_files": ["edge_weight"]}
    graph = ogb.read_csv_graph_raw(str(raw), **files)[0]
    labels = read_csv(raw / "node-label.csv.gz")
    one_type(folder / "expected.npz", graph, labels, sets)

    # Both directions: OGB stores each edge beside its reverse, and GLS all edges before them.
    graph = ogb.read_csv_graph_raw(str(raw), add_inverse_edge=True, **files)[0]
    order = np.argsort(np.arange(300) % 2, kind="stable")
    for name in ("edge_feat", "edge_weight"):
        graph[name] = graph[name][order]
    graph["edge_index"] = graph["edge_index"][:, order]
    one_type(folder / "expected-undirected.npz", graph, labels, sets)


def binary() -> None:
    folder = new_folder("ogb-binary")
    raw = folder / "raw"
    labels = floats(40, 1)
    labels[::3] = np.nan
    np.savez_compressed(
        raw / "data.npz",
        edge_index=ends(40, 40, 90),
        num_nodes_list=np.array([40]),
        num_edges_list=np.array([90]),
        node_feat=floats(40, 4),
        node_year=random.integers(1990, 2020, (40, 1)),
    )
    np.savez(raw / "node-label.npz", node_label=labels)
    sets = split(folder / "split" / "time", 40)
    graph = ogb.read_binary_graph_raw(str(raw))[0]
    labels = np.load(raw / "node-label.npz")["node_label"]
    one_type(folder / "expected.npz", graph, labels, sets)


def types(
    expected: Path, graph: Dict[str, Any], labels: Dict[str, Any], sets: Dict[str, Dict[str, Any]]
) -> None:
    """Of dictionaries by types."""
    nodes: Dict[str, Any] = {
        type: {"count": count, "columns": {}, "sets": {}}
        for type, count in graph["num_nodes_dict"].items()
    }
    edges: Dict[str, Any] = {
        "__".join(triple): {"source": both[0], "target": both[1], "columns": {}}
        for triple, both in graph["edge_index_dict"].items()
    }
    for name, by_type in graph.items():
        plain = name[: -len("_dict")] if name.endswith("_dict") else name
        if plain in ("num_nodes", "edge_index") or by_type is None:
            continue
        for type, array in by_type.items():
            of_type = nodes[type] if plain.startswith("node") else edges["__".join(type)]
            of_type["columns"][plain] = as_gls(plain, array)
    for type, array in labels.items():
        nodes[type]["columns"]["node_label"] = array
    for name, by_type in sets.items():
        for type, ids in by_type.items():
            nodes[type]["sets"][name] = ids
    save(expected, nodes, edges)


COUNTS = {"paper": 50, "author": 30}
TRIPLES = [("author", "writes", "paper"), ("paper", "cites", "paper")]


def text_of_types() -> None:
    folder = new_folder("ogb-text-types")
    raw = folder / "raw"
    csv(raw / "num-node-dict.csv.gz", [list(COUNTS.values())], list(COUNTS))
    csv(raw / "triplet-type-list.csv.gz", TRIPLES)
    for triple, count in zip(TRIPLES, (70, 80)):
        relation = raw / "relations" / "___".join(triple)
        csv(relation / "edge.csv.gz", ends(COUNTS[triple[0]], COUNTS[triple[2]], count).T)
        csv(relation / "num-edge-list.csv.gz", [count])
        csv(relation / "edge_reltype.csv.gz", np.full(count, TRIPLES.index(triple)))
    csv(raw / "node-feat" / "paper" / "node-feat.csv.gz", floats(50, 3))
    csv(raw / "node-feat" / "paper" / "node_year.csv.gz", random.integers(1990, 2020, 50))
    csv(raw / "nodetype-has-label.csv.gz", [[True, False]], list(COUNTS))
    csv(raw / "node-label" / "paper" / "node-label.csv.gz", random.integers(0, 4, 50))
    at = folder / "split" / "time"
    split(at / "paper", 50)
    csv(at / "nodetype-has-split.csv.gz", [[True, False]], list(COUNTS))
    graph = ogb.read_csv_heterograph_raw(
        str(raw), additional_node_files=["node_year"], additional_edge_files=["edge_reltype"]
    )[0]
    parts = ogb.read_nodesplitidx_split_hetero(str(at))
    sets = dict(zip(("train", "valid", "test"), parts))
    types(folder / "expected.npz", graph, ogb.read_node_label_hetero(str(raw)), sets)


def binary_of_types() -> None:
    folder = new_folder("ogb-binary-types")
    raw = folder / "raw"
    np.savez(raw / "num_nodes_dict.npz", **{k: np.array([v]) for k, v in COUNTS.items()})
    joined = {"___".join(triple): triple for triple in TRIPLES}
    both = {k: ends(COUNTS[t[0]], COUNTS[t[2]], 60) for k, t in joined.items()}
    np.savez(raw / "num_edges_dict.npz", **{k: np.array([60]) for k in joined})
    np.savez_compressed(raw / "edge_index_dict.npz", **both)
    np.savez(raw / "node_feat_dict.npz", paper=floats(50, 3).astype(np.float16))
    np.savez(raw / "edge_feat_dict.npz", author___writes___paper=floats(60, 2))
    np.savez(raw / "node-label.npz", paper=random.integers(0, 4, (50, 1)))
    graph = ogb.read_binary_heterograph_raw(str(raw))[0]
    labels = dict(np.load(raw / "node-label.npz"))
    types(folder / "expected.npz", graph, labels, {})


def mag240m() -> None:
    root = GOLDEN / "mag240m"
    shutil.rmtree(root, ignore_errors=True)
    folder = root / "mag240m_kddcup2021"
    paper = folder / "processed" / "paper"
    paper.mkdir(parents=True)
    (folder / "RELEASE_v1.txt").write_text("")
    torch.save({"paper": 50, "author": 30, "institution": 7, "num_classes": 4}, folder / "meta.pt")
    order = random.permutation(50)
    names = ("train", "valid", "test-whole", "test-dev", "test-challenge")
    parts = dict(zip(names, np.split(order, [20, 30, 40, 45])))
    torch.save(parts, folder / "split_dict.pt")
    np.save(paper / "node_feat.npy", floats(50, 6).astype(np.float16))
    labels = random.integers(0, 4, 50).astype(np.float32)
    labels[order[30:]] = np.nan
    np.save(paper / "node_label.npy", labels)
    np.save(paper / "node_year.npy", random.integers(2000, 2021, 50).astype(np.int32))
    counts = {"paper": 50, "author": 30, "institution": 7}
    for (source, target), relation in MAG240MDataset.__rels__.items():
        at = folder / "processed" / f"{source}___{relation}___{target}"
        at.mkdir()
        np.save(at / "edge_index.npy", ends(counts[source], counts[target], 60))
    (root / "VERSIONS").write_text(f"ogb {ogb_version}\ntorch {torch.__version__}\n")

    data = MAG240MDataset(str(root))
    columns = {
        "node_feat": data.all_paper_feat,
        "node_label": data.all_paper_label,
        "node_year": data.all_paper_year,
    }
    nodes: Dict[str, Any] = {
        "paper": {"count": data.num_papers, "columns": columns, "sets": data.get_idx_split()},
        "author": {"count": data.num_authors},
        "institution": {"count": data.num_institutions},
    }
    edges: Dict[str, Any] = {}
    for (source, target), relation in MAG240MDataset.__rels__.items():
        first, second = data.edge_index(source, relation, target)
        edges[f"{source}__{relation}__{target}"] = {"source": first, "target": second}
    save(root / "expected.npz", nodes, edges)


if __name__ == "__main__":
    text()
    binary()
    text_of_types()
    binary_of_types()
    mag240m()
