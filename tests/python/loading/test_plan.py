"""A plan of an epoch says what its loader then samples and reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
from conftest import Graph
from test_planned import open_with

import gls

# Of a loader that plans its reads.
MEMORY = 20_000
LOADER: Dict[str, Any] = {"batch_size": 16, "shuffle": True, "seed": 3, "with_edge_ids": True}


def counts(loader: Any, epoch: int, batches: int) -> Dict[str, Any]:
    """What a plan counts, of the first batches that the loader delivers, the columns by name."""
    loader.set_epoch(epoch)
    seeds, columns = 0, {}
    sizes: Dict[Tuple[str, str], List[List[int]]] = {}
    for _, batch in zip(range(batches), loader):
        for of, arrays, per_hop in (
            ("nodes", batch.nodes, "num_sampled_nodes"),
            ("edges", batch.edges, "num_sampled_edges"),
        ):
            for type, one in arrays.items():
                sizes.setdefault((of, type), []).append(getattr(one, per_hop))
                for name in one.columns:
                    columns.setdefault((of, type, name), 0)
                    columns[of, type, name] += len(one[name])
        seeds += len(batch.input_id)
    out: Dict[str, Any] = {"seeds": seeds, "columns": columns, "nodes": {}, "edges": {}}
    for (of, type), hops in sizes.items():
        out[of][type] = {
            **spread([sum(one) for one in hops]),
            "hops": list(map(spread, zip(*hops))),
        }
    return out


def spread(numbers: Any) -> Dict[str, int]:
    return {"total": sum(numbers), "least": min(numbers), "most": max(numbers)}


def planned(plan: Dict[str, Any]) -> Dict[str, Any]:
    """The same of a plan."""
    out: Dict[str, Any] = {"seeds": plan["seeds"], "columns": {}}
    for of in ("nodes", "edges"):
        out[of] = {one.pop("type"): one for one in plan[of]}
    for column in plan["columns"]:
        out["columns"][column["of"], column["type"], column["name"]] = column["rows"]
    return out


def of_neighbors(dataset: gls.Dataset, **options: Any) -> Any:
    return gls.NeighborLoader(dataset, [4, 3], **LOADER, **options)


def of_links(dataset: gls.Dataset, **options: Any) -> Any:
    return gls.LinkNeighborLoader(dataset, [3, 2], **LOADER, **options)


def of_walks(dataset: gls.Dataset, **options: Any) -> Any:
    return gls.WalkLoader(dataset, gls.Walk(3), subgraph="induced", **LOADER, **options)


@pytest.mark.parametrize("make", [of_neighbors, of_links, of_walks])
@pytest.mark.parametrize(
    "options", [{}, {"drop_last": True, "rank": 1, "world_size": 2}], ids=["alone", "trainer"]
)
def test_the_counts_of_an_epoch(
    dataset: gls.Dataset, make: Callable[..., Any], options: Dict[str, Any]
) -> None:
    loader = make(dataset, **options)
    for epoch, batches in ((0, None), (2, None), (2**64 - 1, 5)):
        plan = loader.plan(epoch, batches=batches)
        number = len(loader) if batches is None else batches
        assert plan["epoch"] == epoch and plan["batch_size"] == 16
        assert plan["batches"] == {"epoch": len(loader), "planned": number}
        assert planned(plan) == counts(loader, epoch, number)


def test_the_counts_of_several_types(shop: gls.Dataset) -> None:
    loader = gls.NeighborLoader(shop, [3, 2], input_nodes="user", **LOADER)
    found, expected = planned(loader.plan()), counts(loader, 0, len(loader))
    assert found == expected
    assert set(found["nodes"]) == {"user", "item", "shop"} and len(found["edges"]) == 4
    assert found["columns"]["nodes", "user", "y"] == found["seeds"] == 60


def test_padding_is_not_counted(dataset: gls.Dataset) -> None:
    padded = of_neighbors(dataset, pad=True)
    assert planned(padded.plan(1)) == planned(of_neighbors(dataset).plan(1))


def test_the_loader_is_not_touched(dataset: gls.Dataset) -> None:
    loader = of_neighbors(dataset)
    batches = iter(loader)
    next(batches)
    state, before = loader.state_dict(), loader.stats
    loader.plan(7)
    assert loader.state_dict() == state
    assert loader.stats.batches == before.batches == 1
    assert len(list(batches)) == len(loader) - 1


@pytest.fixture()
def folder(disk: Path) -> Path:
    Graph(nodes=2000, edges=16000).build().save(disk / "graph")
    return disk / "graph"


@pytest.mark.parametrize("memory", [MEMORY, 200_000])
@pytest.mark.parametrize("window", [0, 1, 7])
def test_the_reads_of_an_epoch(folder: Path, disk: Path, memory: int, window: int) -> None:
    dataset = open_with(folder, way="planned", memory=memory, window=window, folder=str(disk))
    loader = of_neighbors(dataset)
    plan = loader.plan(1, memory=[memory])
    loader.set_epoch(1)
    for _ in loader:
        pass
    (of_memory,) = plan["memory"]
    stats = loader.stats
    assert of_memory["bytes"] == memory
    assert of_memory["missed_rows"] == stats.disk_rows > 0
    assert of_memory["missed_bytes"] == stats.disk_row_bytes > 0
    assert of_memory["read_bytes"] == stats.disk_read_bytes > 0
    assert of_memory["packed_bytes"] == stats.disk_packed_bytes
    assert of_memory["uses"] == sum(column["uses"] for column in plan["columns"])
    assert of_memory["uses"] == stats.host_rows
    assert all(column["planned"] for column in plan["columns"])
    disk_of = plan["disk"]
    assert disk_of["temporary_folder"] == str(disk) and disk_of["read_bytes_per_second"] > 0


def test_sizes_of_memory(folder: Path, disk: Path) -> None:
    mapped = of_neighbors(open_with(folder, way="mapped"))
    plan = mapped.plan()
    data = plan["topology_bytes"] + sum(column["file_bytes"] for column in plan["columns"])
    sizes = [of["bytes"] for of in plan["memory"]]
    assert sizes == [data // 100 * percent for percent in (10, 25, 50, 75)]
    assert [round(of["share"], 2) for of in plan["memory"]] == [0.1, 0.25, 0.5, 0.75]
    dataset = open_with(folder, way="planned", memory=MEMORY, folder=str(disk))
    own = [of["bytes"] for of in of_neighbors(dataset).plan()["memory"]]
    assert own == sorted([MEMORY, *sizes])
    given = mapped.plan(memory=[10 * data, MEMORY, MEMORY])["memory"]
    assert [of["bytes"] for of in given] == [MEMORY, 10 * data]
    assert given[0]["way"] != "mapped" and given[1]["way"] == "mapped"
    assert given[0]["missed_rows"] > given[1]["missed_rows"]


def test_what_is_refused(dataset: gls.Dataset, tmp_path: Path) -> None:
    loader = of_neighbors(dataset)
    wrong: List[Tuple[str, Dict[str, Any]]] = [
        ("batches", {"batches": len(loader) + 1}),
        ("batches", {"batches": 0}),
        ("memory", {"memory": [10**6, 0]}),
        ("memory", {"memory": [-1]}),
        ("epoch", {"epoch": -1}),
    ]
    for argument, options in wrong:
        with pytest.raises(gls.InvalidArgument) as raised:
            loader.plan(**options)
        assert raised.value.detail["argument"] == argument
    with pytest.raises(TypeError, match="memory"):
        loader.plan(memory=["64K"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="progress"):
        loader.plan(progress="yes")  # type: ignore[arg-type]
    with pytest.raises(gls.InvalidArgument, match="no batches"):
        of_neighbors(dataset, input_nodes=[]).plan()
    path = tmp_path / "feed.sock"
    with gls.Feed(loader, path), gls.attach(path) as attached:
        with pytest.raises(gls.Unsupported, match="attached"):
            attached.plan()
    loader.close()
    with pytest.raises(gls.InvalidState):
        loader.plan()


def test_progress_ends_a_plan(dataset: gls.Dataset) -> None:
    loader = of_neighbors(dataset)
    seen: List[Tuple[str, int, int, str]] = []
    loader.plan(progress=lambda *reported: seen.append(reported))
    sampled = [one for one in seen if one[0] == "sample"]
    assert sampled == [("sample", i + 1, len(loader), "batches") for i in range(len(loader))]
    calls: List[int] = []

    def stop(stage: str, done: int, total: int, unit: str) -> None:
        calls.append(done)
        if done == 3:
            raise KeyError(stage)

    with pytest.raises(KeyError, match="sample"):
        loader.plan(progress=stop)
    assert calls == [1, 2, 3]
