"""PyG's NeighborLoader on GLS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Tuple, Union

import torch
from torch_geometric import loader
from torch_geometric.data import Data, HeteroData

from gls._batch.batch import Batch
from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.loader import Loader
from gls._loading.neighbor_loader import NeighborLoader as NativeNeighborLoader
from gls._sampling.sampler import Sampler
from gls.errors import invalid
from gls.pyg.arguments import refuse, rows_at
from gls.pyg.graph.dataset import StorePair, make_source
from gls.pyg.graph.ids import as_ids
from gls.pyg.graph.inputs import input_nodes_of, only_of, seeds_by_type, tensor_from
from gls.pyg.graph.reverse import only_for_bidirectional
from gls.pyg.loader import PygLoader
from gls.pyg.native_options import exclusion, seed_rule_of, time_limits
from gls.pyg.options import NEIGHBOR_LOADER_DEFAULTS, NeighborLoaderOptions
from gls.pyg.order import order_of
from gls.pyg.sampler import NeighborSampler, node_sampler_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class NeighborLoader(PygLoader, loader.NeighborLoader):  # type: ignore[misc]
    """Mini-batches of a graph as PyG's loader of this name gives them.

    Every attribute of `data` with a row for each node or edge is gathered for the nodes and edges
    of the batch. Other attributes are passed on. Added are ``n_id``, ``e_id``, ``edge_index``,
    ``seed``, ``input_id``, ``batch_size``, ``num_sampled_nodes``, ``num_sampled_edges`` and, with
    `disjoint`, ``batch``. ``torch_geometric.utils.trim_to_layer`` works on them. Tensors of `data`
    are used in place; their numbers must not change while the loader is in use.

    Attributes may be set, replaced and deleted in ``loader.data``: a batch has the attributes of
    the time of its delivery, as in PyG. The graph, its weights and its times stay those of the
    beginning. With as many nodes as edges, an attribute belongs to edges if "edge" is in its name,
    or if `weight_attr` or `reverse_column` names it. All others belong to nodes, as in PyG.

    Of a pair (FeatureStore, GraphStore), the edges are read into memory when the loader is made: edge
    ids are positions in the layout of the GraphStore. Each batch asks the FeatureStore for the rows of
    its nodes, from other threads than the caller's: one at a time, or as many as `num_workers`. As in
    PyG, there are no attributes of edges.

    PyG's arguments:

    ==========================  ===================================================================
    data                        ``Data`` or ``HeteroData`` in CPU memory with ``edge_index``, or a
                                :class:`gls.Dataset`; or (FeatureStore, GraphStore) as below.
    num_neighbors               supported: list, dict by edge type, ``NumNeighbors``; []: just the seeds.
    input_nodes                 supported; of a :class:`gls.Dataset` also (type, nodes) and the name
                                of an id set, as :class:`gls.NeighborLoader` takes them.
    replace                     supported.
    subgraph_type               supported. For "bidirectional", the reverse of an edge type is the one
                                called ``rev_``, else the only one back; see `reverse_types`.
    disjoint                    supported.
    weight_attr                 supported.
    transform                   supported; called in the iterating thread.
    is_sorted                   accepted; makes no difference to the batches.
    filter_per_worker           accepted; there are no worker processes, so it has no meaning.
    directed                    supported; False is "induced".
    time_attr, input_time,      supported: an attribute of nodes or of edges, of integers; batches then
    temporal_strategy           have ``batch`` and ``seed_time``.
    transform_sampler_output    supported, of ``Data`` and ``HeteroData``, without `pad`; attributes are then
                                gathered by PyTorch, in the iterating thread.
    neighbor_sampler            refused: this is the sampler.
    ==========================  ===================================================================

    Arguments of ``torch.utils.data.DataLoader``:

    ==========================  ===================================================================
    batch_size                  supported; 1 by default, as there.
    shuffle, drop_last          supported.
    num_workers                 supported: batches in progress at once, on threads; 0: all threads, or
                                3 where a GPU samples.
    prefetch_factor             supported: batches kept ready, per worker.
    pin_memory                  supported, where CUDA is available.
    persistent_workers          accepted; has no meaning without worker processes.
    generator                   `seed` is drawn from it.
    input_id                    supported: an entry for each input node.
    worker_init_fn, timeout,    accepted and ignored, with one warning: there are no worker processes,
    multiprocessing_context,    and batches come in order.

    pin_memory_device,
    in_order
    sampler, batch_sampler      supported: positions among the input nodes. All of an epoch are taken
                                from it when the epoch begins; there is no ``state_dict()``. A seed
                                that occurs twice in a batch then has two nodes, as in PyG, each with
                                the edges picked for it; not with `pad`.
    collate_fn, custom_cls      refused.
    ==========================  ===================================================================

    Arguments of GLS:

    Args:
        seed: The same seed gives the same batches. None: drawn from `generator`, or from PyTorch's
            default one, when the loader is made. So successive loaders differ, repeatably after
            ``torch.manual_seed``. Several trainers that share an epoch must have one seed, but
            their generators may have different states. So if `world_size` is more than 1, None
            takes the initial seed of `generator`, or ``torch.initial_seed()``. It is equal only if
            all trainers called ``torch.manual_seed`` with the same number, and loaders made anew in
            each epoch repeat it. Set `seed` in this case, and if a loader continues from the state
            of one in another process.
        rank, world_size, even: See :class:`gls.NeighborLoader`. Here the default is one trainer, as
            PyG's scripts give each its own `input_nodes`.
        prefetch_bytes, made_by: See :class:`gls.NeighborLoader`.
        device: Where batches are: "cuda", "cuda:0", or a ``torch.device``; see :data:`gls.Device`.
            Their tensors are then complete PyTorch tensors on that GPU, in the memory where GLS
            made them. Other tensors of `data` are copied there once. Release a batch only after the
            stream that was current at its delivery has waited for all other streams that use the
            batch. `pin_memory` has no meaning then. None: where the dataset works, if it is a
            :class:`gls.Dataset`; else in memory of the host.
        pick, batch_dependency, layer_dependent: See :class:`gls.Sampler`.
        exclude: See :class:`gls.Sampler`; types of ``HeteroData`` as it names them, in full.
        exclude_mode, time_strict, time_window: See :class:`gls.Sampler`.
        reverse_column: See :class:`gls.Sampler`; of ``Data``, the attribute of that name.
        seed_rule: See :class:`gls.NeighborLoader`; names of columns are those of attributes.
        reverse_types: Pairs of edge types that reverse each other, for `exclude_mode` and for the
            subgraph type "bidirectional": as mapping or as pairs. None: as PyG finds them, with a
            warning for each type without a reverse. Both types of a pair need equally many edges.
            Edge e of one must be edge e of the other with its ends exchanged; otherwise batches
            have no ids and attributes of their edges. (For a :class:`gls.Dataset` this is assumed.)
        pad: Batches of one shape: :class:`gls.Pad`, or True for ``gls.Pad()``. The masks
            ``node_mask`` and ``edge_mask`` mark the real rows. ``seed_mask`` and ``seed`` have
            `batch_size` entries. ``overflow`` is True for a batch that is too large and keeps its
            own shapes. Attributes of padding are zeros, ids -1. Take the outputs of the seeds as
            ``out[batch.seed]``. ``batch.batch_size`` and ``num_sampled_nodes`` count only the real
            rows, and so differ from batch to batch. Batches that you get by calling the loader are
            not padded.
        context: See :class:`gls.DatasetBuilder`.
    """

    _layouts: Sequence[str] = ("csc",)
    _of_seeds = True  # batches begin with their seeds, and no other nodes are seeds

    @takes(NeighborLoaderOptions, NEIGHBOR_LOADER_DEFAULTS)
    def __init__(
        self,
        data: Union[Data, HeteroData, Dataset, StorePair],
        num_neighbors: Any,
        input_nodes: Any = None,
        input_time: Optional[torch.Tensor] = None,
        replace: bool = False,
        subgraph_type: Any = "directional",
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
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
        **options: Unpack[NeighborLoaderOptions],
    ) -> None:
        self._order = order_of(options, batch_size, shuffle)
        refuse("NeighborLoader", {**options, "neighbor_sampler": neighbor_sampler})
        if input_time is not None and time_attr is None:
            raise invalid("input_time", "there is no time_attr")
        self._prepare(
            make_source(
                data,
                options["context"],
                layouts=self._layouts,
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
        self._take_no_hops()
        trees = disjoint or time_attr is not None  # of which each seed has one anyway
        self._unfolds = self._order is not None and self._of_seeds and not (options["pad"] or trees)
        if options["exclude_mode"] == "self":
            only_for_bidirectional(options["reverse_types"], self._options["subgraph"])
        self._options.update(
            exclusion(self._source, options),
            **time_limits(time_attr, options),
        )
        seed_rule, input_id = options["seed_rule"], options["input_id"]
        if seed_rule is not None:
            self._loading["seed_rule"] = seed_rule_of(self._source, seed_rule, of_links=False)
        self.input_nodes, self.input_time = input_nodes, input_time
        input_nodes, (input_time,) = only_of(input_nodes, [input_time])
        several = isinstance(input_nodes, Mapping)
        if several:
            self._refuse_several(
                {
                    "input_id": input_id,
                    "sampler": self._order,
                    "transform_sampler_output": transform_sampler_output,
                }
            )
            self._seeds, self._several = seeds_by_type(self._source, input_nodes)
        else:
            self._seeds, input_id = input_nodes_of(self._source, input_nodes, input_id)
        self._time_attr = time_attr
        self._input_time: Any = None
        if several and input_time is not None:
            if not isinstance(input_time, Mapping):
                raise invalid("input_time", "expected a mapping by type, as input_nodes is one")
            self._input_time = {
                name: as_ids(tensor_from(own, "input_time")) for name, own in input_time.items()
            }
        elif input_time is not None:
            self._input_time = as_ids(tensor_from(input_time, "input_time"))
        self._transform_output_by(transform_sampler_output)
        self._start(input_id, "nodes")

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        return NativeNeighborLoader(
            self._source.dataset,
            self._fanouts,
            self._seeds_at(positions),
            times=rows_at(self._input_time, positions),
            **self._options,
            **{**self._loading, **loading},
        )

    @property
    def node_sampler(self) -> NeighborSampler:
        """What samples for the loader, as PyG's loaders have it."""
        return node_sampler_of(self, self._time_attr)

    def _sample(self, sampler: Sampler, positions: torch.Tensor, number: int) -> Batch:
        node_type, nodes = self._seeds
        ids = positions if nodes is None else nodes[positions]
        times = self._times(node_type, ids, positions)
        return sampler.sample((node_type, ids), times=times, batch=number)

    def _times(
        self, node_type: str, ids: torch.Tensor, positions: torch.Tensor
    ) -> Optional[Tuple[str, torch.Tensor]]:
        if self._time_attr is None:
            return None
        if self._input_time is not None:
            return node_type, self._input_time[positions]
        own = self._source.values(node_type, self._time_attr)
        return None if own is None else (node_type, own[ids])

    def _add_seeds(self, out: Any, batch: Batch, input_id: torch.Tensor) -> None:
        store = self._add_nodes(out, batch, input_id)
        store["seed_time"] = batch.seed_time.torch() if hasattr(batch, "seed_time") else None
