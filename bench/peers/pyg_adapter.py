"""PyG: pyg-lib's and torch-sparse's operators, and NeighborLoader on top of either."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

from contestant import Contestant, LoaderContestant, Options, Unavailable, check_rows
from graph import Graph, allocate

PYG_LIB_ENV = "GLS_BENCH_PYG_LIB"


def import_torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise Unavailable(f"torch: not installed ({error})")
    return torch


def load_pyg_lib() -> Dict[str, str]:
    """Registers torch.ops.pyg: from the installed package, or from the library that
    GLS_BENCH_PYG_LIB names ("{torch}" in it stands for torch's version, as one library is needed
    for each)."""
    torch = import_torch()
    version = torch.__version__.split("+")[0]
    try:
        import pyg_lib

        return {"torch": version, "pyg-lib": str(pyg_lib.__version__)}
    except ImportError:
        pass
    path = os.environ.get(PYG_LIB_ENV, "").replace("{torch}", version)
    if not path:
        raise Unavailable(
            "pyg-lib: not installed (not in the registry; build from source and set "
            f"{PYG_LIB_ENV})"
        )
    try:
        torch.ops.load_library(path)
    except OSError as error:
        raise Unavailable(f"pyg-lib: {PYG_LIB_ENV} cannot be loaded: {error}")
    return {"torch": version, "pyg-lib": f"built from source ({os.path.basename(path)})"}


def load_torch_sparse() -> Dict[str, str]:
    torch = import_torch()
    try:
        import torch_sparse
    except (ImportError, OSError) as error:
        raise Unavailable(f"torch-sparse: not installed ({error})")
    return {"torch": torch.__version__.split("+")[0], "torch-sparse": torch_sparse.__version__}


def select_backend(backend: str) -> None:
    """PyG's loaders look at these flags for each batch. They are what importing the pyg-lib package
    sets; the bare operator library has to be announced by hand."""
    import torch_geometric.typing as flags

    with_pyg_lib = backend == "pyg-lib"
    flags.WITH_PYG_LIB = with_pyg_lib
    flags.WITH_EDGE_TIME_NEIGHBOR_SAMPLE = with_pyg_lib
    flags.WITH_WEIGHTED_NEIGHBOR_SAMPLE = with_pyg_lib


class PygLibSampler(Contestant):
    def __init__(self, options: Options, dtype: Any, edge_ids: bool) -> None:
        super().__init__(options)
        self._dtype = np.dtype(dtype)
        self._edge_ids = edge_ids
        self.name = f"pyg-lib-{self._dtype.name}" + ("-eid" if edge_ids else "")
        self.semantics = "without replacement; each node expanded once; COO, hops in order; " + (
            "int64 edge ids" if edge_ids else "no edge ids"
        )

    def versions(self) -> Dict[str, str]:
        return load_pyg_lib()

    def setup(self, graph: Graph) -> None:
        import torch

        torch.manual_seed(self.options.seed)
        self._graph = graph
        self._sample = torch.ops.pyg.neighbor_sample
        self._from_numpy = torch.from_numpy
        self._colptr = torch.from_numpy(graph.indptr(self._dtype))
        self._row = torch.from_numpy(graph.indices(self._dtype))

    def step(self, batch: int) -> Tuple[int, int]:
        seeds = self._graph.seeds(batch, self.options.batch_size).astype(self._dtype, copy=False)
        row, _, node, _, _, _ = self._sample(
            self._colptr,
            self._row,
            self._from_numpy(seeds),
            self.options.fanouts,
            None,  # node_time
            None,  # edge_time
            None,  # seed_time
            None,  # edge_weight
            True,  # csc
            False,  # replace
            True,  # directed
            False,  # disjoint
            "uniform",
            self._edge_ids,
        )
        return row.numel(), node.numel()


class TorchSparseSampler(Contestant):
    name = "torch-sparse-int64-eid"
    semantics = (
        "without replacement; each node expanded once; COO, hops in order; int64 edge ids (always)"
    )

    def versions(self) -> Dict[str, str]:
        return load_torch_sparse()

    def setup(self, graph: Graph) -> None:
        import torch

        torch.manual_seed(self.options.seed)
        self._graph = graph
        self._sample = torch.ops.torch_sparse.neighbor_sample
        self._from_numpy = torch.from_numpy
        self._colptr = torch.from_numpy(graph.indptr(np.int64))
        self._row = torch.from_numpy(graph.indices(np.int64))

    def step(self, batch: int) -> Tuple[int, int]:
        seeds = self._from_numpy(self._graph.seeds(batch, self.options.batch_size))
        node, row, _, _ = self._sample(
            self._colptr, self._row, seeds, self.options.fanouts, False, True
        )
        return row.numel(), node.numel()


class PygLoader(LoaderContestant):
    def __init__(self, options: Options, num_workers: int, backend: str) -> None:
        super().__init__(options)
        self.num_workers = num_workers
        self._backend = backend
        self.name = f"pyg-loader-{backend}-w{num_workers}"
        self.semantics = (
            f"NeighborLoader on {backend}; without replacement; int64; features and labels of "
            "all nodes; edge ids always made"
        )

    def versions(self) -> Dict[str, str]:
        versions = load_pyg_lib() if self._backend == "pyg-lib" else load_torch_sparse()
        try:
            import torch_geometric
        except ImportError as error:
            raise Unavailable(f"torch-geometric: not installed ({error})")
        versions["torch-geometric"] = torch_geometric.__version__
        return versions

    def setup(self, graph: Graph) -> None:
        import torch
        from torch_geometric.data import Data
        from torch_geometric.loader import NeighborLoader

        torch.manual_seed(self.options.seed)
        select_backend(self._backend)
        self._loader = NeighborLoader(
            shared_data(graph, in_shared_memory=self.num_workers > 0, data_type=Data),
            num_neighbors=self.options.fanouts,
            input_nodes=torch.from_numpy(graph.input_nodes),
            batch_size=self.options.batch_size,
            shuffle=True,
            is_sorted=True,
            num_workers=self.num_workers,
            persistent_workers=False,
        )

    def new_iterator(self) -> Iterator[Any]:
        select_backend(self._backend)
        return iter(self._loader)

    def count(self, batch: Any) -> Tuple[int, int]:
        nodes = batch.n_id.numel()
        check_rows(f"{self.name}: x", nodes, batch.x.shape[0])
        check_rows(f"{self.name}: y", nodes, batch.y.shape[0])
        return batch.edge_index.shape[1], nodes


_DATA: List[Tuple[Graph, bool, Any]] = []


def shared_data(graph: Graph, in_shared_memory: bool, data_type: Any) -> Any:
    """One Data object for all loaders without workers and one for all with: NeighborLoader moves
    the edge index into shared memory when it has workers, which would change the pages that the
    loaders without workers read."""
    import torch

    for known, shared, data in _DATA:
        if known is graph and shared == in_shared_memory:
            return data
    edge_index = allocate((2, graph.num_edges), np.int64, graph.huge_pages)
    edge_index[0] = graph.indices(np.int32)
    edge_index[1] = graph.targets()
    data = data_type(
        x=torch.from_numpy(graph.features()),
        y=torch.from_numpy(graph.labels()),
        edge_index=torch.from_numpy(edge_index),
        num_nodes=graph.num_nodes,
    )
    _DATA.append((graph, in_shared_memory, data))
    return data
