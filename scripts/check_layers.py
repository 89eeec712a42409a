#!/usr/bin/env python3
"""Checks that no room of src/ includes a later one, and that tools use the public headers only."""

import pathlib
import re
import sys

ROOMS = {
    "base": set(),
    "tensor": {"base"},
    "table": {"base", "tensor"},
    "format": {"base", "tensor"},
    "graph": {"base", "tensor", "format"},
    "device": {"base", "tensor"},
    "feature": {"base", "tensor", "device", "format", "graph"},
    "sample": {"base", "tensor", "device", "graph"},
    "loader": {"base", "tensor", "device", "format", "graph", "feature", "sample"},
    "feed": {"base", "tensor", "device", "format", "graph", "sample", "loader"},
    "net": {"base", "tensor"},
    "cluster": {"base", "tensor", "table", "format", "graph", "feature", "sample", "loader", "net"},
    "ingest": {"base", "tensor", "format", "graph"},
}
ROOMS["capi"] = set(ROOMS)
# A part that is a library of its own includes of the others only what this says.
PARTS = {
    "plugins/metis": {"base/", "ingest/metis_plugin.h", "embedding.h"},
    "src/net/tcp": {"net/stream.h", "net/tcp/", "base/file_descriptor.h"},
    "cuda": {
        "cuda/",
        "device/gpu.h",
        "device/gpu_file.h",
        "device/pad_work.h",
        "device/row_plan.h",
        "base/host_device.h",
        "base/philox.h",
        "sample/alias_rule.h",
        "sample/budget_rule.h",
        "sample/layer_rule.h",
        "sample/left_out.h",
        "sample/negative_rule.h",
        "sample/ppr_rule.h",
        "sample/row_rule.h",
        "sample/time_bounds.h",
        "sample/walk_rule.h",
        "tensor/element.h",
        "tensor/half.h",
    },
}
# What is compiled into the gls command, too; it uses nothing else of src/.
OF_TOOLS = {"base/nearest_name.h", "base/output.h"}

INCLUDE = re.compile(r'^#include "([a-z]+)/', re.MULTILINE)


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    faults = []
    for room, allowed in ROOMS.items():
        for path in sorted((root / "src" / room).rglob("*")):
            if path.suffix not in {".h", ".cc"}:
                continue
            for used in INCLUDE.findall(path.read_text()):
                if used != room and used not in allowed:
                    faults.append(f"{path.relative_to(root)} includes {used}/")
    for part, allowed in PARTS.items():
        for path in sorted((root / part).glob("*.[ch]*")):
            for used in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
                if not any(used.startswith(name) for name in allowed):
                    faults.append(f"{path.relative_to(root)} includes {used}")
    for name in OF_TOOLS:
        header = root / "src" / name
        for path in filter(pathlib.Path.exists, (header, header.with_suffix(".cc"))):
            for used in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
                if used not in OF_TOOLS:
                    faults.append(f"{path.relative_to(root)} includes {used}")
    for path in sorted((root / "tools").glob("*.[ch]*")):
        for used in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
            if used.split("/")[0] in ROOMS and used not in OF_TOOLS:
                faults.append(f"{path.relative_to(root)} includes {used} of src")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
