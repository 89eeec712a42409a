"""GLS through its Python package."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Tuple

import numpy as np

from contestant import Contestant, LoaderContestant, Options, Unavailable, check_rows
from graph import Graph


def import_gls() -> Any:
    try:
        import gls
    except (ImportError, OSError) as error:
        raise Unavailable(f"gls: the package cannot be imported ({error})")
    return gls


def build_dataset(graph: Graph, dtype: Any, columns: bool, simd: str = "auto") -> Any:
    """The in-memory dataset of a graph; the only place that knows the builder's calls."""
    gls = import_gls()
    context = gls.Context()
    context.set("cpu.simd", simd)
    builder = gls.DatasetBuilder(context=context)
    builder.add_topology("node__to__node", "csc", graph.indptr(np.int64), graph.indices(dtype))
    if columns:
        builder.add_node_column("node", "x", graph.features(), role="feature")
        builder.add_node_column("node", "y", graph.labels(), role="label")
    return builder.build()


class GlsSampler(Contestant):
    """`simd` other than "auto": as on a processor with no more than these instructions."""

    def __init__(self, options: Options, dtype: Any, edge_ids: bool, simd: str = "auto") -> None:
        super().__init__(options)
        self._dtype = np.dtype(dtype)
        self._edge_ids = edge_ids
        self._simd = simd
        self.name = f"gls-{self._dtype.name}" + ("-eid" if edge_ids else "")
        if simd != "auto":
            self.name += f"-{simd}"
        self.semantics = "without replacement; each node expanded once; COO, hops in order; " + (
            "edge ids" if edge_ids else "no edge ids"
        )

    def versions(self) -> Dict[str, str]:
        return {"gls": str(import_gls().__version__)}

    def setup(self, graph: Graph) -> None:
        gls = import_gls()
        self._graph = graph
        self._sampler = gls.Sampler(
            build_dataset(graph, self._dtype, columns=False, simd=self._simd),
            self.options.fanouts,
            with_edge_ids=self._edge_ids,
            int32=self._dtype.itemsize == 4,
            seed=self.options.seed,
        )

    def step(self, batch: int) -> Tuple[int, int]:
        seeds = self._graph.seeds(batch, self.options.batch_size)
        out = self._sampler.sample(seeds, batch=batch)
        return out.num_edges, out.num_nodes


class GlsLoader(LoaderContestant):
    """There is no variant with 0 workers: the loader's threads always make the batches."""

    def __init__(self, options: Options, num_workers: int) -> None:
        super().__init__(options)
        self.num_workers = num_workers
        self.name = f"gls-loader-w{num_workers}"
        self.semantics = (
            "NeighborLoader, worker threads; without replacement; int64 out; features of all "
            "nodes, labels of the seeds; no edge ids"
        )

    def versions(self) -> Dict[str, str]:
        return {"gls": str(import_gls().__version__)}

    def setup(self, graph: Graph) -> None:
        self._loader = import_gls().NeighborLoader(
            build_dataset(graph, np.int32, columns=True),
            self.options.fanouts,
            graph.input_nodes,
            batch_size=self.options.batch_size,
            shuffle=True,
            seed=self.options.seed,
            num_workers=self.num_workers,
        )

    def begin_round(self) -> None:
        super().begin_round()
        self._before = self._loader.stats

    def new_iterator(self) -> Iterator[Any]:
        return iter(self._loader)

    def count(self, batch: Any) -> Tuple[int, int]:
        check_rows(f"{self.name}: x", batch.num_nodes, len(batch.x))
        check_rows(f"{self.name}: y", batch.batch_size, len(batch.y))
        return batch.num_edges, batch.num_nodes

    def end_round(self) -> None:
        now, before = self._loader.stats, self._before
        batches = max(1, now.batches - before.batches)
        self._details = {
            "sample_ms": (now.sample_ns - before.sample_ns) / batches / 1e6,
            "gather_ms": (now.gather_ns - before.gather_ns) / batches / 1e6,
        }
        super().end_round()
        self._loader.cancel()

    def details(self) -> Dict[str, float]:
        return self._details
