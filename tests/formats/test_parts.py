"""gls import of partitions of other systems, and gls partition, which cuts the same parts again."""

import json
import shutil
from pathlib import Path
from typing import Dict, List

import pytest

from cli.conftest import Tool
from formats import golden

ASKED = ["--choose", "parts=true"]


def owners(folder: Path) -> Dict[str, List[int]]:
    """The part that owns each node, by type."""
    import gls

    out = {}
    with gls.Partition.open(str(folder)) as parts:
        for type in parts.node_types:
            out[type] = parts.owners(list(range(parts.num_nodes(type))), type).numpy().tolist()
    return out


def cut_again(tool: Tool, format: str, path: Path, parts: int) -> Dict[str, List[int]]:
    tool.run("import", format, path, *ASKED, "-o", "all")
    tool.run("verify", "all")
    tool.run("partition", "all", "out", "--parts", parts, "--owners-column", "part")
    tool.run("verify", "out")
    return owners(tool.folder / "out")


@pytest.mark.parametrize(
    "name, parts",
    [("homogeneous", 2), ("hetero", 3), ("metis", 2), ("graphbolt", 2), ("graphbolt-no-ids", 2)],
)
def test_dgl(tool: Tool, name: str, parts: int) -> None:
    path = golden.GOLDEN / "dgl" / f"part-{name}" / "g.json"
    expected = {}
    for type, ranges in json.loads(path.read_text())["node_map"].items():
        counts = [end - begin for begin, end in ranges]
        of_type = [part for part, count in enumerate(counts) for _ in range(count)]
        expected["node" if type == "_N" else type] = of_type
    assert cut_again(tool, "dgl", path, parts) == expected


@pytest.mark.parametrize(
    "format, name, parts, book",
    [
        ("glt", "glt/homogeneous", 3, "node_pb"),
        ("glt", "glt/heterogeneous", 2, "node_pb"),
        ("pyg", "pyg-parts/homogeneous", 2, "node_map"),
        ("pyg", "pyg-parts/heterogeneous", 3, "node_map"),
    ],
)
def test_books_in_files(tool: Tool, format: str, name: str, parts: int, book: str) -> None:
    folder = golden.GOLDEN / name
    files = {"node": f"{book}.pt"}
    if (folder / book).is_dir():
        files = {file.stem: f"{book}/{file.name}" for file in (folder / book).iterdir()}
    found = cut_again(tool, format, folder, parts)
    assert set(found) == set(files)
    for type, file in files.items():
        assert found[type] == read_book(folder / file), type


def read_book(path: Path) -> List[int]:
    """The numbers of the only tensor in a file of torch, without torch."""
    import zipfile

    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        (data,) = [name for name in names if name.endswith("/data/0")]
        pickled = archive.read(next(name for name in names if name.endswith("/data.pkl")))
        size = 1 if b"ByteStorage" in pickled else 8
        raw = archive.read(data)
    steps = range(0, len(raw), size)
    return [int.from_bytes(raw[at : at + size], "little") for at in steps]


def test_ranges_of_graphlearn_torch(tool: Tool) -> None:
    folder = Path(shutil.copytree(golden.GOLDEN / "glt" / "homogeneous", tool.folder / "data"))
    (folder / "node_pb.pt").write_bytes((golden.GOLDEN / "glt" / "ranges.pt").read_bytes())
    recipe = tool.run("import", "glt", folder, *ASKED, "--dry-run").stdout
    assert "runs:" in recipe and "part:" in recipe


def test_without_the_choice_there_is_no_column(tool: Tool) -> None:
    recipe = tool.run(
        "import", "dgl", golden.GOLDEN / "dgl" / "part-hetero" / "g.json", "--dry-run"
    ).stdout
    assert "part:" not in recipe
    said = tool.error(
        "import", "dgl", golden.GOLDEN / "dgl" / "saved" / "one.bin", *ASKED, "-o", "out"
    )
    assert 'no choice "parts"' in said


def test_columns_that_are_no_owners(tool: Tool) -> None:
    path = golden.GOLDEN / "dgl" / "part-hetero" / "g.json"
    tool.run("import", "dgl", path, *ASKED, "-o", "all")
    cut = ["partition", "all", "out", "--owners-column"]
    assert "nothing" in tool.error(*cut, "nothing", "--parts", 3)
    assert "2" in tool.error(*cut, "part", "--parts", 2)  # there is a part 2
    tool.error(*cut, "part", "--parts", 3, "--owners", "file", code=2)
    tool.error(*cut, "part", "--parts", 3, "--method", "hash", code=2)
    assert not (tool.folder / "out").exists()
