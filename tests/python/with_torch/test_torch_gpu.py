"""The package on a GPU, with PyTorch: what of the plugin that needs none can only be asked in part (test_devices.py,
test_torch_devices.py).

A test runs where there are a GPU that PyTorch can use and the part "cuda" of GLS (GLS_PLUGIN_PATH). Elsewhere it says
"no GPU: ...", and conftest.py how many did. With GLS_TEST_GPU=required it fails there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, List, Tuple

import feed_worker
import numpy as np
import pytest
import torch
import torch_ddp
from test_devices import LOADERS, all_arrays, same
from test_torch_devices import OF_DATA, WITHOUT_WAITING, input_ids
from test_torch_devices import data  # noqa: F401  a fixture
from test_torch_devices import same as same_objects
from torch_geometric.data import Data

import gls

GPU = torch.device("cuda", 0)
A_WHILE = 20_000_000  # cycles: about 10 ms
ON_THE_HOST = {5, 6}  # GLS_BATCH_NUM_NODES, GLS_BATCH_NUM_EDGES


def missing() -> str:
    """Why there is none; empty: there is."""
    if not torch.cuda.is_available():
        return "PyTorch can use none"
    try:
        found = gls.device_info(0).name
    except gls.Error as error:
        return str(error)
    if found != torch.cuda.get_device_name(0):
        return f"this process has loaded the plugin of another, {found!r}; run this file by itself"
    return ""


def could_not_run(why: str) -> None:
    if os.environ.get("GLS_TEST_GPU") == "required":
        pytest.fail(f"no GPU: {why}")
    pytest.skip(f"no GPU: {why}")


@pytest.fixture(autouse=True)
def gpu() -> None:
    why = missing()
    if why:
        could_not_run(why)


# ---- batches -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOADERS)
def test_every_loader_delivers_cuda_tensors_of_its_own_memory(
    dataset: gls.Dataset, name: str
) -> None:
    options = dict(batch_size=32, seed=3)
    there = LOADERS[name](dataset, device="cuda:0", **options)
    here = LOADERS[name](dataset, **options)
    seen = 0
    for one, other in zip(there, here):
        expected = all_arrays(other)
        for key, array in all_arrays(one).items():
            if key[0] in ON_THE_HOST:
                continue
            tensor, of_host = array.torch(), expected[key].torch()
            assert tensor.device == GPU and tensor.dtype == of_host.dtype
            assert tensor.numel() == 0 or tensor.data_ptr() == array.data_ptr(), key
            assert torch.equal(tensor.cpu(), of_host), key
        same(one, other)
        seen += 1
    assert seen >= 2


@pytest.mark.parametrize("name", OF_DATA)
def test_objects_of_pyg_are_those_of_the_host(data: Data, name: str) -> None:
    make = OF_DATA[name]
    there = make(data, batch_size=16, seed=3, device="cuda")
    for one, other in zip(there, make(data, batch_size=16, seed=3)):
        assert one.edge_index.device == GPU
        same_objects(one.to("cpu"), other)


@pytest.mark.parametrize("name", WITHOUT_WAITING)
@pytest.mark.parametrize("pad", [None, True])
def test_no_batch_of_pyg_waits_for_the_gpu(data: Data, name: str, pad: Any) -> None:
    plain = data.clone()
    del plain.columns  # which PyTorch gathers on the host
    loader = OF_DATA[name](plain, batch_size=16, seed=3, device="cuda", pad=pad, **input_ids(name))
    torch.cuda.set_sync_debug_mode("error")
    try:
        assert len(list(loader)) > 2
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_cuda_is_the_current_device_of_pytorch(
    dataset: gls.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_RANK", "31")  # which nobody has
    last = torch.cuda.device_count() - 1
    with torch.cuda.device(last):
        assert torch.cuda.is_initialized()
        for device in ("cuda", torch.device("cuda")):
            loader = gls.NeighborLoader(dataset, [2], device=device)
            assert next(iter(loader)).x.torch().device == torch.device("cuda", last)
        assert torch.cuda.current_device() == last


# ---- streams -----------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["recorded", "taken there", "an array recorded"])
def test_a_side_stream_has_the_memory_as_long_as_it_needs_it(
    dataset: gls.Dataset, way: str
) -> None:
    side = torch.cuda.Stream()
    loader = gls.NeighborLoader(dataset, [5, 3], "train", batch_size=16, device="cuda")
    taken: List[Tuple[torch.Tensor, torch.Tensor]] = []
    for _ in range(4):
        for batch in loader:
            expected = batch.to_host().x.torch()
            if way == "taken there":
                with torch.cuda.stream(side):
                    x = batch.x.torch()
            else:
                x = batch.x.torch()
                (batch if way == "recorded" else batch.x).record_stream(side)
            with torch.cuda.stream(side):
                torch.cuda._sleep(A_WHILE)
                taken.append((x.clone(), expected))
            del batch, x  # long before it was read
    torch.cuda.synchronize()
    assert len(taken) > 10
    for copy, expected in taken:
        assert torch.equal(copy.cpu(), expected)


def test_a_cuda_graph_is_captured_while_batches_are_made(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(
        dataset, [5, 3], batch_size=4, device="cuda", num_workers=2, prefetch=8
    )
    rows = 4
    x, weight = torch.zeros(rows, 12, device=GPU), torch.rand(12, 5, device=GPU)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):  # as PyTorch says, before the first capture
        (x @ weight).relu()
    torch.cuda.synchronize()
    seen = 0
    for batch in loader:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = (x @ weight).relu()
        given = batch.x.torch()[:rows]
        x.copy_(given)
        graph.replay()
        torch.testing.assert_close(out, (given @ weight).relu())
        seen += 1
    assert seen == 50


# ---- memory ------------------------------------------------------------------------------------


def test_copies_of_a_pinned_feed_read_what_was_there() -> None:
    here = feed_worker.make_loader()
    expected = [batch.x.torch().clone() for _ in range(3) for batch in here]
    few = 4 * max(batch.nbytes for batch in here)
    copies = []
    with gls.SamplingProcesses(feed_worker.make_loader, bytes=few) as sampling:
        try:
            loader = sampling.attach(pin=0)
        except gls.Unsupported as error:
            could_not_run(str(error))  # not every driver pins memory that a process can only read
        with loader, pytest.warns(UserWarning, match="read-only"):
            for _ in range(3):
                for batch in loader:
                    torch.cuda._sleep(A_WHILE)
                    copies.append(batch.x.torch().to(GPU, non_blocking=True))
                    batch.record_stream(torch.cuda.current_stream())
                    del batch
            torch.cuda.synchronize()
    assert len(copies) == len(expected) > 50
    for one, other in zip(copies, expected):
        assert torch.equal(one.cpu(), other)


def test_no_memory_is_an_error_and_the_loader_goes_on_when_there_is_some() -> None:
    nodes, width, spare = 60_000, 512, 40 << 20
    context = gls.Context()
    for name in ("device.column_memory", "device.graph_memory"):
        context.set(name, "1")  # columns and topology stay on the host
    ring = np.stack([np.roll(np.arange(nodes), 1), np.arange(nodes)])
    x = np.arange(nodes * width, dtype=np.float32).reshape(nodes, width)
    dataset = gls.Dataset.from_arrays(ring, x=x, context=context)
    options: Any = dict(batch_size=nodes // 2, num_workers=1)
    loader = gls.NeighborLoader(dataset, [1], device="cuda", **options)
    taken = torch.empty(torch.cuda.mem_get_info()[0] - spare, dtype=torch.uint8, device=GPU)
    with pytest.raises(gls.OutOfMemory):
        next(iter(loader))
    del taken
    torch.cuda.empty_cache()
    loader.set_epoch(0)
    seen = 0
    for one, other in zip(loader, gls.NeighborLoader(dataset, [1], **options)):
        same(one, other)
        seen += 1
    assert seen == 2


# ---- several processes -------------------------------------------------------------------------


def test_ddp_trains_as_one_process_does(tmp_path: Path) -> None:
    processes = min(torch.cuda.device_count(), 2)
    devices = torch_ddp.train("gpu", processes, tmp_path)
    assert devices == [[f"cuda:{rank}"] for rank in range(processes)]
