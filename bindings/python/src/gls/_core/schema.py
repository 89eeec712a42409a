"""The names of a graph's types, read once, and what may be left out where there is only one."""

from __future__ import annotations

from typing import Dict, Optional, Union

from gls._core.check import join_edge_type, text
from gls._low import glslow as low
from gls.errors import NotFound, invalid
from gls.types import EdgeTuple, EdgeType


class Schema:
    __slots__ = ("node_types", "edge_types", "edge_tuples", "only_node_type", "only_edge_type")

    def __init__(self, graph: Union[low.Dataset, low.Partition]) -> None:
        self.node_types: Dict[str, int] = {
            graph.node_type(i): i for i in range(graph.num_node_types())
        }
        self.edge_types: Dict[str, int] = {
            graph.edge_type(i): i for i in range(graph.num_edge_types())
        }
        self.edge_tuples: Dict[str, EdgeTuple] = {
            name: (graph.edge_source(i), graph.edge_relation(i), graph.edge_target(i))
            for name, i in self.edge_types.items()
        }
        self.only_node_type: Optional[str] = _only(self.node_types)
        self.only_edge_type: Optional[str] = _only(self.edge_types)

    def node_type(self, name: Optional[str], argument: str = "type") -> str:
        """The name of a node type; None stands for the only one. `argument`: as for :meth:`edge_type`."""
        if name is None:
            if self.only_node_type is None:
                raise invalid(argument, f"needed, as there are several: {_list(self.node_types)}")
            return self.only_node_type
        if text(argument, name) not in self.node_types:
            where = "" if argument == "type" else f"{argument}: "
            raise NotFound(
                f"{where}there is no node type {name!r}; there are: {_list(self.node_types)}",
                detail={"type": name},
            )
        return name

    def edge_type(self, name: Optional[EdgeType], argument: str = "type") -> str:
        """The joined name of an edge type; None stands for the only one.

        Args:
            argument: What the caller gave it as, for errors.
        """
        if name is None:
            if self.only_edge_type is None:
                raise invalid(argument, f"needed, as there are several: {_list(self.edge_types)}")
            return self.only_edge_type
        joined = join_edge_type(name, argument)
        if joined not in self.edge_types:
            where = "" if argument == "type" else f"{argument}: "
            raise NotFound(
                f"{where}there is no edge type {joined!r}; there are: {_list(self.edge_types)}",
                detail={"type": joined},
            )
        return joined

    def any_type(self, name: Optional[EdgeType]) -> str:
        """The name of a node type or an edge type; None stands for the only node type."""
        if name is None or (isinstance(name, str) and name in self.node_types):
            return self.node_type(name)
        return self.edge_type(name)


def _only(types: Dict[str, int]) -> Optional[str]:
    return next(iter(types)) if len(types) == 1 else None


def _list(types: Dict[str, int]) -> str:
    return ", ".join(types) or "none"
