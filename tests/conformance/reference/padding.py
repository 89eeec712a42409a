"""Section 4 of docs/contract.md, "Padding": batches of one shape."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Callable, Optional, Union

from reference import importance_batches, links, neighbors, order, seed_rules, walk_batches
from reference.neighbors import Graph, Options, Request, invalid, not_found

Json = dict[str, Any]
Row = Union[int, float, list[int], list[float]]
Sample = Callable[[Request], neighbors.Batch]


@dataclass
class Array:
    """One array of a batch; rows are numbers, or lists of `width` of them."""

    array: str
    type: str
    rows: list[Any]
    width: Optional[int] = None
    name: Optional[str] = None

    def to_json(self) -> Json:
        flat = self.rows if self.width is None else [x for row in self.rows for x in row]
        shape = [len(self.rows)] + ([] if self.width is None else [self.width])
        named = {} if self.name is None else {"name": self.name}
        return {"array": self.array, "type": self.type, **named, "shape": shape, "values": flat}


@dataclass
class Sizes:
    """Rows of padded arrays; those of nodes, edges and seeds by type."""

    inputs: int = 0  # B
    nodes: dict[str, int] = field(default_factory=dict)
    edges: dict[str, int] = field(default_factory=dict)
    near: dict[str, int] = field(default_factory=dict)
    seeds: dict[str, int] = field(default_factory=dict)
    negatives: int = 0  # p(B)


def width_of(options: Options, number: int, labels: list[Optional[list[list[int]]]]) -> int:
    """Length of the rows of a supervision."""
    supervision = options.supervisions[number]
    given = labels[number] if labels else None
    if supervision.edge_type is None:
        return len(given[0]) if given else 0
    if supervision.max_labels == 0:
        raise invalid("a supervision without max_labels")
    return supervision.max_labels


class Loader:
    """The batches of a case, and what they are padded to."""

    def __init__(self, case: Json, graph: Graph, options: Options, sample: Sample) -> None:
        self.graph, self.options, self.sample = graph, options, sample
        given = case["loader"]
        self.type, self.of_links = given["type"], given.get("links", False)
        self.batch_size = given["batch_size"]
        self.labels: list[Optional[list[list[int]]]] = given.get("labels", [])
        self.clusters: Optional[list[int]] = given.get("clusters")
        self.batches: Optional[int] = given.get("batches")  # of drawn seeds
        self.drop_last = given.get("drop_last", False)
        self.shuffle = given.get("shuffle", False)
        if self.of_links:
            count = len(graph.edge_type(self.type).source)
        else:
            count = graph.node_types[self.type]
        self.ids = list(given.get("ids", range(count)))
        self.num_batches = self.positions(0, 0)[0]

    def positions(self, epoch: int, batch: int) -> tuple[int, list[int]]:
        """Batches of an epoch, and the positions of the seeds of one of them."""
        key, count = (self.options.seed, epoch), len(self.ids)
        seeds = seed_rules.Seeds(self.graph, self.type, self.of_links, self.ids)
        if self.batches is not None:
            real, (shown,) = seed_rules.drawn(
                seeds, self.batch_size, self.batches, None, None, key, [batch]
            )
            return real, shown
        if self.clusters is not None:
            real, (shown,) = seed_rules.clustered(
                seeds,
                self.batch_size,
                self.clusters,
                self.drop_last,
                key if self.shuffle else None,
                [batch],
            )
            return real, shown
        permutation = order.shuffled(count, *key) if self.shuffle else None
        real = order.count_batches(count, self.batch_size, self.drop_last)
        return real, order.seed_positions(batch, count, self.batch_size, permutation)

    def make(self, epoch: int, batch: int) -> tuple[neighbors.Batch, list[int]]:
        """A batch without padding, and the positions of its seeds."""
        positions = self.positions(epoch, batch)[1]
        ids = [self.ids[i] for i in positions]
        request = Request(seeds=[], epoch=epoch, batch=batch)
        if self.of_links:
            request.links = links.Links(self.type, ids=ids)
        else:
            request.seeds = [(self.type, ids)]
            if self.options.temporal:
                times = self.graph.node_columns[self.type]["time"]
                request.times = [[times[node] for node in ids]]
            request.labels = [rows and [rows[i] for i in positions] for rows in self.labels]
        return self.sample(request), positions

    # ---- sizes ----

    def sizes(self, pad: Json) -> Sizes:
        """What arrays are padded to."""
        given = dict(pad.get("sizes", []))
        if any(rows < 1 for rows in given.values()):
            raise invalid("a size below 1")
        for name in given:
            if name not in self.graph.node_types:
                if all(name != edge_type.name for edge_type in self.graph.edge_types):
                    raise not_found(f"no type {name}")
        out = Sizes(inputs=self.batch_size)
        out.nodes = {name: given.get(name, 0) for name in self.graph.node_types}
        out.edges = {t.name: given.get(t.name, 0) for t in self.graph.edge_types}
        self.size_seeds(out)
        options = self.options
        has_edges = options.importance is None and options.ppr is None
        has_edges &= options.walk is None or options.subgraph == neighbors.INDUCED
        near = [self.type] if options.importance is not None else []
        near += self.graph.node_types if options.ppr is not None else []
        wanted = [(out.nodes, name) for name, rows in out.nodes.items() if rows == 0]
        wanted += [(out.edges, name) for name, rows in out.edges.items() if rows == 0 and has_edges]
        if wanted or near:
            self.estimate(pad, out, wanted, near)
        if self.clusters is not None:
            out.inputs = out.nodes[self.type]
            self.size_seeds(out)
        return out

    def size_seeds(self, out: Sizes) -> None:
        inputs, options = out.inputs, self.options
        if not self.of_links:
            out.seeds = {self.type: inputs}
            for number, supervision in enumerate(options.supervisions):
                if supervision.edge_type is not None:
                    name = self.graph.edge_type(supervision.edge_type).target_type
                else:
                    name = supervision.node_type or next(iter(self.graph.node_types))
                rows = inputs * width_of(options, number, self.labels)
                out.seeds[name] = out.seeds.get(name, 0) + rows
            return
        edge_type = self.graph.edge_type(self.type)
        negatives = options.negatives
        if negatives.mode == links.BINARY:
            out.negatives = math.ceil(Fraction(float(inputs) * negatives.amount))
        out.seeds = {edge_type.source_type: 0, edge_type.target_type: 0}
        for name in (edge_type.source_type, edge_type.target_type):
            out.seeds[name] += inputs + out.negatives
        if negatives.mode == links.TRIPLET:
            out.seeds[edge_type.target_type] += inputs * int(negatives.amount)

    def estimate(
        self, pad: Json, out: Sizes, wanted: list[tuple[dict[str, int], str]], near: list[str]
    ) -> None:
        count = min(pad.get("batches", 16), self.num_batches)
        if count == 0:
            raise invalid("no batches to estimate from")
        seen = [self.make(0, i * self.num_batches // count)[0] for i in range(count)]

        def size(rows: Callable[[neighbors.Batch], int]) -> int:
            total = squares = 0.0
            for batch in seen:
                total += float(rows(batch))
                squares += float(rows(batch)) * float(rows(batch))
            mean = total / float(count)
            variance = max(0.0, squares / float(count) - mean * mean)
            most = math.ceil(mean + float(pad.get("sigma", 3)) * math.sqrt(variance)) + 1
            multiple = pad.get("multiple", 64)
            return int(-(-most // multiple) * multiple)

        for sizes, name in wanted:
            if sizes is out.nodes:
                sizes[name] = size(lambda batch: len(batch.nodes[name].node))
            else:
                sizes[name] = size(lambda batch: len(batch.edges[name].row))
        for name in near:
            out.near[name] = size(lambda batch: near_of(batch, name))


def near_of(batch: neighbors.Batch, name: str) -> int:
    assert isinstance(batch, importance_batches.NearBatch)
    return len(batch.near[name].near_node)


class Padder:
    """Lists the arrays of one batch, with what is added and with masks."""

    def __init__(self, loader: Loader, sizes: Sizes, batch: neighbors.Batch, n: int) -> None:
        self.loader, self.sizes, self.batch, self.n = loader, sizes, batch, n
        self.fits = self.does_fit()
        self.spare = {name: len(arrays.node) for name, arrays in batch.nodes.items()}
        self.arrays: list[Array] = []

    def does_fit(self) -> bool:
        sizes, batch = self.sizes, self.batch
        fit = all(len(a.node) < sizes.nodes[name] for name, a in batch.nodes.items())
        fit &= all(len(batch.nodes[name].seed) <= rows for name, rows in sizes.seeds.items())
        fit &= all(len(a.row) <= sizes.edges[name] for name, a in batch.edges.items())
        fit &= all(near_of(batch, name) <= rows for name, rows in sizes.near.items())
        return fit and self.n <= sizes.inputs

    def add(
        self,
        array: str,
        type: str,
        rows: list[Any],
        total: int,
        added: Any,
        width: Optional[int] = None,
        head: Optional[int] = None,
        at: int = 0,
        name: Optional[str] = None,
    ) -> None:
        """`rows`, filled up to `total` with `added`; those after the first `head` begin at `at`."""
        if self.fits:
            first = len(rows) if head is None else head
            out = rows[:first]
            if head is not None:
                out = out + [added] * (at - first) + rows[first:]
            rows = out + [added] * (total - len(out))
        self.arrays.append(Array(array, type, rows, width, name))

    def mask(self, array: str, type: str, real: int, total: int, **places: Any) -> None:
        self.add(array, type, [1] * real, total, 0, **places)

    def run(self) -> list[Array]:
        for name in self.batch.nodes:
            self.nodes(name)
        for name in self.batch.edges:
            self.edges(name)
        if self.batch.links is not None:
            self.links(*self.batch.links)
        if isinstance(self.batch, walk_batches.WalkBatch) and self.batch.walks is not None:
            self.walks(*self.batch.walks)
        if isinstance(self.batch, importance_batches.NearBatch):
            for name, arrays in self.batch.near.items():
                self.near(name, arrays)
        if self.batch.labels is not None:
            self.labels(self.batch.labels)
        return self.arrays

    def nodes(self, name: str) -> None:
        arrays, sizes = self.batch.nodes[name], self.sizes
        total, spare = sizes.nodes[name], self.spare[name]
        self.add("node", name, arrays.node, total, -1)
        self.mask("node_mask", name, len(arrays.node), total)
        if arrays.batch is not None:
            trees = sum(len(own.seed) for own in self.batch.nodes.values())
            self.add("tree", name, arrays.batch, total, trees)
        seeds = sizes.seeds.get(name, 0)
        places: Json = {}
        if self.batch.labels is not None and name == self.loader.type:
            places = {"head": self.n, "at": sizes.inputs}
        self.add("seed", name, arrays.seed, seeds, spare, **places)
        if name in sizes.seeds:
            self.mask("seed_mask", name, len(arrays.seed), seeds, **places)
        if arrays.seed_time is not None:
            self.add("seed_time", name, arrays.seed_time, seeds, 0, **places)
        self.arrays.append(Array("num_nodes", name, arrays.num_sampled_nodes))

    def edges(self, name: str) -> None:
        arrays, total = self.batch.edges[name], self.sizes.edges[name]
        edge_type = self.loader.graph.edge_type(name)
        row, col = edge_type.source_type, edge_type.target_type
        if self.loader.options.toward_seeds and self.loader.options.direction == neighbors.OUT:
            row, col = col, row
        self.add("row", name, arrays.row, total, self.spare[row])
        self.add("col", name, arrays.col, total, self.spare[col])
        self.mask("edge_mask", name, len(arrays.row), total)
        if arrays.edge is not None:
            self.add("edge", name, arrays.edge, total, -1)
        self.arrays.append(Array("num_edges", name, arrays.num_sampled_edges))

    def links(self, name: str, arrays: links.LinkArrays) -> None:
        sizes, edge_type = self.sizes, self.loader.graph.edge_type(name)
        total = sizes.inputs + sizes.negatives
        places: Json = {"head": self.n, "at": sizes.inputs}
        target = self.spare[edge_type.target_type]
        self.add(
            "link_source", name, arrays.source, total, self.spare[edge_type.source_type], **places
        )
        self.add("link_target", name, arrays.target, total, target, **places)
        self.mask("link_mask", name, len(arrays.source), total, **places)
        if arrays.negative is not None:
            width = int(self.loader.options.negatives.amount)
            rows = arrays.negative
            self.add("link_negative", name, rows, sizes.inputs, [target] * width, width)
            found = [[int(node >= 0) for node in row] for row in rows]
            self.add("link_negative_mask", name, found, sizes.inputs, [0] * width, width)
        if arrays.label is not None:
            self.add("link_label", name, arrays.label, total, 0.0, **places)

    def walks(self, name: str, arrays: walk_batches.WalkArrays) -> None:
        walk = self.loader.options.walk
        assert walk is not None
        total = self.sizes.inputs * walk.walks
        length = walk.length or len(walk.path or [None])
        ended = [self.spare[name]] + [-1] * length
        self.add("walk", name, arrays.walk, total, ended, length + 1)
        if arrays.walk_edge is not None:
            self.add("walk_edge", name, arrays.walk_edge, total, [-1] * length, length)
        self.mask("walk_mask", name, len(arrays.walk), total)

    def near(self, name: str, arrays: importance_batches.NearArrays) -> None:
        total = self.sizes.near[name]
        self.add("near_seed", name, arrays.near_seed, total, self.spare[self.loader.type])
        self.add("near_node", name, arrays.near_node, total, self.spare[name])
        ppr = self.loader.options.ppr
        width = 2 + 3 * len(ppr.channels or []) if ppr is not None else 2
        self.add("near_score", name, arrays.near_score, total, [0.0] * width, width)
        self.mask("near_mask", name, len(arrays.near_node), total)

    def labels(self, labels: list[tuple[str, list[list[int]]]]) -> None:
        loader = self.loader
        for number, (name, rows) in enumerate(labels):
            supervision = loader.options.supervisions[number]
            width = width_of(loader.options, number, loader.labels)
            kind = f"anchor_{supervision.role}"
            at = supervision.array[0]
            self.add(kind, name, rows, self.sizes.inputs, [-1] * width, width, name=at)
        self.mask("anchor_mask", loader.type, self.n, self.sizes.inputs)


def replay_pad(case: Json, graph: Graph, options: Options, sample: Sample) -> Json:
    loader = Loader(case, graph, options, sample)
    sizes = loader.sizes(case["pad"])
    epoch = int(case["loader"].get("epoch", "0"))
    shown: list[Json] = []
    for number in case["show"]:
        if number >= loader.num_batches:
            raise ValueError(f"{case['name']}: there is no batch {number}")
        batch, positions = loader.make(epoch, number)
        padder = Padder(loader, sizes, batch, len(positions))
        arrays = padder.run()
        padder.add("input", loader.type, positions, sizes.inputs, -1)
        shown.append(
            {
                "padding": "fits" if padder.fits else "overflow",
                "arrays": [array.to_json() for array in arrays],
            }
        )
    return {"sizes": {**sizes.nodes, **sizes.edges}, "batches": shown}
