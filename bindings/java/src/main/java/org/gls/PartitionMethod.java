package org.gls;

/**
 * How owners of nodes are chosen. An edge belongs to the owner of its target where in-neighbours
 * are stored ({@link Layout#CSC}), else to that of its source.
 */
public enum PartitionMethod {
  /** Fewer edges between parts than at random, in passes over the graph as it is mapped. */
  STREAM(0),
  /**
   * Few edges between parts; needs the plugin libgls_metis.so, and memory for several copies of the
   * edges.
   */
  METIS(1),
  /** Exactly even. */
  RANDOM(2),
  /** Of the id and the seed alone. */
  HASH(3),
  /** By {@link PartitionOptions#owners} or {@link PartitionOptions#ownersFile}. */
  GIVEN(4);

  final int number; // in gls.h

  PartitionMethod(int number) {
    this.number = number;
  }
}
