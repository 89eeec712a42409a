#!/usr/bin/env python3
"""Checks the English of pages and comments against the rules in CONTRIBUTING.md ("Words").

    scripts/checks/check_prose.py [FILE...]   prints FILE:LINE and the rule that the text breaks; all tracked files by default
    scripts/checks/check_prose.py --count     prints how many lines break each rule, also in files that are exempt

Files that match a pattern in scripts/checks/prose-exempt.txt are checked by --count alone. They still have to be
rewritten; the change that rewrites them removes the pattern.
"""

import collections
import fnmatch
import pathlib
import re
import subprocess
import sys
from typing import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXEMPT = ROOT / "scripts" / "checks" / "prose-exempt.txt"

WORDS_OF_PAGES = 25
WORDS_OF_COMMENTS = 25
LONGEST_LINE = 400  # characters of a line of Markdown, tables and links apart

# Words that stand for code, and what to write instead.
PHRASES = [
    (r"who|whoever|whom|nobody|somebody|someone|anybody|anyone|everybody", "name the actor"),
    (r"(?:is|are|was|were) (?:said|told)", "reported, set, configured, stated"),
    (r"(?:is|are) none of|is no(?= \w+ of)", '"is not a" or "never"'),
    (r"that there (?:is|are)|that (?:is|are) there", "delete, or use a noun"),
    (r"as ever|likewise|as \w+ has it", "repeat the noun"),
    (r"holds? up|gives? way|takes? in(?! the)", "block, yield, accept"),
    (r"elsewhere", "remote, on a server, in another process"),
]
RULES = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), advice) for words, advice in PHRASES]
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|no|fig|al|approx)\.$", re.IGNORECASE)
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def paragraphs_of_markdown(text: str) -> Iterator[tuple[int, str]]:
    """(first line, text) of paragraphs and list items, without code, tables, headings and HTML."""
    fenced = False
    start, lines = 0, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        stripped = line.strip()
        if stripped.startswith(("```", "~~~", ":::")):
            fenced = not fenced and not stripped.startswith(":::")
            stripped = ""
        new = bool(re.match(r"([-*+]|\d+[.)]) |> ", stripped))
        skip = fenced or not stripped or stripped[0] in "|#<" or line.startswith("    ")
        if lines and (skip or new):
            yield start, " ".join(lines)
            lines = []
        if not skip:
            start = start if lines else number
            lines.append(re.sub(r"^(?:[-*+]|\d+[.)]|>) ", "", stripped))


def comments_of(text: str, suffix: str) -> Iterator[tuple[int, str]]:
    """(first line, text) of comments, without their code; a blank comment line ends one."""
    start, lines = 0, []
    block = False
    docstring = False
    fenced = False  # a code block of rustdoc or Javadoc
    for number, line in enumerate([*text.split("\n"), ""], 1):
        stripped = line.strip()
        words = None
        if suffix == ".py":
            if docstring or stripped.startswith(('"""', 'r"""')):
                body = stripped.removeprefix("r")
                opens = not docstring
                words = body.replace('"""', "")
                docstring = body.count('"""') == (1 if opens else 0)
            elif stripped.startswith("# "):
                words = stripped[2:]
        elif block or stripped.startswith("/*"):
            block = "*/" not in stripped
            words = re.sub(r"^/?\*+/?|\*+/$", "", stripped).strip()
        elif re.match(r"//[/!]? ", stripped):
            words = re.sub(r"^//[/!]? ", "", stripped)
        else:
            behind = re.search(r"[;{},)] +//<? (.*)$|\s/\*\*?<? (.*) \*/$", line)
            if behind:
                yield number, behind[1] or behind[2]
        if words and suffix in (".rs", ".java"):
            fence = words.startswith(("```", "<pre>", "</pre>", "}</pre>"))
            fenced = fenced != fence
            words = None if fence or fenced or words.startswith("    ") else words
        if words is not None and re.match(r"([-*]|\d+[.)]|\||@\w+|#) ", words) and lines:
            yield start, " ".join(lines)
            lines = []
        if words:
            start = start if lines else number
            lines.append(words)
        elif lines:
            yield start, " ".join(lines)
            lines = []


def sentences(text: str) -> Iterator[str]:
    text = LINK.sub(r"\1", CODE.sub("code", text))
    for piece in re.split(r"(?<=[.!?:])[\"')*]*\s+|;\s+(?=GLS_)", text):
        if piece:
            yield piece


def check(path: pathlib.Path) -> Iterator[tuple[int, str]]:
    text = path.read_text()
    markdown = path.suffix == ".md"
    most = WORDS_OF_PAGES if markdown else WORDS_OF_COMMENTS
    found = paragraphs_of_markdown(text) if markdown else comments_of(text, path.suffix)
    for line, paragraph in found:
        plain = LINK.sub(r"\1", CODE.sub("code", paragraph))
        for rule, advice in RULES:
            for hit in rule.finditer(plain):
                yield line, f'"{hit[0]}": {advice}'
        carried = ""
        for piece in sentences(paragraph):
            piece = f"{carried} {piece}".strip()
            carried = piece if ABBREVIATION.search(piece) else ""
            count = len(re.findall(r"[\w'’-]+(?:[./][\w-]+)*", piece))
            if not carried and count > most:
                yield line, f'a sentence of {count} words, at most {most}: "{piece[:60]}..."'
    if markdown:
        for number, line in enumerate(text.split("\n"), 1):
            if len(LINK.sub(r"\1", line)) > LONGEST_LINE:
                yield number, f"a line of {len(line)} characters, at most {LONGEST_LINE}"


def files() -> list[str]:
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "*.md",
            "include",
            "src",
            "cuda",
            "plugins",
            "tools",
            "fuzz",
            "bindings",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    kinds = {".md", ".h", ".hpp", ".cc", ".cu", ".py", ".java", ".rs"}
    dated = ("docs/decisions/", "docs/measurements/", "CHANGELOG")
    return [
        name
        for name in listed
        if pathlib.Path(name).suffix in kinds
        and not name.startswith(dated)
        and "/tests/" not in name
        and "/test/" not in name
        and not name.endswith("bindings.rs")
        and (ROOT / name).is_file()
    ]


def main() -> int:
    arguments = sys.argv[1:]
    exempt = [line.strip() for line in EXEMPT.read_text().split("\n") if line.strip()]
    patterns = [line for line in exempt if not line.startswith("#")]
    counting = arguments == ["--count"]
    names = files() if counting or not arguments else arguments
    if not arguments:
        names = [n for n in names if not any(fnmatch.fnmatch(n, p) for p in patterns)]
    broken: collections.Counter[str] = collections.Counter()
    for name in names:
        for line, what in check(ROOT / name):
            broken[re.sub(r'"[^"]*": |\d+ words.*|of \d+ characters.*', "", what)] += 1
            if not counting:
                print(f"{name}:{line}: {what}", file=sys.stderr)
    if counting:
        for what, count in broken.most_common():
            print(f"{count:6} {what}")
    return 1 if broken and not counting else 0


if __name__ == "__main__":
    sys.exit(main())
