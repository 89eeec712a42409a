"""The benchmark of loading from disk: its ratios, what it says of missing figures, and its limit of memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

DISK = Path(__file__).resolve().parents[3] / "bench" / "disk"


@pytest.fixture()
def modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The modules of the benchmark, which are scripts with their neighbours beside them."""
    names = [path.stem for path in DISK.glob("*.py")]
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    monkeypatch.syspath_prepend(str(DISK))

    class Modules:
        import dataset
        import memory_group
        import report
        import run

    yield Modules
    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update(others)


def run_of(times: List[float], sums: List[int], complete: bool) -> Dict[str, Any]:
    moved = {"read_bytes": 300, "write_bytes": 100}
    more = {"disk_row_bytes": 150, "disk_read_bytes": 100, "disk_packed_bytes": 1}
    return {"times": times, "sums": sums, "complete": complete, "more": more, **moved}


@pytest.fixture()
def results(modules: Any, tmp_path: Path) -> Any:
    data = modules.dataset.Dataset(tmp_path, 0.01, 4)
    data.folder.mkdir()
    (data.folder / "x.npy").write_bytes(bytes(1000))
    made = modules.report.Results(list(modules.run.CONTESTANTS), data, [50])
    made.know_dataset()
    made.disk = {"bytes_per_s": 100, "random_4k_per_s": 1}
    made.bounds = {"bound_bytes": {"500": 200}, "batches": 4, "rows": 8, "distinct_rows": 2}
    return made


def test_ratios(results: Any) -> None:
    results.add("in_memory", None, run_of([1, 1.5, 2, 2.5], [1, 2, 3], True))
    results.add("planned", 50, run_of([5, 6, 7, 8], [1, 2, 3], True))
    results.add("mapped", 50, run_of([10, 40, 60], [1, 2, 3], False))
    results.add("row_reads", 50, {"reason": "killed", "peak_bytes": 1})
    out = results.json({})
    at = out["budgets"]["50"]
    assert (at["limit_bytes"], at["bound_bytes"], at["first_batch_s"]) == (500, 250, 5)
    assert at["vs_disk"] == 0.3125 and at["bytes_vs_bound"] == 400 / 250
    assert at["fewest_bytes"] == 200 and at["bytes_vs_fewest"] == 400 / 200
    # The first quarter of the time of a contestant without a plan is not counted.
    assert at["vs_mapped"] == (4 / 8) / (2 / 50)
    assert out["vs_memory_50"] == (4 / 8) / (4 / 2.5)
    assert at["vs_row_reads"] is None and at["vs_pyg_memmap"] is None
    assert results.why_missing() == [
        "row_reads at 50 %: killed",
        "pyg_memmap at 50 %: not measured",
    ]


def test_an_epoch_that_did_not_end(results: Any, capsys: pytest.CaptureFixture[str]) -> None:
    results.add("planned", 50, run_of([5, 6], [1, 2], False))
    at = results.json({})["budgets"]["50"]
    assert at["vs_disk"] is None and at["bytes_vs_bound"] is None
    results.print_table()
    assert "the epoch did not end in time" in capsys.readouterr().out


def test_other_rows_are_no_result(results: Any) -> None:
    results.add("in_memory", None, run_of([1, 2], [1, 2], True))
    results.add("planned", 50, run_of([1, 2], [1, 3], True))
    assert "other rows" in results.why_missing()[0]
    assert results.json({})["budgets"]["50"]["vs_memory"] is None


@pytest.mark.parametrize(
    "words",
    [["--budgets", "0"], ["--minutes", "0"], ["--only", "x"], ["--batches", "1"]],
)
def test_wrong_arguments(
    modules: Any,
    words: List[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ["run.py", "--gls", "g", "--programs", "p", "--data", "d"]
    monkeypatch.setattr(sys, "argv", given + words)
    with pytest.raises(SystemExit):
        modules.run.parse_arguments()
    assert f"{words[0]}: expected" in capsys.readouterr().err


def test_the_limit_of_memory(modules: Any) -> None:
    reason = modules.memory_group.why_not()
    if reason is not None:
        pytest.skip(reason)
    small = [sys.executable, "-c", "print('{\"times\": [1]}')"]
    out = modules.memory_group.run_in_group("test", small, 256 << 20, 60, cold=False)
    assert out["times"] == [1] and out["peak_bytes"] is not None
    large = [sys.executable, "-c", "bytearray(512 << 20)"]
    out = modules.memory_group.run_in_group("test", large, 64 << 20, 60, cold=False)
    assert out["reason"] == f"killed: its memory exceeded the limit of {64 << 20} bytes"
    slow = [sys.executable, "-c", "import time; time.sleep(60)"]
    out = modules.memory_group.run_in_group("test", slow, None, 0.5, cold=False)
    assert out["reason"] == "did not end within 0.5 s"
    assert not list(Path("/sys/fs/cgroup").rglob("gls-bench-test-*"))


def test_version_2_of_control_groups(
    modules: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The group is made below the nearest one that gives its children the controller."""
    module = modules.memory_group
    own = tmp_path / "a" / "b"
    own.mkdir(parents=True)
    for folder, given in ((tmp_path, "memory"), (tmp_path / "a", "cpu memory"), (own, "")):
        (folder / "cgroup.subtree_control").write_text(given)
    monkeypatch.setattr(module, "_own_groups", lambda: (None, "/a/b"))
    monkeypatch.setattr(
        module, "_mount", lambda kind, _: ("/", tmp_path) if kind == "cgroup2" else None
    )
    group = module.MemoryGroup("test", 1000)
    assert group.folder.parent == tmp_path / "a"
    assert (group.folder / "memory.max").read_text() == "1000"
    assert (group.peak(), group.anonymous(), group.kills()) == (None, 0, 0)
    (group.folder / "memory.peak").write_text("77\n")
    (group.folder / "memory.stat").write_text("anon 5\nfile 6\n")
    (group.folder / "memory.events").write_text("oom 1\noom_kill 2\n")
    assert (group.peak(), group.anonymous(), group.kills()) == (77, 5, 2)
