"""Writes golden/tgb with py-tgb 2.3.0: small datasets in the form of those that TGB publishes.

py-tgb makes its pickles of them, which are kept; the files of text are not. What must come out is
what its datasets hold then.

Usage: python make_tgb.py (in an environment with py-tgb, torch, pandas 2 and clint)
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np
import pandas as pd
from importlib.metadata import version
from tgb.linkproppred.dataset import LinkPropPredDataset
from tgb.nodeproppred.dataset import NodePropPredDataset
from tgb.utils.info import PROJ_DIR

from golden import GOLDEN, save

FOLDER = GOLDEN / "tgb"
ROWS = 60
random = np.random.default_rng(23)


def times() -> List[int]:
    # Some come several times.
    return [int(time) for time in np.sort(random.integers(0, 40, ROWS)) + 1_500_000_000]


def names(prefix: str, count: int) -> List[str]:
    return [f"{prefix}{number}" for number in random.integers(0, count, ROWS)]


def text(header: str, *columns: List[Any]) -> str:
    lines = [header] + [",".join(str(field) for field in row) for row in zip(*columns)]
    return "\n".join(lines) + "\n"


def numbers(low: int, high: int) -> List[int]:
    return [int(number) for number in random.integers(low, high, ROWS)]


def wiki() -> Dict[str, str]:
    features = [[round(float(x), 3) for x in random.random(ROWS)] for _ in range(3)]
    ends = [numbers(0, 9), numbers(0, 7)]
    header = "user_id,item_id,timestamp,state_label,comma_separated_list_of_features"
    return {"_edgelist_v2": text(header, *ends, times(), [0] * ROWS, *features)}


def coin() -> Dict[str, str]:
    weights = [round(float(x) * 9, 2) for x in random.random(ROWS)]
    columns = [times(), names("0xa", 8), names("0xb", 8), weights]
    return {"_edgelist_v2": text("day,src,dst,weight", *columns)}


def flight() -> Dict[str, str]:
    columns = [times(), names("K", 6), names("K", 6), names("AF", 99), names("B", 99)]
    # TGB has 20 features: here 6 types and 5 continents, 7 letters and 2 coordinates.
    airports = [f"K{i},type{i},land{i % 5},FR-{i},{i}.5,{i}.25" for i in range(6)]
    header = "airport_code,type,continent,iso_region,longitude,latitude"
    return {
        "_edgelist_v2": text("timestamp,src,dst,callsign,typecode", *columns),
        "airport_node_feat_v2": "\n".join([header, *airports]) + "\n",
    }


def genre() -> Dict[str, str]:
    columns = [times(), names("user", 5), names("genre", 6)]
    weights = [round(float(x), 2) for x in random.random(ROWS)]
    places = np.sort(random.choice(ROWS, 20, replace=False))
    labels = [[column[place] for place in places] for column in (*columns, weights)]
    header = "time,user_id,genre,weight"
    return {
        "_edgelist": text(header, *columns, weights),
        "_node_labels": text(header, *labels),
    }


def trade() -> Dict[str, str]:
    columns = [times(), names("land", 6), names("land", 6)]
    weights = [round(float(x), 2) for x in random.random(ROWS)]
    files = text("year,nation,trading nation,weight", *columns, weights)
    return {"_edgelist": files, "_node_labels": files}


def software() -> Dict[str, str]:
    sources, targets = numbers(0, 12), numbers(0, 12)
    nodes = sorted(set(sources) | set(targets))
    types = "node_id,type\n" + "".join(f"{node},{node % 3}\n" for node in nodes)
    header = "timestamp,head,tail,relation_type"
    return {
        "_edgelist": text(header, times(), sources, targets, numbers(0, 4)),
        "_nodetype": types,
    }


def smallpedia() -> Dict[str, str]:
    header = "timestamp,head,tail,relation_type"
    columns = [names("Q", 9), names("Q", 9), names("P", 4)]
    fixed = [names("Q", 14), names("Q", 14), names("P", 6)]
    return {
        "_edgelist": text(header, times(), *columns),
        "_static_edgelist": text("head,tail,relation_type", *fixed),
    }


def write(name: str, files: Dict[str, str]) -> None:
    out = FOLDER / name
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / name.replace("-", "_")
        folder.mkdir()
        for file, content in files.items():
            whole = file if file.startswith("airport") else name + file
            (folder / f"{whole}.csv").write_text(content)
        is_node = name.startswith("tgbn")
        kind = NodePropPredDataset if is_node else LinkPropPredDataset
        # The package puts its own folder before the root.
        dataset = kind(name, root=os.path.relpath(temporary, PROJ_DIR), download=False)
        fixed = dataset.static_data if name.startswith("tkgl") else None
        shutil.copytree(folder, out, ignore=shutil.ignore_patterns("*.csv"))
        frame = pd.read_pickle(out / f"ml_{name}.pkl")
    save(out / "expected.npz", *expected(name, dataset, frame, fixed))


def expected(name: str, dataset: Any, frame: Any, fixed: Optional[Dict[str, Any]]) -> Any:
    rows = slice(0, len(frame))  # TGB adds edges of tkgl in the other direction
    data = {
        key: array[rows] for key, array in dataset.full_data.items() if key != "node_label_dict"
    }
    ends = {"source": data["sources"].astype(int), "target": data["destinations"].astype(int)}
    columns = {"time": data["timestamps"].astype(int), "weight": frame["w"].to_numpy()}
    if name == "tgbl-coin":
        assert np.array_equal(dataset.edge_feat[:, 0], columns["weight"])
    else:
        columns["edge_feat"] = dataset.edge_feat
    if "edge_type" in data:
        columns["edge_type"] = data["edge_type"]
    if not name.startswith("tkgl"):
        split = dataset.val_mask + 2 * dataset.test_mask
        assert np.array_equal(split == 0, dataset.train_mask)
        columns["split"] = split.astype(np.uint8)
    edges = {"node__to__node": {**ends, "columns": columns}}
    node: Dict[str, Any] = {"count": int(max(end.max() for end in ends.values())) + 1}
    node["columns"] = {}
    nodes = {"node": node}
    if fixed is not None:
        head, tail, types = (fixed[key].astype(int) for key in ("head", "tail", "edge_type"))
        named = {"source": head, "target": tail, "columns": {"edge_type": types}}
        edges["node__static__node"] = named
        node["count"] = max(node["count"], int(head.max()) + 1, int(tail.max()) + 1)
    if name == "tgbl-flight":
        node["columns"]["node_feat"] = dataset.node_feat
    if name.startswith("thgl"):
        node["columns"]["node_type"] = dataset.node_type.astype(int)
    if name.startswith("tgbn"):
        labels = [
            (time, of_node, label)
            for time, of_time in dataset.label_dict.items()
            for of_node, label in of_time.items()
        ]
        nodes["label"] = {
            "count": len(labels),
            "columns": {
                "time": np.array([label[0] for label in labels]),
                "y": np.stack([label[2] for label in labels]),
            },
        }
        edges["label__of__node"] = {
            "source": np.arange(len(labels)),
            "target": np.array([label[1] for label in labels]),
        }
    return nodes, edges


def main() -> None:
    write("tgbl-wiki", wiki())
    write("tgbl-coin", coin())
    write("tgbl-flight", flight())
    write("tgbn-genre", genre())
    write("tgbn-trade", trade())
    write("thgl-software", software())
    write("tkgl-smallpedia", smallpedia())
    versions = f"py-tgb {version('py-tgb')}\npandas {pd.__version__}\nnumpy {np.__version__}\n"
    (FOLDER / "VERSIONS").write_text(versions)


if __name__ == "__main__":
    main()
