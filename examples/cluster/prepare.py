"""Makes a graph and cuts it into parts: a folder that servers are started from.

    python examples/cluster/prepare.py FOLDER [--parts 2] [--method metis]

The graph is Cora, which is too small to need this; put your own `gls.DatasetBuilder` calls here, or use
`gls import` and `gls partition`.
"""

from __future__ import annotations

import argparse
import gzip
from pathlib import Path

import numpy as np

import gls

CORA = Path(__file__).parents[1] / "data" / "cora"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--parts", type=int, default=2)
    parser.add_argument("--method", default="stream", help="stream, metis, random or hash")
    args = parser.parse_args()
    builder = gls.DatasetBuilder()
    builder.add_edges("node__to__node", np.load(CORA / "edges.npy"))
    with gzip.open(CORA / "x.npy.gz") as file:
        builder.add_node_column("node", "x", np.load(file))
    builder.add_node_column("node", "y", np.load(CORA / "y.npy"), role="label")
    for name in ("train", "valid", "test"):
        builder.add_id_set("node", name, np.load(CORA / f"{name}.npy"))
    builder.build().partition(args.folder, args.parts, method=args.method)
    print(f"{args.parts} parts in {args.folder}")


if __name__ == "__main__":
    main()
