"""Arrow in and out: options of streams that a builder reads, and datasets as streams."""

from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, NoReturn, Optional, Sequence, Union

from gls._core.check import (
    choice,
    field_name,
    not_picklable,
    optional_text,
    text,
    whole_number,
)
from gls._data.storage import ROLES
from gls._low import glslow as low
from gls.errors import invalid
from gls.types import ArrowData, Field

_ALL_FIELDS = 2
_COLUMN, _ID_SET, _SPLIT = 0, 1, 2


class ArrowColumn(NamedTuple):
    """What becomes of a field of Arrow data; see :meth:`gls.DatasetBuilder.add_nodes_arrow`."""

    role: str = "feature"
    """ "feature", "label", "weight", "time" or "other"."""
    dtype: Optional[str] = None
    """Of the column; None: as the field. A number that an integer dtype cannot hold is an error; for a
    float dtype it is rounded."""
    name: Optional[str] = None
    """Of the column; None: as the field. The values of fields with one name follow each other in
    each row."""
    fill: Union[None, bool, int, float] = None
    """The number that stands for a null; None: a null is an error, unless there is a mask."""
    mask: Optional[str] = None
    """The name of one more column: bool, False where the row had a null, which is then `fill` or
    0."""


ArrowColumns = Union[Sequence[Field], Mapping[Field, Union[str, ArrowColumn]]]
"""Fields that become columns: ``["age", "x"]`` as features, or each with its role or an
:class:`gls.ArrowColumn`: ``{"age": "label", "x": gls.ArrowColumn(fill=0)}``."""


class ArrowStream:
    """The nodes or edges of a dataset for consumers of Arrow: ``pyarrow.table(stream)``,
    ``polars.DataFrame(stream)``, ``duckdb.sql("from stream")``.

    Each consumer reads it from the beginning, in batches; see :meth:`gls.Dataset.nodes_to_arrow`.
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], object]) -> None:
        """Not for users: see Dataset.nodes_to_arrow() and Dataset.edges_to_arrow()."""
        self._make = make

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """For consumers. The schema is as it is stored, whatever `requested_schema` asks for."""
        return self._make()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("ArrowStream", "pickle the dataset, or what a consumer made")


def stream_of(data: ArrowData) -> object:
    """The capsule of a stream of Arrow batches, which may be read once."""
    export = getattr(data, "__arrow_c_stream__", None)
    if export is None:
        raise invalid(
            "data",
            f"{type(data).__name__} is not Arrow data, which has the method __arrow_c_stream__: "
            "tables of pyarrow, polars, duckdb and pandas have",
        )
    return export()


def arrow_options(
    columns: Optional[ArrowColumns],
    label: Optional[str],
    id_sets: Optional[Mapping[Field, str]] = None,
    split: Optional[Field] = None,
) -> low.ArrowOptions:
    options = low.ArrowOptions()
    options.set_label(optional_text("label", label))
    for field, name in (id_sets or {}).items():
        options.add_column(
            field_name("id_sets", field), text("id_sets", name), None, None, None, 0, _ID_SET
        )
    if split is not None:
        options.add_column(field_name("split", split), None, None, None, None, 0, _SPLIT)
    if columns is None:
        options.add_flags(_ALL_FIELDS)
        return options
    if isinstance(columns, str):
        raise invalid("columns", f"{columns!r} is text, expected a sequence or mapping of fields")
    named = columns if isinstance(columns, Mapping) else {field: ArrowColumn() for field in columns}
    for field, spec in named.items():
        column = ArrowColumn(role=spec) if isinstance(spec, str) else spec
        if not isinstance(column, ArrowColumn):
            raise invalid("columns", f"{spec!r} is neither a role nor a gls.ArrowColumn")
        options.add_column(
            field_name("columns", field),
            optional_text("columns", column.name),
            optional_text("columns", column.dtype),
            _fill(column.fill),
            optional_text("columns", column.mask),
            choice("role", column.role, ROLES),
            _COLUMN,
        )
    return options


def _fill(value: Any) -> Optional[str]:
    if value is None:
        return None
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return repr(float(value))
    return str(whole_number("fill", value, -(1 << 63), 64))
