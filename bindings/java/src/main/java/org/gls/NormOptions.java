package org.gls;

/** What is counted for GraphSAINT's norms; see {@link NeighborLoader#saintNorms}. */
public final class NormOptions {
  String nodeType;
  String edgeType;
  long epoch;
  long batches;
  double coverage;
  boolean edges = true;
  Progress progress;

  /** The batches of one epoch. */
  public NormOptions() {}

  /**
   * Of the nodes.
   *
   * @param type null, the default: the only one
   * @return this
   */
  public NormOptions nodeType(String type) {
    this.nodeType = type;
    return this;
  }

  /**
   * Of the edges.
   *
   * @param type null, the default: the only one
   * @return this
   */
  public NormOptions edgeType(String type) {
    this.edgeType = type;
    return this;
  }

  /**
   * Counting begins with epoch 2^63 + this.
   *
   * @param epoch unsigned; 0 by default
   * @return this
   */
  public NormOptions epoch(long epoch) {
    this.epoch = epoch;
    return this;
  }

  /**
   * How many batches are counted; with {@link #coverage}: at most.
   *
   * @param batches 0, the default: those of one epoch, or as many as coverage needs
   * @return this
   */
  public NormOptions batches(long batches) {
    this.batches = batches;
    return this;
  }

  /**
   * Count until so many times the nodes of the type were in batches.
   *
   * @param coverage 0, the default: no such goal
   * @return this
   */
  public NormOptions coverage(double coverage) {
    this.coverage = coverage;
    return this;
  }

  /**
   * Whether there are norms of edges, for which the loader needs edge ids.
   *
   * @param edges true by default
   * @return this
   */
  public NormOptions edges(boolean edges) {
    this.edges = edges;
    return this;
  }

  /**
   * Where to report the progress.
   *
   * @param progress null, the default: it is not reported
   * @return this
   */
  public NormOptions progress(Progress progress) {
    this.progress = progress;
    return this;
  }
}
