"""LoaderStats: what a loader did so far."""

from __future__ import annotations

from typing import NamedTuple


class LoaderStats(NamedTuple):
    """Totals since the loader was made. Times of workers are summed over workers."""

    batches: int
    """Handed out; so are seeds, nodes, edges and gathered rows."""
    seeds: int
    nodes: int
    edges: int
    gathered_rows: int
    gathered_bytes: int
    sample_ns: int
    """Workers: in sampling."""
    gather_ns: int
    """Workers: in gathering."""
    worker_wait_ns: int
    """Workers: there was work, but as much was ready as may be."""
    caller_wait_ns: int
    """Caller: waiting for a batch."""
    wall_ns: int
    """From the first batch of each epoch being asked for to the last."""
    ready_batches: int
    """Now; so are ready bytes."""
    ready_bytes: int
    peak_bytes: int
    """Most bytes in work or ready at once."""
    device_rows: int
    """Of gathered rows, those read in memory of a GPU."""
    pinned_rows: int
    """Read by a GPU in memory of the host."""
    host_rows: int
    """Read by the processor, or from files straight into memory of a GPU."""
    remote_rows: int
    """Asked from servers, other parts or other processes."""
    peer_rows: int
    """Read by a GPU in memory of others of its group."""
    disk_rows: int
    """Of the host's rows, those that were not in memory when a batch needed them.
    This and the next three are of loaders that plan their reads (settings ``storage.*``)."""
    disk_row_bytes: int
    """Of these rows."""
    disk_read_bytes: int
    """Read from files of columns, with bytes between needed rows."""
    disk_packed_bytes: int
    """Written to temporary files, and read once."""
