"""What the loaders of gls.pyg share: arguments, order, state, and the way out."""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, Iterator, Mapping, NoReturn, Optional

import torch

from gls._batch.batch import Batch
from gls._core.check import not_picklable, whole_number
from gls._core.devices import CPU, device_name, device_of
from gls._core.trainer import trainer as which_trainer
from gls._loading.loader import Loader
from gls._loading.stats import LoaderStats
from gls._sampling.sampler import Sampler
from gls.errors import Unsupported, invalid
from gls.pyg.arguments import fanouts_of, has_hops, no_neighbors, seed_of
from gls.pyg.epochs import Epoch
from gls.pyg.graph.attributes import rows_of
from gls.pyg.graph.inputs import tensor_from
from gls.pyg.graph.output import collate_output, output_of, without_hops
from gls.pyg.graph.repeats import has_repeats, unfold, with_repeats
from gls.pyg.graph.reverse import forget_joined_ids, reverse_types_of
from gls.pyg.graph.source import Source
from gls.pyg.graph.words import OF_NODES
from gls.pyg.order import Order, samplers_of
from gls.types import TypePairs

_SUBGRAPHS = {"directional": "sampled", "bidirectional": "bidirectional", "induced": "induced"}


class PygLoader:
    """Batches of a native loader as PyG's objects."""

    _argument_names: Mapping[str, str] = OF_NODES
    _order: Optional[Order] = None  # what a sampler of PyTorch says
    _last_epoch: "Optional[weakref.ref[Epoch]]" = None
    _seeds: Any = (None, None)  # type and nodes, of loaders of nodes
    # Of seeds of several types, by type: what `input_id` is of each position; None: the position.
    _several: Optional[Dict[Any, Optional[torch.Tensor]]] = None
    _no_hops = False
    _of_links = False
    _unfolds = False  # whether a seed that occurs twice in a batch has two nodes
    # Of DataLoader, for trainers that look at them: there are no worker processes.
    #: :meta private:
    multiprocessing_context = None
    #: :meta private:
    persistent_workers = False
    #: :meta private:
    prefetch_factor: Optional[int] = None
    #: :meta private:
    pin_memory = False
    #: :meta private:
    worker_init_fn = None
    #: :meta private:
    timeout = 0
    transform_sampler_output: Optional[Callable[[Any], Any]] = None
    """What changes a batch before its attributes are gathered."""

    def _prepare(
        self,
        source: Source,
        num_neighbors: Any,
        options: Mapping[str, Any],
        *,
        batch_size: int = 1,
        shuffle: bool = False,
        replace: bool = False,
        subgraph_type: Any = "directional",
        directed: bool = True,
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
        time_attr: Optional[str] = None,
        weight_attr: Optional[str] = None,
        transform: Optional[Callable[[Any], Any]] = None,
        reverse_types: Optional[TypePairs] = None,
    ) -> None:
        """Keeps what the native loader and sampler are made with."""
        kind = getattr(subgraph_type, "value", subgraph_type) if directed else "induced"
        if kind not in _SUBGRAPHS:
            expected = ", ".join(map(repr, _SUBGRAPHS))
            raise invalid("subgraph_type", f"{kind!r} is not one of {expected}")
        if temporal_strategy not in ("uniform", "last"):
            raise invalid("temporal_strategy", f"{temporal_strategy!r} is not 'uniform' or 'last'")
        num_workers, prefetch_factor = options["num_workers"], options["prefetch_factor"]
        if prefetch_factor is not None:
            whole_number("prefetch_factor", prefetch_factor, 1, 32)
        rank, world_size = options["rank"], options["world_size"]
        trainer = which_trainer(rank, world_size if isinstance(rank, int) else None)
        seed, device, pad = options["seed"], options["device"], options["pad"]
        if seed is None:
            seed = seed_of(options["generator"], shared=trainer[1] > 1)
        self.transform = transform
        self.num_workers = num_workers
        place = device_of(source.dataset.device if device is None else device)
        self._device = None if place == CPU else torch.device(device_name(place))
        self._pin = (
            bool(options["pin_memory"]) and self._device is None and torch.cuda.is_available()
        )
        self._source = source
        self._num_neighbors = num_neighbors
        self._words = source.words(self._argument_names, weight_attr, time_attr)
        self._fanouts = fanouts_of(num_neighbors)
        self._options: Dict[str, Any] = {
            "replace": replace,
            "disjoint": disjoint,
            "weight_attr": source.edge_column(weight_attr, "weight_attr"),
            "seed": seed,
            "with_edge_ids": True,
            "subgraph": _SUBGRAPHS[kind],
            "reverse_types": reverse_types_of(source, reverse_types, kind == "bidirectional"),
        }
        for name in ("pick", "batch_dependency", "layer_dependent"):
            if name in options:
                self._options[name] = options[name]
        if time_attr is not None:
            self._options.update(source.times(time_attr), time_strategy=temporal_strategy)
        elif temporal_strategy != "uniform":
            raise invalid("temporal_strategy", "there is no time_attr")
        self._loading: Dict[str, Any] = {
            "batch_size": batch_size,
            "shuffle": shuffle,
            "drop_last": options["drop_last"],
            "columns": source.requests,
            "num_workers": num_workers or None,
            "prefetch": prefetch_factor * num_workers if prefetch_factor and num_workers else None,
            "prefetch_bytes": options["prefetch_bytes"],
            "made_by": options["made_by"],
            "device": device_name(place),
            "rank": trainer[0],
            "world_size": trainer[1],
            "even": options["even"],
            "pad": pad,
        }
        source.gathered = {(request.type, request.name) for request in source.requests}
        if pad:
            if source.adjacency:
                raise Unsupported("pad: given with adj_t; use it with edge_index")
            _check_names(source)
        if kind == "bidirectional":
            with self._words:
                forget_joined_ids(source, self._options["reverse_types"])
        self._sampler: Optional[Sampler] = None
        self._calls = 0

    def _native(self, positions: Optional[torch.Tensor] = None, **loading: Any) -> Loader:
        """A native loader whose batches become PyG's; or of some seeds, by their positions, with other
        options of loading."""
        raise NotImplementedError

    def _seeds_at(self, positions: Optional[torch.Tensor]) -> Any:
        """The seeds of a loader of nodes; or some of them."""
        if positions is None:
            return self._seeds
        node_type, nodes = self._seeds
        if isinstance(nodes, str):
            nodes = self._source.dataset.id_set(nodes, node_type).torch()
        return node_type, positions if nodes is None else nodes[positions]

    def _refuse_several(self, given: Mapping[str, Any]) -> None:
        """What loaders of seeds of several types do not take."""
        for name, value in given.items():
            if value is not None and value is not False:
                raise Unsupported(
                    f"{name}: given with seeds of several types, whose positions are those in the list "
                    "of their type",
                    detail={"argument": name},
                )

    def _start(self, input_id: Optional[torch.Tensor], what: str) -> None:
        with self._words:
            loader = self._native()
        if input_id is not None and input_id.numel() != loader.num_seeds:
            raise invalid(
                "input_id", f"{input_id.numel()} entries for {loader.num_seeds} input {what}"
            )
        self.native: Loader = loader
        self.sampler, self.batch_sampler = samplers_of(self._order, loader.num_seeds, self._loading)
        self.drop_last: bool = self._loading["drop_last"]
        # Where Lightning keeps the first argument of DataLoader(), for loaders that it makes anew.
        setattr(self, "__dataset", range(loader.num_seeds))
        self._input_id = None if input_id is None else self._delivered(input_id)
        if self._device is not None:  # now that there is one
            self._source.deliver_on(self._device)

    def _take_no_hops(self) -> None:
        """Just the seeds, where `num_neighbors` is empty."""
        if self._options["subgraph"] != "induced" and not has_hops(self._fanouts):
            self._no_hops, self._fanouts = True, no_neighbors(self._fanouts)

    def _transform_output_by(self, function: Optional[Callable[[Any], Any]]) -> None:
        """What changes a batch before its attributes are gathered."""
        if function is None:
            return
        if not self._source.built or self._loading["pad"]:
            given = "pad" if self._source.built else self._source.what
            raise Unsupported(
                f"transform_sampler_output: given with {given}; use it with Data or HeteroData, without pad",
                detail={"argument": "transform_sampler_output"},
            )
        if self._source.adjacency:
            raise Unsupported(
                "transform_sampler_output: given with adj_t; use it with edge_index",
                detail={"argument": "transform_sampler_output"},
            )
        self._loading["columns"] = []  # of other nodes and edges, maybe
        self.transform_sampler_output = function

    def _delivered(self, tensor: torch.Tensor) -> torch.Tensor:
        """A tensor that batches take rows of, where they lie."""
        return tensor if self._device is None else tensor.to(self._device)

    def __len__(self) -> int:
        return len(self.native if self._order is None else self._order)

    def __iter__(self) -> Iterator[Any]:
        if self._order is not None:
            return self._order.batches(self)
        self._drop_columns()
        last = None if self._last_epoch is None else self._last_epoch()
        if last is not None:
            last.move_away()
        epoch = Epoch(self)
        self._last_epoch = weakref.ref(epoch)
        return epoch

    def _drop_columns(self) -> None:
        """Before the first epoch, has GLS gather only what the caller's object still has."""
        wanted, before = self._source.requests_now, self.native
        if wanted == self._loading["columns"] or before.stats.batches > 0 or before._resumes:
            return
        if self.transform_sampler_output is not None:  # after which PyTorch gathers
            return
        self._loading["columns"] = wanted
        self._source.gathered = {(request.type, request.name) for request in wanted}
        with self._words:
            self.native = self._native()
        self.native.set_epoch(before._next_epoch)
        before.close()

    def __call__(self, index: Any) -> Any:
        """The batch of some of the seeds, given by their positions."""
        self._refuse_several({"index": index} if self._several is not None else {})
        if not self._source.built:
            raise Unsupported(f"a loader of {self._source.what} is not callable: use gls.Sampler")
        positions = tensor_from(index, "index").long().view(-1)
        outside = (positions < 0) | (positions >= self.native.num_seeds)
        if outside.any():
            bad = int(positions[outside][0])
            raise invalid("index", f"{bad} is outside 0 .. {self.native.num_seeds - 1}")
        with self._words:
            if self._sampler is None:
                self._sampler = Sampler(self._source.dataset, self._fanouts, **self._options)
            self._calls += 1
            batch = self._sample(self._sampler, positions, 2**63 + self._calls)
        return self._finish(batch, positions, gathered=False)

    def _sample(self, sampler: Sampler, positions: torch.Tensor, number: int) -> Batch:
        raise NotImplementedError

    def _finish(
        self, batch: Batch, positions: Optional[torch.Tensor] = None, *, gathered: bool = True
    ) -> Any:
        """A batch as the caller gets it; `gathered`: it is of a loader, as a sampler gathers nothing."""
        if self._several is not None:
            return self._finish_several(batch, self._several)
        if positions is None:
            positions = batch.input_id.torch()
        padded = batch.padding != "none"
        input_id = (
            positions if self._input_id is None else rows_of(self._input_id, 0, positions, padded)
        )
        if padded and self._input_id is not None:
            input_id.masked_fill_(positions < 0, -1)
        out = self._collate(batch, gathered, input_id)
        if self._no_hops:
            without_hops(out)
        if padded:
            _check_names(self._source)
            out["overflow"] = batch.padding == "overflow"
        self._add_seeds(out, batch, input_id)
        if self._device is not None and batch.device == "cpu":  # of __call__()
            out = out.to(self._device)
        if self._pin:
            out = out.pin_memory()
        return out if self.transform is None else self.transform(out)

    def _finish_several(self, batch: Batch, names: Mapping[Any, Optional[torch.Tensor]]) -> Any:
        """A batch of seeds of several types."""
        out = self._collate(batch, True, torch.empty(0, dtype=torch.long))
        if self._no_hops:
            without_hops(out)
        arrays = batch.edges if self._of_links else batch.nodes
        input_ids = {}
        for key, own in names.items():
            positions = arrays[key].input_id.torch()
            named = None if own is None else self._delivered(own)
            input_ids[key] = positions if named is None else rows_of(named, 0, positions, False)
        self._add_several(out, batch, input_ids)
        if self._pin:
            out = out.pin_memory()
        return out if self.transform is None else self.transform(out)

    def _collate(self, batch: Batch, gathered: bool, input_id: torch.Tensor) -> Any:
        """The nodes and edges of a batch, with their attributes; `gathered`: it has columns of them."""
        again = self._unfolds and has_repeats(self._source, batch)
        if self.transform_sampler_output is None and not (again and self._source.built):
            out = self._source.collate(batch, gathered)
            return unfold(self._source, batch, out, self._options["subgraph"]) if again else out
        output = output_of(self._source, batch)
        if again:
            if self._source.adjacency:
                raise Unsupported(
                    "sampler: a seed occurs twice in a batch, which adj_t does not take"
                )
            with_repeats(self._source, batch, output, self._options["subgraph"])
        if self.transform_sampler_output is not None:
            output.metadata = (input_id, None)
            output = self.transform_sampler_output(output)
        out = collate_output(self._source, output)
        return out if self._device is None else out.to(self._device)

    def _add_seeds(self, out: Any, batch: Batch, input_id: torch.Tensor) -> None:
        raise NotImplementedError

    def _add_several(self, out: Any, batch: Batch, input_ids: Mapping[Any, torch.Tensor]) -> None:
        """The same of seeds of several types, where they are of loaders of nodes."""
        for node_type, input_id in input_ids.items():
            arrays, store = batch.nodes[node_type], self._source.store(out, node_type)
            store["input_id"] = input_id
            store["batch_size"] = arrays.batch_size
            if "seed" not in store:
                store["seed"] = arrays.seed.torch()
            store["seed_time"] = arrays.seed_time.torch() if hasattr(arrays, "seed_time") else None

    def _add_nodes(self, out: Any, batch: Batch, input_id: torch.Tensor) -> Any:
        """What all loaders of nodes add where these are; returns that place."""
        store = self._source.store(out, batch.input_type)
        store["input_id"] = input_id
        store["batch_size"] = len(input_id) if self._unfolds else batch.batch_size
        if "seed" not in store:
            seed = batch.seed.torch()
            store["seed"] = torch.arange(len(seed), device=seed.device) if self._unfolds else seed
        if batch.padding != "none":
            store["seed_mask"] = batch.seed_mask.torch()
        return store

    # ---- what PyG's loaders offer, as to ZipLoader ----

    def collate_fn(self, index: Any) -> Any:
        """The batch of some of the seeds, given by their positions."""
        return self(index)

    def filter_fn(self, out: Any) -> Any:
        """What :meth:`collate_fn` gave, which is a batch with its attributes already."""
        return out

    # ---- what DataLoader offers ----

    @property
    def data(self) -> Any:
        """What the loader was given. Of ``Data`` and ``HeteroData``, batches have the attributes that it has
        when they are handed out: those set, replaced or deleted since the loader was made, too."""
        return self._source.data

    @data.setter
    def data(self, data: Any) -> None:
        self._source.data = data

    @property
    def batch_size(self) -> int:
        """Seeds per batch; the last one of an epoch may have fewer."""
        return self.native.batch_size

    @property
    def dataset(self) -> range:
        """Positions of the seeds."""
        return range(self.native.num_seeds)

    # ---- what gls.NeighborLoader offers ----

    def set_epoch(self, epoch: int) -> None:
        """See :meth:`gls.NeighborLoader.set_epoch`."""
        if self._order is not None:
            self._order.epoch = whole_number("epoch", epoch, 0, 32)
            return
        self.native.set_epoch(epoch)

    def state_dict(self) -> Dict[str, Any]:
        """See :meth:`gls.NeighborLoader.state_dict`. Not of a loader whose seeds a sampler chooses."""
        self._refuse_order("state_dict")
        return self.native.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """See :meth:`gls.NeighborLoader.load_state_dict`."""
        self._refuse_order("load_state_dict")
        self.native.load_state_dict(state)

    def _refuse_order(self, method: str) -> None:
        if self._order is not None:
            raise Unsupported(
                f"{method}: the position of the loader is that of its sampler or batch_sampler, which GLS "
                "does not keep"
            )

    @property
    def stats(self) -> LoaderStats:
        """See :attr:`gls.NeighborLoader.stats`."""
        return self.native.stats

    def close(self) -> None:
        """See :meth:`gls.NeighborLoader.close`."""
        self.native.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable(
            f"pyg.{type(self).__name__}", "make it in the process that iterates over it"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


_ADDED_BY_PADDING = {
    *("node_mask", "edge_mask", "seed", "seed_mask", "overflow"),
    *("link_mask", "dst_neg_mask", "anchor_mask"),
}


def _check_names(source: Source) -> None:
    """That no attribute of the data is called as what padding adds."""
    names = {name for kind in source.nodes + source.edges for name in kind.attributes}
    names.update(name for store in source.template.stores for name in store.keys())
    for name in sorted(names & _ADDED_BY_PADDING):
        raise invalid("pad", f"the data has a {name!r} of its own; rename it")
