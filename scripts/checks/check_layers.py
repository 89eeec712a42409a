#!/usr/bin/env python3
"""Checks that includes point downward: between rooms, between the folders of a room, and out of plugins.

    scripts/checks/check_layers.py            prints each include and forward declaration that points upward
    scripts/checks/check_layers.py --table    prints the map of rooms and folders, for docs/architecture.md

A room is a folder of src/. It may include the rooms that ROOMS lists for it. Inside a room, a folder may include the
folders that FOLDERS lists for it; files that lie directly in the room are its folder ".".
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

ROOMS = {
    room: set(used.split())
    for room, used in {
        "base": "",
        "host_device": "base",
        "system": "base",
        "context": "base system",
        "storage": "base system context",
        "tensor": "base system",
        "table": "base system context tensor",
        "format": "base system tensor",
        "graph": "base system context tensor format",
        "device": "base host_device system context tensor",
        "feature": "base system context tensor graph device",
        "query": "base host_device system tensor graph",
        "store": "base system context tensor format graph feature query",
        "sample": "base host_device system context tensor graph device query",
        "loader": "base system context storage tensor format graph device feature query sample",
        "feed": "base system context format device loader",
        "net": "base system context",
        "cluster": "base system context tensor table format graph feature query sample loader net",
        "ingest": "base system context tensor format graph",
    }.items()
}
ROOMS["capi"] = set(ROOMS)

# What the folders of a room may include of each other. The lowest folder comes first.
FOLDERS = {
    "graph": {
        "topology": set(),
        "dataset": {"topology"},
        "partition": {"topology", "dataset"},
        "folder": {"topology", "dataset", "partition"},
    },
    "device": {
        ".": set(),
        "memory": {"."},
        "peer": {"."},
    },
    "sample": {
        "kernels": set(),
        "pick": {"kernels"},
        "batch": {"kernels"},
        "methods": {"kernels", "pick"},
        "links": {"kernels", "pick", "batch"},
        "plan": {"kernels", "pick", "methods", "links"},
        "neighbor": {"kernels", "pick", "batch", "methods", "links", "plan"},
        "drivers": {"kernels", "batch", "methods", "plan", "neighbor"},
        "remote": {"kernels", "pick", "plan", "neighbor", "drivers"},
        ".": {"kernels", "batch", "links", "plan", "neighbor", "drivers", "remote"},
        "device": {"pick", "batch", "methods", "links", "neighbor", "."},
    },
    "loader": {
        "padding": set(),
        "columns": set(),
        "seeds": set(),
        "produce": {"padding", "columns", "seeds"},
        "replay": {"seeds", "produce"},
        "planned": {"columns", "seeds", "produce", "replay"},
        "pipeline": {"padding", "columns", "seeds", "produce", "replay", "planned"},
        "forecast": {"columns", "seeds", "produce", "replay", "planned", "pipeline"},
        ".": {"padding", "columns", "seeds", "pipeline"},
    },
    "net": {
        "core": set(),
        "connection": {"core"},
    },
    "cluster": {
        "wire": set(),
        "rpc": {"wire"},
        "group": {"wire", "rpc"},
        "part": {"wire"},
        "batches": {"wire", "rpc"},
        "table": {"wire", "rpc", "part"},
        "discovery": {"wire", "rpc"},
        "client": {"wire", "rpc", "part", "batches", "discovery"},
        "server": {"wire", "rpc", "part", "batches", "discovery", "client"},
    },
    "ingest": {
        "common": set(),
        "text": {"common"},
        "arrow": {"common"},
        "formats": set(),
        "sort": {"common"},
        "build": {"common", "text", "arrow", "sort"},
        "assign": {"common"},
        "partition": {"common"},
    },
    "capi": {
        "support": set(),
        "options": {"support"},
        ".": {"support", "options"},
    },
}
# A dataset owns what answers for the arrays that it does not have, and hands it on without calling it.
HANDED_ON = {("graph/dataset/dataset.h", "GraphSource")}

# The folders of cuda/, which is a plugin.
CUDA = {
    "runtime": set(),
    "primitives": {"runtime"},
    "kernels": {"primitives"},
    "methods": {"primitives", "kernels"},
    "drivers": {"runtime", "primitives", "kernels", "methods"},
    "plugin": {"runtime", "kernels", "drivers"},
}

# A plugin is a library of its own. Of other folders it includes only these.
PLUGINS = {
    "plugins/metis": {"base/", "ingest/assign/metis_plugin.h", "embedding.h"},
    "plugins/tcp_tls": {"net/core/stream.h", "plugins/tcp_tls/", "system/file_descriptor.h"},
    "plugins/channels": {"base/clock.h", "net/connection/data_channel.h", "plugins/channels/"},
    "plugins/ucx": {
        "base/clock.h",
        "net/connection/data_channel.h",
        "plugins/channels/",
        "plugins/ucx/",
        "system/memory.h",
    },
    "plugins/ofi": {
        "base/clock.h",
        "net/connection/data_channel.h",
        "plugins/channels/",
        "plugins/ofi/",
    },
    "cuda": {
        "cuda/",
        "device/gpu.h",
        "device/gpu_file.h",
        "device/pad_work.h",
        "host_device/row_plan.h",
        "base/host_device.h",
        "base/philox.h",
        "host_device/",
        "tensor/element.h",
        "tensor/half.h",
    },
}
# What is compiled into the gls command, too; it uses nothing else of src/.
OF_TOOLS = {"base/nearest_name.h", "base/output.h"}

SOURCES = {".h", ".cc", ".cu"}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
DECLARED = re.compile(r"^(?:class|struct) (\w+);", re.MULTILINE)
DEFINED = re.compile(
    r"^(?:template <[^>]*>\n)?(?:class|struct)(?: alignas\(\w+\))? (\w+)(?: final)?(?: :[^;{]*)? \{",
    re.MULTILINE,
)


def sources(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in SOURCES)


def place(path: str) -> tuple[str, str]:
    """The room and the folder of a path below src/ or the root."""
    parts = pathlib.PurePath(path).parts
    return parts[0], parts[1] if len(parts) > 2 else "."


def check(faults: list[str]) -> collections.Counter:
    """Appends faults. Returns how often each folder includes each other one."""
    arrows: collections.Counter = collections.Counter()
    texts = {}
    for tree, base in (("src", ROOT / "src"), ("cuda", ROOT)):
        for path in sources(ROOT / tree):
            texts[str(path.relative_to(base))] = path.read_text()
    defined: dict[str, set[str]] = collections.defaultdict(set)
    for name, text in texts.items():
        for what in DEFINED.findall(text):
            defined[what].add(name)

    def allowed(user: str, used: str) -> bool:
        (room, folder), (other, inner) = place(user), place(used)
        if room == "cuda" or other == "cuda":
            return room != other or folder == inner or inner in CUDA.get(folder, set())
        if room != other:
            return other in ROOMS.get(room, set())
        return folder == inner or inner in FOLDERS.get(room, {}).get(folder, set())

    for name, text in texts.items():
        for used in INCLUDE.findall(text):
            if used not in texts:
                continue
            if place(name) != place(used):
                arrows[place(name), place(used)] += 1
            if not allowed(name, used):
                faults.append(f"{name} includes {used}")
        if not name.endswith(".h"):
            continue
        for what in DECLARED.findall(text):
            homes = defined.get(what, set()) - {name}
            if (name, what) in HANDED_ON:
                continue
            if homes and not any(allowed(name, home) for home in homes):
                faults.append(f"{name} declares {what} of {min(homes)}")
    return arrows


def check_outside(faults: list[str]) -> None:
    for plugin, allowed in PLUGINS.items():
        for path in sources(ROOT / plugin):
            for used in INCLUDE.findall(path.read_text()):
                if not any(used.startswith(name) for name in allowed):
                    faults.append(f"{path.relative_to(ROOT)} includes {used}")
    for name in OF_TOOLS:
        header = ROOT / "src" / name
        for path in filter(pathlib.Path.exists, (header, header.with_suffix(".cc"))):
            for used in INCLUDE.findall(path.read_text()):
                if used not in OF_TOOLS:
                    faults.append(f"{path.relative_to(ROOT)} includes {used}")
    for path in sources(ROOT / "tools"):
        for used in INCLUDE.findall(path.read_text()):
            if used.split("/")[0] in ROOMS and used not in OF_TOOLS:
                faults.append(f"{path.relative_to(ROOT)} includes {used} of src")


def table(arrows: collections.Counter) -> None:
    """Rooms from the lowest, with their files and what they include."""
    print("| folder | files | lines | includes |")
    print("| --- | --- | --- | --- |")
    rooms = {room: FOLDERS.get(room, {".": set()}) for room in ROOMS} | {"cuda": CUDA}
    for room, folders in rooms.items():
        base = ROOT if room == "cuda" else ROOT / "src"
        used = sorted(
            {b[0] for a, b in arrows if a[0] == room and b[0] != room}, key=list(rooms).index
        )
        if folders != {".": set()}:
            print(f"| **{room}** | | | {', '.join(used)} |")
        for folder in folders:
            files = [
                path
                for path in sources(base / room)
                if place(str(path.relative_to(base))) == (room, folder)
            ]
            lines = sum(path.read_text().count("\n") for path in files)
            inside = [b[1] for a, b in arrows if a == (room, folder) and b[0] == room]
            inside = sorted(set(inside), key=list(folders).index)
            if folders == {".": set()}:
                name, inside = f"**{room}**", used
            else:
                name = f"{room}/" if folder == "." else f"{room}/{folder}"
            print(f"| {name} | {len(files)} | {lines} | {', '.join(inside)} |")


def main() -> int:
    faults: list[str] = []
    arrows = check(faults)
    check_outside(faults)
    if sys.argv[1:] == ["--table"]:
        table(arrows)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
