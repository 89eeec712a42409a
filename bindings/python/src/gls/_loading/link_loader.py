"""LinkNeighborLoader: an epoch of batches around links."""

from __future__ import annotations

from typing import Optional, Union

from gls._data.dataset import Dataset
from gls._loading.columns import Columns
from gls._loading.loader import Loader
from gls._loading.pad import Pad
from gls._loading.seed_list import link_seeds
from gls._loading.seed_rules import SeedRule
from gls._loading.transform import Transform
from gls._sampling.negative_sampling import Negatives
from gls.types import Device, EdgeLabelIndex, Exclude, NumNeighbors, OfTypes, TypePairs


class LinkNeighborLoader(Loader):
    """Iterates over mini-batches of links: both ends of each are seeds.

    As :class:`NeighborLoader`, but for the links, and what is drawn for them. Batches have
    ``link_source`` and ``link_target``, the local ids of the ends; see :class:`EdgeArrays`.

    Args:
        dataset: The graph.
        num_neighbors: Neighbours to take per hop, [15, 10]; or by edge type; -1 takes all.
        edge_label_index: The links. Edge ids [n]; sources and targets [2, n], which need not be edges;
            None: all edges of the only type; or (edge type, one of these). Links of several types are a
            mapping from the edge type to one of these. A batch then has `batch_size` links in all.
            Their arrays are by type, ``batch.edges[type].link_source``.
        edge_label: A number, or a row of numbers, for each link [links, ...]. None: 1 and, for negative
            pairs, 0. For links of several types a mapping.
        edge_label_time: The time of each link, where the sampler goes by times. For links of several types a
            mapping.
        neg_sampling: None; "binary" or "triplet"; or :class:`NegativeSampling`, with more said.
        exclude_links: Links of a batch are not used for it, nor those that `exclude_mode` adds to them.
        batch_size: Links per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, with_edge_ids: See :class:`NeighborLoader`.
        seed_rule, pad: See :class:`NeighborLoader`.
        direction, replace, disjoint, weight_attr, seed, toward_seeds: See :class:`Sampler`.
        int32, exclude, exclude_mode, reverse_column, reverse_types, contract: See :class:`Sampler`.
        node_time, edge_time, time_strategy, time_strict, time_window: See :class:`Sampler`.
        subgraph, pick, batch_dependency, layer_dependent: See :class:`Sampler`.
    """

    def __init__(
        self,
        dataset: Dataset,
        num_neighbors: NumNeighbors,
        edge_label_index: EdgeLabelIndex = None,
        edge_label: OfTypes = None,
        edge_label_time: OfTypes = None,
        neg_sampling: Negatives = None,
        *,
        exclude_links: bool = False,
        batch_size: int = 1024,
        shuffle: bool = False,
        drop_last: bool = False,
        replace: Union[bool, str] = False,
        direction: str = "in",
        disjoint: bool = False,
        weight_attr: Optional[str] = None,
        seed: int = 0,
        with_edge_ids: Optional[bool] = None,
        toward_seeds: bool = False,
        int32: bool = False,
        exclude: Optional[Exclude] = None,
        exclude_mode: str = "self",
        reverse_column: Optional[str] = None,
        reverse_types: Optional[TypePairs] = None,
        node_time: Optional[str] = None,
        edge_time: Optional[str] = None,
        time_strategy: str = "uniform",
        time_strict: bool = False,
        time_window: int = 0,
        subgraph: str = "sampled",
        pick: str = "independent",
        batch_dependency: int = 0,
        layer_dependent: bool = False,
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
        seed_rule: Optional[SeedRule] = None,
        pad: Union[bool, Pad, None] = None,
    ) -> None:
        self._open(
            dataset,
            link_seeds(dataset, edge_label_index, edge_label, edge_label_time),
            dict(
                num_neighbors=num_neighbors,
                direction=direction,
                replace=replace,
                disjoint=disjoint,
                weight_attr=weight_attr,
                seed=seed,
                with_edge_ids=with_edge_ids,
                toward_seeds=toward_seeds,
                int32=int32,
                exclude=exclude,
                exclude_mode=exclude_mode,
                reverse_column=reverse_column,
                reverse_types=reverse_types,
                node_time=node_time,
                edge_time=edge_time,
                time_strategy=time_strategy,
                time_strict=time_strict,
                time_window=time_window,
                subgraph=subgraph,
                pick=pick,
                batch_dependency=batch_dependency,
                layer_dependent=layer_dependent,
                contract=contract,
                neg_sampling=neg_sampling,
                exclude_links=exclude_links,
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
