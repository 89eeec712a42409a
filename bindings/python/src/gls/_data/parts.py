"""What datasets say of being parts of a graph, and how one is cut."""

from __future__ import annotations

import os
from typing import List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from gls._core.check import choice, text, whole_number
from gls._core.inputs import to_low
from gls._core.schema import Schema
from gls._core.tensor import Tensor
from gls._low import glslow as low
from gls.errors import NotFound, invalid
from gls.types import ArrayLike, Owners

_METHODS = {"stream": 0, "metis": 1, "random": 2, "hash": 3, "given": 4}


class Part(NamedTuple):
    """Which part of a graph a dataset is. See :meth:`Dataset.partition`."""

    number: int
    """From 0."""
    parts: int
    """How many there are."""
    graph: str
    """Names the partition, 16 hexadecimal digits."""


class Parts(NamedTuple):
    """In how many parts a graph is, and which are at hand. See :attr:`Dataset.parts`."""

    count: int  # type: ignore[assignment]  # hides tuple.count
    """How many there are, at least 1."""
    here: Tuple[int, ...]
    """The numbers of those that are read in this process, ascending."""


class GlobalIds(NamedTuple):
    """The global ids of the ids of a part. See :meth:`Dataset.global_ids`."""

    ids: Tensor
    """int64 [ids of the part]: the owned ascending, then the others."""
    owned: int
    """How many are owned."""


def partition_options(
    schema: Schema,
    *,
    parts: int,
    method: Optional[str],
    owners: Optional[Owners],
    seed: int,
    balance_sets: Union[str, Sequence[str]],
    imbalance: Optional[float],
    balance_edges: bool,
    halo_hops: int,
    hot_rows: int,
    hot_fraction: float,
    hot_id_set: Optional[str],
    hot_fanouts: Optional[Sequence[int]],
    hot_max_seeds: Optional[int],
    overwrite: bool,
    row_padding: bool,
) -> low.PartitionOptions:
    options = low.PartitionOptions()
    if method is None:
        method = "stream" if owners is None else "given"
    options.set_method(choice("method", method, _METHODS))
    options.set_parts(whole_number("parts", parts, 0, 32))
    options.set_seed(whole_number("seed", seed, 0, 64))
    for name in [balance_sets] if isinstance(balance_sets, str) else balance_sets:
        options.add_balance_set(text("balance_sets", name))
    if imbalance is not None:
        if imbalance == 0:  # which the library takes for its default
            raise invalid("imbalance", "it is 0, expected a number above 0")
        options.set_imbalance(float(imbalance))
    options.set_balance_edges(bool(balance_edges))
    options.set_halo_hops(whole_number("halo_hops", halo_hops, 0, 32))
    options.set_hot_rows(whole_number("hot_rows", hot_rows, 0, 63))
    options.set_hot_fraction(float(hot_fraction))
    if hot_id_set is not None:
        options.set_hot_id_set(text("hot_id_set", hot_id_set))
    if hot_fanouts is not None:
        if len(hot_fanouts) == 0:  # which the library takes for its default
            raise invalid("hot_fanouts", "they are empty, expected one for each hop")
        for fanout in hot_fanouts:
            options.add_hot_fanout(whole_number("hot_fanouts", fanout, -1, 63))
    if hot_max_seeds is not None:
        options.set_hot_max_seeds(whole_number("hot_max_seeds", hot_max_seeds, 1, 63))
    options.set_overwrite(bool(overwrite))
    options.set_row_padding(bool(row_padding))
    if isinstance(owners, (str, os.PathLike)):
        options.set_owners_file(owners)
    elif owners is not None:
        for array in _by_type(schema, owners):
            options.add_owners(to_low(array, "owners", vector=True))
    return options


def _by_type(schema: Schema, owners: Union[ArrayLike, Mapping[str, ArrayLike]]) -> List[ArrayLike]:
    """An array for each node type, in their order."""
    known = ", ".join(schema.node_types)
    if not isinstance(owners, Mapping):
        if schema.only_node_type is None:
            raise invalid("owners", f"needed by node type, as there are several: {known}")
        return [owners]
    for name in owners:
        if name not in schema.node_types:
            raise NotFound(
                f"owners: there is no node type {name!r}; there are: {known}",
                detail={"argument": "owners", "type": str(name)},
            )
    missing = [name for name in schema.node_types if name not in owners]
    if missing:
        raise invalid("owners", f"there are none for node type {missing[0]!r}")
    return [owners[name] for name in schema.node_types]
