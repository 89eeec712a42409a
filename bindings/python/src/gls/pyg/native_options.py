"""Options of GLS that PyG has not, for the loaders of gls.pyg."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from gls._loading.seed_rules import ClusteredSeeds, DrawnSeeds, SeedRule
from gls.errors import invalid
from gls.pyg.graph.source import Source

EXCLUSION = ("exclude", "exclude_mode", "reverse_column", "reverse_types")
"""What :func:`exclusion` gives, and reads."""


def exclusion(
    source: Source, options: Mapping[str, Any], *, with_types: bool = False
) -> Dict[str, Any]:
    """The sampler's options of excluded edges.

    Args:
        with_types: With `reverse_types`, of loaders that have no other use for them.
    """
    found: Dict[str, Any] = {name: options[name] for name in ("exclude", "exclude_mode")}
    found["reverse_column"] = source.edge_column(options["reverse_column"], "reverse_column")
    if with_types and options["reverse_types"]:
        found["reverse_types"] = options["reverse_types"]
    return found


def time_limits(time_attr: Optional[str], options: Mapping[str, Any]) -> Dict[str, Any]:
    """The sampler's options of what is early enough, of a loader with times."""
    if time_attr is None:
        for name in ("time_strict", "time_window"):
            if options[name]:
                raise invalid(name, "there is no time_attr")
    return {"time_strict": bool(options["time_strict"]), "time_window": options["time_window"]}


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
