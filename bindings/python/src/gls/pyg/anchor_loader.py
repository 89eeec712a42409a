"""The loader of anchors with the interface of PyG."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Union

import torch
from torch_geometric.data import Data, HeteroData

from gls._batch.batch import Batch
from gls._data.dataset import Dataset
from gls._loading.anchor_loader import AnchorLoader as NativeAnchorLoader
from gls._loading.loader import Loader
from gls._sampling.anchors import Supervisions
from gls._sampling.sampler import Sampler
from gls.errors import invalid
from gls.pyg.arguments import rows_at
from gls.pyg.graph.inputs import tensor_from
from gls.pyg.graph.dataset import StorePair
from gls.pyg.neighbor_loader import NeighborLoader
from gls.types import AnchorLabels


class AnchorLoader(NeighborLoader):
    """Mini-batches of anchors, seeds whose links are to be predicted, as PyG's objects.

    As :class:`NeighborLoader`, but each batch has the labels of its seeds, which are seeds after them.
    Batches have ``anchors``, the local id of each anchor, and ``y_positive`` and ``y_negative``: for each
    supervision, by its name, the pairs of anchors and labels [2, E] as local ids. ``batch_size`` counts
    all distinct seeds, of the anchors' type.

    Args:
        data: As for :class:`NeighborLoader`. A :class:`gls.Dataset` needs the layout "csr" of the edge
            types that labels are found in.
        num_neighbors: As for :class:`NeighborLoader`. Edge types that are for labels only need none.
        supervisions: See :class:`gls.AnchorLoader`. Edges of ``Data`` have the one type there is.
        input_nodes: The anchors, as for :class:`NeighborLoader`.
        labels: See :class:`gls.AnchorLoader`.
        padded: ``y_positive`` and ``y_negative`` have rows of labels [anchors, m] instead, filled up
            with -1. Needed with `pad`, as pairs have no fixed number; ``anchor_mask`` tells which rows
            are anchors.
        options: All others of :class:`NeighborLoader`, but `seed_rule`.
    """

    _layouts = ("csc", "csr")
    _of_seeds = False

    def __init__(
        self,
        data: Union[Data, HeteroData, Dataset, StorePair],
        num_neighbors: Any,
        supervisions: Supervisions,
        input_nodes: Any = None,
        *,
        labels: Optional[AnchorLabels] = None,
        padded: bool = False,
        **options: Any,
    ) -> None:
        self._supervisions = supervisions
        self._labels = {
            name: tensor_from(rows, "labels").cpu().contiguous()
            for name, rows in (labels or {}).items()
        }
        self._padded = padded
        if options.get("pad") and not padded:
            raise invalid(
                "pad", "pairs of anchors and labels have no fixed number: needs padded=True"
            )
        if "seed_rule" in options:
            raise TypeError("AnchorLoader() has no argument 'seed_rule'")
        if isinstance(input_nodes, Mapping):
            raise invalid("input_nodes", "expected nodes of one type, as anchors are")
        super().__init__(data, num_neighbors, input_nodes, **options)

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        self._options["supervisions"] = self._supervisions
        return NativeAnchorLoader(
            self._source.dataset,
            self._fanouts,
            input_nodes=self._seeds_at(positions),
            labels={name: rows_at(rows, positions) for name, rows in self._labels.items()},
            times=rows_at(self._input_time, positions),
            **self._options,
            **{**self._loading, **loading},
        )

    def _sample(self, sampler: Sampler, positions: torch.Tensor, number: int) -> Batch:
        node_type, nodes = self._seeds
        ids = positions if nodes is None else nodes[positions]
        times = self._times(node_type, ids, positions)
        labels = {name: rows[positions] for name, rows in self._labels.items()}
        return sampler.sample((node_type, ids), times=times, labels=labels, batch=number)

    def _add_seeds(self, out: Any, batch: Batch, input_id: torch.Tensor) -> None:
        super()._add_seeds(out, batch, input_id)
        store = self._source.store(out, batch.input_type)
        anchors = batch.seed.torch()[: len(input_id)]
        store["anchors"] = anchors
        if batch.padding != "none":
            store["anchor_mask"] = batch.anchor_mask.torch()
        if store.get("seed_time") is not None:
            store["seed_time"] = store["seed_time"][: len(input_id)]
        for role, labels in (("positive", batch.positives), ("negative", batch.negatives)):
            rows = {name: own.torch() for name, own in labels.items()}
            out[f"y_{role}"] = rows if self._padded else _pairs(anchors, rows)


def _pairs(anchors: torch.Tensor, labels: Dict[str, torch.Tensor]) -> Dict[str, torch.Tensor]:
    out = {}
    for name, rows in labels.items():
        anchor, column = (rows >= 0).nonzero(as_tuple=True)
        out[name] = torch.stack([anchors[anchor], rows[anchor, column]])
    return out
