package org.gls;

import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link Store} is asked.
 *
 * @param <O> the options themselves
 */
public abstract sealed class StoreOptions<O extends StoreOptions<O>>
    permits ColumnStoreOptions, NeighborStoreOptions {
  // gls.h
  private static final int DEFAULT_FETCHES = 16;
  private static final int DEFAULT_IDS = 1 << 20;

  private Context context;
  private int maxFetches;
  private int maxIds;
  private long deadlineMillis; // 0: the default; -1: none
  private long cacheBytes;

  StoreOptions() {}

  abstract O self();

  /**
   * The context of the store.
   *
   * @param context instead of the default one
   * @return this
   */
  public O context(Context context) {
    this.context = Objects.requireNonNull(context, "context");
    return self();
  }

  /**
   * Questions in work at once. Others wait for their turn.
   *
   * @param count 0, the default: 16
   * @return this
   */
  public O maxFetches(int count) {
    maxFetches = checked("maxFetches", count);
    return self();
  }

  /**
   * Ids of one question; longer ones are divided. The rows of a question never have more than 2^31
   * - 1 bytes.
   *
   * @param count 0, the default: 2^20
   * @return this
   */
  public O maxIds(int count) {
    maxIds = checked("maxIds", count);
    return self();
  }

  /**
   * How long an answer may take. Also how long the store may answer no question at all while others
   * wait for a turn. After it the batch fails with {@link GlsException.TimedOut}.
   *
   * @param deadline 30 seconds by default
   * @return this
   */
  public O deadline(Duration deadline) {
    if (deadline.isZero()) {
      throw GlsException.invalid("deadline", "0, expected more");
    }
    deadlineMillis = Futures.millis("deadline", deadline);
    return self();
  }

  /**
   * Waits for an answer however long it takes.
   *
   * @return this
   */
  public O withoutDeadline() {
    deadlineMillis = -1;
    return self();
  }

  /**
   * Memory for answers that the library keeps.
   *
   * @param bytes 0, the default: it keeps none
   * @return this
   */
  public O cacheBytes(long bytes) {
    if (bytes < 0) {
      throw GlsException.invalid("cacheBytes", bytes + " is negative");
    }
    cacheBytes = bytes;
    return self();
  }

  private static int checked(String name, int count) {
    if (count < 0) {
      throw GlsException.invalid(name, count + " is negative");
    }
    return count;
  }

  Context context() {
    return context != null ? context : Context.getDefault();
  }

  /** Each question in work may occupy one. */
  int mostThreads() {
    return maxFetches > 0 ? maxFetches : DEFAULT_FETCHES;
  }

  /**
   * To be deleted by the caller.
   *
   * @param mostIds that a question can have
   */
  org.gls.low.StoreOptions low(int mostIds) {
    org.gls.low.StoreOptions low = new org.gls.low.StoreOptions();
    low.setMaxFetches(maxFetches);
    low.setMaxIds(Math.min(maxIds > 0 ? maxIds : DEFAULT_IDS, mostIds));
    low.setDeadlineMs(deadlineMillis);
    low.setCacheBytes(cacheBytes);
    return low;
  }
}
