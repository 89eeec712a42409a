"""Writes golden/dgl with DGL 2.1.0, the newest that PyPI has for Linux.

Graphs of dgl.save_graphs in all sparse formats, and partitions of
dgl.distributed.partition_graph. What a partition must hold is computed from the whole graph and the
mapping that partition_graph returns, not from the parts. The files orig_nids.dgl and orig_eids.dgl,
which DGL's tools/distpartitioning writes, are not in DGL's package; save_tensors writes them here.

Usage: python make_dgl.py (in an environment with DGL)
"""

import contextlib
import io
import json
import os
import shutil
from typing import Any, Dict, List, Mapping, Optional, Sequence

os.environ["DGLBACKEND"] = "pytorch"

import dgl  # noqa: E402
import golden  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

FOLDER = golden.GOLDEN / "dgl"
SETS = {"train_mask": "train", "val_mask": "valid", "test_mask": "test"}


def fresh(name: str) -> Any:
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def random_ends(sources: int, targets: int, edges: int) -> Any:
    return torch.randint(0, sources, (edges,)), torch.randint(0, targets, (edges,))


def homogeneous() -> Any:
    graph = dgl.graph(random_ends(13, 13, 30), num_nodes=14)
    graph.ndata["feat"] = torch.rand(14, 3)
    graph.ndata["half"] = torch.rand(14, 2, 2).half()
    graph.ndata["label"] = torch.randint(0, 5, (14,))
    graph.ndata["year"] = torch.randint(1990, 2020, (14,), dtype=torch.int32)
    part = torch.randint(0, 4, (14,))
    graph.ndata["train_mask"] = part == 0
    graph.ndata["val_mask"] = part == 1
    graph.ndata["test_mask"] = part == 2
    graph.edata["weight"] = torch.rand(30)
    graph.edata["timestamp"] = torch.arange(30)
    return graph


def heterogeneous(
    idtype: Any = torch.int64, nodes: Optional[Dict[str, int]] = None, edges: int = 20
) -> Any:
    users, items = (nodes or {"user": 12, "item": 9}).values()
    graph = dgl.heterograph(
        {
            ("user", "follows", "user"): random_ends(users, users, edges + 2),
            ("user", "buys", "item"): random_ends(users, items, edges),
            ("item", "bought_by", "user"): random_ends(items, users, edges - 2),
            ("item", "follows", "user"): random_ends(items, users, edges - 3),
        },
        num_nodes_dict={"user": users, "item": items},
        idtype=idtype,
    )
    graph.nodes["user"].data["feat"] = torch.rand(users, 2)
    graph.nodes["item"].data["x"] = torch.rand(items, 3).double()
    graph.nodes["item"].data["y"] = torch.randint(0, 4, (items,))
    graph.nodes["user"].data["train_mask"] = torch.rand(users) < 0.5
    for type in graph.canonical_etypes[:2]:
        graph.edges[type].data["f"] = torch.rand(graph.num_edges(type), 2)
    graph.edges["buys"].data["label"] = torch.randint(0, 9, (edges,))
    return graph


def node_name(type: str) -> str:
    return "node" if type == "_N" else type


def edge_name(type: Sequence[str]) -> str:
    source, relation, target = type
    relation = "to" if relation == "_E" else relation
    return f"{node_name(source)}__{relation}__{node_name(target)}"


def numpy_of(tensor: Any) -> Any:
    # DGL's files have bools as bytes.
    tensor = tensor.to(torch.uint8) if tensor.dtype == torch.bool else tensor
    return tensor.numpy()


def expect(
    path: Any,
    graph: Any,
    nodes: Optional[Mapping[str, Any]] = None,
    edges: Optional[Mapping[Any, Any]] = None,
    original: bool = False,
) -> None:
    """What the dataset of `graph` holds, with the nodes and edges in another order."""
    all_nodes: Dict[str, Any] = {}
    places = {}
    for type in graph.ntypes:
        count = graph.num_nodes(type)
        order = torch.arange(count) if nodes is None else nodes[type]
        places[type] = torch.empty(count, dtype=torch.int64)
        places[type][order] = torch.arange(count)
        columns, sets = {}, {}
        for name, data in graph.nodes[type].data.items():
            data = data[order]
            if name in SETS:
                sets[SETS[name]] = np.flatnonzero(data.numpy())
            else:
                columns["orig_id" if name == dgl.NID else name] = numpy_of(data)
        if original:
            columns["orig_id"] = order.numpy()
        all_nodes[node_name(type)] = {"count": count, "columns": columns, "sets": sets}
    all_edges = {}
    for type in graph.canonical_etypes:
        source, target = graph.edges(etype=type, order="eid")
        order = torch.arange(len(source)) if edges is None else edges[type]
        columns = {
            "orig_id" if name == dgl.EID else name: numpy_of(data[order])
            for name, data in graph.edges[type].data.items()
        }
        if original:
            columns["orig_id"] = order.numpy()
        all_edges[edge_name(type)] = {
            "source": places[type[0]][source.long()[order]].numpy(),
            "target": places[type[2]][target.long()[order]].numpy(),
            "columns": columns,
        }
    golden.save(path, all_nodes, all_edges)


def clear_header(path: Any) -> None:
    """Most of the 4096 bytes at the begin are memory that DGL does not set; here they are zeros."""
    data = bytearray(path.read_bytes())
    data[32:4096] = bytes(4096 - 32)
    path.write_bytes(data)
    dgl.load_graphs(str(path))


def save(name: str, graphs: Sequence[Any], formats: Any = None, labels: Any = None) -> None:
    path = FOLDER / "saved" / name
    dgl.save_graphs(str(path), list(graphs), labels, formats=formats)
    clear_header(path)


def only_graphbolt(folder: Any, graph: Any, edges: Any, parts: int, ids: bool) -> Any:
    """Leaves GraphBolt's graphs of the parts, as newer versions of DGL write them.

    Without ids of edges, edges come in the order of these graphs, and their data are not known.
    """
    config = folder / "g.json"
    if not ids:
        graph, edges = graph.clone(), order_of_parts(config, graph, edges, parts)
        for type in graph.canonical_etypes:
            for name in list(graph.edges[type].data):
                del graph.edges[type].data[name]
    with contextlib.redirect_stdout(io.StringIO()):
        dgl.distributed.dgl_partition_to_graphbolt(str(config), store_eids=ids)
    description = json.loads(config.read_text())
    for part in range(parts):
        (folder / description[f"part-{part}"].pop("part_graph")).unlink()
    config.write_text(json.dumps(description, indent=1, sort_keys=True))
    return graph, edges


def order_of_parts(config: Any, graph: Any, edges: Any, parts: int) -> Any:
    """The edges of each type as they stand in the CSC of one part after the other."""
    found: Dict[Any, List[Any]] = {type: [] for type in graph.canonical_etypes}
    for number in range(parts):
        part, _, _, book, _, _, _ = dgl.distributed.load_partition(str(config), number)
        _, _, places = part.adj_tensors("csc")
        shared = part.edata[dgl.EID][places][part.edata["inner_edge"][places].bool()]
        types, of_types = book.map_to_per_etype(shared)
        for place, type in enumerate(graph.canonical_etypes):
            found[type].append(edges[type][of_types[types == place]])
    return {type: torch.cat(ids) for type, ids in found.items()}


def partition(
    name: str,
    graph: Any,
    parts: int,
    original: bool = False,
    graphbolt: Optional[bool] = None,
    **options: Any,
) -> None:
    folder = fresh(name)
    with contextlib.redirect_stdout(io.StringIO()):
        nodes, edges = dgl.distributed.partition_graph(
            graph, "g", parts, str(folder), return_mapping=True, **options
        )
    for file in folder.glob("part*/graph.dgl"):
        clear_header(file)
    if graph.is_homogeneous:
        nodes, edges = {graph.ntypes[0]: nodes}, {graph.canonical_etypes[0]: edges}
    if graphbolt is not None:
        graph, edges = only_graphbolt(folder, graph, edges, parts, graphbolt)
    if original:
        for part in range(parts):
            book = dgl.distributed.load_partition_book(str(folder / "g.json"), part)[0]
            for file, ids, of_part in (
                ("orig_nids", nodes, book.partid2nids),
                ("orig_eids", edges, book.partid2eids),
            ):
                named = {}
                for type, order in ids.items():
                    key = type if isinstance(type, str) else ":".join(type)
                    named[key] = order[of_part(part, type)]
                dgl.data.save_tensors(str(folder / f"part{part}" / f"{file}.dgl"), named)
    expect(folder / "expected.npz", graph, nodes, edges, original)


def main() -> None:
    torch.manual_seed(7)
    np.random.seed(7)
    dgl.seed(7)
    folder = fresh("saved")
    graphs = [homogeneous(), heterogeneous(), heterogeneous(torch.int32)]
    graphs.append(dgl.node_subgraph(graphs[0], torch.randperm(14)[:9]))
    for number, graph in enumerate(graphs):
        expect(folder / f"expected-{number}.npz", graph)
    save("coo.bin", graphs, labels={"classes": torch.tensor([1, 0, 2, 0])})
    save("csc.bin", graphs[:3], "csc")
    save("csr.bin", graphs[:1], "csr")
    save("all.bin", graphs[:1], ["csr", "csc", "coo"])
    save("one.bin", [graphs[0].formats("csc").formats("coo")])
    partition("part-homogeneous", homogeneous(), 2, part_method="random")
    partition("part-one", heterogeneous(), 1, graph_formats="csr")
    hetero = heterogeneous(nodes={"user": 20, "item": 18}, edges=30)
    partition("part-hetero", hetero, 3, True, part_method="random")
    partition("part-metis", hetero, 2, part_method="metis", num_hops=2, graph_formats="csc")
    partition("part-graphbolt", hetero, 2, True, True, part_method="random", num_hops=2)
    partition("part-graphbolt-no-ids", hetero, 2, False, False, part_method="random")
    partition("part-graphbolt-one-type", homogeneous(), 2, False, False, part_method="random")
    (FOLDER / "VERSIONS").write_text(f"dgl {dgl.__version__}\ntorch {torch.__version__}\n")


if __name__ == "__main__":
    main()
