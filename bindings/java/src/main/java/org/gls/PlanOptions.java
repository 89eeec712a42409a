package org.gls;

import java.util.function.Function;

/** What a plan of an epoch is made for; see {@link NeighborLoader#plan}. */
public final class PlanOptions {
  private long epoch;
  private long batches;
  private long[] memory = {};
  Progress progress;

  /** All batches of epoch 0. */
  public PlanOptions() {}

  /**
   * The epoch to plan.
   *
   * @param epoch unsigned; 0 by default
   * @return this
   */
  public PlanOptions epoch(long epoch) {
    this.epoch = epoch;
    return this;
  }

  /**
   * How many of this trainer's batches to plan, from the first one on.
   *
   * @param batches 0, the default: all
   * @return this
   */
  public PlanOptions batches(long batches) {
    this.batches = batches;
    return this;
  }

  /**
   * Sizes of memory to compare, for all that a loader uses, as the setting {@code storage.memory}.
   *
   * @param bytes none, the default: 10, 25, 50 and 75 % of topology and columns, and the setting if
   *     the loader plans its reads
   * @return this
   * @throws GlsException.InvalidArgument if one is not positive
   */
  public PlanOptions memory(long... bytes) {
    for (long one : bytes) {
      if (one <= 0) {
        throw GlsException.invalid("memory", one + " is not positive");
      }
    }
    this.memory = bytes.clone();
    return this;
  }

  /**
   * Where to report the progress.
   *
   * @param progress null, the default: it is not reported
   * @return this
   */
  public PlanOptions progress(Progress progress) {
    this.progress = progress;
    return this;
  }

  /** Calls with options that exist for the call. */
  <T> T call(Function<org.gls.low.PlanOptions, T> function) {
    org.gls.low.PlanOptions low = new org.gls.low.PlanOptions();
    try {
      low.setEpoch(epoch);
      low.setBatches(batches);
      for (long one : memory) {
        low.addMemory(one);
      }
      return function.apply(low);
    } finally {
      low.delete();
    }
  }
}
