"""WalkLoader: an epoch of random walks, walked and gathered ahead of the caller."""

from __future__ import annotations

from typing import Optional, Union

from gls._data.dataset import Dataset
from gls._loading.columns import Columns
from gls._loading.loader import Loader
from gls._loading.pad import Pad
from gls._loading.seed_list import node_seeds, seeds_of_type
from gls._loading.seed_rules import SeedRule
from gls._loading.transform import Transform
from gls._sampling.walk import Walk, walk_types
from gls.types import Device, Exclude, InputNodes, TypePairs


class WalkLoader(Loader):
    """Iterates over mini-batches of random walks.

    As :class:`NeighborLoader`, but for what is sampled. Batches have ``walk``, the local ids of the
    nodes of each walk, ``walks``, their dataset ids, and with edge ids ``walk_edge``; see
    :class:`NodeArrays`. Columns of nodes are gathered for the nodes that were met, those of edges for
    none.

    Args:
        dataset: The graph.
        walk: How to walk; see :class:`Walk`.
        input_nodes: The seeds, as for :class:`NeighborLoader`; None: all nodes of the type at which
            walks begin. Ids, a mask or the name of an id set are of that type.
        batch_size: Seeds per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, seed_rule, pad: See :class:`NeighborLoader`.
        subgraph: "induced": batches also have all edges between the nodes met.
        with_edge_ids: Batches have the array ``walk_edge``.
        direction, weight_attr, seed, int32, contract: See :class:`Sampler`.
        exclude, exclude_mode, reverse_column, reverse_types: See :class:`Sampler`.
    """

    def __init__(
        self,
        dataset: Dataset,
        walk: Walk,
        input_nodes: InputNodes = None,
        *,
        batch_size: int = 1024,
        shuffle: bool = False,
        drop_last: bool = False,
        direction: str = "in",
        weight_attr: Optional[str] = None,
        seed: int = 0,
        with_edge_ids: bool = False,
        int32: bool = False,
        exclude: Optional[Exclude] = None,
        exclude_mode: str = "self",
        reverse_column: Optional[str] = None,
        reverse_types: Optional[TypePairs] = None,
        contract: int = 0,
        columns: Optional[Columns] = None,
        num_workers: Optional[int] = None,
        prefetch: Optional[int] = None,
        prefetch_bytes: Optional[int] = None,
        made_by: str = "here",
        device: Device = None,
        rank: Union[None, int, str] = None,
        world_size: Optional[int] = None,
        even: str = "none",
        transform: Optional[Transform] = None,
        subgraph: str = "sampled",
        seed_rule: Optional[SeedRule] = None,
        pad: Union[bool, Pad, None] = None,
    ) -> None:
        first = walk_types(dataset._schema, walk, direction)[0]
        self._open(
            dataset,
            node_seeds(dataset, seeds_of_type(first, dataset, input_nodes), None),
            dict(
                num_neighbors=(),
                direction=direction,
                replace=False,
                disjoint=False,
                weight_attr=weight_attr,
                seed=seed,
                with_edge_ids=with_edge_ids,
                toward_seeds=False,
                int32=int32,
                exclude=exclude,
                exclude_mode=exclude_mode,
                reverse_column=reverse_column,
                reverse_types=reverse_types,
                node_time=None,
                edge_time=None,
                time_strategy="uniform",
                time_strict=False,
                time_window=0,
                subgraph=subgraph,
                contract=contract,
                walk=walk,
            ),
            batch_size=batch_size,
            shuffle=shuffle,
            drop_last=drop_last,
            columns=columns,
            num_workers=num_workers,
            prefetch=prefetch,
            prefetch_bytes=prefetch_bytes,
            made_by=made_by,
            device=device,
            rank=rank,
            world_size=world_size,
            even=even,
            transform=transform,
            seed_rule=seed_rule,
            pad=pad,
        )
