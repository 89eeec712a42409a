"""Graphs of the vector files: how README.md's description becomes a reference.Graph."""

from __future__ import annotations

from typing import Any, Callable

from reference.neighbors import EdgeType, Graph

Json = dict[str, Any]
Ends = tuple[list[int], list[int]]

_MASK64 = 0xFFFFFFFFFFFFFFFF
_LCG_MULTIPLIER = 6364136223846793005
_LCG_INCREMENT = 1442695040888963407


def ring(rule: Json) -> Ends:
    n, steps = rule["nodes"], rule["steps"]
    source = [v for v in range(n) for _ in steps]
    target = [(v + step) % n for v in range(n) for step in steps]
    return source, target


def star(rule: Json) -> Ends:
    leaves = list(range(1, rule["leaves"] + 1))
    hub = [0] * len(leaves)
    return (leaves, hub) if rule["hub_is"] == "target" else (hub, leaves)


def triangle(rule: Json) -> Ends:
    n = rule["nodes"]
    source = [i for t in range(n) for i in range(t)]
    target = [t for t in range(n) for _ in range(t)]
    return source, target


def random(rule: Json) -> Ends:
    state = int(rule["seed"])

    def next32() -> int:
        nonlocal state
        state = (state * _LCG_MULTIPLIER + _LCG_INCREMENT) & _MASK64
        return state >> 32

    source: list[int] = []
    target: list[int] = []
    for _ in range(rule["edges"]):
        a, b, c = next32(), next32(), next32()
        skewed = (b * c) >> 32
        source.append((a * rule["sources"]) >> 32)
        target.append((skewed * rule["targets"]) >> 32)
    return source, target


GENERATORS: dict[str, Callable[[Json], Ends]] = {
    "ring": ring,
    "star": star,
    "triangle": triangle,
    "random": random,
}


def build_weights(edge_type: Json, num_edges: int) -> list[float]:
    if "weight" in edge_type:
        weights = [float(w) for w in edge_type["weight"]]
    else:
        cycle = edge_type["weight_cycle"]
        weights = [float(cycle[e % len(cycle)]) for e in range(num_edges)]
    for special in edge_type.get("weight_special", []):
        weights[special["edge"]] = float(special["value"])
    return weights


def cycle(values: list[Any], length: int) -> list[Any]:
    return [values[i % len(values)] for i in range(length)]


def build_edge_type(edge_type: Json) -> EdgeType:
    if "generator" in edge_type:
        rule = edge_type["generator"]
        source, target = GENERATORS[rule["rule"]](rule)
    else:
        source, target = edge_type["source"], edge_type["target"]
    result = EdgeType(edge_type["name"], source, target)
    if "weight" in edge_type or "weight_cycle" in edge_type:
        result.columns["weight"] = list(build_weights(edge_type, len(source)))
    if "reverse" in edge_type:
        result.columns["reverse"] = list(edge_type["reverse"])
    if "time_cycle" in edge_type:
        result.columns["time"] = list(cycle(edge_type["time_cycle"], len(source)))
    return result


def build_graph(graph: Json) -> Graph:
    node_types = {t["name"]: t["count"] for t in graph["node_types"]}
    node_columns: dict[str, dict[str, list[Any]]] = {}
    for t in graph["node_types"]:
        node_columns[t["name"]] = {
            name: cycle(t[f"{name}_cycle"], t["count"])
            for name in ("time", "weight")
            if f"{name}_cycle" in t
        }
    return Graph(node_types, [build_edge_type(t) for t in graph["edge_types"]], node_columns)
