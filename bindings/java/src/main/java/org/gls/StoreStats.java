package org.gls;

/**
 * What a {@link Store} was asked since it was made.
 *
 * @param fetches questions that the store got
 * @param ids in these
 * @param cachedIds ids that the cache answered
 * @param failures questions that ended with an error, without those canceled
 * @param fetchNanos time from question to answer, summed
 * @param waitNanos time that questions waited for their turn, summed
 * @param cacheBytes memory that cached answers take
 */
public record StoreStats(
    long fetches,
    long ids,
    long cachedIds,
    long failures,
    long fetchNanos,
    long waitNanos,
    long cacheBytes) {}
