package org.gls;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/** Answers for a column of a {@link Store}, and may answer later. */
@FunctionalInterface
public interface ColumnFetchLater {
  /**
   * Begins to write the rows of some nodes or edges. Called by threads of this package, several at
   * once. Until it answers, it occupies no thread. It must not use a dataset that has this store.
   * Keep neither {@code ids} nor {@code rows} once the answer is complete.
   *
   * @param ids of nodes or edges
   * @param rows as in {@link ColumnFetch#fetch}
   * @return what completes when all rows are written
   * @throws Exception which the batch fails with; see {@link Store}
   */
  CompletionStage<?> fetch(long[] ids, ByteBuffer rows) throws Exception;
}
