package org.gls;

/**
 * A random split of the edges of a type, in exact numbers; see {@link Dataset#splitLinks}. Sizes
 * below 1 are shares, rounded down; from 1 on, numbers of links.
 */
public final class LinkSplit {
  private static final int UNDIRECTED = 1; // gls.h

  private long seed;
  private double valid = 0.1;
  private double test = 0.2;
  private double supervision;
  private int flags;

  /** A tenth for validation, a fifth for test. */
  public LinkSplit() {}

  /**
   * Other seeds, other splits.
   *
   * @param seed 0 by default
   * @return this
   */
  public LinkSplit seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * Links for validation.
   *
   * @param size 0.1 by default
   * @return this
   */
  public LinkSplit valid(double size) {
    this.valid = size;
    return this;
  }

  /**
   * Links for test.
   *
   * @param size 0.2 by default
   * @return this
   */
  public LinkSplit test(double size) {
    this.test = size;
    return this;
  }

  /**
   * Of the links for training, those that are labels only and not sampled.
   *
   * @param size 0, the default: all of them are both
   * @return this
   */
  public LinkSplit supervision(double size) {
    this.supervision = size;
    return this;
  }

  /**
   * Whether opposite edges between two nodes are one link: the edge from the lower to the higher
   * node, whose part both share.
   *
   * @param undirected false by default
   * @return this
   */
  public LinkSplit undirected(boolean undirected) {
    this.flags = undirected ? UNDIRECTED : 0;
    return this;
  }

  /** Of a dataset. */
  LinkPart links(org.gls.low.Dataset dataset, String type, Split split) {
    return LinkPart.of(
        dataset.splitLinks(type, seed, valid, test, supervision, flags, split.number));
  }
}
