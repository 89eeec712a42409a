"""Each process serves a part of Cora and trains on the whole of it.

    python examples/cluster/launch.py 2 examples/cluster/collocated.py    # on this machine
    torchrun --nproc-per-node 2 examples/cluster/collocated.py            # the same, where there is torch
    srun --ntasks 4 python examples/cluster/collocated.py --listen 0.0.0.0    # on machines of Slurm

Processes that were started together join a group, which tells them who they are. Each serves one part of
the graph and opens all of them as one graph: its own part from its own memory, the others from where they
are. Every process trains on its share of each epoch, and they average gradients, which is what
torch.nn.parallel.DistributedDataParallel would do for a model of PyTorch. Needs NumPy alone.

Connections are protected by a key: GLS_NET_KEY_FILE, or GLS_NET_KEY; see docs/security.md.
"""

import argparse
import gzip
import hashlib
import json
from pathlib import Path

import numpy as np

import gls

CORA = Path(__file__).resolve().parent.parent / "data" / "cora"
BATCH = 20
LABELS = 7


def cut(folder: Path, parts: int) -> None:
    """Imports Cora and cuts it, as a program of its own would do once."""
    if (folder / "partition.json").exists():
        return
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.load(CORA / "edges.npy"))
    with gzip.open(CORA / "x.npy.gz") as file:
        builder.add_node_column("node", "x", np.load(file))
    builder.add_node_column("node", "y", np.load(CORA / "y.npy"), role="label")
    for name in ("train", "valid", "test"):
        builder.add_id_set("node", name, np.load(CORA / f"{name}.npy"))
    builder.build().partition(folder, parts, method="stream")


def say(line: str) -> None:
    """In one piece, so that lines of several processes stay apart."""
    print(line + "\n", end="", flush=True)


def describe(batch: gls.Batch) -> np.ndarray:
    """Of each seed: its features averaged over its neighbourhood, twice."""
    h = batch.x.numpy()
    row, col = batch.row.numpy(), batch.col.numpy()  # edge i leads from row[i] to col[i]
    degree = 1 + np.bincount(col, minlength=len(h))[:, None]
    for _ in range(2):
        total = h.copy()
        np.add.at(total, col, h[row])
        h = total / degree
    h = h[: batch.batch_size]  # the first nodes are the seeds
    return h / np.maximum(np.linalg.norm(h, axis=1, keepdims=True), 1e-9)


def probabilities(scores: np.ndarray) -> np.ndarray:
    exponent = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponent / exponent.sum(axis=1, keepdims=True)


def average(group: gls.Group, array: np.ndarray) -> np.ndarray:
    """Over all processes, in the same order in each, so that all have the same to the last bit."""
    given = group.all_gather(array, timeout=60)
    return sum(np.frombuffer(one, array.dtype).reshape(array.shape) for one in given) / len(given)


def main() -> None:
    arguments = argparse.ArgumentParser(description="serves a part of Cora and trains on the whole")
    arguments.add_argument("--parts", type=Path, default=Path("cora-parts"), help="folder")
    arguments.add_argument("--listen", default="127.0.0.1", help="0.0.0.0 on several machines")
    arguments.add_argument("--epochs", type=int, default=20)
    options = arguments.parse_args()

    anywhere = f"{options.listen}:0"
    with gls.Group(listen=anywhere) as group:
        if group.local_rank == 0:  # once on each machine
            cut(options.parts, group.world_size)
        group.barrier(timeout=120)

        with gls.Server(options.parts, parts=[group.rank], listen=anywhere) as server:

            @server.function("labels")
            def labels(call: gls.Call) -> bytes:
                """Counts the papers of each label in the part that this server has."""
                part = gls.Dataset.open(options.parts / f"part-{call.part}")
                own = part.node_column("y").numpy()
                return json.dumps(np.bincount(own, minlength=LABELS).tolist()).encode()

            # Where each server is found: the host as rank 0 sees it, and the server's port.
            host = group.members[group.rank].address.rpartition(":")[0]
            port = server.address.rpartition(":")[2]
            places = [place.decode() for place in group.all_gather(f"{host}:{port}".encode(), 60)]
            with gls.Dataset.open("gls://" + ",".join(places)) as dataset:
                if group.rank == 0:
                    counts = [
                        json.loads(dataset.call(part, "labels")) for part in range(len(places))
                    ]
                    say(f"papers of each label, by part: {counts}")
                train(group, dataset, options.epochs)
            group.barrier(timeout=60)  # a server runs until all processes have finished


def train(group: gls.Group, dataset: gls.Dataset, epochs: int) -> None:
    loader = gls.NeighborLoader(
        dataset,
        [10, 10],
        "train",
        batch_size=BATCH,
        shuffle=True,
        rank=group.rank,
        world_size=group.world_size,
        even="repeat",  # as many batches for each, as they average after each
    )
    weight = None
    for epoch in range(epochs):
        loss = 0.0
        for batch in loader:
            x, y = describe(batch), batch.y.numpy()
            if weight is None:
                weight = np.zeros((x.shape[1], LABELS))
            p = probabilities(x @ weight)
            loss -= float(np.log(p[np.arange(len(y)), y]).mean())
            p[np.arange(len(y)), y] -= 1
            weight = weight - 20 * average(group, x.T @ p / len(y))
        losses = average(group, np.array([loss / len(loader)]))
        if group.rank == 0 and (epoch + 1) % 5 == 0:
            say(f"epoch {epoch + 1}: loss {losses[0]:.3f}")

    # All of the processes have learnt the same, from batches of their own.
    digest = hashlib.sha256(weight.tobytes()).digest()
    assert set(group.all_gather(digest, 60)) == {digest}
    right = seeds = 0
    test = gls.NeighborLoader(
        dataset, [-1, -1], "test", batch_size=50, rank=group.rank, world_size=group.world_size
    )
    for batch in test:
        guess = (describe(batch) @ weight).argmax(axis=1)
        right += int((guess == batch.y.numpy()).sum())
        seeds += batch.batch_size
    total = [np.frombuffer(one, np.int64) for one in group.all_gather(np.array([right, seeds]), 60)]
    all_right, all_seeds = np.sum(total, axis=0)
    say(f"rank {group.rank} of {group.world_size}: {loader.stats.batches} batches, tested {seeds}")
    if group.rank == 0:
        say(f"accuracy {all_right / all_seeds:.3f} of {all_seeds}")


if __name__ == "__main__":
    main()
