"""Reads gls.h, and the headers that it includes, as far as checks and documentation need it: functions, structs, enums, comments.

The header is plain C in one style, so regular expressions do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

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


_INCLUDE = re.compile(r"^#include <(gls/\w+\.h)>\n", re.M)


def header_files(path: Path) -> List[Path]:
    """The headers that `path` includes, and `path`: each once, after those that it needs."""
    out: List[Path] = []

    def add(file: Path) -> None:
        for name in _INCLUDE.findall(file.read_text(encoding="utf-8")):
            needed = root / name
            if needed not in out:
                add(needed)
        if file not in out:
            out.append(file)

    root = next(folder for folder in path.parents if (folder / "gls.h").exists())
    add(path)
    return out


def header_text(path: Path) -> str:
    """The text of a header and of all that it includes."""
    return "\n".join(file.read_text(encoding="utf-8") for file in header_files(path))


def read_header(path: Path) -> Header:
    text = header_text(path)
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


# ---- for the documentation: everything, in the order of the header ------------------------------


@dataclass
class Item:
    """A field of a struct or a value of an enum; `text` is its declaration."""

    name: str
    text: str
    comment: str


@dataclass
class Declaration:
    kind: str  # "function", "struct", "enum", "callback", "type", "macro"
    name: str  # empty: an enum without a name
    text: str  # what is declared, on one line; the type of the numbers of an enum
    comment: str
    section: str  # title of the banner above it
    items: List[Item] = field(default_factory=list)


_TRAILING = r"(?:[ \t]*/\*\*<(?P<trailing>.*?)\*/)?"
_DECLARATION = re.compile(
    rf"""
    ^/\*\ -+\n\ \*\ (?P<section>[^\n]*)\n.*?\*/
    | ^/\*\*(?P<comment>.*?)\*/
    | ^GLS_API\ (?P<function>[^;]*);
    | ^typedef\ struct\ \w*\ ?\{{(?P<struct>.*?)^\}}\ (?P<struct_name>\w+);
    | ^struct\ (?P<plain_name>\w+)\ \{{(?P<plain>.*?)^\}};
    | ^(?:typedef\ (?P<number>u?int32_t)\ (?P<choice>gls_\w+);\n)?(?:typedef\ )?enum\ \{{(?P<enum>[^}}]*)\}}\ ?(?P<enum_name>\w*);{_TRAILING}
    | ^typedef\ (?P<callback>[^;{{]*\(\*\w+\)[^;]*);
    | ^typedef\ (?P<type>[^;{{]*);{_TRAILING.replace("trailing", "type_trailing")}
    | ^\#define\ (?P<macro>(?:GLS|DLPACK)_\w+)\ (?P<value>(?:[^\n/]|/(?!\*))*){_TRAILING.replace("trailing", "macro_trailing")}
    """,
    re.S | re.M | re.X,
)


def comment_text(comment: str) -> str:
    """A comment without its stars; the indentation of its lines is kept."""
    lines = [
        re.sub(r"^\s*\*?[ ]{0,2}", "", line, count=1) for line in comment.strip("*").split("\n")
    ]
    return "\n".join(lines).strip()


def _items(body: str, separator: str) -> List[Item]:
    """The parts of a body; what is said of one stands after it, on its line and below."""
    body = re.sub(r"^#.*$", "", body, flags=re.M)
    out: List[Item] = []
    position = 0
    for match in re.finditer(
        rf"([^/]*?){separator}|/\*\*<(.*?)\*/|/\*.*?\*/|(\S[^/]*?)\s*\Z", body, re.S
    ):
        text = match[1] if match[1] is not None else match[3]
        if text is not None:
            text = " ".join(text.split())
            out.append(Item(_item_name(text), text, ""))
        elif match[2] is not None:
            if not out or position != match.start() and body[position : match.start()].strip():
                # An enum's last value has no comma: its comment comes first.
                text = " ".join(body[position : match.start()].split())
                out.append(Item(_item_name(text), text, ""))
            out[-1].comment = " ".join(comment_text(match[2]).split())
        position = match.end()
    return [item for item in out if item.name]


def _item_name(text: str) -> str:
    pointer = re.search(r"\(\*(\w+)\)", text)
    if pointer is not None:
        return pointer[1]
    name = re.search(r"(\w+)\s*$", text.partition("=")[0])
    return name[1] if name is not None else ""


def read_declarations(path: Path) -> List[Declaration]:
    """All that users of the header see, with what is said of it."""
    return list(_declarations(header_text(path)))


def _declarations(text: str) -> Iterator[Declaration]:
    section, comment, comment_end = "", "", -1
    for match in _DECLARATION.finditer(text):
        if match["section"] is not None:
            section = match["section"]
            continue
        if match["comment"] is not None:
            comment, comment_end = match["comment"], match.end()
            continue
        said = comment if text[comment_end : match.start()].strip() == "" else ""
        for key in ("trailing", "type_trailing", "macro_trailing"):
            said = match[key] or said
        kind, name, declared, items = _declared(match)
        yield Declaration(kind, name, declared, comment_text(said), section, items)


def _declared(match: "re.Match[str]") -> Tuple[str, str, str, List[Item]]:
    if match["function"] is not None:
        declared = " ".join(match["function"].split())
        name = re.search(r"(\w+)\(", declared)
        assert name is not None
        return "function", name[1], declared, []
    for key, owner in (("struct", "struct_name"), ("plain", "plain_name")):
        if match[key] is not None:
            return "struct", match[owner], match[owner], _items(match[key], ";")
    if match["enum"] is not None:
        name = match["choice"] or match["enum_name"]
        return "enum", name, match["number"] or name, _items(match["enum"], ",")
    if match["callback"] is not None:
        declared = " ".join(match["callback"].split())
        return "callback", _item_name(declared.partition(")")[0] + ")"), declared, []
    if match["type"] is not None:
        declared = " ".join(match["type"].split())
        return "type", declared.split()[-1], declared, []
    return "macro", match["macro"], match["value"].strip(), []
