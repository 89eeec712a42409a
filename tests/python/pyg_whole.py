"""PyG's own loaders, on a sampler in plain Python that takes all neighbours.

PyG's native samplers are not on the registry. What comes before and after sampling is PyG's own code.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import torch
from torch_geometric.data import HeteroData
from torch_geometric.loader import LinkLoader, NodeLoader
from torch_geometric.sampler import BaseSampler, HeteroSamplerOutput, SamplerOutput
from torch_geometric.sampler.neighbor_sampler import edge_sample

HOPS = 2
_ONLY = (None, None, None)


class WholeNeighbourhoods(BaseSampler):
    """What PyG's sampler gives with fanouts of -1, in plain Python."""

    def __init__(self, data: Any, disjoint: bool = False, time_attr: Optional[str] = None) -> None:
        self.hetero = isinstance(data, HeteroData)
        self.disjoint = disjoint or time_attr is not None
        stores = data.node_stores if self.hetero else [data]
        keys = data.node_types if self.hetero else [None]
        self.node_types = keys
        self.num_nodes = {key: int(store.num_nodes) for key, store in zip(keys, stores)}
        self.node_time = {
            key: store[time_attr].tolist()
            for key, store in zip(keys, stores)
            if time_attr in store and store.is_node_attr(time_attr)
        }
        self.edge_time: Dict[Any, List[int]] = {}
        self.rows: Dict[Any, Dict[int, List[Tuple[int, int]]]] = {}
        for store in data.edge_stores if self.hetero else [data]:
            rows: Dict[int, List[Tuple[int, int]]] = {}
            for edge, (source, target) in enumerate(store.edge_index.t().tolist()):
                rows.setdefault(target, []).append((source, edge))
            key = store._key if self.hetero else _ONLY
            self.rows[key] = rows
            if time_attr in store and store.is_edge_attr(time_attr):
                self.edge_time[key] = store[time_attr].tolist()

    @property
    def edge_permutation(self) -> None:
        return None

    def sample_from_nodes(self, index: Any, **_: Any) -> Any:
        made = self._sample({index.input_type: index.node}, None)
        made.metadata = (index.input_id, None)
        return made

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> Any:
        def sample(seeds: Any, times: Any) -> Any:
            if self.hetero:
                return self._sample(seeds, times)
            return self._sample({None: seeds}, None if times is None else {None: times})

        count = self.num_nodes if self.hetero else self.num_nodes[None]
        times = {name: torch.tensor(values) for name, values in self.node_time.items()}
        node_time = times or None if self.hetero else times.get(None)
        return edge_sample(index, sample, count, self.disjoint, node_time, neg_sampling)

    def _early(self, name: Any, source: int, edge: int, time: Optional[int]) -> bool:
        if time is None:
            return True
        if name in self.edge_time and self.edge_time[name][edge] > time:
            return False
        return name[0] not in self.node_time or self.node_time[name[0]][source] <= time

    def _sample(self, seeds: Dict[Any, torch.Tensor], times: Any) -> Any:
        # A node is (tree, id); all trees are one unless disjoint.
        met: Dict[Any, Dict[Tuple[int, int], int]] = {name: {} for name in self.node_types}
        time_of: Dict[int, int] = {}
        count = 0
        for node_type, ids in seeds.items():
            for position, node in enumerate(ids.tolist()):
                tree = count if self.disjoint else 0
                met[node_type].setdefault((tree, node), len(met[node_type]))
                if times is not None:
                    time_of[tree] = int(times[node_type][position])
                count += 1
        nodes = {name: [len(ids)] for name, ids in met.items()}
        out: Dict[Any, List[Tuple[int, int, int]]] = {name: [] for name in self.rows}
        edges: Dict[Any, List[int]] = {name: [] for name in self.rows}
        begin = {name: 0 for name in met}
        for _ in range(HOPS):
            end = {name: len(ids) for name, ids in met.items()}
            for name, rows in self.rows.items():
                before = len(out[name])
                frontier = list(met[name[2]].items())[begin[name[2]] : end[name[2]]]
                for (tree, target), local in frontier:
                    for source, edge in rows.get(target, []):
                        if self._early(name, source, edge, time_of.get(tree)):
                            far = met[name[0]].setdefault((tree, source), len(met[name[0]]))
                            out[name].append((far, local, edge))
                edges[name].append(len(out[name]) - before)
            for name in met:
                nodes[name].append(len(met[name]) - end[name])
            begin = end
        tree_and_id = {
            name: torch.tensor(list(ids), dtype=torch.long).reshape(-1, 2).t().contiguous()
            for name, ids in met.items()
        }
        node = {name: pair[1] for name, pair in tree_and_id.items()}
        batch = {name: pair[0] for name, pair in tree_and_id.items()} if self.disjoint else None
        parts = {
            name: torch.tensor(found, dtype=torch.long).reshape(-1, 3).t().contiguous()
            for name, found in out.items()
        }
        row, col, edge_ids = ({name: p[i] for name, p in parts.items()} for i in range(3))
        if self.hetero:
            return HeteroSamplerOutput(node, row, col, edge_ids, batch, nodes, edges)
        return SamplerOutput(
            node[None],
            row[_ONLY],
            col[_ONLY],
            edge_ids[_ONLY],
            None if batch is None else batch[None],
            nodes[None],
            edges[_ONLY],
        )


def pyg_batches(data: Any, input_nodes: Any, **options: Any) -> List[Any]:
    sampler = WholeNeighbourhoods(data)
    return list(NodeLoader(data, sampler, input_nodes=input_nodes, batch_size=16, **options))


def pyg_links(
    data: Any, links: Any, disjoint: bool = False, time_attr: Optional[str] = None, **options: Any
) -> LinkLoader:
    sampler = WholeNeighbourhoods(data, disjoint, time_attr)
    return LinkLoader(data, sampler, edge_label_index=links, **options)


def as_pyg(batch: Any) -> Dict[str, Any]:
    """A batch as mapping, without what PyG does not give: the local id of each seed."""
    stores = batch.node_stores if isinstance(batch, HeteroData) else [batch._store]
    out: Dict[str, Any] = batch.to_dict()
    for store in stores:
        if "batch_size" in store:
            seeds = store.seed
            assert len(seeds) == len(store.input_id) and set(seeds.tolist()) == set(
                range(store.batch_size)
            )
            del (out if store._key is None else out[store._key])["seed"]
    return out


def same(got: Any, expected: Any, path: str = "") -> None:
    """Equal in names, types and every byte."""
    if isinstance(expected, dict):
        assert set(got) == set(expected), path
        for key in expected:
            same(got[key], expected[key], f"{path}/{key}")
    elif isinstance(expected, torch.Tensor):
        assert got.dtype == expected.dtype and got.shape == expected.shape, path
        assert torch.equal(got, expected), path
    elif isinstance(expected, np.ndarray):
        assert type(got) is np.ndarray and got.dtype == expected.dtype, path
        assert np.array_equal(got, expected), path
    else:
        assert type(got) is type(expected) and got == expected, path
