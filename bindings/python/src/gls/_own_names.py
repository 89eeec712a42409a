"""What the names of gls.h are called in this package, for messages of the library.

Flags and values have one name everywhere. Options have one where the call is made: :func:`naming`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Dict, Iterator, Mapping, Tuple

_FLAGS = {
    "GLS_SAMPLE_EDGE_IDS": "with_edge_ids",
    "GLS_SAMPLE_DISJOINT": "disjoint",
    "GLS_SAMPLE_TOWARD_SEEDS": "toward_seeds",
    "GLS_SAMPLE_INT32": "int32",
    "GLS_SAMPLE_TIME_STRICT": "time_strict",
    "GLS_SAMPLE_EXCLUDE_LINKS": "exclude_links",
    "GLS_SAMPLE_LAYER_DEPENDENT": "layer_dependent",
    "GLS_NEGATIVE_IN_TIME": "in_time",
    "GLS_NEGATIVE_OLDEST": "oldest",
    "GLS_LOADER_SHUFFLE": "shuffle",
    "GLS_LOADER_DROP_LAST": "drop_last",
    "GLS_SUPERVISION_SAMPLED": "sampled",
    "GLS_TABLE_MEAN": "mean",
    "GLS_TABLE_ROW_STEPS": "row_steps",
    "GLS_EDGES_ADD_REVERSE": "add_reverse",
    "GLS_LINK_SPLIT_UNDIRECTED": "undirected",
}
_WORDS = {
    **_FLAGS,
    "GLS_EXCLUDE_REVERSE_ID": '"reverse_id"',
    "GLS_EXCLUDE_REVERSE_TYPES": '"reverse_types"',
    "GLS_LAW_DEGREE": '"degree"',
    "GLS_LAW_INVERSE_DEGREE": '"inverse_degree"',
    "GLS_LAYOUT_CSC": '"csc"',
    "GLS_LAYOUT_CSR": '"csr"',
    "GLS_MADE_BY_SERVERS": '"servers"',
    "GLS_NEGATIVE_NONE": "None",
    "GLS_SEEDS_DRAW": "DrawnSeeds",
    "GLS_SEEDS_CLUSTER": "ClusteredSeeds",
    "GLS_SUBGRAPH_BIDIRECTIONAL": '"bidirectional"',
    "GLS_BATCH_NODE_COLUMN": "node column",
    "GLS_BATCH_EDGE_COLUMN": "edge column",
    "GLS_BATCH_NUM_NODES": "num_sampled_nodes",
    "GLS_BATCH_NUM_EDGES": "num_sampled_edges",
    "GLS_BATCH_INPUT": "input_id",
}
# Other arrays of a batch are properties of the same name.
_ARRAY = re.compile(r"GLS_BATCH_[A-Z_]+")
_CONSTANT = re.compile(r"\bGLS_[A-Z0-9_]+\b")
# A word that no sentence has; in a path it may be anything.
_OPTION = re.compile(r"(?<![\w./-])[a-z]+(?:_[a-z0-9]+)+(?![\w./-])")
# Text of the caller's own, such as the name of a column, is in quotes.
_QUOTED = re.compile(r'("[^"]*")')

SAMPLER_OPTIONS = {
    "fanouts": "num_neighbors",
    "weight": "weight_attr",
    "negatives": "neg_sampling",
    "samples": "num_samples",
}
NODE_LOADER_OPTIONS = {
    **SAMPLER_OPTIONS,
    "id_set": "input_nodes",
    "node_type": "input_nodes",
    "seeds": "input_nodes",
    "seed_sets": "input_nodes",
    "seed_law": "law",
    "seed_weight": "weight",
    "cluster": "clusters",
}
LINK_LOADER_OPTIONS = {
    **SAMPLER_OPTIONS,
    "edge_type": "edge_label_index",
    "seeds": "edge_label_index",
    "seed_sets": "edge_label_index",
    "labels": "edge_label",
    "times": "edge_label_time",
    "seed_law": "law",
    "seed_weight": "weight",
}


def _constant(match: "re.Match[str]") -> str:
    name = match[0]
    if name in _WORDS:
        return _WORDS[name]
    return name[len("GLS_BATCH_") :].lower() if _ARRAY.fullmatch(name) else name


def own_words(message: str, detail: Mapping[str, str]) -> Tuple[str, Dict[str, str]]:
    """A message and its details with names of gls.h in this package's words."""
    flags = [_FLAGS[name] for name in _CONSTANT.findall(message) if name in _FLAGS]
    out = dict(detail)
    if flags and out.get("argument") == "flags":
        out["argument"] = flags[0]
    return _CONSTANT.sub(_constant, message), out


def _renamed(message: str, names: Mapping[str, str]) -> str:
    first = re.match(r"\w+", message)
    if first is not None and first[0] in names:
        message = names[first[0]] + message[first.end() :]
    parts = _QUOTED.split(message)
    parts[::2] = [
        _OPTION.sub(lambda match: names.get(match[0], match[0]), part) for part in parts[::2]
    ]
    return "".join(parts)


@contextmanager
def naming(names: Mapping[str, str]) -> Iterator[None]:
    """Errors in here name options as the caller did."""
    from gls.errors import Error

    try:
        yield
    except Error as error:
        error.args = (_renamed(str(error), names),)
        argument = error.detail.get("argument", "")
        if argument in names:
            error.detail = {**error.detail, "argument": names[argument]}
        raise
