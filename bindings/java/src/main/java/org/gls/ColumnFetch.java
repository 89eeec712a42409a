package org.gls;

import java.nio.ByteBuffer;

/** Answers for a column of a {@link Store}. */
@FunctionalInterface
public interface ColumnFetch {
  /**
   * Writes the rows of some nodes or edges. Called by threads of this package, several at once. It
   * must not use a dataset that has this store. Keep neither {@code ids} nor {@code rows} once this
   * has returned.
   *
   * @param ids of nodes or edges
   * @param rows where the rows belong, one after another: the memory of the batch itself, direct,
   *     in the machine's byte order, and zero at first
   * @throws Exception which the batch fails with; see {@link Store}
   */
  void fetch(long[] ids, ByteBuffer rows) throws Exception;
}
