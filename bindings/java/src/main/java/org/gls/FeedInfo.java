package org.gls;

/**
 * What a {@link Feed} has done so far.
 *
 * @param consumers trainers that are attached now
 * @param attached trainers since it was made
 * @param lost of these, gone without closing their loader, as when killed
 * @param batches sent
 * @param batchBytes of these
 * @param usedBytes shared memory that batches occupy now
 * @param waitNanos summed over trainers: a batch was sampled, but there was no room for it
 * @param copiedBytes the part of {@code batchBytes} that was made in other memory and copied.
 *     Columns are gathered where they are read, unless servers make the batches or the loader has a
 *     transform
 */
public record FeedInfo(
    long consumers,
    long attached,
    long lost,
    long batches,
    long batchBytes,
    long usedBytes,
    long waitNanos,
    long copiedBytes) {}
