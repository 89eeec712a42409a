"""GLT (graphlearn-torch): its C++ sampler and inducer.

The extension module is loaded by itself: importing the Python package around it fails on machines
without a GPU (it evaluates torch.device(0) in a default argument, which torch refuses from 2.5 on).
"""

from __future__ import annotations

import glob
import importlib.util
import os
import sys
from importlib.metadata import version
from typing import Any, Dict, Tuple

import numpy as np

from contestant import Contestant, Options, Unavailable
from graph import Graph

EXTENSION = "py_graphlearn_torch"


def load_glt() -> Tuple[Any, Dict[str, str]]:
    try:
        import torch  # the extension links against it
    except ImportError as error:
        raise Unavailable(f"torch: not installed ({error})")
    package = importlib.util.find_spec("graphlearn_torch")
    if package is None or not package.submodule_search_locations:
        raise Unavailable("GLT: graphlearn-torch is not installed")
    versions = {
        "torch": torch.__version__.split("+")[0],
        "graphlearn-torch": version("graphlearn-torch"),
    }
    if EXTENSION not in sys.modules:
        pattern = os.path.join(package.submodule_search_locations[0], f"{EXTENSION}*.so")
        files = glob.glob(pattern)
        if len(files) != 1:
            raise Unavailable(f"GLT: graphlearn-torch has {len(files)} extension modules, not one")
        spec = importlib.util.spec_from_file_location(EXTENSION, files[0])
        assert spec is not None and spec.loader is not None
        try:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        except (ImportError, OSError) as error:
            raise Unavailable(f"GLT: not for torch {torch.__version__} ({error})")
        sys.modules[EXTENSION] = module
    return sys.modules[EXTENSION], versions


class GltSampler(Contestant):
    def __init__(self, options: Options, edge_ids: bool) -> None:
        super().__init__(options)
        self._edge_ids = edge_ids
        self.name = "glt-int64" + ("-eid" if edge_ids else "")
        self.semantics = (
            "WITH replacement; each node expanded once; COO; seeded (unseeded is slower); "
            + ("edge ids" if edge_ids else "no edge ids")
        )

    def versions(self) -> Dict[str, str]:
        return load_glt()[1]

    def setup(self, graph: Graph) -> None:
        import torch

        library, _ = load_glt()
        library.RandomSeedManager.getInstance().setSeed(self.options.seed)
        self._graph = graph
        self._from_numpy = torch.from_numpy
        self._cat = torch.cat
        # The graph keeps raw pointers, so the tensors must live as long as it does.
        ids = np.arange(graph.num_edges if self._edge_ids else 0, dtype=np.int64)
        self._tensors = (
            torch.from_numpy(graph.indptr(np.int64)),
            torch.from_numpy(graph.indices(np.int64)),
            torch.from_numpy(ids),
            torch.empty(0),
        )
        self._handle = library.Graph()
        self._handle.init_cpu_from_csr(*self._tensors)
        self._sampler = library.CPURandomSampler(self._handle)
        bound = self.options.batch_size
        total = bound
        for fanout in self.options.fanouts:
            bound *= fanout
            total += bound
        self._inducer = library.CPUInducer(total)

    def step(self, batch: int) -> Tuple[int, int]:
        seeds = self._from_numpy(self._graph.seeds(batch, self.options.batch_size))
        frontier = self._inducer.init_node(seeds)
        nodes, rows, cols, ids = [frontier], [], [], []
        for fanout in self.options.fanouts:
            if self._edge_ids:
                neighbours, counts, hop_ids = self._sampler.sample_with_edge(frontier, fanout)
                ids.append(hop_ids)
            else:
                neighbours, counts = self._sampler.sample(frontier, fanout)
            frontier, row, col = self._inducer.induce_next(frontier, neighbours, counts)
            nodes.append(frontier)
            rows.append(row)
            cols.append(col)
        # GLT's own sampler joins the hops in the same way.
        node, row = self._cat(nodes), self._cat(rows)
        self._cat(cols)
        if ids:
            self._cat(ids)
        return row.numel(), node.numel()
