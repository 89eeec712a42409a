package org.gls;

/** The three splits. */
public enum Split {
  /** For training. */
  TRAIN(0),
  /** For validation. */
  VALID(1),
  /** For test. */
  TEST(2);

  final int number; // in gls.h

  Split(int number) {
    this.number = number;
  }
}
