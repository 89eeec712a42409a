"""gls.pyg with a device. PyTorch has no CUDA here: what torch.from_dlpack would show on a GPU is shown in
memory of the host, where the "device" of the plugin for tests is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import numpy as np
import pytest
import torch
from gpu import plugin
from torch.utils._python_dispatch import TorchDispatchMode
from torch_geometric.data import Data, HeteroData
from torch_shown import STREAM, Shown

import gls
import gls._core.tensor
from gls import pyg
from gls.pyg.loader import PygLoader


@pytest.fixture(scope="module", autouse=True)
def with_devices() -> Iterator[None]:
    with plugin():
        yield


@pytest.fixture()
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    seen = Shown()
    monkeypatch.setattr(gls._core.tensor, "_from_dlpack", seen)
    monkeypatch.setattr(PygLoader, "_delivered", lambda self, tensor: tensor)  # to no CUDA
    kind = gls._core.tensor.low.Tensor
    original = kind.record_stream

    def record(self: Any, stream: int) -> None:
        seen.recorded.append(stream)
        original(self, stream)

    monkeypatch.setattr(kind, "record_stream", record)
    return seen


def same(one: Any, other: Any) -> None:
    """Compares two objects of PyG."""
    assert type(one) is type(other)
    for mine, yours in zip(one.stores, other.stores):
        assert list(mine.keys()) == list(yours.keys())
        for name, value in mine.items():
            equal(value, yours[name], name)


def equal(one: Any, other: Any, name: str) -> None:
    if isinstance(one, torch.Tensor):
        assert one.dtype == other.dtype and torch.equal(one, other), name
    elif isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            equal(one[key], other[key], f"{name}[{key}]")
    else:
        assert one == other, name


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(1)
    nodes, edges = 120, 700
    made = Data(
        x=torch.randn(nodes, 8),
        y=torch.randint(0, 5, (nodes,)),
        edge_index=torch.randint(0, nodes, (2, edges)),
        edge_attr=torch.randn(edges, 3),
    )
    made.columns = torch.randn(3, nodes).t()  # PyTorch's to gather
    made.time = torch.randint(0, 99, (nodes,))
    made.title = "graph"
    return made


@pytest.fixture(scope="module")
def hetero() -> HeteroData:
    torch.manual_seed(2)
    made = HeteroData()
    made["paper"].x = torch.randn(90, 4)
    made["author"].x = torch.randn(40, 6)
    made["author", "writes", "paper"].edge_index = torch.stack(
        [torch.randint(0, 40, (300,)), torch.randint(0, 90, (300,))]
    )
    made["paper", "rev_writes", "author"].edge_index = torch.stack(
        [torch.randint(0, 90, (300,)), torch.randint(0, 40, (300,))]
    )
    return made


Make = Callable[..., Any]
OF_DATA: Dict[str, Make] = {
    "neighbor": lambda d, **o: pyg.NeighborLoader(d, [4, 3], **o),
    "disjoint": lambda d, **o: pyg.NeighborLoader(d, [4, 3], disjoint=True, **o),
    "padded": lambda d, **o: pyg.NeighborLoader(d, [4, 3], pad=True, **o),
    "induced": lambda d, **o: pyg.NeighborLoader(d, [4], subgraph_type="induced", **o),
    "pairs": lambda d, **o: pyg.LinkNeighborLoader(d, [4], neg_sampling="binary", **o),
    "triplets": lambda d, **o: pyg.LinkNeighborLoader(d, [4], neg_sampling="triplet", **o),
    "trees of links": lambda d, **o: pyg.LinkNeighborLoader(
        d, [4], neg_sampling="triplet", disjoint=True, **o
    ),
    "times of links": lambda d, **o: pyg.LinkNeighborLoader(
        d, [4], time_attr="time", edge_label_time=torch.full((700,), 80), **o
    ),
    "anchors": lambda d, **o: pyg.AnchorLoader(d, [3], [gls.Supervision("node__to__node")], **o),
    "clusters": lambda d, **o: pyg.ClusterLoader(
        d, torch.arange(120) % 6, **{**o, "batch_size": 2}
    ),
    "saint": lambda d, **o: pyg.GraphSAINTNodeSampler(d, num_steps=4, sample_coverage=2, **o),
}


# How many pairs of anchors and labels there are, only the GPU knows; "padded" is what others are, too, with `pad`.
WITHOUT_WAITING = [name for name in OF_DATA if name not in ("anchors", "padded")]


def input_ids(name: str) -> Dict[str, torch.Tensor]:
    """For each seed a number, where the loader takes them."""
    if name in ("clusters", "saint"):
        return {}
    return {
        "input_id": torch.arange(700 if "links" in name or name in ("pairs", "triplets") else 120)
    }


@pytest.mark.parametrize("name", OF_DATA)
def test_batches_are_those_of_the_host(data: Data, shown: Shown, name: str) -> None:
    make = OF_DATA[name]
    here = make(data, batch_size=16, seed=3)
    there = make(data, batch_size=16, seed=3, device="cuda:0")
    batches = 0
    for one, other in zip(there, here):
        same(one, other)
        batches += 1
    assert batches > 2
    assert set(shown.devices) == {(2, 0)}
    assert set(shown.recorded) == {STREAM}


class _Waits(TorchDispatchMode):
    """Notes what the program would wait for a GPU in: sizes and numbers that only the GPU knows."""

    OF_THEIR_OWN = {"nonzero", "masked_select", "unique_dim", "_unique2", "_local_scalar_dense"}

    def __init__(self) -> None:
        super().__init__()
        self.seen: List[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.__name__.split(".")[0]
        by_mask = name in ("index", "index_put", "index_put_") and any(
            index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1]
        )
        if name in self.OF_THEIR_OWN or by_mask:
            self.seen.append(name)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", WITHOUT_WAITING)
@pytest.mark.parametrize("pad", [None, True])
def test_no_batch_waits_for_the_gpu(data: Data, shown: Shown, name: str, pad: Any) -> None:
    there = OF_DATA[name](data, batch_size=16, seed=3, device="cuda:0", pad=pad, **input_ids(name))
    with _Waits() as waits:
        batches = len(list(there))
    assert batches > 2 and not waits.seen


@pytest.mark.parametrize("name", ["neighbor", "hgt"])
def test_batches_of_several_types(hetero: HeteroData, shown: Shown, name: str) -> None:
    def make(**options: Any) -> Any:
        kind: Any = pyg.NeighborLoader if name == "neighbor" else pyg.HGTLoader
        return kind(hetero, [4, 3], input_nodes="paper", batch_size=16, seed=3, **options)

    for one, other in zip(make(device=torch.device("cuda", 0)), make()):
        same(one, other)
        assert isinstance(one["paper"].num_sampled_nodes, list)
    assert set(shown.devices) == {(2, 0)}


def test_a_dataset_of_gls(graph: Any, shown: Shown) -> None:
    dataset = graph.build(layouts=("csc", "csr"))
    make: Any = lambda d=dataset, **o: pyg.NeighborLoader(  # noqa: E731
        d, [3], input_nodes="train", batch_size=16, seed=1, **o
    )
    for loader in (make(device="cuda:0"), make(dataset.to("cuda:0"))):
        shown.recorded.clear()
        for one, other in zip(loader, make(dataset.to("cuda:0"), device="cpu")):
            same(one, other)
        assert shown.recorded
        assert loader._device == torch.device("cuda:0")


def test_cuda_is_that_of_the_local_rank(
    data: Data, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_RANK", "2")
    next(iter(pyg.NeighborLoader(data, [3], batch_size=16, device="cuda")))
    assert set(shown.devices) == {(2, 2)}


def test_pytorch_is_asked_for_its_current_stream_of_that_gpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What torch.from_dlpack does first, as far as it comes without a GPU."""
    dataset = gls.Dataset.from_arrays(np.stack([[0, 1], [1, 0]]), x=np.ones((2, 3), np.float32))
    batch = next(iter(gls.NeighborLoader(dataset, [1], device="cuda:1")))

    def current_stream(device: Any) -> Any:
        raise LookupError(f"the current stream of {device}")

    monkeypatch.setattr(torch.cuda, "current_stream", current_stream)
    with pytest.raises(LookupError, match="the current stream of cuda:1"):
        batch.x.torch()
    assert batch.to_host().x.torch().sum() == 6


def test_what_is_not_of_rows_is_put_where_batches_lie(data: Data) -> None:
    """Where other tensors go; "meta" is a device that every PyTorch has."""
    other = data.clone()
    other.weights = torch.ones(5)
    loader = pyg.NeighborLoader(other, [3], batch_size=16)
    loader._source.deliver_on(torch.device("meta"))
    batch = next(iter(loader))
    assert batch.weights.device.type == "meta" and other.weights.device.type == "cpu"
    assert batch.x.device.type == batch.edge_index.device.type == "cpu"
    assert loader.data.weights.device.type == "cpu"


def test_the_example_of_the_docs_runs(graph: Any, shown: Shown, root: Path) -> None:
    text = (root / "docs" / "gpu.md").read_text("utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    names: Dict[str, Any] = {"gls": gls, "dataset": graph.build()}
    exec(code, names)
    assert names["batch"].device == "cuda:0"
    expected = names["batch"].to_host()
    assert torch.equal(names["x"], expected.x.torch())
    assert torch.equal(torch.stack([names["row"], names["col"]]), expected.edge_index.torch())
