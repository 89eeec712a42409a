package org.gls;

/** Which of the neighbours that are early enough to take. */
public enum TimeStrategy {
  /** Any of them, as without times. */
  UNIFORM(0),
  /** The latest neighbours, as many as the fanout; of equal times those stored later. */
  LAST(1);

  final int number; // in gls.h

  TimeStrategy(int number) {
    this.number = number;
  }
}
