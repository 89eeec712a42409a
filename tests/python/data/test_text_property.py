"""Text files become what Python's csv module reads, or errors that name file and line."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import List, Optional, Tuple

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import gls

Pairs = List[Tuple[str, str]]

# What decides how a line is cut, and little else, so that it meets often.
PIECES = ["a", "b", "1", "é", " ", '"', '""', ",", ";", "#", "\r", "\n", "\r\n", "\n\n"]
SETTINGS = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read_by_gls(path: Path, text: str, delimiter: Optional[str]) -> Pairs:
    path.write_bytes(text.encode("utf-8"))
    builder = gls.DatasetBuilder()
    builder.add_node_type("n", ids="string")
    builder.add_edges_text("n__e__n", path, delimiter=delimiter, comment="", header=False)
    dataset = builder.build()
    edges = dataset.find_edges(np.arange(dataset.num_edges()))
    source, target = (end.tolist() for end in edges)
    return [(dataset.node_key(s), dataset.node_key(t)) for s, t in zip(source, target)]


def read_by_csv(text: str, delimiter: str) -> List[List[str]]:
    """The records of a file, of which blank lines are none, with blanks around fields taken off."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    records = [[field.strip(" \t") for field in row] for row in rows]
    return [record for record in records if record not in ([], [""])]


@SETTINGS
@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
@example("a,b\rb,c\rc,a\r")
@example("author,paper\nBo,p1\nSmith, J,x\n")
@example('5" disk,drive\n')
@example('a,"b\n')
def test_any_text_is_read_as_csv_or_refused_by_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "edges.csv"
    try:
        pairs = read_by_gls(path, text, ",")
    except gls.CorruptData as error:
        assert re.match(rf"{re.escape(str(path))}:\d+: ", str(error)), error
        assert error.detail["file"] == str(path)
        assert 1 <= int(error.detail["line"]) <= text.count("\n") + 1
        return
    # Nothing of what was taken may have been lost or changed.
    records = read_by_csv(text, ",")
    assert len({len(record) for record in records}) <= 1
    assert [(s.strip(" \t"), t.strip(" \t")) for s, t in pairs] == [
        (record[0], record[1]) for record in records
    ]


FIELD = st.text(st.sampled_from('ab1é,;" #'), min_size=1, max_size=6).filter(str.strip)


@SETTINGS
@given(
    st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_what_csv_writes_is_read(
    tmp_path: Path, pairs: Pairs, delimiter: str, line_end: str, guess: bool
) -> None:
    """Also where the delimiter is to be found: every field is in quotes."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerows(pairs)
    found = read_by_gls(tmp_path / "edges.csv", text.getvalue(), None if guess else delimiter)
    assert found == pairs


@pytest.mark.parametrize("damaged", ["x", "x,y,z", "x,\ry", 'x,"y', "x,"])
def test_a_damaged_line_of_many_is_named(tmp_path: Path, damaged: str) -> None:
    """Wherever it stands, the number of the line is its own."""
    path = tmp_path / "edges.csv"
    for at in (1, 4999, 9999):
        lines = [f"k{i},k{i + 1}" for i in range(10_000)]
        lines[at] = damaged
        with pytest.raises(gls.CorruptData) as caught:
            read_by_gls(path, "\n".join(lines) + "\n", ",")
        assert caught.value.detail["line"] == str(at + 1)
