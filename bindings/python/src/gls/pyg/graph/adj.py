"""Edges as adjacency matrices: ``adj_t`` of PyG's data, as ``ToSparseTensor`` makes it."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch_geometric.data import HeteroData
from torch_geometric.typing import WITH_TORCH_SPARSE, SparseTensor

from gls._batch.batch import Batch
from gls.errors import Unsupported

_COMPRESSED = (torch.sparse_csr, torch.sparse_csc)


class Adjacency(NamedTuple):
    """The transposed adjacency matrix of an edge type: rows are targets. Edges are numbered by row."""

    edge_index: torch.Tensor
    value: Optional[torch.Tensor]
    layout: Any
    """Of PyTorch; None for a ``torch_sparse.SparseTensor``."""


def read_adjacency(given: Any, key: Any) -> Adjacency:
    """The edges of `adj_t`, in the order of its rows."""
    if WITH_TORCH_SPARSE and isinstance(given, SparseTensor):
        row, col, value = given.coo()
        return Adjacency(torch.stack([col, row]), value, None)
    if not isinstance(given, torch.Tensor) or given.layout not in (*_COMPRESSED, torch.sparse_coo):
        raise Unsupported(
            f"data: adj_t of {key} is a {type(given).__name__}, expected a torch_sparse.SparseTensor or "
            "a sparse tensor of PyTorch"
        )
    if given.layout == torch.sparse_csr:
        starts, column, value = given.crow_indices(), given.col_indices(), given.values()
        row = torch.repeat_interleave(torch.arange(starts.numel() - 1), starts.diff())
        return Adjacency(torch.stack([column, row]), value, given.layout)
    if given.layout == torch.sparse_csc:
        starts, row, value = given.ccol_indices(), given.row_indices(), given.values()
        column = torch.repeat_interleave(torch.arange(starts.numel() - 1), starts.diff())
    else:
        given = given.coalesce()
        (row, column), value = given.indices(), given.values()
    order = torch.argsort(row, stable=True)
    return Adjacency(torch.stack([column[order], row[order]]), value[order], given.layout)


def write_adjacency(
    like: Adjacency, edge_index: torch.Tensor, value: Optional[torch.Tensor], size: Tuple[int, int]
) -> Any:
    """The matrix of a batch's edges; `size` is [targets, sources]."""
    source, target = edge_index
    if like.layout is None:
        return SparseTensor(
            row=target, col=source, value=value, sparse_sizes=size, is_sorted=False, trust_data=True
        )
    assert value is not None
    if like.layout == torch.sparse_coo:
        return torch.sparse_coo_tensor(torch.stack([target, source]), value, size)
    compressed, plain = (target, source) if like.layout == torch.sparse_csr else (source, target)
    extents: List[int] = list(size) if like.layout == torch.sparse_csr else list(size[::-1])
    order = torch.argsort(compressed * max(extents[1], 1) + plain, stable=True)
    starts = compressed.new_zeros(extents[0] + 1)
    torch.cumsum(torch.bincount(compressed, minlength=extents[0]), 0, out=starts[1:])
    return torch.sparse_compressed_tensor(
        starts, plain[order], value[order], size=size, layout=like.layout
    )


def set_adjacency(adjacency: Dict[Any, Adjacency], out: Any, batch: Batch) -> None:
    """Gives a batch ``adj_t`` in place of ``edge_index``, where the data has it so."""
    hetero = isinstance(out, HeteroData)
    for key, like in adjacency.items():
        arrays = batch.edges[key]
        source, target = (batch.nodes[key[0]], batch.nodes[key[2]])
        edge = arrays.edge.torch()
        value = (
            None if like.value is None else like.value[edge.to(like.value.device)].to(edge.device)
        )
        edge_index = arrays.edge_index.torch()
        size = (len(target.node), len(source.node))
        store = out[key] if hetero else out._store
        store.pop("edge_index", None)
        store["adj_t"] = write_adjacency(like, edge_index, value, size)
