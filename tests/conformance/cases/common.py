"""What the cases of the sample_*.json files are written with."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

Json = dict[str, Any]
Fanouts = Union[list[int], list[Json]]


def sample(
    name: str,
    about: str,
    graph: str,
    seeds: Union[list[int], list[Json]],
    fanouts: Fanouts,
    options: Optional[Json] = None,
    request: Optional[Json] = None,
) -> Json:
    """One case. Plain lists stand for seeds of type "node" and for fanouts of all edge types."""
    if all(isinstance(seed, int) for seed in seeds):
        seeds = [{"node_type": "node", "ids": seeds}]
    if fanouts and all(isinstance(k, int) for k in fanouts):
        fanouts = [{"edge_type": None, "per_hop": fanouts}]
    case: Json = {"name": name, "about": about, "kind": "sample", "graph": graph}
    case["options"] = {"fanouts": fanouts, **(options or {})}
    case["request"] = {"seeds": seeds, **(request or {})}
    return case


def of(node_type: str, ids: Sequence[int]) -> Json:
    return {"node_type": node_type, "ids": list(ids)}


def per_type(**fanouts: list[int]) -> list[Json]:
    return [{"edge_type": name, "per_hop": per_hop} for name, per_hop in fanouts.items()]


def ids(edge_type: str, edges: Sequence[int]) -> Json:
    return {"edge_type": edge_type, "ids": list(edges)}


def pairs(edge_type: str, source: list[int], target: list[int]) -> Json:
    return {"edge_type": edge_type, "source": source, "target": target}
