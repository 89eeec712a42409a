"""Loaders on the graphs of typed_graphs.py: gls.pyg, the loader under it, and PyG's."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Tuple

from contestant import Contestant, LoaderContestant, Options, Unavailable, check_rows
from gls_adapter import import_gls
from pyg_adapter import import_torch, load_pyg_lib, load_torch_sparse, select_backend
from typed_graphs import BATCH_SIZE, FANOUTS, typed_graph

GRAPHS = ("hetero", "temporal", "temporal_last", "hetero_temporal")
WORKERS = 2


def _torch_geometric() -> Dict[str, str]:
    torch = import_torch()
    try:
        import torch_geometric
    except ImportError as error:
        raise Unavailable(f"torch-geometric: not installed ({error})")
    return {
        "torch": torch.__version__.split("+")[0],
        "torch-geometric": torch_geometric.__version__,
    }


def _count(name: str, batch: Any) -> Tuple[int, int]:
    """Edges and nodes of an object of PyG, whose features must be there."""
    nodes = 0
    for store in batch.node_stores:
        check_rows(f"{name}: x", store.n_id.numel(), store.x.shape[0])
        nodes += store.n_id.numel()
    return sum(store.edge_index.shape[1] for store in batch.edge_stores), nodes


class _TypedLoader(LoaderContestant):
    num_workers = WORKERS
    seconds = 1.0

    def __init__(self, options: Options, graph: str, form: str) -> None:
        super().__init__(options)
        self._name_of_graph = graph
        self.name = f"{graph}/{form}"

    def _arguments(self) -> Dict[str, Any]:
        return {
            "num_neighbors": FANOUTS,
            "batch_size": BATCH_SIZE,
            "shuffle": True,
            "num_workers": WORKERS,
        }


_OWN: Dict[str, Any] = {}


class GlsTypedLoader(_TypedLoader):
    """`native`: the batches that gls.pyg makes its own of. Both are one loader."""

    def __init__(self, options: Options, graph: str, native: bool) -> None:
        super().__init__(options, graph, "gls" if native else "gls.pyg")
        self._native = native
        self.semantics = (
            "the batches of gls.NeighborLoader" if native else "the same as objects of PyG"
        ) + "; features of all nodes; edge ids"

    def versions(self) -> Dict[str, str]:
        return {"gls": str(import_gls().__version__), **_torch_geometric()}

    def setup(self, graph: Any) -> None:
        loader = _OWN.get(self._name_of_graph)
        if loader is None:
            from gls.pyg import NeighborLoader

            data, arguments = typed_graph(self._name_of_graph)
            loader = NeighborLoader(data, seed=self.options.seed, **arguments, **self._arguments())
            _OWN[self._name_of_graph] = loader
        self._loader = loader

    def new_iterator(self) -> Iterator[Any]:
        return iter(self._loader.native if self._native else self._loader)

    def count(self, batch: Any) -> Tuple[int, int]:
        if not self._native:
            return _count(self.name, batch)
        for nodes in batch.nodes.values():
            check_rows(f"{self.name}: x", nodes.num_nodes, len(nodes[nodes.columns[0]]))
        return batch.num_edges, batch.num_nodes

    def end_round(self) -> None:
        super().end_round()
        self._loader.native.cancel()


class PygTypedLoader(_TypedLoader):
    """On torch-sparse only where there is no pyg-lib: it has no times of edges."""

    def __init__(self, options: Options, graph: str, backend: str) -> None:
        super().__init__(options, graph, "pyg-" + backend.replace("pyg-", ""))
        self._backend = backend
        self.semantics = f"NeighborLoader on {backend}; features of all nodes; edge ids"

    def versions(self) -> Dict[str, str]:
        if self._backend == "pyg-lib":
            return {**load_pyg_lib(), **_torch_geometric()}
        try:
            load_pyg_lib()
        except Unavailable:
            return {**load_torch_sparse(), **_torch_geometric()}
        raise Unavailable("torch-sparse: pyg-lib is measured in its place")

    def setup(self, graph: Any) -> None:
        import torch
        from torch_geometric.loader import NeighborLoader

        torch.manual_seed(self.options.seed)
        select_backend(self._backend)
        data, arguments = typed_graph(self._name_of_graph)
        self._loader = NeighborLoader(
            data,
            is_sorted="time_attr" not in arguments,  # else PyG sorts by time
            persistent_workers=False,
            **arguments,
            **self._arguments(),
        )

    def new_iterator(self) -> Iterator[Any]:
        select_backend(self._backend)
        return iter(self._loader)

    def count(self, batch: Any) -> Tuple[int, int]:
        return _count(self.name, batch)


def typed_loaders(options: Options) -> List[Contestant]:
    out: List[Contestant] = []
    for graph in GRAPHS:
        out += [PygTypedLoader(options, graph, backend) for backend in ("pyg-lib", "torch-sparse")]
        out += [GlsTypedLoader(options, graph, native) for native in (True, False)]
    return out
