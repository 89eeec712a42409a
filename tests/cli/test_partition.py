"""gls partition, merge, and inspect and verify of what they make."""

import subprocess
import time
from pathlib import Path
from typing import Dict

import numpy as np
import pytest
from conftest import TIMEOUT, Tool

NODES = 60


def make(gls: Tool) -> None:
    random = np.random.default_rng(1)
    gls.save("e.npy", random.integers(0, NODES, (2, 500)))
    gls.save("x.npy", random.random((NODES, 30), np.float32))
    gls.save("w.npy", random.random(500))
    gls.save("ids.npy", [1, 30, 7])
    gls.run(
        *["import", "numpy", "--edges", "e.npy", "--layout", "both", "--nodes", NODES],
        *["--node-column", "x=x.npy", "--edge-column", "w=weight=w.npy"],
        *["--id-set", "train=ids.npy", "-o", "whole"],
    )


def contents(folder: Path) -> Dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("method", ["metis", "stream", "random", "hash"])
def test_there_and_back(gls: Tool, method: str) -> None:
    make(gls)
    made = gls.json("partition", "whole", "p", "--parts", 3, "--method", method, "--halo-hops", 1)
    assert (made["parts"], made["method"]) == (3, method)
    assert sum(part["node_types"][0]["owned"] for part in made["part"]) == NODES
    assert sum(part["edge_types"][0]["owned"] for part in made["part"]) == 500
    assert gls.json("verify", "p")["ok"] is True
    assert gls.json("inspect", "p") == {k: v for k, v in made.items() if k != "seconds"}
    assert "3 parts by " + method in gls.run("inspect", "p").stdout
    gls.run("merge", "p", "merged")
    assert contents(gls.folder / "merged") == contents(gls.folder / "whole")


def test_given_owners(gls: Tool) -> None:
    make(gls)
    gls.write("owners", "".join(f"{i % 2}\n" for i in range(NODES)))
    made = gls.json("partition", "whole", "p", "--parts", 2, "--owners", "owners")
    assert made["method"] == "given"
    assert [part["node_types"][0]["owned"] for part in made["part"]] == [NODES // 2] * 2
    book = np.load(gls.folder / "p" / "book" / "nodes-0.npy")
    assert book.tolist() == [i % 2 for i in range(NODES)]


def test_hot_rows_by_sampling(gls: Tool) -> None:
    make(gls)
    cut = ["partition", "whole", "--parts", 2, "--method", "random", "--hot-rows", 5]
    cut += ["--hot-fanout", "4,-1", "--hot-max-seeds", 20]
    made = gls.json(*cut, "one", "--threads", 1)
    assert made["options"].endswith("hot_fanouts 4 -1, hot_max_seeds 20")
    gls.run(*cut, "four", "--threads", 4)
    assert contents(gls.folder / "one") == contents(gls.folder / "four")
    assert gls.json("inspect", "one/part-0")["node_types"][0]["columns"][0]["shape"][0] == 35
    assert gls.json("verify", "one")["ok"] is True
    wrong = [word.replace("4,-1", "4,0") for word in map(str, cut)]
    assert "hot_fanouts" in gls.error(*wrong, "p")


def most_private_mib(command: "subprocess.Popen[bytes]") -> float:
    """Of a program until its end: memory that is no page of a file, looked at all the while."""
    most, limit = 0, time.monotonic() + TIMEOUT
    while command.poll() is None:
        if time.monotonic() > limit:
            command.kill()
        status = Path(f"/proc/{command.pid}/status").read_text(encoding="ascii")
        sizes = [line.split()[1] for line in status.splitlines() if line.startswith("RssAnon")]
        most = max([most, *map(int, sizes)])  # none of a program that has ended
        time.sleep(0.002)
    assert command.returncode == 0
    return most / 1024


def test_edges_and_columns_are_not_in_memory(gls: Tool) -> None:
    """A graph of 24 MiB of indices, 24 of weights and 49 of features is cut in less."""
    nodes, edges, most_mib = 50_000, 6_300_000, 20
    random = np.random.default_rng(1)
    gls.save("e.npy", random.integers(0, nodes, (2, edges)), np.int32)
    gls.save("w.npy", random.random(edges, np.float32))
    gls.save("x.npy", random.random((nodes, 256), np.float32))
    gls.run(
        *["import", "numpy", "--edges", "e.npy", "--nodes", nodes, "--node-column", "x=x.npy"],
        *["--edge-column", "w=weight=w.npy", "-o", "whole"],
    )
    cut = gls.command("partition", "whole", "p", "--parts", 4, "--method", "stream", "--threads", 2)
    with subprocess.Popen(cut, cwd=gls.folder, stdout=subprocess.DEVNULL) as command:
        assert most_private_mib(command) < most_mib


def test_errors(gls: Tool) -> None:
    make(gls)
    assert "parts is 0" in gls.error("partition", "whole", "p", "--parts", 0)
    assert "--parts" in gls.error("partition", "whole", "p", code=2)
    random = ["--parts", 2, "--method", "random"]
    gls.run("partition", "whole", "p", *random)
    assert "exists already" in gls.error("partition", "whole", "p", *random)
    gls.run("partition", "whole", "p", *random, "--overwrite")
    hot = ["--overwrite", "--hot-rows", 3, "--hot-id-set", "nothing"]
    assert "hot_id_set" in gls.error("partition", "whole", "p", *random, *hot)
    assert "no dataset" in gls.error("merge", "p", "p", "--overwrite")
    assert "a part is not cut again" in gls.error("partition", "p/part-0", "q", *random)
    assert "not a folder of parts" in gls.error("merge", "whole", "q")
    path = gls.folder / "p" / "part-1" / "nodes" / "node" / "columns" / "x.npy"
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    path.write_bytes(data)
    assert "x.npy" in gls.error("verify", "p")
    assert "x.npy" in gls.error("merge", "p", "q")
    assert not (gls.folder / "q").exists()
