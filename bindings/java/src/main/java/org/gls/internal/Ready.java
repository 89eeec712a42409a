package org.gls.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.gls.low.ReadyQueue;

/**
 * The one thread that is notified when a loader has a batch or an answer has arrived. The library's
 * own threads only append to a queue, so they never run Java code.
 */
public final class Ready {
  private static final ReadyQueue QUEUE = new ReadyQueue();
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final Map<Long, Runnable> CALLS = new ConcurrentHashMap<>();

  private static final Thread THREAD = new Thread(Ready::run, "gls-ready");

  static {
    THREAD.setDaemon(true);
    THREAD.start();
  }

  private Ready() {}

  /** The object that notifies. It returns true if it has an item now. */
  public interface Notify {
    boolean on(ReadyQueue queue, long number);
  }

  /**
   * True: the loader will not wait now. False: this thread will make {@code call} once the loader
   * has an item, or was cancelled, moved or deleted. Calls must be short.
   */
  public static boolean ask(Notify notify, Runnable call) {
    long number = NUMBERS.incrementAndGet();
    CALLS.put(number, call);
    boolean now = true;
    try {
      now = notify.on(QUEUE, number);
    } finally {
      if (now) {
        CALLS.remove(number);
      }
    }
    return now;
  }

  /** Whether this is the thread here, for which all loaders wait. */
  public static boolean isServing() {
    return Thread.currentThread() == THREAD;
  }

  private static void run() {
    for (; ; ) {
      try {
        CALLS.remove(QUEUE.next(-1)).run();
      } catch (Throwable error) { // the other loaders still need this thread
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
      }
    }
  }
}
