"""Padded batches in models that torch.compile compiles once, for one shape."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Tuple

import pytest
import torch
from torch._dynamo.backends.debugging import aot_eager
from torch._inductor.compile_fx import compile_fx
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import HeteroConv, SAGEConv

import gls
from gls.pyg import NeighborLoader

NODES, EDGES = 150, 900
WRITES, WRITTEN = ("author", "writes", "paper"), ("paper", "rev_writes", "author")
PAD = gls.Pad(sigma=6)
OPTIONS: Dict[str, Any] = {"batch_size": 32, "shuffle": True, "seed": 5}


@pytest.fixture(autouse=True)
def forget_what_was_compiled() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(1)
    return Data(
        x=torch.randn(NODES, 8),
        y=torch.randint(0, 5, (NODES,)),
        edge_index=torch.randint(0, NODES, (2, EDGES)),
    )


@pytest.fixture(scope="module")
def hetero() -> HeteroData:
    torch.manual_seed(2)
    made = HeteroData()
    made["paper"].x, made["author"].x = torch.randn(90, 4), torch.randn(40, 6)
    ends = torch.stack([torch.randint(0, 40, (300,)), torch.randint(0, 90, (300,))])
    made[WRITES].edge_index, made[WRITTEN].edge_index = ends, ends.flip(0)
    return made


class Model(torch.nn.Module):
    """Scores of the seeds."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = SAGEConv(8, 16), SAGEConv(16, 5)

    def forward(
        self, x: torch.Tensor, edge_index: torch.Tensor, seed: torch.Tensor
    ) -> torch.Tensor:
        hidden = self.first(x, edge_index).relu()
        out: torch.Tensor = self.second(hidden, edge_index)[seed]
        return out


class Counted:
    """A backend, and how many graphs it was asked to compile."""

    def __init__(self, backend: Callable[..., Any]) -> None:
        self.backend = backend
        self.graphs = 0

    def __call__(self, graph: torch.fx.GraphModule, inputs: List[Any]) -> Callable[..., Any]:
        self.graphs += 1
        compiled: Callable[..., Any] = self.backend(graph, inputs)
        return compiled


def compiled(
    model: torch.nn.Module, backend: Callable[..., Any] = aot_eager
) -> Tuple[Callable[..., Any], Counted]:
    """`aot_eager` is all of torch.compile but the machine code, which takes its time to make."""
    counted = Counted(backend)
    return torch.compile(model, backend=counted, fullgraph=True, dynamic=False), counted


def test_one_compilation_for_all_batches(data: Data) -> None:
    torch.manual_seed(3)
    model = Model()
    run, backend = compiled(model, compile_fx)  # inductor, torch.compile's own
    padded, plain = (NeighborLoader(data, [5, 4], pad=pad, **OPTIONS) for pad in (PAD, None))
    seen = 0
    with torch.no_grad():
        for _ in range(2):  # epochs
            for batch, real in zip(padded, plain):
                assert batch.overflow is False
                out = run(batch.x, batch.edge_index, batch.seed)
                eager = model(batch.x, batch.edge_index, batch.seed)
                torch.testing.assert_close(out, eager)
                own = model(real.x, real.edge_index, torch.arange(real.batch_size))
                torch.testing.assert_close(out[batch.seed_mask], own)
                seen += 1
    assert seen == 2 * len(padded) == 10
    assert backend.graphs == 1


def test_training_steps_are_compiled_once(data: Data) -> None:
    """Gradients, too: of the real seeds alone they are those of batches without padding."""
    torch.manual_seed(3)
    model = Model()
    run, backend = compiled(model)
    loaders = (NeighborLoader(data, [5, 4], pad=pad, **OPTIONS) for pad in (PAD, None))
    for batch, real in zip(*loaders):
        out = run(batch.x, batch.edge_index, batch.seed)
        loss = torch.nn.functional.cross_entropy(out, batch.y[batch.seed], reduction="none")
        ((loss * batch.seed_mask).sum() / batch.seed_mask.sum()).backward()
        got = [parameter.grad.clone() for parameter in model.parameters()]
        model.zero_grad()
        own = model(real.x, real.edge_index, torch.arange(real.batch_size))
        torch.nn.functional.cross_entropy(own, real.y[: real.batch_size]).backward()
        for one, parameter in zip(got, model.parameters()):
            torch.testing.assert_close(one, parameter.grad)
        model.zero_grad()
    assert backend.graphs == 1


def test_batches_without_padding_are_compiled_again_and_again(data: Data) -> None:
    """What padding is for; the test above would not count otherwise."""
    run, backend = compiled(Model())
    loader = NeighborLoader(data, [5, 4], **OPTIONS)
    shapes = set()
    for batch in loader:
        run(batch.x, batch.edge_index, torch.arange(batch.batch_size))
        shapes.add((batch.x.shape, batch.edge_index.shape, batch.batch_size))
    assert len(shapes) > 1 and backend.graphs == len(shapes)


class Typed(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = HeteroConv({WRITES: SAGEConv((6, 4), 7), WRITTEN: SAGEConv((4, 6), 7)})

    def forward(self, x: Any, edge_index: Any, seed: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.conv(x, edge_index)["paper"][seed]
        return out


def test_several_types(hetero: HeteroData) -> None:
    torch.manual_seed(4)
    model = Typed()
    run, backend = compiled(model)
    options: Dict[str, Any] = {"input_nodes": "paper", "batch_size": 25, "seed": 5}
    loaders = (NeighborLoader(hetero, [5, 4], pad=pad, **options) for pad in (PAD, None))
    for batch, real in zip(*loaders):
        assert batch.overflow is False
        out = run(batch.x_dict, batch.edge_index_dict, batch["paper"].seed)
        own = model(real.x_dict, real.edge_index_dict, torch.arange(real["paper"].batch_size))
        torch.testing.assert_close(out[batch["paper"].seed_mask], own)
    assert backend.graphs == 1


def test_exported(data: Data) -> None:
    """One program with the shapes of one batch runs all others."""
    torch.manual_seed(3)
    model = Model()
    program: Any = None
    for batch in NeighborLoader(data, [5, 4], pad=PAD, **OPTIONS):
        inputs = (batch.x, batch.edge_index, batch.seed)
        if program is None:
            program = torch.export.export(model, inputs).module()
        torch.testing.assert_close(program(*inputs), model(*inputs))
    with pytest.raises(RuntimeError):
        program(batch.x[:-1], batch.edge_index, batch.seed)
