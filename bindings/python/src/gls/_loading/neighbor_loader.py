"""NeighborLoader: an epoch of batches, sampled and gathered ahead of the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from gls._core.options import takes
from gls._data.dataset import Dataset
from gls._loading.loader import Loader
from gls._loading.loader_options import NEIGHBOR_LOADER_DEFAULTS, NeighborLoaderOptions
from gls._loading.seed_list import node_seeds
from gls._loading.seed_rules import SeedRule
from gls.types import InputNodes, NumNeighbors, OfTypes

if TYPE_CHECKING:
    from typing_extensions import Unpack


class NeighborLoader(Loader):
    """Iterates over mini-batches of a graph; each ``iter()`` is the next epoch.

    The context's threads make batches ahead, in this process. The batches do not depend on the
    number of threads.

    Args:
        dataset: The graph.
        num_neighbors: Neighbours to take per hop, [15, 10]; or by edge type; -1 takes all.
        input_nodes: The seeds. None: all nodes; node ids; a mask of bool; the name of an id set,
            "train"; or (type, one of these). Where there are several node types, a name alone
            is a type. Seeds of several types are a mapping from the type to one of these. A batch
            then has `batch_size` seeds in all, and ``batch.nodes[type]`` has ``seed`` and ``input_id``.
        batch_size: Seeds per batch.
        shuffle: A new order each epoch, a function of `seed` and the epoch's number.
        drop_last: Omits a last batch that is not full.
        direction, replace, disjoint, weight_attr, seed, toward_seeds: See :class:`Sampler`.
        int32, exclude, exclude_mode, reverse_column, reverse_types, contract: See :class:`Sampler`.
        node_time, edge_time, time_strategy, time_strict, time_window: See :class:`Sampler`.
        subgraph, pick, batch_dependency, layer_dependent: See :class:`Sampler`.
        times: The time of each seed, if the sampler uses times. None: its row of the column
            `node_time`.
        with_edge_ids: Batches have the array ``edge``. None: if `columns` has a column of edges.
        columns: Columns to gather, by name or :class:`ColumnRequest`; [] for none. None: columns of
            role "feature" for all nodes (and edges, given their ids), labels for the seeds.
        num_workers: Batches in progress at once; None: as many as the context has threads, or at
            most 3 where a GPU samples.
        prefetch: Finished batches to keep ready, at most; None: two per worker, or 4 where a GPU
            samples and `num_workers` is None.
        prefetch_bytes: Bytes of batches in progress or ready, at most; None: 1 GiB, or a quarter of
            the memory available to the process if that is less.
        made_by: "here": on the context's threads. "servers": by the servers of a graph opened as
            "gls://host:port". They sample and gather; this process pads and transforms. A batch is
            one request, and `num_workers` is the number of requests in progress at once, 8 by
            default. The batches are equal.
        device: Where batches are delivered. "cpu": in memory of the host; "cuda:1", or a
            ``torch.device``: on that GPU; "cuda": on PyTorch's current one, else on that of
            LOCAL_RANK; see :data:`gls.Device`. The GPU also samples if it can. The batches are
            equal. None: where the dataset works.
        rank: Which of `world_size` trainers this is; they share each epoch. None: as
            torch.distributed says, if that is imported and initialised, else the only one. "env": as
            the environment variables RANK and WORLD_SIZE say.
        world_size: Given exactly when `rank` is a number.
        even: What to do about trainers having different numbers of batches: "none"; "drop" the last
            ones; "repeat" the first ones.
        pad: Batches of one shape: :class:`Pad`, or True for ``Pad()``.
        transform: A function that is called with each batch before delivery, on its own threads,
            ahead of the caller and for several batches at once. It may write into the arrays. It
            returns None or arrays to attach, by name: see :attr:`Batch.attached`. An exception is
            raised in place of the batch, and the next call returns the next batch. The batch ends
            with the call; its arrays may be kept. The function must not request batches from the
            loader.
        seed_rule: :class:`DrawnSeeds`: drawn anew for each batch. :class:`ClusteredSeeds`: the
            seeds of some clusters of nodes. None: each seed once in an epoch.
    """

    @takes(NeighborLoaderOptions, NEIGHBOR_LOADER_DEFAULTS)
    def __init__(
        self,
        dataset: Dataset,
        num_neighbors: NumNeighbors,
        input_nodes: InputNodes = None,
        *,
        times: OfTypes = None,
        seed_rule: Optional[SeedRule] = None,
        **options: Unpack[NeighborLoaderOptions],
    ) -> None:
        seeds = node_seeds(dataset, input_nodes, times)
        self._open(dataset, seeds, num_neighbors, options, seed_rule=seed_rule)
