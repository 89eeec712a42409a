"""AnchorLoader: an epoch of anchors with their labels, sampled and gathered ahead of the caller."""

from __future__ import annotations

from typing import Optional, Union

from gls._data.dataset import Dataset
from gls._loading.columns import Columns
from gls._loading.loader import Loader
from gls._loading.pad import Pad
from gls._loading.seed_list import one_node_seeds, seeds_of_type
from gls._loading.transform import Transform
from gls._sampling.anchors import Supervisions, anchor_type, labels_in_order
from gls.types import AnchorLabels, ArrayLike, Device, Exclude, InputNodes, NumNeighbors, TypePairs


class AnchorLoader(Loader):
    """Iterates over mini-batches of anchors: seeds whose links are to be predicted.

    As :class:`NeighborLoader`, but each batch has the labels of its seeds, which are seeds, too, after
    the anchors: ``positives`` and ``negatives``, the local ids of labels in a row for each anchor, and
    ``anchors``, those of the anchors; see :class:`Batch`.

    Args:
        dataset: The graph.
        num_neighbors: Neighbours to take per hop, [15, 10]; or by edge type; -1 takes all. Edge types
            that are for labels only need none.
        supervisions: Where labels come from: an edge type, a :class:`Supervision`, or a list of them.
        input_nodes: The anchors, as for :class:`NeighborLoader`; None: all nodes of the type at which
            the supervisions begin. Ids, a mask or the name of an id set are of that type.
        labels: Labels that are given: by the name of their supervision an array of node ids, a row for
            each anchor, -1 where there is none.
        batch_size: Anchors per batch.
        shuffle, drop_last, columns, num_workers, prefetch: See :class:`NeighborLoader`.
        prefetch_bytes, made_by, device, rank, world_size, even, transform, with_edge_ids: See :class:`NeighborLoader`.
        pad: See :class:`NeighborLoader`. Edge types that labels are found in need `max_labels`.
        times: See :class:`NeighborLoader`. Labels have the time of their anchor.
        direction, replace, disjoint, weight_attr, seed, toward_seeds: See :class:`Sampler`.
        int32, exclude, exclude_mode, reverse_column, reverse_types, contract: See :class:`Sampler`.
        node_time, edge_time, time_strategy, time_strict, time_window: See :class:`Sampler`.
        subgraph, pick, batch_dependency, layer_dependent: See :class:`Sampler`.
    """

    def __init__(
        self,
        dataset: Dataset,
        num_neighbors: NumNeighbors,
        supervisions: Supervisions,
        input_nodes: InputNodes = None,
        *,
        labels: Optional[AnchorLabels] = None,
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
        times: Optional[ArrayLike] = None,
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
        pad: Union[bool, Pad, None] = None,
    ) -> None:
        first = anchor_type(dataset._schema, supervisions)
        if first is not None:
            input_nodes = seeds_of_type(first, dataset, input_nodes)
        seeds = one_node_seeds(dataset, input_nodes, times)
        given = labels_in_order(dataset._schema, supervisions, labels)
        self._open(
            dataset,
            seeds._replace(anchor_labels=given),
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
                supervisions=supervisions,
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
