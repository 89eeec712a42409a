"""Directives that write reference pages from the headers and from the library itself.

gls-c-reference      everything in gls.h, in its order
gls-cpp-reference    the classes of gls.hpp
gls-settings         the library's settings, as the installed package lists them
gls-options STRUCT   the fields of a struct of options, with what zero means

gls.h is read by tests/capi/gls_header.py, which the checks of the header use, too.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "capi"))
from gls_header import Declaration, Item, comment_text, read_declarations, read_header  # noqa: E402

HEADER, CPP_HEADER = ROOT / "include" / "gls.h", ROOT / "include" / "gls.hpp"
THREADS = {
    "any": "any number of threads, at the same time",
    "one": "one thread at a time for each object",
}


class Header:
    """The declarations of gls.h, and how its comments are written in reStructuredText."""

    def __init__(self) -> None:
        self.declarations = [d for d in read_declarations(HEADER) if d.name != "GLS_API"]
        functions = {d.name for d in self.declarations if d.kind == "function"}
        if functions != {function.name for function in read_header(HEADER).functions}:
            raise ValueError("gls.h has functions that read_declarations() does not see")
        self.roles: Dict[str, str] = {}
        for declaration in self.declarations:
            if declaration.kind == "enum":
                self.roles.update((item.name, "macro") for item in declaration.items)
            if declaration.kind == "enum" and declaration.text != declaration.name:
                self.roles[declaration.name] = "type"  # the type of its numbers
            elif declaration.name:
                self.roles[declaration.name] = {
                    "function": "func",
                    "struct": "struct",
                    "enum": "enum",
                    "macro": "macro",
                }.get(declaration.kind, "type")

    def struct(self, name: str) -> Declaration:
        return next(d for d in self.declarations if d.kind == "struct" and d.name == name)

    def choices(self, comment: str) -> List[Item]:
        """The constants of which a field takes one or several, as its comment begins: GLS_EVEN_*."""
        match = re.match(r"(GLS_\w+_)\*", comment)
        enums = [d for d in self.declarations if d.kind == "enum"]
        return [
            item
            for enum in enums
            for item in enum.items
            if match is not None and item.name.startswith(match[1])
        ]

    def prose(self, text: str) -> str:
        """Code stays code, names become links, all else is plain."""
        parts = re.split(r"`([^`]*)`", text)
        return "".join(
            f"``{part}``" if index % 2 else self._plain(part) for index, part in enumerate(parts)
        )

    def _plain(self, text: str) -> str:
        pattern = re.compile(
            r"(?:::)?\b(?P<wild>[A-Z]+_\w*\*\w*)|(?:::)?\b(?P<name>(?:gls|GLS|DL|kDL)\w*)"
            r"(?P<rest>\(\)|::\w+)?|(?P<bold>\*\*)|(?P<special>[*|\\]|_(?=\W|$))"
        )

        def replace(match: "re.Match[str]") -> str:
            name, rest = match["name"], match["rest"] or ""
            if match["bold"]:
                return "**"
            if match["special"]:
                return "\\" + match["special"]
            if match["wild"]:
                return f"``{match['wild']}``"
            if name in self.roles and not rest.startswith("::"):
                return f":c:{self.roles[name]}:`{name}`"
            return f"``{name}{rest}``" if rest or "_" in name else name

        return pattern.sub(replace, text)


def indented(text: str, spaces: int = 3) -> List[str]:
    return [" " * spaces + line if line else "" for line in text.split("\n")] + [""]


def split_comment(comment: str) -> Tuple[str, List[Tuple[str, str]]]:
    """The text of a comment, and its @param and @return parts."""
    text, *parts = re.split(r"^@", comment, flags=re.M)
    out = []
    for part in parts:
        words = " ".join(part.split())
        match = re.fullmatch(r"param (\w+) (.*)|return (.*)", words)
        if match is None:
            raise ValueError(f"cannot read @{words}")
        out.append((f"param {match[1]}", match[2]) if match[1] else ("returns", match[3]))
    return text.strip(), out


class CReference:
    def __init__(self, header: Header) -> None:
        self.header = header

    def lines(self) -> Iterator[str]:
        yield from ["Rules", "-----", ""]
        first = re.search(r"/\*\*(.*?)\*/", HEADER.read_text("utf-8"), re.S)
        assert first is not None
        yield self.header.prose(comment_text(first[1]).partition("\n")[2])
        yield ""
        section = None
        for declaration in self.header.declarations:
            if declaration.section != section:
                section = declaration.section
                title = (section or "Basics").partition(":")[0].partition(" (")[0]
                about = (section or "").partition(": ")[2]
                yield from [title, "-" * len(title), "", self.header.prose(about), ""]
            yield from self.declaration(declaration)

    def declaration(self, declaration: Declaration) -> Iterator[str]:
        comment = self.header.prose(declaration.comment)
        if declaration.kind == "function":
            yield from self.function(declaration)
        elif declaration.kind == "struct":
            yield from [f".. c:struct:: {declaration.name}", ""]
            yield from indented(comment)
            for item in declaration.items:
                yield from [f"   .. c:member:: {item.text}", ""]
                yield from indented(self.header.prose(item.comment), 6)
        elif declaration.kind == "enum":
            if declaration.text != declaration.name:
                yield from [f".. c:type:: {declaration.text} {declaration.name}", ""]
                yield from indented(comment)
            else:
                yield from [f".. c:enum:: {declaration.name}", ""]
                yield from [comment, ""]
            for item in declaration.items:
                yield from self.constant(item)
        elif declaration.kind == "macro":
            yield from [f".. c:macro:: {declaration.name}", ""]
            if declaration.name.endswith("_INIT"):
                comment = "Initialiser: the size of the struct, and zero for all else."
            elif re.fullmatch(r"\d+|\(\d.*\)", declaration.text):
                comment = (
                    f"``{declaration.text}``: {comment}" if comment else f"``{declaration.text}``"
                )
            yield from indented(comment)
        elif declaration.kind == "callback":
            text, parts = split_comment(declaration.comment)
            yield from [f".. c:type:: {declaration.text}", ""]
            yield from indented(self.header.prose(text))
            for name, said in parts:
                shown = f"``{name[6:]}``" if name.startswith("param") else name
                yield from indented(f"- {shown}: {self.header.prose(said)}")
        else:
            opaque = re.fullmatch(r"struct (gls_\w+) \1_t", declaration.text)
            yield from [f".. c:type:: {declaration.name if opaque else declaration.text}", ""]
            yield from indented(comment)

    def constant(self, item: Item) -> Iterator[str]:
        value = item.text.partition("=")[2].strip()
        said = f": {self.header.prose(item.comment)}" if item.comment else ""
        yield from [f".. c:macro:: {item.name}", ""]
        yield from indented(f"``{value}``{said}")

    def function(self, declaration: Declaration) -> Iterator[str]:
        text, parts = split_comment(declaration.comment)
        mark = re.match(r"\[(any|one)\]", text)
        text = re.sub(r"^\[(any|one)\] ?", "", text)
        if declaration.name.endswith("_release"):
            text = "Releases the object. NULL is allowed." if text == "Accepts NULL." else text
            parts = parts + [
                ("Threads", "one, and it is the last call on the object by any thread")
            ]
        elif mark is not None:
            parts = parts + [("Threads", THREADS[mark[1]])]
        yield from [f".. c:function:: {declaration.text}", ""]
        yield from indented(self.header.prose(text))
        for name, said in parts:
            yield f"   :{name}: {self.header.prose(said)}"
        yield ""


class CppReference:
    """The public members of the classes in gls.hpp, and which functions of gls.h they call."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.text = CPP_HEADER.read_text("utf-8")

    def lines(self) -> Iterator[str]:
        pattern = (
            r"(?:^/\*\*(?P<said>(?:(?!\*/).)*)\*/\n)?^class (?P<name>\w+)[^{]*\{\n(?P<body>.*?)^\};"
        )
        for match in re.finditer(pattern, self.text, re.S | re.M):
            yield from [f".. cpp:class:: gls::{match['name']}", ""]
            yield from indented(self.header.prose(comment_text(match["said"] or "")))
            yield from self.members(match["body"].partition(" public:\n")[2])
        check = re.search(
            r"/\*\*((?:(?!\*/).)*)\*/\n^inline (gls_status_t check\([^)]*\))",
            self.text,
            re.S | re.M,
        )
        assert check is not None
        yield from [f".. cpp:function:: gls_status_t gls::{check[2][13:]}", ""]
        yield from indented(self.header.prose(comment_text(check[1])))

    def members(self, body: str) -> Iterator[str]:
        body = body.partition(" private:\n")[0]
        pattern = re.compile(
            r"(?:  /\*\*(?P<said>(?:(?!\*/).)*)\*/\n)?^  (?=[\w~])(?P<start>)", re.S | re.M
        )
        position = 0
        while (match := pattern.search(body, position)) is not None:
            declared, end = declaration_at(body, match.end())
            template = re.match(r"template <[^>]*>\s*", declared)
            name = declared[template.end() :] if template else declared
            name = re.sub(r"^explicit ", "explicit ", " ".join(name.split()))
            prefix = "template<typename T> " if template else ""
            yield from [f"   .. cpp:function:: {prefix}{name}", ""]
            yield from indented(self.header.prose(comment_text(match["said"] or "")), 6)
            called = re.findall(r"\bgls_\w+(?=[(,)])", body[match.end() : end])
            called = [c for c in dict.fromkeys(called) if self.header.roles.get(c) == "func"]
            if called:
                links = ", ".join(f":c:func:`{c}`" for c in called)
                yield from indented(f"Calls {links}.", 6)
            position = end


def declaration_at(body: str, start: int) -> Tuple[str, int]:
    """What is declared at `start`, without its body, and where that ends."""
    depth, index = 0, start
    while depth or body[index] not in "{;=:" or body[index : index + 2] == "::":
        depth += {"(": 1, ")": -1}.get(body[index], 0)
        index += 2 if body[index : index + 2] == "::" else 1
    declared = body[start:index].strip()
    if body[index] in ";=":
        return declared, body.index(";", index) + 1
    end = re.compile(r"\}$|^  \}$", re.M)
    braces = 0
    while True:  # the end of its body; an initialiser list may come first
        braces += {"{": 1, "}": -1}.get(body[index], 0)
        index += 1
        if (
            braces == 0
            and body[index - 1] == "}"
            and end.search(body, index - 1).start() == index - 1
        ):
            return declared, index


class Reference(SphinxDirective):
    """Parses lines that a class of this file writes."""

    writer: Any

    def run(self) -> List[nodes.Node]:
        self.env.note_dependency(str(HEADER))
        self.env.note_dependency(str(CPP_HEADER))
        text = "\n".join(self.writer(Header()).lines())
        node = nodes.section()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(text.split("\n"), "gls.h"), node)
        return node.children


class CReferenceDirective(Reference):
    writer = CReference


class CppReferenceDirective(Reference):
    writer = CppReference


def table(titles: List[str], rows: List[List[str]], widths: str) -> List[str]:
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in [titles, *rows]:
        for index, cell in enumerate(row):
            lines.append(f"   {'* -' if index == 0 else '  -'} {cell}")
    return [*lines, ""]


class SettingsDirective(SphinxDirective):
    def run(self) -> List[nodes.Node]:
        import gls

        rows = [
            [
                f"``{s.key}``",
                s.type.replace("|", ", "),
                f"``{s.default}``" if s.default else "none",
                f"``{s.env}``",
                s.help,
            ]
            for s in gls.settings()
        ]
        lines = table(
            ["setting", "type", "default", "environment variable", "meaning"],
            rows,
            "18 14 10 24 34",
        )
        return parsed(self, lines)


class OptionsDirective(SphinxDirective):
    required_arguments = 1

    def run(self) -> List[nodes.Node]:
        self.env.note_dependency(str(HEADER))
        header = Header()
        rows = []
        for item in header.struct(self.arguments[0]).items:
            if re.fullmatch(r"struct_size|reserved\d*", item.name):
                continue
            kind = re.sub(rf"\b{item.name}$", "", item.text).strip()
            default, meaning = default_of(item)
            default, meaning = header.prose(default), header.prose(meaning)
            choices = header.choices(item.comment)
            if choices and default == "0":
                zero = [choice for choice in choices if choice.text.endswith("= 0")]
                default = f":c:macro:`{zero[0].name}`" if zero else "none"
            if choices:
                names = ", ".join(f":c:macro:`{choice.name}`" for choice in choices)
                meaning = meaning.replace(meaning.split("*``")[0] + "*``", names, 1)
            rows.append([f"``{item.name}``", f"``{kind}``", default, meaning])
        return parsed(self, table(["field", "type", "default", "meaning"], rows, "18 18 26 38"))


def default_of(item: Item) -> Tuple[str, str]:
    """What zero means, as the comment says it, and the rest of the comment."""
    clauses = item.comment.split("; ")
    for clause in clauses:
        match = re.fullmatch(r"(?:0|NULL|\{0[0, ]*\}): (.*)", clause)
        if match is not None:
            return match[1], "; ".join(other for other in clauses if other != clause)
    if re.search(r"\b(0|NULL): ", item.comment):
        return "", item.comment
    return ("NULL" if re.search(r"\*|_fn ", item.text) else "0"), item.comment


def parsed(directive: SphinxDirective, lines: List[str]) -> List[nodes.Node]:
    node = nodes.container()
    directive.state.nested_parse(StringList(lines, "gls"), directive.content_offset, node)
    return node.children


def setup(app: Sphinx) -> Dict[str, bool]:
    app.add_directive("gls-c-reference", CReferenceDirective)
    app.add_directive("gls-cpp-reference", CppReferenceDirective)
    app.add_directive("gls-settings", SettingsDirective)
    app.add_directive("gls-options", OptionsDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
