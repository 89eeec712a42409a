package org.gls;

/** Which edges an excluded edge takes with it. */
public enum ExcludeMode {
  /** None. */
  SELF(0),
  /** The edge whose id is in its row of the reverse column. */
  REVERSE_ID(1),
  /** The edge with its id of the type that is paired with its own. */
  REVERSE_TYPES(2);

  final int number; // in gls.h

  ExcludeMode(int number) {
    this.number = number;
  }
}
