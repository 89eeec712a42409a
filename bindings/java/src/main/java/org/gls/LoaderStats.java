package org.gls;

/**
 * Totals since a loader was made. Times of workers are summed over workers.
 *
 * @param batches delivered
 * @param seeds delivered
 * @param nodes sampled, over all types
 * @param edges sampled, over all types
 * @param gatheredRows rows of columns
 * @param gatheredBytes bytes of columns
 * @param sampleNanos workers: in sampling
 * @param gatherNanos workers: in gathering
 * @param workerWaitNanos workers: there was work, but as much was ready as may be
 * @param callerWaitNanos caller: waiting for a batch
 * @param wallNanos from the first request for a batch of each epoch to the last
 * @param readyBatches now
 * @param readyBytes now
 * @param peakBytes most bytes in work or ready at once
 * @param deviceRows of gathered rows, those read in memory of a GPU
 * @param pinnedRows read by a GPU in memory of the host
 * @param hostRows read by the processor, or from files straight into memory of a GPU
 * @param remoteRows requested from servers, other parts or other processes
 * @param peerRows read by a GPU in memory of other GPUs of its group
 * @param diskRows of the host's rows, those that were not in memory when a batch needed them. This
 *     and the next three are of loaders that plan their reads (settings {@code storage.*})
 * @param diskRowBytes of these rows
 * @param diskReadBytes read from files of columns, with bytes between needed rows
 * @param diskPackedBytes written to temporary files, and read once
 */
public record LoaderStats(
    long batches,
    long seeds,
    long nodes,
    long edges,
    long gatheredRows,
    long gatheredBytes,
    long sampleNanos,
    long gatherNanos,
    long workerWaitNanos,
    long callerWaitNanos,
    long wallNanos,
    long readyBatches,
    long readyBytes,
    long peakBytes,
    long deviceRows,
    long pinnedRows,
    long hostRows,
    long remoteRows,
    long peerRows,
    long diskRows,
    long diskRowBytes,
    long diskReadBytes,
    long diskPackedBytes) {}
