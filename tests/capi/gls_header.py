"""Reads gls.h as far as the checks need it: functions with their comments, structs, enums.

The header is plain C in one style, so regular expressions do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List

_COMMENT = re.compile(r"/\*.*?\*/", re.S)


@dataclass
class Parameter:
    """`const gls_batch_t *` and `batch`."""

    type: str
    name: str


@dataclass
class Function:
    name: str
    returns: str
    parameters: List[Parameter]
    comment: str  # empty: there is none
    section: str  # the banner above it


@dataclass
class Struct:
    name: str
    fields: List[str]


@dataclass
class Header:
    functions: List[Function] = field(default_factory=list)
    structs: List[Struct] = field(default_factory=list)
    values: List[str] = field(default_factory=list)  # of enums
    macros: Dict[str, str] = field(default_factory=dict)


def _parameters(text: str) -> List[Parameter]:
    if text.strip() == "void":
        return []
    out = []
    for part in text.split(","):
        match = re.fullmatch(r"(.*?)(\w+)", part.strip(), re.S)
        if match is None:
            raise ValueError(f"cannot read the parameter {part!r}")
        out.append(Parameter(" ".join(match[1].split()), match[2]))
    return out


def _fields(body: str) -> List[str]:
    out = []
    for declaration in _COMMENT.sub("", body).split(";"):
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        if pointer is not None:
            out.append(pointer[1])
            continue
        for part in declaration.split(","):
            name = re.search(r"(\w+)\s*$", part)
            if name is not None:
                out.append(name[1])
    return out


def read_header(path: Path) -> Header:
    text = path.read_text(encoding="utf-8")
    header = Header()
    section = ""
    # Comments, and function declarations; a comment belongs to what comes right after it.
    token = re.compile(
        r"(?P<comment>/\*.*?\*/)|^GLS_API (?P<returns>[^;(]*?)(?P<name>gls_\w+)\((?P<parameters>[^;]*?)\);",
        re.S | re.M,
    )
    comment, comment_end = "", -1
    for match in token.finditer(text):
        if match["comment"]:
            if match["comment"].startswith("/* ----"):
                section = match["comment"]
            comment, comment_end = match["comment"], match.end()
            continue
        directly = text[comment_end : match.start()].strip() == "" and comment.startswith("/**")
        header.functions.append(
            Function(
                match["name"],
                " ".join(match["returns"].split()),
                _parameters(match["parameters"]),
                comment if directly else "",
                section,
            )
        )
    plain = _COMMENT.sub("", text)
    declared = plain.count("GLS_API ") - len(re.findall(r"#define GLS_API ", plain))
    if declared != len(header.functions):
        raise ValueError(f"{declared} declarations, but {len(header.functions)} were understood")
    for match in re.finditer(r"(?:typedef )?struct (\w+) \{(.*?)\}\s*(\w*);", text, re.S):
        header.structs.append(Struct(match[3] or match[1], _fields(match[2])))
    for match in re.finditer(r"typedef struct \{(.*?)\}\s*(\w+);", text, re.S):
        header.structs.append(Struct(match[2], _fields(match[1])))
    for match in re.finditer(r"enum \{(.*?)\}", plain, re.S):
        header.values += re.findall(r"(?:^|,)\s*(\w+)", match[1])
    for match in re.finditer(r"^#define (\w+) (.*)$", text, re.M):
        header.macros[match[1]] = match[2]
    return header
