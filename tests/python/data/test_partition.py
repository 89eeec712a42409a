"""Parts of a graph: cut, opened, asked, verified and merged."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np
import pytest
from images import image

import gls

TYPES = ("user", "item", "shop")


def cut(shop: gls.Dataset, path: Path, parts: int = 3, **options: Any) -> gls.Partition:
    shop.partition(path, parts, **{"method": "random", **options})
    return gls.Partition.open(path)


def contents(folder: Path) -> Dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture()
def owners(shop: gls.Dataset) -> Dict[str, np.ndarray]:
    return {name: np.arange(shop.num_nodes(name)) * 7 % 3 for name in TYPES}


@pytest.mark.parametrize("method", ["stream", "random", "hash", "given"])
def test_there_and_back(
    shop: gls.Dataset, owners: Dict[str, np.ndarray], tmp_path: Path, method: str
) -> None:
    given = {"owners": owners} if method == "given" else {}
    with cut(shop, tmp_path / "p é", method=method, halo_hops=1, **given) as partition:
        assert (partition.parts, partition.method) == (3, method)
        assert len(partition.graph) == 16 and "halo_hops 1" in partition.options
        assert partition.node_types == shop.node_types
        assert partition.edge_types == shop.edge_types
        assert [partition.num_nodes(name) for name in TYPES] == [60, 90, 7]
        assert partition.num_edges(("user", "buys", "item")) == 400
        assert partition.num_edges("item__sold_in__shop") == 90
        found = {name: partition.owners(range(shop.num_nodes(name)), name) for name in TYPES}
        assert {owner.dtype for owner in found.values()} == {"int32"}
        if method == "given":
            for name in TYPES:
                np.testing.assert_array_equal(found[name].numpy(), owners[name])
        counts = np.zeros(len(shop.edge_types), np.int64)
        for number in range(3):
            part = gls.Dataset.open(tmp_path / "p é" / f"part-{number}")
            assert part.part == gls.Part(number, 3, partition.graph)
            for name in TYPES:
                ids, owned = part.global_ids(name)
                assert ids.dtype == "int64" and ids.shape == (part.num_nodes(name),)
                mine = np.flatnonzero(found[name].numpy() == number)
                np.testing.assert_array_equal(ids.numpy()[:owned], mine)
                others = found[name].numpy()[ids.numpy()[owned:]]
                assert not np.any(others == number)
            counts += [part.global_ids(edge_type).owned for edge_type in shop.edge_types]
            x, (ids, owned) = part.node_column("x", "user").numpy(), part.global_ids("user")
            whole = shop.node_column("x", "user").numpy()
            np.testing.assert_array_equal(x[:owned], whole[ids.numpy()[:owned]])
            part.verify()
        assert counts.tolist() == [shop.num_edges(edge_type) for edge_type in shop.edge_types]
        partition.verify()
        partition.merge(tmp_path / "merged")
    shop.save(tmp_path / "whole")
    assert contents(tmp_path / "merged") == contents(tmp_path / "whole")


FANOUTS = {
    "user__buys__item": [4, 3],
    "item__bought_by__user": [3, 2],
    "user__knows__user": [2, 2],
    "item__sold_in__shop": [1, 1],
}


@pytest.mark.parametrize(
    "options", [{}, {"with_edge_ids": True}, {"disjoint": True}, {"replace": True}]
)
def test_batches_of_parts_are_those_of_the_whole(
    shop: gls.Dataset, tmp_path: Path, options: Dict[str, Any]
) -> None:
    cut(shop, tmp_path / "p")
    with gls.Dataset.open(tmp_path / "p") as parts:
        assert parts.part is None and parts.edge_types == shop.edge_types
        assert parts.parts == (3, (0, 1, 2)) and shop.parts == gls.Parts(count=1, here=(0,))
        np.testing.assert_array_equal(
            parts.id_set("train", "user").numpy(), shop.id_set("train", "user").numpy()
        )
        whole, loader = (
            gls.NeighborLoader(
                dataset, FANOUTS, ("user", "train"), batch_size=8, shuffle=True, **options
            )
            for dataset in (shop, parts)
        )
        for _ in range(2):
            expected = [image(batch) for batch in whole]
            assert [image(batch) for batch in loader] == expected and len(expected) == 4


def shares(
    dataset: gls.Dataset, ids: Any, type: str, world_size: int, **options: Any
) -> List[List[int]]:
    return [
        dataset.share_ids(ids, type, rank=rank, world_size=world_size, **options).numpy().tolist()
        for rank in range(world_size)
    ]


def test_shares_are_of_the_own_part(
    shop: gls.Dataset, owners: Dict[str, np.ndarray], tmp_path: Path
) -> None:
    cut(shop, tmp_path / "p", method="given", owners=owners)
    with gls.Dataset.open(tmp_path / "p") as parts:
        users = np.random.default_rng(3).permutation(60)
        by_part = [users[owners["user"][users] == part].tolist() for part in range(3)]
        assert shares(parts, users, "user", 3) == by_part
        assert shares(parts, None, "user", 3) == [sorted(ids) for ids in by_part]
        halves = [half for ids in by_part for half in (ids[:10], ids[10:])]
        assert shares(parts, users, "user", 6) == halves
        by_turns = {"rank_parts": np.array([2, 0, 1], np.int32)}
        assert shares(parts, users, "user", 3, **by_turns) == [by_part[p] for p in (2, 0, 1)]
        # Rank 0 has two parts, of which 30 fit.
        first = users[owners["user"][users] < 2][:30].tolist()
        rest = [user for user in users.tolist() if user not in first]
        assert shares(parts, users, "user", 2) == [first, rest]
        # Of parts 0, 1 and 2 there are 5, 1 and 1.
        assert shares(parts, [0, 3, 6, 9, 1, 12, 2], "user", 3) == [[0, 3, 6], [9, 1], [12, 2]]
        # Edges are with their targets.
        sold = "item__sold_in__shop"
        by_part = [np.flatnonzero(parts.owners(range(90), sold).numpy() == p) for p in range(3)]
        for ids, own in zip(shares(parts, None, sold, 3), by_part):
            assert len(ids) == 30 and len(set(ids) & set(own.tolist())) == min(30, len(own))
        with pytest.raises(gls.InvalidArgument, match="rank_parts: part 3 of rank 1 is outside"):
            shares(parts, None, "user", 2, rank_parts=[0, 3])
    with gls.Dataset.open(tmp_path / "p" / "part-1") as alone:
        assert shares(alone, [3, 1, 2], "user", 2) == [[3, 1], [2]]


def test_trainers_with_a_share_have_seeds_of_their_part(shop: gls.Dataset, tmp_path: Path) -> None:
    by_turns = {name: np.arange(shop.num_nodes(name)) % 2 for name in TYPES}
    cut(shop, tmp_path / "p", 2, method="given", owners=by_turns)
    with gls.Dataset.open(tmp_path / "p") as parts:
        seen: List[int] = []
        for rank in range(2):
            seeds = parts.share_ids(type="item", rank=rank, world_size=2)
            loader = gls.NeighborLoader(
                parts, FANOUTS, ("item", seeds), batch_size=8, shuffle=True, rank=0, world_size=1
            )
            for batch in loader:
                items = batch.nodes["item"]
                found = items.node.numpy()[items.seed.numpy()]
                assert parts.owners(found, "item").tolist() == [rank] * len(found)
                seen += found.tolist()
        assert sorted(seen) == list(range(90))


def test_what_parts_cannot_do_is_said(shop: gls.Dataset, tmp_path: Path) -> None:
    cut(shop, tmp_path / "p")
    with gls.Dataset.open(tmp_path / "p") as parts:
        with pytest.raises(gls.Unsupported, match="column .x. of .user. is in parts"):
            parts.node_column("x", "user")
        with pytest.raises(gls.Unsupported, match="merge"):
            parts.save(tmp_path / "saved")


def test_ids_of_the_whole_outlive_the_part(shop: gls.Dataset, tmp_path: Path) -> None:
    cut(shop, tmp_path / "p")
    with gls.Dataset.open(tmp_path / "p" / "part-1") as part:
        ids, _ = part.global_ids("item")
        edges = part.global_ids(("user", "buys", "item"))
        assert part.global_ids("user__buys__item").ids.tolist() == edges.ids.tolist()
        with pytest.raises(gls.NotFound, match="no edge type 'goods'"):
            part.global_ids("goods")
        with pytest.raises(gls.InvalidArgument, match="user, item, shop"):
            part.global_ids()
    assert ids.read_only and sorted(set(ids.tolist())) == sorted(ids.tolist())
    with pytest.raises(gls.InvalidState, match="closed"):
        part.global_ids("item")


def test_a_whole_is_no_part(shop: gls.Dataset, tmp_path: Path) -> None:
    assert shop.part is None
    with pytest.raises(gls.Unsupported, match="no part"):
        shop.global_ids("user")
    cut(shop, tmp_path / "p")
    with gls.Dataset.open(tmp_path / "p" / "part-0") as part:
        with pytest.raises(gls.Unsupported, match="part"):
            part.partition(tmp_path / "again", 2, method="random")


def test_types_may_be_left_out_where_there_is_one(dataset: gls.Dataset, tmp_path: Path) -> None:
    owners = np.arange(200, dtype=np.uint8) % 2
    dataset.partition(tmp_path / "p", 2, owners=owners)
    partition = gls.Partition.open(str(tmp_path / "p"))
    assert partition.method == "given"
    assert (partition.num_nodes(), partition.num_edges()) == (200, 2000)
    assert partition.owners([5, 4, 4]).tolist() == [1, 0, 0]
    assert gls.Dataset.open(tmp_path / "p" / "part-1").global_ids().owned == 100
    assert "parts=2" in repr(partition) and "node: 200" in repr(partition)


def test_owners_of_any_array_or_file(dataset: gls.Dataset, tmp_path: Path) -> None:
    owners = np.arange(400) // 3 % 2
    np.save(tmp_path / "owners.npy", owners[::2])
    (tmp_path / "owners é").write_text("".join(f"{owner}\n" for owner in owners[::2]))
    given: List[Any] = [owners[::2], owners[::2].tolist(), {"node": owners[::2].astype(np.int16)}]
    given += [tmp_path / "owners.npy", str(tmp_path / "owners é")]
    for way in given:
        dataset.partition(tmp_path / "p", 2, owners=way, overwrite=True)
        with gls.Partition.open(tmp_path / "p") as partition:
            np.testing.assert_array_equal(partition.owners(range(200)).numpy(), owners[::2])


def test_seed_and_balance(dataset: gls.Dataset, tmp_path: Path) -> None:
    def owners_of(**options: Any) -> np.ndarray:
        with cut(dataset, tmp_path / "p", 4, overwrite=True, **options) as partition:
            return partition.owners(range(200)).numpy()

    np.testing.assert_array_equal(owners_of(seed=5), owners_of(seed=5))
    assert np.any(owners_of(seed=5) != owners_of(seed=6))
    train = dataset.id_set("train").numpy()
    options = {"balance_sets": "train", "imbalance": 0.1, "balance_edges": True}
    owners = owners_of(method="stream", **options)
    assert np.bincount(owners, minlength=4).max() <= np.ceil(1.1 * 50)
    # Sets may be a node over for each combination of them: in it and not.
    assert np.bincount(owners[train], minlength=4).max() <= np.ceil(1.1 * len(train) / 4) + 2


def test_what_a_part_keeps(graph: Any, tmp_path: Path) -> None:
    x = np.zeros((200, 30), np.float32)
    dataset = gls.Dataset.from_arrays(graph.edge_index, num_nodes=200, x=x)

    def rows(**options: Any) -> Tuple[int, int, int]:
        cut(dataset, tmp_path / "p", 4, overwrite=True, **options).close()
        with gls.Dataset.open(tmp_path / "p" / "part-0") as part:
            x = part.node_columns()["x"]
            return part.global_ids().owned, x.shape[0], x.row_stride

    assert rows() == (50, 50, 128)
    assert rows(row_padding=False) == (50, 50, 120)
    assert rows(hot_rows=7) == (50, 57, 128)
    assert rows(hot_fraction=0.5) == (50, 75, 128)
    dataset = gls.Dataset.from_arrays(
        graph.edge_index, num_nodes=200, x=x, id_sets={"train": np.arange(0, 200, 2)}
    )
    assert rows(hot_rows=7, hot_id_set="train") == (50, 57, 128)
    with gls.Partition.open(tmp_path / "p") as partition:
        assert partition.options.endswith("hot_rows 7, hot_fraction 0, hot_id_set train")


# ---- errors ------------------------------------------------------------------------------------


def test_wrong_options(
    shop: gls.Dataset, dataset: gls.Dataset, owners: Dict[str, np.ndarray], tmp_path: Path
) -> None:
    def refused(what: str, graph: gls.Dataset = dataset, parts: Any = 2, **options: Any) -> None:
        with pytest.raises(gls.InvalidArgument, match=what) as caught:
            graph.partition(tmp_path / "p", parts, **{"method": "random", **options})
        assert what.startswith(caught.value.detail["argument"])

    refused("parts is 0", parts=0)
    refused("parts is 65536", parts=65536)
    refused("parts: -1", parts=-1)
    refused("method: 'Random'", method="Random")
    refused("imbalance: it is 0", imbalance=0)
    refused("imbalance", imbalance=-1)
    refused("imbalance", imbalance=float("nan"))
    refused("hot_fraction", hot_fraction=float("nan"))
    refused("hot_rows", hot_rows=-1)
    refused("hot_id_set", hot_id_set="train")
    refused("hot_rows", hot_rows=1, hot_fraction=0.5)
    refused("seed", seed=-1)
    refused("owners", owners=[0] * 200)  # the method says otherwise
    refused("owners", method="given")
    given: Dict[str, Any] = {"method": None}
    refused("owners.*200", owners=[0, 1], **given)
    refused("owners", owners=np.zeros(200), **given)
    refused("owners.*entry 7 is 2", owners=[0] * 7 + [2] * 193, **given)
    refused("owners.*entry 0 is -1", owners=[-1] * 200, **given)
    refused("owners", owners="", **given)
    refused("owners: needed by node type", shop, owners=owners["user"], **given)
    refused("owners: there are none for node type 'item'", shop, owners={"user": [0]}, **given)
    with pytest.raises(gls.NotFound, match="'node'; there are: user, item, shop"):
        shop.partition(tmp_path / "p", 3, owners={"node": [0]})
    with pytest.raises(gls.NotFound, match="none"):
        dataset.partition(tmp_path / "p", 2, method="stream", balance_sets=["train", "none"])
    with pytest.raises(TypeError, match="parts must be an integer"):
        dataset.partition(tmp_path / "p", 2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="progress"):
        dataset.partition(tmp_path / "p", 2, progress=5)  # type: ignore[arg-type]
    with pytest.raises(gls.FileNotFound):
        dataset.partition(tmp_path / "p", 2, owners=tmp_path / "none")
    for text in ("0\n1\n", "0\nx\n" * 100, "0\n2\n" * 100):
        (tmp_path / "wrong").write_text(text)
        with pytest.raises(gls.InvalidArgument, match="wrong"):
            dataset.partition(tmp_path / "p", 2, owners=tmp_path / "wrong")
    assert os.listdir(tmp_path) == ["wrong"]


def test_what_is_there_already(shop: gls.Dataset, tmp_path: Path) -> None:
    partition = cut(shop, tmp_path / "p")
    with pytest.raises(gls.FileExists):
        cut(shop, tmp_path / "p")
    graph = partition.graph
    assert cut(shop, tmp_path / "p", 2, overwrite=True).graph != graph
    shop.save(tmp_path / "d")
    with pytest.raises(gls.FileExists):
        cut(shop, tmp_path / "d", overwrite=True)
    partition = gls.Partition.open(tmp_path / "p")
    with pytest.raises(gls.FileExists):
        partition.merge(tmp_path / "d")
    partition.merge(tmp_path / "d", overwrite=True)
    gls.Dataset.open(tmp_path / "d").verify()


def test_metis_is_a_part_of_its_own(dataset: gls.Dataset, tmp_path: Path) -> None:
    """Where its plugin is not installed, the error says what is missing."""
    try:
        dataset.partition(tmp_path / "p", 2, method="metis")
    except (gls.NotFound, gls.Unsupported) as error:
        assert "libgls_metis.so" in str(error)
        assert os.listdir(tmp_path) == []
    else:
        assert gls.Partition.open(tmp_path / "p").method == "metis"


def test_asking_and_opening_what_is_not_there(shop: gls.Dataset, tmp_path: Path) -> None:
    partition = cut(shop, tmp_path / "p")
    for ids in ([90], [-1], [0.5], [[1]]):
        with pytest.raises(gls.InvalidArgument) as caught:
            partition.owners(ids, "item")
        assert caught.value.detail["argument"] == "ids"
    with pytest.raises(gls.InvalidArgument, match="user, item, shop"):
        partition.owners([0])
    with pytest.raises(gls.NotFound, match="goods"):
        partition.owners([0], "goods")
    with pytest.raises(gls.NotFound, match="goods"):
        partition.num_edges("goods")
    assert partition.owners([], "item").shape == (0,)
    shop.save(tmp_path / "d")
    for path in (tmp_path / "none", tmp_path / "d"):
        with pytest.raises(gls.FileNotFound):
            gls.Partition.open(path)
    with pytest.raises(TypeError):
        gls.Partition.open(None)  # type: ignore[arg-type]


def test_damage_is_found(shop: gls.Dataset, tmp_path: Path) -> None:
    partition = cut(shop, tmp_path / "p")
    damaged = next((tmp_path / "p" / "part-1").rglob("stars.npy"))
    content = bytearray(damaged.read_bytes())
    content[-1] ^= 0xFF
    damaged.write_bytes(content)
    with pytest.raises(gls.CorruptData) as caught:
        partition.verify()
    assert damaged.name in caught.value.detail["file"]
    with pytest.raises(gls.CorruptData):
        partition.merge(tmp_path / "merged")
    assert os.listdir(tmp_path) == ["p"]


# ---- progress, and the end -----------------------------------------------------------------------


def test_progress_is_reported_and_may_raise(shop: gls.Dataset, tmp_path: Path) -> None:
    seen: List[Tuple[str, int, int, str]] = []

    def note(*arguments: Any) -> None:
        seen.append(arguments)

    def stop(*_: Any) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        cut(shop, tmp_path / "p", progress=stop)
    assert os.listdir(tmp_path) == []
    partition = cut(shop, tmp_path / "p", progress=note)
    for call in (partition.verify, lambda **given: partition.merge(tmp_path / "d", **given)):
        before = len(seen)
        with pytest.raises(KeyError, match="enough"):
            call(progress=stop)
        assert os.listdir(tmp_path) == ["p"]
        call(progress=note)
        assert len(seen) > before > 0
    for stage, done, total, unit in seen:
        assert isinstance(stage, str) and isinstance(unit, str)
        assert 0 <= done and (total == 0 or done <= total)


def test_closed(shop: gls.Dataset, tmp_path: Path) -> None:
    with cut(shop, tmp_path / "p") as partition:
        found = partition.owners([0, 1], "shop")
        with pytest.raises(TypeError, match=r"gls.Partition: open\(\) it in each process"):
            pickle.dumps(partition)
    assert found.shape == (2,)
    assert repr(partition) == "gls.Partition(closed)"
    partition.close()
    for use in (
        lambda: partition.parts,
        lambda: partition.num_nodes("user"),
        lambda: partition.owners([0], "user"),
        lambda: partition.verify(),
        lambda: partition.merge(tmp_path / "d"),
    ):
        with pytest.raises(gls.InvalidState, match="partition is closed"):
            use()
