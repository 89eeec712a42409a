"""gls plan tells what an epoch has and reads, before it runs."""

from typing import Any, Dict, List

import numpy as np
from conftest import Tool
from folder import Folder


def make(gls: Tool) -> Folder:
    shape = ["--nodes", 3000, "--edges", 9000, "--features", 32, "--classes", 4]
    gls.run("generate", *shape, "-o", "g")
    return Folder(gls.folder / "g")


def spread(counts: List[int]) -> Dict[str, int]:
    return {"total": sum(counts), "least": min(counts), "most": max(counts)}


def test_counts_are_those_of_the_graph(gls: Tool) -> None:
    edges = np.array(make(gls).edges())
    plan = gls.json("plan", "g", "--fanout", -1, "--batch-size", 256, "--no-shuffle")
    nodes: List[int] = []
    found: List[int] = []
    used = set()
    for begin in range(0, 3000, 256):
        seeds = set(range(begin, min(begin + 256, 3000)))
        into = edges[np.isin(edges[:, 1], list(seeds))]
        near = set(into[:, 0].tolist()) - seeds
        nodes.append(len(near))
        found.append(len(into))
        used |= near | seeds
    assert plan["batches"] == {"epoch": 12, "planned": 12}
    assert plan["seeds"] == 3000
    seeds_of = [256] * 11 + [3000 - 11 * 256]
    assert plan["nodes"][0]["hops"] == [spread(seeds_of), spread(nodes)]
    assert plan["edges"][0]["hops"] == [spread(found)]
    x = next(column for column in plan["columns"] if column["name"] == "x")
    assert x["planned"] and x["row_bytes"] == 128 and x["num_rows"] == 3000
    assert x["rows"] == x["uses"] == 3000 + sum(nodes)
    assert x["distinct_rows"] == len(used)
    assert [of["bytes"] for of in plan["memory"]] == sorted(of["bytes"] for of in plan["memory"])
    assert plan["curve"][0]["missed"] == 1


def test_sizes_of_memory_are_compared(gls: Tool) -> None:
    make(gls)
    plan = gls.json("plan", "g", "--memory", "64K,256K", "--memory", "1G", "--batch-size", 64)
    assert [of["bytes"] for of in plan["memory"]] == [64 << 10, 256 << 10, 1 << 30]
    few, some, all_rows = plan["memory"]
    assert few["missed_rows"] > some["missed_rows"] > all_rows["missed_rows"]
    assert all_rows["way"] == "mapped"
    for of in plan["memory"]:
        assert of["uses"] == few["uses"]
        assert of["epoch_seconds"] > 0


def test_text_and_a_page(gls: Tool) -> None:
    make(gls)
    text = gls.run("plan", "g", "--batches", 3, "--batch-size", 100, "--html", "p.html").stdout
    assert text.startswith("epoch 0: 3 of 30 batches planned, 300 seeds\n")
    for word in ("node.x", "by plan", "hotness", "packed", "written: p.html"):
        assert word in text
    page = (gls.folder / "p.html").read_text(encoding="utf-8")
    assert "<title>Plan of an epoch</title>" in page
    assert '"planned":3' in page


def one_line(gls: Tool, *arguments: Any) -> str:
    done = gls.run("plan", "g", *arguments, code=1)
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


def test_errors(gls: Tool) -> None:
    make(gls)
    assert "batches is 99" in one_line(gls, "--batches", 99)
    assert "no/p.html" in one_line(gls, "--batches", 1, "--html", "no/p.html")
    assert "columns" in one_line(gls, "--columns", "z")
    assert "--memory" in gls.run("plan", "g", "--memory", "many", code=2).stderr
