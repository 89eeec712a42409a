"""Checks of gls.h against its own rules and against what is written down elsewhere.

    check_header.py docs GLS_H
    check_header.py layout GLS_H LAYOUT_C
    check_header.py symbols GLS_H SYMBOLS_IN_VERSIONS LIBRARY [NM]
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
from gls_header import Function, Header, read_header  # noqa: E402

# Handed over by their own deleter, as DLPack says, or the caller's own.
RELEASED_OTHERWISE = {"DLManagedTensor", "void"}


def check_function(function: Function, functions: Dict[str, Function]) -> List[str]:
    """What is wrong with the function's documentation or conventions."""
    faults = []
    name, comment = function.name, function.comment
    if name.endswith("_release"):
        # What they do is a rule stated once, at the top.
        if function.returns != "void" or len(function.parameters) != 1:
            faults.append("a release takes one object and returns nothing")
        return faults
    if not comment:
        return ["has no comment"]
    if not re.search(r"\[(any|one)\]", comment + function.section):
        faults.append("carries no [any] or [one], and neither does its section")
    for parameter in re.findall(r"@param\s+(\w+)", comment):
        if parameter not in [p.name for p in function.parameters]:
            faults.append(f"documents the parameter {parameter}, which it does not have")
    last = function.parameters[-1] if function.parameters else None
    asks_error = last is not None and last.type == "const gls_error_t *"
    reports = last is not None and last.type == "gls_error_t **"
    if function.returns == "gls_status_t" and not reports and not asks_error:
        faults.append("returns a status, but its last parameter is no gls_error_t **")
    if reports and not re.search(r"@return\s+(GLS_OK|as for)", comment):
        faults.append("returns a status, but does not say which (@return GLS_OK; GLS_ERR_...)")
    for parameter in function.parameters:
        owned = re.fullmatch(r"(\w+) \*\*", parameter.type)
        if owned is not None:
            kind = owned[1]
            release = re.sub(r"_t$", "_release", kind)
            if kind not in RELEASED_OTHERWISE and release not in functions:
                faults.append(f"hands over a {kind}, which nothing releases")
        if parameter.type in ("gls_tensor_t *", "DLManagedTensor *") and "taken" not in comment:
            faults.append(f'takes the tensor {parameter.name}, but does not say "taken"')
    return faults


def check_docs(header: Header) -> List[str]:
    functions = {function.name: function for function in header.functions}
    return [
        f"{function.name} {fault}"
        for function in header.functions
        for fault in check_function(function, functions)
    ]


def check_layout(header: Header, layout: str) -> List[str]:
    """Whether every public struct, field and value is pinned."""
    sizes = set(re.findall(r"^SIZE\((?:struct )?(\w+),", layout, re.M))
    fields = set(re.findall(r"^FIELD\((?:struct )?(\w+), (\w+),", layout, re.M))
    values = set(re.findall(r"^VALUE\((\w+),", layout, re.M))
    faults = []
    for struct in header.structs:
        if struct.name not in sizes:
            faults.append(f"the size of {struct.name} is not pinned")
        faults += [
            f"{struct.name}.{field} is not pinned"
            for field in struct.fields
            if (struct.name, field) not in fields
        ]
    faults += [f"{value} is not pinned" for value in header.values if value not in values]
    return faults


def read_table(text: str) -> Dict[str, Tuple[str, str, str]]:
    """name -> introduced, deprecated, removed; empty where the cell says -"""
    out = {}
    for line in text.splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("gls_"):
            if cells[0] in out:
                raise ValueError(f"{cells[0]} is listed twice")
            out[cells[0]] = tuple("" if cell == "-" else cell for cell in cells[1:])
    return out


def exported(library: str, nm: str) -> Dict[str, str]:
    """name -> version node"""
    text = subprocess.run(
        [nm, "-D", "--defined-only", "--with-symbol-versions", library],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    out = {}
    for line in text.splitlines():
        kind, symbol = line.split()[-2:]
        if kind != "A":  # the version nodes themselves
            name, _, version = symbol.partition("@@")
            out[name] = version
    return out


def check_symbols(header: Header, table: str, library: str, nm: str) -> List[str]:
    listed = read_table(table)
    present = {name: row for name, row in listed.items() if not row[2]}
    symbols = exported(library, nm)
    declared = {function.name for function in header.functions}
    faults = [f"{name} is declared but not listed" for name in sorted(declared - set(present))]
    faults += [f"{name} is listed but not declared" for name in sorted(set(present) - declared)]
    faults += [f"{name} is listed but not exported" for name in sorted(set(present) - set(symbols))]
    faults += [f"{name} is exported but not listed" for name in sorted(set(symbols) - set(present))]
    for name in sorted(set(symbols) & set(present)):
        version = f"GLS_{present[name][0]}"
        if symbols[name] != version:
            faults.append(f'{name} has version "{symbols[name]}", expected "{version}"')
    if list(listed) != sorted(listed):
        faults.append("the table is not in alphabetical order")
    return faults


def main(arguments: List[str]) -> int:
    if len(arguments) < 2 or arguments[0] not in ("docs", "layout", "symbols"):
        print(__doc__, file=sys.stderr)
        return 2
    what, path, *rest = arguments
    header = read_header(Path(path))
    if what == "docs":
        faults = check_docs(header)
    elif what == "layout":
        faults = check_layout(header, Path(rest[0]).read_text(encoding="utf-8"))
    else:
        table = Path(rest[0]).read_text(encoding="utf-8")
        faults = check_symbols(header, table, rest[1], rest[2] if len(rest) > 2 else "nm")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(header.functions)} functions, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
