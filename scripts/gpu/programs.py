"""Runs programs of tests of devices, each once and all cases in one process, as starting on a GPU takes long.

    python scripts/gpu/programs.py LIST --kind gpu|emulated --limit SECONDS --logs FOLDER [--jobs N]
        [--programs REGEX] [--but REGEX] [--under TOOL --sanitizer PROGRAM] [--cases FILE] [--count]

LIST is device_programs.txt of a build folder. What failed is run again by itself, case by case; after a crash, or what
did not end, the rest goes on without it. --cases names those to run instead of all, "PROGRAM FILTER" a line; --under
runs them in compute-sanitizer; --count only says how many there are. The last line says how it went.

Ends with 0: all passed; 1: something failed, or was found; 4: nothing could be run.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import time
from typing import Dict, List, Optional, Tuple

# What compute-sanitizer says where it cannot work; errors that follow are its own.
REFUSED = r".*(Device not supported|Internal Sanitizer Error|Failed to initialize).*"
SHORTEST = 3.0  # seconds in which it is worth to start one


@dataclasses.dataclass
class Program:
    name: str
    path: str
    environment: Dict[str, str]
    filter: str  # of GoogleTest; "": it is not of it, and runs all it has


@dataclasses.dataclass
class Outcome:
    """Of a program, from what it printed."""

    expected: int = 0
    passed: List[str] = dataclasses.field(default_factory=list)
    failed: List[str] = dataclasses.field(default_factory=list)
    skipped: Dict[str, str] = dataclasses.field(default_factory=dict)  # and why
    unfinished: List[str] = dataclasses.field(default_factory=list)  # crashed, or did not end
    alone: List[str] = dataclasses.field(default_factory=list)  # failed, and passed by themselves
    why: str = ""  # it was not run, or not to the end
    seconds: float = 0.0

    def done(self) -> List[str]:
        return self.passed + self.failed + list(self.skipped) + self.unfinished

    def good(self) -> bool:
        return bool(self.passed or self.skipped) and not (
            self.failed or self.unfinished or self.alone or self.why
        )


def read(text: str) -> Outcome:
    """What GoogleTest and cmocka say of cases; the one that began and did not end is unfinished."""
    out = Outcome()
    began: Optional[str] = None
    reason = ""
    for line in text.splitlines():
        if match := re.search(r"\[=+\] (?:\S+: )?Running (\d+) test", line):
            out.expected = int(match[1])
        elif match := re.match(r"\[ RUN +\] (\S+)", line):
            began, reason = match[1], ""
        elif match := re.match(r"\[ +(OK|FAILED|SKIPPED) +\] (\S+)", line):
            name = match[2].rstrip(",")
            if name != began:  # the summary, which names some again
                continue
            began = None
            if match[1] == "OK":
                out.passed.append(name)
            elif match[1] == "FAILED":
                out.failed.append(name)
            else:
                out.skipped[name] = reason
        elif "too few GPUs" in line or "emulated runtime alone" in line or "no GPU: " in line:
            reason = line.strip()
    if began is not None:
        out.unfinished.append(began)
    return out


class Runner:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.logs = pathlib.Path(arguments.logs)
        self.logs.mkdir(parents=True, exist_ok=True)
        self.end = time.monotonic() + arguments.limit

    def left(self) -> float:
        return self.end - time.monotonic()

    def start(self, program: Program, filter: str, log: str) -> Tuple[str, int, bool]:
        """What it printed, its exit code, and whether it ended in time."""
        command = [program.path]
        if program.filter:
            command.append(f"--gtest_filter={filter}")
        if self.arguments.under:
            tool = [self.arguments.sanitizer, "--tool", self.arguments.under]
            tool += ["--error-exitcode", "9"]
            if self.arguments.under == "memcheck":
                tool += ["--report-api-errors", "no"]  # some calls may fail, and are asked whether
            command = tool + command
        path = self.logs / f"{log}.log"
        in_time = True
        with open(path, "wb") as out:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **program.environment},
                start_new_session=True,
            )
            try:
                code = process.wait(timeout=max(self.left(), 0.1))
            except subprocess.TimeoutExpired:
                in_time = False
                os.killpg(process.pid, 9)
                code = process.wait()
        return path.read_text(errors="replace"), code, in_time

    def tests(self, program: Program) -> Outcome:
        """All cases; after a crash those that follow; then once more, alone, each that failed."""
        began = time.monotonic()
        whole = Outcome()
        again = 0
        while True:
            if self.left() < SHORTEST:
                whole.why = "no time was left"
                break
            without = ":".join(whole.done())
            joint = ":" if "-" in program.filter else "-"
            filter = program.filter + (joint + without if without else "")
            text, code, in_time = self.start(
                program, filter, program.name + (f"-{again}" if again else "")
            )
            part = read(text)
            if not again:
                whole.expected = part.expected
            whole.passed += part.passed
            whole.failed += part.failed
            whole.skipped.update(part.skipped)
            whole.unfinished += part.unfinished
            again += 1
            if not in_time:
                whole.why = f"did not end in time, but {len(whole.done())} of {whole.expected} did"
                break
            if part.unfinished and program.filter and again < 4:
                continue
            if code not in (0, 77) and not part.failed:
                lines = text.strip().splitlines() or ["it said nothing"]
                whole.why = f"ended with {code}: {lines[-1]}"
            break
        for name in whole.failed[:] if program.filter else []:
            if self.left() < SHORTEST:
                break
            text, code, _ = self.start(program, name, f"{program.name}-{name.replace('/', '_')}")
            if code == 0 and read(text).passed == [name]:
                whole.failed.remove(name)
                whole.alone.append(name)
        whole.seconds = time.monotonic() - began
        return whole

    def sanitized(self, program: Program) -> Tuple[str, str]:
        """clean, found, failed or not run; and what there is to say of it."""
        if self.left() < SHORTEST:
            return "not run", "no time was left"
        text, code, in_time = self.start(program, program.filter, program.name)
        result = read(text)
        if refused := re.search(REFUSED, text):
            return "not run", refused[0].strip("= ")
        found = re.findall(r"((?:ERROR|RACECHECK) SUMMARY: (\d+) .*)", text)
        if any(int(count) for _, count in found):
            return "found", found[-1][0]
        if not in_time:
            return "not run", f"it did not end in time, but {len(result.done())} cases did"
        if not found or code == 9:  # without its summary, it is the sanitizer that could not
            lines = text.strip().splitlines() or ["it said nothing"]
            return "not run", f"there is no summary; the last line is: {lines[-1]}"
        if result.skipped and not result.passed:
            return "not run", next(iter(result.skipped.values())) or "all cases were left out"
        if not result.passed:
            return "failed", f"{program.filter} ran 0 tests"
        if code != 0 or result.failed or result.unfinished:
            wrong = ", ".join(result.failed + result.unfinished)
            return "failed", f"ended with {code}: {wrong}"
        return "clean", f"{len(result.passed)} cases"


def programs_of(arguments: argparse.Namespace) -> List[Program]:
    """In the order of --cases, else as the build has them; those that were not built have no file."""
    found: Dict[str, Program] = {}
    for line in pathlib.Path(arguments.list).read_text().splitlines():
        kind, name, path, environment, filter = line.split("|")
        if kind == arguments.kind and re.search(arguments.programs, name):
            variables = dict(pair.split("=", 1) for pair in environment.split(";") if pair)
            found[name] = Program(name, path, variables, filter)
    if arguments.but:
        found = {k: v for k, v in found.items() if not re.search(arguments.but, k)}
    if not arguments.cases:
        return list(found.values())
    chosen = []
    for line in pathlib.Path(arguments.cases).read_text().splitlines():
        if line and not line.startswith("#"):
            name, filter = line.split()
            if name not in found:
                raise SystemExit(f"programs.py: {arguments.cases} names {name}, which is no test")
            chosen.append(dataclasses.replace(found[name], filter=filter))
    return chosen


def run_tests(runner: Runner, programs: List[Program]) -> int:
    outcomes: Dict[str, Outcome] = {}

    def run(program: Program) -> None:
        if not os.path.exists(program.path):
            outcome = Outcome(why="was not built")
        else:
            outcome = runner.tests(program)
        outcomes[program.name] = outcome
        told = [f"{len(outcome.passed)} of {outcome.expected} passed"]
        told += [f"{len(outcome.skipped)} could not"] if outcome.skipped else []
        told += [f"failed: {', '.join(outcome.failed)}"] if outcome.failed else []
        told += [f"passed only alone: {', '.join(outcome.alone)}"] if outcome.alone else []
        told += [f"crashed in {', '.join(outcome.unfinished)}"] if outcome.unfinished else []
        told += [outcome.why] if outcome.why else []
        print(f"{program.name}: {'; '.join(told)} ({outcome.seconds:.1f} s)", flush=True)

    with concurrent.futures.ThreadPoolExecutor(runner.arguments.jobs) as pool:
        list(pool.map(run, programs))
    every = outcomes.values()
    reasons = [reason for one in every for reason in one.skipped.values()]
    few = sum("too few GPUs" in reason for reason in reasons)
    meant = sum("emulated runtime alone" in reason for reason in reasons)
    passed = sum(len(one.passed) for one in every)
    alone = sum(len(one.alone) for one in every)
    failed = sum(len(one.failed) + len(one.unfinished) for one in every)
    text = f"{passed} passed, {failed} failed, in {len(programs)} programs"
    text += f"; {alone} passed only when run again, alone" if alone else ""
    text += f"; {few} could not for lack of a second GPU" if few else ""
    text += f"; {meant} are for the emulated runtime alone" if meant else ""
    rest = len(reasons) - few - meant
    text += f"; {rest} could not for another reason" if rest else ""
    for name, one in outcomes.items():
        text += f"; {name} {one.why}" if one.why else ""
    print(text)
    if not passed and not failed:
        return 4
    return 0 if all(one.good() for one in every) else 1


def run_sanitizer(runner: Runner, programs: List[Program]) -> int:
    results: Dict[str, Tuple[str, str]] = {}

    def run(program: Program) -> None:
        began = time.monotonic()
        if not os.path.exists(program.path):
            results[program.name] = ("not run", "it was not built")
        else:
            results[program.name] = runner.sanitized(program)
        how, what = results[program.name]
        print(f"{program.name}: {how}, {what} ({time.monotonic() - began:.1f} s)", flush=True)

    with concurrent.futures.ThreadPoolExecutor(runner.arguments.jobs) as pool:
        list(pool.map(run, programs))
    clean = [name for name, (how, _) in results.items() if how == "clean"]
    text = f"{len(clean)} of {len(programs)} programs clean"
    bad = False
    for name in results:
        how, what = results[name]
        bad = bad or how in ("found", "failed")
        text += f"; {name}: {how}, {what}" if how in ("found", "failed") else ""
    idle = [(name, what) for name, (how, what) in results.items() if how == "not run"]
    if idle and len(idle) == len(programs):
        print(f"not run: {idle[0][1]}")
        return 4
    text += "".join(f"; {name} not run: {what}" for name, what in idle)
    print(text)
    return 1 if bad else 0


def count_cases(programs: List[Program]) -> int:
    """How many cases each filter takes, which needs no device."""
    empty = 0
    for program in programs:
        listed = subprocess.run(
            [program.path, "--gtest_list_tests", f"--gtest_filter={program.filter}"],
            stdout=subprocess.PIPE,
            env={**os.environ, **program.environment},
            text=True,
            check=True,
        ).stdout
        cases = sum(line.startswith("  ") for line in listed.splitlines())
        empty += cases == 0
        print(f"{program.name}: {cases} cases of {program.filter}")
    return 1 if empty or not programs else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", metavar="LIST")
    parser.add_argument("--kind", choices=("gpu", "emulated"), required=True)
    parser.add_argument("--limit", type=float, required=True)
    parser.add_argument("--logs", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--programs", default="", help="only those whose name matches")
    parser.add_argument("--but", default="", help="not those whose name matches")
    parser.add_argument("--under", default="", help="a tool of compute-sanitizer")
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    parser.add_argument("--cases", default="")
    parser.add_argument("--count", action="store_true")
    arguments = parser.parse_args()
    programs = programs_of(arguments)
    if arguments.count:
        return count_cases(programs)
    runner = Runner(arguments)
    if arguments.under:
        return run_sanitizer(runner, programs)
    return run_tests(runner, programs)


if __name__ == "__main__":
    sys.exit(main())
