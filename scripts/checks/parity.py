#!/usr/bin/env python3
"""Where each thing of gls.h is found in the bindings: writes docs/parity.md.

    scripts/checks/parity.py            writes the table
    scripts/checks/parity.py --check    fails when the table is not what the header and the bindings give

The rows come from the header: every function, every field of the structs of options, every flag. The
names come from bindings/parity.json; one that begins with "-" says why there is none. Each name is
looked up in the sources of its binding. A value of an enum is called the same in gls.h, Java and Rust.
"""

from __future__ import annotations

import ast
import functools
import json
import re
import sys
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Set, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "capi"))
from gls_header import header_text, read_header  # noqa: E402

LANGUAGES = ("python", "java", "rust")
TABLE = ROOT / "docs" / "parity.md"
SOURCES = {
    "python": ("bindings/python/src/gls", "**/*.py"),
    "java": ("bindings/java/src/main/java/org/gls", "*.java"),
    "rust": ("bindings/rust/gls/src", "**/*.rs"),
}
# Not a matter of the bindings' users.
SILENT_FIELDS = re.compile(
    r"struct_size|reserved\d*|num_(columns|fanouts|hot_fanouts|memory|exclude|reverse_types|balance_sets|owners)"
)
FLAGS = re.compile(r"GLS_(SAMPLE|LOADER|EDGES)_[A-Z0-9_]+")


def items() -> List[str]:
    header = read_header(ROOT / "include" / "gls.h")
    out = [function.name for function in header.functions]
    for struct in header.structs:
        if struct.name.endswith("_options_t"):
            fields = [field for field in struct.fields if not SILENT_FIELDS.fullmatch(field)]
            out += [f"{struct.name}.{field}" for field in fields]
    return out + [value for value in header.values if FLAGS.fullmatch(value)]


def read_sources(language: str) -> Dict[str, str]:
    folder, pattern = SOURCES[language]
    # Python's folders may have modules of one name.
    return {
        str(path.relative_to(ROOT / folder).with_suffix("")): path.read_text("utf-8")
        for path in sorted((ROOT / folder).glob(pattern))
    }


class PythonNames:
    """What the modules of the Python package define."""

    def __init__(self, texts: Tuple[str, ...]) -> None:
        self.classes: Dict[str, List[ast.ClassDef]] = {}
        self.functions: Dict[str, List[ast.FunctionDef]] = {}
        self.values: Set[str] = set()
        for text in texts:
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef):
                    self.classes.setdefault(node.name, []).append(node)
                elif isinstance(node, ast.FunctionDef):
                    self.functions.setdefault(node.name, []).append(node)
                elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    self.values.update(one.id for one in targets if isinstance(one, ast.Name))

    def bodies(self, name: str, seen: Tuple[str, ...] = ()) -> Iterator[ast.stmt]:
        """The statements of all classes of a name, and of the classes they inherit from."""
        for node in self.classes.get(name, []):
            yield from node.body
            for base in node.bases:
                if isinstance(base, ast.Name) and base.id not in (*seen, name):
                    yield from self.bodies(base.id, (*seen, name))

    def fields(self, name: str) -> Set[str]:
        return {
            node.target.id
            for node in self.bodies(name)
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }

    def methods(self, owner: str, name: str) -> List[ast.FunctionDef]:
        return [
            node
            for node in self.bodies(owner)
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]

    def arguments(self, function: ast.FunctionDef) -> Set[str]:
        """The parameters, and the keys of the TypedDict that `**options` unpacks."""
        given = function.args
        names = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        if given.kwarg is not None and isinstance(given.kwarg.annotation, ast.Subscript):
            unpacked = given.kwarg.annotation.slice
            if isinstance(unpacked, ast.Name):
                names |= self.fields(unpacked.id)
        return names


def in_python(name: str, sources: Dict[str, str]) -> bool:
    """`Class`, `function`, `Class.member`, `Class(argument)`, `Class.member(argument)`."""
    match = re.fullmatch(r"(?P<owner>\w+)(\.(?P<member>\w+))?(\((?P<argument>\w+)\))?", name)
    if match is None:
        return False
    names = python_names(tuple(sources.values()))
    owner, member, argument = match["owner"], match["member"], match["argument"]
    if owner not in names.classes and owner not in names.functions:
        return owner in names.values and not member and not argument
    if member:
        functions = names.methods(owner, member)
        if not functions:
            return member in names.fields(owner) and not argument
    else:
        functions = names.functions.get(owner, []) or names.methods(owner, "__init__")
        if argument and owner in names.classes and argument in names.fields(owner):
            return True
    return not argument or any(argument in names.arguments(one) for one in functions)


@functools.lru_cache(maxsize=None)
def python_names(texts: Tuple[str, ...]) -> PythonNames:
    return PythonNames(texts)


def in_java(name: str, sources: Dict[str, str]) -> bool:
    """`Class`, `Class.method`."""
    owner, _, method = name.partition(".")
    text = sources.get(owner, "")
    return text != "" and (
        not method or re.search(rf"^ +(public )?[\w<>\[\], ]+ {method}\(", text, re.M) is not None
    )


def in_rust(name: str, sources: Dict[str, str]) -> bool:
    """`Type`, `function`, `Type::method`."""
    owner, _, method = name.partition("::")
    for text in sources.values():
        if method and re.search(rf"^impl\b.*\b{owner}\b", text, re.M):
            if re.search(rf"^    pub (unsafe )?fn {method}\b", text, re.M):
                return True
        if not method and re.search(rf"^pub (struct|enum|fn) {owner}\b", text, re.M):
            return True
    return False


EXISTS: Dict[str, Callable[[str, Dict[str, str]], bool]] = {
    "python": in_python,
    "java": in_java,
    "rust": in_rust,
}


def check(rows: List[str], names: Dict[str, Dict[str, str]]) -> List[str]:
    faults = [
        f"{row} is in gls.h, but not in bindings/parity.json" for row in rows if row not in names
    ]
    faults += [
        f"{row} is in bindings/parity.json, but not in gls.h" for row in names if row not in rows
    ]
    for language in LANGUAGES:
        sources = read_sources(language)
        for row, cells in names.items():
            name = cells.get(language, "")
            if not name or (not name.startswith("- ") and not EXISTS[language](name, sources)):
                faults.append(f"{row}: {language} has no {name!r}")
    return faults


# Values that a language cannot name as others do.
OTHER_VALUES = {"SelfOnly": "Self"}


def plain(name: str) -> str:
    return name.replace("_", "").lower()


def check_values() -> List[str]:
    """Whether GLS_EXCLUDE_REVERSE_ID is REVERSE_ID in Java and ReverseId in Rust."""
    numbers = {
        name: str(int(number) << int(shift or 0))
        for name, number, shift in re.findall(
            r"^  (GLS_[A-Z0-9_]+) = (-?\d+)(?:u << (\d+))?",
            header_text(ROOT / "include" / "gls.h"),
            re.M,
        )
    }
    java = read_sources("java")
    faults = []
    for text in read_sources("rust").values():
        for enum, body in re.findall(r"^pub enum (\w+) \{\n(.*?)^\}", text, re.M | re.S):
            constants = re.findall(r"^  ([A-Z][A-Z0-9_]*)\((\d+)", java.get(enum, ""), re.M)
            by_number = {number: name for name, number in constants}
            for variant, value in re.findall(r"^    (\w+) = sys::(GLS_\w+)", body, re.M):
                name = plain(OTHER_VALUES.get(variant, variant))
                if not plain(value).endswith(name):
                    faults.append(f"{value}: rust calls it {enum}::{variant}")
                there = by_number.get(numbers.get(value, ""), variant)
                if constants and plain(there) != name:
                    faults.append(f"{value}: java calls it {enum}.{there}, and rust {variant}")
    return faults


def table(rows: List[str], names: Dict[str, Dict[str, str]]) -> str:
    out = [
        "# The same in every language",
        "",
        "Made by `scripts/checks/parity.py` from `gls.h` and `bindings/parity.json`; a test compares. C++ has",
        "all of it in `gls.hpp`. Where a language needs no name of its own, the cell says why.",
        "",
        "| gls.h | Python | Java | Rust |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        cells = [names[row][language] for language in LANGUAGES]
        shown = [cell[2:] if cell.startswith("- ") else f"`{cell}`" for cell in cells]
        out.append(f"| `{row}` | {' | '.join(shown)} |")
    return "\n".join(out) + "\n"


def main(arguments: List[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    rows = items()
    names = json.loads((ROOT / "bindings" / "parity.json").read_text("utf-8"))
    faults = check(rows, names) + check_values()
    if not faults:
        text = table(rows, names)
        if not arguments:
            TABLE.write_text(text, "utf-8")
        elif not TABLE.exists() or TABLE.read_text("utf-8") != text:
            faults.append("docs/parity.md is not up to date: run scripts/checks/parity.py")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(rows)} rows, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
