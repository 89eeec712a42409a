package org.gls;

import java.util.Objects;

/**
 * The neighbours of some nodes, as a {@link Store} answers. The same order makes the same batches.
 *
 * @param counts how many neighbours each node has
 * @param neighbors node ids, those of the first node first
 * @param edgeIds ids of the same edges; null if the store has none
 */
public record NeighborLists(long[] counts, long[] neighbors, long[] edgeIds) {
  /**
   * The arrays are not copied.
   *
   * @param counts how many neighbours each node has
   * @param neighbors node ids, those of the first node first
   * @param edgeIds ids of the same edges; null if the store has none
   */
  public NeighborLists {
    Objects.requireNonNull(counts, "counts");
    Objects.requireNonNull(neighbors, "neighbors");
  }

  /**
   * Neighbours without edge ids.
   *
   * @param counts how many neighbours each node has
   * @param neighbors node ids, those of the first node first
   */
  public NeighborLists(long[] counts, long[] neighbors) {
    this(counts, neighbors, null);
  }

  /**
   * Neighbours without edge ids, as one list for each node.
   *
   * @param lists node ids
   * @return the same in one array
   */
  public static NeighborLists of(long[]... lists) {
    long[] counts = new long[lists.length];
    int sum = 0;
    for (int i = 0; i < lists.length; ++i) {
      counts[i] = lists[i].length;
      sum = Math.addExact(sum, lists[i].length);
    }
    long[] neighbors = new long[sum];
    int at = 0;
    for (long[] list : lists) {
      System.arraycopy(list, 0, neighbors, at, list.length);
      at += list.length;
    }
    return new NeighborLists(counts, neighbors);
  }
}
