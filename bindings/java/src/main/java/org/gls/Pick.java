package org.gls;

/** How a row's picks go together with those of other rows. */
public enum Pick {
  /** They do not: each row has random numbers of its own. */
  INDEPENDENT(0),
  /**
   * Each neighbour has one random number for all rows, which take those of the smallest (LABOR-0).
   * So they pick the same nodes, and a batch has fewer.
   */
  LAYER(1);

  final int number; // in gls.h

  Pick(int number) {
    this.number = number;
  }
}
