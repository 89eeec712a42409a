"""Errors of the library in the words of a caller of gls.pyg: arguments, attributes and types of PyG's."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Type

from gls.errors import Error

NODE, EDGES = "node", "node__to__node"  # the types of Data, which have no names there

_COMMON = {
    "fanouts": "num_neighbors",
    "samples": "num_samples",
    "weight": "weight_attr",
    "node_time": "time_attr",
    "edge_time": "time_attr",
    "time_strategy": "temporal_strategy",
    "subgraph": "subgraph_type",
    "clusters": "cluster",
    "anchor_labels": "labels",
    "node type": "data",
    "relation": "data",
    "column": "data",
}
OF_NODES = {
    **_COMMON,
    "seeds": "input_nodes",
    "seed_sets": "input_nodes",
    "id_set": "input_nodes",
    "node_type": "input_nodes",
    "times": "input_time",
}
OF_LINKS = {
    **_COMMON,
    **dict.fromkeys(("seeds", "seed_sets", "links", "edge_type"), "edge_label_index"),
    "times": "edge_label_time",
    "labels": "edge_label",
    **dict.fromkeys(("negatives", "amount", "degree_power", "tries"), "neg_sampling"),
    **dict.fromkeys(("source_weight", "target_weight", "in_time", "oldest"), "neg_sampling"),
}
# The library draws these seeds itself, from the graph.
OF_SUBGRAPHS = {**_COMMON, "seed_rule": "data"}


class Words:
    """Rewrites what the library raises within a ``with`` statement.

    Args:
        arguments: What the caller calls the library's arguments.
        hetero: Whether types have names that the caller gave.
        edge_types: Edge types, by their joined names.
        columns: Attributes, by the names of columns that are called otherwise.
        weight: The attribute that weights are in.
        time: The attribute that times are in.
    """

    def __init__(
        self,
        arguments: Mapping[str, str],
        *,
        hetero: bool,
        edge_types: Mapping[str, Any],
        columns: Mapping[str, str],
        weight: Optional[str] = None,
        time: Optional[str] = None,
    ) -> None:
        self._arguments = dict(arguments)
        self._hetero = hetero
        self._edge_types = dict(edge_types)
        self._columns = dict(columns)
        self._weight = weight
        self._time = time

    def __enter__(self) -> "Words":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if isinstance(error, Error):
            self.rewrite(error)

    def rewrite(self, error: Error) -> None:
        """Changes the text and the details of an error."""
        text, detail = str(error), dict(error.detail)
        text = self._of_arrays(text, detail)
        text = self._named(text, detail)
        text = self._typed(text, detail)
        error.args, error.detail = (text,), detail

    def _of_arrays(self, text: str, detail: Dict[str, str]) -> str:
        """The arrays that the dataset was made of, which the library knows by other names."""
        ends = re.match(r'(source|target) of "([^"]+)": (.*)', text, re.DOTALL)
        if ends is not None:
            detail["argument"] = "data"
            return f'data: edge_index of "{ends[2]}": {ends[1]}: {ends[3]}'
        if detail.get("argument") == "source" and text.startswith("source: "):
            detail["argument"] = "data"
            return "data: edge_index: " + text[len("source: ") :]
        weight = re.match(r'edge type ("[^"]+"): weight of edge (\S+) (.*)', text, re.DOTALL)
        if weight is not None and self._weight is not None:
            detail.update(argument="weight_attr", column=self._weight)
            of = f"edge {weight[2]} of edge type {weight[1]}"
            return f"weight_attr: {self._weight!r} of {of} {weight[3]}"
        return text

    def _named(self, text: str, detail: Dict[str, str]) -> str:
        """The argument that the text begins with, and attributes with another name."""
        argument = detail.get("argument", "")
        wanted = self._arguments.get(argument)
        if argument == "weight" and self._weight is None:  # that of seeds to draw
            wanted = "seed_rule"
        if wanted is not None:
            detail["argument"] = wanted
            if argument == "seed_rule":  # the text has an argument that the caller does not have
                text = re.sub(r"^(input_nodes|edge_label_index): ", "seeds: ", text)
            if text.startswith(f"{argument}: "):
                text = wanted + text[len(argument) :]
            elif not text.startswith(f"{wanted}: "):
                text = f"{wanted}: {text}"
        elif argument == "input_nodes" and text.startswith("input_nodes is "):
            text = "input_nodes: the type is " + text[len("input_nodes is ") :]
        elif text.startswith("negatives: ") and "negatives" in self._arguments:
            text = "neg_sampling" + text[len("negatives") :]
        if detail.get("argument") == "input_time" and self._time is not None:
            text = re.sub(r"in a column (node_time|edge_time)$", f"in {self._time!r}", text)
        for column, attribute in self._columns.items():
            text = text.replace(f'"{column}"', repr(attribute))
            if detail.get("column") == column:
                detail["column"] = attribute
        return text

    def _typed(self, text: str, detail: Dict[str, str]) -> str:
        """Types as the caller names them, which are left out where there is only one."""
        if self._hetero:
            unknown = detail.get("type", "")
            if self._edge_types and unknown.count("__") == 2:
                text = text.replace(repr(unknown), str(tuple(unknown.split("__"))))
            for name, key in self._edge_types.items():
                written = str(key).replace("\\", r"\\")
                text = re.sub(rf'"?(?<!\w){re.escape(name)}(?!\w)"?', written, text)
            return text
        only = rf'"(?:{NODE}|{EDGES})"'
        text = re.sub(rf" (?:of|for) (?:node |edge )?(?:type )?{only}", "", text)
        text = re.sub(rf"edge type {only}: ", "edge_index: ", text)
        text = re.sub(rf"(?:node|edge) type {only}", "the data", text)
        if detail.get("type") in (NODE, EDGES):
            del detail["type"]
        return text
