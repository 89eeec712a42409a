"""GraphBolt (part of DGL): its C++ sampler, and its DataLoader pipeline."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, Tuple

import numpy as np

from contestant import Contestant, LoaderContestant, Options, Unavailable, check_rows
from graph import Graph

SEMANTICS = (
    "without replacement; every hop samples again for all nodes met so far; one CSC block per hop"
)


def load_graphbolt() -> Dict[str, str]:
    os.environ.setdefault("DGLBACKEND", "pytorch")
    try:
        import torch
    except ImportError as error:
        raise Unavailable(f"torch: not installed ({error})")
    try:
        import dgl
        import dgl.graphbolt  # noqa: F401
    except (ImportError, OSError, FileNotFoundError) as error:
        version = torch.__version__
        raise Unavailable(f"GraphBolt: not installed, or not for torch {version} ({error})")
    return {"torch": torch.__version__.split("+")[0], "dgl": dgl.__version__}


def sampling_graph(graph: Graph, dtype: Any) -> Any:
    import dgl.graphbolt as gb
    import torch

    indptr = torch.from_numpy(graph.indptr(np.int64))
    return gb.fused_csc_sampling_graph(indptr, torch.from_numpy(graph.indices(dtype)))


class GraphBoltSampler(Contestant):
    def __init__(self, options: Options, dtype: Any, edge_ids: bool) -> None:
        super().__init__(options)
        self._dtype = np.dtype(dtype)
        self._edge_ids = edge_ids
        self.name = f"graphbolt-{self._dtype.name}" + ("-eid" if edge_ids else "")
        self.semantics = f"{SEMANTICS}; {'edge ids' if edge_ids else 'no edge ids'}"

    def versions(self) -> Dict[str, str]:
        return load_graphbolt()

    def setup(self, graph: Graph) -> None:
        import torch

        self._graph = graph
        self._sampling_graph = sampling_graph(graph, self._dtype)
        self._sample = self._sampling_graph._c_csc_graph.sample_neighbors
        self._compact = torch.ops.graphbolt.unique_and_compact
        self._from_numpy = torch.from_numpy
        self._empty = torch.from_numpy(np.empty(0, dtype=self._dtype))

    def step(self, batch: int) -> Tuple[int, int]:
        seeds = self._graph.seeds(batch, self.options.batch_size).astype(self._dtype, copy=False)
        nodes = self._from_numpy(seeds)
        edges = 0
        for fanout in self.options.fanouts:
            hop = self._sample(nodes, [fanout], False, False, self._edge_ids, None)
            nodes, sources, _ = self._compact(hop.indices, self._empty, nodes)
            edges += sources.numel()
        return edges, nodes.numel()


class GraphBoltLoader(LoaderContestant):
    def __init__(self, options: Options, num_workers: int, dtype: Any) -> None:
        super().__init__(options)
        self.num_workers = num_workers
        self._dtype = np.dtype(dtype)
        self.name = f"graphbolt-loader-{self._dtype.name}-w{num_workers}"
        self.semantics = f"{SEMANTICS}; features of all nodes, labels of the seeds; no edge ids"

    def versions(self) -> Dict[str, str]:
        return load_graphbolt()

    def setup(self, graph: Graph) -> None:
        import dgl.graphbolt as gb
        import torch

        self._gb = gb
        self._sampling_graph = sampling_graph(graph, self._dtype)
        feature = gb.TorchBasedFeature(torch.from_numpy(graph.features()))
        self._features = gb.BasicFeatureStore({("node", None, "x"): feature})
        nodes = graph.input_nodes
        self._items = gb.ItemSet(
            (
                torch.from_numpy(nodes.astype(self._dtype)),
                torch.from_numpy(graph.labels()[nodes]),
            ),
            names=("seed_nodes", "labels"),
        )

    def new_iterator(self) -> Iterator[Any]:
        pipe = self._gb.ItemSampler(self._items, batch_size=self.options.batch_size, shuffle=True)
        # GraphBolt lists fanouts by layer of the network, so the first hop's comes last.
        pipe = pipe.sample_neighbor(self._sampling_graph, self.options.fanouts[::-1])
        pipe = pipe.fetch_feature(self._features, node_feature_keys=["x"])
        return iter(
            self._gb.DataLoader(pipe, num_workers=self.num_workers, persistent_workers=False)
        )

    def count(self, batch: Any) -> Tuple[int, int]:
        nodes = batch.input_nodes.numel()
        check_rows(f"{self.name}: x", nodes, batch.node_features["x"].shape[0])
        check_rows(f"{self.name}: labels", batch.seed_nodes.numel(), batch.labels.shape[0])
        edges = sum(hop.sampled_csc.indices.numel() for hop in batch.sampled_subgraphs)
        return edges, nodes
