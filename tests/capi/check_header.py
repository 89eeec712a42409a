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
from gls_header import (  # noqa: E402
    Declaration,
    Function,
    Header,
    read_declarations,
    read_header,
)

# Handed over by their own deleter, as DLPack says, or the caller's own.
RELEASED_OTHERWISE = {"DLManagedTensor", "void"}

# Elements of arrays have no struct_size. So their fields never change.
FROZEN = {
    "gls_arrow_column_t": "field name dtype fill mask role use",
    "gls_column_request_t": "type name rows dtype",
    "gls_edge_set_t": "edge_type edges",
    "gls_fanout_t": "edge_type per_hop num_hops",
    "gls_loader_seeds_t": "node_type edge_type id_set ids times labels",
    "gls_node_samples_t": "node_type per_hop num_hops",
    "gls_pad_size_t": "type rows",
    "gls_ppr_channel_t": "edge_types num_edge_types share reserved",
    "gls_seed_set_t": "node_type ids",
    "gls_supervision_t": "edge_type node_type name role flags max_labels reserved",
    "gls_text_column_t": "field name dtype role reserved",
    "gls_type_pair_t": "edge_type reverse_type",
}


def check_function(function: Function, functions: Dict[str, Function]) -> List[str]:
    """What is wrong with the function's documentation or conventions."""
    faults = []
    name, comment = function.name, function.comment
    if not re.match(r"/\*\* \[(any|one)\] ", comment):
        faults.append("does not begin with its mark, [any] or [one]")
    if name.endswith("_release"):
        # What they do is a rule stated once, at the top.
        if function.returns != "void" or len(function.parameters) != 1:
            faults.append("a release takes one object and returns nothing")
        return faults
    faults += check_names(function)
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


def check_names(function: Function) -> List[str]:
    """Rules for getters, timeouts and user data."""
    faults = []
    types = [parameter.type for parameter in function.parameters]
    getter = re.fullmatch(r"gls_\w+_get_(\w+_)?info", function.name) is not None
    if getter != any(re.fullmatch(r"gls_\w+_info_t \*", type) for type in types):
        faults.append("fills a gls_*_info_t if and only if its name ends with get_info")
    for parameter in function.parameters:
        if "timeout" in parameter.name and (parameter.name, parameter.type) != (
            "timeout_ms",
            "int64_t",
        ):
            faults.append(f"has the timeout {parameter.name}, expected int64_t timeout_ms")
        if (parameter.type == "gls_destroy_fn") != (parameter.name == "destroy"):
            faults.append(f"has the parameter {parameter.name} of the type {parameter.type}")
    if "gls_destroy_fn" in types and "runs with" not in function.comment:
        faults.append("does not say when `destroy` runs")
    return faults


def check_struct(struct: Declaration) -> List[str]:
    """What is wrong with the fields of a struct."""
    faults = []
    fields = [item.name for item in struct.items]
    if (fields[0] != "struct_size") != (struct.name in FROZEN):
        faults.append("begins with struct_size, or check_header.py lists it as frozen")
    if struct.name in FROZEN:
        if " ".join(fields) != FROZEN[struct.name]:
            faults.append(f'is frozen: its fields are "{FROZEN[struct.name]}"')
        if not struct.comment.endswith("Frozen."):
            faults.append('is frozen, but its comment does not end with "Frozen."')
    for item in struct.items:
        type = item.text.removesuffix(item.name).strip()
        if re.match(r"GLS_\w+", item.comment) and type in ("int32_t", "uint32_t"):
            faults.append(f"{item.name} holds named numbers, but has the type {type}")
        if item.comment.startswith("non-zero") and re.match(r"no_|not_|without_", item.name):
            faults.append(f"{item.name} is a negation: zero would be true")
        if "timeout" in item.name:
            faults.append(f"{item.name}: a timeout is a parameter, so that zero can be a poll")
        if type == "gls_destroy_fn" and not item.name.endswith("_destroy"):
            faults.append(f"{item.name} is a gls_destroy_fn, but is not called so")
    return faults


def check_enum(enum: Declaration) -> List[str]:
    """What is wrong with the type and the numbers of an enum."""
    flags = [re.search(r" = 1u << \d+$", item.text) is not None for item in enum.items]
    if enum.name == "":
        return ["comes right after no typedef of its numbers"]
    if enum.text == "int32_t" and not any(flags):
        return []
    if enum.text == "uint32_t" and all(flags):
        return []
    return ["is an int32_t of numbers, or a uint32_t of flags 1u << n"]


def check_declarations(declarations: List[Declaration]) -> List[str]:
    faults = []
    for declaration in declarations:
        name, found = declaration.name, []
        if name.startswith("DL") or name.startswith("kDL"):
            continue
        if declaration.kind == "struct":
            # Those of Arrow and DLPack are not ours.
            found = check_struct(declaration) if declaration.name.startswith("gls_") else []
        elif declaration.kind == "enum":
            found = check_enum(declaration)
        elif declaration.kind == "macro" and name.endswith("_INIT"):
            wanted = f"GLS_INIT({name.removesuffix('_INIT').lower()}_t)"
            if declaration.text != wanted:
                found = [f"is {declaration.text}, expected {wanted}"]
        name = name or declaration.items[0].name
        faults += [f"{name} {fault}" for fault in found]
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
        faults = check_docs(header) + check_declarations(read_declarations(Path(path)))
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
