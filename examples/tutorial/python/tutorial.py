"""The tutorial in Python: see ../README.md.

python tutorial.py ../ratings.csv FOLDER
"""

from __future__ import annotations

import sys
from typing import Iterable, Tuple

import numpy as np

import gls

NODES, DEGREE = 1000, 5


def expect(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"wrong: {what}")


def build() -> gls.Dataset:
    # Every node has five in-neighbours; everything else follows from its number.
    node = np.arange(NODES)
    edge = np.arange(NODES * DEGREE)
    target = edge // DEGREE
    source = (7 * target + 31 * (edge % DEGREE) + 1) % NODES
    x = np.stack([node, node % 10], axis=1).astype(np.float32)
    # [arrays]
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", source, target)
    builder.add_node_column("node", "x", x)
    builder.add_node_column("node", "y", node % 10, role="label")
    builder.add_id_set("node", "train", node[::2])
    dataset = builder.build()
    # [arrays end]
    return dataset


def make_loader(dataset: gls.Dataset, num_workers: int | None = None) -> gls.NeighborLoader:
    # [loader]
    loader = gls.NeighborLoader(
        dataset,
        [3, 2],  # three in-neighbours of a seed, two of each of those
        "train",
        batch_size=64,
        shuffle=True,
        seed=42,
        num_workers=num_workers,
    )
    # [loader end]
    return loader


class Digest:
    """What the program has seen, to be compared with the other languages."""

    def __init__(self) -> None:
        self.value, self.batches, self.edges = 0xCBF29CE484222325, 0, 0

    def fold(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.value = (self.value ^ number) * 0x100000001B3 % 2**64

    def use(self, batch: gls.Batch) -> None:
        """Stands for a step of training: looks at all a model would get, and checks it."""
        # [use]
        node = batch.node.numpy()  # what the nodes are called in the dataset; seeds come first
        row, col = batch.row.numpy(), batch.col.numpy()  # edges, as positions in `node`
        x, y = batch.x.numpy(), batch.y.numpy()  # of all nodes; of the seeds
        # [use end]
        expect(np.array_equal(x, np.stack([node, node % 10], axis=1)), "features")
        expect(np.array_equal(y, node[: batch.batch_size] % 10), "labels")
        source, target = node[row], node[col]
        step = (source - 7 * target - 1) % NODES
        expect(bool(np.all((step % 31 == 0) & (step // 31 < DEGREE))), "an edge")
        self.fold(np.stack([node, x[:, 0].astype(np.int64)], axis=1).ravel().tolist())
        self.fold(y.tolist())
        self.fold(np.stack([source, target], axis=1).ravel().tolist())
        self.batches += 1
        self.edges += len(row)


def whole(dataset: gls.Dataset) -> Digest:
    digest = Digest()
    loader = make_loader(dataset)
    # [epoch]
    for batch in loader:  # each `for` is the next epoch
        digest.use(batch)
    # [epoch end]
    return digest


def resumed(dataset: gls.Dataset) -> Digest:
    digest = Digest()
    # [resume]
    first = make_loader(dataset)
    for count, batch in enumerate(first, start=1):
        digest.use(batch)
        if count == 3:
            break
    state = first.state_dict()  # plain data: torch.save, json and pickle can keep it
    first.close()

    second = make_loader(dataset, num_workers=1)  # elsewhere, with another number of threads
    second.load_state_dict(state)
    for batch in second:
        digest.use(batch)
    # [resume end]
    return digest


def fail(dataset: gls.Dataset) -> None:
    # [errors]
    try:
        gls.NeighborLoader(dataset, [3], "training")
        sys.exit("wrong: an id set that is not there")
    except gls.NotFound as error:  # which is a LookupError, too
        print(f"{error.status_name}: {error}")
    try:
        gls.NeighborLoader(dataset, [3], [NODES])  # there are nodes 0 .. 999
        sys.exit("wrong: a seed that is not there")
    except gls.InvalidArgument as error:  # which is a ValueError, too
        print(f"{error.status_name}: {error}")
        expect(error.detail["argument"] == "input_nodes", "the detail")
    # [errors end]


def import_ratings(csv: str, folder: str) -> Tuple[gls.Dataset, gls.Batch]:
    # [csv]
    builder = gls.DatasetBuilder()
    builder.add_node_type("user", ids="string")
    builder.add_node_type("movie", ids="string")
    builder.add_edges_text(
        "user__rates__movie",
        csv,
        source="user",
        target="movie",
        columns={"stars": ("float32", "weight")},
        add_reverse=True,  # movie__rev_rates__user: a way from a user to movies
    )
    builder.write(folder, overwrite=True)  # now the file is read
    # [csv end]
    # [open]
    ratings = gls.Dataset.open(folder)
    ada = ratings.find_node("ada", "user")
    batch = gls.Sampler(ratings, [-1]).sample(("user", [ada]))
    for movie in batch.nodes["movie"].node:
        print("ada rated", ratings.node_key(int(movie), "movie"))
    # [open end]
    return ratings, batch


def main(csv: str, folder: str) -> None:
    dataset = build()
    digest = resumed(dataset)
    expect(digest.value == whole(dataset).value, "a resumed epoch is not the whole one")
    expect(digest.batches == 8, "the number of batches")
    fail(dataset)
    _, batch = import_ratings(csv, folder)
    movies = batch.nodes["movie"].node.tolist()
    expect(len(movies) == 3, "the number of movies")
    digest.fold(movies)
    print(
        f"digest {digest.value:016x}, {digest.batches} batches, {digest.edges} edges, "
        f"{len(movies)} movies"
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: tutorial.py ratings.csv FOLDER")
    main(sys.argv[1], sys.argv[2])
