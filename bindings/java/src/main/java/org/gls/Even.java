package org.gls;

/** What to do about trainers having different numbers of batches. */
public enum Even {
  /** They may differ by one. */
  NONE(0),
  /** Leave out the last batches. */
  DROP(1),
  /** Repeat the epoch's first batches at its end. */
  REPEAT(2);

  final int number; // in gls.h

  Even(int number) {
    this.number = number;
  }
}
