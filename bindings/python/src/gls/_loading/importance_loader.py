"""ImportanceLoader and PPRLoader: epochs of neighbours that edges do not say, found and gathered ahead of the
caller."""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

from gls._data.dataset import Dataset
from gls._loading.columns import Columns
from gls._loading.loader import Loader
from gls._loading.pad import Pad
from gls._loading.seed_list import node_seeds, seeds_of_type
from gls._loading.transform import Transform
from gls._sampling.importance import PPR, Importance, importance_type
from gls.types import Device, Exclude, InputNodes, TypePairs


class ImportanceLoader(Loader):
    """Iterates over mini-batches of importance neighbours.

    As :class:`NeighborLoader`, but for what is sampled. Batches have ``near_seed``, ``near_node`` and
    ``near_score``; see :class:`NodeArrays`. Columns of nodes are gathered for the nodes that were met,
    those of edges for none.

    Args:
        dataset: The graph.
        importance: Which neighbours; see :class:`Importance`.
        input_nodes: The seeds, as for :class:`NeighborLoader`; None: all nodes of the type at which
            walks begin. Ids, a mask or the name of an id set are of that type.
        batch_size: Seeds per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, pad: See :class:`NeighborLoader`.
        direction, weight_attr, seed, int32, contract: See :class:`Sampler`.
        exclude, exclude_mode, reverse_column, reverse_types: See :class:`Sampler`.
    """

    def __init__(
        self,
        dataset: Dataset,
        importance: Importance,
        input_nodes: InputNodes = None,
        *,
        batch_size: int = 1024,
        shuffle: bool = False,
        drop_last: bool = False,
        direction: str = "in",
        weight_attr: Optional[str] = None,
        seed: int = 0,
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
        pad: Union[bool, Pad, None] = None,
    ) -> None:
        first = importance_type(dataset._schema, importance, direction)
        self._open(
            dataset,
            node_seeds(dataset, seeds_of_type(first, dataset, input_nodes), None),
            dict(
                _of_neighbors(),
                direction=direction,
                weight_attr=weight_attr,
                seed=seed,
                int32=int32,
                exclude=exclude,
                exclude_mode=exclude_mode,
                reverse_column=reverse_column,
                reverse_types=reverse_types,
                contract=contract,
                importance=importance,
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
            pad=pad,
        )


class PPRLoader(Loader):
    """Iterates over mini-batches of the nodes of highest personalised PageRank.

    As :class:`NeighborLoader`, but for what is sampled. Batches have ``near_seed``, ``near_node`` and
    ``near_score`` for every node type; see :class:`NodeArrays`. Columns of nodes are gathered for the
    nodes that were met, those of edges for none.

    Args:
        dataset: The graph.
        ppr: Which nodes; see :class:`PPR`.
        input_nodes: The seeds, as for :class:`NeighborLoader`.
        batch_size: Seeds per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, pad: See :class:`NeighborLoader`.
        direction, seed, int32, contract: See :class:`Sampler`. The seed matters to rows beyond
            `row_limit`, and to shuffling.
        exclude, exclude_mode, reverse_column, reverse_types: See :class:`Sampler`.
    """

    def __init__(
        self,
        dataset: Dataset,
        ppr: PPR = PPR(),
        input_nodes: InputNodes = None,
        *,
        batch_size: int = 1024,
        shuffle: bool = False,
        drop_last: bool = False,
        direction: str = "in",
        seed: int = 0,
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
        pad: Union[bool, Pad, None] = None,
    ) -> None:
        self._open(
            dataset,
            node_seeds(dataset, input_nodes, None),
            dict(
                _of_neighbors(),
                direction=direction,
                weight_attr=None,
                seed=seed,
                int32=int32,
                exclude=exclude,
                exclude_mode=exclude_mode,
                reverse_column=reverse_column,
                reverse_types=reverse_types,
                contract=contract,
                ppr=ppr,
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
            pad=pad,
        )


def _of_neighbors() -> Dict[str, Any]:
    """The options that only neighbourhoods have, not used."""
    return dict(
        num_neighbors=(),
        replace=False,
        disjoint=False,
        with_edge_ids=False,
        toward_seeds=False,
        node_time=None,
        edge_time=None,
        time_strategy="uniform",
        time_strict=False,
        time_window=0,
        subgraph="sampled",
    )
