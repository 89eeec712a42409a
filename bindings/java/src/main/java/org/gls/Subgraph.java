package org.gls;

/** Which edges between the sampled nodes a batch has. */
public enum Subgraph {
  /** Those that were picked. */
  SAMPLED(0),
  /**
   * All between nodes of the batch (of one tree, when disjoint) that are not excluded, too late or
   * too early.
   */
  INDUCED(1),
  /**
   * Those that were picked and their reverses, each pair of nodes once. The reverses are of the
   * same edge type if its ends are; {@link SamplingBuilder#reverseTypes} names types that are each
   * other's.
   */
  BIDIRECTIONAL(2);

  final int number; // in gls.h

  Subgraph(int number) {
    this.number = number;
  }
}
