"""Which operations of PyTorch gls.pyg runs on the iterating thread: none that computes or copies. Its threads
would take the cores of those that make the next batches."""

from __future__ import annotations

from typing import Any, Dict, List

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch_geometric.data import Data, HeteroData

from gls.pyg import HGTLoader, LinkNeighborLoader, NeighborLoader

VIEWS = {
    "alias",
    "as_strided",
    "detach",
    "lift_fresh",  # of torch.from_numpy()
    "select",
    "slice",
    "squeeze",
    "view",
}


class Recorded(TorchDispatchMode):  # type: ignore[misc]
    """The names of operations that are not views."""

    def __init__(self) -> None:
        super().__init__()
        self.names: List[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        if name not in VIEWS:
            self.names.append(name)
        return func(*args, **(kwargs or {}))


def homogeneous() -> Data:
    torch.manual_seed(1)
    nodes, edges = 120, 700
    made = Data(
        x=torch.randn(nodes, 8),
        edge_index=torch.randint(0, nodes, (2, edges)),
        edge_attr=torch.randn(edges, 3),
        time=torch.randint(0, 9, (nodes,)),
    )
    made.columns = torch.randn(3, nodes).t()  # rows that are not contiguous
    made.face_index = torch.randint(0, 9, (2, nodes))  # counted along its last dimension
    made.complex = torch.randn(nodes, dtype=torch.complex64)
    return made


def typed() -> HeteroData:
    torch.manual_seed(2)
    made = HeteroData()
    made["paper"].x = torch.randn(90, 4)
    made["author"].x = torch.randn(40, 6)
    ends = torch.stack([torch.randint(0, 40, (300,)), torch.randint(0, 90, (300,))])
    made["author", "writes", "paper"].edge_index = ends
    made["paper", "rev_writes", "author"].edge_index = ends.flip(0)
    return made


LOADERS: Dict[str, Any] = {
    "one type": lambda: NeighborLoader(homogeneous(), [3, 2], batch_size=32),
    "disjoint": lambda: NeighborLoader(homogeneous(), [3, 2], batch_size=32, disjoint=True),
    "times": lambda: NeighborLoader(homogeneous(), [3, 2], batch_size=32, time_attr="time"),
    "input_id": lambda: NeighborLoader(
        homogeneous(), [3, 2], batch_size=32, input_id=torch.arange(120) * 2
    ),
    "several types": lambda: NeighborLoader(typed(), [3, 2], "paper", batch_size=32),
    "budgets": lambda: HGTLoader(typed(), [4, 4], "paper", batch_size=32),
    "links": lambda: LinkNeighborLoader(
        homogeneous(), [3, 2], batch_size=32, neg_sampling_ratio=1.0
    ),
    "links of a type": lambda: LinkNeighborLoader(
        typed(), [3, 2], ("author", "writes", "paper"), batch_size=32
    ),
}


@pytest.mark.parametrize("kind", LOADERS)
def test_no_operation_of_pytorch_makes_a_batch(kind: str) -> None:
    loader = LOADERS[kind]()
    with Recorded() as recorded:
        batches = list(loader)
    assert len(batches) > 1
    assert recorded.names == []


def test_edge_index_is_the_memory_of_the_batch() -> None:
    loader = NeighborLoader(typed(), [3, 2], "paper", batch_size=32, seed=4)
    native = list(loader.native)
    loader.set_epoch(0)
    for own, batch in zip(loader, native):
        for kind in own.edge_types:
            index = own[kind].edge_index
            assert index.is_contiguous() and index.shape[0] == 2
            assert torch.equal(index, torch.from_numpy(batch.edges[kind].edge_index.numpy()))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.complex64, torch.bool])
@pytest.mark.parametrize("padded", [False, True])
def test_rows_are_those_that_pytorch_selects(dtype: torch.dtype, padded: bool) -> None:
    from gls.pyg.graph.source import rows_of

    torch.manual_seed(3)
    value = torch.randn(6, 4).to(dtype).t()  # not contiguous
    ids = torch.tensor([3, 0, 3, -1] if padded else [3, 0, 3])
    expected = value.index_select(0, ids.clamp(min=0))
    if padded:
        expected[3] = 0
    found = rows_of(value, 0, ids, padded)
    assert found.dtype == dtype and torch.equal(found, expected)
    outside = torch.tensor([4])
    with pytest.raises((IndexError, RuntimeError)):
        rows_of(value, 0, outside, False)
    assert rows_of(value[:0], 0, torch.empty(0, dtype=torch.long), padded).shape == (0, 6)
