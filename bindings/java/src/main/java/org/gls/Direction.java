package org.gls;

/** Which way edges are followed. */
public enum Direction {
  /** From targets to their sources; needs {@link Layout#CSC}. */
  IN(0),
  /** From sources to their targets; needs {@link Layout#CSR}. */
  OUT(1);

  final int number; // in gls.h

  Direction(int number) {
    this.number = number;
  }
}
