"""Batches on a GPU: the bytes of the host, shown to consumers of DLPack; on the plugin that needs no GPU."""

from __future__ import annotations

import copy
import gc
import hashlib
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np
import pytest
from gpu import DEVICES, look_into, plugin
from images import image

import gls
from gls._low import glslow as low

HERE = Path(__file__).parents[1]
KDLCUDA = 2


@pytest.fixture(scope="module", autouse=True)
def with_devices() -> Iterator[None]:
    with plugin():
        yield


@pytest.fixture()
def batch(dataset: gls.Dataset) -> gls.Batch:
    loader = gls.NeighborLoader(dataset, [5, 3], "train", batch_size=16, device="cuda:0")
    return next(iter(loader))


# ---- which there are ---------------------------------------------------------------------------


def test_devices_are_described() -> None:
    found = gls.devices()
    assert len(found) == DEVICES
    assert [one.device for one in found] == [f"cuda:{number}" for number in range(DEVICES)]
    for one in found:
        assert one.name and 0 <= one.free_bytes <= one.bytes > 0 and one.capability[0] > 0
    assert gls.device_info(0).name == gls.device_info("cuda:0").name == found[0].name
    with pytest.raises(gls.Unsupported, match=f"there is no GPU {len(found)}; this machine has"):
        gls.device_info(len(found))
    with pytest.raises(gls.InvalidArgument, match="host, expected a GPU"):
        gls.device_info("cpu")


DESCRIBED = """
import sys
import gls
print([one.free_bytes > 0 for one in gls.devices()])
with gls.Dataset.open(sys.argv[1]) as dataset:
    loader = gls.NeighborLoader(dataset, [2], batch_size=4, device="cuda:1")
    next(iter(loader))
    print([one.free_bytes > 0 for one in gls.devices()])
"""


def test_only_gpus_that_are_used_have_anything_there(dataset: gls.Dataset, tmp_path: Path) -> None:
    dataset.save(tmp_path / "graph")
    out = subprocess.run(
        [sys.executable, "-c", DESCRIBED, str(tmp_path / "graph")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert out.returncode == 0, out.stderr
    assert out.stdout.splitlines() == [
        "[False, False, False, False]",
        "[False, True, False, False]",
    ]


def torch_device(kind: str, index: Optional[int]) -> Any:
    return SimpleNamespace(type=kind, index=index)


@pytest.mark.parametrize(
    "given, where",
    [
        (None, "cpu"),
        ("cpu", "cpu"),
        ("cuda:1", "cuda:1"),
        ("cuda", "cuda:0"),
        (torch_device("cpu", None), "cpu"),
        (torch_device("cuda", 2), "cuda:2"),
        (torch_device("cuda", None), "cuda:0"),
    ],
    ids=str,
)
def test_devices_have_names(dataset: gls.Dataset, given: Any, where: str) -> None:
    loader = gls.NeighborLoader(dataset, [2], "train", device=given)
    batch = next(iter(loader))
    assert batch.device == batch.node.device == batch.x.device == where
    assert ("cuda" in repr(batch.x)) == (where != "cpu")


def test_cuda_is_the_gpu_of_the_local_rank(
    dataset: gls.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert next(iter(gls.NeighborLoader(dataset, [2], device="cuda"))).device == "cuda:3"
    assert next(iter(gls.NeighborLoader(dataset, [2], device="cuda:1"))).device == "cuda:1"
    monkeypatch.setenv("LOCAL_RANK", "one")
    with pytest.raises(gls.InvalidState, match="LOCAL_RANK numbers, but that is 'one'"):
        gls.NeighborLoader(dataset, [2], device="cuda")


def test_cuda_is_the_current_device_of_pytorch_that_has_begun_with_cuda(
    dataset: gls.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = False
    cuda = SimpleNamespace(is_initialized=lambda: begun, current_device=lambda: 2)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    monkeypatch.setenv("LOCAL_RANK", "3")

    def of(device: Any) -> str:
        return next(iter(gls.NeighborLoader(dataset, [2], device=device))).device

    assert of("cuda") == of(torch_device("cuda", None)) == "cuda:3"
    begun = True
    assert of("cuda") == of(torch_device("cuda", None)) == "cuda:2"
    assert of("cuda:1") == of(torch_device("cuda", 1)) == "cuda:1"
    assert of("cpu") == of(None) == "cpu"


@pytest.mark.parametrize(
    "name", ["gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:1", "mps", "", "cuda:0 "]
)
def test_other_names_are_refused(dataset: gls.Dataset, name: str) -> None:
    with pytest.raises(gls.InvalidArgument, match="device: .* is not 'cpu', 'cuda'") as caught:
        gls.NeighborLoader(dataset, [2], device=name)
    assert caught.value.detail["argument"] == "device"


def test_devices_that_are_not_there(dataset: gls.Dataset) -> None:
    with pytest.raises(gls.Unsupported, match="there is no GPU 64; this machine has 4"):
        gls.NeighborLoader(dataset, [2], device="cuda:64")
    with pytest.raises(gls.InvalidArgument, match="device: 99999999999 is not within"):
        gls.NeighborLoader(dataset, [2], device="cuda:99999999999")
    with pytest.raises(TypeError, match="device must be None, a str or a torch.device, not int"):
        gls.NeighborLoader(dataset, [2], device=0)  # type: ignore[arg-type]


def test_a_machine_without_any(dataset: gls.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_ON_HOST_DEVICES", "0")
    assert gls.devices() == []
    with pytest.raises(gls.Unsupported, match="this machine has no GPU that CUDA can use"):
        gls.device_info(3)
    with pytest.raises(gls.Unsupported, match="this machine has no GPU that CUDA can use"):
        gls.NeighborLoader(dataset, [2], device="cuda:3")


MISSING = """
import gls
print(gls.devices())
try:
    gls.device_info(0)
except gls.Unsupported as error:
    print(error.detail["argument"], error)
"""


def test_without_the_plugin_the_error_names_it(tmp_path: Path) -> None:
    low_folder = Path(low.__file__).parent
    env = {k: v for k, v in os.environ.items() if k != "GLS_PLUGIN_PATH"}
    if (low_folder / "libgls_cuda.so").exists():
        pytest.fail("the package carries the plugin: this test has to look for another way")
    out = subprocess.run(
        [sys.executable, "-c", MISSING], env=env, capture_output=True, text=True, timeout=120
    )
    assert out.returncode == 0, out.stderr
    none, why = out.stdout.splitlines()
    assert none == "[]"
    assert why.startswith("device libgls_cuda.so was not found in")
    assert 'install the part "cuda" of GLS' in why and "GLS_PLUGIN_PATH" in why


# ---- batches -----------------------------------------------------------------------------------


def all_arrays(batch: gls.Batch) -> Dict[Tuple[Any, ...], gls.Tensor]:
    handle = batch._content.low
    return {
        (kind, type, name): gls.Tensor(handle.tensor(kind, type or None, name))
        for kind, type, name, _ in handle.arrays()
    }


def same(there: gls.Batch, here: gls.Batch) -> None:
    """Compares all arrays, and where they lie."""
    copied, expected = all_arrays(there.to_host()), all_arrays(here)
    shown = all_arrays(there)
    assert copied.keys() == expected.keys() == shown.keys()
    counts = {5, 6}
    for key, array in expected.items():
        assert copied[key].device == "cpu"
        assert shown[key].device == ("cpu" if key[0] in counts else "cuda:0"), key
        assert shown[key].shape == array.shape and shown[key].dtype == array.dtype
        assert copied[key].numpy().tobytes() == array.numpy().tobytes(), key
    assert there.num_nodes == here.num_nodes and there.num_edges == here.num_edges
    assert (there.number, there.epoch) == (here.number, here.epoch)


Make = Callable[..., Any]
LOADERS: Dict[str, Make] = {
    "neighbor": lambda d, **o: gls.NeighborLoader(d, [4, 3], "train", shuffle=True, **o),
    "padded": lambda d, **o: gls.NeighborLoader(d, [4, 3], "train", pad=True, **o),
    "drawn": lambda d, **o: gls.NeighborLoader(d, [3], seed_rule=gls.DrawnSeeds(4), **o),
    "link": lambda d, **o: gls.LinkNeighborLoader(d, [4], neg_sampling="binary", **o),
    "anchor": lambda d, **o: gls.AnchorLoader(
        d, [3], [gls.Supervision("node__to__node", max_labels=3)], "train", **o
    ),
    "walk": lambda d, **o: gls.WalkLoader(d, gls.Walk(4), "train", **o),
    "importance": lambda d, **o: gls.ImportanceLoader(d, gls.Importance(5), "train", **o),
    "ppr": lambda d, **o: gls.PPRLoader(d, gls.PPR(8), "train", **o),
    "hgt": lambda d, **o: gls.HGTLoader(d, gls.HGT([8, 8]), "train", **o),
}


@pytest.mark.parametrize("name", LOADERS)
def test_every_loader_delivers_what_it_does_on_the_host(dataset: gls.Dataset, name: str) -> None:
    options = dict(batch_size=32, seed=3)
    there = LOADERS[name](dataset, device="cuda:0", **options)
    here = LOADERS[name](dataset, **options)
    seen = 0
    for one, other in zip(there, here):
        same(one, other)
        seen += 1
        if seen == 4:
            break
    assert seen >= 2
    same(there.sample(5, 1), here.sample(5, 1))


def test_a_graph_of_several_types(shop: gls.Dataset) -> None:
    make: Any = lambda **o: gls.NeighborLoader(  # noqa: E731
        shop, [3, 2], ("user", "train"), batch_size=8, columns=["x", "stars"], **o
    )
    for one, other in zip(make(device="cuda:0"), make()):
        same(one, other)
        sizes = [len(block.edges["user__buys__item"].indptr) for block in one.blocks()]
        assert sizes == [len(block.edges["user__buys__item"].indptr) for block in other.blocks()]


def test_blocks_lie_there_too(dataset: gls.Dataset) -> None:
    options = dict(batch_size=16, seed=1)
    there = next(iter(gls.NeighborLoader(dataset, [3, 2], device="cuda:0", **options)))
    here = next(iter(gls.NeighborLoader(dataset, [3, 2], **options)))
    for one, other in zip(there.blocks(), here.blocks()):
        for array in ("src", "dst", "indptr", "input_nodes", "output_nodes"):
            shown: gls.Tensor = getattr(one, array)
            assert shown.device == "cuda:0"
            exported = look_into(shown.__dlpack__())
            assert exported.bytes() == getattr(other, array).numpy().tobytes()


def test_epochs_states_and_stats_are_those_of_the_host(dataset: gls.Dataset) -> None:
    options = dict(batch_size=16, shuffle=True, seed=2)
    there = gls.NeighborLoader(dataset, [3], "train", device="cuda:0", **options)
    here = gls.NeighborLoader(dataset, [3], "train", **options)
    iterator = iter(there)
    first = next(iterator)
    state = there.state_dict()
    here.load_state_dict(state)  # a state says nothing of where batches lie
    for one, other in zip(iterator, here):
        same(one, other)
    assert first.number == 0 and there.stats.batches == len(there)


def test_norms_are_made_by_a_loader_with_a_device(dataset: gls.Dataset) -> None:
    make: Any = lambda **o: gls.NeighborLoader(  # noqa: E731
        dataset, [], seed_rule=gls.DrawnSeeds(3), batch_size=20, with_edge_ids=True,
        subgraph="induced", **o,
    )  # fmt: skip
    there, here = make(device="cuda:0").saint_norms(), make().saint_norms()
    assert there.node.numpy().tobytes() == here.node.numpy().tobytes()
    assert there.edge.numpy().tobytes() == here.edge.numpy().tobytes()


def test_batches_of_the_host_know_both_calls(dataset: gls.Dataset) -> None:
    batch = gls.Sampler(dataset, [3]).sample(np.array([1, 2, 3]))
    assert batch.device == "cpu"
    batch.record_stream(0)
    batch.node.record_stream(0)
    assert batch.to_host().node.tolist() == batch.node.tolist()


# ---- datasets and samplers ---------------------------------------------------------------------

IDS = np.array([5, 1, 99, 5])


def test_a_sampler_samples_on_its_device(dataset: gls.Dataset) -> None:
    links = np.array([[1, 2, 3], [4, 5, 6]])
    for options in (dict(), dict(weight_attr="w"), dict(disjoint=True, with_edge_ids=True)):
        there = gls.Sampler(dataset, [4, 3], seed=3, device="cuda:0", **options)
        here = gls.Sampler(dataset, [4, 3], seed=3, **options)
        assert (there.device, here.device) == ("cuda:0", "cpu")
        for request in (dict(), dict(exclude=np.arange(40)), dict(epoch=2, batch=7)):
            same(there.sample(IDS, **request), here.sample(IDS, **request))
        same(there.sample_links(links), here.sample_links(links))
        with pytest.raises(gls.InvalidArgument, match="seeds"):
            there.sample(np.array([-1]))
    same(
        gls.Sampler(dataset, walk=gls.Walk(5), device="cuda:0").sample(IDS),
        gls.Sampler(dataset, walk=gls.Walk(5)).sample(IDS),
    )


def test_devices_are_inherited(dataset: gls.Dataset) -> None:
    there = dataset.to("cuda:1")
    assert (dataset.device, there.device, there.to(None).device) == ("cpu", "cuda:1", "cuda:1")
    assert there.to("cpu").device == "cpu" and there.to("cuda:2").device == "cuda:2"
    assert gls.Sampler(there, [2]).sample(IDS).device == "cuda:1"
    assert gls.Sampler(there, [2], device="cpu").sample(IDS).device == "cpu"
    for given, where in ((None, "cuda:1"), ("cpu", "cpu"), ("cuda:0", "cuda:0")):
        assert next(iter(gls.NeighborLoader(there, [2], device=given))).device == where
    there.close()
    assert dataset.num_nodes() > 0


def test_a_dataset_is_opened_for_a_device(dataset: gls.Dataset, tmp_path: Path) -> None:
    dataset.save(tmp_path / "graph")
    there = gls.Dataset.open(tmp_path / "graph", device="cuda:0")
    assert there.device == "cuda:0"
    assert pickle.loads(pickle.dumps(there)).device == copy.copy(there).device == "cuda:0"
    assert gls.Dataset.open(tmp_path / "graph").device == "cpu"
    same(gls.Sampler(there, [4, 3]).sample(IDS), gls.Sampler(dataset, [4, 3]).sample(IDS))
    with pytest.raises(gls.Unsupported, match="there is no GPU 9; this machine has 4"):
        gls.Dataset.open(tmp_path / "graph", device="cuda:9")
    with pytest.raises(gls.Unsupported, match="there is no GPU 9; this machine has 4"):
        dataset.to("cuda:9")
    with pytest.raises(gls.Unsupported, match="there is no GPU 9; this machine has 4"):
        gls.Sampler(dataset, [2], device="cuda:9")
    with pytest.raises(gls.InvalidArgument, match="'gpu' is not 'cpu', 'cuda'"):
        dataset.to("gpu")


def test_rows_lie_where_the_dataset_is(dataset: gls.Dataset) -> None:
    there = dataset.to("cuda:0")
    for column in ("x", "y"):
        shown, expected = there.rows(column, IDS), dataset.rows(column, IDS)
        assert shown.device == "cuda:0" and shown.dtype == expected.dtype
        exported = look_into(shown.__dlpack__(stream=1))
        assert exported.bytes() == expected.numpy().tobytes()
    with pytest.raises(gls.InvalidArgument, match="ids"):
        there.rows("x", [10**6])
    assert there.degrees().device == "cpu"


def test_what_the_device_must_do_and_cannot(dataset: gls.Dataset) -> None:
    strict = gls.Context(num_threads=1)
    strict.set("device.sampling", "device")
    strict.set("sample.weight_tables", "0")
    graph = gls.Dataset.from_arrays(
        np.array([[0, 1, 2], [1, 2, 0]]), edge_weight=np.ones(3, np.float32), context=strict
    ).to("cuda:0")
    assert gls.Sampler(graph, [2]).sample([0]).device == "cuda:0"
    with pytest.raises(gls.Unsupported, match="device.sampling is device, but edges are picked"):
        gls.Sampler(graph, [2], weight_attr="edge_weight")
    sampler = gls.Sampler(graph, [2], weight_attr="edge_weight", device="cpu")
    assert sampler.sample([0]).device == "cpu"


# ---- DLPack ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [None, (1, 1)], ids=["old", "versioned"])
def test_a_capsule_says_where_the_memory_is(batch: gls.Batch, version: Any) -> None:
    expected = batch.to_host()
    for name in ("x", "y", "node", "row"):
        array: gls.Tensor = getattr(batch, name)
        exported = look_into(array.__dlpack__(max_version=version))
        assert exported.device == array.__dlpack_device__() == (KDLCUDA, 0)
        assert exported.data == array.data_ptr()
        assert exported.shape == list(array.shape) and exported.strides == list(array.strides)
        assert exported.dtype[1] == getattr(expected, name).numpy().itemsize * 8
        assert exported.bytes() == getattr(expected, name).numpy().tobytes()


def test_a_capsule_keeps_the_memory(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [5, 3], "train", batch_size=16, device="cuda:0")
    iterator = iter(loader)
    batch = next(iterator)
    expected = batch.to_host().x.numpy().tobytes()
    capsule = batch.x.__dlpack__(stream=1)
    del batch
    others = list(iterator)  # which would take what was given back
    gc.collect()
    assert look_into(capsule).bytes() == expected and others


def free(device: int = 0) -> int:
    return gls.device_info(device).free_bytes


def test_memory_is_given_back_with_the_last_capsule(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [5, 3], "train", batch_size=32, num_workers=1, prefetch=1)
    loader.close()
    loader = gls.NeighborLoader(dataset, [5, 3], "train", batch_size=32, device="cuda:3")
    batch = loader.sample(0, 0)
    gc.collect()
    before = free(3)
    capsule = batch.x.__dlpack__(max_version=(1, 0), stream=-1)
    size = batch.x.nbytes
    del batch
    gc.collect()
    held = free(3)
    del capsule
    assert free(3) >= held + size and held >= before


@pytest.fixture()
def recorded(monkeypatch: pytest.MonkeyPatch) -> List[int]:
    """What is recorded of tensors, and of batches."""
    seen: List[int] = []
    for kind in (low.Tensor, low.Batch):
        original = kind.record_stream

        def record(self: Any, stream: int, original: Any = original) -> None:
            seen.append(stream)
            original(self, stream)

        monkeypatch.setattr(kind, "record_stream", record)
    return seen


@pytest.mark.parametrize(
    "stream, records", [(None, [0]), (1, [0]), (2, [0]), (0x5500BEE0, [0x5500BEE0]), (-1, [])]
)
def test_the_stream_of_a_consumer_is_recorded(
    batch: gls.Batch, recorded: List[int], stream: Any, records: List[int]
) -> None:
    capsule = batch.x.__dlpack__(stream=stream)
    assert recorded == records
    del capsule
    if stream is not None:
        with pytest.raises(BufferError, match="memory of the CPU has no streams"):
            batch.to_host().x.__dlpack__(stream=stream)


def test_streams_that_say_nothing_are_refused(batch: gls.Batch, recorded: List[int]) -> None:
    for stream in (0, -2):
        with pytest.raises(BufferError, match=f"stream is {stream}; expected None, -1, 1"):
            batch.x.__dlpack__(stream=stream)
    with pytest.raises(TypeError, match="stream must be an int or None, not str"):
        batch.x.__dlpack__(stream="s")  # type: ignore[arg-type]
    assert recorded == []


def test_streams_are_named_by_hand(batch: gls.Batch, recorded: List[int]) -> None:
    batch.record_stream(SimpleNamespace(cuda_stream=0x7000))  # of PyTorch
    protocol = type("Stream", (), {"__cuda_stream__": lambda self: (0, 0x7100)})
    batch.record_stream(protocol())
    batch.record_stream(0)
    batch.x.record_stream(0x7200)
    assert recorded == [0x7000, 0x7100, 0, 0x7200]
    with pytest.raises(TypeError, match="stream must be a torch.cuda.Stream"):
        batch.record_stream(None)
    with pytest.raises(gls.InvalidArgument, match="stream: -1 is not within"):
        batch.record_stream(-1)


def test_other_devices_and_copies_are_refused(batch: gls.Batch) -> None:
    batch.x.__dlpack__(dl_device=(KDLCUDA, 0), copy=False)
    with pytest.raises(BufferError, match=r"\(1, 0\) is not cuda:0, .*batch.to_host\(\)"):
        batch.x.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="a copy on cuda:0 is not made here"):
        batch.x.__dlpack__(copy=True)
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(batch.x)


READERS: Dict[str, Callable[[gls.Batch], Any]] = {
    "numpy": lambda b: b.x.numpy(),
    "asarray": lambda b: np.asarray(b.x),
    "interface": lambda b: b.x.__array_interface__,
    "tolist": lambda b: b.node.tolist(),
    "item": lambda b: b.x[0],
    "iter": lambda b: next(iter(b.node)),
    "copy": lambda b: b.x.copy(),
    "deepcopy": lambda b: copy.deepcopy(b.x),
    "pickle": lambda b: pickle.dumps(b.x),
    "edge_index": lambda b: b.edge_index.numpy(),
}


@pytest.mark.parametrize("how", READERS)
def test_what_reads_on_the_host_is_refused(batch: gls.Batch, how: str) -> None:
    with pytest.raises(gls.Unsupported, match=r"cuda:0.*batch\.to_host\(\)"):
        READERS[how](batch)
    READERS[how](batch.to_host())


def test_the_library_takes_no_arrays_of_a_device(dataset: gls.Dataset, batch: gls.Batch) -> None:
    with pytest.raises(gls.Unsupported, match="device type 2, expected the CPU"):
        gls.Sampler(dataset, [2]).sample(batch.node)
    with pytest.raises(gls.Unsupported, match="device type 2, expected the CPU"):
        gls.NeighborLoader(dataset, [2], batch.node)


# ---- transforms, feeds and servers -------------------------------------------------------------


def test_a_transform_sees_arrays_where_they_are(dataset: gls.Dataset) -> None:
    kept: List[gls.Tensor] = []

    def transform(batch: gls.Batch) -> Dict[str, Any]:
        assert batch.device == "cuda:0"
        kept.append(batch.x)
        return {"total": batch.to_host().x.numpy().sum(keepdims=True).reshape(1)}

    loader = gls.NeighborLoader(dataset, [3], "train", transform=transform, device="cuda:0")
    for batch in loader:
        assert batch["total"].device == "cpu"
        total = batch.to_host().x.numpy().sum()
        assert np.allclose(batch["total"].numpy(), total)
    for array in kept:  # also when its batch was lent and is gone
        assert look_into(array.__dlpack__(stream=1)).device == (KDLCUDA, 0)


def test_feeds_pass_on_batches_of_the_host(dataset: gls.Dataset, tmp_path: Path) -> None:
    loader = gls.NeighborLoader(dataset, [3], "train", device="cuda:0")
    for refused in (loader, gls.NeighborLoader(dataset.to("cuda:0"), [3], "train")):
        with pytest.raises(
            gls.Unsupported, match="delivers on a GPU; feeds pass on batches of the host"
        ):
            gls.Feed(refused, tmp_path / "feed")
    host = gls.NeighborLoader(dataset.to("cuda:0"), [3], "train", device="cpu")
    gls.Feed(host, tmp_path / "feed").close()


def test_batches_that_servers_made(
    shop: gls.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLS_NET_KEY", hashlib.sha256(b"devices").hexdigest())
    shop.partition(tmp_path / "parts", 1, method="random")
    with gls.Server(tmp_path / "parts", parts=[0], context=gls.Context(num_threads=1)) as server:
        far = gls.Dataset.open(f"gls://{server.address}", context=gls.Context(num_threads=2))
        for by in ("here", "servers"):
            make: Any = lambda d, **o: gls.NeighborLoader(  # noqa: E731
                d, [3, 2], ("user", "train"), batch_size=7, **o
            )
            there = list(make(far, made_by=by, device="cuda:0"))
            for one, other in zip(there, make(shop)):
                same(one, other)
            assert len(there) == 5
            for one, other in zip(make(far.to("cuda:0"), made_by=by), make(shop)):
                same(one, other)
        ids = [3, 0, 3]
        rows = far.to("cuda:0").rows("x", ids, "user")
        assert rows.device == "cuda:0"
        expected = shop.rows("x", ids, "user").numpy().tobytes()
        assert look_into(rows.__dlpack__()).bytes() == expected
        requests: Any = lambda d: gls.Sampler(d, [3, 2]).sample(("user", ids))  # noqa: E731
        same(requests(far.to("cuda:0")), requests(shop))


# ---- memory that does not suffice --------------------------------------------------------------


def test_after_out_of_memory_the_next_batches_come(
    graph: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = graph.build()
    loader = gls.NeighborLoader(
        dataset, [5, 5], batch_size=50, num_workers=1, prefetch=1, device="cuda:0"
    )
    expected = list(gls.NeighborLoader(dataset, [5, 5], batch_size=50))
    iterator = iter(loader)
    same(next(iterator), expected[0])
    monkeypatch.setenv("CUDA_ON_HOST_MEMORY", "1")  # from now on there is none
    failures = 0
    for _ in range(len(expected) - 1):
        try:
            next(iterator)  # one may have been ready
        except gls.OutOfMemory as error:
            failures += 1
            assert error.status_name == "GLS_ERR_OUT_OF_MEMORY"
            assert "GPU 0" in str(error) and "bytes left" in str(error)
    assert failures > 0
    with pytest.raises(gls.OutOfMemory):
        loader.sample(0, 1)
    monkeypatch.delenv("CUDA_ON_HOST_MEMORY")
    same(loader.sample(0, 1), expected[1])
    loader.set_epoch(0)
    for one, other in zip(loader, expected):
        same(one, other)


# ---- several processes -------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["on the device", "in place"])
def test_processes_share_a_mapped_folder(dataset: gls.Dataset, tmp_path: Path, place: str) -> None:
    dataset.save(tmp_path / "graph")
    children = []
    for rank in range(2):
        env = {**os.environ, "LOCAL_RANK": str(rank), "RANK": str(rank), "WORLD_SIZE": "2"}
        children.append(
            subprocess.Popen(
                [sys.executable, str(HERE / "device_worker.py"), str(tmp_path / "graph"), place],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=env,
            )
        )
    outputs = []
    for child in children:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        assert child.stdout is not None
        outputs.append(json.loads(child.stdout.readline()))
    for child in children:
        child.communicate("end\n", timeout=120)
        assert child.returncode == 0
    whole = [
        [batch.number, hashlib.sha256(repr(sorted(image(batch).items())).encode()).hexdigest()]
        for batch in gls.NeighborLoader(dataset, [4, 3], batch_size=32)
    ]
    for rank, output in enumerate(outputs):
        assert output["devices"] == [f"cuda:{rank}"]
        assert output["digests"] == whole[rank::2]
