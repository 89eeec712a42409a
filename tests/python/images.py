"""Batches as bytes, to be compared."""

from __future__ import annotations

from typing import Dict

import gls


def image(batch: gls.Batch) -> Dict[str, bytes]:
    out = {"input": batch.input_id.numpy().tobytes()}
    for name, n in batch.nodes.items():
        out |= {f"{name}/{what}": getattr(n, what).numpy().tobytes() for what in ("node", "seed")}
        out |= {f"{name}/{column}": n[column].numpy().tobytes() for column in n.columns}
    for name, e in batch.edges.items():
        out |= {f"{name}/{what}": getattr(e, what).numpy().tobytes() for what in ("row", "col")}
        out |= {f"{name}/{column}": e[column].numpy().tobytes() for column in e.columns}
    return out
