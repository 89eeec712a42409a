#!/usr/bin/env python3
"""Whether the links between pages of the built site lead somewhere.

    scripts/checks/check_links.py build/docs/html

Pages that javadoc and rustdoc made are looked at only as targets: those tools check their own links.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Dict, List, Optional, Set, Tuple
from urllib.parse import unquote, urlsplit

FOREIGN = ("java", "rust")


class Page(HTMLParser):
    """What a page refers to, and the places in it that can be referred to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: List[str] = []
        self.places: Set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "data") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


def faults(root: Path) -> Tuple[int, List[str]]:
    pages: Dict[Path, Page] = {}

    def page(path: Path) -> Page:
        if path not in pages:
            pages[path] = Page(path)
        return pages[path]

    own = [
        path
        for path in sorted(root.rglob("*.html"))
        if path.relative_to(root).parts[0] not in FOREIGN
    ]
    checked, out = 0, []
    for path in own:
        for link in page(path).links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                if url.scheme not in ("https", "data", "mailto"):
                    out.append(f"{path.relative_to(root)}: {link}: only https leads out")
                continue
            checked += 1
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if not target.is_file():
                out.append(f"{path.relative_to(root)}: {link}: no such file")
            elif url.fragment and target.suffix == ".html":
                if unquote(url.fragment) not in page(target).places:
                    out.append(f"{path.relative_to(root)}: {link}: no such place")
    return checked, out


def main(arguments: List[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    checked, out = faults(Path(arguments[0]).resolve())
    for fault in out:
        print(fault, file=sys.stderr)
    print(f"{checked} links, {len(out)} faults")
    return 1 if out or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
