package org.gls.internal;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of the garbage collector in native memory. It deletes objects that were not closed. It
 * is also called when small Java objects keep more and more memory of batches, as the JDK does for
 * direct buffers.
 */
public final class NativeMemory {
  public static final Cleaner CLEANER = Cleaner.create();

  /** As the JDK limits direct buffers: by the size of the heap. */
  private static final long LEAST =
      Long.getLong("gls.gc.bytes", Math.max(256L << 20, Runtime.getRuntime().maxMemory()));

  private static final int LONGEST_WAIT_MS = 64;

  private static final AtomicLong held = new AtomicLong();
  private static volatile long limit = LEAST;

  private NativeMemory() {}

  /** Memory of a batch that was handed out. */
  public static void add(long bytes) {
    if (held.addAndGet(bytes) > limit) {
      collect();
    }
  }

  /** Memory of a batch that is gone. */
  public static void remove(long bytes) {
    held.addAndGet(-bytes);
  }

  public static long held() {
    return held.get();
  }

  private static synchronized void collect() {
    if (held.get() <= limit) {
      return; // another thread did it meanwhile
    }
    System.gc();
    boolean interrupted = false;
    for (int wait = 1; wait <= LONGEST_WAIT_MS && held.get() > limit / 2; wait *= 2) {
      try {
        Thread.sleep(wait);
      } catch (InterruptedException error) {
        interrupted = true;
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    // What is left is in use: look again when there is as much again.
    limit = Math.max(LEAST, 2 * held.get());
  }
}
