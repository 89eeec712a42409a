#!/usr/bin/env python3
"""Whether docs/errors.md says what the code does.

    scripts/checks/check_errors.py

Every status of gls.h must be there with its number, every key of a detail that the library gives, and every
class or variant of the bindings. Every message that the page quotes must be one that the library can say.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Set

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "capi"))
from gls_header import read_declarations  # noqa: E402

PAGE = ROOT / "docs" / "errors.md"
JAVA = "bindings/java/src/main/java/org/gls/GlsException.java"
# A literal that consists of placeholders and little else proves nothing.
FEWEST_LETTERS = 8


def statuses() -> Dict[str, str]:
    values: Dict[str, str] = {}
    for declaration in read_declarations(ROOT / "include" / "gls.h"):
        if declaration.section == "Status and errors":
            for item in declaration.items:
                values[item.name] = item.text.partition("= ")[2]
    return values


def sources() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "src").rglob("*.[ch]*")))


def detail_keys(code: str) -> Set[str]:
    return set(re.findall(r'\.with\(\s*"(\w+)"', code))


def names() -> Dict[str, List[str]]:
    """What a failed call becomes, by language."""

    def found(pattern: str, file: str) -> List[str]:
        return re.findall(pattern, (ROOT / file).read_text("utf-8"), re.M)

    return {
        "Python": found(
            r"^class (\w+)\((?:\w*Error|NotFound|AlreadyExists)\b",
            "bindings/python/src/gls/errors.py",
        ),
        "Java": found(r"static (?:final )?class (\w+) extends", JAVA),
        "Rust": found(r"^    (\w+)\(ErrorInfo\),$", "bindings/rust/gls/src/runtime/error.rs"),
    }


def literals(code: str) -> Iterator[str]:
    """String literals of C++; those that stand side by side are one."""
    one = r'"(?:[^"\\\n]|\\.)*"'
    for match in re.finditer(rf"{one}(?:\s*{one})*", code):
        parts = re.findall(one, match[0])
        yield "".join(part[1:-1] for part in parts).replace('\\"', '"')


def patterns(code: str) -> List["re.Pattern[str]"]:
    out = []
    for literal in literals(code):
        fixed = re.split(r"\{[^{}]*\}", literal)
        if sum(map(str.isalpha, "".join(fixed))) >= FEWEST_LETTERS:
            out.append(re.compile(".+".join(map(re.escape, fixed))))
    return out


OWN_NAMES = (
    "bindings/python/src/gls/errors.py",
    "bindings/java/src/main/java/org/gls/OwnNames.java",
    "bindings/rust/gls/src/runtime/own_names.rs",
)
# Names of environment variables are the same everywhere.
ENVIRONMENT = re.compile(
    r"GLS_(MASTER_(ADDR|PORT)|PLUGIN_PATH|NET_KEY|WORLD_SIZE|RANK)|GLS_UNKNOWN"
)


def unnamed_constants(code: str) -> Iterator[str]:
    """Constants in messages that a binding does not know by its own name."""
    settings = set(re.findall(r'"(GLS_[A-Z0-9_]+)",\n', code))
    tables = {file: (ROOT / file).read_text("utf-8") for file in OWN_NAMES}
    spoken = {name for text in literals(code) for name in re.findall(r"\bGLS_[A-Z0-9_]+\b", text)}
    for name in sorted(spoken - settings):
        # Those of statuses are names themselves, and arrays of batches go by a rule.
        if name.startswith(("GLS_BATCH_", "GLS_ERR_")) or ENVIRONMENT.fullmatch(name):
            continue
        yield from (f"{file} has no name for {name}" for file in tables if name not in tables[file])
    for function in set(re.findall(r'"[^"\n]*\b(gls_[a-z_]+\(\))', code)):
        yield f"a message names {function}, which bindings do not have"


def main() -> int:
    page, code = PAGE.read_text("utf-8"), sources()
    faults = []
    for status, number in statuses().items():
        if not re.search(rf"^\| `{status}` \| {number} \|", page, re.M):
            faults.append(f"the status {status} ({number}) is not in the table")
        if status.startswith("GLS_ERR_") and f"### {status}\n" not in page:
            faults.append(f"the status {status} has no section")
    described = set(re.findall(r"^\| `(\w+)` \| [^|]*\| [^|]*\|$", page, re.M))
    for key in sorted(detail_keys(code) ^ described):
        faults.append(f'the detail "{key}" is in one of src and the page only')
    rows = [
        line.split("|") for line in page.splitlines() if re.match(r"\| `GLS_\w+` \| -?\d+ \|", line)
    ]
    for column, (language, classes) in enumerate(names().items(), start=4):
        named = {name for row in rows for name in re.findall(r"`(\w+)`", row[column])}
        for name in classes:
            if name not in named:
                faults.append(f"the column {language} does not name {name}")
    faults += unnamed_constants(code)
    sayable = patterns(code)
    messages = [
        m for block in re.findall(r"```text\n(.*?)```", page, re.S) for m in block.splitlines()
    ]
    for message in messages:
        if not any(pattern.search(message) for pattern in sayable):
            faults.append(f"nothing says: {message}")
    for fault in faults:
        print(f"docs/errors.md: {fault}", file=sys.stderr)
    print(f"{len(statuses())} statuses, {len(messages)} messages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
