"""What the names of gls.h are called in this package, for messages of the library.

Flags and values have one name everywhere. Options have one where the call is made: :func:`naming`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Iterator, Mapping

from gls.errors import Error

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
    try:
        yield
    except Error as error:
        error.args = (_renamed(str(error), names),)
        argument = error.detail.get("argument", "")
        if argument in names:
            error.detail = {**error.detail, "argument": names[argument]}
        raise
