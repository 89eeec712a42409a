package org.gls;

/** What text files and Arrow streams call nodes. */
public enum Ids {
  /** 0 .. number of nodes - 1. */
  DENSE(0),
  /** Any integers; numbered in ascending order, the originals kept as keys. */
  INTEGER(1),
  /** Any text; numbered in ascending byte order, the originals kept as keys. */
  STRING(2);

  final int number; // in gls.h

  Ids(int number) {
    this.number = number;
  }
}
