package org.gls;

/** The purpose of a column. It only chooses defaults: any column can be named in options. */
public enum Role {
  /** Gathered for every node or edge of a batch. */
  FEATURE(0),
  /** Gathered for the seeds. */
  LABEL(1),
  /** Sampling weights; not gathered by default. */
  WEIGHT(2),
  /** Timestamps; not gathered by default. */
  TIME(3),
  /** Not gathered by default. */
  OTHER(4);

  final int number; // in gls.h

  Role(int number) {
    this.number = number;
  }

  static Role of(int number) {
    for (Role value : values()) {
      if (value.number == number) {
        return value;
      }
    }
    return OTHER; // of a newer library
  }
}
