"""Replays the vectors of tests/conformance through the package."""

from __future__ import annotations

import functools
import json
from typing import Any, Dict, List

import contract
import graphs
import numpy as np
import pytest
import replay
from conftest import ROOT

import gls

FOLDER = ROOT / "tests" / "conformance"
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
