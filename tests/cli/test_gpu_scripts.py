"""What scripts/gpu-check.sh says of programs of tests, sanitizers and figures, from what those print."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

ROOT = Path(__file__).parents[2]

# As GoogleTest does it: cases that pass, fail, fail unless they are alone, are left out, crash the program, or hang.
PROGRAM = """#!{python}
import os, sys, time
chosen = [a.split("=", 1)[1] for a in sys.argv if a.startswith("--gtest_filter=")][0]
take, _, leave = chosen.partition("-")
names = [n for n in {names} if take in ("*", "") or n in take.split(":")]
names = [n for n in names if n not in leave.split(":")]
print(f"[==========] Running {{len(names)}} tests from 1 test suite.")
failed = []
for name in names:
    print(f"[ RUN      ] {{name}}", flush=True)
    how = name.split(".")[1]
    if how.startswith("Few"):
        print("too few GPUs that read each other's memory: there is 1")
        print(f"[  SKIPPED ] {{name}} (0 ms)")
    elif how.startswith("Crash"):
        os.kill(os.getpid(), 11)
    elif how.startswith("Hang"):
        time.sleep(60)
    elif how.startswith("Fail") or how.startswith("Shy") and len(names) > 1:
        print(f"[  FAILED  ] {{name}} (1 ms)")
        failed.append(name)
    else:
        print(f"[       OK ] {{name}} (1 ms)")
print("[==========] all ran.")
for name in failed:
    print(f"[  FAILED  ] {{name}}")
sys.exit(1 if failed else 0)
"""


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def run(
    folder: Path, programs: Dict[str, List[str]], *options: str, limit: str = "30"
) -> Tuple[int, List[str]]:
    lines = []
    for name, cases in programs.items():
        text = PROGRAM.format(python=sys.executable, names=cases)
        lines.append(f"gpu|{name}|{executable(folder / name, text)}|A=1;B=2|*\n")
    (folder / "list").write_text("".join(lines) + "emulated|other|/nowhere||*\n")
    command = [sys.executable, str(ROOT / "scripts/gpu/programs.py"), str(folder / "list")]
    command += ["--kind", "gpu", "--limit", limit, "--logs", str(folder / "logs"), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.splitlines()


def test_each_case_is_counted(tmp_path: Path) -> None:
    code, lines = run(tmp_path, {"one": ["A.Good", "A.Fine"], "two": ["B.Good", "B.Few"]})
    assert code == 0
    assert lines[-1] == ("3 passed, 0 failed, in 2 programs; 1 could not for lack of a second GPU")


def test_what_failed_is_run_again_alone(tmp_path: Path) -> None:
    code, lines = run(tmp_path, {"one": ["A.Good", "A.Fail", "A.Shy"]})
    assert code == 1
    assert lines[0].startswith("one: 1 of 3 passed; failed: A.Fail; passed only alone: A.Shy")
    assert lines[-1].startswith("1 passed, 1 failed, in 1 programs; 1 passed only when run again")


def test_after_a_crash_the_rest_is_run(tmp_path: Path) -> None:
    code, lines = run(tmp_path, {"one": ["A.Good", "A.Crash", "A.Fine", "A.Crash2", "A.Last"]})
    assert code == 1
    assert lines[0].startswith("one: 3 of 5 passed; crashed in A.Crash, A.Crash2")
    assert lines[-1] == "3 passed, 2 failed, in 1 programs"


def test_what_hangs_leaves_what_was_done(tmp_path: Path) -> None:
    code, lines = run(tmp_path, {"one": ["A.Good", "A.Hang", "A.Fine"]}, limit="5")
    assert code == 1
    assert "1 passed, 1 failed" in lines[-1]
    assert "one did not end in time, but 2 of 3 did" in lines[-1]


def test_a_program_that_was_not_built_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"gpu|one|{tmp_path}/one||*\n")
    command = [sys.executable, str(ROOT / "scripts/gpu/programs.py"), str(tmp_path / "list")]
    command += ["--kind", "gpu", "--limit", "9", "--logs", str(tmp_path / "logs")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 4
    assert done.stdout.endswith("0 passed, 0 failed, in 1 programs; one was not built\n")


SANITIZERS = {
    "clean": ('"$@"; echo "========= ERROR SUMMARY: 0 errors"', 0, "2 of 2 programs clean"),
    "hazards": (
        '"$@"; echo "========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)"; exit 9',
        1,
        "0 of 2 programs clean; one: found, RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings); two: found, ",
    ),
    "warned": (
        '"$@"; echo "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)"',
        1,
        "0 of 2 programs clean; one: found, RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning); two: found, ",
    ),
    "refused": (
        'echo "========= Error: Device not supported"; exit 1',
        4,
        "not run: Error: Device not supported",
    ),
    "refused, and failing": (
        '"$@"; echo "= Error: Device not supported"; echo "= ERROR SUMMARY: 3 errors"; exit 9',
        4,
        "not run: Error: Device not supported",
    ),
    "silent": ('"$@"', 4, "not run: there is no summary; the last line is: "),
    "for one": (
        'case $1 in *one) echo "========= Internal Sanitizer Error: no"; exit 1;; esac; "$@"; echo "= ERROR SUMMARY: 0 errors"',
        0,
        "1 of 2 programs clean; one not run: Internal Sanitizer Error: no",
    ),
}


@pytest.mark.parametrize("kind", SANITIZERS)
def test_sanitizers(tmp_path: Path, kind: str) -> None:
    body, code, last = SANITIZERS[kind]
    shell = (
        '#!/bin/sh\n[ "$1 $2 $3 $4" = "--tool memcheck --error-exitcode 9" ] || exit 3\nshift 4\n'
    )
    shell += f'[ "$1 $2" = "--report-api-errors no" ] || exit 3\nshift 2\n{body}\n'
    sanitizer = executable(tmp_path / "sanitizer", shell)
    (tmp_path / "cases").write_text("# short\none A.Good\ntwo B.Good\n")
    options = ("--under", "memcheck", "--sanitizer", str(sanitizer), "--cases")
    got, lines = run(
        tmp_path,
        {"one": ["A.Good"], "two": ["B.Good", "B.Hang"]},
        *options,
        str(tmp_path / "cases"),
    )
    assert (got, lines[-1][: len(last)]) == (code, last)


def test_a_sanitizer_that_saw_no_case_found_nothing_out(tmp_path: Path) -> None:
    sanitizer = executable(
        tmp_path / "sanitizer", '#!/bin/sh\nshift 4\n"$@"; echo "ERROR SUMMARY: 0 errors"\n'
    )
    (tmp_path / "cases").write_text("one A.Renamed\n")
    options = ("--under", "synccheck", "--sanitizer", str(sanitizer), "--cases")
    code, lines = run(tmp_path, {"one": ["A.Good"]}, *options, str(tmp_path / "cases"))
    assert code == 1
    assert lines[-1] == "0 of 1 programs clean; one: failed, A.Renamed ran 0 tests"


def report(folder: Path, logs: Dict[str, str]) -> Tuple[str, Dict[str, Any]]:
    command = [sys.executable, str(ROOT / "bench/gpu/report.py")]
    for name, text in logs.items():
        (folder / name).write_text(text)
        command.append(f"{name}={folder / name}")
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return out, json.loads(out.splitlines()[-1])


def line(part: str, **ratios: float) -> str:
    said = {"bench": "gpu", "part": part, "device": "D", "emulated": False, "ratios": ratios}
    return json.dumps(said) + "\n"


def test_a_headline_needs_all_its_figures(tmp_path: Path) -> None:
    products = line(
        "products", sample_products_1024_vs_limit=0.7, sample_products_8192_vs_limit=0.6
    )
    _, short = report(tmp_path, {"products": products, "train": line("train", gpu_wait_pct=3.5)})
    assert short["sample_vs_limit"] is None
    assert short["partial"] == {"sample_vs_limit": 0.6}
    assert short["gpu_wait_pct"] == 3.5
    billion = line("billion", sample_billion_1024_vs_limit=0.5, sample_billion_8192_vs_limit=0.9)
    table, short = report(tmp_path, {"products": products, "billion": billion})
    assert short["sample_vs_limit"] == 0.5
    assert short["partial"] == {}
    assert "| training |" not in table


def test_what_was_ended_counts_as_far_as_it_came(tmp_path: Path) -> None:
    log = "text\n" + line("loader", loader_1024_vs_cpu=4) + "it did not end in its 60 s\n"
    table, short = report(tmp_path, {"loader": log, "gather": "benchmark: CUDA refused\n"})
    assert short["loader_vs_cpu"] is None
    assert short["partial"] == {"loader_vs_cpu": 4}
    assert "| loaders | not to the end: it did not end in its 60 s |" in table
    assert "4, partial: without loader_8192_vs_cpu" in table
    assert short["not_run"]["gather"] == "benchmark: CUDA refused"
