package org.gls;

/** The progress that long calls are given: it looks for interruption, then calls the user's. */
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
