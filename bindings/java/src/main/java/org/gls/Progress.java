package org.gls;

/** Receives the progress of a long call, on the thread that made it. */
@FunctionalInterface
public interface Progress {
  /**
   * Reports the progress of a call. An exception from it ends the call, which leaves nothing behind
   * and throws that exception.
   *
   * @param stage the current work, for people: "reading edges"
   * @param done how far, in {@code unit}
   * @param total how far it will go; 0 while unknown
   * @param unit "bytes", "edges", ...
   */
  void report(String stage, long done, long total, String unit);
}
