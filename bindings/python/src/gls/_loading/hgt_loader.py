"""HGTLoader: epochs of nodes drawn from budgets, found and gathered ahead of the caller."""

from __future__ import annotations

from typing import Optional, Union

from gls._data.dataset import Dataset
from gls._loading.columns import Columns
from gls._loading.importance_loader import _of_neighbors
from gls._loading.loader import Loader
from gls._loading.pad import Pad
from gls._loading.seed_list import node_seeds
from gls._loading.transform import Transform
from gls._sampling.hgt import HGT
from gls.types import Device, Exclude, InputNodes, TypePairs


class HGTLoader(Loader):
    """Iterates over mini-batches of nodes that are drawn from budgets.

    As :class:`NeighborLoader`, but for what is sampled. Each ``num_sampled_edges`` has one number, of all
    edges of the type.

    Args:
        dataset: The graph.
        hgt: How many nodes of each type; see :class:`HGT`.
        input_nodes: The seeds, as for :class:`NeighborLoader`.
        batch_size: Seeds per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, pad: See :class:`NeighborLoader`.
        direction, seed, with_edge_ids, int32, contract: See :class:`Sampler`.
        subgraph: "sampled" or "induced"; see :class:`HGT`.
        exclude, exclude_mode, reverse_column, reverse_types: See :class:`Sampler`.
    """

    def __init__(
        self,
        dataset: Dataset,
        hgt: HGT,
        input_nodes: InputNodes = None,
        *,
        batch_size: int = 1024,
        shuffle: bool = False,
        drop_last: bool = False,
        direction: str = "in",
        seed: int = 0,
        with_edge_ids: bool = False,
        int32: bool = False,
        subgraph: str = "sampled",
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
        pad: Union[bool, Pad, None] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        self._open(
            dataset,
            node_seeds(dataset, input_nodes, None),
            dict(
                _of_neighbors(),
                with_edge_ids=with_edge_ids,
                subgraph=subgraph,
                direction=direction,
                weight_attr=None,
                seed=seed,
                int32=int32,
                exclude=exclude,
                exclude_mode=exclude_mode,
                reverse_column=reverse_column,
                reverse_types=reverse_types,
                contract=contract,
                hgt=hgt,
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
            pad=pad,
            transform=transform,
        )
