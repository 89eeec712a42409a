"""Section 3 of docs/contract.md: a batch. Slow and obvious on purpose; standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional, Union

from reference import anchors, labor, links, walks
from reference.importance import PPR, Importance
from reference.philox import RowDraws, batch_key, tree_key
from reference.picks import ALL, NEVER, ContractError, pick_uniform, pick_weighted

IN = "in"
OUT = "out"

SELF = "self"
REVERSE_ID = "reverse_id"
REVERSE_TYPES = "reverse_types"

UNIFORM = "uniform"
LAST = "last"

INDEPENDENT = "independent"
LAYER = "layer"

SAMPLED = "sampled"
INDUCED = "induced"
BIDIRECTIONAL = "bidirectional"

MAX_HOPS = 255


def invalid(message: str) -> ContractError:
    return ContractError("GLS_ERR_INVALID_ARGUMENT", message)


def not_found(message: str) -> ContractError:
    return ContractError("GLS_ERR_NOT_FOUND", message)


# ---- the graph ---------------------------------------------------------------------------------


@dataclass
class EdgeType:
    """Edge `e` goes from `source[e]` to `target[e]`; its row order is that of the ids."""

    name: str
    source: list[int]
    target: list[int]
    columns: dict[str, list[Union[int, float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.source_type, _, self.target_type = self.name.split("__")
        self._rows: dict[str, dict[int, list[int]]] = {}

    def near_type(self, direction: str) -> str:
        """Type of the frontier nodes."""
        return self.target_type if direction == IN else self.source_type

    def far_type(self, direction: str) -> str:
        """Type of the neighbours."""
        return self.source_type if direction == IN else self.target_type

    def row(self, direction: str, node: int) -> list[int]:
        """Ids of the edges of a node, in stored order: from the CSC for IN, the CSR for OUT."""
        if direction not in self._rows:
            rows: dict[int, list[int]] = {}
            for edge, near in enumerate(self.target if direction == IN else self.source):
                rows.setdefault(near, []).append(edge)
            self._rows[direction] = rows
        return self._rows[direction].get(node, [])

    def neighbour(self, direction: str, edge: int) -> int:
        return self.source[edge] if direction == IN else self.target[edge]


@dataclass
class Graph:
    """Node types (name to count) and edge types, both in the manifest's order."""

    node_types: dict[str, int]
    edge_types: list[EdgeType]
    node_columns: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    def edge_type(self, name: str) -> EdgeType:
        for edge_type in self.edge_types:
            if edge_type.name == name:
                return edge_type
        raise not_found(f"no edge type {name}")


# ---- options and request -----------------------------------------------------------------------


@dataclass
class Fanout:
    edge_type: Optional[str]
    per_hop: list[int]


@dataclass
class EdgeSet:
    """Edges of one type by id, or by source and target: then all parallel ones are meant."""

    edge_type: str
    ids: Optional[list[int]] = None
    pairs: Optional[tuple[list[int], list[int]]] = None


@dataclass
class Hgt:
    """Nodes to draw from budgets; an entry has `node_type`, None for all others, and `per_hop`."""

    samples: list[dict[str, Any]]
    most_neighbors: int = 50


@dataclass
class Options:
    fanouts: list[Fanout]
    seed: int = 0
    direction: str = IN
    replace: str = NEVER
    weight: Optional[str] = None
    edge_ids: bool = False
    disjoint: bool = False
    toward_seeds: bool = False
    exclude: list[EdgeSet] = field(default_factory=list)
    exclude_mode: str = SELF
    reverse_column: Optional[str] = None
    reverse_types: list[tuple[str, str]] = field(default_factory=list)
    node_time: Optional[str] = None
    edge_time: Optional[str] = None
    time_strict: bool = False
    time_window: int = 0
    time_strategy: str = UNIFORM
    subgraph: str = SAMPLED
    negatives: links.Negatives = field(default_factory=links.Negatives)
    exclude_links: bool = False
    supervisions: list[anchors.Supervision] = field(default_factory=list)
    walk: Optional[walks.Walk] = None  # see walk_batches.py
    pick: str = INDEPENDENT
    batch_dependency: int = 0
    layer_dependent: bool = False
    importance: Optional[Importance] = None  # see importance_batches.py
    ppr: Optional[PPR] = None
    hgt: Optional[Hgt] = None  # see hgt.py

    @property
    def temporal(self) -> bool:
        return self.node_time is not None or self.edge_time is not None


@dataclass
class Request:
    """Seed lists as (node type, ids), in the order given; `times` as many lists, or none."""

    seeds: list[tuple[str, list[int]]]
    epoch: int = 0
    batch: int = 0
    exclude: list[EdgeSet] = field(default_factory=list)
    times: list[Optional[list[int]]] = field(default_factory=list)
    links: Optional[links.Links] = None
    labels: list[Optional[list[list[int]]]] = field(default_factory=list)  # by supervision


def fanouts_by_type(graph: Graph, options: Options) -> dict[str, list[int]]:
    """Fanouts per hop of every edge type; an entry without a type covers those without one."""
    if not options.fanouts and options.subgraph == INDUCED:
        return {edge_type.name: [] for edge_type in graph.edge_types}
    default: Optional[list[int]] = None
    own: dict[str, list[int]] = {}
    for entry in options.fanouts:
        if not 1 <= len(entry.per_hop) <= MAX_HOPS:
            raise invalid(f"{len(entry.per_hop)} hops")
        if any(k < ALL for k in entry.per_hop):
            raise invalid(f"a fanout below -1 in {entry.per_hop}")
        if entry.edge_type is None:
            default = entry.per_hop
        else:
            own[graph.edge_type(entry.edge_type).name] = entry.per_hop
    result: dict[str, list[int]] = {}
    for edge_type in graph.edge_types:
        fanouts = own.get(edge_type.name, default)
        if edge_type.name in label_types(options):
            fanouts = own.get(edge_type.name, [0] * len(options.fanouts[0].per_hop))
            if any(fanouts):
                raise invalid(f"{edge_type.name} is for labels only")
        if fanouts is None:
            raise invalid(f"no fanouts for edge type {edge_type.name}")
        result[edge_type.name] = fanouts
    if len({len(entry.per_hop) for entry in options.fanouts}) != 1:
        raise invalid("fanout entries differ in the number of hops")
    return result


def label_types(options: Options) -> set[str]:
    """Edge types that are for labels only."""
    return {s.edge_type for s in options.supervisions if s.edge_type and not s.sampled}


def check_columns(graph: Graph, options: Options) -> None:
    for name in (options.weight, options.reverse_column):
        if name is not None and not any(name in t.columns for t in graph.edge_types):
            raise not_found(f"no edge type has a column {name}")


def check_seeds(graph: Graph, request: Request) -> None:
    types = [node_type for node_type, _ in request.seeds]
    if len(set(types)) != len(types):
        raise invalid("a node type is named twice")
    for node_type, ids in request.seeds:
        if node_type not in graph.node_types:
            raise not_found(f"no node type {node_type}")
        for position, node in enumerate(ids):
            if not 0 <= node < graph.node_types[node_type]:
                raise invalid(f"seed {position} of {node_type} is {node}")


def check_times(graph: Graph, options: Options, request: Request) -> None:
    has_edge_time = any(options.edge_time in t.columns for t in graph.edge_types)
    if options.edge_time is not None and not has_edge_time:
        raise not_found(f"no edge type has a column {options.edge_time}")
    has_node_time = any(options.node_time in c for c in graph.node_columns.values())
    if options.node_time is not None and not has_node_time:
        raise not_found(f"no node type has a column {options.node_time}")
    if options.time_window < 0:
        raise invalid(f"a window of {options.time_window}")
    asked = options.time_strict or options.time_window > 0 or options.time_strategy != UNIFORM
    if asked and not options.temporal:
        raise invalid("neither times of nodes nor of edges")
    if options.time_strategy == LAST and (options.weight or options.replace != NEVER):
        raise invalid("the last neighbours take neither weights nor replacement")
    times = request.times or [None] * len(request.seeds)
    for (node_type, seeds), given in zip(request.seeds, times):
        if options.temporal != (given is not None) or len(given or seeds) != len(seeds):
            raise invalid(f"times of the seeds of {node_type}")


def check_pick(options: Options) -> None:
    if options.pick == LAYER and (options.replace != NEVER or options.time_strategy == LAST):
        raise invalid("picking by layer takes neither replacement nor the last neighbours")
    if options.pick != LAYER and (options.batch_dependency != 0 or options.layer_dependent):
        raise invalid("only what is picked by layer can be dependent")


# ---- excluded edges ----------------------------------------------------------------------------


def named_edges(graph: Graph, edge_set: EdgeSet) -> list[int]:
    edge_type = graph.edge_type(edge_set.edge_type)
    if edge_set.ids is not None:
        for edge in edge_set.ids:
            if not 0 <= edge < len(edge_type.source):
                raise invalid(f"edge {edge} of {edge_type.name}")
        return edge_set.ids
    assert edge_set.pairs is not None
    pairs = set(zip(*edge_set.pairs))
    ends = zip(edge_type.source, edge_type.target)
    return [edge for edge, pair in enumerate(ends) if pair in pairs]


def reverse_edges(edge_type: EdgeType, options: Options, edges: list[int]) -> list[int]:
    column = edge_type.columns.get(options.reverse_column or "")
    if column is None:
        raise not_found(f"{edge_type.name} has no column {options.reverse_column}")
    reverse = [int(column[edge]) for edge in edges]
    for other in reverse:
        if not 0 <= other < len(edge_type.source):
            raise ContractError("GLS_ERR_CORRUPT_DATA", f"edge {other} of {edge_type.name}")
    return reverse


def paired_types(name: str, pairs: list[tuple[str, str]]) -> list[str]:
    """Types paired with `name`; a pair holds both ways."""
    return [b for a, b in pairs if a == name] + [a for a, b in pairs if b == name]


def mirror_of(edge_type: EdgeType, options: Options) -> Optional[str]:
    """The type whose edges are this one's backwards."""
    for one, other in options.reverse_types:
        if edge_type.name in (one, other):
            return other if edge_type.name == one else one
    return edge_type.name if edge_type.source_type == edge_type.target_type else None


def check_mirrors(graph: Graph, options: Options) -> None:
    if options.subgraph != BIDIRECTIONAL:
        return
    for names in options.reverse_types:
        one, other = (graph.edge_type(name) for name in names)
        if (one.source_type, one.target_type) != (other.target_type, other.source_type):
            raise invalid(f"{one.name} and {other.name} do not join the same types of nodes")


def excluded_edges(graph: Graph, options: Options, request: Request) -> dict[str, set[int]]:
    """Ids of the excluded edges of every edge type. What is added is not followed further."""
    excluded: dict[str, set[int]] = {t.name: set() for t in graph.edge_types}
    for edge_set in options.exclude + request.exclude:
        edge_type = graph.edge_type(edge_set.edge_type)
        edges = named_edges(graph, edge_set)
        excluded[edge_type.name].update(edges)
        if options.exclude_mode == REVERSE_ID:
            excluded[edge_type.name].update(reverse_edges(edge_type, options, edges))
        if options.exclude_mode == REVERSE_TYPES:
            for other in paired_types(edge_type.name, options.reverse_types):
                excluded[other].update(edges)
    return excluded


# ---- links -------------------------------------------------------------------------------------


def check_negatives(options: Options) -> None:
    negatives = options.negatives
    if negatives.mode is None:
        return
    whole = float(negatives.amount).is_integer()
    if not 0 < negatives.amount <= 2**20 or (negatives.mode == links.TRIPLET and not whole):
        raise invalid(f"amount {negatives.amount}")
    if not 1 <= negatives.tries <= 2048:
        raise invalid(f"{negatives.tries} tries")
    if not 0 <= negatives.degree_power <= 2 or not float(4 * negatives.degree_power).is_integer():
        raise invalid(f"degree to the power of {negatives.degree_power}")
    columns = (negatives.source_weight, negatives.target_weight)
    if negatives.oldest and not negatives.in_time:
        raise invalid("the oldest, but not in time")
    if negatives.in_time and options.node_time is None:
        raise invalid("in time, but no node_time")
    if negatives.degree_power and any(columns):
        raise invalid("weights are given twice")
    if negatives.mode == links.TRIPLET and negatives.source_weight is not None:
        raise invalid("triplets keep the source")


def ends_of(graph: Graph, given: links.Links) -> tuple[list[int], list[int]]:
    edge_type = graph.edge_type(given.edge_type)
    if given.ids is not None:
        for edge in given.ids:
            if not 0 <= edge < len(edge_type.source):
                raise invalid(f"edge {edge} of {edge_type.name}")
        return [edge_type.source[e] for e in given.ids], [edge_type.target[e] for e in given.ids]
    assert given.pairs is not None
    for name, nodes in zip((edge_type.source_type, edge_type.target_type), given.pairs):
        for node in nodes:
            if not 0 <= node < graph.node_types[name]:
                raise invalid(f"node {node} of {name}")
    return given.pairs


def end_draw(graph: Graph, edge_type: EdgeType, options: Options, source: bool) -> links.End:
    negatives = options.negatives
    node_type = edge_type.source_type if source else edge_type.target_type
    column = negatives.source_weight if source else negatives.target_weight
    count = graph.node_types[node_type]
    if column is not None:
        columns = graph.node_columns.get(node_type, {})
        if column not in columns:
            raise not_found(f"{node_type} has no column {column}")
        weights: Optional[list[float]] = [float(w) for w in columns[column]]
    else:
        weights = degree_weights(edge_type, count, negatives, source)
    times = graph.node_columns.get(node_type, {}).get("time") if negatives.in_time else None
    if times is not None:
        return links.in_order(
            [int(time) for time in times], weights, options.time_strict, negatives.oldest
        )
    draw = links.uniform(count) if weights is None else links.weighted(weights)
    return lambda time: draw


def degree_weights(
    edge_type: EdgeType, count: int, negatives: links.Negatives, source: bool
) -> Optional[list[float]]:
    """None: nodes are drawn uniformly."""
    quarters = int(4 * negatives.degree_power)
    if quarters == 0:
        return None
    degrees = [0] * count
    for node in edge_type.source if source else edge_type.target:
        degrees[node] += 1
    return [links.degree_power(degree, quarters) for degree in degrees]


@dataclass
class LinkPlaces:
    """A request of seeds that stands for one of links, and where in its lists each link is."""

    request: Request
    source: list[int]
    target: list[int]
    negative: Optional[list[list[int]]]
    label: Optional[list[Union[int, float]]]
    types: tuple[str, str]

    def arrays(self, nodes: dict[str, "NodeArrays"]) -> links.LinkArrays:
        sources, targets = (nodes[name].seed for name in self.types)
        negative = self.negative
        if negative is not None:
            negative = [[-1 if place < 0 else targets[place] for place in row] for row in negative]
        return links.LinkArrays(
            [sources[place] for place in self.source],
            [targets[place] for place in self.target],
            negative,
            self.label,
        )


def seeds_of_links(graph: Graph, options: Options, request: Request) -> LinkPlaces:
    given, negatives = request.links, options.negatives
    assert given is not None
    if request.seeds:
        raise invalid("links are given and seeds, too")
    edge_type = graph.edge_type(given.edge_type)
    sources, targets = ends_of(graph, given)
    count = len(sources)
    for extra in (given.labels, given.times):
        if extra is not None and len(extra) != count:
            raise invalid(f"{len(extra)} labels or times of {count} links")
    edges = set(zip(edge_type.source, edge_type.target))
    if negatives.in_time:
        if given.times is None and count > 0:
            raise invalid("no times")
        drawn_types = [edge_type.target_type]
        if negatives.mode == links.BINARY:
            drawn_types.append(edge_type.source_type)
        if not any("time" in graph.node_columns.get(name, {}) for name in drawn_types):
            raise invalid("in time, but nothing that is drawn has times")
    drawing = links.Drawing(
        negatives,
        batch_key(options.seed, request.epoch, request.batch),
        graph.edge_types.index(edge_type),
        end_draw(graph, edge_type, options, True)
        if negatives.mode == links.BINARY
        else lambda time: None,
        end_draw(graph, edge_type, options, False)
        if negatives.mode is not None
        else lambda time: None,
        given.times,
        lambda source, target: (source, target) in edges,
    )
    types = (edge_type.source_type, edge_type.target_type)
    lists: list[list[int]] = [[]] if types[0] == types[1] else [[], []]
    times: list[list[int]] = [[] for _ in lists]

    def add(end: int, node: int, link: int) -> int:
        if node < 0:
            return -1
        lists[-end].append(node)
        if given.times is not None:
            times[-end].append(given.times[link])
        return len(lists[-end]) - 1

    drawn: list[tuple[int, int, int]] = []
    if negatives.mode == links.BINARY:
        pairs = drawing.binary(count)
        drawn = [(*pair, i % count) for i, pair in enumerate(pairs) if pair is not None]
    source = [add(0, node, i) for i, node in enumerate(sources)]
    if len(lists) == 2:
        source += [add(0, node, link) for node, _, link in drawn]
    target = [add(1, node, i) for i, node in enumerate(targets)]
    if len(lists) == 1:
        source += [add(0, node, link) for node, _, link in drawn]
    target += [add(1, node, link) for _, node, link in drawn]
    negative: Optional[list[list[int]]] = None
    if negatives.mode == links.TRIPLET:
        rows = drawing.triplets(sources)
        negative = [[add(1, node, i) for node in row] for i, row in enumerate(rows)]
    label: Optional[list[Union[int, float]]] = None
    if given.labels is not None:
        label = [*given.labels, *[0] * len(drawn)]
    elif negatives.mode == links.BINARY:
        label = [1.0] * count + [0.0] * len(drawn)
    exclude = list(request.exclude)
    if options.exclude_links:
        exclude.append(EdgeSet(edge_type.name, given.ids, given.pairs))
    names = types[: len(lists)]
    return LinkPlaces(
        Request(
            list(zip(names, lists)),
            request.epoch,
            request.batch,
            exclude,
            [None if given.times is None else own for own in times],
            given,
        ),
        source,
        target,
        negative,
        label,
        types,
    )


# ---- anchors -----------------------------------------------------------------------------------


@dataclass
class AnchorPlaces:
    """A request with the labels of its seeds, and where in its lists they are, by supervision."""

    request: Request
    places: list[tuple[str, list[list[int]]]]

    def arrays(self, nodes: dict[str, "NodeArrays"]) -> list[list[list[int]]]:
        return [
            [[-1 if place < 0 else nodes[name].seed[place] for place in row] for row in rows]
            for name, rows in self.places
        ]


def rows_of_labels(
    graph: Graph, options: Options, request: Request, seeds: list[int], number: int
) -> tuple[str, list[list[int]]]:
    """Node type and padded rows of labels of supervision `number`."""
    supervision = options.supervisions[number]
    given = request.labels[number] if request.labels else None
    if supervision.edge_type is not None:
        if given is not None:
            raise invalid("labels for an edge type")
        edge_type = graph.edge_type(supervision.edge_type)
        key = batch_key(options.seed, request.epoch, request.batch)
        at = graph.edge_types.index(edge_type)
        rows = [anchors.find(edge_type, at, a, supervision.max_labels, key) for a in seeds]
        return edge_type.target_type, anchors.padded(rows, supervision.max_labels)
    node_type = supervision.node_type or next(iter(graph.node_types))
    if node_type not in graph.node_types:
        raise not_found(f"no node type {node_type}")
    if given is None or len(given) != len(seeds):
        raise invalid("a row of labels for each anchor")
    for label in (label for row in given for label in row):
        if not -1 <= label < graph.node_types[node_type]:
            raise invalid(f"label {label} of {node_type}")
    return node_type, given


def seeds_of_anchors(graph: Graph, options: Options, request: Request) -> AnchorPlaces:
    types = {edge_type.name: edge_type for edge_type in graph.edge_types}
    for supervision in options.supervisions:
        if supervision.edge_type is not None:
            graph.edge_type(supervision.edge_type)
    anchors.check(options.supervisions, types, options.negatives.mode)
    if request.links is not None or len(request.seeds) > 1:
        raise invalid("anchors are seeds of one type")
    if request.labels and len(request.labels) != len(options.supervisions):
        raise invalid("labels of other supervisions")
    check_seeds(graph, request)
    check_times(graph, options, request)
    node_type, seeds = request.seeds[0] if request.seeds else ("", [])
    times = request.times[0] if request.times else None
    for supervision in options.supervisions:
        if supervision.edge_type is not None and request.seeds:
            if types[supervision.edge_type].source_type != node_type:
                raise invalid(f"anchors of type {node_type}")
    lists: dict[str, list[int]] = {node_type: list(seeds)} if request.seeds else {}
    list_times: dict[str, list[int]] = {node_type: list(times or [])}
    exclude = list(request.exclude)
    places: list[tuple[str, list[list[int]]]] = []
    for number, supervision in enumerate(options.supervisions):
        label_type, rows = rows_of_labels(graph, options, request, seeds, number)
        placed: list[list[int]] = []
        for i, row in enumerate(rows):
            placed.append([])
            for label in row:
                placed[-1].append(-1)
                if label >= 0:
                    placed[-1][-1] = len(lists.setdefault(label_type, []))
                    lists[label_type].append(label)
                    if times is not None:
                        list_times.setdefault(label_type, []).append(times[i])
        places.append((label_type, placed))
        if supervision.sampled and supervision.edge_type is not None:
            ends = [(a, label) for a, row in zip(seeds, rows) for label in row if label >= 0]
            pairs = ([a for a, _ in ends], [label for _, label in ends])
            exclude.append(EdgeSet(supervision.edge_type, pairs=pairs))
    return AnchorPlaces(
        Request(
            list(lists.items()),
            request.epoch,
            request.batch,
            exclude,
            [None if times is None else list_times[name] for name in lists],
        ),
        places,
    )


# ---- a batch -----------------------------------------------------------------------------------

# A node of a batch: its tree (None unless disjoint) and its dataset id.
Identity = tuple[Optional[int], int]


class LocalIds:
    """The numbering of one node type."""

    def __init__(self) -> None:
        self.identities: list[Identity] = []
        self._local: dict[Identity, int] = {}

    def meet(self, identity: Identity) -> int:
        """The number of a node, which is the next one if it has none yet."""
        if identity not in self._local:
            self._local[identity] = len(self.identities)
            self.identities.append(identity)
        return self._local[identity]

    def find(self, identity: Identity) -> Optional[int]:
        return self._local.get(identity)

    def __len__(self) -> int:
        return len(self.identities)


@dataclass
class NodeArrays:
    node: list[int] = field(default_factory=list)
    num_sampled_nodes: list[int] = field(default_factory=list)
    seed: list[int] = field(default_factory=list)
    batch: Optional[list[int]] = None
    seed_time: Optional[list[int]] = None


@dataclass
class EdgeArrays:
    row: list[int] = field(default_factory=list)
    col: list[int] = field(default_factory=list)
    num_sampled_edges: list[int] = field(default_factory=list)
    edge: Optional[list[int]] = None


@dataclass
class Batch:
    nodes: dict[str, NodeArrays]
    edges: dict[str, EdgeArrays]
    links: Optional[tuple[str, links.LinkArrays]] = None
    labels: Optional[list[tuple[str, list[list[int]]]]] = None  # node type and rows


class _Sampling:
    """One batch in the making."""

    def __init__(self, graph: Graph, options: Options, request: Request) -> None:
        check_columns(graph, options)
        check_negatives(options)
        check_mirrors(graph, options)
        check_pick(options)
        if request.links is not None:
            self.link_places = seeds_of_links(graph, options, request)
            request = self.link_places.request
        if options.supervisions:
            self.anchor_places = seeds_of_anchors(graph, options, request)
            request = self.anchor_places.request
        elif request.labels:
            raise invalid("labels, but no supervisions")
        self.fanouts = fanouts_by_type(graph, options)
        check_seeds(graph, request)
        check_times(graph, options, request)
        self.disjoint = options.disjoint or options.temporal
        self.tree_times: list[int] = []
        self.graph, self.options, self.request = graph, options, request
        self.excluded = excluded_edges(graph, options, request)
        self.ids = {name: LocalIds() for name in graph.node_types}
        self.nodes = {name: NodeArrays() for name in graph.node_types}
        self.edges = {t.name: EdgeArrays() for t in graph.edge_types}
        if options.edge_ids:
            for arrays in self.edges.values():
                arrays.edge = []

    def run(self) -> Batch:
        self.number_seeds()
        begin = {name: 0 for name in self.ids}
        num_hops = max(len(per_hop) for per_hop in self.fanouts.values())
        for hop in range(num_hops):
            end = {name: len(ids) for name, ids in self.ids.items()}
            for number, edge_type in enumerate(self.graph.edge_types):
                near = edge_type.near_type(self.options.direction)
                frontier = range(begin[near], end[near])
                self.expand(hop, number, edge_type, frontier)
            for name, ids in self.ids.items():
                self.nodes[name].num_sampled_nodes.append(len(ids) - end[name])
            begin = end
        if self.options.subgraph == INDUCED:
            for edge_type in self.graph.edge_types:
                self.induce(edge_type)
        if self.options.subgraph == BIDIRECTIONAL:
            self.edges = {t.name: self.both_ways(t) for t in self.graph.edge_types}
        self.finish_nodes()
        links = None
        if self.request.links is not None:
            links = (self.request.links.edge_type, self.link_places.arrays(self.nodes))
        labels = None
        if self.options.supervisions:
            types = [name for name, _ in self.anchor_places.places]
            labels = list(zip(types, self.anchor_places.arrays(self.nodes)))
        return Batch(self.nodes, self.edges, links, labels)

    def number_seeds(self) -> None:
        tree = 0
        if self.options.temporal:
            for arrays in self.nodes.values():
                arrays.seed_time = []
        for number, (node_type, seeds) in enumerate(self.request.seeds):
            times = self.request.times[number] if self.options.temporal else None
            if times is not None:
                self.tree_times += times
                self.nodes[node_type].seed_time = list(times)
            for node in seeds:
                identity = (tree if self.disjoint else None, node)
                self.nodes[node_type].seed.append(self.ids[node_type].meet(identity))
                tree += 1
        for name, ids in self.ids.items():
            self.nodes[name].num_sampled_nodes.append(len(ids))

    def expand(self, hop: int, number: int, edge_type: EdgeType, frontier: range) -> None:
        direction = self.options.direction
        near_ids = self.ids[edge_type.near_type(direction)]
        far_ids = self.ids[edge_type.far_type(direction)]
        arrays = self.edges[edge_type.name]
        before = len(arrays.row)
        for near_local in frontier:
            tree, node = near_ids.identities[near_local]
            for edge in self.pick(hop, number, edge_type, tree, node):
                far_local = far_ids.meet((tree, edge_type.neighbour(direction, edge)))
                self.report(arrays, near_local, far_local, edge)
        arrays.num_sampled_edges.append(len(arrays.row) - before)

    def report(self, arrays: EdgeArrays, near_local: int, far_local: int, edge: int) -> None:
        if self.options.direction == IN or self.options.toward_seeds:
            arrays.row.append(far_local)
            arrays.col.append(near_local)
        else:
            arrays.row.append(near_local)
            arrays.col.append(far_local)
        if arrays.edge is not None:
            arrays.edge.append(edge)

    def induce(self, edge_type: EdgeType) -> None:
        """All edges between nodes of the batch instead of those that were picked."""
        direction = self.options.direction
        near_ids = self.ids[edge_type.near_type(direction)]
        far_ids = self.ids[edge_type.far_type(direction)]
        arrays = EdgeArrays(edge=[] if self.options.edge_ids else None)
        if edge_type.name in label_types(self.options):
            near_ids = LocalIds()
        for near_local, (tree, node) in enumerate(near_ids.identities):
            for edge in self.row(edge_type, tree, node):
                far_local = far_ids.find((tree, edge_type.neighbour(direction, edge)))
                if far_local is not None:
                    self.report(arrays, near_local, far_local, edge)
        arrays.num_sampled_edges = [len(arrays.row)]
        self.edges[edge_type.name] = arrays

    def both_ways(self, edge_type: EdgeType) -> EdgeArrays:
        """The picks of a type and the reverses of its mirror's, each pair of nodes once."""
        near_first = self.options.direction == OUT and not self.options.toward_seeds

        def picks(name: str) -> list[tuple[int, int, int]]:
            arrays = self.edges[name]
            edges = arrays.edge if arrays.edge is not None else [-1] * len(arrays.row)
            ends = (arrays.row, arrays.col) if near_first else (arrays.col, arrays.row)
            return list(zip(*ends, edges))

        found: dict[tuple[int, int], int] = {}
        for near, far, edge in picks(edge_type.name):
            found.setdefault((near, far), edge)
        mirror = mirror_of(edge_type, self.options)
        for near, far, edge in picks(mirror) if mirror is not None else ():
            found.setdefault((far, near), edge)
        arrays = EdgeArrays(edge=[] if self.options.edge_ids else None)
        for near, far in sorted(found):
            self.report(arrays, near, far, found[near, far])
        arrays.num_sampled_edges = [len(found)]
        return arrays

    def row(self, edge_type: EdgeType, tree: Optional[int], node: int) -> list[int]:
        """Ids of the edges of a node that are neither excluded nor out of time."""
        excluded = self.excluded[edge_type.name]
        row = [e for e in edge_type.row(self.options.direction, node) if e not in excluded]
        if tree is None or not self.options.temporal:
            return row
        return [e for e in row if self.in_time(edge_type, e, self.tree_times[tree])]

    def edge_times(self, edge_type: EdgeType, edge: int) -> list[int]:
        """The times an edge has: its own first, then that of the neighbour."""
        times: list[int] = []
        if self.options.edge_time in edge_type.columns:
            times.append(int(edge_type.columns[self.options.edge_time][edge]))
        columns = self.graph.node_columns.get(edge_type.far_type(self.options.direction), {})
        if self.options.node_time in columns:
            neighbour = edge_type.neighbour(self.options.direction, edge)
            times.append(columns[self.options.node_time][neighbour])
        return times

    def in_time(self, edge_type: EdgeType, edge: int, seed_time: int) -> bool:
        for time in self.edge_times(edge_type, edge):
            if time > seed_time or (time == seed_time and self.options.time_strict):
                return False
            if self.options.time_window > 0 and time < seed_time - self.options.time_window:
                return False
        return True

    def pick(
        self, hop: int, number: int, edge_type: EdgeType, tree: Optional[int], node: int
    ) -> list[int]:
        """Ids of the edges picked from the row of one node."""
        options = self.options
        row = self.row(edge_type, tree, node)
        draws = RowDraws(self.key(tree), number, hop, node, len(row))
        fanout = self.fanouts[edge_type.name][hop]
        timed = bool(row) and bool(self.edge_times(edge_type, row[0]))
        if timed and options.time_strategy == LAST and fanout > 0:
            latest = sorted(
                range(len(row)), key=lambda i: (self.edge_times(edge_type, row[i])[0], i)
            )
            return [row[i] for i in sorted(latest[-fanout:])]
        weights: Optional[list[float]] = None
        if options.weight in edge_type.columns:
            column = edge_type.columns[options.weight]
            weights = [float(column[edge]) for edge in row]
        if options.pick == LAYER:
            numbers = self.numbers(hop, edge_type, row)
            if weights is None:
                positions = labor.pick_smallest(numbers, fanout)
            else:
                positions = labor.pick_smallest_weighted(numbers, weights, fanout)
        elif weights is not None:
            positions = pick_weighted(draws, weights, fanout, options.replace)
        else:
            positions = pick_uniform(draws, len(row), fanout, options.replace)
        return [row[position] for position in positions]

    def numbers(self, hop: int, edge_type: EdgeType, row: list[int]) -> list[int]:
        """What the neighbours of a row are picked by."""
        options, request = self.options, self.request
        numbers = labor.Numbers(
            options.seed,
            request.epoch,
            request.batch,
            options.batch_dependency,
            list(self.graph.node_types).index(edge_type.far_type(options.direction)),
            None if options.layer_dependent else hop,
        )
        return [numbers[edge_type.neighbour(options.direction, edge)] for edge in row]

    def key(self, tree: Optional[int]) -> int:
        seed, epoch, batch = self.options.seed, self.request.epoch, self.request.batch
        if tree is None:
            return batch_key(seed, epoch, batch)
        return tree_key(seed, epoch, batch, tree)

    def finish_nodes(self) -> None:
        for name, ids in self.ids.items():
            self.nodes[name].node = [node for _, node in ids.identities]
            if self.disjoint:
                trees = [tree for tree, _ in ids.identities if tree is not None]
                self.nodes[name].batch = trees


def sample(graph: Graph, options: Options, request: Request) -> Batch:
    """The batch of (graph, options, request); raises ContractError where the library would fail."""
    return _Sampling(graph, options, request).run()
