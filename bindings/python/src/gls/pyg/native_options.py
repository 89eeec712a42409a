"""Options of GLS that PyG has not, for the loaders of gls.pyg."""

from __future__ import annotations

from typing import Any, Dict, Optional

from gls._loading.seed_rules import ClusteredSeeds, DrawnSeeds, SeedRule
from gls.errors import invalid
from gls.pyg.graph.source import Source
from gls.types import Exclude, TypePairs

EXCLUSION = ("exclude", "exclude_mode", "reverse_column", "reverse_types")
"""Arguments of :func:`exclusion`."""


def exclusion(
    source: Source,
    exclude: Optional[Exclude] = None,
    exclude_mode: str = "self",
    reverse_column: Optional[str] = None,
    reverse_types: Optional[TypePairs] = None,
) -> Dict[str, Any]:
    """The sampler's options of excluded edges."""
    options: Dict[str, Any] = {"exclude": exclude, "exclude_mode": exclude_mode}
    options["reverse_column"] = source.edge_column(reverse_column, "reverse_column")
    if reverse_types:
        options["reverse_types"] = reverse_types
    return options


def time_limits(time_attr: Optional[str], time_strict: bool, time_window: int) -> Dict[str, Any]:
    """The sampler's options of what is early enough, of a loader with times."""
    if time_attr is None:
        for name, value in (("time_strict", time_strict), ("time_window", time_window)):
            if value:
                raise invalid(name, "there is no time_attr")
    return {"time_strict": bool(time_strict), "time_window": time_window}


def seed_rule_of(source: Source, rule: Optional[SeedRule], of_links: bool) -> Optional[SeedRule]:
    """The rule with the names that GLS has for the columns of attributes."""
    if isinstance(rule, DrawnSeeds) and rule.weight is not None:
        column = source.edge_column if of_links else source.node_column
        return rule._replace(weight=column(rule.weight, "seed_rule"))
    if isinstance(rule, ClusteredSeeds) and isinstance(rule.clusters, str):
        clusters = source.node_column(rule.clusters, "seed_rule")
        assert clusters is not None
        return rule._replace(clusters=clusters)
    return rule
