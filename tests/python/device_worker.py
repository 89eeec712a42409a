"""One of several processes of a machine that deliver on GPUs; prints what its batches are."""

from __future__ import annotations

import hashlib
import json
import sys

from images import image

import gls


def main(folder: str, place: str) -> None:
    context = gls.Context(num_threads=2)
    if place == "in place":  # no room on the device: it reads pages of the host
        context.set("device.column_memory", "1")
        context.set("device.graph_memory", "1")
    dataset = gls.Dataset.open(folder, context=context)
    loader = gls.NeighborLoader(dataset, [4, 3], batch_size=32, device="cuda", rank="env")
    print("ready", flush=True)
    sys.stdin.readline()  # all have opened it
    digests, devices = [], set()
    for batch in loader:
        devices.add(batch.device)
        parts = sorted(image(batch.to_host()).items())
        digests.append([batch.number, hashlib.sha256(repr(parts).encode()).hexdigest()])
    print(json.dumps({"devices": sorted(devices), "digests": digests}), flush=True)
    sys.stdin.readline()  # all are through, and have held it at the same time


main(sys.argv[1], sys.argv[2])
