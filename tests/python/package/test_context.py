"""Contexts: the default one, settings, and the log."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, List, Tuple

import pytest

import gls
import gls._core.context as context_module


def test_settings_are_listed() -> None:
    known = {setting.key: setting for setting in gls.settings()}
    assert list(known) == sorted(known)
    threads = known["threads"]
    assert (threads.type, threads.default, threads.env) == ("int", "0", "GLS_THREADS")
    assert threads.help


def test_set_and_get() -> None:
    context = gls.Context(1)
    context.set("memory.pool", "64M")
    assert context.get("memory.pool") == "64M"
    context.set("memory.huge_pages", False)
    assert context.get("memory.huge_pages") == "false"
    context.set("sample.direct_table", 1 << 20)
    assert context.get("sample.direct_table") == "1048576"
    with pytest.raises(gls.NotFound):
        context.set("no.such.key", "1")
    with pytest.raises(gls.NotFound):
        context.get("no.such.key")
    with pytest.raises(gls.InvalidArgument):
        context.set("memory.pool", "plenty")
    with pytest.raises(TypeError):
        context.get(5)  # type: ignore[arg-type]


def test_wrong_arguments() -> None:
    for arguments in ({"num_threads": -1}, {"num_threads": 100000}, {"log_level": "loud"}):
        with pytest.raises(gls.InvalidArgument):
            gls.Context(**arguments)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        gls.Context("four")  # type: ignore[arg-type]


def test_close() -> None:
    with gls.Context(1) as context:
        builder = gls.DatasetBuilder(context=context)
    builder.add_edges("node__to__node", [[0], [1]])
    dataset = builder.build()  # made from it before, so still alive
    assert gls.Sampler(dataset, [1]).sample([1]).node.tolist() == [1, 0]
    with pytest.raises(gls.InvalidState, match="closed"):
        gls.DatasetBuilder(context=context)


def test_configure_changes_what_is_made_from_now_on() -> None:
    before = gls.default_context()
    assert gls.default_context() is before
    try:
        now = gls.configure(num_threads=1)
        assert gls.default_context() is now and now is not before
    finally:
        context_module._default = before


def write_a_line(context: gls.Context, folder: Path) -> None:
    """Makes the library write to the log: whether this file has a header line is a guess."""
    (folder / "edges.txt").write_text("ann bob\nbob ann\n")
    builder = gls.DatasetBuilder(context=context)
    builder.add_node_type("person", ids="string")
    builder.add_edges_text("person__knows__person", folder / "edges.txt")
    builder.build()


def wait_for(lines: List[Any]) -> None:
    end = time.monotonic() + 10
    while not lines and time.monotonic() < end:
        time.sleep(0.01)


def test_log_to_a_function(tmp_path: Path) -> None:
    lines: List[Tuple[int, str, str]] = []
    context = gls.Context(1, log=lambda *line: lines.append(line), log_level="trace")
    write_a_line(context, tmp_path)
    wait_for(lines)
    ((level, component, text),) = lines
    assert (level, component) == (logging.WARNING, "ingest") and "edges.txt" in text


def test_log_to_a_logger(tmp_path: Path, caplog: Any) -> None:
    context = gls.Context(1, log=logging.getLogger("test.gls"))
    write_a_line(context, tmp_path)
    wait_for(caplog.records)
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("test.gls", "WARNING")
    assert record.getMessage().startswith("ingest: ")


def test_log_level(tmp_path: Path) -> None:
    lines: List[Any] = []
    context = gls.Context(1, log=lambda *line: lines.append(line), log_level="error")
    write_a_line(context, tmp_path)
    time.sleep(0.1)
    assert lines == []


FAULTY = """
import pathlib, sys
import gls
from test_context import write_a_line
def sink(level, component, text):
    raise ValueError("the sink is broken")
write_a_line(gls.Context(1, log=sink), pathlib.Path(sys.argv[1]))
print("fine")
"""


def test_a_log_function_that_raises(tmp_path: Path) -> None:
    """It ends nothing, and is reported; all lines are delivered before the process ends."""
    out = subprocess.run(
        [sys.executable, "-c", FAULTY, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parent,
    )
    assert out.returncode == 0 and out.stdout == "fine\n"
    assert "the sink is broken" in out.stderr
