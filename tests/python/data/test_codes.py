"""Quantised columns: packing and decoding against NumPy."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any, Callable, List, Tuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gls

BITS = st.sampled_from([1, 2, 4, 8])


def pack(codes: "np.ndarray[Any, Any]", bits: int) -> "np.ndarray[Any, Any]":
    """Rows of codes, each written out in `bits` binary digits, highest first."""
    digits = (codes[:, :, None] >> np.arange(bits - 1, -1, -1)) & 1
    return np.packbits(digits.reshape(len(codes), -1).astype(np.uint8), axis=1)


def unpack(packed: "np.ndarray[Any, Any]", bits: int, width: int) -> "np.ndarray[Any, Any]":
    digits = np.unpackbits(packed, axis=1)[:, : width * bits].reshape(len(packed), width, bits)
    return (digits << np.arange(bits - 1, -1, -1)).sum(axis=2)


def dataset_of(codes: gls.Codes, nodes: int) -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.arange(nodes), np.roll(np.arange(nodes), 1))
    builder.add_node_column("node", "x", codes)
    builder.add_edge_column("node__to__node", "f", codes)
    return builder.build()


def gathered(dataset: gls.Dataset) -> None:
    loader = gls.NeighborLoader(dataset, [1, 1], batch_size=7, with_edge_ids=True)
    info = dataset.node_columns("node")["x"]
    assert info.codebook is not None
    stored = dataset.node_column("x").numpy()
    table = np.array(info.codebook, np.float32)[unpack(stored, info.bits, info.shape[1])]
    assert info.dtype == "float32" and info.shape == table.shape
    for batch in loader:
        assert batch.x.numpy().dtype == np.float32
        assert np.array_equal(batch.x.numpy(), table[batch.node.numpy()])
        assert np.array_equal(batch.f.numpy(), table[batch.edge.numpy()])


@settings(max_examples=60, deadline=None)
@given(BITS, st.integers(1, 40), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_packed_rows(bits: int, width: int, nodes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2**bits, (nodes, width))
    packed = pack(codes, bits)
    assert np.array_equal(unpack(packed, bits, width), codes)
    codebook = rng.normal(size=2**bits).astype(np.float32)
    given_codes = gls.Codes(packed, bits, width, codebook=codebook.tolist())
    dataset = dataset_of(given_codes, nodes)
    assert dataset.node_columns("node")["x"].codebook == tuple(codebook.tolist())
    gathered(dataset)


@settings(max_examples=60, deadline=None)
@given(BITS, st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_quantized(bits: int, width: int, seed: int) -> None:
    """The codes are those of the definition, and decode to the nearest step."""
    numbers = np.random.default_rng(seed).normal(size=(17, width)).astype(np.float32)
    low, high = -1.5, 1.25
    last = 2**bits - 1
    made = gls.quantize(numbers, bits, low=low, high=high)
    assert (made.bits, made.width) == (bits, width)
    clipped = np.clip(numbers.astype(np.float64), low, high)
    codes = np.rint((clipped - low) / (high - low) * last).astype(np.int64)
    assert np.array_equal(made.packed.numpy(), pack(codes, bits))
    dataset = dataset_of(made, 17)
    steps = (low + np.arange(last + 1) / last * (high - low)).astype(np.float32)
    assert dataset.node_columns("node")["x"].codebook == tuple(steps.tolist())
    batch = gls.NeighborLoader(dataset, [1], batch_size=17).sample(0, 0)
    error = np.abs(batch.x.numpy() - clipped[batch.node.numpy()])
    assert error.max() <= (high - low) / last / 2 + 1e-6
    gathered(dataset)


def test_folders(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    codebook = [-0.37, 0.1, 1 / 3, 1e-40]
    codes = gls.Codes(rng.integers(0, 256, (9, 2), np.uint8), 2, 7, codebook=codebook)
    dataset = dataset_of(codes, 9)
    dataset.save(tmp_path / "data")
    opened = gls.Dataset.open(tmp_path / "data")
    opened.verify()
    was, now = dataset.node_columns()["x"], opened.node_columns()["x"]
    assert (was.bits, was.codebook, was.shape) == (now.bits, now.codebook, now.shape)
    gathered(opened)
    manifest = tmp_path / "data" / "manifest.json"
    good = manifest.read_text()
    damages: List[Tuple[str, Callable[[Any], Any]]] = [
        ("bits is 3", lambda c: c["quantized"].update(bits=3)),
        ("codebook has 4 numbers, expected 16", lambda c: c["quantized"].update(bits=4)),
        ("bits", lambda c: c["quantized"].update(bits=-2)),
        ("bits", lambda c: c["quantized"].update(bits="2")),
        ("bits is 0", lambda c: c["quantized"].pop("bits")),
        ("codebook: is missing", lambda c: c["quantized"].pop("codebook")),
        ("expected a number", lambda c: c["quantized"].update(codebook=[1, 2, "3", 4])),
        ("expected a number", lambda c: c["quantized"].update(codebook=[1, 2, None, 4])),
        ("expected a finite one", lambda c: c["quantized"].update(codebook=[1, 2, 1e300, 4])),
        ("unknown field", lambda c: c["quantized"].update(rule=3)),
        ("expected one extent and uint8", lambda c: c["array"].update(dtype="int8")),
        ("expected one extent and uint8", lambda c: c.update(row_shape=[])),
        ("expected one extent and uint8", lambda c: c.update(row_shape=[7, 1])),
        ("width is 0", lambda c: c.update(row_shape=[0])),
        ("does not hold rows", lambda c: c.update(row_shape=[1 << 30])),
    ]
    for why, damage in damages:
        whole = json.loads(good)
        del whole["xxh3"]  # of the file as it was written
        damage(whole["node_types"][0]["columns"][0])
        manifest.write_text(json.dumps(whole))
        with pytest.raises(gls.CorruptData, match=why):
            gls.Dataset.open(tmp_path / "data")


def test_mistakes() -> None:
    packed = np.zeros((3, 2), np.uint8)
    with pytest.raises(gls.InvalidArgument, match="codebook"):
        gls.Codes(packed, 1, 9)
    with pytest.raises(gls.InvalidArgument, match="codebook"):
        gls.Codes(packed, 1, 9, codebook=[0, 1], low=0, high=1)
    with pytest.raises(gls.InvalidArgument, match="codebook"):
        gls.Codes(packed, 1, 9, codebook=[0, 1], low=0)
    with pytest.raises(gls.InvalidArgument, match="bits"):
        gls.quantize(np.zeros((2, 2)), 3, low=0, high=1)
    with pytest.raises(gls.InvalidArgument, match="row 1 has no number at 0"):
        gls.quantize(np.array([[1, 2], [np.nan, 3]]), 4, low=0, high=1)
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", [0, 1], [1, 2])
    for codes, argument in [
        (gls.Codes(packed, 1, 17, low=0, high=1), "codes"),
        (gls.Codes(packed, 3, 5, low=0, high=1), "bits"),
        (gls.Codes(packed, 2, 8, codebook=[1, 2, 3]), "codebook"),
        (gls.Codes(packed, 1, 16, codebook=[1, np.inf]), "codebook"),
        (gls.Codes(packed, 1, 16, low=1, high=0), "low"),
        (gls.Codes(packed.astype(np.int16), 1, 16, low=0, high=1), "codes"),
    ]:
        with pytest.raises(gls.InvalidArgument) as error:
            builder.add_node_column("node", "x", codes)
        assert error.value.detail["argument"] == argument
    with pytest.raises(TypeError):
        pickle.dumps(gls.Codes(packed, 1, 16, low=0, high=1))
