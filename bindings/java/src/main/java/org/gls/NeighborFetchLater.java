package org.gls;

import java.util.concurrent.CompletionStage;

/** Answers for the neighbours of an edge type of a {@link Store}, and may answer later. */
@FunctionalInterface
public interface NeighborFetchLater {
  /**
   * Begins to find all neighbours of some nodes. Called by threads of this package, several at
   * once. Until it answers, it occupies no thread. It must not use a dataset that has this store.
   * Keep {@code nodes} no longer than until the answer is complete.
   *
   * @param nodes their ids
   * @return what completes with the neighbours of each of these nodes
   * @throws Exception which the batch fails with; see {@link Store}
   */
  CompletionStage<NeighborLists> fetch(long[] nodes) throws Exception;
}
