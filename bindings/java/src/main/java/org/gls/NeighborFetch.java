package org.gls;

/** Answers for the neighbours of an edge type of a {@link Store}. */
@FunctionalInterface
public interface NeighborFetch {
  /**
   * All neighbours of some nodes. Called by threads of this package, several at once. It must not
   * use a dataset that has this store. Keep {@code nodes} no longer than until this has returned.
   *
   * @param nodes their ids
   * @return of each of these nodes
   * @throws Exception which the batch fails with; see {@link Store}
   */
  NeighborLists fetch(long[] nodes) throws Exception;
}
