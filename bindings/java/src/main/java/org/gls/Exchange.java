package org.gls;

import java.util.List;

/** Exchanges bytes among all processes of a {@link Group}, by means of the caller's own. */
@FunctionalInterface
public interface Exchange {
  /**
   * Called once in each process, by the thread that joins. What it throws ends joining, and is
   * thrown there.
   *
   * @param mine of this process; as many in all
   * @return those of all processes, by rank
   */
  List<byte[]> exchange(byte[] mine);
}
