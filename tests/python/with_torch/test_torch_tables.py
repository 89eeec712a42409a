"""Tables step as PyTorch's sparse optimisers do, and are modules of its models."""

from __future__ import annotations

import gc
import math
import os
import pickle
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pytest
import torch
from test_tables import BEGINNING, KEY, make_graph, served, together
from torch_table_worker import NODES, WIDTH, Model, make_table, train

import gls
from gls.nn import Embedding, SparseOptimizer

__all__ = ["served"]  # a fixture
CLOSE = {"rtol": 1e-6, "atol": 1e-6}


def of_torch(table: gls.Table) -> torch.nn.Embedding:
    weight = torch.from_numpy(table[:].copy())
    return torch.nn.Embedding.from_pretrained(weight, freeze=False, sparse=True)


CASES: List[Tuple[Dict[str, Any], Callable[[Any], torch.optim.Optimizer]]] = [
    ({"optimizer": "sgd"}, lambda p: torch.optim.SGD(p, lr=0.1)),
    ({"optimizer": "adagrad"}, lambda p: torch.optim.Adagrad(p, lr=0.1)),
    ({"optimizer": "adagrad", "epsilon": 0.01}, lambda p: torch.optim.Adagrad(p, 0.1, eps=0.01)),
    ({"optimizer": "adam"}, lambda p: torch.optim.SparseAdam(list(p), lr=0.1)),
    (
        {"optimizer": "adam", "betas": (0.6, 0.7), "epsilon": 1e-4},
        lambda p: torch.optim.SparseAdam(list(p), 0.1, (0.6, 0.7), 1e-4),
    ),
]


@pytest.mark.parametrize("options, make", CASES, ids=[str(case[0]) for case in CASES])
def test_steps_as_torch(
    options: Dict[str, Any], make: Callable[[Any], torch.optim.Optimizer]
) -> None:
    table = make_graph().table("h", **BEGINNING, **options)
    module, other = Embedding(table), of_torch(table)
    theirs = make(other.parameters())
    ours = SparseOptimizer([module], lr=0.1)
    generator = torch.Generator().manual_seed(2)
    for _ in range(8):
        ids = torch.randint(0, NODES, (30,), generator=generator)
        factor = torch.randn(30, WIDTH, generator=generator)
        for optimizer, embedding in ((ours, module), (theirs, other)):
            optimizer.zero_grad()
            (embedding(ids) * factor).pow(2).sum().backward()
            optimizer.step()
        torch.testing.assert_close(table.rows(range(NODES)).torch(), other.weight.data, **CLOSE)
    assert table.num_steps == 8


def test_a_model_learns_the_same() -> None:
    table = make_graph().table("h", **BEGINNING, optimizer="adam")
    ours, theirs = Model(Embedding(table)), Model(of_torch(table))
    assert len(list(ours.parameters())) == 4  # the table is none of them
    losses = train(ours, SparseOptimizer([ours.embedding], lr=0.05), ours.layers)
    adam = torch.optim.SparseAdam(theirs.embedding.parameters(), lr=0.05)
    np.testing.assert_allclose(losses, train(theirs, adam, theirs.layers), rtol=1e-4)
    assert losses[-1] < 0.7 * losses[0]
    torch.testing.assert_close(
        torch.from_numpy(table[:]), theirs.embedding.weight.data, rtol=1e-3, atol=1e-4
    )


def test_trainers_of_ddp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes with halves of the batches do what one does with all."""
    monkeypatch.setenv("GLS_NET_KEY", KEY)
    make_graph().partition(tmp_path / "parts", 2, method="random")
    with gls.Server(tmp_path / "parts", table_bytes=1 << 20, num_threads=1) as server:
        address = f"gls://{server.address}"
        worker = Path(__file__).parents[1].joinpath("torch_table_worker.py")
        trainers = [
            subprocess.Popen(
                [sys.executable, worker, str(rank), "2", tmp_path / "rendezvous", address],
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            for rank in range(2)
        ]
        assert [trainer.wait(120) for trainer in trainers] == [0, 0]
        found = gls.Dataset.open(address).table("ddp")[:]
    table = make_table(make_graph())
    before, alone = table[:], Model(Embedding(table))
    train(alone, SparseOptimizer([alone.embedding], lr=0.05), alone.layers)
    np.testing.assert_allclose(found, table[:], rtol=1e-3, atol=1e-4)
    assert (np.abs(found - before) > 0.05).all(axis=1).any()


@pytest.mark.parametrize(
    "options, average, change",
    [({}, True, -4), ({}, False, -8), ({"mean": True}, True, -2), ({"mean": True}, False, -2)],
)
def test_gradients_of_several_trainers(
    served: Callable[[], gls.Dataset], options: Dict[str, bool], average: bool, change: float
) -> None:
    """Each has two gradients of 2 for one row."""
    tables = [
        served().table("sums", width=3, optimizer="sgd", **options, rank=rank, world_size=2)
        for rank in range(2)
    ]

    def step(table: gls.Table) -> None:
        module = Embedding(table, average=average)
        (2 * module(torch.tensor([[7], [7]]))).sum().backward()
        module.step(1)

    together(*(lambda table=table: step(table) for table in tables))
    assert tables[0][[7]].tolist() == [[change] * 3]
    tables[0].drop()


def test_what_forward_gives() -> None:
    table = make_graph().table("h", **BEGINNING, optimizer="sgd")
    module = Embedding(table)
    assert repr(table) in repr(module)
    for shape in ((), (3,), (2, 3), (0,), (2, 0)):
        ids = torch.full(shape, 7)
        rows = module(ids)
        assert rows.shape == (*shape, WIDTH) and rows.dtype == torch.float32
        assert rows.requires_grad and rows.device == ids.device
        assert (rows.detach().numpy() == table[[7]]).all()
    # Neither before a backward() nor outside of training anything is remembered.
    with torch.no_grad():
        assert not module(torch.tensor([7])).requires_grad
    assert not module.eval()(torch.tensor([7])).requires_grad
    module.step(1)
    assert table.num_steps == 1 and (table[:] == make_graph().table("h", **BEGINNING)[:]).all()
    assert not Embedding(make_graph().table("h", width=2))(torch.tensor([7])).requires_grad
    with pytest.raises(gls.InvalidArgument, match="float64"):
        Embedding(make_graph().table("h", width=2, dtype="float64"))
    with pytest.raises(gls.InvalidArgument, match="node 40"):
        module(torch.tensor([40]))


def test_gradients_are_kept_until_a_step() -> None:
    table = make_graph().table("h", width=2, optimizer="sgd")
    module = Embedding(table)

    def learn(id: int, factor: float = 1, times: int = 1) -> None:
        loss = factor * module(torch.tensor([id])).sum()
        for _ in range(times):
            loss.backward(retain_graph=True)

    learn(0)
    module.forget()
    learn(1), learn(2), learn(1, 2)
    learn(3, times=3)
    module(torch.tensor([4]))  # and no backward()
    module.step(1)
    expected = np.zeros((NODES, 2), np.float32)
    expected[[1, 2, 3]] = [[-3], [-1], [-3]]
    assert (table[:] == expected).all()
    module.step(1)
    assert (table[:] == expected).all() and table.num_steps == 2
    # An error keeps them, and who asks again is not late.
    learn(1)
    with pytest.raises(gls.InvalidArgument):
        module.step(float("nan"))
    module.step(1)
    assert table[[1]].tolist() == [[-4, -4]]


def test_a_gradient_scaler_leaves_out_steps() -> None:
    """The table has the bytes of training without a scaler, and without the steps that were left out."""
    generator = torch.Generator().manual_seed(5)
    batches = [torch.randint(0, NODES, (20, 2), generator=generator) for _ in range(6)]
    tables = [make_graph().table("h", **BEGINNING, optimizer="adam") for _ in range(2)]
    models = [Model(Embedding(table)) for table in tables]
    models[1].layers.load_state_dict(models[0].layers.state_dict())
    dense = [torch.optim.SGD(model.layers.parameters(), lr=0.1) for model in models]
    sparse = [SparseOptimizer([model.embedding], lr=0.05) for model in models]
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
    left_out = []
    for number, ids in enumerate(batches):
        overflows = number in (1, 4)
        for model, one, other in zip(models, dense, sparse):
            one.zero_grad()
            other.zero_grad()
            loss = model(ids).pow(2).mean()
            if model is models[0]:
                loss = loss * math.inf if overflows else loss
                scaler.scale(loss).backward()
            elif not overflows:
                loss.backward()
                one.step()
                other.step()
        scale = scaler.get_scale()
        scaler.step(dense[0])
        scaler.update()
        good = sparse[0].all_finite()
        assert (scaler.get_scale() < scale) is overflows is not good
        if good:
            sparse[0].step(scale=scale)
        else:
            left_out.append(number)
            with pytest.raises(gls.InvalidArgument, match="expected finite numbers"):
                sparse[0].step(scale=scale)
            sparse[0].zero_grad()
    assert left_out == [1, 4] and tables[0].num_steps == tables[1].num_steps == 4
    assert (tables[0][:] == tables[1][:]).all()
    # Without gradients there is nothing that a step would refuse.
    assert sparse[0].all_finite()


def test_nothing_is_kept_without_a_gradient() -> None:
    module = Embedding(make_graph().table("h", width=2, optimizer="sgd"))
    rows = module(torch.tensor([1]))
    kept = weakref.ref(rows.grad_fn.next_functions[0][0].variable)
    assert kept() is not None
    del rows
    gc.collect()
    assert kept() is None and not module._arrived


def test_an_optimizer_goes_on_where_it_failed() -> None:
    first = make_graph().table("h", width=2, optimizer="sgd")
    second = make_graph().table("h", width=2, optimizer="sgd")
    modules = [Embedding(first), Embedding(second)]
    optimizer = SparseOptimizer(modules, lr=1)
    sum(module(torch.tensor([1])).sum() for module in modules).backward()
    optimizer.param_groups[1]["lr"] = float("inf")
    with pytest.raises(gls.InvalidArgument):
        optimizer.step()
    optimizer.param_groups[1]["lr"] = 2
    optimizer.step()
    assert (first[[1]] == -1).all() and (second[[1]] == -2).all()
    assert first.num_steps == second.num_steps == 1
    modules[0](torch.tensor([1])).sum().backward()
    optimizer.zero_grad()
    optimizer.step()
    assert (first[[1]] == -1).all() and first.num_steps == 2
    state = pickle.loads(pickle.dumps(optimizer.state_dict()))
    again = SparseOptimizer(modules, lr=9)
    again.load_state_dict(state)
    assert [group["lr"] for group in again.param_groups] == [1, 2]
    assert again.step(lambda: modules[0](torch.tensor([1])).sum().backward() or 5) == 5
    assert (first[[1]] == -2).all() and (second[[1]] == -2).all()


def test_tensors_in_and_out() -> None:
    """Those of PyTorch, of a type that NumPy does not have, too."""
    table = make_graph().table("h", width=3, dtype="bfloat16")
    rows = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.bfloat16)
    table[torch.tensor([2, 0])] = rows
    found = table.rows(torch.tensor([0, 2])).torch()
    assert found.dtype == torch.bfloat16 and found.tolist() == rows.flip(0).tolist()
    with pytest.raises(gls.InvalidArgument, match="gradient"):
        table.write([0], torch.ones(1, 3, requires_grad=True))
