package org.gls;

/** For which nodes or edges of a batch a column is gathered. */
public enum Rows {
  /** Labels for the seeds, everything else for all. */
  AUTO(0),
  /** For every sampled node or edge. */
  ALL(1),
  /** For the seeds; node columns only. */
  SEEDS(2);

  final int number; // in gls.h

  Rows(int number) {
    this.number = number;
  }

  static Rows of(int number) {
    for (Rows value : values()) {
      if (value.number == number) {
        return value;
      }
    }
    return AUTO;
  }
}
