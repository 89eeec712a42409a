"""A trainer of several, of a graph that servers elsewhere have.

    gls serve cora-parts --part 0 --listen 10.0.0.1:4711 --server 10.0.0.2:4711    # on the first machine
    gls serve cora-parts --part 1 --listen 10.0.0.2:4711 --server 10.0.0.1:4711    # on the second
    python examples/cluster/launch.py 2 examples/cluster/worker.py gls://10.0.0.1:4711

Trainers join a group to share the epochs and to average gradients; servers are not in it, and there may be
more of the one or of the other. The training is that of collocated.py.
"""

import argparse

from collocated import train

import gls


def main() -> None:
    arguments = argparse.ArgumentParser(description="trains on a graph that is served")
    arguments.add_argument("graph", help="gls://HOST:PORT of any of its servers")
    arguments.add_argument("--listen", default="127.0.0.1", help="0.0.0.0 on several machines")
    arguments.add_argument("--epochs", type=int, default=20)
    options = arguments.parse_args()
    with gls.Group(listen=f"{options.listen}:0") as group:
        with gls.Dataset.open(options.graph) as dataset:
            train(group, dataset, options.epochs)
        group.barrier(timeout=60)


if __name__ == "__main__":
    main()
