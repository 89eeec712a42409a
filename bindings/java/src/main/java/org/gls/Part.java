package org.gls;

/** Parts of a split. */
public enum Part {
  /** For training. */
  TRAIN(0),
  /** For validation. */
  VALID(1),
  /** For test. */
  TEST(2);

  final int number; // in gls.h

  Part(int number) {
    this.number = number;
  }
}
