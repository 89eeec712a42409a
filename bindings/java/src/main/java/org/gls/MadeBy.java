package org.gls;

/** The processes that make the batches. The batches do not depend on it. */
public enum MadeBy {
  /** This one, on the context's threads. */
  HERE(0),
  /**
   * The servers of a graph that was opened as {@code gls://host:port}: they sample and gather, and
   * this process pads and transforms. A batch is one question.
   */
  SERVERS(1);

  final int number; // in gls.h

  MadeBy(int number) {
    this.number = number;
  }
}
