package org.gls;

/** Whether an edge may be drawn several times. */
public enum Replace {
  /** Distinct edges. */
  NEVER(0),
  /**
   * All neighbours if they are at most as many as the fanout; beyond that, draws with replacement.
   */
  ABOVE(1),
  /** As many draws with replacement as the fanout, from any neighbourhood that is not empty. */
  ALWAYS(2);

  final int number; // in gls.h

  Replace(int number) {
    this.number = number;
  }
}
