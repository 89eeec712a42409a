"""From the graphs and batches of the reference implementation to those of the package, and back."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from reference import importance, importance_batches, neighbors, walk_batches
import numpy as np

import gls


def build(graph: neighbors.Graph, **options: Any) -> gls.Dataset:
    builder = gls.DatasetBuilder()
    for name, count in graph.node_types.items():
        builder.add_node_type(name, count)
    for name, columns in graph.node_columns.items():
        for column, values in columns.items():
            if column == "weight":
                data = np.array(values, np.float32)
                builder.add_node_column(name, column, data, role="other")
            else:
                builder.add_node_column(name, column, np.array(values, np.int64), role="time")
    for edge_type in graph.edge_types:
        source = np.array(edge_type.source, np.int64)
        target = np.array(edge_type.target, np.int64)
        builder.add_edges(edge_type.name, source, target)
        for name, values in edge_type.columns.items():
            if name == "weight":
                data = np.array(values, np.float32)
                builder.add_edge_column(edge_type.name, name, data, role="other")
            else:
                data = np.array(values, np.int64)
                builder.add_edge_column(edge_type.name, name, data, role="other")
    return builder.build(layouts=("csc", "csr"), **options)


def _edge_sets(sets: "list[neighbors.EdgeSet]") -> List[Tuple[str, Any]]:
    return [
        (s.edge_type, np.array(s.ids if s.ids is not None else s.pairs, np.int64)) for s in sets
    ]


def sampler_arguments(options: neighbors.Options) -> Dict[str, Any]:
    return {
        "num_neighbors": {f.edge_type: f.per_hop for f in options.fanouts},
        "seed": options.seed,
        "direction": options.direction,
        "replace": options.replace,
        "weight_attr": options.weight,
        "with_edge_ids": options.edge_ids,
        "disjoint": options.disjoint,
        "toward_seeds": options.toward_seeds,
        "exclude": _edge_sets(options.exclude),
        "exclude_mode": options.exclude_mode,
        "reverse_column": options.reverse_column,
        "reverse_types": options.reverse_types,
        "node_time": options.node_time,
        "edge_time": options.edge_time,
        "time_strict": options.time_strict,
        "time_window": options.time_window,
        "time_strategy": options.time_strategy,
        "subgraph": options.subgraph,
        "exclude_links": options.exclude_links,
        "pick": options.pick,
        "batch_dependency": options.batch_dependency,
        "layer_dependent": options.layer_dependent,
        "neg_sampling": (
            None
            if options.negatives.mode is None
            else gls.NegativeSampling(**vars(options.negatives))
        ),
        "supervisions": [gls.Supervision(**vars(s)) for s in options.supervisions] or None,
        "walk": None if options.walk is None else gls.Walk(**vars(options.walk)),
        "importance": (
            None if options.importance is None else gls.Importance(**vars(options.importance))
        ),
        "ppr": None if options.ppr is None else _ppr(options.ppr),
        "hgt": None if options.hgt is None else _hgt(options.hgt),
    }


def _ppr(ppr: importance.PPR) -> gls.PPR:
    channels = [(tuple(channel.edge_types), channel.share) for channel in ppr.channels or []]
    return gls.PPR(**{**vars(ppr), "channels": channels})


def _hgt(hgt: neighbors.Hgt) -> gls.HGT:
    return gls.HGT({s["node_type"]: s["per_hop"] for s in hgt.samples}, hgt.most_neighbors)


def sample(
    dataset: gls.Dataset, options: neighbors.Options, request: neighbors.Request, **more: Any
) -> gls.Batch:
    sampler = gls.Sampler(dataset, **sampler_arguments(options), **more)
    links = request.links
    if links is not None and not request.seeds:
        named = links.ids if links.ids is not None else links.pairs
        return sampler.sample_links(
            (links.edge_type, np.array(named, np.int64)),
            labels=links.labels and np.array(links.labels),
            times=links.times and np.array(links.times),
            epoch=request.epoch,
            batch=request.batch,
            exclude=_edge_sets(request.exclude),
        )
    names = [s.array[0] for s in options.supervisions]
    names += ["no such"] * (len(request.labels) - len(names))
    rows = zip(names, request.labels)
    return sampler.sample(
        [(name, np.array(ids, np.int64)) for name, ids in request.seeds],
        epoch=request.epoch,
        batch=request.batch,
        exclude=_edge_sets(request.exclude),
        times=[
            (name, np.array(times, np.int64))
            for (name, _), times in zip(request.seeds, request.times)
            if times is not None
        ]
        or None,
        labels={name: _rows(given) for name, given in rows if given is not None} or None,
    )


def _rows(labels: List[List[int]]) -> Any:
    return np.array(labels, np.int64).reshape(len(labels), len(labels[0]) if labels else 0)


def _labels(
    batch: gls.Batch, options: neighbors.Options
) -> Optional[List[Tuple[str, List[List[int]]]]]:
    """In the order of the supervisions, with the node types of their labels."""
    if not options.supervisions:
        return None
    types = {(kind, name): type for kind, type, name, _ in batch._content.arrays()}
    out: List[Tuple[str, List[List[int]]]] = []
    for supervision in options.supervisions:
        name, role = supervision.array
        rows = (batch.positives if role == "positive" else batch.negatives)[name]
        out.append((types[21 if role == "positive" else 22, name], rows.numpy().tolist()))
    return out


def _walks(
    batch: gls.Batch, options: neighbors.Options
) -> Optional[Tuple[str, walk_batches.WalkArrays]]:
    """Of the type that has them; there is just one."""
    ((name, arrays),) = ((str(t), n) for t, n in batch.nodes.items() if hasattr(n, "walk"))
    edges = arrays.walk_edge.numpy().tolist() if options.edge_ids else None
    return name, walk_batches.WalkArrays(arrays.walk.numpy().tolist(), edges)


def _near(batch: gls.Batch) -> Dict[str, importance_batches.NearArrays]:
    return {
        str(name): importance_batches.NearArrays(
            n.near_seed.tolist(), n.near_node.tolist(), n.near_score.numpy().tolist()
        )
        for name, n in batch.nodes.items()
        if hasattr(n, "near_seed")
    }


def to_reference(batch: gls.Batch, options: neighbors.Options) -> neighbors.Batch:
    """What the reference would return for this batch."""
    nodes: Dict[str, neighbors.NodeArrays] = {}
    for name, n in batch.nodes.items():
        nodes[name] = neighbors.NodeArrays(
            n.node.tolist(),
            n.num_sampled_nodes,
            n.seed.tolist(),
            n.batch.tolist() if options.disjoint or options.temporal else None,
            n.seed_time.tolist() if options.temporal else None,
        )
    edges: Dict[str, neighbors.EdgeArrays] = {}
    for name, e in batch.edges.items():
        edges[name] = neighbors.EdgeArrays(
            e.row.tolist(),
            e.col.tolist(),
            e.num_sampled_edges,
            e.edge.tolist() if options.edge_ids else None,
        )
    if options.walk is not None:
        return walk_batches.WalkBatch(nodes, edges, walks=_walks(batch, options))
    if options.importance is not None or options.ppr is not None:
        return importance_batches.NearBatch(nodes, edges, near=_near(batch))
    if batch.input_type not in batch.edges:
        return neighbors.Batch(nodes, edges, labels=_labels(batch, options))
    arrays = batch.edges[batch.input_type]
    links = neighbors.links.LinkArrays(
        arrays.link_source.tolist(),
        arrays.link_target.tolist(),
        arrays.link_negative.numpy().tolist() if hasattr(arrays, "link_negative") else None,
        arrays.link_label.tolist() if hasattr(arrays, "link_label") else None,
    )
    return neighbors.Batch(nodes, edges, (batch.input_type, links))
