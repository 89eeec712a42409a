"""Checks the files of `gls export` by the libraries whose files they are. No test runs it: it needs
dgl 2.1.0, torch 2.2.1 and torch_geometric 2.8.1, which the tests do without.

Usage: GLS_TOOL=... GLS_PLUGIN_PATH=... python check_export_real.py
It makes small datasets, exports them, loads what was written and compares every number.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List

os.environ["DGLBACKEND"] = "pytorch"

import dgl  # noqa: E402
import dgl.graphbolt as gb  # noqa: E402
import export_sample  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch_geometric  # noqa: E402
from dgl.distributed import load_partition  # noqa: E402
from torch_geometric.data import Data, HeteroData  # noqa: E402
from torch_geometric.loader import NeighborLoader  # noqa: E402

MASKS = {"train": "train_mask", "valid": "val_mask", "test": "test_mask"}
PARTS = 3


def run(*arguments: object) -> None:
    tool = os.environ["GLS_TOOL"]
    subprocess.run([tool, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def same(place: str, found: Any, expected: Any) -> None:
    """Equal shape, type and bits."""
    found = np.ascontiguousarray(found.numpy() if torch.is_tensor(found) else found)
    expected = np.ascontiguousarray(expected)
    assert found.dtype == expected.dtype, f"{place}: {found.dtype}, expected {expected.dtype}"
    assert found.shape == expected.shape, f"{place}: {found.shape}, expected {expected.shape}"
    assert found.tobytes() == expected.tobytes(), f"{place}: {found}, expected {expected}"


def as_dgl(array: Any) -> Any:
    """DGL's files have no bools."""
    return array.astype(np.uint8) if array.dtype == np.bool_ else array


def check_pyg(sample: Any, out: Path, data: Any) -> None:
    hetero = isinstance(data, HeteroData)
    assert hetero or isinstance(data, Data)
    assert data.validate()
    for type, node in sample["nodes"].items():
        store = data[type] if hetero else data
        assert store.num_nodes == node["count"]
        for name, (_, array) in node["columns"].items():
            same(f"{type}.{name}", store[name], array)
        for name, ids in node["sets"].items():
            same(MASKS[name], store[MASKS[name]], export_sample.mask(ids, node["count"]))
    for type, edge in sample["edges"].items():
        store = data[tuple(type.split("__"))] if hetero else data
        same(type, store.edge_index, np.stack([edge["source"], edge["target"]]))
        for name, (_, array) in edge["columns"].items():
            same(f"{type}.{name}", store[name], array)


def pyg(sample: Any, folder: Path, out: Path) -> None:
    several = len(sample["nodes"]) > 1
    forms = [[]] if several else [[], ["--choose", "form=hetero"]]
    for number, form in enumerate(forms):
        path = out.with_suffix(f".{number}.pt")
        run("export", "pyg", folder, *form, "-o", path)
        data = torch.load(path)
        assert isinstance(data, HeteroData) == (several or number == 1)
        check_pyg(sample, path, data)
        check_pyg(sample, path, torch.load(str(path), mmap=True))
        torch.save(data, path)  # it is whole: it can be written, and loaded again
        check_pyg(sample, path, torch.load(path))
    if not several:
        data = torch.load(out.with_suffix(".0.pt"))
        assert set(data.node_attrs()) == {"x", "y", *MASKS.values()}
        assert set(data.edge_attrs()) == {"edge_index", "edge_weight"}
        try:
            batch = next(iter(NeighborLoader(data, [-1], batch_size=4, input_nodes=None)))
        except ImportError:  # it needs pyg-lib or torch-sparse
            return
        same("x of a batch", batch.x, data.x[batch.n_id].numpy())


def dgl_graph(sample: Any, folder: Path, out: Path) -> None:
    run("export", "dgl", folder, "--choose", "form=graph", "-o", out)
    (graph,), labels = dgl.load_graphs(str(out))
    assert not labels
    plain = len(sample["nodes"]) == 1
    assert graph.ntypes == (["_N"] if plain else list(sample["nodes"]))
    for type, node in sample["nodes"].items():
        of_type = graph.nodes[None if plain else type]
        assert graph.num_nodes(None if plain else type) == node["count"]
        assert len(of_type.data) == len(node["columns"]) + len(node["sets"])
        for name, (_, array) in node["columns"].items():
            same(f"{type}.{name}", of_type.data[name], as_dgl(array))
        for name, ids in node["sets"].items():
            expected = as_dgl(export_sample.mask(ids, node["count"]))
            same(MASKS[name], of_type.data[MASKS[name]], expected)
    for type, edge in sample["edges"].items():
        triple = None if plain else tuple(type.split("__"))
        for found, end in zip(graph.edges(order="eid", etype=triple), ("source", "target")):
            same(f"{type}: {end}", found, edge[end])
        for name, (_, array) in edge["columns"].items():
            same(f"{type}.{name}", graph.edges[triple].data[name], array)
        # The formats that DGL makes of it have the same edges.
        source, _ = graph.in_edges(edge["target"][0], etype=triple)
        expected = np.sort(edge["source"][edge["target"] == edge["target"][0]])
        same(f"{type}: in_edges", source.sort()[0], expected)


def dgl_parts(sample: Any, folder: Path, out: Path) -> None:
    owners = "part" in sample["nodes"][next(iter(sample["nodes"]))]["columns"]
    choices: List[str] = ["--choose", f"parts={PARTS}"]
    if owners:
        choices += ["--choose", "owners=part"]
    run("export", "dgl", folder, *choices, "-o", out)
    plain = len(sample["nodes"]) == 1
    seen: Dict[str, List[Any]] = {}
    edges = 0
    # Old ids of each type by the new ones.
    old: Dict[str, Any] = {}
    for kind, file in (("nodes", "orig_nids.dgl"), ("edges", "orig_eids.dgl")):
        for part in range(PARTS):
            if (out / f"part{part}" / file).exists():
                for name, ids in dgl.data.utils.load_tensors(
                    str(out / f"part{part}" / file)
                ).items():
                    name = kind + name
                    old[name] = np.concatenate([old.get(name, np.zeros(0, np.int64)), ids.numpy()])
    for part in range(PARTS):
        os.environ["DGL_DIST_DEBUG"] = "1"  # load_partition checks the ids, too
        graph, nodes, of_edges, book, name, ntypes, etypes = load_partition(
            str(out / "graph.json"), part
        )
        assert name == "graph" and book.num_partitions() == PARTS
        assert ntypes == (["_N"] if plain else list(sample["nodes"]))
        own = graph.ndata["inner_node"].bool()
        edges += int(graph.edata["inner_edge"].sum())
        for full, tensor in nodes.items():
            seen.setdefault("nodes" + full, []).append(tensor.numpy())
        for full, tensor in of_edges.items():
            # Its keys are (source, relation, target)/name, or texts.
            full = ":".join(full) if isinstance(full, tuple) else full
            seen.setdefault("edges" + full, []).append(tensor.numpy())
        assert set(graph.ndata["part_id"][own].tolist()) <= {part}
        # Every edge joins the nodes that it joined before.
        source, target = (graph.ndata[dgl.NID][end] for end in graph.edges())
        kinds = graph.edata[dgl.ETYPE] if dgl.ETYPE in graph.edata else None
        for number, (type, edge) in enumerate(sample["edges"].items()):
            of_type = slice(None) if kinds is None else kinds == number
            etype = etypes[number]
            first, _, last = etype
            mapped = book.map_to_per_etype(graph.edata[dgl.EID][of_type])[1].numpy()
            ids = old.get("edges" + ":".join(etype), np.arange(len(edge["source"])))[mapped]
            for end, node, key in ((source, first, "source"), (target, last, "target")):
                new = book.map_to_per_ntype(end[of_type])[1].numpy()
                order = old.get("nodes" + node)
                same(f"{type}: {key}", new if order is None else order[new], edge[key][ids])
    assert edges == sum(len(edge["source"]) for edge in sample["edges"].values())
    for type, node in sample["nodes"].items():
        type = "_N" if plain else type
        order = old.get("nodes" + type, np.arange(node["count"]))
        assert owners == (("nodes" + type) in old)
        for name, (_, array) in node["columns"].items():
            found = np.concatenate(seen.pop(f"nodes{type}/{name}"))
            same(f"{type}.{name}", found, as_dgl(array)[order])
        for name, ids in node["sets"].items():
            expected = as_dgl(export_sample.mask(ids, node["count"]))[order]
            same(name, np.concatenate(seen.pop(f"nodes{type}/{MASKS[name]}")), expected)
    for type, edge in sample["edges"].items():
        full = "_N:_E:_N" if plain else type.replace("__", ":")
        order = old.get("edges" + full, np.arange(len(edge["source"])))
        for name, (_, array) in edge["columns"].items():
            found = np.concatenate(seen.pop(f"edges{full}/{name}"))
            same(f"{type}.{name}", found, array[order])
    assert not seen, seen.keys()


def graphbolt(sample: Any, folder: Path, out: Path) -> None:
    run("export", "graphbolt", folder, "-o", out)
    loaded = gb.OnDiskDataset(str(out), include_original_edge_id=True).load()
    graph = loaded.graph
    plain = len(sample["nodes"]) == 1
    kinds = [(("node", type), node) for type, node in sample["nodes"].items()]
    kinds += [(("edge", type), edge) for type, edge in sample["edges"].items()]
    for (domain, type), given in kinds:
        named = None if plain else type.replace("__", ":")
        for name, (_, array) in given["columns"].items():
            found = loaded.feature.read(domain, named, name).numpy()
            # GraphBolt makes a matrix of one column of what has one dimension.
            same(f"{type}.{name}", found.reshape(array.shape), array)
    counts = {type: node["count"] for type, node in sample["nodes"].items()}
    assert graph.num_nodes == (counts["node"] if plain else counts)
    degrees = torch.diff(graph.csc_indptr)
    targets = torch.repeat_interleave(torch.arange(len(degrees)), degrees)
    for type, edge in sample["edges"].items():
        triple = type.replace("__", ":")
        of_type = slice(None) if plain else graph.type_per_edge == graph.edge_type_to_id[triple]
        ids = graph.edge_attributes[gb.ORIGINAL_EDGE_ID][of_type].long().argsort()
        first, _, last = type.split("__")
        for found, end, kind in ((graph.indices, "source", first), (targets, "target", last)):
            offset = 0 if plain else graph.node_type_offset[graph.node_type_to_id[kind]]
            same(f"{type}: {end}", (found[of_type].long() - offset)[ids], edge[end])
    (task,) = loaded.tasks
    assert task.metadata["name"] == "node_classification"
    for found, name in (
        (task.train_set, "train"),
        (task.validation_set, "valid"),
        (task.test_set, "test"),
    ):
        type = "node" if plain else "paper"
        of_type = found if plain else found._itemsets[type]
        assert tuple(of_type.names) == ("seeds", "labels")
        node = sample["nodes"][type]
        # GraphBolt makes seeds int32 where that is enough.
        same(f"{name}: seeds", of_type._items[0].long(), node["sets"][name])
        same(f"{name}: labels", of_type._items[1], node["columns"]["y"][1][node["sets"][name]])
    for batch in gb.DataLoader(
        gb.NeighborSampler(gb.ItemSampler(task.train_set, batch_size=4), graph, [2, 2])
    ):
        assert len(batch.sampled_subgraphs) == 2


def bfloat16(folder: Path) -> None:
    """Numbers that NumPy has not."""
    folder.mkdir()
    numbers = torch.rand(5, 3).bfloat16()
    numbers.view(torch.int16).numpy().tofile(folder / "x.raw")
    np.save(folder / "edges.npy", np.array([[0, 4], [1, 2]]))
    column = {"file": "x.raw", "dtype": "bfloat16", "shape": [5, 3]}
    recipe = {
        "nodes": {"node": {"count": 5, "columns": {"x": column}}},
        "edges": {"node__to__node": {"arrays": "edges.npy"}},
    }
    (folder / "recipe.json").write_text(json.dumps(recipe))
    run("import", "recipe", folder / "recipe.json", "-o", folder / "gls")
    run("export", "pyg", folder / "gls", "-o", folder / "data.pt")
    run("export", "dgl", folder / "gls", "--choose", "form=graph", "-o", folder / "graph.bin")
    of_pyg = torch.load(folder / "data.pt").x
    of_dgl = dgl.load_graphs(str(folder / "graph.bin"))[0][0].ndata["x"]
    for found in (of_pyg, of_dgl):
        assert found.dtype == torch.bfloat16 and torch.equal(found, numbers)


CHECKS: Dict[str, Callable[[Any, Path, Path], None]] = {
    "pyg": pyg,
    "dgl form=graph": dgl_graph,
    "dgl form=partitions": dgl_parts,
    "graphbolt": graphbolt,
}


def main() -> None:
    modules = (torch, torch_geometric, dgl, np)
    print(", ".join(f"{module.__name__} {module.__version__}" for module in modules))
    with tempfile.TemporaryDirectory() as temporary:
        for name, make in export_sample.SAMPLES.items():
            sample = make()
            recipe = export_sample.write_recipe(Path(temporary) / name, sample)
            folder = Path(temporary) / f"{name}-gls"
            run("import", "recipe", recipe, "-o", folder)
            for number, (what, check) in enumerate(CHECKS.items()):
                check(sample, folder, Path(temporary) / f"{name}-{number}")
                print(f"{name}: {what}: equal")
        bfloat16(Path(temporary) / "bfloat16")
        print("bfloat16: equal")


if __name__ == "__main__":
    main()
