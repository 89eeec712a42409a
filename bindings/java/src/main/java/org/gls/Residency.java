package org.gls;

/** Where the arrays of an opened dataset lie. */
public enum Residency {
  /** Files are mapped: opens at once, memory is shared by processes. */
  MAPPED(0),
  /** The topology is read into memory: faster sampling. */
  TOPOLOGY(1),
  /** The topology and all columns are read into memory. */
  ALL(2);

  final int number; // in gls.h

  Residency(int number) {
    this.number = number;
  }
}
