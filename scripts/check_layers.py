#!/usr/bin/env python3
"""Checks that no room of src/ includes a later one, and that tools use the public headers only."""

import pathlib
import re
import sys

ROOMS = {
    "base": set(),
    "tensor": {"base"},
    "format": {"base", "tensor"},
    "graph": {"base", "tensor", "format"},
    "feature": {"base", "tensor", "format", "graph"},
    "sample": {"base", "tensor", "graph"},
    "loader": {"base", "tensor", "format", "graph", "feature", "sample"},
    "feed": {"base", "tensor", "format", "graph", "sample", "loader"},
    "ingest": {"base", "tensor", "format", "graph"},
}
ROOMS["capi"] = set(ROOMS)
# Plugins use C types of the rooms that load them.
PLUGINS = {"metis": {"base", "ingest"}}

INCLUDE = re.compile(r'^#include "([a-z]+)/', re.MULTILINE)


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    faults = []
    for room, allowed in ROOMS.items():
        for path in sorted((root / "src" / room).iterdir()):
            if path.suffix not in {".h", ".cc"}:
                continue
            for used in INCLUDE.findall(path.read_text()):
                if used != room and used not in allowed:
                    faults.append(f"{path.relative_to(root)} includes {used}/")
    for plugin, allowed in PLUGINS.items():
        for path in sorted((root / "plugins" / plugin).glob("*.[ch]*")):
            for used in INCLUDE.findall(path.read_text()):
                if used not in allowed:
                    faults.append(f"{path.relative_to(root)} includes {used}/")
    for path in sorted((root / "tools").glob("*.[ch]*")):
        for used in INCLUDE.findall(path.read_text()):
            if used in ROOMS:
                faults.append(f"{path.relative_to(root)} includes {used}/ of src")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
