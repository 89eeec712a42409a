"""A contestant: the loader of GLS over a dataset folder, in the way that --way names.

    python bench/disk/loader.py --dataset FOLDER --seeds FILE --way planned --memory BYTES --seconds S
"""

from __future__ import annotations

import argparse
import time
from typing import Any, Dict

import numpy as np
from progress import BATCH_SIZE, FANOUTS, Progress

import gls


def statistics(loader: gls.NeighborLoader) -> Dict[str, Any]:
    """What the loader counted itself."""
    stats = loader.stats
    return {name: getattr(stats, name) for name in stats._fields}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--seeds", required=True, help="a .npy file of node ids")
    parser.add_argument("--way", help="setting storage.way; default: not set")
    parser.add_argument("--memory", type=int, help="setting storage.memory")
    parser.add_argument("--folder", help="setting storage.folder")
    parser.add_argument("--seconds", type=float, required=True, help="at most")
    parser.add_argument("--later-epoch", action="store_true", help="a second epoch, timed alone")
    given = parser.parse_args()
    progress = Progress()
    context = gls.Context()
    settings = {"way": given.way, "memory": given.memory, "folder": given.folder}
    for name, value in settings.items():
        if value is not None:
            context.set(f"storage.{name}", str(value))
    dataset = gls.Dataset.open(given.dataset, context=context)
    loader = gls.NeighborLoader(
        dataset, FANOUTS, np.load(given.seeds), batch_size=BATCH_SIZE, shuffle=True
    )
    complete = progress.run(loader, given.seconds)
    moved, more = progress.moved(), statistics(loader)
    if complete and given.later_epoch:
        begin = time.perf_counter()
        for _ in loader:
            pass
        more["later_epoch_s"] = time.perf_counter() - begin
    progress.print(complete, moved, more)


if __name__ == "__main__":
    main()
