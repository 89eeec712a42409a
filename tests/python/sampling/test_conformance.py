"""Replays the vectors of tests/conformance through the package."""

from __future__ import annotations

import functools
import inspect
import json
from typing import Any, Dict, List, Tuple

import contract
import graphs
import numpy as np
import pytest
import replay
from conftest import ROOT

import gls

FOLDER = ROOT / "tests" / "conformance" / "vectors"
MOST_SEEDS = 1 << 21  # orders of more seeds need as many nodes in memory


@functools.lru_cache(maxsize=None)
def load(name: str) -> Dict[str, Any]:
    return json.loads((FOLDER / name).read_text())


@functools.lru_cache(maxsize=None)
def dataset_of(file: str, name: str) -> gls.Dataset:
    (graph,) = (g for g in load(file)["graphs"] if g["name"] == name)
    return contract.build(graphs.build_graph(graph))


def cases(*names: str) -> List[Any]:
    return [
        pytest.param(name, case, id=f"{name[:-5]}: {case['name']}")
        for name in names
        for case in load(name)["cases"]
    ]


SAMPLES = cases(*(path.name for path in sorted(FOLDER.glob("sample_*.json"))))


@pytest.mark.parametrize("int32", [False, True], ids=["int64", "int32"])
@pytest.mark.parametrize("file, case", SAMPLES)
def test_sample(file: str, case: Dict[str, Any], int32: bool) -> None:
    options = replay.options_from(case["options"])
    request = replay.request_from(case["request"])
    dataset = dataset_of(file, case["graph"])
    if "error" in case:
        with pytest.raises(gls.Error) as caught:
            contract.sample(dataset, options, request, int32=int32)
        assert caught.value.status_name == case["error"]
        return
    batch = contract.sample(dataset, options, request, int32=int32)
    for arrays in batch.edges.values():
        assert arrays.row.dtype == arrays.col.dtype == ("int32" if int32 else "int64")
    made = contract.to_reference(batch, options)
    got = replay.batch_to_json(made, case.get("short", False), options.supervisions)
    assert got == case["expected"]


@functools.lru_cache(maxsize=None)
def seeds_dataset() -> gls.Dataset:
    """A graph in which only seeds matter."""
    return gls.Dataset.from_arrays(np.zeros((2, 1), np.int64), num_nodes=MOST_SEEDS)


ORDERS = [param for param in cases("order.json") if param.values[1]["n"] <= MOST_SEEDS]


def test_most_orders_are_replayed() -> None:
    assert len(ORDERS) == len(load("order.json")["cases"]) - 5


@pytest.mark.parametrize("file, case", ORDERS)
def test_order(file: str, case: Dict[str, Any]) -> None:
    n = case["n"]
    loader = gls.NeighborLoader(
        seeds_dataset(),
        [0],
        np.arange(n),
        batch_size=max(n // 3, 1),
        shuffle=True,
        seed=int(case["seed"]),
    )
    loader.set_epoch(int(case["epoch"]))
    order = np.concatenate([b.input_id.numpy() for b in loader] or [np.zeros(0, np.int64)])
    assert len(order) == n
    assert [int(order[i]) for i in case.get("positions", range(n))] == case["expected"]["values"]


@pytest.mark.parametrize("file, case", cases("plan.json"))
def test_plan(file: str, case: Dict[str, Any]) -> None:
    def loader(rank: int, world: int) -> gls.NeighborLoader:
        made = gls.NeighborLoader(
            seeds_dataset(),
            [0],
            np.arange(case["n"]),
            batch_size=case["batch_size"],
            shuffle=case.get("shuffle", False),
            drop_last=case.get("drop_last", False),
            seed=int(case.get("seed", 0)),
            rank=rank,
            world_size=world,
            even=case.get("even", "none"),
        )
        made.set_epoch(int(case.get("epoch", 0)))
        return made

    this = loader(case["rank"], case["world"])
    if "done_steps" in case:
        before = loader(0, case["done_world"])
        batches = iter(before)
        for _ in range(case["done_steps"]):
            next(batches)
        this.load_state_dict(before.state_dict())
    batches = list(this)
    expected = case["expected"]
    assert [batch.number for batch in batches] == expected["batches"]
    shown = [batch.input_id.tolist() for batch in batches[: case["show"]]]
    assert shown == expected["positions"]


@pytest.mark.parametrize("file, case", cases("seeds.json"))
def test_seeds(file: str, case: Dict[str, Any]) -> None:
    dataset = dataset_of(file, case["graph"])
    rule: Any = gls.ClusteredSeeds(
        case.get("cluster", np.array(case.get("clusters", []), np.int64))
    )
    if case["rule"] == "draw":
        law = case.get("law", "uniform")
        rule = gls.DrawnSeeds(case.get("batches", 0), law, case.get("weight"))
    options = {
        "batch_size": case["batch_size"],
        "shuffle": case.get("shuffle", False),
        "drop_last": case.get("drop_last", False),
        "seed": int(case.get("seed", 0)),
        "subgraph": "induced",
        "seed_rule": rule,
    }
    ids = np.array(case["ids"], np.int64) if "ids" in case else None

    def loader() -> Any:
        if not case.get("links"):
            return gls.NeighborLoader(dataset, [], (case["type"], ids), **options)
        edge_type = tuple(case["type"].split("__"))
        return gls.LinkNeighborLoader(dataset, [], (edge_type, ids), **options)

    if "error" in case:
        with pytest.raises(gls.Error) as caught:
            loader()
        assert caught.value.status_name == case["error"]
        return
    made = loader()
    assert made.num_global_batches == case["expected"]["epoch_batches"]
    shown = [made.sample(int(case.get("epoch", 0)), b).input_id.tolist() for b in case["show"]]
    assert shown == case["expected"]["positions"]


@pytest.mark.parametrize("file, case", cases("seed_sets.json"))
def test_seed_sets(file: str, case: Dict[str, Any]) -> None:
    dataset, links = dataset_of(file, case["graph"]), case.get("links", False)
    options = {
        "batch_size": case["batch_size"],
        "shuffle": case.get("shuffle", False),
        "drop_last": case.get("drop_last", False),
        "seed": int(case.get("seed", 0)),
        "subgraph": "induced",
    }
    sets = {}
    for one in case["sets"]:
        if one["type"] in sets:
            return  # a mapping has each type once
        sets[one["type"]] = np.array(one["ids"], np.int64) if "ids" in one else None
    loader = gls.LinkNeighborLoader if links else gls.NeighborLoader
    if "error" in case:
        with pytest.raises(gls.Error) as caught:
            loader(dataset, [], sets, **options)
        assert caught.value.status_name == case["error"]
        return
    made = loader(dataset, [], sets, **options)
    assert made.num_global_batches == case["expected"]["epoch_batches"]
    for number, expected in zip(case["show"], case["expected"]["positions"]):
        batch = made.sample(int(case.get("epoch", 0)), number)
        arrays = batch.edges if links else batch.nodes
        assert {name: arrays[name].input_id.tolist() for name in sets} == expected


# What tells an array of a batch from others, as gls.h numbers them.
ARRAYS = {
    **{"node": 0, "row": 1, "col": 2, "edge": 3, "tree": 4, "num_nodes": 5, "num_edges": 6},
    **{"seed": 7, "input": 8, "seed_time": 11, "link_source": 12, "link_target": 13},
    **{"link_negative": 14, "link_label": 15, "walk": 16, "walk_edge": 17, "near_seed": 18},
    **{"near_node": 19, "near_score": 20, "anchor_positive": 21, "anchor_negative": 22},
    **{"node_mask": 24, "edge_mask": 25, "seed_mask": 26, "link_mask": 27},
    **{"link_negative_mask": 28, "walk_mask": 29, "near_mask": 30, "anchor_mask": 31},
}


def padding_loader(dataset: gls.Dataset, case: Dict[str, Any], int32: bool) -> Any:
    """A loader of the kind that the options ask for."""
    options = replay.options_from(case["options"])
    given, pad = case["loader"], case["pad"]
    arguments: Dict[str, Any] = contract.sampler_arguments(options)
    kinds: List[Tuple[str, Any]] = [
        ("supervisions", gls.AnchorLoader),
        ("walk", gls.WalkLoader),
        ("importance", gls.ImportanceLoader),
        ("ppr", gls.PPRLoader),
        ("hgt", gls.HGTLoader),
    ]
    kind: Any = gls.LinkNeighborLoader if given.get("links") else gls.NeighborLoader
    for name, loader in kinds:
        kind = loader if arguments[name] is not None else kind
    ids = np.array(given["ids"], np.int64) if "ids" in given else None
    if given.get("links"):
        arguments["edge_label_index"] = (tuple(given["type"].split("__")), ids)
    else:
        arguments["input_nodes"] = (given["type"], ids)
    if "clusters" in given:
        arguments["seed_rule"] = gls.ClusteredSeeds(np.array(given["clusters"], np.int64))
    if "batches" in given:
        arguments["seed_rule"] = gls.DrawnSeeds(given["batches"])
    names = [supervision.array[0] for supervision in options.supervisions]
    rows = zip(names, given.get("labels", []))
    arguments["labels"] = {name: np.array(own) for name, own in rows if own is not None} or None
    taken = inspect.signature(kind).parameters
    return kind(
        dataset,
        **{name: value for name, value in arguments.items() if name in taken},
        batch_size=given["batch_size"],
        shuffle=given.get("shuffle", False),
        drop_last=given.get("drop_last", False),
        int32=int32,
        pad=gls.Pad(**{**pad, "sizes": dict(pad.get("sizes", []))}),
    )


def listed(batch: gls.Batch) -> Dict[Any, Any]:
    """All arrays: shape and values, by array, type and name."""
    out = {}
    for array, type, name, _ in batch._content.arrays():
        values = gls.Tensor(batch._content.low.tensor(array, type, name)).numpy()
        flat = values.astype(np.int64) if values.dtype == np.bool_ else values
        out[array, type, name] = (list(values.shape), flat.reshape(-1).tolist())
    return out


@pytest.mark.parametrize("int32", [False, True], ids=["int64", "int32"])
@pytest.mark.parametrize("file, case", cases("pad.json"))
def test_pad(file: str, case: Dict[str, Any], int32: bool) -> None:
    dataset = dataset_of(file, case["graph"])
    if "error" in case:
        with pytest.raises(gls.Error) as caught:
            padding_loader(dataset, case, int32)
        assert caught.value.status_name == case["error"]
        return
    loader, expected = padding_loader(dataset, case, int32), case["expected"]
    assert loader.pad_sizes == expected["sizes"]
    assert len(case["show"]) == len(expected["batches"])
    for number, want in zip(case["show"], expected["batches"]):
        batch = loader.sample(int(case["loader"].get("epoch", 0)), number)
        assert batch.padding == want["padding"]
        assert listed(batch) == {
            (ARRAYS[a["array"]], a["type"], a.get("name")): (a["shape"], a["values"])
            for a in want["arrays"]
        }


@pytest.mark.parametrize("file, case", cases("codes.json"))
def test_codes(file: str, case: Dict[str, Any]) -> None:
    """Of nodes and of edges, each of which is the loop at its node."""
    packed = np.array(case["packed"], np.uint8)

    def build() -> gls.Dataset:
        given = {key: case[key] for key in ("codebook", "low", "high") if key in case}
        codes = gls.Codes(packed, case["bits"], case["width"], **given)
        builder = gls.DatasetBuilder()
        loops = np.arange(len(packed))
        builder.add_edges("node__to__node", loops, loops)
        builder.add_node_column("node", "x", codes)
        builder.add_edge_column("node__to__node", "f", codes)
        return builder.build()

    if "error" in case:
        with pytest.raises(gls.Error) as caught:
            build()
        assert caught.value.status_name == case["error"]
        return
    dataset, rows = build(), case["rows"]
    codebook, values = (
        np.array(case["expected"][key], np.float32) for key in ("codebook", "values")
    )
    stored = np.array(dataset.node_columns("node")["x"].codebook, np.float32)
    assert stored.tobytes() == codebook.tobytes()  # zeros have a sign
    loader = gls.NeighborLoader(dataset, [1], rows, batch_size=len(rows), with_edge_ids=True)
    (batch,) = loader
    for column in (batch.x.numpy(), batch.f.numpy()):
        assert column.dtype == np.float32 and column.shape == values.shape
        assert column.tobytes() == values.tobytes()
