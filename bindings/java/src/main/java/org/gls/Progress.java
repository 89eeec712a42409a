package org.gls;

/** Receives the progress of a long call, on the thread that made it. */
@FunctionalInterface
public interface Progress {
  /**
   * Tells how far the call is. What this throws ends the call, which leaves nothing behind, and is
   * thrown by it.
   *
   * @param stage what is being done, for people: "reading edges"
   * @param done how far, in {@code unit}
   * @param total how far it will go; 0 while unknown
   * @param unit "bytes", "edges", ...
   */
  void report(String stage, long done, long total, String unit);
}
