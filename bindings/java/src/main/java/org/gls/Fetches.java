package org.gls;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.gls.internal.NativeMemory;
import org.gls.low.FetchQueue;
import org.gls.low.FetchTask;

/**
 * Runs the code of a store. The library's threads leave questions in a queue; threads of Java take
 * them out, so that no thread of the library ever runs Java code. They refer to this and not to the
 * store: when the library lets go of that, it closes the queue.
 */
final class Fetches {
  private static final long PAUSE_NANOS = 10_000_000;

  private final FetchQueue queue = new FetchQueue();
  private final int mostThreads;
  private final Consumer<Question> function;
  private int threads;
  private int idle; // of these

  Fetches(int mostThreads, Consumer<Question> function) {
    this.mostThreads = mostThreads;
    this.function = function;
    NativeMemory.CLEANER.register(this, queue::delete);
  }

  FetchQueue queue() {
    return queue;
  }

  /** When there is a store, whose end ends the threads. */
  synchronized void start() {
    addThread();
  }

  private void addThread() {
    Thread thread = new Thread(this::serve, "gls-store");
    thread.setDaemon(true);
    thread.start();
    ++threads;
    ++idle; // soon; a question must not see a count of zero meanwhile
  }

  private void serve() {
    for (FetchTask task = next(); task != null; task = next()) {
      taken();
      try {
        answer(task);
      } catch (Throwable error) {
        // Nothing that goes wrong with one question ends the thread.
      } finally {
        synchronized (this) {
          ++idle;
        }
      }
    }
    synchronized (this) {
      --idle;
      --threads;
    }
  }

  /** One more thread for the next question, up to the most. */
  private synchronized void taken() {
    --idle;
    if (idle == 0 && threads < mostThreads) {
      try {
        addThread();
      } catch (Throwable error) {
        // The system has no more threads or memory: the running ones take all questions.
      }
    }
  }

  /** Releases the question if it fails, so that the batch gets an error and the turn is free. */
  private void answer(FetchTask task) {
    Question question;
    try {
      question = new Question(task);
    } catch (Throwable error) {
      task.delete();
      throw error;
    }
    try {
      function.accept(question);
    } catch (Throwable error) {
      question.close();
      throw error;
    }
  }

  /** null: the library has let go of the store. */
  private FetchTask next() {
    for (; ; ) {
      Thread.interrupted(); // by the caller's code, which has ended
      try {
        FetchTask task = queue.next(-1);
        if (task != null || queue.closed()) {
          return task;
        }
      } catch (GlsException.Interrupted error) {
        // the next one is still due
      } catch (Throwable error) {
        LockSupport.parkNanos(PAUSE_NANOS); // until there may be memory again
      }
    }
  }
}
