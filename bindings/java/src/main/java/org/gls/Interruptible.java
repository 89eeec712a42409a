package org.gls;

/**
 * Ends calls of an interrupted thread. An object is the progress that long calls are given: it
 * looks for interruption, then calls the user's.
 */
final class Interruptible implements Progress {
  private static final Interruptible ALONE = new Interruptible(null);

  private final Progress target;

  private Interruptible(Progress target) {
    this.target = target;
  }

  /** {@code target} may be null. */
  static Progress of(Progress target) {
    return target == null ? ALONE : new Interruptible(target);
  }

  /** The library calls it on a thread that blocks in a call, by its name. */
  static void look() {
    if (Thread.currentThread().isInterrupted()) {
      throw new GlsException.Interrupted("the thread was interrupted while it waited");
    }
  }

  @Override
  public void report(String stage, long done, long total, String unit) {
    if (Thread.currentThread().isInterrupted()) {
      throw new GlsException.Interrupted(stage + ": the thread was interrupted");
    }
    if (target != null) {
      target.report(stage, done, total, unit);
    }
  }
}
