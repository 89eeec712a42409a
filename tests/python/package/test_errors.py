"""Errors: one base, the built-in exceptions of Python's habit, and their details."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import gls
from gls.errors import from_status

KINDS = {
    -1: (gls.InvalidArgument, ValueError, "GLS_ERR_INVALID_ARGUMENT"),
    -2: (gls.OutOfMemory, MemoryError, "GLS_ERR_OUT_OF_MEMORY"),
    -3: (gls.NotFound, LookupError, "GLS_ERR_NOT_FOUND"),
    -4: (gls.Unsupported, NotImplementedError, "GLS_ERR_UNSUPPORTED"),
    -5: (gls.InvalidState, RuntimeError, "GLS_ERR_INVALID_STATE"),
    -6: (gls.TimedOut, TimeoutError, "GLS_ERR_TIMED_OUT"),
    -7: (gls.Canceled, RuntimeError, "GLS_ERR_CANCELED"),
    -8: (gls.IoError, OSError, "GLS_ERR_IO"),
    -9: (gls.CorruptData, RuntimeError, "GLS_ERR_CORRUPT_DATA"),
    -10: (gls.AlreadyExists, gls.Error, "GLS_ERR_ALREADY_EXISTS"),
    -11: (gls.InternalError, RuntimeError, "GLS_ERR_INTERNAL"),
}


@pytest.mark.parametrize("status", list(KINDS))
def test_kinds(status: int) -> None:
    kind, builtin, name = KINDS[status]
    error = from_status(status, "what happened", {"column": "x"})
    assert type(error) is kind and isinstance(error, builtin) and isinstance(error, gls.Error)
    assert (error.status, error.status_name, str(error)) == (status, name, "what happened")
    assert error.detail == {"column": "x"}
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is kind and str(twin) == str(error)
        assert (twin.status, twin.detail) == (status, error.detail)


@pytest.mark.parametrize(
    "status, kind, builtin",
    [(-3, gls.FileNotFound, FileNotFoundError), (-10, gls.FileExists, FileExistsError)],
)
def test_errors_of_files(status: int, kind: Any, builtin: Any) -> None:
    error = from_status(status, "no such file", {"file": "/a"})
    assert type(error) is kind and isinstance(error, builtin) and str(error) == "no such file"
    assert pickle.loads(pickle.dumps(error)).detail == {"file": "/a"}


def test_statuses_of_newer_libraries() -> None:
    error = from_status(-99, "new", {})
    assert type(error) is gls.InternalError
    assert (error.status, error.status_name) == (-99, "GLS_UNKNOWN")


def test_an_error_of_the_library(dataset: gls.Dataset) -> None:
    with pytest.raises(ValueError) as caught:
        gls.Sampler(dataset, [2]).sample([3, 1000])
    error = caught.value
    assert isinstance(error, gls.InvalidArgument)
    assert error.detail == {"argument": "seeds"}
    assert "1000" in str(error) and "index 1" in str(error)


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        ({"num_neighbors": []}, gls.InvalidArgument, "num_neighbors"),
        ({"num_neighbors": 5}, TypeError, "sequence of integers"),
        ({"num_neighbors": [1.5]}, TypeError, "sequence of integers"),
        ({"num_neighbors": [-2]}, gls.InvalidArgument, "-2"),
        ({"num_neighbors": [1 << 40]}, gls.InvalidArgument, "num_neighbors"),
        ({"num_neighbors": {("a", "b", "c"): [1]}}, gls.NotFound, "a__b__c"),
        ({"num_neighbors": {}}, gls.InvalidArgument, "num_neighbors"),
        ({"direction": "both"}, gls.InvalidArgument, "'in', 'out'"),
        ({"replace": "sometimes"}, gls.InvalidArgument, "'above'"),
        ({"seed": -1}, gls.InvalidArgument, "seed"),
        ({"seed": 1 << 64}, gls.InvalidArgument, "seed"),
        ({"seed": "0"}, TypeError, "seed must be an integer, not str"),
        ({"weight_attr": "heavy"}, gls.NotFound, "heavy"),
        ({"exclude": {"no__such__type": [1]}}, gls.NotFound, "no__such__type"),
        ({"exclude": [5000]}, gls.InvalidArgument, "5000"),
        ({"exclude": [1], "exclude_mode": "twice"}, gls.InvalidArgument, "'self'"),
        ({"exclude_mode": "reverse_id"}, gls.InvalidArgument, "reverse_column"),
        ({"exclude_mode": "reverse_types"}, gls.InvalidArgument, "reverse_types"),
        ({"contract": 2}, gls.Unsupported, "contract"),
        ({"node_time": "when"}, gls.NotFound, "node_time"),
        ({"edge_time": "when"}, gls.NotFound, "edge_time"),
        ({"edge_time": 3}, TypeError, "edge_time"),
        ({"time_strategy": "first"}, gls.InvalidArgument, "'last'"),
        ({"time_strategy": "last"}, gls.InvalidArgument, "time_strategy"),
        ({"time_window": -1}, gls.InvalidArgument, "time_window"),
        ({"time_window": 5}, gls.InvalidArgument, "time_window"),
        ({"time_strict": True}, gls.InvalidArgument, "strict"),
        ({"subgraph": "both"}, gls.InvalidArgument, "'bidirectional'"),
        ({"pick": "labor"}, gls.InvalidArgument, "'layer'"),
        ({"pick": "layer", "replace": True}, gls.InvalidArgument, "pick"),
        ({"batch_dependency": 2}, gls.InvalidArgument, "batch_dependency"),
        ({"pick": "layer", "batch_dependency": 1 << 32}, gls.InvalidArgument, "batch_dependency"),
        ({"pick": "layer", "batch_dependency": 1.5}, TypeError, "batch_dependency"),
        ({"layer_dependent": True}, gls.InvalidArgument, "hops"),
    ],
)
def test_samplers_that_cannot_be(
    dataset: gls.Dataset, arguments: Any, kind: Any, text: str
) -> None:
    with pytest.raises(kind, match=text):
        gls.Sampler(dataset, **{"num_neighbors": [2], **arguments})


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        ({"input_nodes": "training"}, gls.NotFound, "train"),
        ({"input_nodes": ("nodes", None)}, gls.NotFound, "nodes"),
        ({"input_nodes": [200]}, gls.InvalidArgument, "200"),
        ({"input_nodes": [0.5]}, gls.InvalidArgument, "float64"),
        ({"input_nodes": [[1, 2]]}, gls.InvalidArgument, "dimension"),
        ({"input_nodes": [True, False]}, gls.InvalidArgument, r"mask of shape \[2\]"),
        ({"batch_size": 0}, gls.InvalidArgument, "batch_size"),
        ({"batch_size": 1 << 32}, gls.InvalidArgument, "batch_size"),
        ({"batch_size": 2.0}, TypeError, "batch_size"),
        ({"even": "odd"}, gls.InvalidArgument, "'repeat'"),
        ({"rank": 3, "world_size": 2}, gls.InvalidArgument, "rank"),
        ({"rank": 0}, gls.InvalidArgument, "world_size"),
        ({"world_size": 2}, gls.InvalidArgument, "rank"),
        ({"rank": "environment"}, gls.InvalidArgument, "rank"),
        ({"num_workers": 0}, gls.InvalidArgument, "num_workers"),
        ({"prefetch": -1}, gls.InvalidArgument, "prefetch"),
        ({"columns": ["z"]}, gls.NotFound, "z"),
        ({"columns": [5]}, TypeError, ""),
        ({"columns": ["x", "x"]}, gls.InvalidArgument, "twice"),
        ({"columns": [gls.ColumnRequest("x", "nodes")]}, gls.NotFound, "nodes"),
        ({"columns": [gls.ColumnRequest("x", rows="some")]}, gls.InvalidArgument, "rows|'auto'"),
        ({"columns": [gls.ColumnRequest("x", dtype="f4")]}, gls.InvalidArgument, "dtype"),
        ({"columns": [gls.ColumnRequest("x", dtype="int8")]}, gls.InvalidArgument, "int8"),
        ({"columns": ["edge_attr"], "with_edge_ids": False}, gls.InvalidArgument, "with_edge_ids"),
    ],
)
def test_loaders_that_cannot_be(dataset: gls.Dataset, arguments: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind, match=text or None):
        gls.NeighborLoader(dataset, [2], **arguments)


def test_a_layout_that_is_not_stored() -> None:
    dataset = gls.Dataset.from_arrays([[0], [1]])
    with pytest.raises(gls.Unsupported):
        gls.Sampler(dataset, [2], direction="out")


def test_damage_met_while_loading(graph: Any) -> None:
    """The batch that fails raises; the next call goes on with the one after it."""
    weight = graph.weight.copy()
    bad = graph.edge_index[1] == 5
    assert bad.any()
    weight[bad] = -1
    dataset = gls.Dataset.from_arrays(graph.edge_index, num_nodes=200, edge_columns={"w": weight})
    loader = gls.NeighborLoader(dataset, [2], [1, 5, 9], batch_size=1, weight_attr="w", columns=[])
    batches = iter(loader)
    assert next(batches).number == 0
    with pytest.raises(gls.CorruptData):
        next(batches)
    assert next(batches).number == 2
    with pytest.raises(StopIteration):
        next(batches)


def test_wrong_objects_do_not_crash(dataset: gls.Dataset) -> None:
    for make in (
        lambda: gls.Sampler(None, [2]),  # type: ignore[arg-type]
        lambda: gls.Sampler("cora", [2]),  # type: ignore[arg-type]
        lambda: gls.NeighborLoader(5, [2]),  # type: ignore[arg-type]
        lambda: gls.Dataset.open("x", context=5),  # type: ignore[arg-type]
        lambda: gls.DatasetBuilder(context=dataset),  # type: ignore[arg-type]
    ):
        with pytest.raises((TypeError, AttributeError)):
            make()
