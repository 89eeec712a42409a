"""PyG's LinkNeighborLoader on GLS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional, Tuple, Union

import torch
from torch_geometric import loader
from torch_geometric.data import Data, HeteroData

from gls._batch.batch import Batch
from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.link_loader import LinkNeighborLoader as NativeLinkLoader
from gls._loading.loader import Loader
from gls._sampling.sampler import Sampler
from gls.errors import Unsupported, invalid
from gls.pyg.arguments import refuse, rows_at
from gls.pyg.graph.attributes import rows_of
from gls.pyg.graph.dataset import StorePair, make_source
from gls.pyg.graph.ids import as_ids
from gls.pyg.graph.inputs import only_of, tensor_from
from gls.pyg.graph.words import OF_LINKS
from gls.pyg.link_inputs import (
    each,
    joined,
    labels_of,
    links_by_type,
    links_of,
    negatives_of,
    with_columns,
)
from gls.pyg.loader import PygLoader
from gls.pyg.native_options import exclusion, seed_rule_of, time_limits
from gls.pyg.options import NEIGHBOR_LOADER_DEFAULTS, NeighborLoaderOptions
from gls.pyg.order import order_of
from gls.pyg.sampler import NeighborSampler, node_sampler_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class LinkNeighborLoader(PygLoader, loader.LinkNeighborLoader):  # type: ignore[misc]
    """Mini-batches around links as PyG's loader of this name gives them.

    As :class:`NeighborLoader`, but the seeds are both ends of each link, and what is drawn for them.
    Batches have ``edge_label_index``, ``edge_label`` and ``edge_label_time``, or with triplets
    ``src_index``, ``dst_pos_index``, ``dst_neg_index`` and ``seed_time``, where PyG has them; and
    ``input_id``. Local ids are in the order in which nodes were met; PyG sorts those of the seeds.

    PyG's arguments:

    ==========================  ===================================================================
    data, num_neighbors         as :class:`NeighborLoader`
    edge_label_index            supported: sources and targets [2, n], which need not be edges; None for
                                all edges; an edge type; (edge type, one of these). Also ids of
                                edges [n]. Links of several types: a mapping from edge types to these.
                                `edge_label` and `edge_label_time` are then mappings, too. All arrays of
                                links, such as ``src_index``, are in the stores of their edge types.
                                `batch_size` is the number of links in all.
    edge_label                  supported: a number, or a row of numbers, for each link. With
                                negative pairs, labels that begin at 0 are raised by one, so that 0
                                means negative, as PyG does. Refused with triplets.
    edge_label_time, time_attr  supported, both or neither: batches are then disjoint. An edge of the
                                very time of a link is early enough, the link itself as well, as in PyG.
    neg_sampling                supported: "binary", "triplet", a dict, PyG's ``NegativeSampling`` with
                                `amount`, `src_weight`, `dst_weight`; also :class:`gls.NegativeSampling`
    neg_sampling_ratio          supported: above 0 it is the amount of negative pairs
    temporal_strategy           supported. If `time_attr` is an attribute of nodes, negatives are drawn
                                from the nodes that exist at the time of their link, as in PyG. If
                                none exists, the oldest node is drawn. A
                                :class:`gls.NegativeSampling` sets this itself (`in_time`, `oldest`).
    disjoint                    supported; ``batch`` is the position of the link a node belongs to
    others                      as :class:`NeighborLoader`, also those of ``DataLoader``
    ==========================  ===================================================================

    Arguments of GLS:

    Args:
        exclude_links: Links of a batch are not used as edges for it, nor those that `exclude_mode` adds
            to them. They are taken out before anything is sampled, so fanouts stay full. PyG leaves
            them in, and a model that is to predict a link then sees it.
        exclude, time_strict, time_window, seed_rule: See :class:`NeighborLoader`.
        exclude_mode, reverse_types: See :class:`gls.Sampler`; also the pairs of a bidirectional subgraph, as
            for :class:`NeighborLoader`.
        reverse_column: See :class:`gls.Sampler`; of ``Data``, the attribute of that name.
        seed, rank, world_size, even, prefetch_bytes, made_by, device, context: See :class:`NeighborLoader`.
        pick, batch_dependency, layer_dependent: See :class:`gls.Sampler`.
        pad: See :class:`NeighborLoader`. In place of ``seed`` and ``seed_mask`` there is ``link_mask``: which
            entries of ``edge_label_index`` and ``edge_label``, or of ``src_index`` and ``dst_pos_index``, are
            real. The first `batch_size` are links, the others negative pairs. With triplets there is
            ``dst_neg_mask``, too.
    """

    _argument_names = OF_LINKS
    _of_links = True

    @takes(NeighborLoaderOptions, NEIGHBOR_LOADER_DEFAULTS)
    def __init__(
        self,
        data: Union[Data, HeteroData, Dataset, StorePair],
        num_neighbors: Any,
        edge_label_index: Any = None,
        edge_label: Optional[torch.Tensor] = None,
        edge_label_time: Optional[torch.Tensor] = None,
        replace: bool = False,
        subgraph_type: Any = "directional",
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
        neg_sampling: Any = None,
        neg_sampling_ratio: Union[None, int, float] = None,
        time_attr: Optional[str] = None,
        weight_attr: Optional[str] = None,
        transform: Optional[Callable[[Any], Any]] = None,
        transform_sampler_output: Optional[Callable[[Any], Any]] = None,
        is_sorted: bool = False,
        filter_per_worker: Optional[bool] = None,
        neighbor_sampler: None = None,
        directed: bool = True,
        *,
        batch_size: int = 1,
        shuffle: bool = False,
        exclude_links: bool = False,
        **options: Unpack[NeighborLoaderOptions],
    ) -> None:
        self._order = order_of(options, batch_size, shuffle)
        refuse("LinkNeighborLoader", {**options, "neighbor_sampler": neighbor_sampler})
        input_id, seed_rule = options["input_id"], options["seed_rule"]
        if (edge_label_time is None) != (time_attr is None):
            there, missing = "edge_label_time", "time_attr"
            if edge_label_time is None:
                there, missing = missing, there
            raise invalid(missing, f"needed, as {there} is given")
        self.edge_label_index = edge_label_index
        edge_label_index, (edge_label, edge_label_time) = only_of(
            edge_label_index, [edge_label, edge_label_time]
        )
        several = isinstance(edge_label_index, Mapping)
        links: Any
        if several:
            self._refuse_several(
                {
                    "input_id": input_id,
                    "sampler": self._order,
                    "transform_sampler_output": transform_sampler_output,
                }
            )
            edge_type, links = links_by_type(data, edge_label_index)
            self._several = dict.fromkeys(links)
        else:
            edge_type, links = links_of(data, edge_label_index)
        drawn = negatives_of(neg_sampling, neg_sampling_ratio, data, edge_type, several)
        trees = disjoint or time_attr is not None
        if trees and drawn.options and drawn.options.mode == "binary" and drawn.options.allow_short:
            raise Unsupported(
                "neg_sampling: allow_short leaves pairs out, and `batch` could not say which link a "
                "pair belongs to; draw triplets"
            )
        self._prepare(
            make_source(
                data,
                options["context"],
                drawn.weights,
                of_edges=(weight_attr, options["reverse_column"]),
                num_workers=options["num_workers"],
            ),
            num_neighbors,
            options,
            replace=replace,
            subgraph_type=subgraph_type,
            directed=directed,
            disjoint=disjoint,
            temporal_strategy=temporal_strategy,
            time_attr=time_attr,
            weight_attr=weight_attr,
            transform=transform,
            batch_size=batch_size,
            shuffle=shuffle,
            reverse_types=options["reverse_types"],
        )
        self._type, self._links = edge_type, links
        self._time_attr = time_attr
        self._labels = each(
            several, edge_label, "edge_label", lambda own: labels_of(own, drawn.options)
        )
        self._label_time = each(
            several,
            edge_label_time,
            "edge_label_time",
            lambda own: as_ids(tensor_from(own, "edge_label_time")),
        )
        self._take_no_hops()
        self.neg_sampling = with_columns(
            drawn,
            self._source,
            list(links) if several else [edge_type],
            self._options.get("node_time"),
        )
        self._options.update(
            neg_sampling=self.neg_sampling,
            exclude_links=exclude_links,
            **exclusion(self._source, options),
            **time_limits(time_attr, options),
        )
        if seed_rule is not None:
            self._loading["seed_rule"] = seed_rule_of(self._source, seed_rule, of_links=True)
        named = None if input_id is None else tensor_from(input_id, "input_id").view(-1)
        self._transform_output_by(transform_sampler_output)
        self._start(named, "links")

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        links = self._links_at(positions)
        return NativeLinkLoader(
            self._source.dataset,
            self._fanouts,
            links if self._type is None else (self._type, links),
            rows_at(self._labels, positions),
            rows_at(self._label_time, positions),
            **self._options,
            **{**self._loading, **loading},
        )

    def _links_at(self, positions: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
        if self._links is None or positions is None:
            return positions if self._links is None else self._links
        return self._links[..., positions].contiguous()

    @property
    def link_sampler(self) -> NeighborSampler:
        """What samples for the loader, as PyG's loaders have it."""
        return node_sampler_of(self, self._time_attr)

    def _sample(self, sampler: Sampler, positions: torch.Tensor, number: int) -> Batch:
        links: Any = self._links_at(positions)
        return sampler.sample_links(
            links if self._type is None else (self._type, links),
            labels=rows_at(self._labels, positions),
            times=rows_at(self._label_time, positions),
            batch=number,
        )

    def _add_several(self, out: Any, batch: Batch, input_ids: Mapping[Any, torch.Tensor]) -> None:
        triplets = self.neg_sampling is not None and self.neg_sampling.mode == "triplet"
        trees = sum(len(arrays.seed) for arrays in batch.nodes.values())
        total = sum(map(len, input_ids.values()))
        link_of = torch.full((trees + 1,), total)
        first = 0  # number of a type's first link in the batch
        disjoint = False
        numbers = self._source.dataset._schema.edge_types
        for edge_type in sorted(input_ids, key=lambda one: numbers[joined(one)]):
            input_id = input_ids[edge_type]
            links, store = batch.edges[edge_type], self._source.store(out, joined(edge_type))
            source, target = links.link_source.torch(), links.link_target.torch()
            negative = links.link_negative.torch() if triplets else None
            store["input_id"] = input_id
            time = None
            if self._label_time is not None:
                time = batch.nodes[edge_type[0]].seed_time.torch()[source]
                time = time.to(self._label_time[edge_type].dtype)
            if negative is None:
                store["edge_label_index"] = torch.stack([source, target])
                has_labels = hasattr(links, "link_label")
                store["edge_label"] = links.link_label.torch() if has_labels else None
            else:
                store["src_index"], store["dst_pos_index"] = source, target
                store["dst_neg_index"] = negative.squeeze(-1)
                store["edge_label_index"] = None  # that of the whole graph
            store["edge_label_time"] = time
            count = len(input_id)
            ends = [(edge_type[0], source), (edge_type[2], target)]
            for node_type, local in ends:
                if not hasattr(batch.nodes[node_type], "batch"):
                    continue
                disjoint = True
                place = torch.arange(len(local), device=local.device)
                link = torch.where(place < count, place, (place - count) % max(count, 1)) + first
                link_of = link_of.to(local.device)
                link_of[batch.nodes[node_type].batch.torch()[local]] = link
            if negative is not None and disjoint:
                tree = batch.nodes[edge_type[2]].batch.torch()[negative.clamp(min=0)]
                link = torch.arange(count, device=tree.device).view(-1, 1).expand_as(tree) + first
                link_of[tree.where(negative >= 0, trees)] = link
            first += count
        link_of[trees] = total
        for kind in self._source.nodes if disjoint else ():
            store = self._source.store_of(out, kind)
            store["batch"] = rows_of(link_of, 0, store["batch"], padded=False)

    def _add_seeds(self, out: Any, batch: Batch, input_id: torch.Tensor) -> None:
        links = batch.edges[str(batch.input_type)]
        source_type, _, target_type = self._source.dataset._schema.edge_tuples[links._type]
        source, target = links.link_source.torch(), links.link_target.torch()
        triplets = self.neg_sampling is not None and self.neg_sampling.mode == "triplet"
        negative = links.link_negative.torch() if triplets else None
        mask = links.link_mask.torch() if batch.padding != "none" else None
        time = None
        if self._label_time is not None:
            # In trees of their own, seeds are not folded: the local id of one is its position.
            position = source if mask is None else source * mask
            time = batch.nodes[source_type].seed_time.torch()[position].to(self._label_time.dtype)
            if mask is not None:
                time.masked_fill_(~mask, 0)
        store = self._source.store(out, links._type)
        store["input_id"] = input_id
        if mask is not None:
            store["link_mask"] = mask
        if negative is None:
            on_host = batch.device == "cpu"
            store["edge_label_index"] = (
                links.link_index.torch() if on_host else torch.stack([source, target])
            )
            store["edge_label"] = links.link_label.torch() if hasattr(links, "link_label") else None
            store["edge_label_time"] = time
        else:
            sources = self._source.store(out, source_type)
            targets = self._source.store(out, target_type)
            sources["src_index"] = source
            targets["dst_pos_index"] = target
            targets["dst_neg_index"] = negative.squeeze(-1)
            if mask is not None:
                targets["dst_neg_mask"] = links.link_negative_mask.torch().squeeze(-1)
            sources["seed_time"] = targets["seed_time"] = time
            store["edge_label_index"] = store["edge_label_time"] = None  # those of the whole graph
        if hasattr(batch.nodes[source_type], "batch"):
            ends = [(source_type, source), (target_type, target)]
            self._name_trees(out, batch, ends, (target_type, negative), len(input_id), mask)

    def _name_trees(
        self,
        out: Any,
        batch: Batch,
        ends: List[Tuple[str, torch.Tensor]],
        negative: Tuple[str, Optional[torch.Tensor]],
        count: int,
        mask: Optional[torch.Tensor],
    ) -> None:
        """Makes ``batch`` the position of a node's link; GLS counts seeds, each of which has a tree.
        Padding belongs to none: it has the position after the last.

        Nothing here depends on how many rows a mask leaves, which the program would wait for the GPU to
        know: what is left out goes to the last place, where padding has its position anyway."""
        trees = sum(len(arrays.seed) for arrays in batch.nodes.values())
        here = ends[0][1].device
        link_of = torch.full((trees + 1,), count, device=here)

        def name(node_type: str, local: torch.Tensor, link: torch.Tensor, there: Any) -> None:
            tree = batch.nodes[node_type].batch.torch()[local.clamp(min=0)]
            if there is not None:
                tree, link = tree.where(there, trees), link.where(there, count)
            link_of[tree] = link

        real: Any = max(count, 1) if mask is None else mask[:count].sum().clamp(min=1)
        for node_type, local in ends:
            place = torch.arange(len(local), device=here)
            name(node_type, local, torch.where(place < count, place, (place - count) % real), mask)
        node_type, drawn = negative
        if drawn is not None:
            found = drawn >= 0 if mask is None else batch.link_negative_mask.torch()
            link = torch.arange(len(drawn), device=here).view(-1, 1).expand_as(drawn)
            name(node_type, drawn, link, found)
        for kind in self._source.nodes:
            store = self._source.store_of(out, kind)
            store["batch"] = rows_of(link_of, 0, store["batch"], padded=False)
