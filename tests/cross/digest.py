"""As the programs Digest of Java and digest of Rust: prints the digest of batches, in Rust's form."""

from __future__ import annotations

import argparse
import json
import time

from test_cross import Fnv, add_as_rust, arrays_of

import gls


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset")
    parser.add_argument("--fanouts", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--shuffle", action="store_true")
    parser.add_argument("--edge-ids", action="store_true")
    parser.add_argument("--made-by", default="here")
    parser.add_argument("--prefetch", type=int)
    parser.add_argument("--pace-ms", type=int, default=0)
    given = parser.parse_args()
    loader = gls.NeighborLoader(
        gls.Dataset.open(given.dataset),
        given.fanouts,
        batch_size=given.batch_size,
        seed=given.seed,
        shuffle=given.shuffle,
        with_edge_ids=given.edge_ids,
        made_by=given.made_by,
        prefetch=given.prefetch,
    )
    whole, batches = Fnv(), 0
    for batch in loader:
        add_as_rust(whole, batch.epoch, batch.number, arrays_of(batch))
        batches += 1
        print(json.dumps({"epoch": batch.epoch, "batch": batch.number}), flush=True)
        time.sleep(given.pace_ms / 1000)
    print(json.dumps({"batches": batches, "digest": whole.hex()}), flush=True)


if __name__ == "__main__":
    main()
